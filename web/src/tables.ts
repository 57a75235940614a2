/* tables.ts — key figures, statistics of channels, and small results written out. */
import { nameOf } from './channels';
import { isResidue } from './contacts';
import { largestOf } from './chart';
import { valuesOf, type ArrayData, type Column, type Group, type NumberData, type Table, type Values } from './data';
import { el } from './dom';
import { aligned, count, inUnit, number, plural, pure } from './format';
import { responseExtent } from './response';
import { sparkline } from './sparkline';
import { displayUnit, withUnit } from './units';

const shownChannels = 8;
const shownRows = 100;

/* "0.55 s", "12.3 mm"; in the unit that suits `like` when given. */
export function quantity(value: number | null, unit: string, digits = 4, like = value): string {
  if (value === null) return '–';
  const shown = displayUnit(unit, Math.abs(like ?? value));
  if (!shown.text) return pure(value, digits);
  return inUnit(value / shown.size, shown, (v) => number(v, digits));
}

/* Numbers about the computation rather than about the drive. */
export const technical = (n: NumberData): boolean =>
  n.unit === '' || /(^|\.)(residual|iterations|steps?|substeps|periods|passes|drift|corrected|corrected\.most)$/.test(n.name);

/* "number of time steps 1 985", "no friction element ever slips: no" */
export function remark(n: NumberData): string {
  const flag = /^1 (?:if|when|where) (.*)$/.exec(nameOf(n));
  if (flag && (n.value === 0 || n.value === 1)) return `${flag[1]}: ${n.value ? 'yes' : 'no'}`;
  return `${nameOf(n)} ${quantity(n.value, n.unit, 3)}`;
}

/* Numbers of a group: those of the drive large, with their names, those of the computation in one line. */
export function figures(numbers: NumberData[]): HTMLElement {
  const key = numbers.filter((n) => !technical(n));
  const rest = numbers.filter(technical);
  return el('div', {},
    key.length ? el('dl.figures', {}, ...key.map((n) =>
      el('div', {}, el('dt', { title: n.name }, nameOf(n)), el('dd', {}, quantity(n.value, n.unit))))) : null,
    rest.length ? el('p.extent', {}, rest.map(remark).join(' · ')) : null);
}

export interface Figure {
  name: string;
  value: string;
  at: string; /* where, or of what */
}

export const figureList = (list: Figure[]): HTMLElement => el('dl.figures', {}, ...list.map((f) =>
  el('div', {}, el('dt', {}, f.name), el('dd', {}, f.value), el('dd.figure-at', {}, f.at))));

function statRow(table: Table, c: Column): HTMLElement {
  const s = c.stats;
  const largest = s ? Math.max(Math.abs(s.min), Math.abs(s.max)) : 0;
  const unit = displayUnit(c.unit, largest);
  const cell = (v: number | undefined): HTMLElement =>
    el('td.n', {}, v === undefined ? '–' : aligned(v / unit.size, largest / unit.size));
  return el('tr', {},
    el('th', { scope: 'row', title: nameOf(c) }, c.name,
      c.bad ? el('span.badge.bad', {}, `${count(c.bad)} not finite`) : null),
    el('td', {}, unit.text), cell(s?.min), cell(s?.mean), cell(s?.max), cell(s?.last),
    el('td.spark', {}, table.rows <= 3 ? null
      : isResidue(c, table.columns.slice(1)) ? el('span.term', {}, 'rounding') : sparkline(valuesOf(c))));
}

/* Smallest, mean, largest and last value of each channel, those of most interest first; the rest folds away. */
export function statistics(table: Table, rank: (name: string) => number = () => 0): HTMLElement {
  const head = (): HTMLElement => el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Channel'),
    el('th', { scope: 'col' }, 'Unit'), ...['Smallest', 'Mean', 'Largest', 'Last'].map((t) => el('th.n', { scope: 'col' }, t)),
    el('th.spark', { scope: 'col' }, table.rows > 3 ? 'Course' : '')));
  const all = table.columns.slice(1);
  const channels = all.map((c, i) => ({ c, i })).sort((a, b) => rank(a.c.name) - rank(b.c.name) || a.i - b.i).map(({ c }) => c);
  const part = (list: Column[]): HTMLElement =>
    el('div.scroll', {}, el('table', {}, head(), el('tbody', {}, ...list.map((c) => statRow(table, c)))));
  const rest = channels.slice(shownChannels);
  const root = el('div', {}, part(channels.slice(0, shownChannels)));
  if (rest.length) {
    /* Filled when it is opened: unpacking hundreds of channels takes its time. */
    const fold = el('details', {}, el('summary', {}, plural(rest.length, 'more channel')));
    fold.addEventListener('toggle', () => fold.append(part(rest)), { once: true });
    root.append(fold);
  }
  return root;
}

interface WrittenColumn {
  name: string;
  unit: string;
  long_name: string;
  values: Values;
}

/* How the values of a column are written: whole, with equal decimals, or each for itself when sizes differ much. */
export function writtenColumnOf(c: WrittenColumn): { head: string; write: (v: number) => string } {
  const most = largestOf([c.values]);
  const unit = displayUnit(c.unit, most);
  const head = withUnit(nameOf(c), unit);
  const sizes = Array.from(c.values, Math.abs).filter((v) => v > 0);
  if (!c.unit && sizes.every((v) => Number.isInteger(v))) return { head, write: (v) => pure(v) };
  const even = sizes.every((v) => v >= most * 1e-3);
  return { head, write: (v) => (even ? aligned(v / unit.size, most / unit.size, 5) : number(v / unit.size)) };
}

/* Columns of equal length written out, in display units; with a name for each row when `names` is not empty. */
export function labelled(head: string, names: string[], columns: WrittenColumn[]): HTMLElement {
  const n = columns[0]?.values.length ?? 0;
  const writers = columns.map(writtenColumnOf);
  const rows = Array.from({ length: Math.min(n, shownRows) }, (_v, i) =>
    el('tr', {}, names.length ? el('th', { scope: 'row' }, names[i] ?? '') : null,
      ...columns.map((c, k) => el('td.n', {}, writers[k]!.write(c.values[i]!)))));
  return el('div', {}, el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, names.length ? el('th', { scope: 'col' }, head) : null,
      ...columns.map((c, k) => el('th.n', { scope: 'col', title: c.name }, writers[k]!.head)))),
    el('tbody', {}, ...rows))),
    n > shownRows ? el('p.hint', {}, `The first ${shownRows} of ${count(n)} rows.`) : null);
}

export const written = (columns: WrittenColumn[]): HTMLElement => labelled('', [], columns);

export const writtenTable = (table: Table): HTMLElement =>
  written(table.columns.map((c) => ({ ...c, values: valuesOf(c) })));

/* Ready texts in rows, of which the first names the row. */
export const textTable = (heads: string[], rows: (string | HTMLElement)[][]): HTMLElement =>
  el('div.scroll', {}, el('table.branches', {},
    el('thead', {}, el('tr', {}, ...heads.map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, ...rows.map(([name, ...cells]) => el('tr', {}, el('th', { scope: 'row' }, name ?? ''), ...cells.map((c) => el('td', {}, c)))))));

/* Numbers within a text that were written with every digit. */
export const roundedText = (text: string): string => text.replace(/\d+\.\d{5,}/g, (digits) => number(Number(digits), 5));

/* Complex numbers are stored as x.re and x.im; their modulus is what one looks for. */
function withModulus(columns: WrittenColumn[]): WrittenColumn[] {
  return columns.flatMap((c) => {
    const re = c.name.endsWith('.im') && columns.find((k) => k.name === c.name.replace(/im$/, 're'));
    if (!re) return [c];
    const modulus = Array.from(c.values, (v, i) => Math.hypot(v, re.values[i]!));
    return [c, { ...c, name: c.name.replace(/\.im$/, '.modulus'), long_name: 'modulus', values: modulus }];
  });
}

const small = (a: ArrayData): boolean => a.dims.length === 2 && !a.omitted && a.dims.every((d) => d <= 16);

function matrix(a: ArrayData): HTMLElement {
  const v = valuesOf(a);
  const most = largestOf([v]);
  const unit = displayUnit(a.unit, most);
  const [rows, columns] = a.dims as [number, number];
  return el('div.scroll', {}, el('table', {}, el('caption', {}, withUnit(nameOf(a), unit)),
    el('tbody', {}, ...Array.from({ length: rows }, (_r, i) => el('tr', {}, ...Array.from({ length: columns }, (_c, j) =>
      el('td.n', {}, aligned(v[i * columns + j]! / unit.size, most / unit.size))))))));
}

/* Arrays that are drawn nowhere: vectors of equal length side by side, small matrices, and the names of the others. */
export function writtenArrays(arrays: ArrayData[]): HTMLElement[] {
  const byLength = new Map<number, ArrayData[]>();
  for (const a of arrays)
    if (a.dims.length === 1 && !a.omitted) byLength.set(a.dims[0]!, [...(byLength.get(a.dims[0]!) ?? []), a]);
  const vectors = [...byLength.values()].map((list) => written(withModulus(list.map((a) => ({ ...a, values: valuesOf(a) })))));
  const others = arrays.filter((a) => (a.dims.length !== 1 && !small(a)) || a.omitted);
  const names = others.map((a) => `${a.name} (${a.dims.join(' × ')})`).join(', ');
  return [...vectors, ...arrays.filter(small).map(matrix),
    ...(names ? [el('p.hint', {}, `In the result file, not in this page: ${names}.`)] : [])];
}

/* One line about the size of a result. */
export function extent(group: Group): string {
  const parts: string[] = [];
  const table = group.table;
  if (table) {
    const x = table.columns[0];
    parts.push(plural(table.rows, 'row'), plural(Math.max(0, table.columns.length - 1), 'channel'));
    if (x?.stats && table.rows > 1) parts.push(`${nameOf(x)} from ${quantity(x.stats.min, x.unit, 4, x.stats.max)} to ${quantity(x.stats.max, x.unit)}`);
  }
  const response = responseExtent(group.arrays.filter((a) => !/^(spectrum|along|loss|history|film|swing|contact)\./.test(a.name)));
  if (response) parts.push(response);
  return parts.join(' · ');
}
