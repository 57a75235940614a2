/* continuum.ts — a pushbelt variator as a continuum: its operating point along the belt, maps over ratio and torque, slip curve, shifting. */
import type { Analysis } from '../../analyses/analysis';
import { Chart, Link, type Line } from '../../chart';
import type { MapAxis, Overlay } from '../../colour_map';
import { contourLines, type Point } from '../../contours';
import { valuesOf, type ArrayData, type Group, type Values } from '../../data';
import { el } from '../../dom';
import { arrayIn, extreme, figure, numberIn, share, textIn, word, type FigureMaker, type KeyFigure } from '../../figure';
import { number, short } from '../../format';
import { mapView, type MapQuantity } from '../../map_view';
import { sheet } from '../../sheet';
import { quantity } from '../../tables';
import { lower, sectionNames, upper } from './names';
import { lineStyle, theme } from '../../theme';

/* ---- what the quantities are called --------------------------------------------------------------------------------------- */

interface Word {
  name: string;
  caption: string;
  percent?: boolean;
}

const axisWords: Record<string, Word> = {
  ratio: { name: 'ratio', caption: 'radius of the belt on the secondary divided by that on the primary, at the ring' },
  torque: { name: 'torque on the secondary', caption: 'negative torques brake' },
  torque_ratio: { name: 'torque ratio', caption: 'torque on the primary divided by the largest torque that the clamping force can transmit by friction; its reciprocal is the safety factor' },
  thrust_ratio: { name: 'thrust ratio', caption: 'clamping force of the primary divided by that of the secondary' },
};

const groups: [string, Record<string, Word>][] = [
  ['Ratios and power', {
    thrust_ratio: { name: 'thrust ratio', caption: 'clamping force of the primary divided by that of the secondary that keeps the ratio' },
    speed_ratio: { name: 'speed ratio', caption: 'speed of the primary divided by that of the secondary' },
    efficiency: { name: 'efficiency', caption: 'power out divided by power in; flanks, rings and elements only', percent: true },
    'torque.primary': { name: 'torque on the primary', caption: 'with all losses' },
    'torque_ratio.reached': { name: 'torque ratio', caption: axisWords['torque_ratio']!.caption },
    'speed.secondary': { name: 'speed of the secondary', caption: 'at the given speed of the primary' },
    loss: { name: 'power loss', caption: 'all losses of the contacts' },
  }],
  ['Forces', {
    'force.primary': { name: 'clamping force of the primary', caption: 'that keeps the ratio' },
    'push.upper': { name: 'push force, upper strand', caption: 'compression of the elements in the upper strand' },
    'push.lower': { name: 'push force, lower strand', caption: 'compression of the elements in the lower strand' },
    'ring.upper': { name: 'ring tension, upper strand', caption: 'all rings of both packs' },
    'ring.lower': { name: 'ring tension, lower strand', caption: 'all rings of both packs' },
    'ring.share': { name: 'torque share of the rings', caption: 'part of the torque that the rings transmit; the elements transmit the rest', percent: true },
    endplay: { name: 'endplay', caption: 'sum of the gaps between the elements under load' },
    prestress: { name: 'prestress', caption: 'push force in both strands when there is no endplay left' },
  }],
  ['Limits', {
    'torque.limit': { name: 'torque limit', caption: 'torque on the secondary at which macro slip begins' },
    'torque.transition': { name: 'transition torque', caption: 'torque on the secondary at which both strands push with the same force' },
  }],
  ['Slip', {
    'slip.creep': { name: 'slip by creep', caption: 'creep of the elements through the grooves', percent: true },
    'slip.chain': { name: 'slip by compression', caption: 'strain of the compressed elements', percent: true },
    'slip.gaps': { name: 'slip by gaps', caption: 'gaps between the elements in one arc; the sign changes with the strand that pushes', percent: true },
    'ring.slip': { name: 'slip of the rings', caption: 'on the elements of the smaller pulley' },
  }],
  ['Losses by contact', {
    'loss.longitudinal.primary': { name: 'flanks, longitudinal: primary', caption: 'friction along the belt' },
    'loss.radial.primary': { name: 'flanks, radial: primary', caption: 'friction along the generatrix of the sheaves' },
    'loss.longitudinal.secondary': { name: 'flanks, longitudinal: secondary', caption: 'friction along the belt' },
    'loss.radial.secondary': { name: 'flanks, radial: secondary', caption: 'friction along the generatrix of the sheaves' },
    'loss.ends.primary': { name: 'flanks, entry and exit: primary', caption: 'friction as elements sink in and come out; compliant flanks' },
    'loss.ends.secondary': { name: 'flanks, entry and exit: secondary', caption: 'friction as elements sink in and come out; compliant flanks' },
    'loss.ring': { name: 'rings on saddles, friction', caption: 'friction between rings and saddles' },
    'loss.chain': { name: 'flanks, strain and gaps', caption: 'sliding of the flanks that comes from strain and gaps of the elements' },
  }],
  ['Sheaves', {
    'spiral.primary': { name: 'spiral running, primary', caption: 'largest minus smallest radius in the arc' },
    'spiral.secondary': { name: 'spiral running, secondary', caption: 'largest minus smallest radius in the arc' },
    'tilt.primary': { name: 'tilt, primary', caption: 'amplitude of the groove angle around the pulley' },
    'tilt.secondary': { name: 'tilt, secondary', caption: 'amplitude of the groove angle around the pulley' },
    'minimum.primary': { name: 'smallest radius, primary', caption: 'part of the arc after which the radius is smallest' },
    'minimum.secondary': { name: 'smallest radius, secondary', caption: 'part of the arc after which the radius is smallest' },
    'entry.primary': { name: 'direction of slip at the entry, primary', caption: 'along the generatrix: -1 is inward, 1 outward; compliant flanks' },
    'entry.secondary': { name: 'direction of slip at the entry, secondary', caption: 'along the generatrix: -1 is inward, 1 outward; compliant flanks' },
    'radius.primary': { name: 'running radius, primary', caption: 'of the rocking edges' },
    'radius.secondary': { name: 'running radius, secondary', caption: 'of the rocking edges' },
  }],
];

const words = new Map(groups.flatMap(([group, of]) => Object.entries(of).map(([name, w]) => [name, { ...w, group }] as const)));
const wordOf = (a: ArrayData): Word & { group: string } => words.get(a.name) ?? { name: a.long_name || a.name, caption: a.long_name || a.name, group: 'Others' };

/* ---- grids ---------------------------------------------------------------------------------------------------------------- */

interface Grid {
  x: ArrayData; /* the ratio */
  y: ArrayData;
  n: [number, number];
}

const gridArrays = (group: Group): ArrayData[] => group.arrays.filter((a) => a.dims.length === 2 && !a.omitted);

function gridOf(group: Group): Grid | null {
  const of = gridArrays(group)[0];
  const [x, y] = [of?.axes[0], of?.axes[1]].map((name) => (name ? arrayIn(group, name) : undefined));
  return x && y ? { x, y, n: [of!.dims[0]!, of!.dims[1]!] } : null;
}

function columnsOf(a: ArrayData, { n }: Grid, factor = 1): Values[] {
  const v = valuesOf(a);
  return Array.from({ length: n[0] }, (_r, i) => Float64Array.from({ length: n[1] }, (_t, k) => factor * v[i * n[1] + k]!));
}

const axis = (a: ArrayData): MapAxis => ({ name: axisWords[a.name]?.name ?? a.long_name, unit: a.unit, values: valuesOf(a) });

const states = ['', 'macro slip on the primary', 'macro slip on the secondary', 'no solution found'];

/* Torque on the secondary at a point of the grid; NaN: not known there. A result has it by the power that passes. */
function torqueAt(group: Group, grid: Grid): (i: number, k: number) => number {
  const y = valuesOf(grid.y);
  if (grid.y.name === 'torque') return (_i, k) => y[k]!;
  const [efficiency, torque, speed] = ['efficiency', 'torque.primary', 'speed_ratio'].map((n) => arrayIn(group, n));
  if (!efficiency || !torque || !speed) return () => NaN;
  const [e, m, s] = [valuesOf(efficiency), valuesOf(torque), valuesOf(speed)];
  return (i, k) => {
    const at = i * grid.n[1] + k;
    const in_ = m[at]! * s[at]!;
    return e[at]! > 0 ? (in_ > 0 ? -e[at]! * in_ : -in_ / e[at]!) : NaN;
  };
}

/* Where a torque lies on the ordinate, for each ratio: beyond 0 on either side (sign 1 or -1). */
function lineAt(group: Group, grid: Grid, name: string, sign: 1 | -1): number[] | null {
  const a = arrayIn(group, name);
  if (!a) return null;
  const [v, y, torque] = [valuesOf(a), valuesOf(grid.y), torqueAt(group, grid)];
  const direct = grid.y.name === 'torque';
  const found = Array.from({ length: grid.n[0] }, (_r, i) => {
    let [best, miss] = [NaN, Infinity];
    for (let k = 0; k < grid.n[1]; k++) {
      const at = direct ? v[i * grid.n[1] + k]! : (v[i * grid.n[1] + k]! * y[k]!) / torque(i, k);
      /* It depends on the load a little: that of the nearest point counts. */
      if (Number.isFinite(at) && Math.sign(at) === sign && Math.abs(at - y[k]!) < miss) [best, miss] = [at, Math.abs(at - y[k]!)];
    }
    return best;
  });
  return found.some(Number.isFinite) ? found : null;
}

/* ---- the map -------------------------------------------------------------------------------------------------------------- */

interface Limit {
  sign: 1 | -1;
  at: number[]; /* on the ordinate, for each ratio */
}

const limitsOf = (group: Group, grid: Grid): Limit[] => ([1, -1] as const).flatMap((sign) => {
  const at = lineAt(group, grid, 'torque.limit', sign);
  return at ? [{ sign, at }] : [];
});

/* Between the values of a line over the ratio. */
function between(xs: Values, at: number[], x: number): number {
  let i = 0;
  while (i + 2 < xs.length && xs[i + 1]! <= x) i++;
  const share = Math.min(1, Math.max(0, (x - xs[i]!) / (xs[i + 1]! - xs[i]!)));
  return at[i]! + share * (at[i + 1]! - at[i]!);
}

function limitOverlay(xs: Values, limits: Limit[], ends: [number, number]): Overlay[] {
  const near = limits.filter(({ sign, at }) => at.some((v) => sign * v < sign * ends[sign > 0 ? 1 : 0]));
  if (!near.length) return [];
  return [{
    entry: { name: 'macro slip', hint: 'beyond the torque limit a pulley slips under the whole belt: there is no stationary operation', style: { colour: () => theme().text, dash: undefined }, rest: '' },
    draw: (map, u) => near.forEach(({ sign, at }) => {
      const line = at.flatMap((v, i): Point[] => (Number.isFinite(v) ? [map.at(u, xs[i]!, v)] : []));
      const far = ends[sign > 0 ? 1 : 0] + sign * (ends[1] - ends[0]);
      if (line.length < 2) return;
      const [first, last] = [line[0]!, line[line.length - 1]!];
      const edge = map.at(u, xs[0]!, far).y;
      map.hatch(u, [...line, { x: last.x, y: edge }, { x: first.x, y: edge }]);
      map.stroke(u, [line], [], 2.4);
      map.names(u, [{ text: 'torque limit', points: line }]);
    }),
  }];
}

function transitionOverlay(group: Group, grid: Grid): Overlay[] {
  const xs = valuesOf(grid.x);
  const y = valuesOf(grid.y);
  const lines = ([1, -1] as const).flatMap((sign) => {
    const at = lineAt(group, grid, 'torque.transition', sign);
    return at && at.some((v) => v > y[0]! && v < y[y.length - 1]!) ? [at] : [];
  });
  if (!lines.length) return [];
  return [{
    entry: { name: 'transition torque', hint: 'both strands push with the same force', style: { colour: () => theme().text, dash: [6, 4] }, rest: '' },
    draw: (map, u) => lines.forEach((at) => {
      const points = at.flatMap((v, i): Point[] => (Number.isFinite(v) ? [map.at(u, xs[i]!, v)] : []));
      map.stroke(u, [points], [6, 4], 1.8);
    }),
  }];
}

/* Of a result without torque limits: where the state changes. */
function stateOverlay(group: Group, grid: Grid): Overlay[] {
  const a = arrayIn(group, 'slides');
  if (!a) return [];
  const lines = contourLines(valuesOf(grid.x), valuesOf(grid.y), columnsOf(a, grid).map((c) => Array.from(c, (v) => Math.min(1, v))), 0.5);
  return lines.length ? [{ entry: { name: 'macro slip begins', hint: 'beyond this line a pulley slips under the whole belt', style: { colour: () => theme().text, dash: undefined }, rest: '' },
    draw: (map, u) => map.stroke(u, lines.map((l) => l.map((p) => map.at(u, p.x, p.y))), [], 2.4) }] : [];
}

/* As in the table of words; what is not in it comes last. */
const rankOf = (group: string): number => (groups.findIndex(([g]) => g === group) + groups.length + 1) % (groups.length + 1);

const quantitiesOf = (group: Group, grid: Grid): MapQuantity[] => gridArrays(group)
  .filter((a) => a.name !== 'slides' && !(a.name === 'torque_ratio.reached' && grid.y.name === 'torque_ratio') && Array.from(valuesOf(a)).some(Number.isFinite))
  .map((a) => ({ a, w: wordOf(a) }))
  .map(({ a, w }) => ({ name: w.name, caption: w.caption, unit: w.percent ? '%' : a.unit, group: w.group, columns: () => columnsOf(a, grid, w.percent ? 100 : 1) }))
  .sort((p, q) => rankOf(p.group) - rankOf(q.group));

const axisNote = (a: ArrayData): string => {
  const w = axisWords[a.name];
  return w ? `${w.name.charAt(0).toUpperCase()}${w.name.slice(1)}: ${w.caption}.` : '';
};

function mapBody(_report: unknown, group: Group): HTMLElement[] {
  const grid = gridOf(group);
  if (!grid) return [];
  const [xs, ys] = [valuesOf(grid.x), valuesOf(grid.y)];
  const limits = limitsOf(group, grid);
  const slides = arrayIn(group, 'slides');
  const state = (x: number, y: number): string => {
    const [i, k] = [xs, ys].map((list, d) => Array.from(list).reduce((best, v, at) => (Math.abs(v - [x, y][d]!) < Math.abs(list[best]! - [x, y][d]!) ? at : best), 0)) as [number, number];
    const near = [[i, k], [i, k + 1], [i, k - 1]].map(([p, q]) => (slides && q! >= 0 && q! < grid.n[1] ? valuesOf(slides)[p! * grid.n[1] + q!]! : 0)).find((v) => v > 0);
    return states[near ?? 0] || 'no value';
  };
  const within = (x: number, y: number): boolean => limits.every(({ sign, at }) => !(sign * y > sign * between(xs, at, x)));
  const macro = limits.length ? limitOverlay(xs, limits, [ys[0]!, ys[ys.length - 1]!]) : stateOverlay(group, grid);
  const transition = transitionOverlay(group, grid);
  return [mapView({
    x: axis(grid.x), y: axis(grid.y), quantities: quantitiesOf(group, grid), ...(limits.length ? { within } : {}), none: state,
    overlays: [...macro, ...transition],
    notes: [axisNote(grid.x), axisNote(grid.y), transition.length ? 'Dashed: transition torque, at which both strands push with the same force.' : '', macro.length && limits.length ? 'Hatched: macro slip.' : ''].filter(Boolean).join(' '),
  })];
}

const at = (text: string[]): string => text.filter(Boolean).join(', ');

/* Extreme values over the points that hold. */
function extremes(title: string, group: Group, grid: Grid, name: string, label: string, sign: 1 | -1): KeyFigure[] {
  const a = arrayIn(group, name);
  const best = a ? extreme(valuesOf(a), sign) : null;
  if (!best) return [];
  const place = at([`ratio ${short(valuesOf(grid.x)[Math.floor(best.i / grid.n[1])]!, 3)}`, `${axisWords[grid.y.name]?.name ?? grid.y.name} ${quantity(valuesOf(grid.y)[best.i % grid.n[1]]!, grid.y.unit, 3)}`]);
  return words.get(name)?.percent ? share(title, label, best.value, { at: place }) : figure(title, label, best.value, a!.unit, { at: place });
}

const mapFigures: FigureMaker = (group) => {
  const grid = group.kind === 'continuum-map' ? gridOf(group) : null;
  if (!grid) return [];
  const title = 'Map';
  const [xs, ys] = [valuesOf(grid.x), valuesOf(grid.y)];
  const limits = limitsOf(group, grid).filter((l) => ys[l.sign > 0 ? ys.length - 1 : 0]! * l.sign > 0);
  const sliding = numberIn(group, 'points.sliding') ?? 0;
  const slip = limits.flatMap(({ sign, at: list }) => {
    const least = extreme(list.map((v) => sign * v), -1);
    if (!least) return [];
    const ratio = grid.y.name === 'torque_ratio';
    const a = arrayIn(group, 'torque.limit')!;
    const torque = extreme(Array.from({ length: grid.n[1] }, (_v, k) => valuesOf(a)[least.i * grid.n[1] + k]!).filter((v) => Number.isFinite(v)).map(Math.abs))?.value ?? NaN;
    const reached = sliding > 0;
    const side = limits.length > 1 ? `macro slip, ${(sign > 0) === ratio ? 'braking' : 'driving'} torque` : 'macro slip';
    return word(title, side, `above ${ratio ? `torque ratio ${short(least.value, 3)}` : quantity(least.value, 'N m', 4)}`, {
      at: at([`at ratio ${short(xs[least.i]!, 3)}${ratio ? `: ${quantity(torque, 'N m', 4)} on the secondary` : ''}`, reached ? `${short(sliding)} of ${short(grid.n[0] * grid.n[1])} points` : 'beyond this map']), warn: reached });
  });
  const range = arrayIn(group, 'thrust_ratio');
  const [low, high] = range ? [extreme(valuesOf(range), -1), extreme(valuesOf(range), 1)] : [null, null];
  return [
    ...(slip.length ? slip : word(title, 'macro slip', sliding > 0 ? `${short(sliding)} points` : 'none on this map', { warn: sliding > 0 })),
    ...(low && high ? word(title, 'thrust ratio', `${number(low.value, 4)} … ${number(high.value, 4)}`, { at: `ratio ${short(xs[Math.floor(low.i / grid.n[1])]!, 3)} … ${short(xs[Math.floor(high.i / grid.n[1])]!, 3)}` }) : []),
    ...extremes(title, group, grid, 'efficiency', 'best efficiency', 1),
    ...extremes(title, group, grid, 'loss', 'largest loss', 1),
  ];
};

/* ---- the slip curve ------------------------------------------------------------------------------------------------------- */

interface SlipCurve {
  torque: number[]; /* N m, by size, ascending */
  order: number[];
  brakes: boolean; /* torques are negative */
  limit: number;
  transition: number; /* NaN: none on this side */
}

function slipCurveOf(group: Group): SlipCurve | null {
  const a = arrayIn(group, 'torque.secondary');
  if (!a || !arrayIn(group, 'slip')) return null;
  const raw = Array.from(valuesOf(a));
  const brakes = raw.every((v) => v <= 0);
  const one = brakes || raw.every((v) => v >= 0);
  const size = raw.map((v) => (brakes ? -v : v));
  const order = size.map((_v, k) => k).sort((p, q) => size[p]! - size[q]!);
  const by = (name: string): number => (numberIn(group, name) ?? NaN) * (brakes ? -1 : 1);
  const transition = by('transition');
  return { torque: order.map((k) => size[k]!), order, brakes, limit: by('limit'), transition: one && !(transition > 0) ? NaN : transition };
}

/* The jump of the slip where the strand that pushes changes: between neighbouring points, minus what it rises by itself. */
function stepOf(group: Group, c: SlipCurve): number {
  const v = valuesOf(arrayIn(group, 'slip')!);
  const slip = c.order.map((k) => v[k]!);
  const i = c.torque.findIndex((t, k) => t < c.transition && c.torque[k + 1]! >= c.transition);
  return i < 1 || i + 2 >= slip.length ? NaN : slip[i + 1]! - slip[i]! - (slip[i]! - slip[i - 1]! + slip[i + 2]! - slip[i + 1]!) / 2;
}

function stepText(group: Group, c: SlipCurve): string {
  const step = stepOf(group, c);
  if (!Number.isFinite(step)) return '';
  const gaps = arrayIn(group, 'endplay');
  const i = c.torque.findIndex((t) => t >= c.transition);
  const endplay = gaps ? valuesOf(gaps)[c.order[Math.max(0, i)]!]! : NaN;
  return `The step of ${number(100 * step, 2)} % at the transition torque (${quantity(c.transition, 'N m', 3)}) comes from the gaps between the elements` +
    `${Number.isFinite(endplay) ? ` (endplay ${quantity(endplay, 'm', 2)})` : ''}. They collect in the arc that the slack strand, which does not push, runs into. Below the transition torque the lower strand pushes ` +
    'and the gaps are in the arc of the secondary; above it the upper strand pushes and they are in the arc of the primary. Gaps in an arc make its pulley run ahead of the elements. ' +
    'The continuum moves all of them at once, so its step is an upper bound of the measured or simulated one.';
}

function charts(group: Group, c: SlipCurve, list: { title: string; y: string; percent?: boolean; of: [string, string][] }[]): HTMLElement[] {
  const link = new Link();
  const last = c.torque[c.torque.length - 1]!;
  const inside = [c.transition, c.limit].map((v) => (v > c.torque[0]! && v < last ? v : NaN));
  const names = [...(Number.isFinite(inside[0]) ? ['lower strand pushes', 'upper strand pushes'] : ['']), ...(Number.isFinite(inside[1]) ? ['macro slip'] : [])];
  const ends = [c.torque[0]!, ...inside.filter(Number.isFinite) as number[], last];
  return list.flatMap(({ title, y, percent, of }, n) => {
    const known = of.flatMap(([name, text]) => (arrayIn(group, name) ? [{ a: arrayIn(group, name)!, text }] : []));
    if (!known.length) return [];
    const host = el('div');
    const lines: Line[] = known.map(({ a, text }, i) => ({ name: text, hint: a.long_name || text, values: c.order.map((k) => (percent ? 100 : 1) * valuesOf(a)[k]!), style: lineStyle(/upper/.test(a.name) ? upper : /lower/.test(a.name) ? lower : i), ...(n === 0 ? { width: 2 } : {}) }));
    new Chart({ x: { name: c.brakes ? 'load torque on the secondary' : 'torque on the secondary', unit: 'N m', values: c.torque }, y: { name: y, unit: percent ? '%' : known[0]!.a.unit }, lines, height: n === 0 ? 340 : 240,
      title, link, sections: { names, ends } }, host);
    return [host];
  });
}

function slipBody(_report: unknown, group: Group): HTMLElement[] {
  const c = slipCurveOf(group);
  if (!c) return [];
  const drawn = charts(group, c, [
    { title: 'Slip vs torque', y: 'slip', percent: true, of: [['slip', 'slip']] },
    { title: 'Push force in the strands vs torque', y: 'push force', of: [['push.upper', 'upper strand'], ['push.lower', 'lower strand']] },
    { title: 'Ring tension vs torque', y: 'ring tension', of: [['ring.upper', 'upper strand'], ['ring.lower', 'lower strand']] },
    { title: 'Thrust ratio vs torque', y: 'thrust ratio', of: [['thrust_ratio', 'thrust ratio']] },
    { title: 'Efficiency vs torque', y: 'efficiency', percent: true, of: [['efficiency', 'efficiency']] },
  ]);
  const reference = numberIn(group, 'reference');
  const limit = Number.isFinite(c.limit) ? `Macro slip begins at ${quantity(c.limit, 'N m', 4)}${c.limit > c.torque[c.torque.length - 1]! ? ', beyond the last point' : ''}.` : '';
  const text = stepText(group, c);
  return [
    el('p.hint', {}, `Slip: speed ratio divided by that without torque${reference === null ? '' : ` (${number(reference, 5)})`}, minus 1. ${limit}`),
    ...drawn.slice(0, 1), ...(text ? [el('p', {}, text)] : []), el('div.tiles', {}, ...drawn.slice(1)),
  ];
}

const slipFigures: FigureMaker = (group) => {
  const c = group.kind === 'continuum-slip' ? slipCurveOf(group) : null;
  if (!c) return [];
  const title = 'Slip curve';
  const v = Array.from(valuesOf(arrayIn(group, 'slip')!));
  const most = extreme(v.map(Math.abs));
  const step = stepOf(group, c);
  return [
    ...(most ? share(title, 'largest slip by creep', v[most.i]!, { digits: 3, at: `at ${quantity(c.torque[c.order.indexOf(most.i)]!, 'N m', 4)}` }) : []),
    ...figure(title, 'macro slip above', c.limit, 'N m', { digits: 4, at: 'torque on the secondary' }),
    ...figure(title, 'transition torque', c.transition, 'N m', { digits: 3, at: Number.isFinite(step) ? `slip steps by ${number(100 * step, 2)} %` : 'both strands push with the same force' }),
  ];
};

/* ---- shifting ------------------------------------------------------------------------------------------------------------- */

function shiftBody(_report: unknown, group: Group): HTMLElement[] {
  const grid = gridOf(group);
  const rate = arrayIn(group, 'rate');
  if (!grid || !rate) return [];
  const of = (name: string): number[] => (arrayIn(group, name) ? Array.from(valuesOf(arrayIn(group, name)!)) : []);
  const [ratios, thrusts] = [Array.from(valuesOf(grid.x)), valuesOf(grid.y)];
  const equilibrium = of('equilibrium');
  const table = sheet('Shifting at each ratio', 'Ratio', ratios.map((v) => short(v)), [
    { head: 'Equilibrium thrust ratio', unit: '', values: equilibrium }, { head: 'Gain', unit: '1/s', values: of('gain') }, { head: 'Shift constant', unit: '', values: of('constant') }]);
  const note = el('p.hint', {}, 'Rate: change of the ratio per second; positive rates increase the ratio (towards underdrive). Gain: change of the rate per unit of ln(thrust ratio) at the equilibrium. ' +
    'Shift constant: the same, divided by speed of the primary and mean tilt of the sheaves. No value: beyond the creep mode.');
  if (ratios.length < 3) return [rateCurves(group, grid, rate), table, note];
  const still: Overlay[] = equilibrium.length ? [{ entry: { name: 'equilibrium', hint: 'the ratio stays', style: { colour: () => theme().text, dash: undefined }, rest: '' },
    draw: (map, u) => {
      const line = equilibrium.flatMap((v, i): Point[] => (Number.isFinite(v) && v >= thrusts[0]! && v <= thrusts[thrusts.length - 1]! ? [map.at(u, ratios[i]!, v)] : []));
      map.stroke(u, [line], [], 2.6);
      map.names(u, [{ text: 'equilibrium', points: line }]);
    } }] : [];
  return [
    mapView({ x: axis(grid.x), y: { ...axis(grid.y) }, quantities: [{ name: 'rate of the ratio', caption: 'how fast the ratio changes under a thrust ratio; zero on the line of equilibrium', unit: rate.unit, group: 'Shifting', columns: () => columnsOf(rate, grid) }],
      overlays: still, none: () => 'no value: beyond the creep mode', notes: `${axisNote(grid.x)} ${axisNote(grid.y)}` }),
    rateCurves(group, grid, rate), table, note,
  ];
}

/* One line for each ratio: what a controller sees. */
function rateCurves(_group: Group, grid: Grid, rate: ArrayData): HTMLElement {
  const host = el('div');
  const columns = columnsOf(rate, grid);
  const ratios = valuesOf(grid.x);
  const step = Math.max(1, Math.ceil(columns.length / 8));
  const chosen = columns.map((_c, i) => i).filter((i) => i % step === 0);
  new Chart({ x: { name: 'thrust ratio', unit: '', values: valuesOf(grid.y) }, y: { name: 'rate of the ratio', unit: rate.unit }, height: 320, title: 'Rate of the ratio vs thrust ratio, one line for each ratio',
    lines: chosen.map((i, n) => ({ name: `ratio ${short(ratios[i]!, 3)}`, hint: `ratio ${short(ratios[i]!)}`, values: columns[i]!, style: lineStyle(n), plain: true })) }, host);
  return host;
}

const shiftFigures: FigureMaker = (group) => {
  const e = group.kind === 'continuum-shift' ? arrayIn(group, 'equilibrium') : undefined;
  const [low, high] = e ? [extreme(valuesOf(e), -1), extreme(valuesOf(e), 1)] : [null, null];
  const ratios = arrayIn(group, 'ratio');
  return low && high && ratios ? word('Shifting', 'equilibrium thrust ratio', `${number(low.value, 4)} … ${number(high.value, 4)}`, {
    at: `ratio ${short(valuesOf(ratios)[low.i]!, 3)} … ${short(valuesOf(ratios)[high.i]!, 3)}` }) : [];
};

/* ---- one point ------------------------------------------------------------------------------------------------------------ */

const panels: { title: string; y: string; of: [string, string][] }[] = [
  { title: 'Push force and ring tension', y: 'force', of: [['push', 'push force'], ['ring_tension', 'ring tension']] },
  { title: 'Forces of one element on the sheaves', y: 'force', of: [['normal', 'normal force of a flank'], ['axial', 'axial force of a flank'], ['longitudinal', 'friction along the belt, both flanks']] },
  { title: 'Slip velocity of the flanks', y: 'velocity', of: [['slip', 'along the belt'], ['slip.radial', 'radial, outward positive']] },
  { title: 'Spiral running', y: 'radius minus its mean', of: [['spiral', 'radius minus its mean over the arc']] },
];

function pointCurves(group: Group): HTMLElement[] {
  const [x, section] = [arrayIn(group, 'along'), arrayIn(group, 'section')];
  if (!x) return [];
  const [xs, s] = [valuesOf(x), section ? valuesOf(section) : []];
  const ends = [xs[0]!, ...Array.from({ length: Math.max(0, s.length - 1) }, (_v, i) => i).filter((i) => s[i + 1] !== s[i]).map((i) => (xs[i]! + xs[i + 1]!) / 2), xs[xs.length - 1]!];
  const link = new Link();
  return panels.flatMap(({ title, y, of }) => {
    const known = of.flatMap(([name, text]) => (arrayIn(group, name) && Array.from(valuesOf(arrayIn(group, name)!)).some(Number.isFinite) ? [{ a: arrayIn(group, name)!, text }] : []));
    if (!known.length) return [];
    const host = el('div');
    new Chart({ x: { name: 'position along the belt', unit: 'm', values: xs }, y: { name: y, unit: known[0]!.a.unit }, height: 250, title, link,
      lines: known.map(({ a, text }, i) => ({ name: text, hint: a.long_name, values: valuesOf(a), style: lineStyle(i) })),
      ...(ends.length === 5 ? { sections: { names: sectionNames, ends } } : {}) }, host);
    return [host];
  });
}

function pointBody(_report: unknown, group: Group): HTMLElement[] {
  const rows = groups.map(([title, of]) => ({ title, rows: Object.entries(of).flatMap(([name, w]) => {
    const n = group.numbers.find((k) => k.name === name);
    return n && n.value !== null ? [{ w, text: w.percent ? `${number(100 * n.value, 4)} %` : quantity(n.value, n.unit, 4) }] : [];
  }) })).filter((g) => g.rows.length);
  const state = textIn(group, 'state');
  const curves = pointCurves(group);
  return [
    el('p.extent', {}, state === 'holds' ? 'No macro slip at this point.' : `State: ${state}.`),
    ...(curves.length ? [el('div.tiles', {}, ...curves)] : [el('p.hint', {}, 'With macro slip there are no curves along the belt.')]),
    el('details', {}, el('summary', {}, 'All quantities of this point'), ...rows.map((g) => sheet(g.title, 'Quantity', g.rows.map((r) => r.w.name), [{ head: 'Value', unit: '', texts: g.rows.map((r) => r.text) }, { head: 'What it is', unit: '', texts: g.rows.map((r) => r.w.caption) }]))),
  ];
}

export const continuum: Analysis[] = [
  { kind: 'continuum', view: pointBody, ownNumbers: true, gaps: true },
  { kind: 'continuum-map', view: mapBody, ownNumbers: true, gaps: true, figures: [mapFigures] },
  { kind: 'continuum-slip', view: slipBody, ownNumbers: true, gaps: true, figures: [slipFigures] },
  { kind: 'continuum-shift', view: shiftBody, ownNumbers: true, gaps: true, figures: [shiftFigures] },
];
