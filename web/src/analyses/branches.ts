/* branches.ts — the plot of a response that was followed through its folds: one quantity over the parameter, stable parts
 * solid, unstable ones dashed, special points marked; below it the table of the branches. */
import { backboneCurves } from './backbone';
import { nameOf } from '../channels';
import { branchTable } from './branch_table';
import { quantities, specials, type Branch, type BranchSet } from './branch_data';
import { largestOf } from '../chart';
import { valuesOf, type Column, type Group } from '../data';
import { el, uniqueId } from '../dom';
import { number } from '../format';
import { Loop, type Curve } from '../loop';
import type { Mark } from '../marks';
import { hasSurface, surfaceView } from './surface';
import { lineStyle, rampStyle, type LineStyle } from '../theme';

const mostLabels = 16; /* positions of folds written into the plot */
const mostNames = 10;

/* A family has a colour for each member, by the order of their values; else each branch has its own. Dashes are kept for what
 * is unstable. */
function styleOf(set: BranchSet, index: number): LineStyle {
  if (!set.family) return { colour: lineStyle(index).colour, dash: undefined };
  const { value } = set.members[set.branches[index]!.member]!;
  return rampStyle(set.members.filter((m) => m.value < value).length, set.members.length);
}

/* The rows of a branch as drawn: a closed one comes back to its start. */
const pathOf = (b: Branch): number[] => (b.closed ? [...b.rows, b.rows[0]!] : b.rows);

/* Whether the stretch up to each point is unstable. At special points a multiplier is on the circle, and which side it
 * falls on says nothing: there the other end of the stretch decides. */
function unstableStretches(set: BranchSet, rows: number[]): boolean[] {
  const clear = (row: number): boolean => set.kind[row] === 0;
  return rows.map((row, i) => {
    const ends = [rows[Math.max(0, i - 1)]!, row];
    const told = ends.some(clear) ? ends.filter(clear) : ends;
    return told.some((k) => set.unstable(k) === true);
  });
}

function noteOf(set: BranchSet, row: number): string {
  const special = specials.find((s) => s.kind === set.kind[row]);
  const state = set.unstable(row);
  return special?.one ?? (state === null ? 'stability not computed' : state ? 'unstable' : 'stable');
}

function curvesOf(set: BranchSet, y: Column): Curve[] {
  const x = valuesOf(set.x);
  const values = valuesOf(y);
  return set.branches.map((b, i) => {
    const rows = pathOf(b);
    const member = set.members[b.member]!.text;
    return {
      name: member ? `${member}, ${b.name}` : b.name,
      group: member || undefined,
      hint: member ? `${nameOf(set.family!)} = ${member}` : b.found,
      x: rows.map((k) => x[k]!),
      y: rows.map((k) => values[k]!),
      style: styleOf(set, i),
      width: b.name.startsWith('main') ? 2 : 1.5,
      dashed: unstableStretches(set, rows),
      note: (k: number) => noteOf(set, rows[k]!),
      label: !member && set.branches.length > 1 && set.branches.length <= mostNames ? b.name : undefined,
    };
  });
}

function marksOf(set: BranchSet, y: Column): Mark[] {
  const x = valuesOf(set.x);
  const values = valuesOf(y);
  const marks = set.branches.flatMap((b, curve) => b.rows.filter((i) => set.kind[i] !== 0).map((i): Mark => ({
    label: set.kind[i] === 1 ? number(x[i]! / set.xUnit.size) : '',
    x: x[i]!, y: values[i]!, curve, colour: styleOf(set, curve).colour,
    shape: specials.find((s) => s.kind === set.kind[i])?.shape,
  })));
  return !set.family && marks.filter((m) => m.label).length <= mostLabels ? marks : marks.map((m) => ({ ...m, label: '' }));
}

function caption(set: BranchSet, curves: Curve[]): string {
  const known = set.branches.some((b) => b.rows.some((i) => set.unstable(i) !== null));
  const lines = !known ? 'Stability was not computed.' : curves.some((c) => c.dashed!.some(Boolean)) ? 'Solid: stable. Dashed: unstable.' : 'Solid: stable.';
  return set.family ? `Colour: ${nameOf(set.family)}. ${lines}` : lines;
}

/* Backbones of the file, where the response is over the pulsation. */
function backbones(set: BranchSet, y: Column, others: Group[]): Curve[] {
  const { x } = set;
  if (x.unit !== 'rad/s' || !x.stats) return [];
  return backboneCurves(others, y, [x.stats.min, x.stats.max], largestOf([valuesOf(y)]));
}

export function branchView(group: Group, set: BranchSet, others: Group[]): HTMLElement {
  const choice = quantities(set.table);
  const host = el('div');
  const surface = el('div');
  const table = el('div');
  if (!choice.length || set.table.thinned === 'columns')
    return el('p.hint', {}, 'The branches are too many for this page: the result file has them.');
  let y = choice[0]!;
  let logY = false;
  let shown: Loop | null = null;
  const draw = (): void => {
    shown?.destroy();
    const curves = curvesOf(set, y);
    shown = new Loop({
      x: { name: nameOf(set.x), unit: set.x.unit },
      y: { name: nameOf(y), unit: y.unit },
      curves: [...curves, ...backbones(set, y, others)],
      marks: marksOf(set, y),
      legend: specials.filter((s) => Array.from(set.kind).includes(s.kind)).map((s) => ({ shape: s.shape, name: s.one })),
      height: 540,
      title: caption(set, curves),
      logY,
    }, host);
    surface.replaceChildren(...(hasSurface(group) ? [surfaceView(group, y, others)] : []));
    table.replaceChildren(branchTable(group, set, y, true));
  };
  const id = uniqueId('quantity');
  const box = el('select', { id }, ...choice.map((c, i) => el('option', { value: i, selected: i === 0 }, nameOf(c))));
  box.addEventListener('change', () => ((y = choice[Number(box.value)]!), draw()));
  const log = el('input', { type: 'checkbox' });
  log.addEventListener('change', () => ((logY = log.checked), draw()));
  requestAnimationFrame(draw);
  return el('div.response', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), box),
    el('label.check', {}, log, 'logarithmic y')), host, surface, table);
}
