/* stationary_figures.ts — stationary points drawn: figures over a parameter or over cases with their standard errors and the
 * continuum for comparison, and the course over time of one point at a time. */
import type { Analysis } from '../../analyses/analysis';
import { channelView, plottable, type ChannelOptions } from '../../channels';
import { Chart, type Line } from '../../chart';
import { asColumn, valuesOf, type ArrayData, type Group, type Table, type Values } from '../../data';
import { el, uniqueId } from '../../dom';
import { arrayIn, textIn } from '../../figure';
import { curveOverlay, styleIn, type Member, type Overlaid } from '../../overlay';
import { nameOf } from '../../panels';
import { lower, primary, secondary, upper } from './names';
import { efficiencies, errorName, interval, isStationary, stationaryLosses, stationaryRank, stationaryTable } from './stationary';
import { lineStyle } from '../../theme';
import { coarseNotice } from './variator';
import { stationaryPointFigures, stationaryWarnings } from './variator_figures';

const arrayOf = (group: Group, name: string): ArrayData | undefined => group.arrays.find((a) => a.name === name && !a.omitted);
const macroSlip = 2;
const failed = 3;

/* Where the points are drawn: places in ascending order, and which point is at each. */
interface Abscissa {
  name: string;
  unit: string;
  values: number[];
  order: number[];
  labels?: string[];
}

export const pointNames = (group: Group): string[] => (group.texts.find((t) => t.name === 'points')?.value ?? '').split('\n');

/* A torque that brakes is drawn by its size: engineers look at slip vs load. */
function abscissaOf(group: Group): Abscissa | null {
  const n = arrayOf(group, 'point.end')?.dims[0] ?? 0;
  if (n < 2) return null;
  const over = group.arrays.find((a) => a.name.startsWith('over.') && !a.omitted);
  if (!over) return { name: 'case', unit: '', values: Array.from({ length: n }, (_v, k) => k), order: Array.from({ length: n }, (_v, k) => k), labels: pointNames(group) };
  const raw = Array.from(valuesOf(over));
  const brakes = over.unit === 'N m' && raw.every((v) => v <= 0);
  const size = raw.map((v) => (brakes ? Math.abs(v) : v));
  const order = size.map((_v, k) => k).sort((a, b) => size[a]! - size[b]!);
  const path = over.name.slice(5);
  return { name: brakes ? `${path} (braking)` : path, unit: over.unit, values: order.map((k) => size[k]!), order };
}

/* Values of the points in the order of the abscissa; without those that have none to show. */
function ordered(group: Group, at: Abscissa, name: string, slipping: boolean): number[] | null {
  const a = arrayOf(group, name);
  if (!a) return null;
  const [values, end] = [/efficiency$/.test(name) ? efficiencies(group, name)! : valuesOf(a), valuesOf(arrayOf(group, 'point.end')!)];
  const out = at.order.map((k) => (end[k] === failed || (end[k] === macroSlip && !slipping) ? NaN : values[k]!));
  return out.some(Number.isFinite) ? out : null;
}

interface Curve {
  text: string;
  part?: number; /* of the belt: its colour */
  mean: string;
  error?: string;
  continuum?: string;
}

interface Figure {
  title: string;
  y: string;
  unit?: string;
  curves: Curve[];
}

const figures: Figure[] = [
  { title: 'Thrust ratio', y: 'thrust ratio i_F', curves: [{ text: 'elements', mean: 'mean.ratio.thrust', error: 'error.ratio.thrust', continuum: 'continuum.thrust_ratio' }] },
  { title: 'Speed ratio', y: 'speed ratio i_s', curves: [{ text: 'elements', mean: 'mean.ratio.speed', error: 'error.ratio.speed', continuum: 'continuum.speed_ratio' }] },
  { title: 'Efficiency', y: 'efficiency', curves: [{ text: 'elements', mean: 'figure.efficiency', error: 'figure.efficiency.error', continuum: 'continuum.efficiency' }] },
  { title: 'Push force in the strands', y: 'push force', curves: [
    { text: 'upper strand', part: upper, mean: 'mean.upper.push', error: 'error.upper.push', continuum: 'continuum.push.upper' },
    { text: 'lower strand', part: lower, mean: 'mean.lower.push', error: 'error.lower.push', continuum: 'continuum.push.lower' }] },
  { title: 'Ring tension in the strands', y: 'ring tension', curves: [
    { text: 'upper strand', part: upper, mean: 'mean.upper.tension', error: 'error.upper.tension', continuum: 'continuum.ring.upper' },
    { text: 'lower strand', part: lower, mean: 'mean.lower.tension', error: 'error.lower.tension', continuum: 'continuum.ring.lower' }] },
  { title: 'Idle arcs', y: 'angle', curves: [{ text: 'primary', part: primary, mean: 'figure.idle_pri' }, { text: 'secondary', part: secondary, mean: 'figure.idle_sec' }] },
  { title: 'Spiral running, peak to peak', y: 'radius', curves: [{ text: 'primary', part: primary, mean: 'figure.spiral_pri' }, { text: 'secondary', part: secondary, mean: 'figure.spiral_sec' }] },
  { title: 'Power lost', y: 'power', curves: [
    { text: 'flanks, longitudinal: primary', mean: 'mean.power.lost.flank.primary.longitudinal' }, { text: 'flanks, longitudinal: secondary', mean: 'mean.power.lost.flank.secondary.longitudinal' },
    { text: 'flanks, radial: primary', mean: 'mean.power.lost.flank.primary.radial' }, { text: 'flanks, radial: secondary', mean: 'mean.power.lost.flank.secondary.radial' },
    { text: 'rings on saddles, friction: primary', mean: 'mean.power.lost.ring.primary' }, { text: 'rings on saddles, friction: secondary', mean: 'mean.power.lost.ring.secondary' }] },
  { title: 'Endplay', y: 'endplay', curves: [{ text: 'gaps minus penetrations', mean: 'mean.belt.endplay', error: 'error.belt.endplay' }] },
];

const dashed = (i: number): Line['style'] => ({ ...lineStyle(i), dash: [6, 4] });

function linesOf(group: Group, at: Abscissa, f: Figure): { lines: Line[]; unit: string } {
  const lines: Line[] = [];
  let unit = f.unit ?? '';
  f.curves.forEach((c, i) => {
    const values = ordered(group, at, c.mean, false);
    if (!values) return;
    unit = arrayOf(group, c.mean)!.unit;
    const errors = ordered(group, at, c.error ?? errorName(c.mean), false)?.map((e) => interval * e) ?? null;
    const beside = c.continuum ? ordered(group, at, c.continuum, false) : null;
    /* of cases: larger dots of another colour, behind those of the means */
    const style = at.labels ? lineStyle((c.part === undefined ? i : c.part) + 4) : dashed(c.part ?? i);
    const continuum: Line[] = beside ? [{ name: `${c.text}, continuum`, hint: 'continuum under the same loads', values: beside, style, dots: at.labels ? 11 : false, plain: true }] : [];
    const mean: Line = { name: c.text, hint: `${c.text}: mean${errors ? ' with its 95 % interval' : ''}`, values, style: lineStyle(c.part ?? i), dots: !!at.labels, ...(errors ? { errors } : {}) };
    lines.push(...(at.labels ? [...continuum, mean] : [mean, ...continuum]));
  });
  return { lines, unit };
}

/* Speed ratio divided by that at the smallest torque, minus 1. Only along a torque that comes near to 0. */
function slipLines(group: Group, at: Abscissa): Line[] {
  const ratio = ordered(group, at, 'mean.ratio.speed', false);
  const error = ordered(group, at, 'error.ratio.speed', false);
  const [least, most] = [Math.min(...at.values.map(Math.abs)), Math.max(...at.values.map(Math.abs))];
  const first = at.values.findIndex((v) => Math.abs(v) === least);
  if (!ratio || at.unit !== 'N m' || !(least < 0.1 * most) || !(ratio[first]! > 0)) return [];
  const slip = ratio.map((v) => 100 * (v / ratio[first]! - 1));
  const errors = (error ?? []).map((e) => (100 * interval * e) / ratio[first]!);
  const line: Line = { name: 'slip', hint: 'speed ratio divided by that at the smallest torque, minus 1, with the 95 % interval', values: slip, style: lineStyle(0), ...(error ? { errors } : {}) };
  const beside = ordered(group, at, 'continuum.speed_ratio', false);
  return beside && beside[first]! > 0
    ? [line, { name: 'slip, continuum', hint: 'the same of the continuum', values: beside.map((v) => 100 * (v / beside[first]! - 1)), style: dashed(0), plain: true }] : [line];
}

/* Beyond the last point without macro slip. */
function slipSections(group: Group, at: Abscissa): { names: string[]; ends: number[] } | undefined {
  const end = valuesOf(arrayOf(group, 'point.end')!);
  const first = at.order.findIndex((k) => end[k] === macroSlip);
  if (at.labels || first <= 0 || at.order.slice(first).some((k) => end[k] !== macroSlip)) return undefined;
  return { names: ['', 'macro slip'], ends: [at.values[0]!, at.values[first - 1]!, at.values[at.values.length - 1]!] };
}

function chart(at: Abscissa, title: string, y: string, unit: string, lines: Line[], sections?: { names: string[]; ends: Values }): HTMLElement {
  const host = el('div');
  new Chart({ x: { name: at.name, unit: at.unit, values: at.values, ...(at.labels ? { labels: at.labels } : {}) }, y: { name: y, unit }, lines, height: 260, title, ...(sections ? { sections } : {}) }, host);
  return host;
}

/* Figures of a variator over the points; nothing where there is but one. */
function stationaryFigures(group: Group): HTMLElement[] {
  const at = abscissaOf(group);
  if (!at || !arrayOf(group, 'mean.ratio.thrust')) return [];
  const sections = slipSections(group, at);
  const slip = slipLines(group, at);
  const end = valuesOf(arrayOf(group, 'point.end')!);
  const names = pointNames(group);
  const left = at.order.filter((k) => end[k] === macroSlip).map((k) => names[k]!);
  const losses = stationaryLosses(group);
  const drawn = [
    ...(slip.length ? [chart(at, 'Slip', 'slip', '%', slip, sections)] : []),
    ...figures.map((f) => ({ f, ...linesOf(group, at, f) })).filter(({ lines }) => lines.length)
      .map(({ f, lines, unit }) => chart(at, f.title, f.y, unit, lines, sections)),
  ];
  const idle = efficiencies(group, 'figure.efficiency')?.some((v, k) => !Number.isFinite(v) && end[k] !== macroSlip && end[k] !== failed) ?? false;
  return [
    el('h3', {}, at.labels ? 'Comparison of the cases' : `Results vs ${at.name}`), el('div.tiles', {}, ...drawn),
    el('p.hint', {}, `Bars: 95 % intervals of the means.${group.arrays.some((a) => a.name.startsWith('continuum.')) ? ` ${at.labels ? 'Larger dots' : 'Dashed lines'}: continuum under the same loads.` : ''}` +
      (idle ? ' Points without torque transmit no power and have no efficiency.' : '') + (left.length ? ` Not drawn, because of macro slip: ${left.join(', ')}.` : '')),
    ...(losses ? [losses] : []),
  ];
}

/* ---- one point over time ------------------------------------------------------------------------------------------------ */

/* The rows of one point, from its own start; null where rows do not belong together any more. */
function courseOf(table: Table, k: number): Table | null {
  const point = table.columns.find((c) => c.name === 'point');
  if (!point || table.thinned === 'columns') return null;
  const of = valuesOf(point);
  const rows = Array.from({ length: of.length }, (_v, i) => i).filter((i) => of[i] === k);
  if (rows.length < 3) return null;
  const begin = valuesOf(table.columns[0]!)[rows[0]!]!;
  const columns = table.columns.filter((c) => c !== point).map((c, i) => {
    const values = valuesOf(c);
    return asColumn(i === 0 ? { ...c, long_name: 'time since the start of the point' } : c, Float64Array.from(rows, (r) => values[r]! - (i === 0 ? begin : 0)));
  });
  return { rows: rows.length, kept: rows.length, thinned: table.thinned, slots: table.slots, columns };
}

/* The course over time of one point, and a list to choose another. null: there is one course only, which is drawn as ever. */
function stationaryCourse(group: Group, options: ChannelOptions): HTMLElement | null {
  const names = pointNames(group);
  const table = group.table;
  if (!table || names.length < 2 || !names.some((_n, k) => courseOf(table, k))) return null;
  const id = uniqueId('point');
  const host = el('div');
  const list = el('select', { id }, ...names.map((n, k) => el('option', { value: String(k), ...(courseOf(table, k) ? {} : { disabled: true }) }, n)));
  const show = (): void => {
    const course = courseOf(table, Number(list.value));
    host.replaceChildren(...(course && plottable(course) ? [channelView(course, options)] : []));
  };
  list.value = String(names.findIndex((_n, k) => courseOf(table, k)));
  list.addEventListener('change', show);
  show();
  return el('div', {}, el('h3', {}, 'Course over time'), el('p', {}, el('label', { for: id }, 'Point '), list), host);
}

/* ---- beside other results ----------------------------------------------------------------------------------------- */

/* Over the parameter that all have, or over the number of the point. */
function stationaryOverlay(members: Member[]): HTMLElement[] {
  const over = members.map((m) => m.group.arrays.find((a) => a.name.startsWith('over.') && !a.omitted));
  const same = over.every((a) => a && a.name === over[0]?.name);
  const x = (i: number, n: number): Values => (same ? valuesOf(over[i]!) : Array.from({ length: n }, (_v, k) => k + 1));
  const names = members[0]!.group.arrays.filter((a) => /^(mean|figure)\./.test(a.name) && !a.omitted).map((a) => a.name);
  const interest = (n: string): number => (/^mean\.ratio\.|^figure\./.test(n) ? 0 : 1);
  return curveOverlay(names.sort((a, b) => interest(a) - interest(b)).flatMap((name): Overlaid[] => {
    const own = members.map((m, i) => ({ m, i, a: arrayIn(m.group, name) })).filter((e) => e.a);
    if (own.length < 2) return [];
    const a = own[0]!.a!;
    return [{ name: nameOf(a), x: { name: same ? over[0]!.name.slice(5) : 'point', unit: same ? over[0]!.unit : '' }, y: { name: nameOf(a), unit: a.unit }, curves: () => own.map(({ m, i, a: array }) => {
      const xs = Array.from(x(i, array!.dims[0]!));
      const order = xs.map((_v, k) => k).sort((p, q) => xs[p]! - xs[q]!);
      const points = textIn(m.group, 'points').split('\n');
      return { name: m.file, hint: m.file, x: order.map((k) => xs[k]!), y: order.map((k) => valuesOf(array!)[k]!), style: styleIn(m.index, 0), dots: !same, note: (k: number) => points[order[k]!] ?? '' };
    }) }];
  }));
}

export const stationary: Analysis = {
  kind: 'stationary', recognise: isStationary, lead: 4, ownClock: true, gaps: true, figures: [stationaryPointFigures], warnings: [stationaryWarnings],
  shown: (what, name) => what === 'text' && (name === 'points' || name === 'reasons' || name === 'continuum'),
  peaks: false, /* a table below the figures */
  plots: (group, around) => {
    const points = [...stationaryFigures(group), ...coarseNotice(group), stationaryTable(group)];
    const picture = (): HTMLElement[] => [around.picture()].filter((n): n is HTMLElement => n !== null);
    if (!plottable(group.table) || group.table.rows <= 3) return [...picture(), ...points];
    const { head: _head, ...course } = around.course();
    return [...picture(), ...points, stationaryCourse(group, course) ?? channelView(group.table, course)];
  },
  /* Of the points the figures are above; means, errors and extremes of every channel are for those who look for them. */
  arrays: { order: (a, b) => stationaryRank(a.name) - stationaryRank(b.name), drawn: 'All quantities vs point', written: 'All values of the points' },
  overlay: stationaryOverlay,
};
