/* folds.ts — folds and period doublings of a response over two parameters (src/analysis/folds.c): the second parameter over that
 * of the sweep, one line a curve, cusps and turns marked. */
import { nameOf } from './channels';
import type { Mark } from './marks';
import { valuesOf, type Column, type Group, type Table } from './data';
import { el } from './dom';
import { Loop } from './loop';
import { lineStyle } from './theme';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

export const isFolds = (group: Group): boolean =>
  group.kind === 'folds' && !!group.table?.rows && ['curve', 'kind', 'bifurcation'].every((n) => column(group.table!, n));

/* Texts that the list of curves shows. */
export const isCurveText = (name: string): boolean => /^curve\.\d+\.(start|ends)$/.test(name);

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

const kindText = (kind: number): string => (kind === 1 ? 'cusp' : kind === 2 ? 'turn' : '');

export function foldsView(group: Group): HTMLElement {
  const table = group.table!;
  const [x, y] = [table.columns[0]!, table.columns[1]!];
  const kind = valuesOf(column(table, 'kind')!);
  const curves = foldCurves(table);
  const host = el('div');
  const marks: Mark[] = Array.from(kind, (_v, i) => i).filter((i) => kind[i]! > 0)
    .map((i) => ({ label: kindText(kind[i]!), x: valuesOf(x)[i]!, y: valuesOf(y)[i]! }));
  const text = (n: number, what: string): string => group.texts.find((t) => t.name === `curve.${n}.${what}`)?.value ?? '';
  requestAnimationFrame(() => new Loop({
    x: { name: nameOf(x), unit: x.unit },
    y: { name: nameOf(y), unit: y.unit },
    curves: curves.map((c, n) => ({
      name: `${c.number}: ${c.doubling ? 'period doublings' : 'folds'}`, hint: text(c.number, 'start'),
      x: c.rows.map((i) => valuesOf(x)[i]!), y: c.rows.map((i) => valuesOf(y)[i]!),
      style: c.doubling ? { ...lineStyle(n), dash: [5, 4] } : lineStyle(n),
    })),
    marks,
    height: 380,
  }, host));
  return el('div.response', {}, host, el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, ...['curve', 'from', 'ends'].map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, ...curves.map((c) => el('tr', {},
      el('th', { scope: 'row' }, String(c.number)), el('td', {}, text(c.number, 'start')), el('td', {}, text(c.number, 'ends'))))))));
}
