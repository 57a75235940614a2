/* stage_oscillator.ts — masses that move along a line between the stops of their clearances: gaps and motion to one scale, stops
 * on springs that deflect, the load, and the motion in the phase plane beside it. */
import { valuesOf, type Group, type Report, type Values } from '../../data';
import { roundValues, tick } from '../../format';
import type { Point } from '../../geometry';
import { cycleOf, Motion, stretch, type Series } from '../../motion';
import type { Pen } from '../../pen';
import { shade, type Actor, type Coloured, type Show, type View } from '../../stage';
import { arrow, box, damper, SmallPlot, spareHeight, spring, steady, tint, wall } from '../../stage_sketch';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';
import { displayUnit } from '../../units';

interface Clearance {
  name: string;
  from: string;
  to: string; /* '' = ground */
  low: number; /* of the deflection; not finite: no stop there */
  high: number;
  force: Series | null;
}

interface Link {
  from: string;
  to: string;
  stiff: boolean;
  damped: boolean;
}

const size = { width: 1000, lane: 230, top: 20, bottom: 60, picture: 560, half: 46 }; /* of the drawing, in its own units */
const most = 4; /* bodies */

class Oscillator implements Actor {
  what = 'oscillator';
  abscissa: Actor['abscissa'];
  bounds: Actor['bounds'];
  colours?: Coloured[];
  switches: Actor['switches'];
  pace: number;
  note: string;
  private range: [number, number]; /* m: what is drawn along the line */
  private plot: SmallPlot;
  private cycle: number;
  private load: number;

  constructor(private bodies: string[], private clearances: Clearance[], private links: Link[], private motion: Motion, private periodic: boolean) {
    this.abscissa = { name: 'time', unit: 's', values: motion.time };
    const position = this.position(bodies[0]!)!;
    const velocity = motion.series(`${bodies[0]}.velocity`)!;
    this.cycle = cycleOf(motion.series(`${bodies[0]}.load`) ?? position, motion.span);
    this.pace = this.cycle / 2;
    this.range = this.limits();
    this.load = Math.max(0, ...bodies.map((b) => motion.series(`${b}.load`)).map((s) => (s ? Math.max(Math.abs(s.low), Math.abs(s.high)) : 0)));
    this.bounds = { low: [0, 0], high: [size.width, size.top + size.bottom + size.lane * bodies.length] };
    const near = clearances.filter((c) => c.from === bodies[0] && !c.to).flatMap((c) => [c.low, c.high])
      .filter((s) => s > position.low - 0.6 * (position.high - position.low) && s < position.high + 0.6 * (position.high - position.low));
    this.plot = new SmallPlot({ name: 'position', unit: 'm', low: Math.min(position.low, ...near), high: Math.max(position.high, ...near) }, { name: `velocity${bodies.length > 1 ? ` of ${bodies[0]}` : ''}`, unit: 'm/s', low: velocity.low, high: velocity.high });
    const forces = clearances.map((c) => c.force).filter((f): f is Series => f !== null);
    if (forces.length) this.colours = [{ key: 'stop', label: 'stop force', unit: 'N', range: [Math.min(...forces.map((f) => f.low)), Math.max(...forces.map((f) => f.high))], diverging: true }];
    this.switches = [...(this.load > 0 ? [{ key: 'load', label: 'load', on: true }] : []), { key: 'speed', label: 'velocity', on: false }];
    this.note = 'Positions and gaps are to one scale; the size of the masses has no meaning. ' +
      (periodic ? 'Right: the orbit.' : 'Right: the last cycle dark, everything before it light.');
  }

  private position(body: string): Series | null {
    return this.motion.series(`${body}.position`);
  }

  private limits(): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    const put = (v: number): void => {
      if (Number.isFinite(v)) [low, high] = [Math.min(low, v), Math.max(high, v)];
    };
    for (const b of this.bodies) {
      put(this.position(b)!.low);
      put(this.position(b)!.high);
    }
    for (const c of this.clearances) {
      const to = c.to ? this.position(c.to) : null;
      put(c.low + (to?.low ?? 0));
      put(c.high + (to?.high ?? 0));
    }
    const room = 0.06 * (high - low) || 1e-3;
    return [low - room, high + room];
  }

  /* Of a place on the line, in the units of the drawing. */
  private x(v: number): number {
    const [low, high] = this.range;
    const from = 2.1 * size.half + 20;
    return from + ((v - low) / (high - low)) * (size.picture - 2 * from);
  }

  private lane(k: number): number {
    return this.bounds.high[1] - size.top - (k + 0.52) * size.lane;
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    pen.group('scale', () => this.scale(pen, view));
    this.bodies.forEach((b, k) => pen.group('mass', () => this.body(pen, view, at, show, b, k)));
    pen.group('phase', () => this.phase(pen, view, at));
  }

  private body(pen: Pen, view: View, at: number, show: Show, name: string, k: number): void {
    const { text, muted, paper } = theme();
    const y = this.lane(k);
    const at0 = this.position(name)!.at(at);
    const x = this.x(at0);
    const half = size.half;
    const px = (a: number, b: number): Point => view.px([a, b]);
    const colour = lineStyle(k).colour();
    for (const link of this.links.filter((l) => l.from === name)) this.link(pen, view, at, link, x, y);
    box(pen, px(x - half, y + half), px(x + half, y - half), tint(colour, 0.25), colour, 2);
    pen.text(px(x, y), name, { fill: text, size: 13, weight: 600, halo: undefined });
    for (const c of this.clearances.filter((l) => l.from === name)) this.stops(pen, view, at, show, c, x, y);
    /* Where the middle of the mass is on the scale. */
    pen.line([px(x, y - half), px(x, k === this.bodies.length - 1 ? 34 : y - half - 34)], { stroke: colour, width: 1.5 });
    if (k === this.bodies.length - 1) pen.circle(px(x, 34), 4, { fill: colour });
    const load = this.motion.series(`${name}.load`)?.at(at);
    if (show.on('load') && load !== undefined && this.load > 0) {
      const length = (load / this.load) * 105;
      arrow(pen, px(x, y + half + 18), px(x + length, y + half + 18), text);
      pen.text(px(x, y + half + 36), `load ${steady(load, 'N', this.load, 3)}`, { fill: text, size: 12, halo: paper });
    }
    const v = this.motion.at(`${name}.velocity`, at);
    const largest = Math.max(Math.abs(this.motion.series(`${name}.velocity`)!.low), Math.abs(this.motion.series(`${name}.velocity`)!.high));
    if (show.on('speed') && largest > 0) {
      arrow(pen, px(x, y + 0.4 * half), px(x + (v / largest) * 95, y + 0.4 * half), muted, 2);
    }
  }

  /* Stops stand where the gap ends, a mass's half width further out, and deflect. */
  private stops(pen: Pen, view: View, at: number, show: Show, c: Clearance, x: number, y: number): void {
    const { muted, text, paper } = theme();
    const base = c.to ? this.position(c.to)!.at(at) : 0;
    const px = (a: number, b: number): Point => view.px([a, b]);
    const half = size.half;
    const force = c.force?.at(at) ?? 0;
    const shown = this.colours?.find((k) => k.key === show.colour);
    for (const [side, stop] of [[-1, c.low], [1, c.high]] as const) {
      if (!Number.isFinite(stop)) continue;
      const rest = this.x(base + stop) + side * half;
      const face = side < 0 ? Math.min(rest, x - half) : Math.max(rest, x + half);
      const anchor = (side < 0 ? 6 : size.picture - 6);
      const pressed = Math.abs(face - rest) > 1e-6;
      const colour = shown && pressed ? shade(shown, force) : muted;
      const tall = 0.72 * half;
      const [k, last] = [this.bodies.indexOf(c.from), this.bodies.length - 1];
      if (c.to) pen.line([px(anchor, y + tall + 8), px(anchor, y - tall - 8)], { stroke: lineStyle(this.bodies.indexOf(c.to)).colour(), width: 5 });
      else if (side < 0) wall(pen, px(anchor, y + tall + 10), px(anchor, y - tall - 10));
      else wall(pen, px(anchor, y - tall - 10), px(anchor, y + tall + 10));
      spring(pen, px(anchor, y), px(face + side * 7, y), 9, 5, { stroke: colour, width: pressed ? 2.25 : 1.5 });
      box(pen, px(Math.min(face, face + side * 7), y + tall), px(Math.max(face, face + side * 7), y - tall), colour, colour, 1);
      pen.line([px(this.x(base + stop), y - half - 6), px(this.x(base + stop), k === last ? 34 : y - half - 34)], { stroke: muted, width: 1, dash: [2, 3] });
    }
    if (Number.isFinite(c.low) && Number.isFinite(c.high)) {
      const [a, b] = [px(this.x(base + c.low), y - half - 26), px(this.x(base + c.high), y - half - 26)];
      if (b[0] - a[0] > 16) {
        arrow(pen, [(a[0] + b[0]) / 2, a[1]], a, muted, 1.25);
        arrow(pen, [(a[0] + b[0]) / 2, a[1]], b, muted, 1.25);
      }
      pen.text([(a[0] + b[0]) / 2, a[1] + 13], `clearance ${quantity(c.high - c.low, 'm', 3)}`, { fill: text, size: 11.5, halo: paper });
    }
  }

  /* To the ground on the left, or to the lane of the other body. */
  private link(pen: Pen, view: View, at: number, link: Link, x: number, y: number): void {
    const { muted } = theme();
    const px = (a: number, b: number): Point => view.px([a, b]);
    const stopped = this.clearances.some((c) => c.from === link.from);
    const level = stopped ? y + 0.86 * size.half : y;
    const other = link.to ? this.x(this.position(link.to)!.at(at)) : 6;
    const end: Point = link.to ? px(other, this.lane(this.bodies.indexOf(link.to)) + size.half) : px(6, level);
    const start: Point = link.to ? px(x, y - size.half) : px(x - size.half, level);
    if (!link.to && !stopped) wall(pen, px(6, y + 0.9 * size.half), px(6, y - 0.9 * size.half));
    const both = link.stiff && link.damped;
    const shift = (p: Point, d: number): Point => (link.to ? [p[0] + d, p[1]] : [p[0], p[1] + d]);
    if (link.stiff) spring(pen, shift(end, both ? -9 : 0), shift(start, both ? -9 : 0), 7, 6, { stroke: muted, width: 1.5 });
    if (link.damped) damper(pen, shift(end, both ? 11 : 0), shift(start, both ? 11 : 0), 6, { stroke: muted, width: 1.5 });
  }

  private scale(pen: Pen, view: View): void {
    const { axis, muted, text } = theme();
    const unit = displayUnit('m', Math.max(Math.abs(this.range[0]), Math.abs(this.range[1])));
    const y = 34;
    pen.line([view.px([this.x(this.range[0]), y]), view.px([this.x(this.range[1]), y])], { stroke: axis, width: 1.25 });
    const wide = view.px([this.x(this.range[1]), y])[0] - view.px([this.x(this.range[0]), y])[0];
    const values = roundValues(this.range[0] / unit.size, this.range[1] / unit.size, Math.min(7, Math.max(2, Math.floor(wide / 48))));
    for (const v of values) {
      const [x, py] = view.px([this.x(v * unit.size), y]);
      pen.line([[x, py], [x, py + 5]], { stroke: axis });
      pen.text([x, py + 14], tick(v, (values[1] ?? 1) - (values[0] ?? 0)), { fill: muted, size: 11.5 });
    }
    const [x, py] = view.px([size.picture / 2, y]);
    pen.text([x, py + 31], `position [${unit.text}]`, { fill: text, size: 12 });
  }

  private phase(pen: Pen, view: View, at: number): void {
    const spare = Math.min(120, spareHeight(view, size.width, this.bounds.high[1]));
    const [a, b] = [view.px([size.picture + 12, this.bounds.high[1] + spare]), view.px([size.width, -spare])];
    const [q, v] = [this.position(this.bodies[0]!)!, this.motion.series(`${this.bodies[0]}.velocity`)!];
    const { plot } = this;
    const [first, last] = [this.abscissa.values[0]!, this.abscissa.values[this.abscissa.values.length - 1]!];
    const colour = lineStyle(0).colour();
    plot.frame(pen, { x: a[0], y: a[1], width: b[0] - a[0], height: b[1] - a[1] });
    plot.clipped(pen, () => {
      for (const c of this.clearances.filter((k) => k.from === this.bodies[0] && !k.to))
        for (const stop of [c.low, c.high]) if (Number.isFinite(stop)) plot.upright(pen, stop, { stroke: theme().muted, width: 1.25, dash: [4, 3] });
      plot.curve(pen, stretch(q, v, first, this.periodic ? last : at, 2500), { stroke: colour, width: 1, alpha: 0.35 });
      plot.curve(pen, stretch(q, v, Math.max(first, at - this.cycle), at), { stroke: colour, width: 2.25 });
      plot.dot(pen, q.at(at), v.at(at), theme().text);
    });
  }

  readouts(at: number): [string, string][] {
    const first = this.position(this.bodies[0]!)!;
    const stops = this.clearances[0]?.force?.at(at);
    return [['position', steady(first.at(at), 'm', Math.max(Math.abs(first.low), Math.abs(first.high)), 4)],
      ...(stops !== undefined ? [['stop', Math.abs(stops) > 1e-3 * Math.max(Math.abs(this.colours![0]!.range[0]), Math.abs(this.colours![0]!.range[1])) ? steady(stops, 'N', this.colours![0]!.range[1], 3) : 'free'] as [string, string]] : [])];
  }
}

/* ---- what a result says of it ---- */

const listOf = (group: Group | undefined, name: string): string[] => group?.texts.find((t) => t.name === name)?.value.split(',').filter(Boolean) ?? [];
const arrayOf = (group: Group | undefined, name: string): Values | null => {
  const found = group?.arrays.find((a) => a.name === name && !a.omitted);
  return found ? valuesOf(found) : null;
};
const groundless = (name: string | undefined): string => (!name || name === '-' ? '' : name);

/* Where a gap seems to end, when the result does not say: the outermost deflections without force. */
function gapFrom(deflection: Series, force: Series | null): [number, number] {
  if (!force) return [NaN, NaN];
  const none = 1e-3 * Math.max(Math.abs(force.low), Math.abs(force.high));
  const free = Array.from(deflection.values).filter((_v, i) => Math.abs(force.values[i]!) <= none);
  const [low, high] = [Math.min(...free), Math.max(...free)];
  return free.length ? [force.low < -none ? low : NaN, force.high > none ? high : NaN] : [NaN, NaN];
}

function clearancesOf(scene: Group | undefined, motion: Motion, first: string): Clearance[] {
  const named = listOf(scene, 'clearance.names');
  const names = named.length ? named : motion.names.filter((n) => /^clearance\d*\.deflection$/.test(n)).map((n) => n.slice(0, n.indexOf('.')));
  const [from, to] = [listOf(scene, 'clearance.from'), listOf(scene, 'clearance.to')];
  const [low, high] = [arrayOf(scene, 'clearance.low'), arrayOf(scene, 'clearance.high')];
  return names.map((name, i) => {
    const [deflection, force] = [motion.series(`${name}.deflection`), motion.series(`${name}.force`)];
    const gap = low && high ? [low[i]!, high[i]!] as [number, number] : deflection ? gapFrom(deflection, force) : [NaN, NaN] as [number, number];
    return { name, from: from[i] ?? first, to: groundless(to[i]), low: gap[0], high: gap[1], force };
  });
}

function linksOf(scene: Group | undefined, bodies: string[]): Link[] {
  const [from, to] = [listOf(scene, 'spring.from'), listOf(scene, 'spring.to')];
  const [k, c] = [arrayOf(scene, 'spring.stiffness'), arrayOf(scene, 'spring.damping')];
  if (!scene || !from.length) return [];
  return from.map((name, i) => ({ from: name, to: groundless(to[i]), stiff: !k || k[i] !== 0, damped: c ? c[i]! > 0 : k?.[i] === 0 })).filter((l) => bodies.includes(l.from) && (!l.to || bodies.includes(l.to)) && (l.stiff || l.damped));
}

export const oscillatorActor = (report: Report, group: Group): Actor | null => {
  const motion = report.drive === 'clearance-oscillator' ? Motion.of(group) : null;
  if (!motion) return null;
  const bodies = motion.names.filter((n) => n.endsWith('.position') && motion.has(n.replace(/position$/, 'velocity'))).map((n) => n.slice(0, -9)).slice(0, most);
  if (!bodies.length || motion.series(`${bodies[0]}.position`)!.unit !== 'm') return null;
  const scene = report.groups.find((g) => g.kind === 'scene');
  const clearances = clearancesOf(scene, motion, bodies[0]!).filter((c) => bodies.includes(c.from) && (!c.to || bodies.includes(c.to)));
  return new Oscillator(bodies, clearances, linksOf(scene, bodies), motion, group.kind === 'periodic' || group.kind === 'orbit');
};
