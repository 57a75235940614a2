/* branches.ts — the plot of a response that was followed through its folds: one quantity over the parameter, stable parts
 * solid, unstable ones dashed, special points marked; below it the table of the branches. */
import type { Analysis } from './analysis';
import { backboneCurves } from './backbone';
import { isBranches, isBranchText, quantities, readBranches, specials, type Branch, type BranchSet } from './branch_data';
import { branchSummary, branchTable } from './branch_table';
import { nameOf } from '../channels';
import { largestOf } from '../chart';
import { valuesOf, type Column, type Group, type Report } from '../data';
import { el, uniqueId } from '../dom';
import { extreme, figure, numberIn, word, type FigureMaker, type KeyFigure } from '../figure';
import { number, plural } from '../format';
import { Loop, type Curve } from '../loop';
import type { Mark } from '../marks';
import { curveOverlay, styleIn, type Member, type Overlaid } from '../overlay';
import { hasSurface, surfaceView } from './surface';
import { quantity } from '../tables';
import { lineStyle, rampStyle, type LineStyle } from '../theme';
import { storedUnit } from '../units';

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

/* Backbones of the file, where the response is over the angular frequency. */
function backbones(set: BranchSet, y: Column, others: Group[]): Curve[] {
  const { x } = set;
  if (storedUnit(x.unit) !== 'rad/s' || !x.stats) return [];
  return backboneCurves(others, y, [x.stats.min, x.stats.max], largestOf([valuesOf(y)]));
}

function branchView(group: Group, set: BranchSet, others: Group[]): HTMLElement {
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

/* ---- key figures, comparisons ---------------------------------------------------------------------------------- */

function peak(of: string, group: Group): KeyFigure[] {
  const set = readBranches(group);
  const y = quantities(set.table)[0];
  const best = y ? extreme(valuesOf(y)) : null;
  return y && best ? figure(of, `largest ${nameOf(y)}`, best.value, y.unit, { at: `at ${nameOf(set.x)} ${quantity(valuesOf(set.x)[best.i]!, set.x.unit)}` }) : [];
}

const figures: FigureMaker = (group) => {
  if (!isBranches(group)) return [];
  const of = group.kind === 'statics' ? 'Equilibria' : 'Response';
  const set = readBranches(group);
  const kinds = Array.from(set.kind);
  const special = specials.map((s) => ({ s, n: kinds.filter((k) => k === s.kind).length })).filter((e) => e.n);
  const unstable = set.branches.filter((b) => b.rows.some((r) => set.unstable(r) === true)).length;
  const missed = numberIn(group, 'stability.differs');
  return [
    ...peak(of, group),
    ...word(of, 'branches', plural(set.branches.length, 'branch', 'branches'), { at: unstable ? `${unstable} with unstable parts` : 'stable throughout' }),
    ...word(of, 'special points', special.map((e) => `${e.n} ${e.n === 1 ? e.s.one : e.s.many}`).join(', ')),
    ...figure(of, 'confirmed by integration', numberIn(group, 'confirmed'), '', { at: `of ${numberIn(group, 'verified')}${missed ? `; stability differs at ${missed}` : ''}`, warn: !!missed }),
  ];
};

function branchOverlay(members: Member[]): HTMLElement[] {
  const sets = members.map((m) => ({ m, set: readBranches(m.group) }));
  const names = [...new Set(sets.flatMap(({ set }) => quantities(set.table).map((c) => c.name)))];
  return curveOverlay(names.flatMap((name): Overlaid[] => {
    const own = sets.map((s) => ({ ...s, y: quantities(s.set.table).find((c) => c.name === name) })).filter((s) => s.y);
    if (own.length < 2) return [];
    const y = own[0]!.y!;
    return [{ name: nameOf(y), x: { name: nameOf(own[0]!.set.x), unit: own[0]!.set.x.unit }, y: { name: nameOf(y), unit: y.unit }, curves: () => own.flatMap(({ m, set, y: c }) =>
      set.branches.map((b) => ({ name: `${m.file}, ${b.name}`, group: m.file, hint: m.file, x: b.rows.map((r) => valuesOf(set.x)[r]!), y: b.rows.map((r) => valuesOf(c!)[r]!),
        style: styleIn(m.index, 0), dashed: b.rows.map((r) => set.unstable(r) === true) }))) }];
  }));
}

const shared = {
  shown: (what: 'text' | 'array', name: string): boolean => what === 'text' && isBranchText(name),
  ownNumbers: true,
  view: (report: Report, group: Group): HTMLElement[] => {
    const set = readBranches(group);
    return [branchSummary(group, set), branchView(group, set, report.groups)];
  },
  overlay: branchOverlay,
};

export const branches: Analysis = { kind: 'response', recognise: isBranches, figures: [figures], ...shared };

/* Equilibria over a parameter. */
export const equilibria: Analysis = { kind: 'statics', recognise: isBranches, ...shared };
