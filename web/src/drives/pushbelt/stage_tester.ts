/* stage_tester.ts — the Push-Force-Tester: a stack of elements on its rings between two hinges, bending as it is pressed. */
import type { Group, Report } from '../../data';
import { filmOf, instantOf, trackAt, type Film, type Instant, type Track } from '../../film';
import { number } from '../../format';
import type { Point } from '../../geometry';
import type { Pen } from '../../pen';
import { arrow, bodiesOf, drawRing, fillOf, Frame, ringShade, usualRange, type Bodies, type RingPoint } from './pushbelt';
import type { Actor, Coloured, Show, View } from '../../stage';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';

const layers = 9;
const hinge = 0.03; /* m, where the result does not tell */

/* Sum of two tracks, of a joint's edge and head. */
const sum = (a: Track | null, b: Track | null): Track | null => (a && b ? { ...a, at: (f, m) => a.at(f, m) + b.at(f, m) } : a ?? b);

/* 1, 2, 5, 10, ...: not more than x. */
const roundFactor = (x: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, x)));
  return ([5, 2, 1].find((m) => m * power <= x) ?? 1) * power;
};

class TesterPicture implements Actor {
  readonly what = 'Push-Force-Tester';
  readonly abscissa;
  readonly bounds;
  readonly colours: Coloured[];
  readonly switches: { key: string; label: string; on: boolean }[];
  readonly start: number;
  readonly note = 'Orange arrows: clamping force.';
  private push: Track | null;
  private guide: Track | null;
  private ring: [Track, Track, Track | null] | null;
  private ringTension: Coloured | null;
  private outlines: Point[][];
  private length: number;
  private hinge: number;
  private factor: number;
  private ringWidth: number;
  private top: number;

  constructor(private film: Film, bodies: Bodies, private x: Track, private y: Track, private angle: Track) {
    const frames = film.time.length;
    this.abscissa = { name: 'time', unit: 's', values: film.time };
    this.start = film.time[frames - 1]!;
    this.push = sum(film.family('joint.*.edge'), film.family('joint.*.head'));
    this.guide = film.family('guide.*.force');
    this.outlines = x.members.map((m) => bodies.outline(`element.${m}`) ?? []);
    const [rx, ry] = [film.family('ring.*.x'), film.family('ring.*.y')];
    this.ring = rx && ry ? [rx, ry, film.family('ring.*.tension')] : null;
    const tension = this.ring ? usualRange(this.ring[2], frames) : null;
    this.ringTension = tension ? { key: 'tension', label: 'Ring tension', unit: 'N', range: tension } : null;
    this.length = x.at(0, x.n - 1);
    this.hinge = bodies.number('clamp.hinge_distance') > 0 ? bodies.number('clamp.hinge_distance') : hinge;
    const top = Math.max(...(this.outlines[0] ?? []).map((p) => p[1]), 0.006);
    this.top = top;
    this.ringWidth = bodies.number('ring.thickness') > 0 ? bodies.number('ring.thickness') : 0.13 * top;
    let lift = 0;
    for (let f = 0; f < frames; f++) for (let m = 0; m < y.n; m++) lift = Math.max(lift, Math.abs(y.at(f, m) - y.at(0, m)) || 0);
    this.factor = roundFactor((0.07 * this.length) / (lift || 1));
    this.colours = this.coloured(frames);
    this.switches = [{ key: 'large', label: `deflection × ${this.factor}`, on: this.factor > 1 }, { key: 'labels', label: 'labels', on: true }];
    const high = top + Math.max(0.012, this.factor * lift);
    this.bounds = { low: [-this.hinge - 0.016, -0.019] as Point, high: [this.length + this.hinge + 0.016, high + 0.006] as Point };
  }

  private coloured(frames: number): Coloured[] {
    const list: Coloured[] = [];
    const add = (key: string, label: string, track: Track | null): void => {
      const range = usualRange(track, frames);
      if (!range || !track) return;
      const diverging = range[0] < -0.02 * Math.abs(range[1]);
      list.push({ key, label, unit: track.unit, range: diverging ? range : [Math.min(0, range[0]), range[1]], ...(diverging ? { diverging } : {}) });
    };
    add('push', 'Push force', this.push);
    add('guide', 'Saddle force', this.guide);
    return list;
  }

  private readFactor(show: Show): number {
    return show.on('large') ? this.factor : 1;
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const now = instantOf(this.film.time, at);
    const f = this.readFactor(show);
    const frame = new Frame(view.px([0, 0]), [0, 0], view.scale);
    const value = (name: string): number => trackAt(this.film.value(name), now);
    const { text, muted, paper } = theme();
    pen.line([frame.px(-this.hinge, 0), frame.px(this.length + this.hinge, 0)], { stroke: theme().grid, width: 1, dash: [6, 4] });
    this.holders(pen, frame, now, f);
    pen.group('elements', () => this.elements(pen, frame, now, f, show));
    this.drawRing(pen, frame, now, f);
    const force = value('clamp.force');
    const accent = lineStyle(1).colour();
    const [left, right] = [frame.px(-this.hinge, 0), frame.px(this.length + this.hinge, 0)];
    const size = Number.isFinite(force) ? 14 + (26 * force) / (this.film.value('clamp.force') ? Math.max(1e-9, ...this.range('clamp.force').map(Math.abs)) : 1) : 0;
    arrow(pen, [left[0] - 12 - size, left[1]], [left[0] - 12, left[1]], accent, 3);
    arrow(pen, [right[0] + 12 + size, right[1]], [right[0] + 12, right[1]], accent, 3);
    if (!show.on('labels')) return;
    const below = left[1] + 0.011 * frame.scale + 15;
    const pressed = `pressed by ${quantity(value('clamp.displacement'), 'm', 3)}`;
    pen.text([left[0] - 0.009 * frame.scale, below], pressed, { fill: text, size: 12.5, align: 'left' });
    pen.text([right[0] + 0.009 * frame.scale, below], quantity(force, 'N', 4), { fill: text, weight: 600, align: 'right' });
    const lift = value('stack.lift');
    const middle = frame.px(this.length / 2, 0);
    const above = frame.px(0, this.top + f * Math.abs(lift || 0) + 0.006)[1];
    if (Number.isFinite(lift)) pen.text([middle[0], above], `${lift >= 0 ? 'cat’s back: the middle rises by' : 'dog’s back: the middle sinks by'} ${quantity(Math.abs(lift), 'm', 3)}`, { fill: text, halo: paper });
    /* Where there is room between those of the ends. */
    const tension = `ring tension in the middle ${quantity(value('ring.tension'), 'N', 4)}`;
    const room = right[0] - left[0] - 2 * pen.measure(pressed, 12.5) - 24;
    if (this.ringTension && pen.measure(tension, 12) < room) pen.text([middle[0], below], tension, { fill: muted, size: 12, halo: paper });
  }

  private range(name: string): [number, number] {
    return usualRange(this.film.value(name), this.film.time.length) ?? [0, 1];
  }

  /* A hinge on the ground, and what turns with it up to the end of the stack. */
  private holders(pen: Pen, frame: Frame, now: Instant, f: number): void {
    const { axis, muted, paper } = theme();
    const s = frame.scale;
    for (const end of [0, 1]) {
      const from = end ? this.length + this.hinge : -this.hinge;
      const m = end ? this.x.n - 1 : 0;
      const turn = f * trackAt(this.angle, now, m);
      const reach = Math.abs(trackAt(this.x, now, m) - from);
      const sign = end ? -1 : 1;
      const at = (along: number, up: number): Point => frame.px(from + sign * along * Math.cos(turn) - up * Math.sin(turn), sign * along * Math.sin(turn) + up * Math.cos(turn));
      const half = 0.0045;
      pen.polygon([at(0.003, -half), at(reach, -half), at(reach, half), at(0.003, half)], { fill: theme().grid, stroke: axis, width: 1 });
      const [x, y] = frame.px(from, 0);
      pen.polygon([[x, y], [x - 0.006 * s, y + 0.011 * s], [x + 0.006 * s, y + 0.011 * s]], { fill: paper, stroke: muted, width: 1.3 });
      pen.line([[x - 0.009 * s, y + 0.011 * s], [x + 0.009 * s, y + 0.011 * s]], { stroke: muted, width: 2 });
      pen.circle([x, y], Math.max(3, 0.0022 * s), { fill: paper, stroke: muted, width: 1.5 });
    }
  }

  private elements(pen: Pen, frame: Frame, now: Instant, f: number, show: Show): void {
    const chosen = this.colours.find((c) => c.key === show.colour);
    const { muted } = theme();
    for (let m = 0; m < this.x.n; m++) {
      const y0 = this.y.at(0, m);
      const y = y0 + f * (trackAt(this.y, now, m) - y0);
      const value = chosen?.key === 'guide' ? trackAt(this.guide, now, m) : this.push ? trackAt(this.push, now, Math.min(m, this.push.n - 1)) : NaN;
      pen.polygon(frame.body(this.outlines[m]!, trackAt(this.x, now, m), y, f * trackAt(this.angle, now, m)), { fill: fillOf(chosen, value, false), stroke: muted, width: 0.8 });
    }
  }

  private drawRing(pen: Pen, frame: Frame, now: Instant, f: number): void {
    if (!this.ring) return;
    const [x, y, tension] = this.ring;
    const points = Array.from({ length: x.n }, (_p, m): RingPoint => ({
      at: frame.px(trackAt(x, now, m), f * trackAt(y, now, m)),
      colour: this.ringTension ? ringShade(this.ringTension, trackAt(tension, now, Math.min(m, (tension?.n ?? 1) - 1))) : theme().muted,
    }));
    drawRing(pen, points, this.ringWidth * frame.scale, layers);
  }

  readouts(at: number): [string, string][] {
    const now = instantOf(this.film.time, at);
    const value = (name: string): number => trackAt(this.film.value(name), now);
    const out: [string, string][] = [];
    if (Number.isFinite(value('clamp.force'))) out.push(['force', quantity(value('clamp.force'), 'N', 4)]);
    if (Number.isFinite(value('clamp.compression'))) out.push(['compression', `${number(1e3 * value('clamp.compression'), 3)} ‰`]);
    if (Number.isFinite(value('stack.lift'))) out.push(['lift', quantity(value('stack.lift'), 'm', 3)]);
    return out;
  }
}

export const testerActor = (report: Report, group: Group): Actor | null => {
  if (report.drive !== 'push-force-tester') return null;
  const film = filmOf(group);
  const bodies = bodiesOf(report);
  const [x, y, angle] = ['x', 'y', 'angle'].map((n) => film?.family(`element.*.${n}`) ?? null);
  return film && bodies && x && y && angle && film.time.length > 1 ? new TesterPicture(film, bodies, x, y, angle) : null;
};
