/* chart.ts — lines over one shared abscissa: channels over time, response over a parameter. */
import uPlot from 'uplot';
import { constant, type Values } from './data';
import { rowsOf, rowsText, type CsvColumn, type CsvTable } from './export';
import { inUnit, number } from './format';
import { axes, Frame, Legend, rightRoom, spread } from './frame';
import { type Link, type Linked } from './link';
import { drawLabels, drawMark } from './marks';
import { theme, type LineStyle } from './theme';
import { displayUnit, quantityOf, withUnit, type DisplayUnit } from './units';

export { Link, nearestRow } from './link';

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
  right?: boolean; /* on the right axis, y2 */
  menu?: HTMLElement | null; /* beside its name below the plot */
  trend?: Values; /* SI, on the abscissa of the chart: drawn strongly, over the pale line of all values */
  errors?: Values; /* SI, drawn as bars to both sides; on the abscissa of the chart */
}

export interface ChartOptions {
  x: { name: string; unit: string; values: Values; labels?: string[] }; /* labels: of places 0, 1, 2, ... */
  y: { name: string; unit: string };
  y2?: { name: string; unit: string }; /* of the lines on the right axis */
  lines: Line[];
  height: number;
  title?: string;
  logX?: boolean;
  logY?: boolean;
  decades?: number; /* most of them on a logarithmic ordinate, from the largest value down */
  link?: Link;
  sections?: { names: string[]; ends: Values }; /* parts of the abscissa, marked by upright lines; one end more than names */
  notes?: string[]; /* what must be known of the values by who takes them as CSV */
  marks?: { x: number; y: number; label: string }[]; /* SI: points to name */
  first?: [number, number]; /* SI: the part of the abscissa that is seen first */
  onShown?: () => void; /* lines were switched, or another part is seen */
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

type Side = 'y' | 'y2';

export class Chart implements Linked {
  readonly frame: Frame;
  private plot: uPlot;
  private legend: Legend;
  private xUnit: DisplayUnit;
  private yUnit: DisplayUnit;
  private y2Unit: DisplayUnit;
  private wanted: Partial<Record<Side, [number, number]>> = {}; /* limits of the ordinates that were asked for */
  private ends: [number, number]; /* of the abscissa */
  private full: [number, number]; /* with a margin */

  constructor(private options: ChartOptions, host: HTMLElement) {
    const { x, y, y2, lines } = options;
    const abscissa = union([x.values, ...lines.flatMap((l) => (l.x ? [l.x] : []))]);
    this.xUnit = displayUnit(x.unit, options.first ? Math.max(...options.first.map(Math.abs)) : largestOf([abscissa]));
    this.yUnit = displayUnit(y.unit, largestOf(lines.filter((l) => !l.right).map((l) => l.values)));
    this.y2Unit = displayUnit(y2?.unit ?? '', largestOf(lines.filter((l) => l.right).map((l) => l.values)));
    const named = (axis: { name: string; unit: string }): string =>
      (axis.name.length * 6.6 + 40 < options.height - 50 && axis.name) || quantityOf(axis.unit) || 'value';
    const yName = named(y);
    const both = y2 ? `${yName} and ${named(y2)}` : yName;
    this.frame = new Frame(options.height, `${both} over ${x.name}`, options.title);
    host.append(this.frame.root);

    const xs = scaled(abscissa, this.xUnit, options.logX ?? false) as number[];
    const drawn = xs.filter((v) => v !== null);
    this.ends = spread(drawn[0] ?? NaN, drawn[drawn.length - 1] ?? NaN);
    const [first, last] = this.ends;
    const margin = options.logX ? (last / first) ** 0.03 : 1; /* for the dots at the ends */
    this.full = x.labels ? [first - 0.5, last + 0.5] : [first / margin, last * margin];
    this.legend = new Legend(
      lines.map((line) => ({ ...line, dots: line.dots === true, rest: line.note ?? (line.plain ? '' : rangeText(line.values, this.unitOf(line))) })),
      (i, show) => {
        this.plot.setSeries(i + 1, { show });
        options.onShown?.();
      },
    );
    const data = [xs, ...lines.map((l) => this.ordinates(l, abscissa))];
    this.plot = new uPlot(this.describe(yName, y2 && named(y2)), data as uPlot.AlignedData, this.frame.host);
    this.frame.attach(this.plot, this.legend, {
      move: (steps) => this.move(steps),
      zoom: (factor) => this.zoom(factor),
      pan: (share) => this.pan(share),
      reset: () => this.reset(),
    }, () => this.table());
    this.plot.over.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    options.link?.charts.add(this);
    if (options.link?.range) this.showRange(options.link.range);
    else if (options.first) this.showRange(options.first);
  }

  private unitOf(line: Line): DisplayUnit {
    return line.right ? this.y2Unit : this.yUnit;
  }

  /* Values of a line on the chart's abscissa. uPlot draws on across `undefined`, and leaves a gap at null. */
  private ordinates(line: Line, abscissa: Values): (number | null | undefined)[] {
    const values = scaled(line.values, this.unitOf(line), this.options.logY ?? false);
    const own = line.x ?? this.options.x.values;
    if (own.length === abscissa.length) return values;
    const out = new Array<number | null | undefined>(abscissa.length).fill(undefined);
    places(own, abscissa).forEach((k, i) => (out[k] = values[i]));
    return out;
  }

  private describe(yName: string, y2Name: string | undefined): uPlot.Options {
    const { x, lines, link, logX, logY, decades = 18 } = this.options;
    const upright = (side: Side): uPlot.Scale => ({
      distr: logY ? 3 : 1, range: (u, min, max) => this.wanted[side] ?? (logY ? logRange(min, max, decades) : yRange(...this.withBars(u, side, min, max))),
    });
    return {
      ...this.frame.size,
      padding: [10, rightRoom, 0, 0],
      legend: { show: false },
      scales: {
        x: {
          time: false,
          distr: logX ? 3 : 1,
          range: (_u, min, max) => (min === null || max === null || (min === this.ends[0] && max === this.ends[1]) ? this.full : spread(min, max)),
        },
        y: upright('y'),
        ...(y2Name ? { y2: upright('y2') } : {}),
      },
      axes: axes({ label: withUnit(x.name, this.xUnit), unit: this.xUnit, log: logX, ...(x.labels ? { names: x.labels } : {}) },
        { label: withUnit(yName, this.yUnit), unit: this.yUnit, log: logY }, y2Name ? { label: withUnit(y2Name, this.y2Unit), log: logY } : undefined),
      series: [
        {},
        ...lines.map((line) => ({
          scale: line.right ? 'y2' : 'y',
          stroke: line.style.colour,
          width: line.width ?? 1.5,
          dash: line.style.dash,
          pxAlign: 0,
          ...(line.trend ? { alpha: 0.28 } : {}),
          ...(line.dots ? { paths: () => null } : {}),
          points: line.dots ? { show: true, size: line.dots === true ? 6 : line.dots, width: line.dots === true ? 1.5 : 0, fill: line.style.colour } : line.style.dash && line.plain ? { show: false } : { size: 5, width: 1, fill: line.style.colour },
        })),
      ],
      cursor: {
        y: false,
        drag: { x: true, y: true, dist: 4, uni: 30, setScale: false },
        points: { size: 7 },
        bind: {
          dblclick: () => () => (this.reset(), null),
          mousedown: (_u, _target, handler) => (event) => (event.shiftKey ? this.grab(event) : handler(event), null),
        },
        /* Zooming goes through the link: it also reaches plots that are added later. */
        sync: link && {
          key: link.key,
          setSeries: false,
          filters: { pub: (type) => type === 'mousemove' || type === 'mouseleave' },
        },
      },
      hooks: { drawClear: [(u) => this.drawSections(u)], draw: [(u) => (this.drawTrends(u), this.drawErrors(u), this.drawMarks(u))], setSelect: [(u) => this.zoomTo(u.select)], setCursor: [() => this.showValues()], setScale: [(_u, key) => key === 'x' && this.tellRange()] },
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

  /* The course of lines that are too dense to be followed. */
  private drawTrends(u: uPlot): void {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    const x = this.options.x.values;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.lineWidth = 1.75 * uPlot.pxRatio;
    ctx.lineJoin = 'round';
    this.options.lines.forEach((line, i) => {
      const { trend } = line;
      if (!trend || !u.series[i + 1]?.show) return;
      const unit = this.unitOf(line);
      ctx.strokeStyle = line.style.colour();
      ctx.setLineDash((line.style.dash ?? []).map((d) => d * uPlot.pxRatio));
      ctx.beginPath();
      let pen = false;
      for (let k = 0; k < trend.length; k++) {
        const v = trend[k]! / unit.size;
        const good = Number.isFinite(v) && !(this.options.logY && v <= 0);
        const [px, py] = good ? [u.valToPos(x[k]! / this.xUnit.size, 'x', true), u.valToPos(v, line.right ? 'y2' : 'y', true)] : [0, 0];
        if (good && pen) ctx.lineTo(px, py);
        else if (good) ctx.moveTo(px, py);
        pen = good;
      }
      ctx.stroke();
    });
    ctx.restore();
  }

  /* Limits of the lines on a side, with the bars of those that are shown. */
  private withBars(u: uPlot, side: Side, min: number | null, max: number | null): [number | null, number | null] {
    let [low, high] = [min, max];
    this.options.lines.forEach((line, i) => {
      if (!line.errors || (line.right ? 'y2' : 'y') !== side || u.series[i + 1]?.show === false) return;
      const unit = this.unitOf(line);
      for (let k = 0; k < line.errors.length; k++) {
        const [value, error] = [line.values[k]! / unit.size, line.errors[k]! / unit.size];
        if (low === null || high === null || !Number.isFinite(value) || !(error > 0)) continue;
        [low, high] = [Math.min(low, value - error), Math.max(high, value + error)];
      }
    });
    return [low, high];
  }

  /* Bars to both sides of the values, over the lines. */
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
        const unit = this.unitOf(line);
        const [value, error] = [line.values[k]! / unit.size, line.errors[k]! / unit.size];
        if (!Number.isFinite(value) || !(error > 0)) continue;
        const x = u.valToPos(this.options.x.values[k]! / this.xUnit.size, 'x', true);
        const side: Side = line.right ? 'y2' : 'y';
        const [low, high] = [u.valToPos(value - error, side, true), u.valToPos(value + error, side, true)];
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

  /* Named points, over the lines. */
  private drawMarks(u: uPlot): void {
    const { marks } = this.options;
    if (!marks?.length) return;
    const { left, top, width, height } = u.bbox;
    const placed = marks.map((m) => ({ ...m, x: u.valToPos(m.x / this.xUnit.size, 'x', true), y: u.valToPos(m.y / this.yUnit.size, 'y', true) }))
      .filter((m) => m.x >= left && m.x <= left + width && m.y >= top && m.y <= top + height);
    for (const m of placed) drawMark(u.ctx, 'ring', m.x, m.y, uPlot.pxRatio, theme().text);
    drawLabels(u.ctx, placed.map((m) => ({ text: m.label, colour: theme().text, at: [m] })), placed, [], { x: left, y: top, width, height }, uPlot.pxRatio);
  }

  private showValues(): void {
    const at = this.plot?.cursor.idx;
    const inside = (this.plot?.cursor.left ?? -1) >= 0;
    const data = this.plot?.data as (number | null)[][] | undefined;
    const none = !data || !inside || at === null || at === undefined;
    this.options.link?.point(none ? null : data[0]![at]! * this.xUnit.size);
    if (none) return this.legend.show();
    const values = data.slice(1).map((ys, i) => {
      const v = ys[this.plot.cursor.idxs?.[i + 1] ?? at];
      return v === null || v === undefined ? null : inUnit(v, this.unitOf(this.options.lines[i]!));
    });
    const label = this.options.x.labels?.[data[0]![at]!];
    this.legend.show(label ?? `${this.options.x.name} ${inUnit(data[0]![at]!, this.xUnit, (v) => number(v, 5))}`, values);
  }

  private tellRange(): void {
    const { min, max } = this.plot?.scales['x'] ?? {};
    if (min === undefined || max === undefined) return;
    const whole = min <= this.full[0] && max >= this.full[1];
    this.options.link?.set(whole ? null : [min * this.xUnit.size, max * this.xUnit.size]);
    if (!this.options.link) this.options.onShown?.();
  }

  showRange(range: [number, number] | null): void {
    const [min, max] = range ? range.map((v) => v / this.xUnit.size) as [number, number] : this.full;
    const now = this.plot.scales['x']!;
    if (now.min !== min || now.max !== max) this.plot.setScale('x', { min, max });
  }

  reset(): void {
    this.wanted = {};
    this.plot.setScale('x', { min: this.full[0], max: this.full[1] });
  }

  /* The window that begins and ends at these shares of what is seen now; on a logarithmic axis shares of its length. */
  private window(from: number, to: number): [number, number] {
    const { min, max } = this.plot.scales['x']!;
    const at = (share: number): number => (this.options.logX ? min! * (max! / min!) ** share : min! + share * (max! - min!));
    return [at(from), at(to)];
  }

  private zoom(factor: number, about?: number): void {
    const idx = this.plot.cursor.idx;
    const value = idx === null || idx === undefined ? null : (this.plot.data[0] as number[])[idx]!;
    const width = this.plot.over.clientWidth || 1;
    const centre = about ?? (value === null ? 0.5 : this.plot.valToPos(value, 'x') / width);
    const [from, to] = this.window(centre - centre * factor, centre + (1 - centre) * factor);
    const [left, right] = [Math.max(this.full[0], from), Math.min(this.full[1], to)];
    if (right > left) this.plot.setScale('x', { min: left, max: right });
  }

  /* Within what there is to see. */
  private pan(share: number): void {
    const { min, max } = this.plot.scales['x']!;
    let [from, to] = this.window(share, 1 + share);
    if (from < this.full[0]) [from, to] = [this.full[0], this.options.logX ? (max! / min!) * this.full[0] : this.full[0] + max! - min!];
    if (to > this.full[1]) [from, to] = [this.options.logX ? this.full[1] / (max! / min!) : this.full[1] - (max! - min!), this.full[1]];
    this.plot.setScale('x', { min: Math.max(from, this.full[0]), max: Math.min(to, this.full[1]) });
  }

  /* The wheel alone scrolls the page. */
  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    const turned = event.deltaY || event.deltaX;
    if (event.ctrlKey) this.zoom(Math.exp(Math.min(60, Math.max(-60, turned)) / 200), event.offsetX / (this.plot.over.clientWidth || 1));
    else this.pan(Math.sign(turned) * 0.08);
  }

  /* With the shift key held the plot is moved rather than zoomed, upwards too once its ordinate was zoomed. */
  private grab(event: MouseEvent): void {
    let last = { x: event.clientX, y: event.clientY };
    const moved = (e: MouseEvent): void => {
      this.pan((last.x - e.clientX) / (this.plot.over.clientWidth || 1));
      for (const side of ['y', 'y2'] as const) {
        const limits = this.wanted[side];
        if (!limits || this.options.logY) continue;
        const by = ((e.clientY - last.y) / (this.plot.over.clientHeight || 1)) * (limits[1] - limits[0]);
        this.showOrdinate(side, [limits[0] + by, limits[1] + by]);
      }
      last = { x: e.clientX, y: e.clientY };
    };
    const done = (): void => {
      document.removeEventListener('mousemove', moved);
      document.removeEventListener('mouseup', done);
    };
    document.addEventListener('mousemove', moved);
    document.addEventListener('mouseup', done);
  }

  private showOrdinate(side: Side, [min, max]: [number, number]): void {
    this.wanted[side] = [min, max];
    this.plot.setScale(side, { min, max });
  }

  /* What was dragged over: along the abscissa, along the ordinates, or a box. */
  private zoomTo({ left, top, width, height }: { left: number; top: number; width: number; height: number }): void {
    if (!this.plot || !(width > 0) || !(height > 0)) return;
    const { over } = this.plot;
    const sides: Side[] = this.plot.scales['y2'] ? ['y', 'y2'] : ['y'];
    if (height < over.clientHeight - 2)
      for (const side of sides) this.showOrdinate(side, [this.plot.posToVal(top + height, side), this.plot.posToVal(top, side)]);
    if (width < over.clientWidth - 2) {
      const [min, max] = [this.plot.posToVal(left, 'x'), this.plot.posToVal(left + width, 'x')];
      if (max > min) this.plot.setScale('x', { min, max });
    }
    this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  /* The values in the window, of the lines that are switched on. */
  table(): CsvTable {
    const { x, lines, notes = [] } = this.options;
    const { min, max } = this.plot.scales['x']!;
    const reach = (1e-9 * (max! - min!)) * this.xUnit.size;
    const cut = (values: Values): [number, number] => {
      let [first, last] = [0, values.length];
      while (first < last && values[first]! < min! * this.xUnit.size - reach) first++;
      while (last > first && values[last - 1]! > max! * this.xUnit.size + reach) last--;
      return [first, last];
    };
    const [first, last] = cut(x.values);
    const on = lines.filter((_l, i) => this.legend.isOn(i));
    const shared = on.filter((l) => !l.x);
    const column = (l: Line, from: number, to: number): CsvColumn[] => [
      { name: l.name, unit: this.axisOf(l).unit, values: rowsOf(l.values, from, to) },
      ...(l.errors ? [{ name: `${l.name}.error`, unit: this.axisOf(l).unit, values: rowsOf(l.errors, from, to) }] : []),
    ];
    const columns: CsvColumn[] = shared.length ? [x.labels ? { name: x.name, values: x.labels.slice(first, last) } : { name: x.name, unit: x.unit, values: rowsOf(x.values, first, last) }] : [];
    columns.push(...shared.flatMap((l) => column(l, first, last)));
    for (const l of on.filter((k) => k.x)) {
      const [from, to] = cut(l.x!);
      columns.push({ name: `${x.name} of ${l.name}`, unit: x.unit, values: rowsOf(l.x!, from, to) }, ...column(l, from, to));
    }
    return { notes: [...notes, ...(shared.length ? [rowsText(first, last, x.values.length)] : [])], columns };
  }

  private axisOf(line: Line): { name: string; unit: string } {
    return (line.right && this.options.y2) || this.options.y;
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
