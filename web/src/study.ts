import type { Group, Report } from './data';
import type { Section } from './nav';
export const isStudy = (group: Group): boolean => group.kind === 'study';
export const studySections = (_report: Report, _group: Group): Section[] => [];
