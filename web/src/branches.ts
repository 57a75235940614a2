/* branches.ts — a response that was followed through its folds: one quantity over the parameter, stable parts solid, unstable
 * ones dashed, folds marked. The table has columns "branch", "kind" and "multiplier" (src/analysis/response_hb.c). */
import { backboneCurves } from './backbone';
import { largestOf } from './chart';
import { nameOf } from './channels';
import type { Mark } from './corners';
import { valuesOf, type Column, type Group, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { number } from './format';
import { Loop, type Curve } from './loop';
import { hasSurface, surfaceView } from './surface';
import { familyStyle, lineStyle } from './theme';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

export const isBranches = (group: Group): boolean =>
  group.kind === 'response' && !!group.table && ['branch', 'kind', 'multiplier'].every((n) => column(group.table!, n));

/* Texts that belong to the branches: "branch.3.name". */
export const isBranchText = (name: string): boolean => /^branch\.\d+\.(name|found|ends)$/.test(name);
/* Arrays over the branches, which the list shows. */
export const isBranchArray = (array: { name: string; axes: string[] }): boolean =>
  array.name === 'branches' || (array.axes.length === 1 && array.axes[0] === 'branches');

const textOf = (group: Group, branch: number, what: string): string =>
  group.texts.find((t) => t.name === `branch.${branch}.${what}`)?.value ?? '';

/* What is worth drawing, rms about the mean first. */
function quantities(table: Table): Column[] {
  const all = table.columns.slice(1).filter((c) => c.name.includes('.') && /\.(mean|rms_ac|rms_total|min|max)$/.test(c.name));
  return [...all.filter((c) => c.name.endsWith('.rms_ac')), ...all.filter((c) => !c.name.endsWith('.rms_ac'))];
}

const only = (values: Values, keep: (i: number) => boolean): number[] =>
  Array.from(values, (v, i) => (keep(i) ? v : NaN));

function curvesOf(group: Group, y: Column): Curve[] {
  const table = group.table!;
  const x = valuesOf(table.columns[0]!);
  const family = table.columns[1]!;
  const members = valuesOf(family);
  const branch = valuesOf(column(table, 'branch')!);
  const multiplier = valuesOf(column(table, 'multiplier')!);
  const key = (i: number): string => `${members[i]}/${branch[i]}`;
  const keys = [...new Set(Array.from(x, (_v, i) => key(i)))];
  const unstable = (i: number): boolean => multiplier[i]! > 1;
  /* A point at the border belongs to both parts, so that the line has no gap. */
  const touches = (i: number, part: (k: number) => boolean): boolean =>
    part(i) || (key(i - 1) === key(i) && i > 0 && part(i - 1));
  return keys.flatMap((k, n) => {
    const first = Array.from(x, (_v, i) => i).find((i) => key(i) === k)!;
    const own = textOf(group, branch[first]!, 'name') || `branch ${branch[first]}`;
    const name = family.name === 'family' ? own : `${number(members[first]!)} ${family.unit}, ${own}`;
    const part = (label: string, dash: number[] | undefined, wanted: (i: number) => boolean): Curve => ({
      name: `${name}${label}`,
      hint: nameOf(y),
      x,
      y: only(valuesOf(y), (i) => key(i) === k && touches(i, wanted)),
      style: { colour: (family.name === 'family' ? lineStyle(n) : familyStyle(n, keys.length)).colour, dash },
    });
    const rows = Array.from(x, (_v, i) => i).filter((i) => key(i) === k);
    return [part('', undefined, (i) => !unstable(i)), ...(rows.some(unstable) ? [part(', unstable', [5, 4], unstable)] : [])];
  });
}

function folds(table: Table, y: Column): Mark[] {
  const kind = valuesOf(column(table, 'kind')!);
  const x = valuesOf(table.columns[0]!);
  return Array.from(kind, (_v, i) => i).filter((i) => kind[i] === 1)
    .map((i) => ({ label: number(x[i]!), x: x[i]!, y: valuesOf(y)[i]! }));
}

/* One row a branch: what it is, where it is, how it was found and why it ends. */
function branchList(group: Group): HTMLElement | null {
  const values = (name: string): Values => {
    const array = group.arrays.find((a) => a.name === name && !a.omitted);
    return array ? valuesOf(array) : [];
  };
  const [numbers, period, closed, from, to, stable] =
    ['branches', 'branch.period', 'branch.closed', 'branch.from', 'branch.to', 'branch.stable'].map(values) as Values[];
  if (!numbers!.length || numbers!.length > mostListed) return null;
  const table = group.table!;
  const [parameter, family] = [table.columns[0]!, table.columns[1]!];
  const members = values('branch.family');
  const special = (branch: number): string => {
    const [b, kind] = [valuesOf(column(table, 'branch')!), valuesOf(column(table, 'kind')!)];
    const x = valuesOf(parameter);
    const folds = Array.from(x, (_v, i) => i).filter((i) => b[i] === branch && kind[i] === 1).map((i) => number(x[i]!, 5));
    return folds.length > 8 ? `${folds.length} folds` : folds.join(', ');
  };
  const heads = [...(family.name === 'family' ? [] : [`${family.name} [${family.unit}]`]), 'branch', 'period', `from [${parameter.unit}]`,
    'to', 'closed', 'stable', 'folds', 'found', 'ends'];
  return el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, ...heads.map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, ...Array.from(numbers!, (b, i) => el('tr', {},
      family.name === 'family' ? null : el('td.n', {}, number(members[i]!)),
      el('th', { scope: 'row' }, el('span.word', {}, textOf(group, b, 'name') || String(b))),
      el('td.n', {}, String(period![i])), el('td.n', {}, number(from![i]!, 5)), el('td.n', {}, number(to![i]!, 5)),
      el('td', {}, closed![i] ? 'yes' : ''), el('td.n', {}, Number.isFinite(stable![i]!) ? `${Math.round(100 * stable![i]!)} %` : '–'),
      el('td', {}, special(b)), el('td', {}, textOf(group, b, 'found')), el('td', {}, textOf(group, b, 'ends')))))));
}

const mostListed = 200;

/* Backbones of the file, where the response is over the pulsation. */
function backbones(group: Group, y: Column, others: Group[]): Curve[] {
  const x = group.table!.columns[0]!;
  if (x.unit !== 'rad/s' || !x.stats) return [];
  return backboneCurves(others, y, [x.stats.min, x.stats.max], largestOf([valuesOf(y)]));
}

export function branchView(group: Group, others: Group[] = []): HTMLElement {
  const table = group.table!;
  const choice = quantities(table);
  const host = el('div');
  const draw = (y: Column): void => {
    host.replaceChildren();
    const x = table.columns[0]!;
    const marks = folds(table, y);
    new Loop({
      x: { name: nameOf(x), unit: x.unit },
      y: { name: nameOf(y), unit: y.unit },
      curves: [...curvesOf(group, y), ...backbones(group, y, others)],
      marks: marks.length <= 24 ? marks : marks.map((m) => ({ ...m, label: '' })),
      height: 420,
      title: marks.length ? 'Dashed: unstable. Marks: folds.' : undefined,
    }, host);
    if (hasSurface(group)) host.append(surfaceView(group, y, others));
  };
  const id = uniqueId('quantity');
  const box = el('select', { id }, ...choice.map((c, i) => el('option', { value: i, selected: i === 0 }, nameOf(c))));
  box.addEventListener('change', () => draw(choice[Number(box.value)]!));
  requestAnimationFrame(() => choice[0] && draw(choice[0]));
  return el('div.response', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), box)), host, branchList(group));
}
