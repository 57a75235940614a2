/* stage_variator.ts — a pushbelt variator from the side: every element where it is, the ring through the saddles, both pulleys.
 *
 * Runs over time are films. A stationary point is one frame: its pattern of forces stands still while the elements are carried along
 * it, over one turn of the belt. In the middle one element is followed under a lens that turns with it. */
import { Advection, type Carried } from '../../advect';
import { valuesOf, type Group, type Report } from '../../data';
import { filmOf, instantOf, trackAt, type Film, type Instant, type Track } from '../../film';
import { number } from '../../format';
import type { Point } from '../../geometry';
import type { Box, Pen } from '../../pen';
import { primary, secondary, sectionStyle, torqueNote } from './names';
import { arrow, bodiesOf, closedLine, drawRing, fillOf, Frame, numberOf, ringShade, steel, turningArrow, usualRange, type Bodies, type LinePoint, type RingPoint } from './pushbelt';
import type { Actor, Choice, Coloured, Show, View } from '../../stage';
import { pointNames } from './stationary_figures';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';
import { shaftSpeed } from '../../units';

const sides = ['primary', 'secondary'] as const;
const sections = ['pri', 'sec'] as const;

interface Tracks {
  x: Track;
  y: Track;
  pitch: Track;
  push: Track | null;
  normal: Track | null;
  slide: Track | null;
  saddle: Track | null;
  ringSlide: Track | null;
  nodeX: Track | null;
  nodeY: Track | null;
  tension: Track | null;
}

function tracksOf(film: Film): Tracks | null {
  const [x, y, pitch] = ['x', 'y', 'angle'].map((n) => film.family(`element.*.${n}`));
  if (!x || !y || !pitch || x.n < 3) return null;
  const of = (name: string): Track | null => film.family(`element.*.${name}`);
  return {
    x, y, pitch, push: of('push'), normal: of('normal'), slide: of('slide'), saddle: of('saddle'), ringSlide: of('ring_slide'),
    nodeX: film.family('node.*.x'), nodeY: film.family('node.*.y'), tension: film.family('segment.*.tension'),
  };
}

type Key = 'push' | 'normal' | 'slide' | 'saddle' | 'ringSlide';

/* Over the frames that count. */
function coloursOf(t: Tracks, frames: number, late: (k: number) => boolean): Coloured[] {
  const touches = (k: number, m: number): boolean => late(k) && (!t.normal || t.normal.at(k, m) > 0);
  const choice = (key: Key, label: string, counts: typeof touches = late): Coloured[] => {
    const range = usualRange(t[key], frames, counts);
    if (!range) return [];
    const diverging = range[0] < -0.02 * Math.max(range[1], 0) && range[0] < 0;
    return [{ key, label, unit: t[key]!.unit, range: diverging ? range : [Math.min(0, range[0]), range[1] > range[0] ? range[1] : range[0] + 1], ...(diverging ? { diverging } : {}) }];
  };
  return [...choice('push', 'Push force'), ...choice('normal', 'Normal force of a flank'), ...choice('slide', 'Slip of the flank', touches),
    ...choice('saddle', 'Saddle force'), ...choice('ringSlide', 'Slip under the ring')];
}

/* Places and values at an instant, whether it is between two frames or one that stands still. */
interface Moment {
  belt: Carried;
  ring: Carried | null;
  value(name: string): number;
  turned(side: number): number; /* rad */
}

const fine = 4; /* points of the ring's line for each of the film */

class VariatorPicture implements Actor {
  readonly what = 'variator';
  readonly abscissa;
  readonly bounds;
  readonly colours;
  readonly switches = [{ key: 'lens', label: 'lens', on: true }, { key: 'arcs', label: 'idle and active arc', on: true }, { key: 'labels', label: 'labels', on: true }];
  readonly start: number;
  readonly pace?: number;
  readonly note?: string;
  readonly choices: Choice[] = [];
  readonly repeat: boolean;
  private belt: Advection;
  private ringLine: Advection | null;
  private ringTension: Coloured | null;
  private outlines: Point[][];
  private shafts: [Point, Point];
  private radii: [number, number][]; /* rim, shaft */
  private top: number; /* m over the centre of an element, and below it */
  private low: number;
  private frozen: boolean;
  private point = 0; /* frame that is shown, of stationary points */
  private followed = 0;
  private watchers: (() => void)[] = [];
  private ringWidth: number;
  private layers: number;

  constructor(private report: Report, private group: Group, private film: Film, private t: Tracks, private bodies: Bodies) {
    const { time } = film;
    this.frozen = group.kind === 'stationary' || group.kind === 'point' || time.length < 2;
    this.belt = new Advection(t.x, t.y, (f) => this.passed(f));
    this.ringLine = t.nodeX && t.nodeY ? new Advection(t.nodeX, t.nodeY, () => 0) : null;
    const tension = usualRange(t.tension, time.length, (k) => this.frozen || k >= 0.6 * time.length);
    this.ringTension = tension ? { key: 'ring', label: 'Ring tension', unit: 'N', range: tension } : null;
    this.colours = coloursOf(t, time.length, (k) => this.frozen || k >= 0.6 * time.length); /* not how a run begins */
    this.outlines = Array.from({ length: t.x.n }, (_e, k) => this.outline(k));
    this.top = this.outlines.reduce((most, o) => o.reduce((m, p) => Math.max(m, p[1]), most), 0);
    this.low = this.outlines.reduce((most, o) => o.reduce((m, p) => Math.max(m, -p[1]), most), 0);
    this.radii = sides.map((s) => [bodies.radii(s)[0] ?? 0, bodies.radii(s)[1] ?? 0]);
    const distance = this.axisDistance();
    this.shafts = [[0, 0], [distance, 0]];
    const thickness = bodies.number('ring.thickness');
    this.ringWidth = thickness > 0 ? thickness : 0.13 * this.top;
    this.layers = bodies.number('ring.layers') || 9;
    const rim = Math.max(...this.radii.map((r) => r[0]), 0.02);
    const margin = 0.009;
    this.bounds = { low: [-rim - margin - 0.006, -rim - margin - 0.010] as Point, high: [distance + rim + margin + 0.006, rim + margin] as Point };
    this.abscissa = this.frozen ? { name: 'revolution of the belt', unit: '', values: Array.from({ length: 201 }, (_v, k) => k / 200) } : { name: 'time', unit: 's', values: time };
    this.start = this.frozen ? 0 : time[time.length - 1]!;
    const speed = this.read('belt.speed', time.length - 1);
    if (!this.frozen && speed > 0) this.pace = 0.07 / speed;
    if (this.frozen) this.pace = 1 / 12;
    this.note = this.told();
    this.choosePoint();
    this.choices.push({ label: 'Follow element', options: t.x.members, chosen: () => this.followed, pick: (k) => this.choose(() => (this.followed = k)) });
    this.repeat = this.frozen;
  }

  /* Of an element that stands for several, which lean on each other: with all their chamfers. */
  private outline(k: number): Point[] {
    const given = this.bodies.outline(`element.${this.t.x.members[k]}`);
    if (!given || given.length < 3) return [];
    const stands = Math.max(1, this.bodies.number('elements.real') / this.t.x.n || 1);
    const cut = given[2]![0] - given[1]![0];
    const most = 1.6 * given[2]![0];
    return given.map((p, i): Point => (i === 1 ? [given[2]![0] - Math.min(most, cut * stands), p[1]] : p));
  }

  private read(name: string, frame: number): number {
    return this.film.value(name)?.at(frame, 0) ?? NaN;
  }

  private axisDistance(): number {
    const told = this.bodies.number('centre_distance');
    if (told > 0) return told;
    const far = this.film.value('secondary.x')?.at(0, 0);
    if (far !== undefined && far > 0) return far;
    const setting = /centre_distance["']?\s*:\s*([\d.]+)\s*mm/.exec(this.report.model);
    return setting ? Number(setting[1]) * 1e-3 : 0.155;
  }

  private passed(frame: number): number {
    const dt = this.film.time[frame + 1]! - this.film.time[frame]!;
    return (this.read('belt.speed', frame) * dt * this.t.x.n) / this.length(frame);
  }

  /* Of the line through the centres of the elements. */
  private length(frame: number): number {
    const { x, y } = this.t;
    let sum = 0;
    for (let i = 0; i < x.n; i++) {
      const k = (i + 1) % x.n;
      sum += Math.hypot(x.at(frame, k) - x.at(frame, i), y.at(frame, k) - y.at(frame, i));
    }
    return sum || 1;
  }

  private known(frame: number): boolean {
    return Number.isFinite(this.t.x.at(frame, 0));
  }

  private choosePoint(): void {
    const n = this.film.time.length;
    if (!this.frozen || n < 2) return;
    const names = pointNames(this.group);
    const list = Array.from({ length: n }, (_p, k) => k).filter((k) => this.known(k));
    this.point = list[list.length >> 1] ?? 0;
    this.choices.push({ label: 'Point', options: list.map((k) => names[k] || `${k + 1}`), chosen: () => list.indexOf(this.point), pick: (i) => this.choose(() => this.toPoint(list[i]!)) });
    this.toPoint(this.point);
  }

  /* Each point has colours of its own: loads differ much. */
  private toPoint(point: number): void {
    this.point = point;
    for (const c of coloursOf(this.t, this.film.time.length, (k) => k === point)) {
      const mine = this.colours.find((m) => m.key === c.key);
      if (mine) [mine.range, mine.diverging] = [c.range, c.diverging ?? false];
    }
    const tension = usualRange(this.t.tension, this.film.time.length, (k) => k === point);
    if (tension && this.ringTension) this.ringTension.range = tension;
  }

  /* Everyone who shows this actor draws anew. */
  private choose(set: () => void): void {
    set();
    for (const again of this.watchers) again();
  }

  changed(again: () => void): void {
    this.watchers.push(again);
  }

  private told(): string {
    const real = this.bodies.number('elements.real');
    const parts: string[] = [];
    if (this.frozen) parts.push('A stationary point: forces stay where they are in space while the elements pass through them, here over one turn of the belt.');
    if (real > this.t.x.n) parts.push(`Each of the ${this.t.x.n} elements drawn stands for ${number(real / this.t.x.n, 3)} of the ${real} of the belt.`);
    parts.push('To scale; zoom in to see the gaps between elements.', torqueNote('belt'), 'M: that torque; F: clamping force. Arrows in the strands: direction of travel.');
    return parts.join(' ');
  }

  private moment(at: number): Moment {
    if (this.frozen) {
      const period = this.length(this.point) / this.read('belt.speed', this.point);
      return {
        belt: this.belt.frozen(this.point, at * this.t.x.n), ring: this.ringLine?.frozen(this.point, 0) ?? null,
        value: (name) => this.read(name, this.point),
        turned: (side) => this.read(`${sides[side]}.angle`, this.point) - (Number.isFinite(period) ? this.read(`${sides[side]}.speed`, this.point) * at * period : 0),
      };
    }
    const instant: Instant = instantOf(this.film.time, at);
    return {
      belt: this.belt.at(instant), ring: this.ringLine?.at(instant) ?? null,
      value: (name) => trackAt(this.film.value(name), instant),
      turned: (side) => trackAt(this.film.value(`${sides[side]}.angle`), instant),
    };
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const now = this.moment(at);
    const frame = new Frame(view.px([0, 0]), [0, 0], view.scale);
    const chosen = this.colours.find((c) => c.key === show.colour);
    const { belt } = now;
    const n = belt.n;
    const [xs, ys, pitch, fills] = [new Float64Array(n), new Float64Array(n), new Float64Array(n), new Array<string>(n)];
    for (let i = 0; i < n; i++) {
      [xs[i], ys[i]] = belt.place(i) as [number, number];
      pitch[i] = belt.angle(this.t.pitch, i);
      fills[i] = this.fill(chosen, belt, i);
    }
    for (const side of [0, 1]) this.pulley(pen, frame, side, now);
    pen.group('elements', () => this.elements(pen, frame, xs, ys, pitch, fills, view));
    const line = now.ring ? closedLine(now.ring, this.t.tension, fine) : [];
    const far = 20 + 0.012 * view.scale; /* pixels: one point more on each side */
    pen.group('ring', () => this.ring(pen, frame, line, ([x, y]) => x > -far && y > -far && x < view.width + far && y < view.height + far));
    if (show.on('arcs')) for (const side of [0, 1]) this.arcs(pen, frame, view, side, now);
    for (const side of [0, 1]) this.shaft(pen, frame, side, now, show.on('labels'));
    if (show.on('labels')) this.strands(pen, frame, view, xs, ys, now);
    if (show.on('lens')) pen.group('lens', () => this.lens(pen, frame, view, xs, ys, pitch, fills, line, now, chosen));
    this.ringBar(pen, view);
  }

  private fill(c: Coloured | undefined, belt: Carried, i: number): string {
    if (!c) return steel();
    const value = belt.value(this.t[c.key as Key], i);
    const none = c.key === 'push' ? !(value > 0) : c.key === 'normal' || c.key === 'slide' ? !(belt.value(this.t.normal, i) > 0) : false;
    return fillOf(c, value, none);
  }

  private elements(pen: Pen, frame: Frame, xs: Float64Array, ys: Float64Array, pitch: Float64Array, fills: string[], view: View): void {
    const { paper, muted } = theme();
    const thick = (this.outlines[0]?.[2]?.[0] ?? 1e-3) * 2 * frame.scale; /* pixels */
    const edge = thick > 9 ? { stroke: muted, width: 0.8 } : { stroke: paper, width: Math.min(0.7, 0.14 * thick) };
    const far = (this.top + 0.01) * frame.scale;
    for (let i = 0; i < xs.length; i++) {
      if (!Number.isFinite(xs[i]!)) continue;
      const [px, py] = frame.px(xs[i]!, ys[i]!);
      if (px < -far || py < -far || px > view.width + far || py > view.height + far) continue;
      pen.polygon(frame.body(this.outlines[i]!, xs[i]!, ys[i]!, pitch[i]!), { fill: fills[i]!, ...edge });
    }
  }

  /* Pieces of the ring that can be seen. */
  private ring(pen: Pen, frame: Frame, line: LinePoint[], seen: (at: Point) => boolean): void {
    let piece: RingPoint[] = [];
    const flush = (): void => {
      if (piece.length > 1) drawRing(pen, piece, this.ringWidth * frame.scale, this.layers);
      piece = [];
    };
    for (let k = 0; k < line.length; k++) {
      const { x, y, value } = line[k]!;
      const at = frame.px(x, y);
      if (seen(at)) piece.push({ at, colour: this.ringTension ? ringShade(this.ringTension, value) : theme().muted });
      else flush();
    }
    flush();
  }

  /* Sheave, contact radius and marks that turn with it. */
  private pulley(pen: Pen, frame: Frame, side: number, now: Moment): void {
    const centre = frame.px(...this.shafts[side]!);
    const [rim, shaft] = this.radii[side]!;
    const { muted, axis } = theme();
    const colour = sectionStyle(side === 0 ? primary : secondary).colour();
    pen.circle(centre, rim * frame.scale, { fill: `${colour}14`, stroke: axis, width: 1.2 });
    const turn = now.turned(side);
    if (Number.isFinite(turn))
      for (let k = 0; k < 24; k++) {
        const a = turn + (k * Math.PI) / 12;
        const [outer, inner] = [rim, rim - (k === 0 ? 0.012 : k % 6 === 0 ? 0.006 : 0.003)];
        pen.line([frame.px(this.shafts[side]![0] + outer * Math.cos(a), outer * Math.sin(a)), frame.px(this.shafts[side]![0] + inner * Math.cos(a), inner * Math.sin(a))],
          { stroke: k === 0 ? colour : axis, width: k === 0 ? 3 : 1.2 });
      }
    const radius = now.value(`${sides[side]}.radius`);
    if (radius > 0) pen.circle(centre, radius * frame.scale, { stroke: muted, width: 1, dash: [5, 4] });
    if (shaft > 0 && Number.isFinite(turn)) {
      const key = (a: number, r: number): Point => frame.px(this.shafts[side]![0] + r * Math.cos(turn + a), r * Math.sin(turn + a));
      pen.line([key(0, shaft), key(0, shaft * 1.35)], { stroke: colour, width: 2.5 });
    }
  }

  /* In the shaft: name, speed, torque with its arrow, thrust. */
  private shaft(pen: Pen, frame: Frame, side: number, now: Moment, labels: boolean): void {
    const centre = frame.px(...this.shafts[side]!);
    const r = this.radii[side]![1] * frame.scale;
    const { paper, axis, text, muted } = theme();
    const colour = sectionStyle(side === 0 ? primary : secondary).colour();
    pen.circle(centre, r, { fill: paper, stroke: axis, width: 1.2 });
    const torque = now.value(`${sides[side]}.torque`);
    /* Of the pulley on the belt, which runs clockwise: above 0 it drives. */
    if (Math.abs(torque) > 1e-3) turningArrow(pen, centre, r + 7, torque > 0 ? Math.PI * 0.92 : Math.PI * 0.08, torque > 0 ? Math.PI * 0.08 : Math.PI * 0.92, colour, 2.5);
    if (!labels) return;
    const lines: [string, number, string][] = [[sides[side]!, 620, text], [quantity(now.value(`${sides[side]}.speed`), shaftSpeed, 4), 400, muted],
      [`M ${quantity(torque, 'N m', 3)}`, 400, text], [`F ${quantity(now.value(`${sides[side]}.thrust`), 'N', 4)}`, 400, text]];
    const fit = r > 46 ? 4 : r > 30 ? 2 : r > 22 ? 1 : 0;
    lines.slice(0, fit).forEach(([line, weight, fill], k) => pen.text([centre[0], centre[1] + 15 * (k - (fit - 1) / 2)], line, { fill, weight, size: r > 54 ? 12.5 : 11 }));
    /* What does not fit into the shaft stands below it. */
    const room = (now.value(`${sides[side]}.radius`) - this.low) * frame.scale;
    if (fit === 2 && room > r + 36) lines.slice(2).forEach(([line, , fill], k) => pen.text([centre[0], centre[1] + r + 13 + 14 * k], line, { fill, size: 11.5, halo: paper }));
    if (!fit) pen.text([centre[0], centre[1]], side === 0 ? 'P' : 'S', { fill: text, weight: 620, size: 11 });
  }

  /* A figure of the run, or of the point that is shown. */
  private figure(name: string): number {
    const own = numberOf(this.group, `variator.${name}`);
    const list = this.group.arrays.find((a) => a.name === `figure.${name}` && !a.omitted);
    return Number.isFinite(own) || !list ? own : valuesOf(list)[this.point] ?? NaN;
  }

  /* Where the belt hangs on without carrying, and where it carries. */
  private arcs(pen: Pen, frame: Frame, view: View, side: number, now: Moment): void {
    const of = (name: string): number => this.figure(`${name}_${sections[side]}`);
    const [entry, arc, idle] = [of('entry'), of('arc'), of('idle')];
    const radius = now.value(`${sides[side]}.radius`);
    if (!(arc > 0) || !Number.isFinite(entry) || !(radius > 0)) return;
    const centre = frame.px(...this.shafts[side]!);
    const r = (radius + this.top) * frame.scale + 9;
    /* From the middle of the arc along the travel, which is clockwise. */
    const angle = (a: number): number => (side === 0 ? Math.PI : 0) - a;
    const piece = (from: number, to: number, name: string, dash?: number[]): void => {
      const colour = theme().text;
      pen.arc(centre, r, angle(entry + from), angle(entry + to), { stroke: colour, width: dash ? 1.5 : 2.5, ...(dash ? { dash } : {}) });
      if ((to - from) * r < 40) return;
      const a = angle(entry + (from + to) / 2);
      const half = pen.measure(name, 11.5) / 2 + 2;
      const x = centre[0] + (r + 8) * Math.cos(a) + (half - 2) * Math.sign(Math.cos(a)) * Math.min(1, 2 * Math.abs(Math.cos(a)));
      pen.text([Math.min(view.box.x + view.box.width - half, Math.max(view.box.x + half, x)), centre[1] - (r + 12) * Math.sin(a)], name, { fill: colour, size: 11.5, halo: theme().paper });
    };
    const turn = Number.isFinite(idle) ? Math.min(arc, Math.max(0, idle)) : 0;
    if (turn > 0.01 * arc) piece(0, turn, 'idle', [2, 4]);
    if (turn < 0.99 * arc) piece(turn, arc, 'active');
  }

  /* Along the middle of a strand: its name, push force and tension. */
  private strands(pen: Pen, frame: Frame, view: View, xs: Float64Array, ys: Float64Array, now: Moment): void {
    const { text, paper, muted } = theme();
    const middle = this.shafts[1]![0] / 2;
    const near = (x: number): boolean => Math.abs(x - middle) < 0.15 * this.shafts[1]![0];
    const most = this.colours.find((c) => c.key === 'push')?.range[1] ?? 1;
    for (const upper of [true, false]) {
      const mine = Array.from(xs.keys()).filter((i) => near(xs[i]!) && ys[i]! > 0 === upper);
      if (mine.length < 2) continue;
      const mean = (of: (i: number) => number, list: number[]): number => list.reduce((sum, i) => sum + of(i), 0) / list.length;
      const y = mean((i) => ys[i]!, mine);
      const [cx, slope] = [mean((i) => xs[i]!, mine), mean((i) => (xs[i]! - middle) * (ys[i]! - y), mine) / mean((i) => (xs[i]! - middle) ** 2, mine)];
      const ring = now.ring ? Array.from({ length: now.ring.n }, (_k, k) => k).filter((k) => near(now.ring!.place(k)[0]) && now.ring!.place(k)[1] > 0 === upper) : [];
      const turn = Math.atan(slope);
      const out = upper ? 1 : -1;
      const at = frame.px(cx - out * this.top * Math.sin(turn), y + out * (upper ? this.top : this.top + 0.001) * Math.cos(turn));
      const away = (pixels: number): Point => [at[0] - out * pixels * Math.sin(turn), at[1] - out * pixels * Math.cos(turn)];
      const parts = [this.t.push ? `push ${quantity(mean((i) => now.belt.value(this.t.push, i), mine), 'N', 3, most)}` : '',
        ring.length ? `ring ${quantity(mean((k) => now.ring!.value(this.t.tension, k), ring), 'N', 3)}` : ''].filter(Boolean).join(' · ');
      /* Oblique texts take room upwards; the colours of the ring tension are at the bottom. */
      const put = (line: string, out: number, style: { fill: string; weight?: number; size?: number }): void => {
        const [place, half] = [away(out), 8 + 0.5 * Math.abs(Math.sin(turn)) * pen.measure(line, 13)];
        if (place[1] - half > view.box.y && place[1] + half < view.box.y + view.box.height - (upper ? 0 : 22)) pen.text(place, line, { ...style, halo: paper, turn });
      };
      put(upper ? 'upper strand' : 'lower strand', 30, { fill: text, weight: 600 });
      put(parts, 13, { fill: muted, size: 12 });
      const [tip, tail] = [17, -17].map((along): Point => {
        const [x, y0] = away(46);
        return [x + out * along * Math.cos(turn), y0 - out * along * Math.sin(turn)];
      }) as [Point, Point];
      arrow(pen, tail, tip, text, 2);
    }
  }

  /* One element at a scale that shows its rocking edge, in a box within the belt. */
  private lens(pen: Pen, frame: Frame, view: View, xs: Float64Array, ys: Float64Array, pitch: Float64Array, fills: string[], line: LinePoint[], now: Moment, chosen: Coloured | undefined): void {
    const n = xs.length;
    const k = Math.min(this.followed, n - 1);
    if (!Number.isFinite(xs[k]!)) return;
    const [left, right] = [0, 1].map((side) => frame.px(...this.shafts[side]!)[0] + (side === 0 ? 1 : -1) * (this.radii[side]![1] * frame.scale + 20)) as [number, number];
    let inside = 0.0425; /* m from the line of the axes to the belt */
    for (let i = 0; i < n; i++) {
      const x = frame.px(xs[i]!, 0)[0];
      if (x > left - 10 && x < right + 10) inside = Math.min(inside, Math.abs(ys[i]!) - this.low - 0.003);
    }
    const height = Math.min(0.42 * view.height, 2 * inside * frame.scale, 230);
    const box: Box = { x: left, y: frame.px(0, 0)[1] - height / 2, width: right - left, height };
    if (box.width < 110 || height < 90 || box.width > view.width) return; /* zoomed in: the picture itself shows it */
    const { paper, axis, text, muted } = theme();
    const mark = frame.px(xs[k]!, ys[k]!);
    const accent = lineStyle(1).colour();
    pen.circle(mark, Math.max(10, this.top * frame.scale + 4), { stroke: accent, width: 2 });
    pen.polygon([[box.x, box.y], [box.x + box.width, box.y], [box.x + box.width, box.y + height], [box.x, box.y + height]], { fill: paper, stroke: accent, width: 1.5 });
    pen.clip(box, () => {
      const tall = this.outlines[k]!.reduce((m, p) => Math.max(m, p[1]), 0) - this.outlines[k]!.reduce((m, p) => Math.min(m, p[1]), 0);
      const scale = (height - 56) / tall;
      const own = new Frame([box.x + box.width / 2, box.y + (height - 20) / 2 + 14], [xs[k]!, ys[k]!], scale, pitch[k]!);
      const reach = Math.ceil(box.width / 2 / scale / Math.max(4e-4, this.outlines[k]![2]![0] * 2)) + 1;
      for (let j = -reach; j <= reach; j++) {
        const i = (((k + j) % n) + n) % n;
        if (Number.isFinite(xs[i]!)) pen.polygon(own.body(this.outlines[i]!, xs[i]!, ys[i]!, pitch[i]!), { fill: fills[i]!, stroke: j === 0 ? accent : muted, width: j === 0 ? 2 : 0.8 });
      }
      const far = box.width / 2 + 0.012 * scale;
      this.ring(pen, own, line, ([x, y]) => Math.hypot(x - box.x - box.width / 2, y - box.y - height / 2) < far);
      const value = chosen ? now.belt.value(this.t[chosen.key as Key], k) : NaN;
      const name = `element ${this.t.x.members[k]}`;
      const amount = Number.isFinite(value) ? quantity(value, chosen!.unit, 3) : '';
      const fits = [`${name} · ${chosen?.label.toLowerCase() ?? ''} ${amount}`, `${name} · ${amount}`, name].slice(amount ? 0 : 2).find((t) => pen.measure(t, 12) < box.width - 10);
      if (fits) pen.text([box.x + box.width / 2, box.y + 12], fits, { fill: text, size: 12, halo: paper });
      const mm = scale * 1e-3;
      pen.line([[box.x + 10, box.y + height - 9], [box.x + 10 + mm, box.y + height - 9]], { stroke: text, width: 2 });
      pen.text([box.x + 15 + mm, box.y + height - 9], '1 mm', { fill: muted, size: 11, align: 'left', halo: paper });
      arrow(pen, [box.x + box.width - 40, box.y + height - 10], [box.x + box.width - 12, box.y + height - 10], axis, 1.6);
    });
  }

  /* What the colours of the ring mean, along the bottom. */
  private ringBar(pen: Pen, view: View): void {
    const c = this.ringTension;
    if (!c || !this.t.nodeX) return;
    const length = Math.min(180, 0.24 * view.box.width);
    const [x, y] = [view.box.x + view.box.width / 2 - length / 2, Math.min(view.box.y + view.box.height - 8, view.px([0, this.bounds.low[1]])[1] + 14)];
    if (length < 84) return;
    for (let k = 0; k < 32; k++)
      pen.line([[x + (k * length) / 32, y], [x + ((k + 1) * length) / 32 + 0.5, y]], { stroke: ringShade(c, c.range[0] + ((k + 0.5) / 32) * (c.range[1] - c.range[0])), width: 7 });
    const { muted, paper } = theme();
    pen.text([x - 6, y], `ring tension ${quantity(c.range[0], 'N', 3, c.range[1])}`, { fill: muted, size: 11.5, align: 'right', halo: paper });
    pen.text([x + length + 6, y], quantity(c.range[1], 'N', 3), { fill: muted, size: 11.5, align: 'left', halo: paper });
  }

  readouts(at: number): [string, string][] {
    const now = this.moment(at);
    const out: [string, string][] = [];
    const add = (name: string, channel: string, unit: string, digits: number): void => {
      const v = now.value(channel);
      if (Number.isFinite(v)) out.push([name, unit ? quantity(v, unit, digits) : number(v, digits)]);
    };
    add('i_s', 'ratio.speed', '', 4);
    add('i_F', 'ratio.thrust', '', 4);
    add('belt', 'belt.speed', 'm/s', 4);
    return out;
  }
}

export const variatorActor = (report: Report, group: Group): Actor | null => {
  if (report.drive !== 'variator') return null;
  const film = filmOf(group);
  const bodies = bodiesOf(report);
  const tracks = film ? tracksOf(film) : null;
  return film && bodies && tracks ? new VariatorPicture(report, group, film, tracks, bodies) : null;
};
