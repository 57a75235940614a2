/* loop.ts — one quantity over another, in the order of the rows: hysteresis loops, curves that turn back. */
import uPlot from 'uplot';
import { largestOf } from './chart';
import type { Mark } from './corners';
import type { Values } from './data';
import { number } from './format';
import { axes, Frame, Legend, spread } from './frame';
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
}

export interface LoopOptions {
  x: { name: string; unit: string };
  y: { name: string; unit: string };
  curves: Curve[];
  marks?: Mark[];
  height: number;
  title?: string;
}

interface Box {
  x: [number, number];
  y: [number, number];
}

const inUnit = (values: Values, unit: DisplayUnit): number[] => Array.from(values, (v) => v / unit.size);

export class Loop {
  readonly frame: Frame;
  private plot: uPlot;
  private legend: Legend;
  private xUnit: DisplayUnit;
  private yUnit: DisplayUnit;
  private data: [number[], number[]][];
  private entries: number[]; /* of the legend, for each curve */
  private marker: HTMLElement;
  private nearest: { curve: number; index: number } | null = null;

  constructor(private options: LoopOptions, host: HTMLElement) {
    const { x, y, curves } = options;
    this.xUnit = displayUnit(x.unit, largestOf(curves.map((c) => c.x)));
    this.yUnit = displayUnit(y.unit, largestOf(curves.map((c) => c.y)));
    this.data = curves.map((c) => [inUnit(c.x, this.xUnit), inUnit(c.y, this.yUnit)]);
    this.frame = new Frame(options.height, `${y.name} over ${x.name}`, options.title);
    host.append(this.frame.root);
    this.entries = curves.map((c, i) => (c.group === undefined ? i : curves.findIndex((k) => k.group === c.group)));
    const shown = [...new Set(this.entries)];
    this.legend = new Legend(
      shown.map((i) => ({ ...curves[i]!, name: curves[i]!.group ?? curves[i]!.name, rest: '' })),
      (entry, show) => this.entries.forEach((e, i) => e === shown[entry] && this.plot.setSeries(i + 1, { show })),
    );
    this.entries = this.entries.map((e) => shown.indexOf(e));
    this.plot = new uPlot(this.describe(), [null, ...this.data] as unknown as uPlot.AlignedData, this.frame.host);
    this.marker = document.createElement('div');
    this.marker.className = 'loop-marker';
    this.plot.over.append(this.marker);
    this.frame.attach(this.plot, this.legend, {
      move: (steps) => this.move(steps),
      zoom: (factor) => this.zoom(factor),
      reset: () => this.reset(),
    });
    this.reset();
  }

  private describe(): uPlot.Options {
    const { x, y, curves } = this.options;
    return {
      ...this.frame.size,
      mode: 2,
      padding: [10, 14, 0, 0],
      legend: { show: false },
      /* Ranges are set by reset() and zooming alone. */
      scales: { x: { time: false, auto: false, range: (_u, a, b) => [a, b] }, y: { auto: false, range: (_u, a, b) => [a, b] } },
      axes: axes({ label: withUnit(x.name, this.xUnit) }, { label: withUnit(y.name, this.yUnit) }),
      series: [
        {},
        ...curves.map((curve, i) => ({
          stroke: curve.style.colour,
          width: curve.width ?? 1.5,
          dash: curve.style.dash,
          points: { show: false },
          facets: [{ scale: 'x', auto: false }, { scale: 'y', auto: false }],
          paths: (u: uPlot) => ({ stroke: this.path(u, i) }),
        })),
      ],
      cursor: {
        drag: { x: true, y: true, dist: 4, uni: 30 },
        points: { show: false },
        dataIdx: () => null,
        bind: { dblclick: () => () => (this.reset(), null) },
      },
      hooks: {
        setCursor: [(u) => this.hover(u)],
        setSize: [() => this.mark()],
        draw: [(u) => this.drawMarks(u)],
      },
    };
  }

  private path(u: uPlot, curve: number): Path2D {
    const [xs, ys] = this.data[curve]!;
    const path = new Path2D();
    const dots = this.options.curves[curve]?.dots;
    let pen = false;
    for (let i = 0; i < xs.length; i++) {
      const ok = Number.isFinite(xs[i]!) && Number.isFinite(ys[i]!);
      if (ok) {
        const px = u.valToPos(xs[i]!, 'x', true);
        const py = u.valToPos(ys[i]!, 'y', true);
        if (dots) {
          path.moveTo(px + 4 * uPlot.pxRatio, py);
          path.arc(px, py, 4 * uPlot.pxRatio, 0, 2 * Math.PI);
        } else if (pen) path.lineTo(px, py);
        else path.moveTo(px, py);
      }
      pen = ok;
    }
    return path;
  }

  private drawMarks(u: uPlot): void {
    const ratio = uPlot.pxRatio;
    u.ctx.save();
    u.ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
    u.ctx.textAlign = 'left';
    u.ctx.textBaseline = 'alphabetic';
    for (const mark of this.options.marks ?? []) {
      const x = u.valToPos(mark.x / this.xUnit.size, 'x', true);
      const y = u.valToPos(mark.y / this.yUnit.size, 'y', true);
      const { left, top, width, height } = u.bbox;
      if (!(x >= left && x <= left + width && y >= top && y <= top + height)) continue;
      const colour = mark.colour ? mark.colour() : theme().text;
      u.ctx.beginPath();
      u.ctx.arc(x, y, 3.5 * ratio, 0, 2 * Math.PI);
      u.ctx.fillStyle = u.ctx.strokeStyle = colour;
      u.ctx.lineWidth = 1.5 * ratio;
      if (mark.ring) u.ctx.stroke();
      else u.ctx.fill();
      u.ctx.fillText(mark.label, x + 7 * ratio, y - 6 * ratio);
    }
    u.ctx.restore();
  }

  /* Everything, with a margin. */
  private whole(): Box {
    const limits = (which: 0 | 1): [number, number] => {
      let low = Infinity;
      let high = -Infinity;
      for (const curve of this.data)
        for (const v of curve[which]) {
          if (v < low) low = v;
          if (v > high) high = v;
        }
      const [a, b] = spread(low, high);
      return [a - 0.05 * (b - a), b + 0.05 * (b - a)];
    };
    return { x: limits(0), y: limits(1) };
  }

  private show(box: Box): void {
    this.plot.batch(() => {
      this.plot.setScale('x', { min: box.x[0], max: box.x[1] });
      this.plot.setScale('y', { min: box.y[0], max: box.y[1] });
    });
    this.mark();
  }

  reset(): void {
    this.show(this.whole());
  }

  private zoom(factor: number): void {
    const around = (key: 'x' | 'y', at: number | null): [number, number] => {
      const { min, max } = this.plot.scales[key]!;
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
    const curve = this.nearest?.curve ?? 0;
    const n = this.data[curve]?.[0].length ?? 0;
    if (!n) return;
    const stride = Math.max(1, Math.round(n / 500));
    const index = ((this.nearest?.index ?? -1) + steps * stride + n) % n;
    this.nearest = { curve, index: Math.max(0, index) };
    this.tell();
  }

  /* The point nearest to the pointer, within reach of the hand. */
  private hover(u: uPlot): void {
    const { left = -1, top = -1 } = u.cursor;
    if (!this.marker || left < 0) {
      this.nearest = null;
      if (this.marker) this.tell();
      return;
    }
    let best = 40 * 40;
    this.nearest = null;
    this.data.forEach(([xs, ys], curve) => {
      if (u.series[curve + 1]?.show === false) return;
      for (let index = 0; index < xs.length; index++) {
        const dx = u.valToPos(xs[index]!, 'x') - left;
        const dy = u.valToPos(ys[index]!, 'y') - top;
        const distance = dx * dx + dy * dy;
        if (distance < best) {
          best = distance;
          this.nearest = { curve, index };
        }
      }
    });
    this.tell();
  }

  private tell(): void {
    this.mark();
    const near = this.nearest;
    if (!near) return this.legend.show();
    const text = (v: number, unit: DisplayUnit): string => `${number(v)}${unit.text ? ` ${unit.text}` : ''}`;
    const [xs, ys] = this.data[near.curve]!;
    const { name, group } = this.options.curves[near.curve]!;
    const at = `${text(xs[near.index]!, this.xUnit)}, ${text(ys[near.index]!, this.yUnit)}`;
    this.legend.show(undefined, [...new Set(this.entries)].map((entry) =>
      entry !== this.entries[near.curve] ? '' : group === undefined ? at : `${name.slice(group.length).trim()} ${at}`));
  }

  private mark(): void {
    if (!this.marker) return;
    const near = this.nearest;
    this.marker.hidden = !near;
    if (!near) return;
    const [xs, ys] = this.data[near.curve]!;
    this.marker.style.left = `${this.plot.valToPos(xs[near.index]!, 'x')}px`;
    this.marker.style.top = `${this.plot.valToPos(ys[near.index]!, 'y')}px`;
    this.marker.style.borderColor = this.options.curves[near.curve]!.style.colour();
  }

  /* Draw another part of the record, at the same zoom. */
  setCurves(curves: Curve[]): void {
    this.data = curves.map((c) => [inUnit(c.x, this.xUnit), inUnit(c.y, this.yUnit)]);
    this.nearest = null;
    this.plot.setData([null, ...this.data] as unknown as uPlot.AlignedData, false);
    this.plot.redraw(true);
    this.tell();
  }

  destroy(): void {
    this.frame.destroy();
  }
}
