/* summary.ts — the key figures of a result: each analysis is asked by the makers of all drives and analyses; also for comparisons. */
import { analyses, kindHas } from './analyses/registry';
import type { Column, Group, Report } from './data';
import { el } from './dom';
import { ofDrives } from './drives/registry';
import { extremeColumn, figure, sizeOfColumn, word, type FigureMaker, type KeyFigure } from './figure';
import { plural } from './format';
import { nameOf } from './panels';
import { quantity } from './tables';

export type { KeyFigure } from './figure';

const makers = (): FigureMaker[] => [...ofDrives((d) => d.figures), ...analyses.flatMap((a) => a.figures ?? [])];

const told = (g: Group): boolean => !kindHas(g.kind, (a) => !!a.role);

const figuresOf = (report: Report, group: Group): KeyFigure[] => makers().flatMap((make) => make(group, report));

/* Where nothing is known of the drive: its numbers, and how much there is. */
const anything: FigureMaker = (group) => {
  const title = group.title || group.name;
  /* Of a run that was interrupted: how far it came. What its channels reached by then says nothing of the drive. */
  const reached = group.status !== '' && group.status !== 'complete' ? group.table?.columns[0] : undefined;
  if (reached?.stats) return [...word(title, 'state', 'not finished', { warn: true }), ...figure(title, `${nameOf(reached)} reached`, reached.stats.last, reached.unit, { at: plural(group.table!.rows, 'row') })];
  const numbers = group.numbers.filter((n) => n.unit && n.value !== null).slice(0, 6).flatMap((n) => figure(title, nameOf(n), n.value, n.unit));
  if (numbers.length || !group.table?.rows) return numbers;
  const byUnit = new Map<string, Column>();
  for (const c of group.table.columns.slice(1)) if (c.stats && c.unit && !byUnit.has(c.unit) && sizeOfColumn(c) > 0) byUnit.set(c.unit, c);
  const channels = [...byUnit.values()].slice(0, 4).flatMap((c) => figure(title, `largest ${nameOf(c)}`, extremeColumn([c], 1)!.value, c.unit, { at: `smallest ${quantity(c.stats!.min, c.unit, 4, c.stats!.max)}` }));
  return channels.length ? channels : word(title, 'rows', plural(group.table.rows, 'row'));
};

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
