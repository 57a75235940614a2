/* summary.ts — the key figures of a result: each analysis is asked by the makers of all drives; also for comparisons. */
import type { Group, Report } from './data';
import { el } from './dom';
import type { FigureMaker, KeyFigure } from './figure';
import { anything, bodyMakers } from './drives/bodies/body_figures';
import { beltMakers } from './drives/accessory/belt_figures';
import { oscillatorMakers } from './drives/oscillator/oscillator_figures';
import { tensionerMakers } from './drives/tensioner/tensioner_figures';
import { studyMakers } from './summary_study';
import { variatorMakers } from './drives/pushbelt/variator_figures';

export type { KeyFigure } from './figure';

const makers: FigureMaker[] = [...beltMakers, ...variatorMakers, ...tensionerMakers, ...oscillatorMakers, ...bodyMakers, ...studyMakers];

const told = (g: Group): boolean => !['layout', 'scene', 'point', 'case'].includes(g.kind);

const figuresOf = (report: Report, group: Group): KeyFigure[] => makers.flatMap((make) => make(group, report));

/* Two analyses of one kind are told apart by their names. */
function named(list: { group: Group; figures: KeyFigure[] }[]): KeyFigure[] {
  const titles = (figures: KeyFigure[]): string[] => [...new Set(figures.map((f) => f.of))];
  return list.flatMap(({ group, figures }) => figures.map((f) => ({
    ...f, of: list.some((o) => o.group !== group && titles(o.figures).includes(f.of)) ? `${f.of} (${group.name})` : f.of })));
}

/* All of them, in the order of the analyses, that of `main` first; what nobody knows about is told by its numbers, when there is
 * nothing else. */
export function keyFigures(report: Report, main: Group | null = null): KeyFigure[] {
  const groups = report.groups.filter(told).sort((a, b) => Number(b === main) - Number(a === main));
  const list = groups.map((group) => ({ group, figures: figuresOf(report, group) }));
  if (list.some((l) => l.figures.length)) return named(list);
  return named(groups.map((group) => ({ group, figures: anything(group, report) })));
}

/* Blocks of figures by what they belong to. */
export function blocksOf(figures: KeyFigure[]): { title: string; figures: KeyFigure[] }[] {
  const blocks = new Map<string, KeyFigure[]>();
  for (const f of figures) blocks.set(f.of, [...(blocks.get(f.of) ?? []), f]);
  return [...blocks].map(([title, list]) => ({ title, figures: list }));
}

export const figureGrid = (figures: KeyFigure[]): HTMLElement => el('dl.key-figures', {}, ...figures.map((f) =>
  el(f.warn ? 'div.warned' : 'div', {}, el('dt', {}, f.name), el('dd', {}, f.text), f.at ? el('dd.figure-at', {}, f.at) : null)));
