/* branches.ts — a response that was followed through its folds: one quantity over the parameter, stable parts solid, unstable
 * ones dashed, folds marked. The table has columns "branch", "kind" and "multiplier" (src/analysis/response_hb.c). */
import { nameOf } from './channels';
import type { Mark } from './corners';
import { valuesOf, type Column, type Group, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { number } from './format';
import { Loop, type Curve } from './loop';
import { familyStyle } from './theme';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

export const isBranches = (group: Group): boolean =>
  group.kind === 'response' && !!group.table && ['branch', 'kind', 'multiplier'].every((n) => column(group.table!, n));

/* What is worth drawing, rms about the mean first. */
function quantities(table: Table): Column[] {
  const all = table.columns.slice(1).filter((c) => c.name.includes('.') && /\.(mean|rms_ac|rms_total|min|max)$/.test(c.name));
  return [...all.filter((c) => c.name.endsWith('.rms_ac')), ...all.filter((c) => !c.name.endsWith('.rms_ac'))];
}

const only = (values: Values, keep: (i: number) => boolean): number[] =>
  Array.from(values, (v, i) => (keep(i) ? v : NaN));

function curvesOf(table: Table, y: Column): Curve[] {
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
    const name = family.name === 'family' ? `branch ${branch[first]}` : `${number(members[first]!)} ${family.unit}, branch ${branch[first]}`;
    const part = (label: string, dash: number[] | undefined, wanted: (i: number) => boolean): Curve => ({
      name: `${name}${label}`,
      hint: nameOf(y),
      x,
      y: only(valuesOf(y), (i) => key(i) === k && touches(i, wanted)),
      style: { colour: familyStyle(n, keys.length).colour, dash },
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

export function branchView(group: Group): HTMLElement {
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
      curves: curvesOf(table, y),
      marks: marks.length <= 40 ? marks : [],
      height: 420,
      title: marks.length ? 'Dashed: unstable. Marks: folds.' : undefined,
    }, host);
  };
  const id = uniqueId('quantity');
  const box = el('select', { id }, ...choice.map((c, i) => el('option', { value: i, selected: i === 0 }, nameOf(c))));
  box.addEventListener('change', () => draw(choice[Number(box.value)]!));
  requestAnimationFrame(() => choice[0] && draw(choice[0]));
  return el('div.response', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), box)), host);
}
