/* stage_sketch.ts — what drawings of machines are made of, in pixels: arrows, springs, dampers, hatched walls, and small plots
 * beside them. */
import { aligned, roundValues, tick } from './format';
import type { Point } from './geometry';
import type { Box, Pen, Stroke } from './pen';
import type { View } from './stage_view';
import { theme } from './theme';
import { displayUnit, withUnit, type DisplayUnit } from './units';

const along = (a: Point, b: Point): { length: number; u: Point } => {
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]);
  return { length, u: length > 0 ? [(b[0] - a[0]) / length, (b[1] - a[1]) / length] : [1, 0] };
};

/* A place `s` along and `d` to the side of a straight line. */
const beside = (a: Point, u: Point, s: number, d: number): Point => [a[0] + s * u[0] - d * u[1], a[1] + s * u[1] + d * u[0]];

export function arrow(pen: Pen, from: Point, to: Point, colour: string, width = 2.5): void {
  const { length, u } = along(from, to);
  if (!(length > 1.5)) return;
  const head = Math.min(11, 0.7 * length);
  pen.line([from, beside(from, u, length - 0.8 * head, 0)], { stroke: colour, width });
  pen.polygon([to, beside(from, u, length - head, 0.42 * head), beside(from, u, length - head, -0.42 * head)], { fill: colour });
}

/* Zigzag with straight ends, as wide as 2 `half`. */
export function spring(pen: Pen, a: Point, b: Point, half: number, coils: number, s: Stroke): void {
  const { length, u } = along(a, b);
  const end = Math.min(10, 0.12 * length);
  const points: Point[] = [a, beside(a, u, end, 0)];
  for (let k = 0; k < 2 * coils; k++) points.push(beside(a, u, end + ((k + 0.5) * (length - 2 * end)) / (2 * coils), k % 2 ? -half : half));
  pen.line([...points, beside(a, u, length - end, 0), b], s);
}

/* Pot on the side of `a`, piston on that of `b`. */
export function damper(pen: Pen, a: Point, b: Point, half: number, s: Stroke): void {
  const { length, u } = along(a, b);
  const [base, rim, piston] = [0.3 * length, 0.72 * length, 0.55 * length];
  pen.line([a, beside(a, u, base, 0)], s);
  pen.line([beside(a, u, rim, half), beside(a, u, base, half), beside(a, u, base, -half), beside(a, u, rim, -half)], s);
  pen.line([beside(a, u, piston, 0.75 * half), beside(a, u, piston, -0.75 * half)], { ...s, width: (s.width ?? 1) + 1 });
  pen.line([beside(a, u, piston, 0), b], s);
}

/* Two plates that rub: a friction element between a and b. */
export function rubbing(pen: Pen, a: Point, b: Point, half: number, s: Stroke, hot: string): void {
  const { length, u } = along(a, b);
  const [first, last] = [0.3 * length, 0.7 * length];
  pen.line([a, beside(a, u, first - 6, 0), beside(a, u, first - 6, half), beside(a, u, last, half)], { ...s, width: (s.width ?? 1) + 0.75 });
  pen.polygon([beside(a, u, first, half - 2), beside(a, u, last - 4, half - 2), beside(a, u, last - 4, 2 - half), beside(a, u, first, 2 - half)], { fill: hot, stroke: s.stroke, width: 1 });
  pen.line([beside(a, u, last - 4, 0), b], s);
}

/* A wall from a to b, hatched on its right as one goes. */
export function wall(pen: Pen, a: Point, b: Point, depth = 8): void {
  const { length, u } = along(a, b);
  for (let s = 6; s < length + depth; s += 9) {
    const [from, to] = [Math.min(s, length), Math.max(0, s - depth)];
    if (from > to) pen.line([beside(a, u, from, depth * Math.max(0, (s - length) / depth)), beside(a, u, to, depth * Math.min(1, s / depth))], { stroke: theme().axis, width: 1.2 });
  }
  pen.line([a, b], { stroke: theme().muted, width: 1.75 });
}

export function box(pen: Pen, low: Point, high: Point, fill: string, stroke: string, width = 1.5): void {
  pen.polygon([low, [high[0], low[1]], high, [low[0], high[1]]], { fill, stroke, width });
}

/* Mixed with the paper, for areas: `share` of the colour. */
export function tint(colour: string, share: number): string {
  const [a, b] = [colour, theme().paper].map(channels) as [number[], number[]];
  return `rgb(${a.map((c, i) => Math.round(share * c + (1 - share) * b[i]!)).join(',')})`;
}

const parsed = new Map<string, number[]>();

/* Red, green and blue; the same few colours come in every frame. */
function channels(colour: string): number[] {
  let found = parsed.get(colour);
  if (!found) {
    const hex = /^#(..)(..)(..)/.exec(colour);
    found = hex ? hex.slice(1, 4).map((h) => parseInt(h, 16)) : (colour.match(/[\d.]+/g) ?? ['128', '128', '128']).slice(0, 3).map(Number);
    if (parsed.size > 2000) parsed.clear();
    parsed.set(colour, found);
  }
  return found;
}

/* Darker or lighter by the light that falls on a face: 1 = as it is, 0 = in the shadow. */
export function lit(colour: string, light: number): string {
  const f = 0.55 + 0.45 * Math.max(0, Math.min(1, light));
  return `rgb(${channels(colour).map((c) => Math.round(c * f)).join(',')})`;
}

/* Room above and below drawings of a size of their own where the picture is higher than they are, in their units. */
export const spareHeight = (view: View, width: number, height: number): number =>
  Math.max(0, view.box.height / Math.min(view.box.width / width, view.box.height / height) - height) / 2;

/* A value that changes from frame to frame, in the unit and with the decimals that `scale` has. */
export function steady(value: number, unit: string, scale: number, digits = 3): string {
  const shown = displayUnit(unit, Math.abs(scale));
  return `${aligned(value / shown.size, scale / shown.size, digits)}${shown.text ? ` ${shown.text}` : ''}`;
}

export interface PlotAxis {
  name: string;
  unit: string;
  low: number;
  high: number;
}

/* A small plot in a drawing. */
export class SmallPlot {
  private xUnit: DisplayUnit;
  private yUnit: DisplayUnit;
  private area: Box = { x: 0, y: 0, width: 1, height: 1 };

  constructor(private x: PlotAxis, private y: PlotAxis) {
    for (const axis of [x, y]) {
      const room = 0.08 * (axis.high - axis.low) || 0.1 * Math.abs(axis.high) || 1e-9;
      [axis.low, axis.high] = [axis.low - room, axis.high + room];
    }
    this.xUnit = displayUnit(x.unit, Math.max(Math.abs(x.low), Math.abs(x.high)));
    this.yUnit = displayUnit(y.unit, Math.max(Math.abs(y.low), Math.abs(y.high)));
  }

  px(x: number, y: number): Point {
    const { area } = this;
    return [area.x + ((x - this.x.low) / (this.x.high - this.x.low)) * area.width, area.y + area.height - ((y - this.y.low) / (this.y.high - this.y.low)) * area.height];
  }

  /* Axes with ticks within `outer`. */
  frame(pen: Pen, outer: Box): void {
    const { grid, axis, muted, text } = theme();
    this.area = { x: outer.x + 58, y: outer.y + 22, width: Math.max(20, outer.width - 70), height: Math.max(20, outer.height - 60) };
    const { area } = this;
    const [right, bottom] = [area.x + area.width, area.y + area.height];
    const ticks = (a: PlotAxis, unit: DisplayUnit, most: number): { at: number; label: string }[] => {
      const list = roundValues(a.low / unit.size, a.high / unit.size, most);
      const step = list.length > 1 ? list[1]! - list[0]! : 1;
      return list.map((v) => ({ at: v * unit.size, label: tick(v, step) }));
    };
    for (const { at, label } of ticks(this.x, this.xUnit, Math.max(2, Math.round(area.width / 75)))) {
      const x = this.px(at, 0)[0];
      pen.line([[x, area.y], [x, bottom]], { stroke: grid });
      pen.text([x, bottom + 12], label, { fill: muted, size: 11.5 });
    }
    for (const { at, label } of ticks(this.y, this.yUnit, Math.max(2, Math.round(area.height / 45)))) {
      const y = this.px(0, at)[1];
      pen.line([[area.x, y], [right, y]], { stroke: grid });
      pen.text([area.x - 6, y], label, { fill: muted, size: 11.5, align: 'right' });
    }
    pen.line([[area.x, area.y], [area.x, bottom], [right, bottom]], { stroke: axis });
    pen.text([area.x + area.width / 2, bottom + 29], withUnit(this.x.name, this.xUnit), { fill: text, size: 12 });
    pen.text([outer.x + 2, outer.y + 9], withUnit(this.y.name, this.yUnit), { fill: text, size: 12, align: 'left' });
  }

  /* Within the axes only. */
  clipped(pen: Pen, draw: () => void): void {
    const { x, y, width, height } = this.area;
    pen.clip({ x: x - 1, y: y - 8, width: width + 10, height: height + 9 }, draw);
  }

  curve(pen: Pen, points: [number, number][], s: Stroke): void {
    if (points.length > 1) pen.line(points.map(([x, y]) => this.px(x, y)), s);
  }

  upright(pen: Pen, x: number, s: Stroke): void {
    const at = this.px(x, 0)[0];
    if (at > this.area.x && at < this.area.x + this.area.width) pen.line([[at, this.area.y], [at, this.area.y + this.area.height]], s);
  }

  dot(pen: Pen, x: number, y: number, colour: string): void {
    if (Number.isFinite(x) && Number.isFinite(y)) pen.circle(this.px(x, y), 5, { fill: colour, stroke: theme().paper, width: 1.5 });
  }

  mark(pen: Pen, x: number, y: number, label: string, middle: [number, number]): void {
    const [p, m] = [this.px(x, y), this.px(middle[0], middle[1])];
    const { u } = along(m, p);
    pen.circle(p, 3.5, { fill: theme().text });
    pen.text([p[0] + 13 * u[0], p[1] + 13 * u[1]], label, { fill: theme().text, size: 13, weight: 600, halo: theme().paper });
  }
}
