/* orders.ts — forced response of a belt drive to the orders of its crank, vs crank speed.
 *
 * The table has for each channel NAME.mean, .sum (of the amplitudes), .min, .max, and NAME.order.K.amplitude and .phase. */
import type { Analysis } from '../../analyses/analysis';
import { ordersFigures } from './belt_figures';
import { ordersWarnings } from './belt_warnings';
import { nameOf } from '../../channels';
import { Chart, largestOf, type Line } from '../../chart';
import { columnOf, valuesOf, type Column, type Group, type Values } from '../../data';
import { el, uniqueId } from '../../dom';
import { plural, short } from '../../format';
import { sheet } from '../../sheet';
import { figureList, quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';
import { shaftSpeed } from '../../units';

const amplitude = /^(.+)\.order\.([^.]+(?:\.\d+)?)\.amplitude$/;

const isOrders = (group: Group): boolean =>
  group.kind === 'orders' && !!group.table && group.table.thinned !== 'columns' && group.table.columns.some((c) => amplitude.test(c.name));

interface Channel {
  name: string;
  long: string;
  unit: string;
  orders: { order: number; values: Values }[];
  mean: Values | null;
  low: Values | null;
  high: Values | null;
  sum: Values | null;
}

/* Tensions first, then the arm, then what turns. */
const rank = (name: string): number => (/^span\..*\.tension$/.test(name) ? 0 : /^arm\.angle/.test(name) ? 1 : /^pulley\..*\.(speed|torque)$/.test(name) ? 2 : 3);

function channelsOf(group: Group): Channel[] {
  const table = group.table!;
  const byName = new Map<string, Column[]>();
  for (const c of table.columns) {
    const name = amplitude.exec(c.name)?.[1];
    if (name) byName.set(name, [...(byName.get(name) ?? []), c]);
  }
  return [...byName].map(([name, columns]): Channel => ({
    name,
    long: nameOf(columns[0]!).replace(/^amplitude of order \S+ of (the )?/, ''),
    unit: columns[0]!.unit,
    orders: columns.map((c) => ({ order: Number(amplitude.exec(c.name)![2]), values: valuesOf(c) })),
    mean: columnOf(table, `${name}.mean`), low: columnOf(table, `${name}.min`), high: columnOf(table, `${name}.max`), sum: columnOf(table, `${name}.sum`),
  })).map((c, i) => ({ c, i })).sort((a, b) => rank(a.c.name) - rank(b.c.name) || a.i - b.i).map(({ c }) => c);
}

const most = (values: Values): number => {
  let best = -1;
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i]!) && (best < 0 || values[i]! > values[best]!)) best = i;
  return best;
};

const rpm = (speed: number): string => `${short((speed * 30) / Math.PI)} rpm`;

/* "largest tension ripple 152 N, order 2 at 789 rpm, in the span that leaves crank" */
function ordersSummary(group: Group): HTMLElement {
  const speed = valuesOf(group.table!.columns[0]!);
  const list = channelsOf(group);
  const figure = (title: string, match: RegExp): { name: string; value: string; at: string }[] => {
    const found = list.filter((c) => match.test(c.name)).flatMap((c) => c.orders.map((o) => ({ c, o, i: most(o.values) }))).filter((f) => f.i >= 0)
      .sort((a, b) => b.o.values[b.i]! - a.o.values[a.i]!)[0];
    if (!found) return [];
    const value = found.o.values[found.i]!;
    return [{ name: title, value: quantity(value, found.c.unit), at: `order ${short(found.o.order)} at ${rpm(speed[found.i]!)}, ${found.c.long}` }];
  };
  return el('div', {},
    el('p.extent', {}, `${list.length} channels, orders ${[...new Set(list.flatMap((c) => c.orders.map((o) => o.order)))].map((o) => short(o)).join(', ')}, ` +
      `${speed.length} speeds from ${rpm(speed[0]!)} to ${rpm(speed[speed.length - 1]!)}`),
    figureList([...figure('largest amplitude of a tension', /^span\..*\.tension$/), ...figure('of the arm', /^arm\.angle$/), ...figure('of a torque', /^pulley\..*\.torque$/)]), slackHint(list, speed));
}

/* A belt cannot push: where the linear response would let it, amplitudes are too large. */
function slackHint(list: Channel[], speed: Values): HTMLElement | null {
  const slack = Array.from(speed, (_s, i) => i).filter((i) => list.some((c) => /^span\..*\.tension$/.test(c.name) && (c.low?.[i] ?? 0) < 0));
  if (!slack.length) return null;
  return el('p.hint.warn', {}, `Between ${rpm(speed[slack[0]!]!)} and ${rpm(speed[slack[slack.length - 1]!]!)} the linear response takes tensions below 0 at ` +
    `${plural(slack.length, 'speed')}: the belt would be slack there for a part of each period, and the amplitudes are not those of the drive.`);
}

class OrdersView {
  readonly root: HTMLElement;
  private host = el('div');
  private charts: Chart[] = [];
  private all: Channel[];

  constructor(private group: Group) {
    this.all = channelsOf(group);
    const id = uniqueId('channel');
    const box = el('select', { id }, ...this.all.map((c, i) => el('option', { value: i }, c.long)));
    box.addEventListener('change', () => this.draw(this.all[Number(box.value)]!));
    this.root = el('div.response', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), box)), this.host);
    requestAnimationFrame(() => this.draw(this.all[0]!));
  }

  private draw(c: Channel): void {
    for (const chart of this.charts) chart.destroy();
    const speed = valuesOf(this.group.table!.columns[0]!);
    const x = { name: 'crank speed', unit: shaftSpeed, values: speed };
    const lines: Line[] = c.orders.map((o, i) => ({ name: `order ${short(o.order)}`, hint: `amplitude of order ${short(o.order)} of ${c.long}`, values: o.values, style: lineStyle(i), width: 2 }));
    if (c.sum && c.orders.length > 1)
      lines.push({ name: 'sum', hint: 'sum of the amplitudes: the most that it can swing', values: c.sum, style: { colour: () => theme().muted, dash: [6, 4] }, plain: true });
    const band: Line[] = [
      { name: 'largest', values: c.high }, { name: 'mean', values: c.mean }, { name: 'smallest', values: c.low },
    ].flatMap((l, i) => (l.values ? [{ name: l.name, hint: `${l.name} ${c.long}`, values: l.values, style: lineStyle(i), width: 1.75 }] : []));
    this.charts = [new Chart({ x, y: { name: 'amplitude', unit: c.unit }, lines, height: 380, title: `Amplitude: ${c.long}` }, this.host)];
    if (band.length) this.charts.push(new Chart({ x, y: { name: '', unit: c.unit }, lines: band, height: 260, title: `Mean, smallest and largest value: ${c.long}` }, this.host));
  }
}

/* Of each channel and order: the largest amplitude and where. One table a unit. */
function peakSheets(group: Group): HTMLElement {
  const speed = valuesOf(group.table!.columns[0]!);
  const list = channelsOf(group);
  const units = [...new Set(list.map((c) => c.unit))];
  return el('div', {}, ...units.map((unit) => {
    const rows = list.filter((c) => c.unit === unit);
    const orders = [...new Set(rows.flatMap((c) => c.orders.map((o) => o.order)))].sort((a, b) => a - b);
    const find = (c: Channel, order: number): { value: number; speed: number } => {
      const o = c.orders.find((k) => k.order === order);
      const i = o ? most(o.values) : -1;
      return i < 0 ? { value: NaN, speed: NaN } : { value: o!.values[i]!, speed: speed[i]! };
    };
    const scale = largestOf(rows.flatMap((c) => c.orders.map((o) => o.values)));
    return sheet('Largest amplitude, and the crank speed there', 'Channel', rows.map((c) => c.name), orders.flatMap((order) => [
      { head: `order ${short(order)}`, unit, values: rows.map((c) => find(c, order).value), scale: scale || undefined },
      { head: 'at', unit: shaftSpeed, values: rows.map((c) => find(c, order).speed) },
    ]));
  }));
}

const ordersView = (group: Group): HTMLElement[] => [new OrdersView(group).root,
  el('details', {}, el('summary', {}, 'Largest amplitudes of all channels'), peakSheets(group))];

export const orders: Analysis = {
  kind: 'orders', recognise: isOrders, gaps: true, compared: { first: /^span\.[^.]+\.tension\.sum$/ }, figures: [ordersFigures], warnings: [ordersWarnings],
  view: (_report, group) => [ordersSummary(group), ...ordersView(group)], channels: true,
};
