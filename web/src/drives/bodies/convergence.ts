/* convergence.ts — viscoelastic contacts against ideal rolling (src/drives/bodies/convergence/convergence.c): errors over epsilon on logarithmic
 * axes, one line a damping ratio, with the slope that the theory predicts and the floor of the computation. */
import type { Analysis } from '../../analyses/analysis';
import { Chart, type Line } from '../../chart';
import { valuesOf, type Column, type Group, type Table, type Values } from '../../data';
import { el } from '../../dom';
import { figure, valuesIn, type FigureMaker } from '../../figure';
import { number, plural, short } from '../../format';
import { textTable, written } from '../../tables';
import { familyStyle, theme } from '../../theme';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

const kinds = ['position', 'velocity', 'force'] as const;
const theory = 2; /* order of all errors behind the layer, docs/theory.md §20 */
const aboveFloor = 10; /* times the floor: from there on an error tells about orders, */
const small = 0.1; /* up to here */

const isConvergence = (group: Group): boolean =>
  group.kind === 'convergence' && !!group.table?.rows && ['epsilon', 'damping_ratio', ...kinds.map((k) => `${k}_error`)].every((n) => column(group.table!, n));

/* Texts that the summary tells. */
/* Of the oscillation in the layer, under the name that results of any version have. */
const frequencyColumn = (table: Table, end: string): Column | undefined => table.columns.find((c) => /^(angular_frequency|angular_frequency)/.test(c.name) && c.name.endsWith(end) && (end !== '' || !c.name.endsWith('_predicted')));

const isConvergenceText = (name: string): boolean => name === 'parameter' || name === 'method';

interface Ratio {
  value: number;
  index: number; /* among all ratios */
  rows: number[]; /* of the table, epsilon ascending */
}

function ratiosOf(table: Table): Ratio[] {
  const [epsilon, ratio] = [valuesOf(column(table, 'epsilon')!), valuesOf(column(table, 'damping_ratio')!)];
  const rows = Array.from(ratio, (_v, i) => i);
  return [...new Set(Array.from(ratio))].map((value, index) => ({
    value, index, rows: rows.filter((i) => ratio[i] === value).sort((a, b) => epsilon[a]! - epsilon[b]!),
  }));
}

const pick = (c: Column, rows: number[]): number[] => rows.map((i) => valuesOf(c)[i]!);
const ratioText = (r: Ratio): string => `damping ratio ${short(r.value)}`;

/* Fitted order of a kind of error, and how many values of epsilon it comes from. */
function orderOf(group: Group, kind: string, r: Ratio): { order: number; used: number } {
  const at = (name: string): number => {
    const array = group.arrays.find((a) => a.name === name && !a.omitted);
    return array ? valuesOf(array)[r.index] ?? NaN : NaN;
  };
  return { order: at(`order.${kind}`), used: at(`used.${kind}`) };
}

const orderText = (order: number): string => (Number.isFinite(order) ? `order ${order.toFixed(2)}` : 'no order');

/* The rows whose error is small and stands clear of the floor. */
function clear(table: Table, kind: string, r: Ratio): number[] {
  const [error, floor] = [valuesOf(column(table, `${kind}_error`)!), column(table, `${kind}_floor`)];
  return r.rows.filter((i) => error[i]! > (floor ? aboveFloor * valuesOf(floor)[i]! : 0) && error[i]! < small);
}

/* "0.9998 (7 of 9)" */
function orderCell(group: Group, kind: string, r: Ratio): string {
  const { order, used } = orderOf(group, kind, r);
  return Number.isFinite(order) ? `${order.toFixed(3)} (${used} of ${r.rows.length})` : '–';
}

/* How well the oscillation of the layer has the predicted angular frequency. */
function frequencyCell(table: Table, r: Ratio): string {
  const [measured, predicted] = [frequencyColumn(table, ''), frequencyColumn(table, '_predicted')];
  if (!measured || !predicted) return '–';
  const [a, b] = [pick(measured, r.rows), pick(predicted, r.rows)];
  if (!b.some(Number.isFinite)) return 'no oscillation';
  const off = a.map((v, i) => Math.abs(v / b[i]! - 1)).filter(Number.isFinite);
  return off.length ? `as predicted within ${number(Math.max(...off), 2)} (${off.length} of ${r.rows.length})` : 'decays within a period';
}

function orders(group: Group): HTMLElement {
  const table = group.table!;
  return textTable(['Damping ratio', 'Order of the position error', 'Order of the velocity error', 'Order of the force error', 'Angular frequency in the initial layer'],
    ratiosOf(table).map((r) => [short(r.value), ...kinds.map((k) => orderCell(group, k, r)), frequencyCell(table, r)]));
}

const range = (values: Values): string => {
  const list = Array.from(values).filter(Number.isFinite);
  return `${number(Math.min(...list), 2)} … ${number(Math.max(...list), 2)}`;
};

function convergenceSummary(group: Group): HTMLElement {
  const table = group.table!;
  const parameter = group.texts.find((t) => t.name === 'parameter')?.value ?? 'epsilon';
  const epsilons = new Set(Array.from(valuesOf(column(table, 'epsilon')!)));
  const n = ratiosOf(table).length;
  return el('div', {}, el('p', {}, `Viscoelastic contacts compared with ideal rolling at ${plural(epsilons.size, 'value')} of ${parameter} ` +
    `(${range([...epsilons])}) and ${plural(n, 'damping ratio')}. Orders of convergence after the initial layer; theory: ${theory}.`), orders(group));
}

/* A parallel to what the theory predicts, a third below the errors of the ratio with the most of them. */
function slope(table: Table, kind: string): Line[] {
  const best = ratiosOf(table).map((r) => clear(table, kind, r)).sort((a, b) => b.length - a.length)[0] ?? [];
  if (best.length < 2) return [];
  const [epsilon, error] = [pick(column(table, 'epsilon')!, best), pick(column(table, `${kind}_error`)!, best)];
  const level = Math.min(...error.map((e, i) => e / epsilon[i]! ** theory)) / 3;
  const ends = [epsilon[0]!, epsilon[epsilon.length - 1]!];
  return [{ name: `slope ${theory}`, hint: 'what the theory predicts', x: ends, values: ends.map((e) => level * e ** theory),
    style: { colour: () => theme().text, dash: [6, 4] }, width: 1.25, plain: true }];
}

/* Numerical error of the computation, the largest of all ratios. */
function floor(table: Table, kind: string, epsilons: number[]): Line[] {
  const c = column(table, `${kind}_floor`);
  if (!c) return [];
  const epsilon = valuesOf(column(table, 'epsilon')!);
  const values = epsilons.map((e) => Math.max(...Array.from(valuesOf(c)).filter((v, i) => epsilon[i] === e && Number.isFinite(v))));
  return [{ name: 'floor', hint: c.long_name, values, style: { colour: () => theme().muted, dash: [2, 3] }, width: 1.5, plain: true }];
}

interface Tile {
  column: string;
  title: string;
  y: string;
  kind?: string; /* of error behind the layer, with order, slope and floor */
  linear?: boolean;
}

const behind: Tile[] = [
  ...kinds.map((kind) => ({ kind, column: `${kind}_error`, title: kind === 'force' ? 'Contact force' : kind.charAt(0).toUpperCase() + kind.slice(1), y: 'relative error' })),
  { column: 'constraint_velocity', title: 'Slip velocity, zero in ideal rolling', y: 'velocity' },
];

const within: Tile[] = [
  { column: 'layer_position_error', title: 'Position', y: 'relative error' },
  { column: 'layer_velocity_error', title: 'Velocity', y: 'relative error' },
  { column: 'layer_force_error', title: 'Contact force', y: 'relative error' },
  { column: 'layer_constraint_velocity', title: 'Slip velocity, zero in ideal rolling', y: 'velocity' },
  { column: 'steps', title: 'Time steps of the whole motion', y: 'steps' },
];

/* Whether two lines can hardly be told apart at most places. */
function coincide(a: Line, b: Line): boolean {
  const both = Array.from(a.x!, (x, i) => [a.values[i]!, b.values[Array.from(b.x!).indexOf(x)] ?? NaN] as const).filter(([u, v]) => u > 0 && v > 0);
  return both.length > 1 && both.filter(([u, v]) => Math.abs(Math.log(u / v)) < 0.15).length > both.length / 2;
}

/* Lines on each other as strands of a rope: each is seen between the dashes of those above it. */
function twist(lines: Line[]): void {
  const n = lines.length;
  lines.forEach((line, i) => {
    line.width = 2;
    if (i > 0) line.style = { ...line.style, dash: [10 * (n - i), 10 * i] };
  });
}

function drawTile(group: Group, tile: Tile, host: HTMLElement): void {
  const table = group.table!;
  const c = column(table, tile.column);
  if (!c?.stats) return;
  const ratios = ratiosOf(table);
  const epsilons = [...new Set(Array.from(valuesOf(column(table, 'epsilon')!)))].sort((a, b) => a - b);
  const lines: Line[] = ratios.flatMap((r, i) => {
    const values = pick(c, r.rows);
    if (!values.some((v) => v > 0)) return [];
    const order = tile.kind ? orderText(orderOf(group, tile.kind, r).order) : '';
    return [{ name: ratioText(r), hint: c.long_name, x: pick(column(table, 'epsilon')!, r.rows), values, style: familyStyle(i, ratios.length), note: order }];
  });
  if (lines.some((a, i) => lines.some((b, k) => k > i && coincide(a, b)))) twist(lines);
  const beside = tile.kind ? [...slope(table, tile.kind), ...floor(table, tile.kind, epsilons)] : [];
  const frame = el('div');
  host.append(frame);
  new Chart({
    x: { name: 'epsilon', unit: '', values: epsilons },
    y: { name: tile.y, unit: c.unit },
    lines: [...lines, ...beside],
    height: 320,
    title: tile.title,
    logX: true,
    logY: true,
  }, frame);
}

/* Ratios without an error behind their layer. */
function unsettled(table: Table): HTMLElement | null {
  const error = column(table, 'position_error')!;
  const rest = ratiosOf(table).map((r) => ({ r, n: pick(error, r.rows).filter((v) => !Number.isFinite(v)).length })).filter(({ n }) => n > 0);
  if (!rest.length) return null;
  return el('p.hint', {}, `No error after the initial layer, because the layer lasts too long compared with the run: ${rest.map(({ r, n }) =>
    `${ratioText(r)} at ${n === r.rows.length ? 'every epsilon' : plural(n, 'value') + ' of epsilon'}`).join(', ')}.`);
}

function convergenceView(group: Group): HTMLElement[] {
  const table = group.table!;
  const main = el('div.tiles');
  const layer = el('div.tiles');
  const fold = el('details', {}, el('summary', {}, 'Errors within the initial layer, and the number of time steps'), layer);
  requestAnimationFrame(() => behind.forEach((tile) => drawTile(group, tile, main)));
  fold.addEventListener('toggle', () => within.forEach((tile) => drawTile(group, tile, layer)), { once: true });
  return [
    el('h3', {}, 'Errors after the initial layer vs epsilon'),
    el('p.hint', {}, 'Floor: numerical error of the computation, from the difference of two runs with different tolerances. ' +
      `Orders are fitted to the errors between ${aboveFloor} times the floor and ${small}.`),
    main, ...[unsettled(table)].filter((n): n is HTMLElement => n !== null), fold,
    el('details', {}, el('summary', {}, 'All rows'), written(table.columns.map((c) => ({ ...c, long_name: '', values: valuesOf(c) })))),
  ];
}

const figures: FigureMaker = (group) => {
  if (!isConvergence(group)) return [];
  const title = 'Convergence';
  return ['position', 'velocity', 'force'].flatMap((kind) => {
    const values = valuesIn(group, `order.${kind}`);
    return values && Number.isFinite(values[0]!) ? figure(title, `order of the ${kind} error`, values[0]!, '', { digits: 4, at: `fitted over ${number(valuesIn(group, `decades.${kind}`)?.[0] ?? NaN, 2)} decades` }) : [];
  });
};

export const convergence: Analysis = {
  kind: 'convergence', recognise: isConvergence, gaps: true, figures: [figures], ownNumbers: true,
  shown: (what, name) => what === 'text' && isConvergenceText(name),
  view: (_report, group) => [convergenceSummary(group), ...convergenceView(group)],
};
