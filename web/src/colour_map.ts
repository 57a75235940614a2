/* colour_map.ts — a quantity over two others as colours, with its scale at the right: short-time spectra of a run as cells, maps of an
 * analysis, responses of a study and response surfaces as filled contours with labelled lines of constant value. */
import uPlot from 'uplot';
import { largestOf } from './chart';
import { contourLines, type Point } from './contours';
import type { Values } from './data';
import { el } from './dom';
import type { CsvTable } from './export';
import { bandPicture, spotOf, valueAt } from './filled';
import { inUnit, number, roundValues, short } from './format';
import { axes, Frame, Legend, type LegendEntry } from './frame';
import { drawLabels, drawMark, type Mark } from './marks';
import { evenly, moveCursor, showPlane, zoomed, type Span } from './plane';
import { quantity } from './tables';
import { mapColour, theme } from './theme';
import { displayUnit, storedUnit, withUnit, type DisplayUnit } from './units';

export interface MapAxis {
  name: string;
  unit: string;
  values: Values; /* SI, ascending */
  log?: boolean;
  seen?: Span; /* SI: what is seen first; else all of it */
}

/* Something drawn over the map, switched by the legend. */
export interface Overlay {
  entry: LegendEntry;
  draw: (map: ColourMap, u: uPlot) => void;
}

export interface MapOptions {
  x: MapAxis;
  y: MapAxis;
  columns: Values[]; /* for each x, at each y, SI; NaN: nothing there */
  value: { name: string; unit: string };
  what: string; /* "amplitude of the force over time and frequency" */
  range?: Span; /* SI: of the colours; from 0 to the largest when not given */
  decades?: number; /* logarithmic colours: so many below the largest */
  caption?: string;
  height?: number;
  filled?: boolean; /* values in between are meant, not cells: bands between lines of constant value */
  within?: (x: number, y: number) => boolean; /* of a filled map: where there are values although a corner of the cell has none (SI) */
  none?: (x: number, y: number) => string; /* what is said where there is no value (SI) */
  marks?: Mark[];
  overlays?: Overlay[];
  pointText?: (i: number, k: number) => string; /* of the point under the cursor, before its value */
  notes?: string[]; /* of the CSV */
  onPick?: (x: number, y: number) => void; /* SI: a place that was clicked, or Enter was pressed at */
}

const fewCells = 20000; /* that are drawn one by one when they are not of one size */

/* Ends of the cells: half-way between neighbours, one more than values. */
function edges({ values, log }: MapAxis): number[] {
  const v = Array.from(values, (x) => (log ? Math.log(x) : x));
  const n = v.length;
  const first = n > 1 ? v[0]! - (v[1]! - v[0]!) / 2 : v[0]! - 0.5;
  const last = n > 1 ? v[n - 1]! + (v[n - 1]! - v[n - 2]!) / 2 : v[0]! + 0.5;
  return [first, ...v.slice(1).map((x, i) => (x + v[i]!) / 2), last].map((x) => (log ? Math.exp(x) : x));
}

const nearest = (values: Values, at: number): number => {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (Math.abs(values[i]! - at) < Math.abs(values[best]! - at)) best = i;
  return best;
};

export class ColourMap {
  readonly frame: Frame;
  readonly xUnit: DisplayUnit;
  readonly yUnit: DisplayUnit;
  private unit: DisplayUnit;
  private plot: uPlot;
  private legend: Legend;
  private range: Span = [0, 1];
  private image: HTMLCanvasElement | null = null;
  private ends: { x: number[]; y: number[] };
  private even: { x: boolean; y: boolean };
  private whole: { x: Span; y: Span }; /* as shown */
  private on: boolean[]; /* overlays */
  private painted = ''; /* for which part of the plane the bands were painted */
  private tip = el('div.loop-tip', { role: 'status', hidden: true });

  constructor(private options: MapOptions, host: HTMLElement) {
    const { x, y, overlays = [] } = options;
    this.on = overlays.map(() => true);
    this.setRange();
    this.xUnit = displayUnit(x.unit, largestOf([x.seen ?? x.values]));
    this.yUnit = displayUnit(y.unit, largestOf([y.seen ?? y.values]));
    this.unit = displayUnit(options.value.unit, Math.max(...this.range.map(Math.abs)));
    this.ends = { x: edges(x), y: edges(y) };
    this.even = { x: evenly(x.values, x.log), y: evenly(y.values, y.log) };
    const all = (axis: MapAxis, ends: number[], unit: DisplayUnit): Span => {
      /* What is meant in between ends at the last value, cells end beyond it. */
      const [a, b] = axis.seen ?? (options.filled ? [axis.values[0]!, axis.values[axis.values.length - 1]!] : [ends[0]!, ends[ends.length - 1]!]);
      return [a / unit.size, b / unit.size];
    };
    this.whole = { x: all(x, this.ends.x, this.xUnit), y: all(y, this.ends.y, this.yUnit) };
    this.frame = new Frame(options.height ?? 440, options.what, options.caption);
    host.append(this.frame.root);
    this.legend = new Legend(overlays.map((o) => o.entry), (i, show) => ((this.on[i] = show), this.plot.redraw(false)));
    this.plot = new uPlot(this.describe(), [this.whole.x, [null, null]] as unknown as uPlot.AlignedData, this.frame.host);
    this.plot.over.append(this.tip);
    this.frame.attach(this.plot, this.legend, { move: (n) => this.move(n), zoom: (f) => this.zoom(f), reset: () => this.reset(), other: (n) => this.move(n, true) }, () => this.table());
    if (options.onPick) this.offerPick(options.onPick);
    this.reset();
  }

  /* Other values over the same plane. */
  setColumns(columns: Values[], range?: Span, marks?: Mark[]): void {
    this.options = { ...this.options, columns, ...(range ? { range } : {}), ...(marks ? { marks } : {}) };
    this.image = null;
    this.painted = '';
    this.setRange();
    this.plot.redraw(false);
  }

  private setRange(): void {
    const { columns, range } = this.options;
    this.range = range && range[1] > range[0] ? range : range ? [range[0] - 0.5, range[0] + 0.5] : [0, largestOf(columns) || 1];
  }

  private share(value: number): number {
    const [low, high] = this.range;
    const { decades } = this.options;
    return decades ? 1 + Math.log10(Math.max(value / high, 1e-300)) / decades : (value - low) / (high - low);
  }

  private describe(): uPlot.Options {
    const { x, y } = this.options;
    const fixed = { auto: false, range: (_u: uPlot, a: number, b: number): [number, number] => [a, b] };
    return {
      ...this.frame.size,
      padding: [10, 96, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, distr: x.log ? 3 : 1, ...fixed }, y: { distr: y.log ? 3 : 1, ...fixed } },
      axes: axes({ label: withUnit(x.name, this.xUnit), unit: this.xUnit, log: x.log }, { label: withUnit(y.name, this.yUnit), log: y.log }).map((a) => ({ ...a, grid: { show: false } })),
      series: [{}, { stroke: () => theme().text, points: { show: false } }],
      cursor: { drag: { x: true, y: true, dist: 4, uni: 30 }, points: { show: false }, bind: { dblclick: () => () => (this.reset(), null) } },
      hooks: { drawClear: [(u) => this.paint(u)], draw: [(u) => this.drawOver(u)], setCursor: [(u) => this.hover(u)] },
    };
  }

  /* Where a place (SI) is on the canvas. */
  at(u: uPlot, x: number, y: number): Point {
    return { x: u.valToPos(x / this.xUnit.size, 'x', true), y: u.valToPos(y / this.yUnit.size, 'y', true) };
  }

  private colour(value: number): [number, number, number] | null {
    return Number.isFinite(value) ? mapColour(this.share(value)) : null;
  }

  /* One pixel a value, drawn large. */
  private picture(): HTMLCanvasElement {
    if (this.image) return this.image;
    const { columns, y } = this.options;
    const image = document.createElement('canvas');
    [image.width, image.height] = [columns.length, y.values.length];
    const c = image.getContext('2d')!;
    const pixels = c.createImageData(image.width, image.height);
    columns.forEach((column, i) => {
      for (let k = 0; k < image.height; k++) {
        const colour = this.colour(column[k]!);
        if (colour) pixels.data.set([...colour, 255], 4 * ((image.height - 1 - k) * image.width + i));
      }
    });
    c.putImageData(pixels, 0, 0);
    return (this.image = image);
  }

  /* Bands between the levels, one pixel of the screen each; painted anew when another part is seen. */
  private bands(u: uPlot): HTMLCanvasElement {
    const { left, top, width, height } = u.bbox;
    const key = [left, top, width, height, u.scales['x']!.min, u.scales['x']!.max, u.scales['y']!.min, u.scales['y']!.max].join(' ');
    if (this.image && this.painted === key) return this.image;
    const { columns, x, y, within } = this.options;
    const levels = this.levels();
    const ends = [this.range[0], ...levels, this.range[1]];
    const across = Array.from({ length: Math.round(width) }, (_v, i) => u.posToVal(left + i + 0.5, 'x', true) * this.xUnit.size);
    const down = Array.from({ length: Math.round(height) }, (_v, i) => u.posToVal(top + i + 0.5, 'y', true) * this.yUnit.size);
    this.painted = key;
    return (this.image = bandPicture(columns, x, y, across, down, levels, (k) => mapColour(this.middle(ends[k]!, ends[k + 1]!)), within !== undefined));
  }

  /* The colour of a band is that of its middle. */
  private middle(low: number, high: number): number {
    return (this.share(low) + this.share(high)) / 2;
  }

  private paint(u: uPlot): void {
    const { columns, y, filled } = this.options;
    const { left, top, width, height } = u.bbox;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    u.ctx.imageSmoothingEnabled = false;
    if (filled) {
      u.ctx.drawImage(this.bands(u), left, top, width, height);
      return u.ctx.restore();
    }
    const [low, high] = [this.ends.y[0]!, this.ends.y[this.ends.y.length - 1]!].map((v) => u.valToPos(v / this.yUnit.size, 'y', true)) as [number, number];
    const across = this.ends.x.map((v) => u.valToPos(v / this.xUnit.size, 'x', true));
    if (this.even.x && this.even.y) u.ctx.drawImage(this.picture(), across[0]!, high, across[across.length - 1]! - across[0]!, low - high);
    else if (columns.length * y.values.length <= fewCells) this.paintCells(u, across);
    else this.paintStrips(u, across, low, high);
    u.ctx.restore();
  }

  private paintCells(u: uPlot, across: number[]): void {
    const up = this.ends.y.map((v) => Math.round(u.valToPos(v / this.yUnit.size, 'y', true)));
    this.options.columns.forEach((column, i) => {
      const [a, b] = [Math.round(across[i]!), Math.round(across[i + 1]!)];
      for (let k = 0; k + 1 < up.length; k++) {
        const colour = this.colour(column[k]!);
        if (!colour) continue;
        u.ctx.fillStyle = `rgb(${colour.join(',')})`;
        u.ctx.fillRect(a, up[k + 1]!, b - a, up[k]! - up[k + 1]!);
      }
    });
  }

  /* Columns that are not evenly spaced: each is drawn on its own. */
  private paintStrips(u: uPlot, across: number[], low: number, high: number): void {
    const { left, width } = u.bbox;
    const image = this.picture();
    const strip = document.createElement('canvas');
    [strip.width, strip.height] = [Math.max(1, Math.round(width)), image.height];
    const s = strip.getContext('2d')!;
    s.imageSmoothingEnabled = false;
    const at = (i: number): number => across[i]! - left;
    for (let i = 0; i < image.width; i++) s.drawImage(image, i, 0, 1, image.height, Math.floor(at(i)), 0, Math.ceil(at(i + 1)) - Math.floor(at(i)), image.height);
    u.ctx.drawImage(strip, left, high, strip.width, low - high);
  }

  private drawOver(u: uPlot): void {
    if (!this.plot) return; /* drawn again as soon as the limits are set */
    const { filled, overlays = [], marks } = this.options;
    if (filled) this.drawContours(u);
    overlays.forEach((o, i) => this.on[i] && o.draw(this, u));
    for (const m of marks ?? []) this.drawMarkAt(u, m);
    this.drawBar(u);
  }

  private drawMarkAt(u: uPlot, m: Mark): void {
    const p = this.at(u, m.x, m.y);
    const { left, top, width, height } = u.bbox;
    if (p.x < left || p.x > left + width || p.y < top || p.y > top + height) return;
    drawMark(u.ctx, m.shape ?? 'disc', p.x, p.y, uPlot.pxRatio, m.colour ? m.colour() : theme().text);
    if (m.label) drawLabels(u.ctx, [{ text: m.label, colour: theme().text, at: [p] }], [], [], { x: left, y: top, width, height }, uPlot.pxRatio);
  }

  /* Light on dark colours, with a dark edge for the light ones; `points` on the canvas. */
  stroke(u: uPlot, paths: Point[][], dash: number[] = [], thick = 1.3): void {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    for (const [colour, wide] of [['rgba(0,0,0,0.75)', thick + 1.5], ['rgba(255,255,255,1)', thick]] as const) {
      ctx.beginPath();
      for (const points of paths) points.forEach((p, i) => (i ? ctx.lineTo(p.x, p.y) : ctx.moveTo(p.x, p.y)));
      ctx.strokeStyle = colour;
      ctx.lineWidth = wide * ratio;
      ctx.setLineDash(dash.map((d) => d * ratio));
      ctx.stroke();
    }
    ctx.restore();
  }

  /* Filled with strokes at an angle: where something does not hold, or is not to be entered. `points` on the canvas. */
  hatch(u: uPlot, points: Point[]): void {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    if (points.length < 3) return;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.beginPath();
    points.forEach((p, i) => (i ? ctx.lineTo(p.x, p.y) : ctx.moveTo(p.x, p.y)));
    ctx.closePath();
    ctx.clip();
    ctx.fillStyle = theme().paper;
    ctx.fillRect(left, top, width, height);
    ctx.beginPath();
    for (let at = -height; at < width; at += 9 * ratio) {
      ctx.moveTo(left + at, top + height);
      ctx.lineTo(left + at + height, top);
    }
    ctx.strokeStyle = theme().axis;
    ctx.lineWidth = 1.2 * ratio;
    ctx.setLineDash([]);
    ctx.stroke();
    ctx.restore();
  }

  /* Names along lines, where there is room. */
  names(u: uPlot, list: { text: string; points: Point[] }[]): void {
    const { left, top, width, height } = u.bbox;
    const seen = (p: Point): boolean => p.x > left + 2 && p.x < left + width - 2 && p.y > top + 2 && p.y < top + height - 2;
    drawLabels(u.ctx, list.map(({ text, points }) => {
      const inside = points.filter(seen);
      return { text, colour: theme().text, at: [0.5, 0.3, 0.7, 0.15, 0.85].map((s) => inside[Math.floor(s * inside.length)]!).filter(Boolean) };
    }), [], [], { x: left, y: top, width, height }, uPlot.pxRatio);
  }

  /* Lines of constant value, SI: at about so many round values inside the range. */
  private levels(): number[] {
    const { decades } = this.options;
    const [low, high] = this.range;
    if (!decades) return roundValues(low / this.unit.size, high / this.unit.size, 14).map((v) => v * this.unit.size).filter((v) => v > low && v < high);
    const steps = decades > 3 ? [1] : [1, 2, 5];
    const top = Math.floor(Math.log10(high / this.unit.size)) + 1;
    return Array.from({ length: decades + 2 }, (_v, i) => steps.map((k) => k * 10 ** (top - decades - 1 + i) * this.unit.size)).flat().filter((v) => this.share(v) > 0 && v < high);
  }

  private ticks(most: number): number[] {
    if (this.options.filled) return this.levels().map((v) => Number((v / this.unit.size).toPrecision(9)));
    const [low, high] = this.range.map((v) => v / this.unit.size) as Span;
    return this.options.decades ? Array.from({ length: this.options.decades + 1 }, (_v, i) => 10 ** (Math.floor(Math.log10(high)) - i)) : roundValues(low, high, most);
  }

  private drawContours(u: uPlot): void {
    const { x, y, columns } = this.options;
    this.names(u, this.levels().flatMap((level) => {
      const paths = contourLines(x.values, y.values, columns, level).map((line) => line.map((p) => this.at(u, p.x, p.y)));
      this.stroke(u, paths, [], 0.9);
      /* The longest has the name; a second one too when it is nearly as long. */
      const sorted = [...paths].sort((p, q) => q.length - p.length);
      return sorted.slice(0, 2).filter((p, i) => i === 0 || p.length > 0.6 * sorted[0]!.length).map((points) => ({ text: short(level / this.unit.size), points }));
    }));
  }

  /* Colours with their values, right of the map. */
  private drawBar(u: uPlot): void {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    const [x, wide] = [left + width + 16 * ratio, 14 * ratio];
    ctx.save();
    const levels = this.options.filled ? this.levels().map((v) => this.share(v)) : [];
    const ends = this.options.filled ? [0, ...levels, 1] : Array.from({ length: 65 }, (_v, i) => i / 64);
    for (let i = 0; i + 1 < ends.length; i++) {
      ctx.fillStyle = `rgb(${mapColour((ends[i]! + ends[i + 1]!) / 2).join(',')})`;
      const [from, to] = [Math.round(top + height * (1 - ends[i + 1]!)), Math.round(top + height * (1 - ends[i]!))];
      ctx.fillRect(x, from, wide, to - from);
    }
    ctx.fillStyle = theme().muted;
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    for (const v of this.ticks(6)) {
      const share = this.share(v * this.unit.size);
      if (share < -1e-6 || share > 1 + 1e-9) continue;
      ctx.fillText(v === 0 ? '0' : short(v, 4), x + wide + 5 * ratio, top + height * (1 - share));
    }
    ctx.translate(x + wide + 52 * ratio, top + height / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = 'center';
    ctx.fillText(withUnit(this.options.value.name, this.unit), 0, 0);
    ctx.restore();
  }

  /* The value that is nearest to the cursor. */
  private under(u: uPlot): [number, number] | null {
    const { left = -1, top = -1 } = u.cursor;
    if (left < 0 || !this.plot) return null;
    return [nearest(this.options.x.values, u.posToVal(left, 'x') * this.xUnit.size), nearest(this.options.y.values, u.posToVal(top, 'y') * this.yUnit.size)];
  }

  /* The value at the cursor: of the cell, or in between where that is meant. */
  private hover(u: uPlot): void {
    const at = this.under(u);
    this.tip.hidden = !at || !this.options.filled;
    if (!at) return this.legend?.show();
    const { x, y, columns, value, pointText } = this.options;
    if (this.options.filled) return this.tellBetween(u);
    const [i, k] = at;
    const said = pointText?.(i, k) ?? `${x.name} ${inUnit(x.values[i]! / this.xUnit.size, this.xUnit, (v) => number(v, 5))}, ${y.name} ${inUnit(y.values[k]! / this.yUnit.size, this.yUnit, (v) => number(v, 5))}`;
    this.legend.show(`${said}: ${Number.isFinite(columns[i]![k]!) ? quantity(columns[i]![k]!, value.unit) : 'no value'}`);
  }

  private tellBetween(u: uPlot): void {
    const { x, y, columns, value, within, none } = this.options;
    const { left = -1, top = -1 } = u.cursor;
    const [px, py] = [u.posToVal(left, 'x') * this.xUnit.size, u.posToVal(top, 'y') * this.yUnit.size];
    const inside = ({ values }: MapAxis, v: number): number => Math.min(values[values.length - 1]!, Math.max(values[0]!, v));
    const [sx, sy] = [spotOf(x, inside(x, px)), spotOf(y, inside(y, py))];
    const found = sx && sy && (!within || within(px, py)) ? valueAt(columns, sx, sy, within !== undefined) : NaN;
    const told = Number.isFinite(found) ? quantity(found, value.unit, 4, Math.max(Math.abs(this.range[0]), Math.abs(this.range[1]))) : none?.(px, py) ?? 'no value';
    const of = (axis: MapAxis, unit: DisplayUnit, v: number): string => `${axis.name} ${inUnit(v / unit.size, unit, (k) => number(k, 4))}`;
    this.legend.show(`${of(x, this.xUnit, px)}, ${of(y, this.yUnit, py)}: ${told}`);
    this.tip.replaceChildren(el('b', {}, told), el('span', {}, of(x, this.xUnit, px)), el('span', {}, of(y, this.yUnit, py)));
    const { clientWidth: width, clientHeight: height } = u.over;
    const { offsetWidth: w, offsetHeight: h } = this.tip;
    this.tip.style.left = `${left + 14 + w <= width ? left + 14 : Math.max(0, left - 14 - w)}px`;
    this.tip.style.top = `${Math.max(0, Math.min(height - h, top - h - 10 >= 0 ? top - h - 10 : top + 14))}px`;
  }

  private offerPick(pick: (x: number, y: number) => void): void {
    const take = (): void => {
      const { left = -1, top = -1 } = this.plot.cursor;
      if (left >= 0) pick(this.plot.posToVal(left, 'x') * this.xUnit.size, this.plot.posToVal(top, 'y') * this.yUnit.size);
    };
    let down: [number, number] = [0, 0];
    this.plot.over.addEventListener('mousedown', (e) => (down = [e.clientX, e.clientY]));
    this.plot.over.addEventListener('click', (e) => Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 4 && take());
    this.frame.host.addEventListener('keydown', (e) => e.key === 'Enter' && take());
  }

  /* The cursor by keys: along the abscissa or upwards. */
  private move(steps: number, upright = false): void {
    const { clientWidth: w, clientHeight: h } = this.plot.over;
    const { x, y } = this.options;
    moveCursor(this.plot, upright ? 0 : steps * Math.max(1, w / Math.min(200, x.values.length)), upright ? steps * Math.max(1, h / Math.min(100, y.values.length)) : 0);
  }

  private zoom(factor: number): void {
    const within = (key: 'x' | 'y'): Span => {
      const [low, high] = zoomed(this.plot, key, factor);
      const [a, b] = this.whole[key];
      return [Math.max(a, low), Math.min(b, high)];
    };
    showPlane(this.plot, within('x'), within('y'));
  }

  private reset(): void {
    showPlane(this.plot, this.whole.x, this.whole.y);
  }

  /* One row a value of y, one column a value of x. */
  private table(): CsvTable {
    const { x, y, columns, value, notes = [], caption } = this.options;
    return {
      notes: [`columns: ${value.name} at values of ${x.name} [${storedUnit(x.unit) || '1'}]`, ...notes, ...(caption ? [caption] : [])],
      columns: [{ name: y.name, unit: y.unit, values: y.values }, ...columns.map((c, i) => ({ name: String(x.values[i]!), unit: value.unit, values: c }))],
    };
  }

  destroy(): void {
    this.frame.destroy();
  }
}
