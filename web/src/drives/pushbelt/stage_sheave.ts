/* stage_sheave.ts — one pulley of a pushbelt variator: along its axis, where the flanks press, and across it, how the groove opens.
 *
 * Left: elements on their way through the arc, with their axial forces as bars outwards, and the radius that the deflection amounts to.
 * Right: a cut through the axis, at the angle where the sheaves open most. Spiral running and tilt are drawn to one scale. */
import type { Group, Report } from '../../data';
import { filmOf, instantOf, trackAt, type Film, type Instant, type Track } from '../../film';
import type { Point } from '../../geometry';
import type { Pen } from '../../pen';
import { arrow, bodiesOf, fillOf, Frame, steel, usualRange, type Bodies } from './pushbelt';
import type { Actor, Coloured, Show, View } from '../../stage';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';

const bar = 0.03; /* m, of the largest force */
const width = 0.028; /* m: elements are drawn so wide in the cut */
const [deepest, opened] = [0.014, 0.008]; /* m on paper: the spiral, and the rims of the sheaves by their tilt */
const side = 0.0016; /* m: half the thickness of what is drawn of an element */

interface Sizes {
  wedge: number;
  inner: number;
  outer: number;
  wrap: number;
}

/* From the description of the picture; of older results, from the model. */
function sizesOf(report: Report, bodies: Bodies | null): Sizes {
  const of = (name: string, key: string, size: number, fallback: number): number => {
    const told = bodies?.number(name) ?? NaN;
    if (Number.isFinite(told)) return told;
    const found = new RegExp(`\\b${key}:\\s*([\\d.]+)`).exec(report.model);
    return found ? Number(found[1]) * size : fallback;
  };
  const degree = Math.PI / 180;
  return { wedge: of('pulley.half_wedge_angle', 'wedge', degree, 11 * degree), inner: of('pulley.inner_radius', 'inner', 1e-3, 0.02), outer: of('pulley.outer_radius', 'outer', 1e-3, 0.078), wrap: of('belt.wrap_angle', 'wrap', degree, Math.PI) };
}

class SheavePicture implements Actor {
  readonly what = 'pulley';
  readonly abscissa;
  readonly bounds;
  readonly colours: Coloured[];
  readonly switches = [{ key: 'bars', label: 'forces as bars', on: true }, { key: 'spiral', label: 'spiral running', on: true }, { key: 'cut', label: 'cut', on: true }];
  readonly pace: number;
  readonly note: string;
  private movable: Track | null;
  private fixed: Track | null;
  private deflection: Track | null;
  private most: number;
  private large: number; /* of lengths of the deflection */
  private reference: number; /* m, mean radius */
  private cutAt: number; /* m: x of the cut's middle */
  private turning: number; /* rad/s */

  constructor(private film: Film, private size: Sizes, private angle: Track, private radius: Track) {
    const frames = film.time.length;
    this.abscissa = { name: 'time', unit: 's', values: film.time };
    [this.movable, this.fixed, this.deflection] = ['movable', 'fixed', 'deflection'].map((n) => film.family(`element.*.${n}`)) as [Track | null, Track | null, Track | null];
    const force = this.movable ?? this.fixed;
    const range = usualRange(force, frames);
    this.most = Math.max(1e-9, range?.[1] ?? 0);
    this.colours = [];
    const add = (key: string, label: string, track: Track | null): void => {
      const limits = usualRange(track, frames, (f, m) => key === 'deflection' ? this.carries(f, m) : true);
      if (track && limits) this.colours.push({ key, label, unit: track.unit, range: key === 'deflection' ? limits : [Math.min(0, limits[0]), limits[1]] });
    };
    add('movable', 'Axial force', this.movable);
    add('deflection', 'Deflection of the sheaves', this.deflection);
    this.reference = usualRange(radius, frames, (f, m) => this.inArc(angle.at(f, m)))?.[0] ?? size.outer;
    this.turning = this.speed();
    this.pace = this.turning > 0 ? 0.6 / this.turning : (film.time[frames - 1]! - film.time[0]!) / 8;
    const reach = Math.max(size.outer, this.reference + 0.008 + bar) + 0.006;
    this.cutAt = reach + 0.06;
    this.bounds = { low: [-reach, -reach] as Point, high: [this.cutAt + 0.08, reach] as Point };
    this.large = this.enlargement();
    this.note = `Spiral running and tilt drawn ${this.large} times as large. Bars: axial force of each element; the dashed arc outside is ${quantity(this.most, 'N', 3)}. Orange arrow: clamping force. The width of the elements in the cut is schematic.`;
  }

  /* One factor for all that is enlarged: the line of the spiral and the sheaves in the cut stay in their places. One digit. */
  private enlargement(): number {
    const largest = (name: string): number => usualRange(this.film.value(name), this.film.time.length)?.map(Math.abs).reduce((a, b) => Math.max(a, b)) ?? 0;
    const most = Math.min(deepest / Math.max(1e-9, largest('spiral.depth')), opened / Math.max(1e-9, largest('sheave.tilt') * this.size.outer), 1e4);
    const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
    return Math.max(1, Math.floor(most / power) * power);
  }

  private carries(frame: number, member: number): boolean {
    return (this.movable?.at(frame, member) ?? 0) > 0;
  }

  private inArc(angle: number): boolean {
    return angle >= 0 && angle <= this.size.wrap;
  }

  /* Of the elements through the arc. */
  private speed(): number {
    const { time } = this.film;
    const dt = time[1]! - time[0]!;
    for (let m = 0; m < this.angle.n; m++) {
      const step = this.angle.at(1, m) - this.angle.at(0, m);
      if (step > 0) return step / dt;
    }
    return 0;
  }

  /* Elements that leave come in again: they do not run back through the arc. */
  private angleAt({ frame, share }: Instant, m: number): number {
    const a = this.angle.at(frame, m);
    if (share === 0) return a;
    const b = this.angle.at(frame + 1, m);
    return b >= a ? a + share * (b - a) : share < 0.5 ? a + share * this.turning * (this.film.time[frame + 1]! - this.film.time[frame]!) : b;
  }

  /* On paper: the middle of the arc is at the left, and it runs clockwise. */
  private onPaper(angle: number): number {
    return Math.PI - (angle - this.size.wrap / 2);
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const now = instantOf(this.film.time, at);
    const frame = new Frame(view.px([0, 0]), [0, 0], view.scale);
    this.disc(pen, frame, at);
    pen.group('elements', () => this.elements(pen, frame, now, show));
    if (show.on('spiral')) this.spiral(pen, frame, now);
    if (show.on('cut')) this.cut(pen, frame, now);
  }

  private disc(pen: Pen, frame: Frame, at: number): void {
    const { axis, muted, text, paper } = theme();
    const centre = frame.px(0, 0);
    const colour = lineStyle(0).colour();
    const polar = (a: number, r: number): Point => [centre[0] + r * Math.cos(a), centre[1] - r * Math.sin(a)];
    pen.circle(centre, this.size.outer * frame.scale, { fill: `${colour}12`, stroke: axis, width: 1.2 });
    const turn = -this.turning * at;
    for (let k = 0; k < 24; k++) {
      const a = turn + (k * Math.PI) / 12;
      pen.line([polar(a, (this.size.inner + (k ? 0.002 : 0.009)) * frame.scale), polar(a, this.size.inner * frame.scale)], { stroke: k ? axis : colour, width: k ? 1.2 : 3 });
    }
    pen.circle(centre, this.size.inner * frame.scale, { fill: paper, stroke: axis, width: 1.2 });
    for (const [angle, name] of [[0, 'entry'], [this.size.wrap, 'exit']] as const) {
      const a = this.onPaper(angle);
      pen.line([polar(a, this.size.inner * frame.scale), polar(a, (this.size.outer + 0.004) * frame.scale)], { stroke: axis, width: 1.2, dash: [4, 4] });
      pen.text(polar(a, (this.size.inner + 0.5 * (this.size.outer - this.size.inner)) * frame.scale), name, { fill: muted, size: 12, halo: paper });
    }
    pen.text([centre[0], centre[1] - 7], 'along', { fill: text, size: 12 });
    pen.text([centre[0], centre[1] + 8], 'the axis', { fill: text, size: 12 });
  }

  private elements(pen: Pen, frame: Frame, now: Instant, show: Show): void {
    const chosen = this.colours.find((c) => c.key === show.colour);
    const centre = frame.px(0, 0);
    const { paper } = theme();
    for (let m = 0; m < this.angle.n; m++) {
      const angle = this.angleAt(now, m);
      const r = trackAt(this.radius, now, m);
      if (!Number.isFinite(angle) || !Number.isFinite(r)) continue;
      const inside = this.inArc(angle);
      const a = this.onPaper(angle);
      /* beyond the arc on the straight lines that go on from its ends */
      const at = (across: number, along: number): Point => frame.px(across * Math.cos(a) + along * Math.sin(a), across * Math.sin(a) - along * Math.cos(a));
      const value = chosen?.key === 'deflection' ? trackAt(this.deflection, now, m) : trackAt(this.movable, now, m);
      const force = trackAt(this.movable, now, m);
      const half = Math.min(side, 0.42 * r * Math.abs(this.pitch()));
      pen.polygon([at(r - 0.004, -half), at(r + 0.004, -half), at(r + 0.004, half), at(r - 0.004, half)], { fill: fillOf(chosen, value, !(force > 0)), stroke: paper, width: 0.4, alpha: inside ? 1 : 0.55 });
      if (!show.on('bars') || !(force > 0)) continue;
      const reach = r + 0.0065;
      pen.line([at(reach, 0), at(reach + (bar * Math.min(force, 1.3 * this.most)) / this.most, 0)], { stroke: fillOf(chosen, value, false), width: Math.max(1, 1.5 * half * frame.scale) });
    }
    if (show.on('bars')) {
      const r = (this.reference + 0.0065 + bar) * frame.scale;
      pen.arc(centre, r, this.onPaper(0), this.onPaper(this.size.wrap), { stroke: theme().grid, width: 1, dash: [3, 4] });
      const a = this.onPaper(this.size.wrap) - 8 / r;
      pen.text([centre[0] + r * Math.cos(a), centre[1] - r * Math.sin(a)], quantity(this.most, 'N', 3), { fill: theme().muted, size: 12, align: 'left' });
    }
  }

  private pitch(): number {
    const list = Array.from({ length: this.angle.n }, (_a, m) => this.angle.at(0, m)).sort((a, b) => a - b);
    return list.length > 1 ? (list[list.length - 1]! - list[0]!) / (list.length - 1) : 0.02;
  }

  /* By how much deeper than the least the elements sit, as a line inside the arc. */
  private spiral(pen: Pen, frame: Frame, now: Instant): void {
    const places: [number, number][] = [];
    for (let m = 0; m < this.angle.n; m++) {
      const angle = this.angleAt(now, m);
      if (this.inArc(angle)) places.push([angle, trackAt(this.radius, now, m)]);
    }
    places.sort((a, b) => a[0] - b[0]);
    if (places.length < 3) return;
    const most = Math.max(...places.map((p) => p[1]));
    const base = this.reference - 0.010;
    const at = ([angle, r]: [number, number], scale: number): Point => {
      const a = this.onPaper(angle);
      const shown = base + scale * (r - most);
      return frame.px(shown * Math.cos(a), shown * Math.sin(a));
    };
    pen.line(places.map((p) => at(p, 0)), { stroke: theme().axis, width: 1, dash: [4, 3] });
    pen.line(places.map((p) => at(p, this.large)), { stroke: lineStyle(3).colour(), width: 2 });
    const least = Math.min(...places.map((p) => p[1]));
    const [x, y] = frame.px(this.size.inner + 0.004, 0);
    pen.text([x, y - 8], 'spiral running', { fill: lineStyle(3).colour(), size: 12, align: 'left' });
    pen.text([x, y + 8], quantity(most - least, 'm', 3), { fill: lineStyle(3).colour(), size: 12, align: 'left' });
  }

  /* The groove in the plane of the largest opening. */
  private cut(pen: Pen, frame: Frame, now: Instant): void {
    const { inner, outer, wedge } = this.size;
    const value = (name: string): number => trackAt(this.film.value(name), now);
    const [tilt, closing] = [value('sheave.tilt') || 0, value('sheave.axial_travel') || 0];
    const { text, muted, axis, paper } = theme();
    const slope = Math.tan(wedge);
    const x0 = this.cutAt;
    /* Half the groove at a radius (below the axis: < 0); half of the tilt for each sheave. */
    const half = (r: number, moved: boolean): number => width / 2 + slope * (Math.abs(r) - this.reference) + (moved ? 0.5 * this.large * tilt * r : 0);
    const sheave = (sign: number, upper: number): void => {
      const back = width / 2 + slope * (outer - this.reference) + 0.013;
      const corners = [[half(upper * inner, true), upper * inner], [half(upper * outer, true), upper * outer], [back, upper * outer], [back, upper * inner]] as [number, number][];
      pen.polygon(corners.map(([x, y]) => frame.px(x0 + sign * x, y)), { fill: steel(), stroke: muted, width: 1.2 });
      pen.line([[half(upper * inner, false), upper * inner], [half(upper * outer, false), upper * outer]].map(([x, y]) => frame.px(x0 + sign * x!, y!)), { stroke: axis, width: 1, dash: [3, 3] });
    };
    for (const sign of [-1, 1]) for (const upper of [-1, 1]) sheave(sign, upper);
    const back = width / 2 + slope * (outer - this.reference) + 0.013;
    pen.polygon([frame.px(x0 - back - 0.006, -inner), frame.px(x0 + back + 0.006, -inner), frame.px(x0 + back + 0.006, inner), frame.px(x0 - back - 0.006, inner)], { fill: paper, stroke: axis, width: 1 });
    pen.line([frame.px(x0 - back - 0.012, 0), frame.px(x0 + back + 0.012, 0)], { stroke: axis, width: 1, dash: [10, 3, 2, 3] });
    const r = this.reference;
    const trapezoid: Point[] = [[-half(r - 0.004, false), r - 0.004], [half(r - 0.004, false), r - 0.004], [half(r + 0.002, false), r + 0.002], [-half(r + 0.002, false), r + 0.002]];
    pen.polygon(trapezoid.map(([x, y]) => frame.px(x0 + x, y)), { fill: `${lineStyle(0).colour()}55`, stroke: lineStyle(0).colour(), width: 1.2 });
    const clamping = value('clamping.force');
    const accent = lineStyle(1).colour();
    const [ax, ay] = frame.px(x0 + back + 0.002, 0.5 * (inner + outer));
    arrow(pen, [ax + 34, ay], [ax, ay], accent, 3);
    pen.text([ax + 4, ay - 14], quantity(clamping, 'N', 4), { fill: text, size: 12, align: 'left', halo: paper });
    const [tx, ty] = frame.px(x0, outer + 0.004);
    pen.text([tx, ty - 22], 'cut', { fill: text, weight: 620 });
    pen.text([tx, ty - 7], `tilt ${quantity(tilt, 'rad', 3)}`, { fill: muted, size: 12 });
    pen.text([tx, frame.px(x0, -outer)[1] + 14], `axial travel ${quantity(closing, 'm', 3)}`, { fill: muted, size: 12 });
    pen.text(frame.px(x0 - back + 0.004, -0.5 * (inner + outer)), 'fixed', { fill: text, size: 12, halo: paper });
    pen.text(frame.px(x0 + back - 0.004, -0.5 * (inner + outer)), 'movable', { fill: text, size: 12, halo: paper });
  }

  readouts(at: number): [string, string][] {
    const now = instantOf(this.film.time, at);
    const out: [string, string][] = [];
    for (const [text, name, unit] of [['clamping', 'clamping.force', 'N'], ['tilt', 'sheave.tilt', 'rad'], ['spiral running', 'spiral.depth', 'm']] as const) {
      const v = trackAt(this.film.value(name), now);
      if (Number.isFinite(v)) out.push([text, quantity(v, unit, 4)]);
    }
    return out;
  }
}

export const sheaveActor = (report: Report, group: Group): Actor | null => {
  if (report.drive !== 'sheave') return null;
  const film = filmOf(group);
  const [angle, radius] = [film?.family('element.*.angle') ?? null, film?.family('element.*.radius') ?? null];
  if (!film || !angle || !radius || angle.n < 3 || film.time.length < 2) return null;
  return new SheavePicture(film, sizesOf(report, bodiesOf(report)), angle, radius);
};
