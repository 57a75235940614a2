/* folds.ts — folds and period doublings of a response over two parameters (src/analysis/response/folds.c): the second parameter over that
 * of the sweep, one line a curve, cusps and turns marked. */
import type { Analysis } from './analysis';
import { periodText } from './branch_data';
import { nameOf } from '../channels';
import { largestOf, rangeText } from '../chart';
import { valuesOf, type Column, type Group, type Table, type Values } from '../data';
import { el } from '../dom';
import { figure, word, type FigureMaker } from '../figure';
import { count, number, plural } from '../format';
import { Loop } from '../loop';
import type { Mark, Shape } from '../marks';
import { roundedText, textTable } from '../tables';
import { lineStyle } from '../theme';
import { displayUnit, withUnit, type DisplayUnit } from '../units';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

export const isFolds = (group: Group): boolean =>
  group.kind === 'folds' && !!group.table?.rows && ['curve', 'kind', 'bifurcation'].every((n) => column(group.table!, n));

/* Texts that the list of curves shows. */
const isCurveText = (name: string): boolean => /^(sweep|over|curve\.\d+\.(start|ends))$/.test(name);

export interface FoldCurve {
  number: number;
  doubling: boolean;
  rows: number[]; /* of the table, in order along the curve */
}

export function foldCurves(table: Table): FoldCurve[] {
  const [curve, bifurcation] = [valuesOf(column(table, 'curve')!), valuesOf(column(table, 'bifurcation')!)];
  const rows = Array.from(curve, (_v, i) => i);
  return [...new Set(Array.from(curve))].map((number) => {
    const own = rows.filter((i) => curve[i] === number);
    return { number, doubling: bifurcation[own[0]!] === 3, rows: own };
  });
}

/* Special points: where two folds meet, and where a curve turns back in the second parameter. */
const specials: { kind: number; one: string; many: string; shape: Shape }[] = [
  { kind: 1, one: 'cusp', many: 'Cusps', shape: 'triangle' },
  { kind: 2, one: 'turn (a branch is born or joins)', many: 'Turns', shape: 'square' },
];

const kindOf = (table: Table): Values => valuesOf(column(table, 'kind')!);
const present = (table: Table): typeof specials => specials.filter((s) => Array.from(kindOf(table)).includes(s.kind));
const textOf = (group: Group, n: number, what: string): string => group.texts.find((t) => t.name === `curve.${n}.${what}`)?.value ?? '';

const nameOfCurve = (c: FoldCurve): string => `${c.number}: ${c.doubling ? 'period doublings' : 'folds'}`;

function periodOf(table: Table, c: FoldCurve): string {
  const period = column(table, 'period');
  return period ? periodText(valuesOf(period)[c.rows[0]!]!) : '–';
}

/* One row a curve: what it is, where it is, its cusps and turns. */
export function curveTable(group: Group): HTMLElement {
  const table = group.table!;
  const [x, y] = [table.columns[0]!, table.columns[1]!];
  const [xs, ys, kind] = [valuesOf(x), valuesOf(y), kindOf(table)];
  const [xUnit, yUnit] = [displayUnit(x.unit, largestOf([xs])), displayUnit(y.unit, largestOf([ys]))];
  const range = (values: Values, rows: number[], unit: DisplayUnit): string => rangeText(rows.map((i) => values[i]!), { ...unit, text: '' });
  const points = (c: FoldCurve, which: number): string => c.rows.filter((i) => kind[i] === which)
    .map((i) => `${number(xs[i]! / xUnit.size)}, ${number(ys[i]! / yUnit.size)}`).join('; ');
  return textTable(
    ['Curve', 'Period', 'From', withUnit(nameOf(x), xUnit), withUnit(nameOf(y), yUnit), ...present(table).map((s) => `${s.many} at`), 'Ends'],
    foldCurves(table).map((c) => [nameOfCurve(c), el('span.word', {}, periodOf(table, c)), roundedText(textOf(group, c.number, 'start')), range(xs, c.rows, xUnit),
      range(ys, c.rows, yUnit), ...present(table).map((s) => points(c, s.kind)), roundedText(textOf(group, c.number, 'ends'))]));
}

/* "3 curves: 2 of folds, 1 of period doublings; 1 cusp." */
function foldsSummary(group: Group): HTMLElement {
  const table = group.table!;
  const curves = foldCurves(table);
  const kind = Array.from(kindOf(table));
  const doublings = curves.filter((c) => c.doubling).length;
  const kinds = [...(curves.length > doublings ? [`${count(curves.length - doublings)} of folds`] : []),
    ...(doublings ? [`${count(doublings)} of period doublings`] : [])];
  const cusps = kind.filter((k) => k === 1).length;
  return el('p', {}, `${plural(curves.length, 'curve')} over ${nameOf(table.columns[0]!)} and ${nameOf(table.columns[1]!)}: ` +
    `${kinds.join(', ')}; ${cusps ? plural(cusps, 'cusp') : 'no cusp'}.`);
}

function foldsView(group: Group): HTMLElement {
  const table = group.table!;
  const [x, y] = [table.columns[0]!, table.columns[1]!];
  const kind = kindOf(table);
  const curves = foldCurves(table);
  const host = el('div');
  const [xUnit, yUnit] = [displayUnit(x.unit, largestOf([valuesOf(x)])), displayUnit(y.unit, largestOf([valuesOf(y)]))];
  const marks: Mark[] = curves.flatMap((c, curve) => c.rows.filter((i) => kind[i]! > 0).map((i) => ({
    label: `${number(valuesOf(x)[i]! / xUnit.size)}, ${number(valuesOf(y)[i]! / yUnit.size)}`, x: valuesOf(x)[i]!, y: valuesOf(y)[i]!, curve, colour: lineStyle(curve).colour,
    shape: specials.find((s) => s.kind === kind[i])?.shape })));
  requestAnimationFrame(() => new Loop({
    x: { name: nameOf(x), unit: x.unit },
    y: { name: nameOf(y), unit: y.unit },
    curves: curves.map((c, n) => ({
      name: nameOfCurve(c), hint: textOf(group, c.number, 'start'),
      x: c.rows.map((i) => valuesOf(x)[i]!), y: c.rows.map((i) => valuesOf(y)[i]!),
      style: { colour: lineStyle(n).colour, dash: c.doubling ? [5, 4] : undefined },
      note: (k: number) => specials.find((s) => s.kind === kind[c.rows[k]!])?.one ?? textOf(group, c.number, 'start').replace(/ at .*$/, ''),
    })),
    marks: marks.length <= 16 ? marks : marks.map((m) => ({ ...m, label: '' })),
    legend: present(table).map((s) => ({ shape: s.shape, name: s.one })),
    height: 420,
    title: curves.some((c) => c.doubling) ? 'Solid: folds. Dashed: period doublings.' : undefined,
  }, host));
  return el('div.response', {}, host, curveTable(group));
}

const figures: FigureMaker = (group) => {
  if (!isFolds(group)) return [];
  const curves = foldCurves(group.table!);
  const y: Column | undefined = group.table!.columns[1];
  return [...word('Folds over two parameters', 'curves', plural(curves.length, 'curve')),
    ...(y?.stats ? figure('Folds over two parameters', `from ${nameOf(y)}`, y.stats.min, y.unit, { at: 'the least at which there are folds' }) : [])];
};

export const folds: Analysis = {
  kind: 'folds', recognise: isFolds, gaps: true, figures: [figures], ownNumbers: true,
  shown: (what, name) => what === 'text' && isCurveText(name),
  view: (_report, group) => [foldsSummary(group), foldsView(group)],
};
