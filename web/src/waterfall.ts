/* waterfall.ts — short-time spectra of a channel one beside the other, over time or over a speed: the colour map of a run-up, with
 * the orders of a shaft as lines. */
import uPlot from 'uplot';
import { largestOf, type Link } from './chart';
import { nameOf } from './panels';
import { valuesOf, type Column, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import type { CsvTable } from './export';
import { amplitudes, evenStep, windowOf } from './fft';
import { number, roundValues, short } from './format';
import { axes, Frame, Legend } from './frame';
import { moveCursor, showPlane, zoomed } from './plane';
import { drawLabels } from './marks';
import { check, choice, firstOf, speedChannels, wholeRows } from './spectrum';
import { quantity } from './tables';
import { mapColour, theme } from './theme';
import { displayUnit, shaftSpeed, withUnit, type DisplayUnit } from './units';

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

interface MapData {
  x: { name: string; unit: string; values: number[] }; /* ascending */
  frequency: number[];
  columns: Float64Array[];
  name: string;
  unit: string; /* of the amplitudes */
  speed: number[] | null; /* rad/s of the shaft at each column */
  orders: number[];
  log: boolean;
  caption: string;
}

/* The map itself. */
class WaterfallMap {
  readonly frame: Frame;
  private plot: uPlot;
  private legend: Legend;
  private xUnit: DisplayUnit;
  private yUnit: DisplayUnit;
  private unit: DisplayUnit;
  private most: number;
  private image: HTMLCanvasElement | null = null;
  private painted = ''; /* colours that the image has */
  private whole: { x: [number, number]; y: [number, number] };
  private lines = true;

  constructor(private data: MapData, host: HTMLElement) {
    const { x, frequency, columns } = data;
    this.most = largestOf(columns) || 1;
    this.xUnit = displayUnit(x.unit, largestOf([x.values]));
    this.yUnit = displayUnit('Hz', this.highest());
    this.unit = displayUnit(data.unit, this.most);
    const half = (x.values[x.values.length - 1]! - x.values[0]!) / (x.values.length - 1) / 2;
    this.whole = {
      x: [(x.values[0]! - half) / this.xUnit.size, (x.values[x.values.length - 1]! + half) / this.xUnit.size],
      y: [0, Math.min(this.highest(), frequency[frequency.length - 1]!) / this.yUnit.size],
    };
    this.frame = new Frame(440, `amplitude of ${data.name} over ${x.name} and frequency`, data.caption);
    host.append(this.frame.root);
    const grey = { colour: () => '#ffffff', dash: [6, 4] };
    this.legend = new Legend(data.speed && data.orders.length ? [{ name: 'orders', hint: 'multiples of the speed of the shaft', style: { ...grey, colour: () => theme().muted }, rest: data.orders.map((o) => short(o)).join(', ') }] : [],
      (_i, show) => ((this.lines = show), this.plot.redraw(false)));
    this.plot = new uPlot(this.describe(), [this.whole.x, [null, null]] as unknown as uPlot.AlignedData, this.frame.host);
    this.frame.attach(this.plot, this.legend, { move: (n) => this.move(n), zoom: (f) => this.zoom(f), reset: () => this.reset(), other: (n) => this.move(n, true) }, () => this.table());
    this.reset();
  }

  /* Where the amplitudes have ended, with some room above. */
  private highest(): number {
    const { frequency, columns } = this.data;
    let top = 1;
    for (const column of columns)
      for (let k = column.length - 1; k > top; k--)
        if (column[k]! > 0.004 * this.most) {
          top = k;
          break;
        }
    return frequency[Math.min(frequency.length - 1, Math.ceil(1.15 * top))]!;
  }

  private share(value: number): number {
    return this.data.log ? 1 + Math.log10(Math.max(value / this.most, 1e-300)) / decades : value / this.most;
  }

  private describe(): uPlot.Options {
    const fixed = { auto: false, range: (_u: uPlot, a: number, b: number): [number, number] => [a, b] };
    return {
      ...this.frame.size,
      padding: [10, 96, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, ...fixed }, y: fixed },
      axes: axes({ label: withUnit(this.data.x.name, this.xUnit) }, { label: withUnit('frequency', this.yUnit) }).map((a) => ({ ...a, grid: { show: false } })),
      series: [{}, { stroke: () => theme().text, points: { show: false } }],
      cursor: { drag: { x: true, y: true, dist: 4, uni: 30 }, points: { show: false }, bind: { dblclick: () => () => (this.reset(), null) } },
      hooks: {
        drawClear: [(u) => this.paint(u)], draw: [(u) => (this.drawOrders(u), this.drawBar(u))], setCursor: [(u) => this.hover(u)],
      },
    };
  }

  /* One pixel an amplitude, drawn large. Columns need not be evenly spaced: each is drawn on its own. */
  private picture(): HTMLCanvasElement {
    if (this.image && this.painted === theme().paper) return this.image;
    const { columns, frequency } = this.data;
    const image = document.createElement('canvas');
    [image.width, image.height] = [columns.length, frequency.length];
    const c = image.getContext('2d')!;
    const pixels = c.createImageData(image.width, image.height);
    columns.forEach((column, i) => {
      for (let k = 0; k < frequency.length; k++) {
        const [r, g, b] = mapColour(this.share(column[k]!));
        const at = 4 * ((frequency.length - 1 - k) * image.width + i);
        pixels.data.set([r, g, b, 255], at);
      }
    });
    c.putImageData(pixels, 0, 0);
    this.painted = theme().paper;
    return (this.image = image);
  }

  private paint(u: uPlot): void {
    const { x, frequency } = this.data;
    const { left, top, width, height } = u.bbox;
    const step = (frequency[1]! - frequency[0]!) / this.yUnit.size;
    const [low, high] = [u.valToPos(-step / 2, 'y', true), u.valToPos((frequency.length - 0.5) * step, 'y', true)];
    const image = this.picture();
    const n = x.values.length;
    const even = Math.abs(x.values[n - 1]! - x.values[0]! - (n - 1) * (x.values[1]! - x.values[0]!)) < 1e-3 * (x.values[n - 1]! - x.values[0]!);
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    u.ctx.imageSmoothingEnabled = false;
    if (even) {
      const [a, b] = this.whole.x.map((v) => u.valToPos(v, 'x', true)) as [number, number];
      u.ctx.drawImage(image, a, high, b - a, low - high);
    } else {
      const edge = (i: number): number => (i <= 0 ? 1.5 * x.values[0]! - 0.5 * x.values[1]! : i >= n ? 1.5 * x.values[n - 1]! - 0.5 * x.values[n - 2]! : (x.values[i - 1]! + x.values[i]!) / 2);
      const strip = document.createElement('canvas');
      [strip.width, strip.height] = [Math.max(1, Math.round(width)), image.height];
      const s = strip.getContext('2d')!;
      s.imageSmoothingEnabled = false;
      const at = (v: number): number => u.valToPos(v / this.xUnit.size, 'x', true) - left;
      for (let i = 0; i < n; i++) s.drawImage(image, i, 0, 1, image.height, Math.floor(at(edge(i))), 0, Math.ceil(at(edge(i + 1))) - Math.floor(at(edge(i))), image.height);
      u.ctx.drawImage(strip, left, high, strip.width, low - high);
    }
    u.ctx.restore();
  }

  private drawOrders(u: uPlot): void {
    const { speed, orders, x } = this.data;
    if (!speed || !this.lines || !this.plot) return;
    const { left, top, width, height } = u.bbox;
    const ratio = uPlot.pxRatio;
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    const labels = orders.map((order) => {
      const points = x.values.map((v, i) => ({ x: u.valToPos(v / this.xUnit.size, 'x', true), y: u.valToPos((order * speed[i]!) / (2 * Math.PI) / this.yUnit.size, 'y', true) }));
      /* Light on dark colours, with a dark edge for the light ones. */
      for (const [colour, wide] of [['rgba(0,0,0,0.75)', 2.8], ['rgba(255,255,255,1)', 1.3]] as const) {
        ctx.beginPath();
        points.forEach((p, i) => (i ? ctx.lineTo(p.x, p.y) : ctx.moveTo(p.x, p.y)));
        ctx.strokeStyle = colour;
        ctx.lineWidth = wide * ratio;
        ctx.setLineDash([7 * ratio, 5 * ratio]);
        ctx.stroke();
      }
      const seen = points.filter((p) => p.x > left + 4 && p.x < left + width - 4 && p.y > top + 12 * ratio && p.y < top + height - 4);
      return { text: `order ${short(order)}`, colour: theme().text, at: [0.9, 0.75, 0.6, 0.45, 0.3, 0.15].map((s) => seen[Math.floor(s * seen.length)]!).filter(Boolean) };
    });
    ctx.restore();
    drawLabels(ctx, labels, [], [], { x: left, y: top, width, height }, ratio);
  }

  /* Colours with their amplitudes, right of the map. */
  private drawBar(u: uPlot): void {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    const [x, wide] = [left + width + 16 * ratio, 14 * ratio];
    ctx.save();
    for (let i = 0; i < 64; i++) {
      const [r, g, b] = mapColour((i + 0.5) / 64);
      ctx.fillStyle = `rgb(${r},${g},${b})`;
      const [from, to] = [Math.round(top + height * (1 - (i + 1) / 64)), Math.round(top + height * (1 - i / 64))];
      ctx.fillRect(x, from, wide, to - from);
    }
    ctx.fillStyle = theme().muted;
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    const most = this.most / this.unit.size;
    const ticks = this.data.log ? Array.from({ length: decades + 1 }, (_v, i) => 10 ** (Math.floor(Math.log10(most)) - i)) : roundValues(0, most, 6);
    for (const v of ticks) {
      const share = this.share(v * this.unit.size);
      if (share < -1e-6 || share > 1) continue;
      const y = top + height * (1 - share);
      ctx.fillText(v === 0 ? '0' : short(v, 3), x + wide + 5 * ratio, y);
    }
    ctx.translate(x + wide + 52 * ratio, top + height / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = 'center';
    ctx.fillText(withUnit('amplitude', this.unit), 0, 0);
    ctx.restore();
  }

  private near(values: number[], at: number): number {
    let best = 0;
    values.forEach((v, i) => Math.abs(v - at) < Math.abs(values[best]! - at) && (best = i));
    return best;
  }

  private hover(u: uPlot): void {
    const { left = -1, top = -1 } = u.cursor;
    if (left < 0 || !this.plot) return this.legend.show();
    this.tell(this.near(this.data.x.values, u.posToVal(left, 'x') * this.xUnit.size), this.near(this.data.frequency, u.posToVal(top, 'y') * this.yUnit.size));
  }

  private tell(i: number, k: number): void {
    const { x, frequency, columns, speed, unit } = this.data;
    const order = speed ? (2 * Math.PI * frequency[k]!) / speed[i]! : null;
    const spoken = (v: number, of: string): string => quantity(v, of);
    this.legend.show(`${x.name} ${number(x.values[i]! / this.xUnit.size, 5)} ${this.xUnit.text}, ${spoken(frequency[k]!, 'Hz')}${order !== null ? ` (order ${number(order, 3)})` : ''}: ${spoken(columns[i]![k]!, unit)}`, ['']);
  }

  /* The cursor by keys, along the abscissa or along the frequencies. */
  private move(steps: number, upright = false): void {
    const { clientWidth: w, clientHeight: h } = this.plot.over;
    moveCursor(this.plot, upright ? 0 : steps * Math.max(1, w / 200), upright ? steps * Math.max(1, h / 100) : 0);
  }

  private zoom(factor: number): void {
    const [low, high] = zoomed(this.plot, 'y', factor);
    showPlane(this.plot, zoomed(this.plot, 'x', factor), [Math.max(0, low), high]);
  }

  private reset(): void {
    showPlane(this.plot, this.whole.x, this.whole.y);
  }

  /* One row a frequency, one column a spectrum. */
  private table(): CsvTable {
    const { x, frequency, columns, unit } = this.data;
    return {
      notes: [`columns: amplitudes of ${this.data.name} at values of ${x.name} [${x.unit === shaftSpeed ? 'rad/s' : x.unit}]`, this.data.caption],
      columns: [{ name: 'frequency', unit: 'Hz', values: frequency }, ...columns.map((c, i) => ({ name: String(x.values[i]!), unit, values: c }))],
    };
  }

  destroy(): void {
    this.frame.destroy();
  }
}

class WaterfallView {
  readonly root: HTMLDetailsElement;
  private host = el('div');
  private map: WaterfallMap | null = null;
  private channel: Column;
  private channels: Column[];
  private speeds: Column[];
  private shaft: Column | null;
  private over = 'time';
  private rows: number;
  private log = true;
  private orders = [1, 2, 4, 6];

  constructor(private source: Table, private note: string, private link: Link, shown: Column[]) {
    this.channels = source.columns.slice(1).filter((c) => c.stats);
    this.channel = firstOf(this.channels, shown);
    this.speeds = speedChannels(this.channels);
    this.shaft = this.speeds.find((c) => changes(c)) ?? this.speeds[0] ?? null;
    if (this.shaft && changes(this.shaft)) this.over = 'speed';
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
    this.root = el('details.waterfall', { open: this.over === 'speed' }, el('summary', {}, 'Waterfall: spectra over the run'),
      el('div.toolbar', {},
        choice('Channel', names(this.channels), String(this.channels.indexOf(this.channel)), (v) => ((this.channel = this.channels[Number(v)]!), this.draw())),
        choice('Over', [['time', 'time'], ...(this.speeds.length ? [['speed', 'speed of the shaft'] as [string, string]] : [])], this.over, (v) => ((this.over = v), this.draw())),
        this.speeds.length ? choice('Shaft', names(this.speeds), String(this.speeds.indexOf(this.shaft!)), (v) => ((this.shaft = this.speeds[Number(v)]!), this.draw())) : null,
        this.speeds.length ? el('span.field', {}, el('label', { for: text.id }, 'Orders'), text) : null,
        choice('Window', lengths.map((k) => [String(k), `${quantity(k * step, 's', 3)}, lines ${quantity(1 / (k * step), 'Hz', 3)} apart`]), String(this.rows), (v) => ((this.rows = Number(v)), this.draw())),
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
    this.map = new WaterfallMap({ x, frequency: found.frequency, columns, name: this.channel.name, unit: this.channel.unit, speed: turning, orders: this.orders, log: this.log, caption: said.join('; ') }, this.host);
  }
}

/* Whether a speed goes up or down enough to be called a run-up. */
const changes = (c: Column): boolean => !!c.stats && c.stats.max - c.stats.min > 0.25 * Math.max(Math.abs(c.stats.max), Math.abs(c.stats.min)) && Math.abs(c.stats.last - c.stats.first) > 0.6 * (c.stats.max - c.stats.min);

/* Any channel of a table over time. Open where a shaft runs up or down, made when it is opened elsewhere. */
export function waterfallView(table: Table, link: Link, shown: Column[]): HTMLElement | null {
  const { source, note } = wholeRows(table);
  const [x] = table.columns;
  if (!source || !x || x.unit !== 's' || source.rows < 256 || !source.columns.slice(1).some((c) => c.stats) || evenStep(valuesOf(source.columns[0]!)) === null) return null;
  return new WaterfallView(source, note, link, shown).root;
}
