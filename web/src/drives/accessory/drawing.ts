/* drawing.ts — a belt drive as a drawing to scale: pulleys that turn, the belt coloured by what it carries, tensioner, hub loads.
 *
 * One drawing for steady running, motion and mode shapes: it gets the state of the drive and draws it with any pen. */
import { beltPath, courseOf, heldAt, type BeltPath, type Layout } from './belt';
import { number, spoken } from '../../format';
import type { Point } from '../../geometry';
import { Labels, type Label } from '../../labels';
import type { Pen } from '../../pen';
import { shade, type Coloured } from '../../stage_colour';
import type { View } from '../../stage_view';
import { theme } from '../../theme';

/* What the drawing shows; what is not given is left out. */
export interface DriveState {
  centres: Point[];
  tension?: number[]; /* N, of each span */
  slipArc?: number[]; /* rad, at the exit of each pulley: there the tension changes; else along the whole arc */
  hub?: Point[]; /* N */
  arm?: number; /* rad of an arm, m of a slide */
  turned?: number[]; /* rad, of each pulley, forwards positive */
  shaft?: number[]; /* rad, of what is behind a clutch in the pulley; NaN: nothing */
  travel?: number; /* m: how far the belt has run */
  pressure?: number[][]; /* N/m on each pulley, in equal parts of its wrap from the entry on */
  slipping?: number[]; /* m/s, where the whole arc slips; else 0 or NaN */
  onPulley?: number[]; /* what colours the arcs, when it is not the tension */
  nodes?: Point[]; /* of a belt in segments: drawn as they are */
  segment?: ArrayLike<number>; /* what colours each of them */
  normal?: ArrayLike<number>; /* N of each segment: bars */
  rest?: Point[]; /* centres of a drive that swings, at rest */
  bow?: number[][]; /* m: amplitudes of the sines of each span, to the left of its direction */
}

export interface DriveLook {
  coloured: Coloured | undefined;
  hubs: boolean;
  loads: boolean;
  labels: boolean;
}

export interface DriveScale {
  hub: number; /* N: of the longest arrow */
  pressure?: number; /* N/m: of the highest bar */
  normal?: number; /* N */
}

const arrow = 74; /* pixels of the longest hub load, in a picture that is */
const roomy = 480; /* pixels wide */
const bar = 26; /* pixels of the highest load, outside of the belt */
const arcPieces = 12;
const thickness = 4.5e-3; /* m, of a belt as it is drawn; at least so many pixels: */
const thinnest = 4;
const markPitch = 18e-3; /* m between marks on a belt without segments */

/* Whole newtons from 100 on. */
export const forceText = (n: number): string => (Math.abs(n) >= 100 ? number(Math.round(n), 4).replace(/\.0+$/, '') : number(n, 3));

const mix = (a: number, b: number, share: number): number => a + (b - a) * share;

/* Everything that is ever shown, in m, with some room around. */
export function driveBounds(layout: Layout, states: DriveState[]): { low: Point; high: Point } {
  let [left, right, down, up] = [Infinity, -Infinity, Infinity, -Infinity];
  const put = ([x, y]: Point, r: number): void => {
    if (!Number.isFinite(x) || !Number.isFinite(y)) return;
    [left, right, down, up] = [Math.min(left, x - r), Math.max(right, x + r), Math.min(down, y - r), Math.max(up, y + r)];
  };
  for (const s of states) {
    s.centres.forEach((c, i) => put(c, layout.pulleys[i]!.radius));
    s.nodes?.forEach((n) => put(n, 0));
  }
  if (layout.arm?.part === 'arm') put(layout.arm.pivot, 0.01);
  const pad = 0.07 * Math.max(right - left, up - down);
  return { low: [left - pad, down - pad], high: [right + pad, up + pad] };
}

export class DriveDrawing {
  private labels = new Labels();

  constructor(private layout: Layout, private scale: DriveScale) {}

  draw(pen: Pen, view: View, state: DriveState, look: DriveLook): void {
    this.labels.begin(view.box);
    const path = beltPath(this.layout, state.centres);
    this.layout.pulleys.forEach((_p, i) => this.pulley(pen, view, state, i));
    if (state.rest) this.atRest(pen, view, state.rest);
    if (look.loads) pen.group('loads', () => this.loads(pen, view, state, path));
    this.arm(pen, view, state);
    pen.group('belt', () => {
      if (state.nodes) this.segments(pen, view, state, look);
      else if (path) this.belt(pen, view, state, path, look);
    });
    if (look.hubs) this.hubs(pen, view, state);
    if (look.labels) for (const label of this.texts(view, state, path, look)) this.labels.write(pen, label);
  }

  /* ---- pulleys ---- */

  private pulley(pen: Pen, view: View, state: DriveState, i: number): void {
    const { side, radius } = this.layout.pulleys[i]!;
    const centre = view.px(state.centres[i]!);
    if (!Number.isFinite(centre[0])) return;
    const { axis, muted, grid } = theme();
    const rim = Math.max(3, radius * view.scale - this.width(view) / 2);
    for (let k = 0; k < 48; k++) this.labels.cover([centre[0] + rim * Math.cos((k * Math.PI) / 24), centre[1] + rim * Math.sin((k * Math.PI) / 24)], 2);
    this.labels.disc(this.layout.pulleys[i]!.name, centre, rim);
    pen.group('pulley', () => pen.circle(centre, rim, { fill: grid, stroke: muted, width: 1.25, ...(side < 0 ? { dash: [5, 3] } : {}) }));
    if (state.slipping?.[i]) pen.circle(centre, rim - 1.5, { stroke: theme().lines[3]!, width: 3.5 });
    const turned = state.turned?.[i] ?? NaN;
    if (Number.isFinite(turned)) this.spokes(pen, centre, rim, side * turned);
    const shaft = state.shaft?.[i] ?? NaN;
    if (Number.isFinite(shaft)) this.clutch(pen, centre, rim, side, turned, shaft, state.rest !== undefined);
    pen.circle(centre, Math.min(2.5, 0.2 * rim), { fill: Number.isFinite(turned) ? muted : axis });
  }

  private spokes(pen: Pen, centre: Point, rim: number, angle: number): void {
    const { axis, paper, muted } = theme();
    const [inner, outer] = [0.24 * rim, 0.87 * rim];
    const n = rim > 34 ? 5 : rim > 16 ? 4 : 3;
    const out = (r: number, a: number): Point => [centre[0] + r * Math.cos(a), centre[1] - r * Math.sin(a)];
    pen.circle(centre, outer, { fill: paper, stroke: axis });
    for (let k = 0; k < n; k++) {
      const a = angle + (2 * Math.PI * k) / n;
      pen.line([out(inner, a), out(outer, a)], { stroke: axis, width: Math.max(2, 0.09 * rim) });
    }
    pen.circle(out((outer + rim) / 2, angle), Math.max(1.6, 0.045 * rim), { fill: muted }); /* one that the eye can follow */
    pen.circle(centre, inner, { fill: paper, stroke: axis, width: 1.25 });
  }

  /* Where a swinging drive would be at rest: its belt, and the marks of its pulleys. */
  private atRest(pen: Pen, view: View, centres: Point[]): void {
    const path = beltPath(this.layout, centres);
    const { muted, lines } = theme();
    path?.spans.forEach((s) => pen.line([view.px(s.from), view.px(s.to)], { stroke: muted, width: 1, dash: [4, 4] }));
    this.layout.pulleys.forEach((p, i) => {
      const [x, y] = view.px(centres[i]!);
      const rim = Math.max(3, p.radius * view.scale - this.width(view) / 2);
      pen.line([[x + 0.8 * rim, y], [x + 1.02 * rim, y]], { stroke: lines[1]!, width: 2.5 });
    });
  }

  /* What is behind a clutch or spring: bright where it is driven, pale where it overruns. */
  private clutch(pen: Pen, centre: Point, rim: number, side: number, turned: number, shaft: number, swings: boolean): void {
    const { lines, muted, paper } = theme();
    const driven = swings || !(shaft > turned);
    const colour = driven ? lines[0]! : muted;
    const r = Math.max(4, 0.44 * rim);
    pen.group('clutch', () => {
      pen.circle(centre, r, { fill: paper, stroke: colour, width: 1.75, ...(driven ? {} : { dash: [3, 3] }) });
      for (let k = 0; k < 3; k++) {
        const a = side * shaft + (2 * Math.PI * k) / 3;
        const [c, s] = [Math.cos(a), Math.sin(a)];
        const at = (x: number, y: number): Point => [centre[0] + r * (x * c - y * s), centre[1] - r * (x * s + y * c)];
        pen.polygon([at(0.95, 0), at(0.5, -0.22 * side), at(0.5, 0.1 * side)], { fill: colour, alpha: k ? 0.55 : 1 });
      }
    });
  }

  /* ---- belt ---- */

  private width(view: View): number {
    return Math.max(thinnest, thickness * view.scale);
  }

  private colour(look: DriveLook, value: number): string {
    return look.coloured ? shade(look.coloured, value) : theme().muted;
  }

  private belt(pen: Pen, view: View, state: DriveState, path: BeltPath, look: DriveLook): void {
    path.spans.forEach((_s, i) => {
      this.arc(pen, view, path, state, i, look);
      this.span(pen, view, path, state, i, look);
    });
    if (state.travel !== undefined && Number.isFinite(state.travel) && !state.bow) this.marks(pen, view, path, state);
    if (!state.rest) path.spans.forEach((_s, i) => this.sense(pen, view, path, i, this.colour(look, this.spanValue(state, i))));
  }

  private spanValue(state: DriveState, i: number): number {
    return state.onPulley ? NaN : state.tension?.[i] ?? NaN;
  }

  private arc(pen: Pen, view: View, path: BeltPath, state: DriveState, i: number, look: DriveLook): void {
    const before = (i + path.spans.length - 1) % path.spans.length;
    const { radius, side } = this.layout.pulleys[i]!;
    const [t0, t1] = state.onPulley ? [state.onPulley[i]!, state.onPulley[i]!] : [state.tension?.[before] ?? NaN, state.tension?.[i] ?? NaN];
    const wrap = path.wraps[i]!;
    const slip = Math.min(wrap, state.slipArc ? Math.max(0, state.slipArc[i] ?? 0) : wrap);
    const changes = Number.isFinite(t0) && Number.isFinite(t1) && slip > 0 && !state.onPulley;
    const entry = path.spans[before]!.direction - (side * Math.PI) / 2;
    const centre = view.px(state.centres[i]!);
    const [r, width] = [radius * view.scale, this.width(view)];
    const piece = (from: number, to: number, value: number): void =>
      pen.arc(centre, r, entry + side * wrap * from, entry + side * wrap * Math.min(1, to + 0.004), { stroke: this.colour(look, value), width });
    const n = Math.max(2, Math.ceil((wrap * r) / 6));
    for (let k = 0; k <= n; k++) {
      const a = entry + (side * wrap * k) / n;
      this.labels.cover([centre[0] + r * Math.cos(a), centre[1] - r * Math.sin(a)]);
    }
    const stick = changes ? 1 - slip / wrap : 1;
    if (stick > 0) piece(0, stick, changes ? t0 : Number.isFinite(t1) ? t1 : t0);
    for (let k = 0; changes && k < arcPieces; k++)
      piece(mix(stick, 1, k / arcPieces), mix(stick, 1, (k + 1) / arcPieces), mix(t0, t1, (k + 0.5) / arcPieces));
  }

  private span(pen: Pen, view: View, path: BeltPath, state: DriveState, i: number, look: DriveLook): void {
    const { from, to, direction } = path.spans[i]!;
    const bow = state.bow?.[i];
    const out = (f: number): Point => {
      const up = bow ? bow.reduce((sum, a, m) => sum + a * Math.sin((m + 1) * Math.PI * f), 0) : 0;
      return view.px([mix(from[0], to[0], f) - up * Math.sin(direction), mix(from[1], to[1], f) + up * Math.cos(direction)]);
    };
    const n = bow ? 48 : 1;
    const points = Array.from({ length: n + 1 }, (_p, k) => out(k / n));
    pen.line(points, { stroke: this.colour(look, this.spanValue(state, i)), width: this.width(view), cap: 'round' });
    this.labels.coverLine(view.px(from), view.px(to));
  }

  /* Which way the belt runs. */
  private sense(pen: Pen, view: View, path: BeltPath, i: number, colour: string): void {
    const { from, to, direction, length } = path.spans[i]!;
    if (length * view.scale < 40) return;
    const size = this.width(view) * 0.62 + 4.5;
    const [x, y] = view.px([mix(from[0], to[0], 0.5), mix(from[1], to[1], 0.5)]);
    const [c, s] = [Math.cos(direction), Math.sin(direction)];
    const at = (a: number, b: number): Point => [x + size * (a * c - b * s), y - size * (a * s + b * c)];
    pen.polygon([at(-1, -1), at(1.15, 0), at(-1, 1)], { fill: colour });
  }

  /* Marks that run with the belt. */
  private marks(pen: Pen, view: View, path: BeltPath, state: DriveState): void {
    const course = courseOf(this.layout, state.centres, path);
    const n = Math.max(8, Math.round(course.length / Math.max(markPitch, 14 / view.scale)));
    const step = course.length / n;
    const half = this.width(view) / 2;
    const { paper, text } = theme();
    const turns = state.travel! / course.length;
    for (let k = 0; k < n; k++) {
      const share = (((k / n + turns) % 1) + 1) % 1;
      const { at, direction } = course.at(share * n * step);
      const [x, y] = view.px(at);
      const [nx, ny] = [-Math.sin(direction) * half, -Math.cos(direction) * half];
      pen.line([[x - nx, y - ny], [x + nx, y + ny]], { stroke: k ? paper : text, width: k ? 1.6 : 3 });
    }
  }

  private segments(pen: Pen, view: View, state: DriveState, look: DriveLook): void {
    const points = state.nodes!.map((p) => view.px(p));
    const n = points.length;
    const width = this.width(view);
    const values = state.segment;
    /* Neighbours of one colour are one line. */
    let [run, colour]: [Point[], string] = [[], ''];
    const end = (): void => void (run.length > 1 && pen.line(run, { stroke: colour, width, cap: 'round' }));
    for (let k = 0; k < n; k++) {
      const [a, b] = [points[k]!, points[(k + 1) % n]!];
      const now = this.colour(look, values?.[k] ?? NaN);
      if (now !== colour) {
        end();
        [run, colour] = [[a], now];
      }
      run.push(b);
      this.labels.cover(a);
    }
    end();
    const [p, q] = [points[0]!, points[1]!];
    if (!(Math.hypot(q[0] - p[0], q[1] - p[1]) > 3.5)) return;
    const { paper, text } = theme();
    pen.dots(points.slice(1), Math.min(2.2, 0.28 * width), paper);
    pen.circle(p, 0.5 * width, { fill: text });
  }

  /* ---- loads on the arcs ---- */

  private loads(pen: Pen, view: View, state: DriveState, path: BeltPath | null): void {
    if (state.nodes && state.normal && (this.scale.normal ?? 0) > 0) return this.normals(pen, view, state);
    if (path) path.spans.forEach((_s, i) => this.pressure(pen, view, path, state, i));
  }

  /* Normal force of each segment, outwards from where it lies on a pulley. */
  private normals(pen: Pen, view: View, state: DriveState): void {
    const nodes = state.nodes!;
    const colour = theme().lines[5]!;
    const half = this.width(view) / 2;
    for (let k = 0; k < nodes.length; k++) {
      const force = state.normal![k]!;
      if (!(force > 0)) continue;
      const [a, b] = [nodes[k]!, nodes[(k + 1) % nodes.length]!];
      const middle: Point = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
      let [best, near] = [0, Infinity];
      this.layout.pulleys.forEach((p, i) => {
        const off = Math.abs(Math.hypot(middle[0] - state.centres[i]![0], middle[1] - state.centres[i]![1]) - p.radius);
        if (off < near) [best, near] = [i, off];
      });
      const centre = state.centres[best]!;
      const reach = Math.hypot(middle[0] - centre[0], middle[1] - centre[1]) || 1;
      const [ux, uy] = [(middle[0] - centre[0]) / reach, -(middle[1] - centre[1]) / reach];
      const length = (bar * Math.min(1.5 * this.scale.normal!, force)) / this.scale.normal!;
      const [p, q] = [view.px(a), view.px(b)];
      const inset = (s: Point, t: Point, out: number): Point => [mix(s[0], t[0], 0.1) + ux * out, mix(s[1], t[1], 0.1) + uy * out];
      pen.polygon([inset(p, q, half), inset(q, p, half), inset(q, p, half + length), inset(p, q, half + length)], { fill: colour, alpha: 0.6 });
      this.labels.cover(inset(p, q, half + length));
    }
  }

  /* The line load of the belt on a pulley, as bars that stand on the belt. */
  private pressure(pen: Pen, view: View, path: BeltPath, state: DriveState, i: number): void {
    const bins = state.pressure?.[i] ?? [];
    const scale = this.scale.pressure ?? 0;
    if (!(scale > 0)) return;
    const { radius, side } = this.layout.pulleys[i]!;
    const entry = path.spans[(i + path.spans.length - 1) % path.spans.length]!.direction - (side * Math.PI) / 2;
    const [cx, cy] = view.px(state.centres[i]!);
    const out = (share: number, pixels: number): Point => {
      const a = entry + side * share * path.wraps[i]!;
      const r = radius * view.scale + pixels;
      return [cx + r * Math.cos(a), cy - r * Math.sin(a)];
    };
    const half = this.width(view) / 2 + 1;
    bins.forEach((p, k) => {
      if (!(p > 0)) return;
      const ends = Array.from({ length: 7 }, (_e, m) => (k + 0.06 + (0.88 * m) / 6) / bins.length);
      const high = half + (bar * p) / scale;
      pen.polygon([...ends.map((e) => out(e, half)), ...[...ends].reverse().map((e) => out(e, high))], { fill: theme().lines[5]!, alpha: 0.6 });
      for (const part of [0.2, 0.6, 1]) this.labels.cover(out((k + 0.5) / bins.length, mix(half, high, part)));
    });
  }

  /* ---- tensioner ---- */

  private arm(pen: Pen, view: View, state: DriveState): void {
    const { arm, pulleys } = this.layout;
    const held = pulleys.findIndex((p) => p.onArm);
    if (!arm || held < 0) return;
    const { muted, text, paper } = theme();
    const turns = arm.part === 'arm';
    const b = view.px(state.centres[held]!);
    const travel = arm.stops ? Array.from({ length: 41 }, (_p, k) => view.px(heldAt(arm, mix(arm.stops![0], arm.stops![1], k / 40)))) : [];
    pen.group('arm', () => {
      if (travel.length) pen.line(travel, { stroke: muted, width: 1.5, dash: [2, 4] });
      [travel.slice(0, 2), travel.slice(-2)].filter((t) => t.length === 2).forEach(([p, q], end) => {
        const length = Math.hypot(q![0] - p![0], q![1] - p![1]) || 1;
        const [nx, ny] = [(-7 * (q![1] - p![1])) / length, (7 * (q![0] - p![0])) / length];
        const [x, y] = end ? q! : p!;
        pen.line([[x - nx, y - ny], [x + nx, y + ny]], { stroke: muted, width: 2.5 });
      });
      if (turns) {
        const a = view.px(arm.pivot);
        this.labels.coverLine(a, b);
        for (const [dx, dy] of [[0, 0], [6, 0], [-6, 0], [0, 6], [0, -6]] as Point[]) this.labels.cover([a[0] + dx, a[1] + dy], 20);
        pen.line([a, b], { stroke: muted, width: Math.max(7, 0.011 * view.scale), cap: 'round', alpha: 0.6 });
        pen.circle(a, Math.max(6, 0.009 * view.scale), { fill: paper, stroke: text, width: 1.75 });
        pen.circle(a, 1.8, { fill: text });
        pen.circle(b, 3, { fill: paper, stroke: text, width: 1.5 });
      } else {
        const angle = Math.atan2(arm.along[1], arm.along[0]);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const corner = (x: number, y: number): Point => [b[0] + x * c - y * s, b[1] - x * s - y * c];
        pen.polygon([corner(-8, -7), corner(8, -7), corner(8, 7), corner(-8, 7)], { fill: paper, stroke: text, width: 1.75 });
        pen.circle(b, 1.8, { fill: text });
      }
    });
  }

  /* ---- hub loads ---- */

  private tip(view: View, state: DriveState, i: number): { from: Point; to: Point; size: number } | null {
    const [fx, fy] = state.hub?.[i] ?? [0, 0];
    const size = Math.hypot(fx, fy);
    if (!(size > 1e-3 * this.scale.hub) || !(this.scale.hub > 0)) return null;
    const [x, y] = view.px(state.centres[i]!);
    const length = (arrow * Math.max(0.5, Math.min(1, view.box.width / roomy)) * size) / this.scale.hub;
    return { from: [x, y], to: [x + (length * fx) / size, y - (length * fy) / size], size };
  }

  private hubs(pen: Pen, view: View, state: DriveState): void {
    const colour = theme().lines[1]!;
    this.layout.pulleys.forEach((_p, i) => {
      const found = this.tip(view, state, i);
      if (!found) return;
      const { from, to } = found;
      this.labels.coverLine(from, to);
      const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
      const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
      const head = Math.min(11, 0.7 * length);
      const at = (a: number, b: number): Point => [to[0] + a * ux - b * uy, to[1] + a * uy + b * ux];
      pen.group('hub', () => {
        pen.line([from, at(-0.7 * head, 0)], { stroke: colour, width: 2.25 });
        pen.polygon([at(-head, -0.45 * head), to, at(-head, 0.45 * head)], { fill: colour });
      });
    });
  }

  /* ---- labels ---- */

  private around([x, y]: Point, distance: number, first: number): Point[] {
    return [0, 1, -1, 2, -2, 3, -3, 4].map((k): Point => {
      const a = first + (k * Math.PI) / 4;
      return [x + distance * Math.cos(a) * 1.35, y + distance * Math.sin(a)];
    });
  }

  private texts(view: View, state: DriveState, path: BeltPath | null, look: DriveLook): Label[] {
    /* Where a force points does not matter as long as it turns a little: names stay. */
    const hubAngle = (i: number): number => {
      const [fx, fy] = state.hub?.[i] ?? [0, 1];
      return (Math.round((4 * Math.atan2(-fy, fx)) / Math.PI) * Math.PI) / 4;
    };
    const names = this.layout.pulleys.map((p, i): Label => {
      const centre = view.px(state.centres[i]!);
      const r = p.radius * view.scale;
      const away = hubAngle(i) + Math.PI;
      const inside: Point[] = r > 34 ? [0.5, 0.36].flatMap((f) => [0, 1, -1, 2, -2].map((k): Point =>
        [centre[0] + f * r * Math.cos(away + k * 0.5), centre[1] + f * r * Math.sin(away + k * 0.5)])) : [];
      const slip = state.slipping?.[i] ?? 0;
      const second = slip ? [`slips ${number(Math.abs(slip), 2)} m/s`] : view.box.width < roomy ? [] : [`⌀ ${number(p.effective * 1e3, 3)} mm`];
      return { key: `name ${p.name}`, lines: [spoken(p.name), ...second], weight: 600, home: p.name,
        at: [...inside, ...[26, 44, 64].flatMap((d) => this.around(centre, r + d, away))] };
    });
    const hubs = look.hubs ? this.layout.pulleys.flatMap((p, i): Label[] => {
      const found = this.tip(view, state, i);
      if (!found) return [];
      return [{ key: `hub ${p.name}`, lines: [`${forceText(found.size)} N`], of: found.to, home: p.name, at: [18, 30, 46].flatMap((d) => this.around(found.to, d, hubAngle(i))) }];
    }) : [];
    const spans = (path?.spans ?? []).flatMap((s, i): Label[] => {
      const t = state.tension?.[i];
      if (t === undefined || !Number.isFinite(t) || state.rest) return [];
      const [a, b] = [view.px(s.from), view.px(s.to)];
      const [nx, ny] = [Math.sin(s.direction), Math.cos(s.direction)]; /* to the right of the travel: outside of the loop */
      const at = [1, 1.4, 2.2, 3.2].flatMap((d) => [0.5, 0.36, 0.64, 0.22, 0.78].flatMap((f) => [1, -1].map((side): Point =>
        [mix(a[0], b[0], f) + side * nx * d * 34, mix(a[1], b[1], f) + side * ny * d * 19])));
      return [{ key: `span ${i}`, lines: [`${forceText(t)} N`], at, weight: 600, of: [mix(a[0], b[0], 0.5), mix(a[1], b[1], 0.5)], reach: Math.hypot(b[0] - a[0], b[1] - a[1]) / 2 }];
    });
    return [...spans, ...names, ...hubs, ...this.armText(view, state)];
  }

  private armText(view: View, state: DriveState): Label[] {
    const { arm, pulleys } = this.layout;
    const place = state.arm ?? arm?.start ?? NaN;
    const held = pulleys.findIndex((p) => p.onArm);
    if (!arm || !Number.isFinite(place) || held < 0) return [];
    const at = view.px(arm.part === 'arm' ? arm.pivot : state.centres[held]!);
    const away = arm.part === 'arm' ? Math.PI - place : Math.atan2(-arm.along[1], arm.along[0]);
    const text = arm.part === 'arm' ? `${((place * 180) / Math.PI).toFixed(1)}°` : `${(place * 1e3).toFixed(1)} mm`;
    return [{ key: 'arm', lines: state.rest ? [arm.part] : [arm.part, text], of: at, at: [26, 44, 62, 84].flatMap((d) => this.around(at, d, away)), muted: true }];
  }
}
