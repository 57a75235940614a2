/* waterfall.ts — short-time spectra of a channel one beside the other, over time or over a speed: the colour map of a run-up, with
 * the orders of a shaft as lines. */
import uPlot from 'uplot';
import { largestOf, type Link } from './chart';
import { ColourMap } from './colour_map';
import { nameOf } from './panels';
import { valuesOf, type Column, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { amplitudes, evenStep, windowOf } from './fft';
import { number, short } from './format';
import { drawLabels } from './marks';
import { check, choice, firstOf, speedChannels, wholeRows } from './spectrum';
import { quantity } from './tables';
import { theme } from './theme';
import { displayUnit, shaftSpeed } from './units';

const leastColumns = 8;
const columnsWanted = 400; /* more where parts would not overlap by half */
const decades = 3; /* of a logarithmic colour, below the largest amplitude */

export interface Stft {
  at: number[]; /* s: middle of each part of the time */
  frequency: number[]; /* Hz */
  amplitude: Float64Array[]; /* for each part, at each frequency */
  length: number; /* s of a part */
}

/* Parts of n rows with Hann's window, at least half over each other. */
export function stftOf(time: Values, values: Values, first: number, last: number, n: number): Stft | null {
  const step = evenStep(time, first, last);
  if (step === null || last - first < n + leastColumns) return null;
  for (let i = first; i < last; i++) if (!Number.isFinite(values[i]!)) return null;
  const stride = Math.max(1, Math.min(Math.floor(n / 2), Math.ceil((last - first - n) / columnsWanted)));
  const weights = windowOf('hann', n);
  let size = 1;
  while (size < 2 * n) size *= 2;
  const at: number[] = [];
  const amplitude: Float64Array[] = [];
  for (let i = first; i + n <= last; i += stride) {
    at.push(time[i]! + ((n - 1) / 2) * step);
    amplitude.push(amplitudes(values, i, weights, size));
  }
  return { at, frequency: Array.from({ length: size / 2 }, (_v, k) => k / (size * step)), amplitude, length: n * step };
}

/* Mean of a channel around each instant, over the length of a part. */
function meanAround(time: Values, values: Values, at: number[], length: number): number[] {
  let [a, b, sum] = [0, 0, 0];
  return at.map((t) => {
    while (b < time.length && time[b]! <= t + length / 2) sum += values[b++]!;
    while (a < b && time[a]! < t - length / 2) sum -= values[a++]!;
    return b > a ? sum / (b - a) : NaN;
  });
}

const monotone = (v: number[]): boolean => {
  const sign = Math.sign(v[v.length - 1]! - v[0]!);
  return sign !== 0 && v.every((x, i) => i === 0 || sign * (x - v[i - 1]!) > 0);
};

interface Spectra {
  x: { name: string; unit: string; values: number[] }; /* ascending */
  frequency: number[];
  columns: Float64Array[];
  name: string;
  unit: string; /* of the amplitudes */
  speed: number[] | null; /* rad/s of the shaft at each column */
  orders: number[];
  log: boolean;
  whole: boolean; /* all frequencies, rather than those of the orders */
  caption: string;
}

/* Where the amplitudes have ended, with some room above. */
function highest(frequency: number[], columns: Float64Array[]): number {
  const most = largestOf(columns) || 1;
  let top = 1;
  for (const column of columns)
    for (let k = column.length - 1; k > top; k--)
      if (column[k]! > 0.004 * most) {
        top = k;
        break;
      }
  return frequency[Math.min(frequency.length - 1, Math.ceil(1.15 * top))]!;
}

/* What is seen first: the orders at the fastest speed, with some room above; no more than there is. */
function seenFirst({ frequency, columns, speed, orders, whole }: Spectra): number {
  const there = highest(frequency, columns);
  const top = speed && orders.length ? (1.3 * Math.max(...orders) * Math.max(...speed.filter(Number.isFinite))) / (2 * Math.PI) : Infinity;
  return whole ? frequency[frequency.length - 1]! : top > 4 * frequency[1]! ? Math.min(there, top) : there;
}

function drawOrders(map: ColourMap, u: uPlot, { orders, speed, x }: Spectra): void {
  const { left, top, width, height } = u.bbox;
  const ratio = uPlot.pxRatio;
  const labels = orders.map((order) => {
    const points = x.values.map((v, i) => map.at(u, v, (order * speed![i]!) / (2 * Math.PI)));
    map.stroke(u, [points], [7, 5]);
    const seen = points.filter((p) => p.x > left + 4 && p.x < left + width - 4 && p.y > top + 12 * ratio && p.y < top + height - 4);
    return { text: `order ${short(order)}`, colour: theme().text, at: [0.9, 0.75, 0.6, 0.45, 0.3, 0.15].map((s) => seen[Math.floor(s * seen.length)]!).filter(Boolean) };
  });
  drawLabels(u.ctx, labels, [], [], { x: left, y: top, width, height }, ratio);
}

function waterfallMap(data: Spectra, host: HTMLElement): ColourMap {
  const { x, frequency, columns, speed, orders } = data;
  const xUnit = displayUnit(x.unit, largestOf([x.values]));
  return new ColourMap({
    x, columns, y: { name: 'frequency', unit: 'Hz', values: frequency, seen: [0, seenFirst(data)] },
    value: { name: 'amplitude', unit: data.unit }, what: `amplitude of ${data.name} vs ${x.name} and frequency`, caption: data.caption,
    ...(data.log ? { decades } : {}),
    ...(speed && orders.length ? { overlays: [{
      entry: { name: 'orders', hint: 'multiples of the shaft speed', style: { colour: () => theme().muted, dash: [6, 4] }, rest: orders.map((o) => short(o)).join(', ') },
      draw: (map, u) => drawOrders(map, u, data),
    }] } : {}),
    pointText: (i, k) => `${x.name} ${number(x.values[i]! / xUnit.size, 5)} ${xUnit.text}, ${quantity(frequency[k]!, 'Hz')}${speed && speed[i]! > 0.1 ? ` (order ${number((2 * Math.PI * frequency[k]!) / speed[i]!, 3)})` : ''}`,
    notes: [`amplitudes are those of ${data.name}`],
  }, host);
}

class WaterfallView {
  readonly root: HTMLDetailsElement;
  private host = el('div');
  private map: ColourMap | null = null;
  private channel: Column;
  private channels: Column[];
  private speeds: Column[];
  private shaft: Column | null;
  private over = 'time';
  private rows: number;
  private log = true;
  private orders = [1, 2, 4, 6];
  private whole = false;

  constructor(private source: Table, private note: string, private link: Link, shown: Column[], shaft?: string, orders: number[] = []) {
    this.channels = source.columns.slice(1).filter((c) => c.stats);
    this.channel = firstOf(this.channels, shown);
    this.speeds = speedChannels(this.channels, shaft);
    this.shaft = this.speeds[0] ?? null;
    if (this.shaft && changes(this.shaft)) this.over = 'speed';
    if (orders.length) this.orders = [...new Set([1, ...orders, 2 * Math.max(...orders), 3 * Math.max(...orders)])].sort((a, b) => a - b).slice(0, 12);
    const n = source.rows;
    const pace = evenStep(valuesOf(source.columns[0]!)) ?? 1;
    /* Long enough to tell the orders of the shaft from each other, short beside the run. */
    const turn = this.shaft ? (2 * Math.PI) / Math.abs(this.shaft.stats!.mean) / pace : 0;
    this.rows = 2 ** Math.max(5, Math.min(13, Math.round(Math.log2(Math.max(n / 12, Math.min(n / 4, 3 * turn))))));
    const names = (list: Column[]): [string, string][] => list.map((c, i) => [String(i), c.name]);
    const lengths = [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192].filter((k) => k <= n / 2);
    const step = evenStep(valuesOf(source.columns[0]!)) ?? 0;
    const text = el('input', { id: uniqueId('orders'), type: 'text', size: 10, value: this.orders.join(', ') });
    text.addEventListener('change', () => {
      this.orders = text.value.split(/[\s,;]+/).map(Number).filter((v) => v > 0 && Number.isFinite(v)).slice(0, 24);
      this.draw();
    });
    this.root = el('details.waterfall', { open: this.over === 'speed' }, el('summary', {}, 'Waterfall: spectra in the course of the run'),
      el('div.toolbar', {},
        choice('Channel', names(this.channels), String(this.channels.indexOf(this.channel)), (v) => ((this.channel = this.channels[Number(v)]!), this.draw())),
        choice('Over', [['time', 'time'], ...(this.speeds.length ? [['speed', 'shaft speed'] as [string, string]] : [])], this.over, (v) => ((this.over = v), this.draw())),
        this.speeds.length ? choice('Shaft', names(this.speeds), String(this.speeds.indexOf(this.shaft!)), (v) => ((this.shaft = this.speeds[Number(v)]!), this.draw())) : null,
        this.speeds.length ? el('span.field', {}, el('label', { for: text.id }, 'Orders'), text) : null,
        choice('Window', lengths.map((k) => [String(k), `${quantity(k * step, 's', 3)}, lines ${quantity(1 / (k * step), 'Hz', 3)} apart`]), String(this.rows), (v) => ((this.rows = Number(v)), this.draw())),
        this.speeds.length ? choice('Frequencies', [['orders', 'those of the orders'], ['all', 'all']], 'orders', (v) => ((this.whole = v === 'all'), this.draw())) : null,
        check('logarithmic colours', this.log, (on) => ((this.log = on), this.draw()))), this.host);
    this.root.addEventListener('toggle', () => this.draw());
    link.onRange(() => this.draw());
    requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    if (!this.root.open) return;
    this.map?.destroy();
    this.map = null;
    this.host.replaceChildren();
    const time = valuesOf(this.source.columns[0]!);
    const [first, last] = this.link.rows(time);
    const found = stftOf(time, valuesOf(this.channel), first, last, this.rows);
    if (!found || found.at.length < leastColumns)
      return void this.host.append(el('p.hint', {}, `The plots show ${last - first} rows here: too few for this window, or not evenly spaced. Choose a shorter window or show more. ${this.note}`));
    const speed = this.shaft ? meanAround(time, valuesOf(this.shaft), found.at, found.length).map(Math.abs) : null;
    const said = [`Short-time spectra of ${nameOf(this.channel)}, Hann window of ${quantity(found.length, 's', 3)}`];
    let x = { name: 'time', unit: 's', values: found.at };
    let columns = found.amplitude;
    let turning = speed;
    if (this.over === 'speed' && speed) {
      if (monotone(speed)) {
        const order = speed.map((_v, i) => i);
        if (speed[0]! > speed[speed.length - 1]!) order.reverse();
        x = { name: nameOf(this.shaft!), unit: shaftSpeed, values: order.map((i) => speed[i]!) };
        columns = order.map((i) => found.amplitude[i]!);
        turning = x.values;
      } else said.push('drawn over time, because the speed goes up and down in this window');
    }
    if (this.note) said.push(this.note.replace(/^From/, 'from').replace(/\.$/, ''));
    this.map = waterfallMap({ x, frequency: found.frequency, columns, name: this.channel.name, unit: this.channel.unit, speed: turning, orders: this.orders, log: this.log, whole: this.whole, caption: said.join('; ') }, this.host);
  }
}

/* Whether a speed goes up or down enough to be called a run-up. */
const changes = (c: Column): boolean => !!c.stats && c.stats.max - c.stats.min > 0.25 * Math.max(Math.abs(c.stats.max), Math.abs(c.stats.min)) && Math.abs(c.stats.last - c.stats.first) > 0.6 * (c.stats.max - c.stats.min);

/* Any channel of a table over time. Open where a shaft runs up or down, made when it is opened elsewhere. */
export function waterfallView(table: Table, link: Link, shown: Column[], shaft?: string, orders?: number[]): HTMLElement | null {
  const { source, note } = wholeRows(table);
  const [x] = table.columns;
  if (!source || !x || x.unit !== 's' || source.rows < 256 || !source.columns.slice(1).some((c) => c.stats) || evenStep(valuesOf(source.columns[0]!)) === null) return null;
  return new WaterfallView(source, note, link, shown, shaft, orders).root;
}
