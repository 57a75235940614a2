/* loop.ts — one quantity over another, in the order of the rows: hysteresis loops, curves that turn back. */
import uPlot from 'uplot';
import { largestOf } from './chart';
import type { Values } from './data';
import { el } from './dom';
import { type CsvTable } from './export';
import { inUnit } from './format';
import { axes, Frame, Legend, rightRoom, spread, type LegendEntry } from './frame';
import { drawLabels, drawMark, type Label, type Mark, type Place, type Shape } from './marks';
import { theme, type LineStyle } from './theme';
import { displayUnit, withUnit, type DisplayUnit } from './units';

export interface Curve {
  name: string;
  hint: string;
  x: Values; /* SI */
  y: Values;
  style: LineStyle;
  dots?: boolean; /* points only, not joined */
  group?: string; /* curves of one group share an entry of the legend, which is called so */
  width?: number;
  dashed?: boolean[]; /* for each point, whether the stretch that leads to it is */
  note?: (i: number) => string; /* what else there is to say of a point; told beside the cursor, with the name */
  label?: string; /* written beside the curve where there is room */
  beside?: boolean; /* for comparison: the limits of the plot are those of the other curves */
}

export interface LoopOptions {
  x: { name: string; unit: string; labels?: string[] }; /* labels: of places 1, 2, ... */
  y: { name: string; unit: string };
  curves: Curve[];
  marks?: Mark[];
  legend?: { shape: Shape; name: string }[]; /* what the marks are */
  height: number;
  title?: string;
  logY?: boolean;
  equal?: boolean; /* one unit and one scale for both axes; `height` is then the most */
  downward?: boolean; /* y grows downward */
  notes?: string[]; /* what must be known of the values by who takes them as CSV */
  pointText?: (x: string, y: string) => string; /* of the point under the cursor; otherwise "x, y" */
  onPick?: (curve: number, index: number) => void; /* a point that was clicked, or Enter was pressed at */
  onNear?: (index: number | null, curve?: number) => void; /* the point under the cursor has changed */
}

interface Box {
  x: [number, number];
  y: [number, number];
}

/* A curve as uPlot draws it: one series, or two when parts are dashed. */
interface Series {
  curve: number;
  dashed?: boolean;
}

const scaledTo = (values: Values, unit: DisplayUnit): number[] => Array.from(values, (v) => v / unit.size);
/* Room for axes and their names beside and below a plot; the least that a plot with equal scales has. */
const aside = { width: 100, height: 60 };
const least = { width: 520, height: 190 };

/* Points are drawn smaller from so many on, and as mere dots; not those of a curve that has few among many. */
const [fewDots, someDots, manyDots] = [100, 600, 3000];

const withText = (v: number, unit: DisplayUnit): string => inUnit(v, unit);

export class Loop {
  readonly frame: Frame;
  private plot: uPlot;
  private legend: Legend;
  private xUnit: DisplayUnit;
  private yUnit: DisplayUnit;
  private data: [number[], number[]][];
  private series: Series[];
  private entries: number[]; /* of the legend, for each curve */
  private hidden = new Set<Shape>();
  private marker: HTMLElement;
  private tip: HTMLElement;
  private nearest: { curve: number; index: number } | null = null;
  private rows: (number | null)[] = []; /* that another plot points to, on each curve */
  private followers: HTMLElement[] = []; /* where each curve is there */
  private wanted: Box | null = null; /* what is to be seen at least, of a plot with equal scales */
  private evenFor = ''; /* size of the plot for which the scales are equal */

  constructor(private options: LoopOptions, host: HTMLElement) {
    const { x, y, curves } = options;
    const counted = curves.some((c) => !c.beside) ? curves.filter((c) => !c.beside) : curves;
    this.xUnit = displayUnit(x.unit, largestOf(counted.flatMap((c) => (options.equal ? [c.x, c.y] : [c.x]))));
    this.yUnit = options.equal ? this.xUnit : displayUnit(y.unit, largestOf(counted.map((c) => c.y)));
    this.curves = curves;
    this.data = this.scaled(curves);
    this.series = curves.flatMap((c, curve) => (c.dashed?.some(Boolean) ? [{ curve, dashed: false }, { curve, dashed: true }] : [{ curve }]));
    this.frame = new Frame(options.equal ? (width) => this.evenHeight(width) : options.height, `${y.name} over ${x.name}`, options.title);
    host.append(this.frame.root);
    if (options.equal) this.frame.root.style.maxWidth = `${this.evenWidth()}px`;
    const first = curves.map((c, i) => (c.group === undefined ? i : curves.findIndex((k) => k.group === c.group)));
    const shown = [...new Set(first)];
    this.entries = first.map((e) => shown.indexOf(e));
    this.legend = this.makeLegend(shown);
    this.plot = new uPlot(this.describe(), this.plotData(), this.frame.host);
    this.marker = el('div.loop-marker');
    this.tip = el('div.loop-tip', { role: 'status' });
    this.plot.over.append(this.marker, this.tip);
    this.frame.attach(this.plot, this.legend, {
      move: (steps) => this.move(steps),
      zoom: (factor) => this.zoom(factor),
      reset: () => this.reset(),
      other: curves.length > 1 ? (steps) => this.other(steps) : undefined,
    }, () => this.table());
    if (options.onPick) this.offerPick(options.onPick);
    this.reset();
  }

  /* The point nearest to a click that is no drag. */
  private offerPick(pick: (curve: number, index: number) => void): void {
    let down: [number, number] = [0, 0];
    const take = (): void => void (this.nearest && pick(this.nearest.curve, this.nearest.index));
    this.plot.over.addEventListener('mousedown', (e) => (down = [e.clientX, e.clientY]));
    this.plot.over.addEventListener('click', (e) => Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 4 && take());
    this.frame.host.addEventListener('keydown', (e) => e.key === 'Enter' && take());
  }

  private scaled(curves: Curve[]): [number[], number[]][] {
    const positive = (v: number): number => (v > 0 ? v : NaN);
    return curves.map((c) => [scaledTo(c.x, this.xUnit), this.options.logY ? scaledTo(c.y, this.yUnit).map(positive) : scaledTo(c.y, this.yUnit)]);
  }

  private plotData(): uPlot.AlignedData {
    return [null, ...this.series.map((s) => this.data[s.curve]!)] as unknown as uPlot.AlignedData;
  }

  private curves: Curve[] = []; /* as they are now */

  /* The curves that are switched on, in full: columns for one, rows with the name of the curve for several. */
  private table(): CsvTable {
    const { x, y, notes = [] } = this.options;
    const on = this.curves.filter((_c, i) => this.isShown(i));
    if (on.length === 1) return { notes, columns: [{ name: x.name, unit: x.unit, values: on[0]!.x }, { name: y.name, unit: y.unit, values: on[0]!.y }] };
    return {
      notes,
      columns: [
        { name: 'curve', values: on.flatMap((c) => Array.from(c.x, () => c.name)) },
        { name: x.name, unit: x.unit, values: on.flatMap((c) => Array.from(c.x)) },
        { name: y.name, unit: y.unit, values: on.flatMap((c) => Array.from(c.y)) },
      ],
    };
  }

  /* Entries of the curves, then those of the kinds of marks. */
  private makeLegend(shown: number[]): Legend {
    const { curves, legend = [] } = this.options;
    const text = { colour: () => theme().text, dash: undefined };
    const entries: LegendEntry[] = [
      ...shown.map((i) => ({ ...curves[i]!, name: curves[i]!.group ?? curves[i]!.name, rest: '' })),
      ...legend.map(({ shape, name }) => ({ name, hint: name, style: text, rest: '', mark: shape })),
    ];
    return new Legend(entries, (entry, show) => {
      const kind = legend[entry - shown.length];
      if (kind) {
        if (show) this.hidden.delete(kind.shape);
        else this.hidden.add(kind.shape);
      } else /* not by setSeries(), which would forget the limits of the axes */
        this.series.forEach((s, i) => this.entries[s.curve] === entry && (this.plot.series[i + 1]!.show = show));
      this.plot.redraw(false);
    });
  }

  private describe(): uPlot.Options {
    const { x, y, curves, logY, equal, downward } = this.options;
    return {
      ...this.frame.size,
      mode: 2,
      padding: [10, rightRoom, 0, 0],
      legend: { show: false },
      /* Ranges are set by reset() and zooming alone. */
      scales: {
        x: { time: false, auto: false, range: (_u, a, b) => [a, b] },
        y: { auto: false, distr: logY ? 3 : 1, dir: downward ? -1 : 1, range: (_u, a, b) => [a, b] },
      },
      axes: axes({ label: withUnit(x.name, this.xUnit), unit: this.xUnit, ...(x.labels ? { names: ['', ...x.labels] } : {}) }, { label: withUnit(y.name, this.yUnit), unit: this.yUnit, log: logY }),
      series: [
        {},
        ...this.series.map((s, i) => ({
          stroke: curves[s.curve]!.style.colour,
          width: curves[s.curve]!.width ?? 1.5,
          dash: s.dashed ? [5, 4] : curves[s.curve]!.style.dash,
          points: { show: false },
          facets: [{ scale: 'x', auto: false }, { scale: 'y', auto: false }],
          ...(curves[s.curve]!.dots ? { fill: curves[s.curve]!.style.colour } : {}),
          paths: (u: uPlot) => (this.dense(s.curve) ? { stroke: null, fill: this.path(u, this.series[i]!) } : { stroke: this.path(u, this.series[i]!) }),
        })),
      ],
      cursor: {
        drag: { x: true, y: true, dist: 4, uni: 30, setScale: !equal },
        points: { show: false },
        dataIdx: () => null,
        bind: { dblclick: () => () => (this.reset(), null) },
      },
      hooks: {
        setCursor: [(u) => this.hover(u)],
        setSize: [() => (this.mark(), equal && queueMicrotask(() => this.keepEven()))],
        ...(equal ? { setSelect: [(u: uPlot) => this.zoomTo(u.select)] } : {}),
        draw: [(u) => this.drawMarks(u)],
      },
    };
  }

  private points(): number {
    return this.data.reduce((n, d) => n + d[0].length, 0);
  }

  /* Clouds of very many points would be blots of rings, and slow. */
  private dense(curve: number): boolean {
    return !!this.options.curves[curve]?.dots && this.points() > manyDots && this.data[curve]![0].length > someDots;
  }

  private path(u: uPlot, { curve, dashed }: Series): Path2D {
    const [xs, ys] = this.data[curve]!;
    const path = new Path2D();
    const { dots, dashed: stretches } = this.options.curves[curve] ?? {};
    const dense = this.dense(curve);
    const r = (dense ? 1 : this.points() > someDots && xs.length > fewDots ? 2.4 : 4) * uPlot.pxRatio;
    let pen = false;
    for (let i = 0; i < xs.length; i++) {
      const ok = Number.isFinite(xs[i]!) && Number.isFinite(ys[i]!);
      if (ok) {
        const px = u.valToPos(xs[i]!, 'x', true);
        const py = u.valToPos(ys[i]!, 'y', true);
        if (dense) path.rect(px - r, py - r, 2 * r, 2 * r);
        else if (dots) {
          path.moveTo(px + r, py);
          path.arc(px, py, r, 0, 2 * Math.PI);
        } else if (pen && (dashed === undefined || stretches![i] === dashed)) path.lineTo(px, py);
        else path.moveTo(px, py);
      }
      pen = ok;
    }
    return path;
  }

  private isShown(curve: number): boolean {
    return this.plot.series[this.series.findIndex((s) => s.curve === curve) + 1]?.show !== false;
  }

  /* Points along the drawn curves that labels should keep clear of, one for each cell of a fine grid, and the points of each
   * curve by themselves. */
  private pathPoints(u: uPlot): { all: Place[]; own: Place[][] } {
    const step = 6 * uPlot.pxRatio;
    const cells = new Map<string, Place>();
    const put = (p: Place): void => void cells.set(`${Math.round(p.x / step)} ${Math.round(p.y / step)}`, p);
    const own = this.data.map(([xs, ys], curve) => {
      const points: Place[] = [];
      if (!this.isShown(curve)) return points;
      xs.forEach((x, i) => {
        const p = { x: u.valToPos(x, 'x', true), y: u.valToPos(ys[i]!, 'y', true) };
        const last = points[points.length - 1];
        if (!Number.isFinite(p.x) || !Number.isFinite(p.y)) return;
        const n = last ? Math.min(200, Math.floor(Math.hypot(p.x - last.x, p.y - last.y) / step)) : 0;
        for (let k = 1; k < n; k++) put({ x: last!.x + (p.x - last!.x) * k / n, y: last!.y + (p.y - last!.y) * k / n });
        points.push(p);
        put(p);
      });
      return points;
    });
    return { all: [...cells.values()], own };
  }

  private drawMarks(u: uPlot): void {
    if (!this.plot) return; /* drawn again as soon as the limits are set */
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    const seen = ({ x, y }: Place): boolean => x >= left && x <= left + width && y >= top && y <= top + height;
    const marks = (this.options.marks ?? []).map((mark) => ({
      ...mark, shape: mark.shape ?? 'disc', colour: mark.colour ? mark.colour() : theme().text,
      x: u.valToPos(mark.x / this.xUnit.size, 'x', true), y: u.valToPos(mark.y / this.yUnit.size, 'y', true),
    })).filter((m) => seen(m) && !this.hidden.has(m.shape) && (m.curve === undefined || this.isShown(m.curve)));
    for (const m of marks) drawMark(u.ctx, m.shape, m.x, m.y, ratio, m.colour);
    const { curves } = this.options;
    const labelled = marks.filter((m) => m.label);
    if (!labelled.length && !curves.some((c) => c.label)) return;
    const { all, own } = this.pathPoints(u);
    const names: Label[] = curves.flatMap((c, i) => (c.label ? [{
      text: c.label, colour: c.style.colour(),
      at: [1 / 2, 1 / 4, 3 / 4, 1 / 8, 7 / 8, 3 / 8, 5 / 8].map((share) => own[i]![Math.floor(share * own[i]!.length)]!)
        .filter((p) => p && seen(p)),
    }] : []));
    drawLabels(u.ctx, [...names, ...labelled.map((m) => ({ text: m.label, colour: theme().text, at: [m] }))], marks, all,
      { x: left, y: top, width, height }, ratio);
  }

  /* Everything, with a margin. */
  private whole(): Box {
    const { curves, logY } = this.options;
    const counted = curves.some((c) => !c.beside) ? this.data.filter((_d, i) => !curves[i]?.beside) : this.data;
    const limits = (which: 0 | 1): [number, number] => {
      let low = Infinity;
      let high = -Infinity;
      for (const curve of counted)
        for (const v of curve[which]) {
          if (v < low) low = v;
          if (v > high) high = v;
        }
      const [a, b] = spread(low, high);
      if (which === 0 && this.options.x.labels) return [a - 0.5, b + 0.5];
      if (which === 1 && logY) return a > 0 ? [a / (b / a) ** 0.05, b * (b / a) ** 0.05] : [0.1, 10];
      return [a - 0.05 * (b - a), b + 0.05 * (b - a)];
    };
    return { x: limits(0), y: limits(1) };
  }

  private show(wanted: Box): void {
    const box = this.options.equal ? this.even(wanted) : wanted;
    this.plot.batch(() => {
      this.plot.setScale('x', { min: box.x[0], max: box.x[1] });
      this.plot.setScale('y', { min: box.y[0], max: box.y[1] });
    });
    this.mark();
  }

  /* High enough for all of the curves at the full width, within limits. */
  private evenHeight(width: number): number {
    const high = (width - aside.width) * this.slope() + aside.height;
    return Math.round(Math.min(this.options.height, Math.max(least.height, high)));
  }

  /* What the curves take at the full height: a round path leaves no room at its sides. */
  private evenWidth(): number {
    return Math.round(Math.max(least.width, (this.options.height - aside.height) / this.slope() + aside.width));
  }

  /* Height over width of all curves. */
  private slope(): number {
    const { x, y } = this.whole();
    return (y[1] - y[0]) / (x[1] - x[0]);
  }

  /* Widened in one direction, so that a length is as long along both axes. */
  private even(wanted: Box): Box {
    const { width, height } = this.plot.bbox;
    const step = Math.max((wanted.x[1] - wanted.x[0]) / width, (wanted.y[1] - wanted.y[0]) / height);
    const around = ([a, b]: [number, number], pixels: number): [number, number] => [(a + b - step * pixels) / 2, (a + b + step * pixels) / 2];
    this.wanted = wanted;
    this.evenFor = `${width} ${height}`;
    return { x: around(wanted.x, width), y: around(wanted.y, height) };
  }

  /* The plot may have another size than when its scales were made equal. */
  private keepEven(): void {
    const { width, height } = this.plot.bbox;
    if (this.wanted && this.evenFor !== `${width} ${height}`) this.show(this.wanted);
  }

  /* What was dragged over, in pixels. */
  private zoomTo({ left, top, width, height }: { left: number; top: number; width: number; height: number }): void {
    if (!(width > 0) || !(height > 0)) return;
    const [a, b] = [this.plot.posToVal(top, 'y'), this.plot.posToVal(top + height, 'y')];
    this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.show({ x: [this.plot.posToVal(left, 'x'), this.plot.posToVal(left + width, 'x')], y: [Math.min(a, b), Math.max(a, b)] });
  }

  reset(): void {
    this.show(this.whole());
  }

  private zoom(factor: number): void {
    const around = (key: 'x' | 'y', at: number | null): [number, number] => {
      const { min, max } = this.plot.scales[key]!;
      if (key === 'y' && this.options.logY) {
        const centre = at ?? Math.sqrt(min! * max!);
        return [centre / (centre / min!) ** factor, centre * (max! / centre) ** factor];
      }
      const centre = at ?? (min! + max!) / 2;
      return [centre - (centre - min!) * factor, centre + (max! - centre) * factor];
    };
    const at = this.nearest && this.data[this.nearest.curve]!;
    this.show({
      x: around('x', at ? at[0][this.nearest!.index]! : null),
      y: around('y', at ? at[1][this.nearest!.index]! : null),
    });
  }

  private move(steps: number): void {
    const curve = this.nearest?.curve ?? Math.max(0, this.data.findIndex((_d, i) => this.isShown(i)));
    const n = this.data[curve]?.[0].length ?? 0;
    if (!n) return;
    const stride = Math.max(1, Math.round(n / 500));
    const index = ((this.nearest?.index ?? -1) + steps * stride + n) % n;
    this.nearest = { curve, index: Math.max(0, index) };
    this.tell();
  }

  /* To the nearest point of the next curve that is shown. */
  private other(steps: number): void {
    const near = this.nearest;
    if (!near) return this.move(1);
    const n = this.data.length;
    let curve = (near.curve + steps + n) % n;
    while (curve !== near.curve && !this.isShown(curve)) curve = (curve + steps + n) % n;
    const [xs, ys] = this.data[near.curve]!;
    const found = this.nearestTo(this.plot.valToPos(xs[near.index]!, 'x'), this.plot.valToPos(ys[near.index]!, 'y'), [curve], Infinity);
    this.nearest = found ?? near;
    this.tell();
  }

  private nearestTo(left: number, top: number, curves: number[], reach: number): { curve: number; index: number } | null {
    let best = reach;
    let found: { curve: number; index: number } | null = null;
    for (const curve of curves) {
      const [xs, ys] = this.data[curve]!;
      for (let index = 0; index < xs.length; index++) {
        const dx = this.plot.valToPos(xs[index]!, 'x') - left;
        const dy = this.plot.valToPos(ys[index]!, 'y') - top;
        const distance = dx * dx + dy * dy;
        if (distance < best) {
          best = distance;
          found = { curve, index };
        }
      }
    }
    return found;
  }

  /* The point nearest to the pointer, within reach of the hand. */
  private hover(u: uPlot): void {
    const { left = -1, top = -1 } = u.cursor;
    if (!this.marker) return;
    const shown = this.data.map((_d, i) => i).filter((i) => this.isShown(i));
    this.nearest = left < 0 ? null : this.nearestTo(left, top, shown, 40 * 40);
    this.tell();
  }

  private pointText(curve: number, index: number): string {
    const [xs, ys] = this.data[curve]!;
    const [x, y] = [withText(xs[index]!, this.xUnit), withText(ys[index]!, this.yUnit)];
    return this.options.pointText?.(x, y) ?? `${x}, ${y}`;
  }

  private tell(): void {
    const near = this.nearest;
    if (near) this.rows = [];
    this.mark();
    this.options.onNear?.(near?.index ?? null, near?.curve);
    if (!near) return this.legend.show();
    const { name, group, note } = this.options.curves[near.curve]!;
    const at = this.pointText(near.curve, near.index);
    if (note) return this.legend.show();
    this.legend.show(undefined, [...new Set(this.entries)].map((entry) =>
      entry !== this.entries[near.curve] ? '' : group === undefined ? at : `${name.slice(group.length).trim()} ${at}`));
  }

  private mark(): void {
    if (!this.marker) return;
    this.putFollowers();
    const near = this.nearest;
    this.marker.hidden = !near;
    this.tip.hidden = !near || !this.options.curves[near.curve]?.note;
    if (!near) return;
    const [xs, ys] = this.data[near.curve]!;
    const x = this.plot.valToPos(xs[near.index]!, 'x');
    const y = this.plot.valToPos(ys[near.index]!, 'y');
    this.putDot(this.marker, near.curve, near.index);
    if (!this.tip.hidden) this.putTip(near.curve, near.index, x, y);
  }

  /* Beside the point, on the side that has room. */
  private putTip(curve: number, index: number, x: number, y: number): void {
    const { name, note } = this.options.curves[curve]!;
    this.tip.replaceChildren(el('b', {}, name),
      el('span', {}, this.pointText(curve, index)),
      el('span', {}, note!(index)));
    const { clientWidth: width, clientHeight: height } = this.plot.over;
    const { offsetWidth: w, offsetHeight: h } = this.tip;
    this.tip.style.left = `${x + 14 + w <= width ? x + 14 : Math.max(0, x - 14 - w)}px`;
    this.tip.style.top = `${Math.max(0, Math.min(height - h, y - h - 10 >= 0 ? y - h - 10 : y + 14))}px`;
  }

  /* Mark the row that another plot points to, one for every curve or one for each; null = none. */
  follow(row: number | null | (number | null)[]): void {
    this.rows = row === null ? [] : Array.isArray(row) ? row : this.data.map(() => row);
    if (row !== null) this.nearest = null;
    this.mark();
  }

  private putFollowers(): void {
    const { rows } = this;
    const n = rows.length ? this.data.length : 0;
    while (this.followers.length > n) this.followers.pop()!.remove();
    while (this.followers.length < n) this.plot.over.appendChild(this.followers[this.followers.push(el('div.loop-marker')) - 1]!);
    this.followers.forEach((dot, curve) => {
      const [xs, ys] = this.data[curve]!;
      const row = rows[curve] ?? -1;
      dot.hidden = !this.isShown(curve) || !Number.isFinite(xs[row]) || !Number.isFinite(ys[row]);
      if (!dot.hidden) this.putDot(dot, curve, row);
    });
  }

  private putDot(dot: HTMLElement, curve: number, index: number): void {
    const [xs, ys] = this.data[curve]!;
    dot.style.left = `${this.plot.valToPos(xs[index]!, 'x')}px`;
    dot.style.top = `${this.plot.valToPos(ys[index]!, 'y')}px`;
    dot.style.borderColor = this.options.curves[curve]!.style.colour();
  }

  /* Draw another part of the record, at the same zoom. */
  setCurves(curves: Curve[]): void {
    this.curves = curves;
    this.data = this.scaled(curves);
    this.nearest = null;
    this.rows = [];
    this.plot.setData(this.plotData(), false);
    this.plot.redraw(true);
    this.tell();
  }

  destroy(): void {
    this.frame.destroy();
  }
}
