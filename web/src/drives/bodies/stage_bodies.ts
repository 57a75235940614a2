/* stage_bodies.ts — planar bodies in motion on the stage: outlines with marks that turn, joints, paths, forces of contact where
 * bodies touch, and pins enlarged in the play of their holes. */
import type { Group, Report } from '../../data';
import { number } from '../../format';
import type { Point } from '../../geometry';
import { Motion, ownPace, stretch, type Series } from '../../motion';
import type { Box, Pen } from '../../pen';
import { contactsOf, ground, pinsOf, shapesOf, world, type Pin, type Place, type Shape } from './scene_shapes';
import type { Actor, Show, View } from '../../stage';
import { arrow, spring, tint, wall } from '../../stage_sketch';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';
import { forceOn, normalAt, touchOf, type Touch } from './touching';

interface Pair {
  name: string;
  a: Shape;
  b: Shape[]; /* a body, or all lines of the ground */
  push: Series;
  friction: Series | null;
}

/* A point of contact whose place is known. */
interface Spot {
  from: Shape;
  to: Shape[];
  x: Series;
  y: Series;
  push: Series;
  friction: Series | null;
}

interface Arrow {
  at: Point;
  force: Point; /* N, on the upper body */
}

const held: Place = { x: 0, y: 0, angle: 0 };
const usual = 42; /* pixels of an arrow of a usual force */
const longest = 110;
/* Pixels of the hole, and between hole and pin. */
const insetOf = (box: Box): { radius: number; play: number } => {
  const radius = Math.min(62, Math.max(38, 0.072 * box.width));
  return { radius, play: 0.32 * radius };
};
const marked = 6; /* forces with their values */

class Bodies implements Actor {
  what = 'bodies';
  axes = true;
  abscissa: Actor['abscissa'];
  bounds: Actor['bounds'];
  switches: Actor['switches'];
  pace: number;
  note?: string;
  private names: string[];
  private own: Map<string, Shape>;
  private pairs: Pair[];
  private spots: Spot[];
  private pins: { pin: Pin; name: string }[];
  private springs: Set<Shape>;
  private usualForce: number;
  private usualSpeed: number;
  private guided: { body: string; half: number } | null;

  constructor(private shapes: Shape[], private motion: Motion, contacts: { name: string; from: string; to: string }[]) {
    this.names = [...new Set(shapes.map((s) => s.body).filter((b) => b !== ground))];
    this.own = new Map(this.names.map((n) => [n, shapes.find((s) => s.body === n && !s.to)!]).filter((e): e is [string, Shape] => !!e[1]));
    this.abscissa = { name: 'time', unit: 's', values: motion.time };
    this.pace = ownPace(motion.span);
    this.pins = this.namedPins();
    this.springs = this.findSprings();
    this.spots = this.findSpots(contacts);
    this.pairs = this.spots.length ? [] : this.findPairs();
    const pushes = [...this.spots, ...this.pairs].map((p) => p.push);
    this.usualForce = this.median(pushes);
    this.usualSpeed = Math.max(0, ...this.names.flatMap((n) => ['vx', 'vy'].map((c) => motion.series(`${n}.${c}`))).map((s) => (s ? Math.max(Math.abs(s.low), Math.abs(s.high)) : 0)));
    this.guided = this.findGuided();
    this.bounds = this.limits();
    const forces = pushes.length > 0 || this.pins.some((p) => motion.has(`${p.name}.force.normal`));
    this.switches = [
      { key: 'trail', label: 'paths', on: true },
      ...(forces ? [{ key: 'force', label: 'contact forces', on: true }] : []),
      ...(this.usualSpeed > 0 ? [{ key: 'speed', label: 'velocities', on: false }] : []),
      { key: 'names', label: 'names', on: this.names.length > 1 && this.names.length <= 30 },
    ];
    const cut = pushes.some((p) => p.high > (longest / usual) * this.usualForce);
    const where = this.spots.length ? 'at the contact' : 'in the middle of the contact';
    this.note = cut ? `Arrows: contact force on the upper of two bodies, ${where}; longer ones, such as those of impacts, are cut off at ${number((longest / usual) * this.usualForce, 2)} N.`
      : pushes.length ? `Arrows: contact force on the upper of two bodies, ${where}.` : undefined;
  }

  /* ---- what there is ---- */

  private namedPins(): { pin: Pin; name: string }[] {
    const contacts = this.motion.names.filter((n) => n.endsWith('.gap')).map((n) => n.slice(0, -4)).filter((n) => !this.isPairName(n));
    return pinsOf(this.shapes).map((pin, i) => ({ pin, name: contacts[i] ?? '' }));
  }

  private isPairName(name: string): boolean {
    return this.names.some((n) => name.startsWith(`${n}-`));
  }

  /* Pairs are called "FIRST-SECOND"; the second may be a line. */
  private findPairs(): Pair[] {
    const lines = this.shapes.filter((s) => s.corners.length === 2);
    return this.motion.names.filter((n) => n.endsWith('.force.normal')).flatMap((channel): Pair[] => {
      const name = channel.slice(0, -'.force.normal'.length);
      const first = this.names.filter((n) => name.startsWith(`${n}-`)).sort((x, y) => y.length - x.length)[0];
      const push = this.motion.series(channel);
      if (!first || !push || name.includes('.')) return []; /* "a-b.1": one of the points of a pair */
      const second = this.own.get(name.slice(first.length + 1));
      const b = second ? [second] : lines;
      return this.own.get(first) && b.length && push.high > 0 ? [{ name, a: this.own.get(first)!, b, push, friction: this.motion.series(`${name}.force.tangential`) }] : [];
    });
  }

  private findSpots(contacts: { name: string; from: string; to: string }[]): Spot[] {
    const lines = this.shapes.filter((s) => s.corners.length === 2);
    const pins = new Set(this.pins.map((p) => p.name));
    return contacts.flatMap(({ name, from, to }): Spot[] => {
      const [x, y, push] = ['contact.x', 'contact.y', 'force.normal'].map((e) => this.motion.series(`${name}.${e}`));
      const own = this.own.get(from);
      const other = to === ground ? lines.filter((l) => l.body === ground) : [...(this.own.get(to) ? [this.own.get(to)!] : []), ...lines.filter((l) => l.body === to)];
      return own && x && y && push && push.high > 0 && !pins.has(name) ? [{ from: own, to: other, x, y, push, friction: this.motion.series(`${name}.force.tangential`) }] : [];
    });
  }

  private median(list: Series[]): number {
    const all = list.flatMap((s) => Array.from(s.values).filter((v) => v > 1e-9 * Math.max(s.high, 1e-12))).sort((a, b) => a - b);
    return all[all.length >> 1] ?? 1;
  }

  /* Springs are the last of the links; only they have a length. */
  private findSprings(): Set<Shape> {
    const n = this.motion.names.filter((c) => c.endsWith('.length') && this.motion.has(c.replace(/length$/, 'force'))).length;
    const links = this.shapes.filter((s) => s.to);
    return new Set(n ? links.slice(-n) : []);
  }

  /* A body that a guide leads: it moves, but never turns. */
  private findGuided(): { body: string; half: number } | null {
    if (!this.motion.names.some((n) => n.endsWith('.force.across'))) return null;
    const still = (s: Series | null): boolean => !!s && s.high - s.low < 1e-6;
    const body = this.names.find((n) => still(this.motion.series(`${n}.angle`)) && still(this.motion.series(`${n}.y`)) && !still(this.motion.series(`${n}.x`)));
    const half = body ? Math.max(0, ...(this.own.get(body)?.corners.map((c) => c[1]) ?? [])) : 0;
    return body && half > 0 ? { body, half } : null;
  }

  get told(): boolean {
    return this.names.length > 0 && this.names.every((n) => this.motion.has(`${n}.x`, `${n}.y`));
  }

  private place(body: string, at: number): Place {
    if (body === ground) return held;
    const value = (end: string): number => this.motion.series(`${body}.${end}`)?.at(at) ?? 0;
    return { x: value('x'), y: value('y'), angle: value('angle') };
  }

  /* All that is ever shown, without lines, which have no ends. */
  private limits(): Actor['bounds'] {
    const low: Point = [Infinity, Infinity];
    const high: Point = [-Infinity, -Infinity];
    const put = ([x, y]: Point, r = 0): void => {
      [low[0], low[1], high[0], high[1]] = [Math.min(low[0], x - r), Math.min(low[1], y - r), Math.max(high[0], x + r), Math.max(high[1], y + r)];
    };
    for (const at of this.motion.instants(120))
      for (const s of this.shapes) {
        const place = this.place(s.body, at);
        if (s.corners.length > 2) for (const c of s.corners) put(world(place, c));
        else if (s.corners.length !== 2) put(world(place, s.at), s.radius);
        if (s.to) put(world(this.place(s.to, at), s.end));
      }
    const size = Math.max(high[0] - low[0], high[1] - low[1]) || 1;
    const room = 0.05 * size;
    const short = 0.26 * size - (high[1] - low[1]);
    if (short > 0) high[1] += short;
    if (high[0] - low[0] < 0.6 * size) [low[0], high[0]] = [(low[0] + high[0]) / 2 - 0.4 * size, (low[0] + high[0]) / 2 + 0.4 * size];
    const floor = this.shapes.some((s) => s.corners.length === 2) ? 0.03 * size : 0;
    const aside = this.pins.length ? 0.3 * size : 0;
    return { low: [low[0] - room, low[1] - room - floor], high: [high[0] + room + aside, high[1] + room] };
  }

  /* ---- drawing ---- */

  private colour(body: string): string {
    return body === ground ? theme().muted : lineStyle(this.names.indexOf(body)).colour();
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const places = new Map(this.names.map((n) => [n, this.place(n, at)]));
    const of = (body: string): Place => places.get(body) ?? held;
    pen.group('ground', () => {
      for (const s of this.shapes) if (s.corners.length === 2) this.line(pen, view, s, of(s.body));
      if (this.guided) this.rails(pen, view, of(this.guided.body));
    });
    if (show.on('trail')) pen.group('trail', () => this.trails(pen, view, at));
    pen.group('bodies', () => this.drawShapes(pen, view, of));
    if (show.on('names')) pen.group('names', () => this.drawNames(pen, view, of));
    if (show.on('speed')) pen.group('velocities', () => this.velocities(pen, view, at, of));
    if (show.on('force')) pen.group('forces', () => this.forces(pen, view, at, of));
    this.pins.forEach((p, k) => pen.group('clearance', () => this.pinInset(pen, view, at, p, k, show)));
  }

  private drawShapes(pen: Pen, view: View, of: (body: string) => Place): void {
    const inner = new Set(this.pins.flatMap(({ pin }) => [pin.pin, pin.hole]));
    for (const s of this.shapes) if (!s.to && s.corners.length !== 2 && !inner.has(s)) this.body(pen, view, s, of(s.body));
    for (const { pin } of this.pins) for (const s of [pin.hole, pin.pin]) this.ring(pen, view, s, of(s.body), s === pin.pin);
    for (const s of this.shapes) if (s.to) this.link(pen, view, s, of);
    for (const name of this.names) if (this.turnsInPlace(name)) this.bearing(pen, view, of(name));
  }

  private turnsInPlace(name: string): boolean {
    const span = (end: string): number => {
      const s = this.motion.series(`${name}.${end}`);
      return s ? s.high - s.low : 0;
    };
    return span('x') < 1e-9 && span('y') < 1e-9 && span('angle') > 0.5;
  }

  private body(pen: Pen, view: View, s: Shape, place: Place): void {
    const colour = this.colour(s.body);
    const paint = { fill: tint(colour, 0.2), stroke: colour, width: 1.75 };
    if (s.corners.length) return pen.polygon(s.corners.map((c) => view.px(world(place, c))), paint);
    const centre = view.px(world(place, s.at));
    if (!(s.radius > 0)) return pen.circle(centre, 4.5, { fill: colour });
    pen.circle(centre, s.radius * view.scale, paint);
    this.quarters(pen, view, s, place, colour);
  }

  /* Two opposite quarters are darker, so that turning is seen. */
  private quarters(pen: Pen, view: View, s: Shape, place: Place, colour: string): void {
    const r = s.radius;
    if (r * view.scale < 5) return;
    for (const first of [0, Math.PI])
      pen.polygon([s.at, ...Array.from({ length: 9 }, (_p, k): Point => {
        const a = first + (k * Math.PI) / 16;
        return [s.at[0] + r * Math.cos(a), s.at[1] + r * Math.sin(a)];
      })].map((p) => view.px(world(place, p))), { fill: tint(colour, 0.5) });
  }

  private ring(pen: Pen, view: View, s: Shape, place: Place, filled: boolean): void {
    pen.circle(view.px(world(place, s.at)), Math.max(2, s.radius * view.scale), { fill: filled ? tint(this.colour(s.body), 0.35) : theme().paper, stroke: this.colour(s.body), width: 1.5 });
  }

  private link(pen: Pen, view: View, s: Shape, of: (body: string) => Place): void {
    const [a, b] = [view.px(world(of(s.body), s.at)), view.px(world(of(s.to), s.end))];
    const { muted, paper } = theme();
    const far = Math.hypot(a[0] - b[0], a[1] - b[1]);
    if (this.springs.has(s)) spring(pen, a, b, 6, Math.max(3, Math.min(14, Math.round(far / 18))), { stroke: muted, width: 1.5 });
    else if (far > 3) pen.line([a, b], { stroke: muted, width: 1.5 });
    if (s.to === ground && far > 3) wall(pen, [b[0] + 9, b[1]], [b[0] - 9, b[1]], 6);
    pen.circle(b, 4, { fill: paper, stroke: muted, width: 1.75 });
  }

  /* What holds a body that only turns. */
  private bearing(pen: Pen, view: View, place: Place): void {
    const { muted, paper } = theme();
    const [x, y] = view.px([place.x, place.y]);
    pen.polygon([[x, y], [x - 9, y + 15], [x + 9, y + 15]], { fill: paper, stroke: muted, width: 1.5 });
    wall(pen, [x + 14, y + 15], [x - 14, y + 15], 6);
    pen.circle([x, y], 4, { fill: paper, stroke: muted, width: 1.75 });
  }

  /* A line without ends, hatched on the side of its material. */
  private line(pen: Pen, view: View, s: Shape, place: Place): void {
    const [a, b] = s.corners.map((c) => view.px(world(place, c))) as [Point, Point];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const [ux, uy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
    const middle = (view.box.x + view.box.width / 2 - a[0]) * ux + (view.box.y + view.box.height / 2 - a[1]) * uy;
    const reach = view.box.width + view.box.height;
    const from = Math.ceil((middle - reach) / 9) * 9;
    wall(pen, [a[0] + from * ux, a[1] + from * uy], [a[0] + (from + 2 * reach) * ux, a[1] + (from + 2 * reach) * uy]);
  }

  private rails(pen: Pen, view: View, place: Place): void {
    const s = this.motion.series(`${this.guided!.body}.x`)!;
    const half = this.guided!.half;
    const corners = this.own.get(this.guided!.body)!.corners.map((c) => c[0]);
    const [left, right] = [s.low + Math.min(...corners), s.high + Math.max(...corners)];
    const [a, b] = [view.px([left, place.y - half]), view.px([right, place.y + half])];
    wall(pen, [a[0], a[1] + 2], [b[0], a[1] + 2], 7);
    wall(pen, [b[0], b[1] - 2], [a[0], b[1] - 2], 7);
  }

  /* The whole path faintly, what was gone until now over it. */
  private trails(pen: Pen, view: View, at: number): void {
    const [first, last] = [this.abscissa.values[0]!, this.abscissa.values[this.abscissa.values.length - 1]!];
    for (const name of this.names) {
      const [x, y] = [this.motion.series(`${name}.x`)!, this.motion.series(`${name}.y`)!];
      if (Math.max(x.high - x.low, y.high - y.low) * view.scale < 2) continue;
      const path = (from: number, to: number): Point[] => stretch(x, y, from, to, 900).map((p) => view.px(p));
      pen.line(path(first, last), { stroke: this.colour(name), width: 1, alpha: 0.28 });
      const gone = path(first, at);
      const recent = path(Math.max(first, at - 0.12 * (last - first)), at);
      if (gone.length > 1) pen.line(gone, { stroke: this.colour(name), width: 1.25, alpha: 0.4 });
      if (recent.length > 1) pen.line(recent, { stroke: this.colour(name), width: 2.25, alpha: 0.85 });
    }
  }

  private drawNames(pen: Pen, view: View, of: (body: string) => Place): void {
    for (const [name, s] of this.own) {
      const box = s.corners.length > 0;
      const half = (box ? Math.min(...s.corners.map((c) => Math.min(Math.abs(c[0]), Math.abs(c[1])))) : s.radius) * view.scale;
      const [x, y] = view.px(world(of(name), box ? [0, 0] : s.at));
      const taken = this.turnsInPlace(name) || this.pins.some(({ pin }) => pin.pin.body === name || pin.hole.body === name && pin.hole.at[0] === 0);
      const up = half > 9 && !taken ? 0 : half + 11;
      pen.text([x, y - up], name, { fill: theme().text, size: 12.5, weight: 600, halo: theme().paper });
    }
  }

  private velocities(pen: Pen, view: View, at: number, of: (body: string) => Place): void {
    for (const name of this.names) {
      const v: Point = [this.motion.at(`${name}.vx`, at), this.motion.at(`${name}.vy`, at)];
      if (!Number.isFinite(v[0]) || !Number.isFinite(v[1])) continue;
      const from = view.px([of(name).x, of(name).y]);
      arrow(pen, from, [from[0] + (80 * v[0]) / this.usualSpeed, from[1] - (80 * v[1]) / this.usualSpeed], theme().lines[2]!, 2);
    }
  }

  private touch(pair: Pair, of: (body: string) => Place): Touch | null {
    const all = pair.b.map((b) => touchOf(pair.a, of(pair.a.body), b, of(b.body))).filter((t): t is Touch => t !== null);
    const centre = world(of(pair.a.body), pair.a.at);
    return all.sort((p, q) => Math.hypot(p.at[0] - centre[0], p.at[1] - centre[1]) - Math.hypot(q.at[0] - centre[0], q.at[1] - centre[1]))[0] ?? null;
  }

  private arrows(at: number, of: (body: string) => Place): Arrow[] {
    const least = 1e-6 * this.usualForce;
    const upper = (f: Point): Point => (f[1] < 0 ? [-f[0], -f[1]] : f);
    const spots = this.spots.map((s) => ({ s, push: s.push.at(at) })).filter((p) => p.push > least).map(({ s, push }): Arrow => {
      const place: Point = [s.x.at(at), s.y.at(at)];
      const normal = normalAt(place, world(of(s.from.body), s.from.at), s.to, of);
      return { at: place, force: upper(forceOn({ normal }, push, s.friction?.at(at) ?? 0)) };
    });
    const pairs = this.pairs.map((p) => ({ p, push: p.push.at(at) })).filter((p) => p.push > least).flatMap(({ p, push }): Arrow[] => {
      const touch = this.touch(p, of);
      return touch ? [{ at: touch.at, force: upper(forceOn(touch, push, p.friction?.at(at) ?? 0)) }] : [];
    });
    return [...spots, ...pairs];
  }

  private forces(pen: Pen, view: View, at: number, of: (body: string) => Place): void {
    const { text, paper } = theme();
    const list = this.arrows(at, of);
    for (const { at: place, force } of list) {
      const size = Math.hypot(force[0], force[1]);
      const length = Math.min(longest, (usual * size) / this.usualForce);
      const from = view.px(place);
      const tip: Point = [from[0] + (length * force[0]) / size, from[1] - (length * force[1]) / size];
      arrow(pen, from, tip, text);
      pen.circle(from, 2.5, { fill: text });
      if (list.length <= marked && length > 12) pen.text([tip[0] + 7, tip[1] - 7], quantity(size, 'N', 3), { fill: text, size: 11.5, align: 'left', halo: paper });
    }
  }

  /* The pin in its hole, with the play between them enlarged. */
  private pinInset(pen: Pen, view: View, at: number, { pin: { pin, hole }, name }: { pin: Pin; name: string }, k: number, show: Show): void {
    const { box } = view;
    const inset = insetOf(box);
    const { text, muted, axis, paper } = theme();
    const play = hole.radius - pin.radius;
    const half = Math.max(inset.radius + 14, 74); /* room for the texts below */
    const c: Point = [box.x + box.width - half - 4, box.y + box.height - inset.radius - 40 - k * (2 * inset.radius + 72)];
    const area: Box = { x: c[0] - half, y: c[1] - inset.radius - 34, width: 2 * half, height: 2 * inset.radius + 68 };
    pen.polygon([[area.x, area.y], [area.x + area.width, area.y], [area.x + area.width, area.y + area.height], [area.x, area.y + area.height]], { fill: paper, stroke: axis, alpha: 0.94 });
    pen.text([c[0], area.y + 13], name || 'pin', { fill: text, size: 12, weight: 600 });
    const offset = (t: number): Point => {
      const [p, h] = [world(this.place(pin.body, t), pin.at), world(this.place(hole.body, t), hole.at)];
      return [((p[0] - h[0]) / play) * inset.play, ((p[1] - h[1]) / play) * inset.play];
    };
    const put = ([dx, dy]: Point): Point => [c[0] + dx, c[1] - dy];
    pen.circle(c, inset.radius, { fill: tint(this.colour(hole.body), 0.25), stroke: this.colour(hole.body), width: 2 });
    const now = put(offset(at));
    pen.circle(now, inset.radius - inset.play, { fill: tint(this.colour(pin.body), 0.35), stroke: this.colour(pin.body), width: 2 });
    if (show.on('trail')) {
      const from = Math.max(this.abscissa.values[0]!, at - 0.12 * this.motion.span);
      const course = Array.from({ length: 161 }, (_p, i) => put(offset(from + ((at - from) * i) / 160)));
      pen.circle(c, inset.play, { stroke: muted, width: 1, dash: [2, 3] });
      pen.line(course, { stroke: text, width: 1.25, alpha: 0.7 });
    }
    pen.circle(now, 3, { fill: text });
    const push = name ? this.motion.at(`${name}.force.normal`, at) : NaN;
    if (show.on('force') && push > 0) {
      const [p, h] = [now, c];
      const size = Math.hypot(p[0] - h[0], p[1] - h[1]) || 1;
      const u: Point = [(p[0] - h[0]) / size, (p[1] - h[1]) / size];
      const from: Point = [h[0] + inset.radius * u[0], h[1] + inset.radius * u[1]];
      const length = Math.min(inset.radius, 12 + 30 * Math.log10(1 + push / (this.pinUsual(name) || 1)));
      arrow(pen, from, [from[0] - length * u[0], from[1] - length * u[1]], text);
    }
    const force = Number.isFinite(push) ? (push > 0 ? quantity(push, 'N', 3) : 'free') : '';
    pen.text([c[0], area.y + area.height - 24], [`clearance ${quantity(play, 'm', 2)}`, force].filter(Boolean).join(' · '), { fill: text, size: 11.5 });
    pen.text([c[0], area.y + area.height - 10], `clearance drawn × ${number(inset.play / ((inset.radius / hole.radius) * play), 2)}`, { fill: muted, size: 11.5 });
  }

  private pinMedians = new Map<string, number>();
  private pinUsual(name: string): number {
    let found = this.pinMedians.get(name);
    const s = this.motion.series(`${name}.force.normal`);
    if (found === undefined) this.pinMedians.set(name, (found = s ? this.median([s]) : 0));
    return found;
  }

  readouts(at: number): [string, string][] {
    const closed = this.motion.series('contacts.closed');
    return closed && closed.high > 0 ? [['closed contacts', String(Math.round(closed.at(at)))]] : [];
  }
}

export const bodiesActor = (report: Report, group: Group): Actor | null => {
  const shapes = shapesOf(report.groups);
  const motion = shapes && Motion.of(group);
  if (!shapes || !motion) return null;
  const actor = new Bodies(shapes, motion, contactsOf(report.groups));
  return actor.told ? actor : null;
};
