/* pushbelt.ts — elements and rings of a pushbelt as pictures draw them: outlines from the side, and the ring as a band. */
import type { Carried } from '../../advect';
import { valuesOf, type Group, type Report } from '../../data';
import type { Track } from '../../film';
import type { Point } from '../../geometry';
import type { Pen } from '../../pen';
import { shade, type Coloured } from '../../stage_colour';
import { theme } from '../../theme';

/* What the group "scene" says of bodies: outlines by name, radii of discs, and numbers. */
export interface Bodies {
  outline(name: string): Point[] | null; /* m, in the frame of the body */
  radii(name: string): number[]; /* of its discs, the largest first */
  number(name: string): number; /* NaN: not told */
}

const room = 8; /* corners of a shape in the result */

export function bodiesOf(report: Report): Bodies | null {
  const group = report.groups.find((g) => g.kind === 'scene');
  if (!group) return null;
  const outlines = new Map<string, Point[]>();
  const discs = new Map<string, number[]>();
  const array = (name: string): ArrayLike<number> => {
    const found = group.arrays.find((a) => a.name === `shape.${name}` && !a.omitted);
    return found ? valuesOf(found) : [];
  };
  const [radius, count, corners] = [array('radius'), array('count'), array('corners')];
  (group.texts.find((t) => t.name === 'bodies')?.value ?? '').split(',').forEach((name, i) => {
    const n = count[i] ?? 0;
    if (n > 2) outlines.set(name, Array.from({ length: n }, (_c, k): Point => [corners[2 * (room * i + k)]!, corners[2 * (room * i + k) + 1]!]));
    if (radius[i]! > 0) discs.set(name, [...(discs.get(name) ?? []), radius[i]!].sort((a, b) => b - a));
  });
  return {
    outline: (name) => outlines.get(name) ?? null,
    radii: (name) => discs.get(name) ?? [],
    number: (name) => group.numbers.find((n) => n.name === name)?.value ?? NaN,
  };
}

export const numberOf = (group: Group, name: string): number => group.numbers.find((n) => n.name === name)?.value ?? NaN;

/* Between the least and the largest of most values: peaks of single elements do not eat the colours. */
export function usualRange(track: Track | null, frames: number, counts: (frame: number, member: number) => boolean = () => true): [number, number] | null {
  if (!track) return null;
  const stride = Math.max(1, Math.floor((frames * track.n) / 40000));
  const list: number[] = [];
  for (let k = 0; k < frames; k++)
    for (let m = k % stride; m < track.n; m += stride) {
      const v = track.at(k, m);
      if (Number.isFinite(v) && counts(k, m)) list.push(v);
    }
  if (!list.length) return null;
  list.sort((a, b) => a - b);
  return [list[Math.floor(0.005 * (list.length - 1))]!, list[Math.ceil(0.995 * (list.length - 1))]!];
}

/* From metres to pixels, turned: `angle` is what points to the right on the paper. */
export class Frame {
  private c: number;
  private s: number;

  constructor(readonly middle: Point, readonly origin: Point, readonly scale: number, angle = 0) {
    [this.c, this.s] = [Math.cos(angle), Math.sin(angle)];
  }

  px(x: number, y: number): Point {
    const [dx, dy] = [x - this.origin[0], y - this.origin[1]];
    return [this.middle[0] + this.scale * (this.c * dx + this.s * dy), this.middle[1] - this.scale * (this.c * dy - this.s * dx)];
  }

  /* A body's outline where the body is. */
  body(outline: Point[], x: number, y: number, angle: number): Point[] {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const out: Point[] = new Array(outline.length);
    for (let k = 0; k < outline.length; k++) {
      const [a, b] = outline[k]!;
      out[k] = this.px(x + c * a - s * b, y + s * a + c * b);
    }
    return out;
  }
}

/* Neither coloured nor empty: steel. */
export const steel = (): string => (theme().paper === '#ffffff' ? '#d9dee3' : '#3a4149');

/* Tension of the ring: from pale to strong in one hue, so that it is not taken for the colour of the elements. */
const hues = { light: [[214, 205, 214], [150, 20, 110]], dark: [[92, 80, 92], [255, 140, 215]] };
export function ringShade(c: Coloured, value: number): string {
  if (!Number.isFinite(value)) return theme().axis;
  const [from, to] = theme().paper === '#ffffff' ? hues.light : hues.dark;
  const share = c.range[1] > c.range[0] ? Math.min(1, Math.max(0, (value - c.range[0]) / (c.range[1] - c.range[0]))) : 0.5;
  return `rgb(${from!.map((v, j) => Math.round(v + share * (to![j]! - v))).join(',')})`;
}

/* A closed line through the members of a belt, by cubic splines with `fine` points for each. */
export interface LinePoint {
  x: number;
  y: number;
  value: number;
}

export function closedLine(of: Carried, track: Track | null, fine: number): LinePoint[] {
  const { n } = of;
  const places = Array.from({ length: n }, (_p, k) => of.place(k));
  const out: LinePoint[] = [];
  for (let k = 0; k <= n * fine; k++) {
    const i = Math.floor(k / fine);
    const f = k / fine - i;
    const [a, b, c, d] = [i - 1, i, i + 1, i + 2].map((m) => places[(m + n) % n]!) as [Point, Point, Point, Point];
    const spline = (j: 0 | 1): number => b[j] + 0.5 * f * (c[j] - a[j] + f * (2 * a[j] - 5 * b[j] + 4 * c[j] - d[j] + f * (3 * (b[j] - c[j]) + d[j] - a[j])));
    const [u, v] = [of.value(track, i % n), of.value(track, (i + 1) % n)];
    out.push({ x: spline(0), y: spline(1), value: u + f * (v - u) });
  }
  return out;
}

/* The ring as a band: `at` gives its points and tensions, `layers` are drawn where they can be told apart. */
export interface RingPoint {
  at: Point; /* pixels */
  colour: string;
}

export function drawRing(pen: Pen, points: RingPoint[], width: number, layers = 1): void {
  const band = Math.max(2, width);
  for (let k = 0; k + 1 < points.length; k++) {
    const [a, b] = [points[k]!, points[k + 1]!];
    if (band < 8) pen.line([a.at, b.at], { stroke: a.colour, width: band, cap: 'round' });
    else pen.line([a.at, [b.at[0] + 0.08 * (b.at[0] - a.at[0]), b.at[1] + 0.08 * (b.at[1] - a.at[1])]], { stroke: a.colour, width: band });
  }
  if (width / layers < 3.5) return;
  for (let l = 1; l < layers; l++) {
    const off = (l / layers - 0.5) * width;
    pen.line(points.map(({ at }, k): Point => {
      const [a, b] = [points[Math.max(0, k - 1)]!.at, points[Math.min(points.length - 1, k + 1)]!.at];
      const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
      return [at[0] - (off * (b[1] - a[1])) / length, at[1] + (off * (b[0] - a[0])) / length];
    }), { stroke: theme().paper, width: 0.7, alpha: 0.7 });
  }
}

/* Fill of a part by its value; without a value or at rest: steel. */
export const fillOf = (c: Coloured | undefined, value: number, none: boolean): string => (!c || none || !Number.isFinite(value) ? steel() : shade(c, value));

/* An arrow of the length and direction of its ends. */
export function arrow(pen: Pen, from: Point, to: Point, colour: string, width = 2): void {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (!(length > 3)) return;
  const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const head = Math.min(9, 0.6 * length);
  pen.line([from, [to[0] - 0.7 * head * ux, to[1] - 0.7 * head * uy]], { stroke: colour, width });
  pen.polygon([to, [to[0] - head * ux - 0.45 * head * uy, to[1] - head * uy + 0.45 * head * ux], [to[0] - head * ux + 0.45 * head * uy, to[1] - head * uy - 0.45 * head * ux]], { fill: colour });
}

/* Around a centre, from one angle to the other (rad, counter-clockwise), with its head at the end. */
export function turningArrow(pen: Pen, centre: Point, radius: number, from: number, to: number, colour: string, width = 2): void {
  if (!(radius > 4)) return;
  const sense = Math.sign(to - from);
  const head = 9 / radius;
  pen.arc(centre, radius, from, to - sense * 0.7 * head, { stroke: colour, width });
  const at = (r: number, a: number): Point => [centre[0] + r * Math.cos(a), centre[1] - r * Math.sin(a)];
  pen.polygon([at(radius, to), at(radius + 4.5, to - sense * head), at(radius - 4.5, to - sense * head)], { fill: colour });
}
