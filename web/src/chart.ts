/* chart.ts — lines over one shared abscissa: channels over time, response over a parameter. */
import uPlot from 'uplot';
import { constant, type Values } from './data';
import { number } from './format';
import { axes, Frame, Legend, spread } from './frame';
import { theme, type LineStyle } from './theme';
import { displayUnit, quantityOf, withUnit, type DisplayUnit } from './units';

export interface Line {
  name: string;
  hint: string;
  values: Values; /* SI */
  x?: Values; /* own ascending abscissa, when it is not that of the chart */
  dots?: boolean | number; /* points only, not joined; their size */
  style: LineStyle;
  width?: number;
  plain?: boolean; /* no range of values in the legend */
  note?: string; /* stands in its place */
  errors?: Values; /* SI: standard errors, drawn as bars; on the abscissa of the chart */
}

export interface ChartOptions {
  x: { name: string; unit: string; values: Values; labels?: string[] }; /* labels: of places 0, 1, 2, ... */
  y: { name: string; unit: string };
  lines: Line[];
  height: number;
  title?: string;
  logX?: boolean;
  logY?: boolean;
  decades?: number; /* most of them on a logarithmic ordinate, from the largest value down */
  link?: Link;
  sections?: { names: string[]; ends: Values }; /* parts of the abscissa, marked by upright lines; one end more than names */
}

/* Charts that show the same part of the same abscissa and share a cursor. */
export class Link {
  private static made = 0;
  readonly key = `link-${++Link.made}`;
  readonly charts = new Set<Chart>();
  range: [number, number] | null = null; /* SI; null = everything */
  private at: number | null = null; /* SI: where the cursor is */
  private listeners: (() => void)[] = [];
  private followers: ((at: number | null) => void)[] = [];
  private busy = false;

  onRange(listener: () => void): void {
    this.listeners.push(listener);
  }

  set(range: [number, number] | null): void {
    if (this.busy) return;
    this.busy = true;
    this.range = range;
    for (const chart of this.charts) chart.showRange(range);
    this.busy = false;
    for (const listener of this.listeners) listener();
  }

  /* For plots over something else, which mark where on their curves the cursor of the charts is. */
  onCursor(follower: (at: number | null) => void): void {
    this.followers.push(follower);
  }

  /* A chart has its cursor here; null = none. */
  point(at: number | null): void {
    if (this.busy || at === this.at) return;
    this.at = at;
    for (const follower of this.followers) follower(at);
  }

  /* Another plot points to this place; uPlot passes it on from one chart to all. */
  lead(at: number | null): void {
    if (at === this.at) return;
    this.at = at;
    this.busy = true;
    [...this.charts][0]?.pointTo(at);
    this.busy = false;
  }

  /* First and behind the last of the rows in the range, `x` ascending. */
  rows(x: Values): [number, number] {
    let first = 0;
    let last = x.length;
    if (this.range) {
      while (first < last && x[first]! < this.range[0]) first++;
      while (last > first && x[last - 1]! > this.range[1]) last--;
    }
    return [first, last];
  }
}

/* Index of the value of `x` (ascending) that is nearest to `at`. */
export function nearestRow(x: Values, at: number): number {
  let [low, high] = [0, x.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle]! < at) low = middle;
    else high = middle;
  }
  return at - x[low]! < x[high]! - at ? low : high;
}

const largest = (values: Values): number => {
  let most = 0;
  for (let i = 0; i < values.length; i++) {
    const size = Math.abs(values[i]!);
    if (size > most && Number.isFinite(size)) most = size;
  }
  return most;
};

export const largestOf = (lists: Values[]): number => Math.max(0, ...lists.map(largest));

/* Values in display units; what cannot be drawn becomes a gap. */
function scaled(values: Values, unit: DisplayUnit, positive: boolean): (number | null)[] {
  const out = new Array<number | null>(values.length);
  for (let i = 0; i < values.length; i++) {
    const v = values[i]! / unit.size;
    out[i] = Number.isFinite(v) && !(positive && v <= 0) ? v : null;
  }
  return out;
}

/* Where the points of `own` are in `all`, both ascending. */
function places(own: Values, all: Values): Int32Array {
  const found = new Int32Array(own.length);
  for (let i = 0, k = 0; i < own.length; i++) {
    while (k < all.length - 1 && all[k]! < own[i]!) k++;
    found[i] = k;
  }
  return found;
}

/* All abscissae of a chart in one, ascending and each once. */
function union(lists: Values[]): Values {
  if (lists.length === 1) return lists[0]!;
  const all = Float64Array.from(lists.flatMap((l) => Array.from(l))).sort();
  return all.filter((v, i) => i === 0 || v !== all[i - 1]);
}

/* "58.2 … 130 N" */
export function rangeText(values: Values, unit: DisplayUnit): string {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    if (!Number.isFinite(v)) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (low > high) return 'no values';
  const [a, b] = [number(low / unit.size), number(high / unit.size)];
  const text = low === high ? a : constant(low, high) ? `${a} ± ${number((high - low) / 2 / unit.size, 2)}` : `${a} … ${b}`;
  return unit.text ? `${text} ${unit.text}` : text;
}

/* Limits of the ordinate: those of the data with a margin, but no zoom into the last digits of a constant. */
function yRange(min: number | null, max: number | null): uPlot.Range.MinMax {
  if (min === null || max === null) return [null, null];
  const [low, high] = constant(min, max) ? spread((min + max) / 2, (min + max) / 2) : [min, max];
  return uPlot.rangeNum(low, high, 0.1, true);
}

/* Whole decades; what accident leaves far below the largest value is not looked for. */
function logRange(min: number | null, max: number | null, decades: number): uPlot.Range.MinMax {
  return min === null || max === null ? [null, null] : uPlot.rangeLog(Math.max(min, max * 10 ** -decades), max, 10, false);
}

export class Chart {
  readonly frame: Frame;
  private plot: uPlot;
  private legend: Legend;
  private xUnit: DisplayUnit;
  private yUnit: DisplayUnit;
  private ends: [number, number]; /* of the abscissa */
  private full: [number, number]; /* with a margin */

  constructor(private options: ChartOptions, host: HTMLElement) {
    const { x, y, lines } = options;
    const abscissa = union([x.values, ...lines.flatMap((l) => (l.x ? [l.x] : []))]);
    this.xUnit = displayUnit(x.unit, largestOf([abscissa]));
    this.yUnit = displayUnit(y.unit, largestOf(lines.map((l) => l.values)));
    const fits = y.name.length * 6.6 + 40 < options.height - 50;
    const yName = (fits && y.name) || quantityOf(y.unit) || 'value';
    this.frame = new Frame(options.height, `${yName} over ${x.name}`, options.title);
    host.append(this.frame.root);

    const xs = scaled(abscissa, this.xUnit, options.logX ?? false) as number[];
    const drawn = xs.filter((v) => v !== null);
    this.ends = spread(drawn[0] ?? NaN, drawn[drawn.length - 1] ?? NaN);
    const [first, last] = this.ends;
    const margin = options.logX ? (last / first) ** 0.03 : 1; /* for the dots at the ends */
    this.full = x.labels ? [first - 0.5, last + 0.5] : [first / margin, last * margin];
    this.legend = new Legend(
      lines.map((line) => ({ ...line, dots: line.dots === true, rest: line.note ?? (line.plain ? '' : rangeText(line.values, this.yUnit)) })),
      (i, show) => this.plot.setSeries(i + 1, { show }),
    );
    const data = [xs, ...lines.map((l) => this.ordinates(l, abscissa))];
    this.plot = new uPlot(this.describe(yName), data as uPlot.AlignedData, this.frame.host);
    this.frame.attach(this.plot, this.legend, {
      move: (steps) => this.move(steps),
      zoom: (factor) => this.zoom(factor),
      reset: () => this.reset(),
    });
    options.link?.charts.add(this);
    if (options.link?.range) this.showRange(options.link.range);
  }

  /* Values of a line on the chart's abscissa. uPlot draws on across `undefined`, and leaves a gap at null. */
  private ordinates(line: Line, abscissa: Values): (number | null | undefined)[] {
    const values = scaled(line.values, this.yUnit, this.options.logY ?? false);
    const own = line.x ?? this.options.x.values;
    if (own.length === abscissa.length) return values;
    const out = new Array<number | null | undefined>(abscissa.length).fill(undefined);
    places(own, abscissa).forEach((k, i) => (out[k] = values[i]));
    return out;
  }

  private describe(yName: string): uPlot.Options {
    const { x, lines, link, logX, logY, decades = 18 } = this.options;
    return {
      ...this.frame.size,
      padding: [10, 14, 0, 0],
      legend: { show: false },
      scales: {
        x: {
          time: false,
          distr: logX ? 3 : 1,
          range: (_u, min, max) => (min === null || max === null || (min === this.ends[0] && max === this.ends[1]) ? this.full : spread(min, max)),
        },
        y: { distr: logY ? 3 : 1, range: (_u, min, max) => (logY ? logRange(min, max, decades) : yRange(min, max)) },
      },
      axes: axes({ label: withUnit(x.name, this.xUnit), log: logX, ...(x.labels ? { names: x.labels } : {}) },
        { label: withUnit(yName, this.yUnit), log: logY }),
      series: [
        {},
        ...lines.map((line) => ({
          scale: 'y',
          stroke: line.style.colour,
          width: line.width ?? 1.5,
          dash: line.style.dash,
          pxAlign: 0,
          ...(line.dots ? { paths: () => null } : {}),
          points: line.dots ? { show: true, size: line.dots === true ? 6 : line.dots, width: line.dots === true ? 1.5 : 0, fill: line.style.colour } : line.style.dash && line.plain ? { show: false } : { size: 5, width: 1, fill: line.style.colour },
        })),
      ],
      cursor: {
        y: false,
        drag: { x: true, y: false, dist: 4 },
        points: { size: 7 },
        bind: { dblclick: () => () => (this.reset(), null) },
        /* Zooming goes through the link: it also reaches plots that are added later. */
        sync: link && {
          key: link.key,
          setSeries: false,
          filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
        },
      },
      hooks: { drawClear: [(u) => this.drawSections(u)], draw: [(u) => this.drawErrors(u)], setCursor: [() => this.showValues()], setScale: [(_u, key) => key === 'x' && this.tellRange()] },
    };
  }

  /* Behind the lines: upright ones between the parts, and the name of each at the top. */
  private drawSections(u: uPlot): void {
    const { sections } = this.options;
    if (!sections) return;
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    const at = (end: number): number => Math.min(left + width, Math.max(left, u.valToPos(end / this.xUnit.size, 'x', true)));
    ctx.save();
    ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
    ctx.textAlign = 'center';
    ctx.textBaseline = 'top';
    ctx.lineWidth = ratio;
    ctx.setLineDash([]);
    sections.names.forEach((name, i) => {
      const [from, to] = [at(sections.ends[i]!), at(sections.ends[i + 1]!)];
      if (to <= from) return;
      ctx.strokeStyle = theme().axis;
      ctx.fillStyle = theme().muted;
      if (to < left + width) {
        ctx.beginPath();
        ctx.moveTo(to, top);
        ctx.lineTo(to, top + height);
        ctx.stroke();
      }
      if (ctx.measureText(name).width < to - from) ctx.fillText(name, (from + to) / 2, top + 3 * ratio);
    });
    ctx.restore();
  }

  /* Bars of one standard error to both sides, over the lines. */
  private drawErrors(u: uPlot): void {
    const { ctx } = u;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.lineWidth = 1.2 * ratio;
    ctx.setLineDash([]);
    this.options.lines.forEach((line, i) => {
      if (!line.errors || !u.series[i + 1]?.show) return;
      ctx.strokeStyle = line.style.colour();
      for (let k = 0; k < line.errors.length; k++) {
        const [value, error] = [line.values[k]! / this.yUnit.size, line.errors[k]! / this.yUnit.size];
        if (!Number.isFinite(value) || !(error > 0)) continue;
        const x = u.valToPos(this.options.x.values[k]! / this.xUnit.size, 'x', true);
        const [low, high] = [u.valToPos(value - error, 'y', true), u.valToPos(value + error, 'y', true)];
        ctx.beginPath();
        ctx.moveTo(x, low);
        ctx.lineTo(x, high);
        for (const y of [low, high]) {
          ctx.moveTo(x - 4 * ratio, y);
          ctx.lineTo(x + 4 * ratio, y);
        }
        ctx.stroke();
      }
    });
    ctx.restore();
  }

  private showValues(): void {
    const at = this.plot?.cursor.idx;
    const inside = (this.plot?.cursor.left ?? -1) >= 0;
    const data = this.plot?.data as (number | null)[][] | undefined;
    const none = !data || !inside || at === null || at === undefined;
    this.options.link?.point(none ? null : data[0]![at]! * this.xUnit.size);
    if (none) return this.legend.show();
    const unit = (u: DisplayUnit): string => (u.text ? ` ${u.text}` : '');
    const values = data.slice(1).map((ys, i) => {
      const v = ys[this.plot.cursor.idxs?.[i + 1] ?? at];
      return v === null || v === undefined ? null : number(v) + unit(this.yUnit);
    });
    const label = this.options.x.labels?.[data[0]![at]!];
    this.legend.show(label ?? `${this.options.x.name} ${number(data[0]![at]!, 5)}${unit(this.xUnit)}`, values);
  }

  private tellRange(): void {
    const { min, max } = this.plot?.scales['x'] ?? {};
    if (min === undefined || max === undefined) return;
    const whole = min <= this.full[0] && max >= this.full[1];
    this.options.link?.set(whole ? null : [min * this.xUnit.size, max * this.xUnit.size]);
  }

  showRange(range: [number, number] | null): void {
    const [min, max] = range ? range.map((v) => v / this.xUnit.size) as [number, number] : this.full;
    const now = this.plot.scales['x']!;
    if (now.min !== min || now.max !== max) this.plot.setScale('x', { min, max });
  }

  reset(): void {
    this.plot.setScale('x', { min: this.full[0], max: this.full[1] });
  }

  private zoom(factor: number): void {
    const { min, max } = this.plot.scales['x']!;
    const xs = this.plot.data[0] as number[];
    const at = this.plot.cursor.idx;
    const centre = at === null || at === undefined ? (min! + max!) / 2 : xs[at]!;
    const left = Math.max(this.full[0], centre - (centre - min!) * factor);
    const right = Math.min(this.full[1], centre + (max! - centre) * factor);
    if (right > left) this.plot.setScale('x', { min: left, max: right });
  }

  private move(steps: number): void {
    const xs = this.plot.data[0] as number[];
    const { min, max } = this.plot.scales['x']!;
    const first = xs.findIndex((v) => v >= min!);
    const at = this.plot.cursor.idx;
    /* One press moves by a pixel's worth of rows, at least one row. */
    const inside = xs.filter((v) => v >= min! && v <= max!).length;
    const stride = Math.max(1, Math.round(inside / Math.max(1, this.frame.width)));
    const next = at === null || at === undefined ? first : at + steps * stride;
    const value = xs[Math.min(xs.length - 1, Math.max(0, next))];
    if (value === undefined) return;
    this.pointTo(value * this.xUnit.size);
  }

  /* The cursor of this chart and of those linked with it; null = none. */
  pointTo(at: number | null): void {
    const left = at === null ? -10 : Math.min(Math.max(0, this.plot.valToPos(at / this.xUnit.size, 'x')), this.plot.over.clientWidth);
    /* The third argument, missing in uPlot's types, passes the move on to linked plots. */
    (this.plot.setCursor as (at: object, fire: boolean, publish: boolean) => void)(
      { left, top: at === null ? -10 : this.plot.over.clientHeight / 2 }, true, true);
  }

  destroy(): void {
    this.options.link?.charts.delete(this);
    this.frame.destroy();
  }
}
