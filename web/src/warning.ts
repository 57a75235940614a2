/* warning.ts — what a reader must know before trusting the figures of an analysis, as drives and analyses tell it. */
import type { Group, Report } from './data';

export interface Warning {
  text: string;
  link?: string; /* id of the section that explains it */
  grave: boolean; /* figures are wrong or missing; otherwise something to know */
}

/* Warnings of one analysis; nothing where there are none. */
export type WarningMaker = (group: Group, report: Report) => Omit<Warning, 'link'>[];

export const grave = (text: string): Omit<Warning, 'link'>[] => [{ text, grave: true }];
export const mild = (text: string): Omit<Warning, 'link'>[] => [{ text, grave: false }];
