/* stage_rolling.ts — bodies that roll, in space: the ground with its grid, solids with marks that show how they turn, the paths of
 * centre and contact, and the force of the ground. */
import type { Group, Report } from '../../data';
import { roundValues } from '../../format';
import type { Point } from '../../geometry';
import { Motion, ownPace, stretch } from '../../motion';
import type { Pen } from '../../pen';
import { contactsOf, poseAt, pushesAt, reachOf, rollingOf, type Ground, type Hinge, type Rolling } from './rolling_bodies';
import { ball, disc, heading, paint, placed, plate, prism, rolled, shifted, type Face, type Place3 } from './solid';
import { seen, type Actor, type Show, type View } from '../../stage';
import { arrow, steady, tint } from '../../stage_sketch';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';

type Look = { azimuth: number; elevation: number };

const arrowLength = 70; /* pixels of the largest force */

class RollingStage implements Actor {
  what = 'rolling bodies';
  space = true;
  camera: Look;
  abscissa: Actor['abscissa'];
  bounds: Actor['bounds'];
  switches: Actor['switches'];
  pace: number;
  note?: string;
  private middle: Place3; /* of all that is shown, in the world */
  private area: { low: Point; high: Point }; /* of the ground that is drawn */
  private strongest: number;
  private size: number; /* of the largest body */
  private wheels = new Map<string, (at: number) => number>();

  constructor(private bodies: Rolling[], private hinges: Hinge[], private ground: Ground, private motion: Motion) {
    this.abscissa = { name: 'time', unit: 's', values: motion.time };
    this.size = Math.max(...bodies.map((b) => this.sizeOf(b)));
    this.area = this.groundArea();
    this.camera = this.firstLook();
    this.pace = this.paceOf();
    this.strongest = this.strongestPush();
    const middle: Place3 = [(this.area.low[0] + this.area.high[0]) / 2, (this.area.low[1] + this.area.high[1]) / 2, 0];
    this.middle = this.world(middle);
    this.bounds = this.limits();
    const single = bodies.length === 1 ? bodies[0]! : null;
    const aloft = bodies.some((b) => motion.has(`${b.name}.z`));
    const contacts = bodies.some((b) => contactsOf(b, motion).length);
    this.switches = [
      ...(contacts ? [{ key: 'contact', label: 'path of the contact', on: true }] : []),
      { key: 'centre', label: 'path of the centre', on: aloft || !contacts },
      ...(this.strongest > 0 ? [{ key: 'force', label: 'contact force', on: true }] : []),
      { key: 'follow', label: single ? 'follow' : `follow ${bodies[0]!.name}`, on: false },
    ];
    const sized = bodies.filter((b) => ['knife-edge', 'sleigh', 'block', 'planar'].includes(b.kind));
    const parts = [
      ground.slope ? `The ground slopes down by ${quantity(ground.slope, 'rad', 3)} along x.` : '',
      ground.turning ? `The ground rotates at ${quantity(ground.turning, 'rad/s', 3)}.` : '',
      sized.length ? 'Positions and blades are to scale; the outlines of the bodies are schematic.' : '',
    ].filter(Boolean);
    this.note = parts.length ? parts.join(' ') : undefined;
  }

  private sizeOf(b: Rolling): number {
    return b.kind === 'disc' || b.kind === 'ball' || b.kind === 'wheel' ? 2 * b.radius : b.length;
  }

  /* In its own time, but no turn within a moment. */
  private paceOf(): number {
    const { motion } = this;
    const turns = this.bodies.flatMap((b) => ['azimuth', 'heading', 'roll'].map((e) => motion.series(`${b.name}.${e}`))).map((s) => (s ? Math.abs(s.high - s.low) / (2 * Math.PI) : 0));
    const own = ownPace(motion.span);
    const rate = Math.max(0, ...turns) / motion.span; /* turns a second */
    return motion.span < 4 && rate * own > 0.7 ? 0.7 / rate : own;
  }

  private groundArea(): { low: Point; high: Point } {
    const [low, high]: [Point, Point] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    const put = (x: number, y: number, r: number): void => {
      [low[0], low[1], high[0], high[1]] = [Math.min(low[0], x - r), Math.min(low[1], y - r), Math.max(high[0], x + r), Math.max(high[1], y + r)];
    };
    for (const b of this.bodies) {
      for (const name of [b.name, ...contactsOf(b, this.motion).map((c) => `${c}.contact`)]) {
        const [x, y] = [this.motion.series(`${name}.x`)!, this.motion.series(`${name}.y`)!];
        put(x.low, y.low, 0.7 * this.sizeOf(b));
        put(x.high, y.high, 0.7 * this.sizeOf(b));
      }
    }
    if (this.ground.turning) { /* the whole table, about the origin */
      const far = Math.max(...this.bodies.flatMap((b) => this.motion.instants(200).map((t) => Math.hypot(this.motion.at(`${b.name}.x`, t), this.motion.at(`${b.name}.y`, t)) + 0.7 * this.sizeOf(b))));
      return { low: [-far, -far], high: [far, far] };
    }
    const wide = Math.max(high[0] - low[0], high[1] - low[1]);
    for (const k of [0, 1] as const) if (high[k] - low[k] < 0.3 * wide) [low[k], high[k]] = [(low[k] + high[k]) / 2 - 0.15 * wide, (low[k] + high[k]) / 2 + 0.15 * wide];
    return { low, high };
  }

  private strongestPush(): number {
    let most = 0;
    for (const at of this.motion.instants(200)) for (const b of this.bodies) for (const p of pushesAt(b, this.motion, at)) most = Math.max(most, Math.hypot(...p.force));
    return Number.isFinite(most) ? most : 0;
  }

  /* From the frame of the ground: x falls with the slope. */
  private world([x, y, z]: Place3): Place3 {
    const [c, s] = [Math.cos(this.ground.slope), Math.sin(this.ground.slope)];
    return [c * x + s * z, y, -s * x + c * z];
  }

  /* What the camera sees at first fits; the solids stand up by their own size. */
  private limits(): Actor['bounds'] {
    const places: Place3[] = [];
    const r = this.tableRadius();
    if (r > 0) for (let k = 0; k < 24; k++) places.push([r * Math.cos((k * Math.PI) / 12), r * Math.sin((k * Math.PI) / 12), 0]);
    else for (const x of [this.area.low[0], this.area.high[0]]) for (const y of [this.area.low[1], this.area.high[1]]) places.push([x, y, 0]);
    for (const b of this.bodies)
      for (const at of this.motion.instants(60)) {
        const { at: [x, y, z] } = poseAt(b, this.motion, at);
        places.push([x, y, z + (b.kind === 'disc' || b.kind === 'ball' ? b.radius : 0.5 * b.length)]);
      }
    const flat = places.map((c) => seen(this.camera, this.from(this.world(c))));
    const [xs, ys] = [flat.map((p) => p[0]), flat.map((p) => p[1])];
    const [low, high]: [Point, Point] = [[Math.min(...xs), Math.min(...ys)], [Math.max(...xs), Math.max(...ys)]];
    const room = 0.04 * Math.max(high[0] - low[0], high[1] - low[1]);
    return { low: [low[0] - room, low[1] - 1.5 * room], high: [high[0] + room, high[1] + room] };
  }

  private tableRadius(): number {
    return this.ground.turning ? Math.max(-this.area.low[0], this.area.high[0], -this.area.low[1], this.area.high[1]) : 0;
  }

  /* The longer side of the ground lies across the picture. */
  private firstLook(): Look {
    const [w, h] = [this.area.high[0] - this.area.low[0], this.area.high[1] - this.area.low[1]];
    const long = Math.max(w, h) > 1.4 * Math.min(w, h); /* then from higher up, which fills the picture better */
    return { azimuth: !long ? -0.95 : h > w ? -0.42 : -1.15, elevation: long ? 0.65 : 0.5 };
  }

  private from(p: Place3): Place3 {
    return [p[0] - this.middle[0], p[1] - this.middle[1], p[2] - this.middle[2]];
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const followed = show.on('follow') ? this.world(poseAt(this.bodies[0]!, this.motion, at).at) : null;
    const closer = followed ? Math.min(6, Math.max(1, (0.22 * Math.min(view.box.width, view.box.height)) / (this.size * view.scale))) : 1;
    const centre = followed ?? this.middle;
    const eye = (p: Place3): Place3 => seen(view, [closer * (p[0] - centre[0]), closer * (p[1] - centre[1]), closer * (p[2] - centre[2])]);
    const look = (p: Place3): Place3 => eye(this.world(p));
    const px = (p: Place3): Point => {
      const [x, y] = look(p);
      return view.px([x, y]);
    };
    pen.group('ground', () => this.drawGround(pen, px, at));
    for (const b of this.bodies) pen.group('shadow', () => this.shadow(pen, px, b, at));
    pen.group('paths', () => this.bodies.forEach((b, k) => this.paths(pen, px, b, lineStyle(k).colour(), at, show)));
    const faces = this.bodies.flatMap((b, k) => this.solid(b, k, at));
    pen.group('bodies', () => paint(pen, faces.map((f) => ({ ...f, points: f.points.map((p) => this.world(p)) })), eye, (p) => view.px(p)));
    pen.group('joints', () => this.hinges.forEach((h) => this.hinge(pen, px, h, at)));
    if (show.on('force')) pen.group('forces', () => this.forces(pen, px, view, closer, at));
    if (this.bodies.length > 1) this.bodies.forEach((b) => this.label(pen, px, b, at));
    this.compass(pen, view, followed !== null);
  }

  /* ---- ground ---- */

  private drawGround(pen: Pen, px: (p: Place3) => Point, at: number): void {
    const { grid, axis } = theme();
    if (this.ground.turning) return this.turntable(pen, px, at);
    const { low, high } = this.area;
    pen.polygon([[low[0], low[1], 0], [high[0], low[1], 0], [high[0], high[1], 0], [low[0], high[1], 0]].map((p) => px(p as Place3)), { fill: tint(grid, 0.45) });
    const step = this.gridStep();
    const values = (k: 0 | 1): number[] => roundSteps(low[k], high[k], step);
    for (const x of values(0)) pen.line([px([x, low[1], 0]), px([x, high[1], 0])], { stroke: Math.abs(x) < 1e-9 ? axis : grid, width: 1 });
    for (const y of values(1)) pen.line([px([low[0], y, 0]), px([high[0], y, 0])], { stroke: Math.abs(y) < 1e-9 ? axis : grid, width: 1 });
    this.gridNumbers(pen, px, values(0), values(1));
  }

  private gridStep(): number {
    const { low, high } = this.area;
    const list = roundValues(0, Math.max(high[0] - low[0], high[1] - low[1]), 14);
    return list.length > 1 ? list[1]! - list[0]! : 1;
  }

  /* Along the two edges that are nearer to where one usually looks from. */
  private gridNumbers(pen: Pen, px: (p: Place3) => Point, xs: number[], ys: number[]): void {
    const { muted } = theme();
    const { low, high } = this.area;
    const largest = Math.max(...[low[0], low[1], high[0], high[1]].map(Math.abs));
    const text = (v: number): string => steady(v, 'm', largest, 3).replace(/(\.\d*?)0+(?=\D|$)/, '$1').replace(/\.(?=\D|$)/, '');
    const out = 0.03 * Math.max(high[0] - low[0], high[1] - low[1]);
    /* The names of the axes first: numbers leave room for them and for each other. */
    const taken: { at: Point; half: number }[] = [];
    const free = (at: Point, half: number): boolean => taken.every((t) => Math.abs(t.at[0] - at[0]) > t.half + half + 4 || Math.abs(t.at[1] - at[1]) > 16);
    const put = (list: number[], at: (v: number) => Place3, name: string, end: Place3): (() => void) => {
      const stride = Math.max(1, Math.ceil(list.length / 6));
      taken.push({ at: px(end), half: pen.measure(name, 12.5) / 2 });
      pen.text(px(end), name, { fill: muted, size: 12.5, weight: 600, halo: theme().paper });
      return () => list.filter((_v, i) => i % stride === 0).forEach((v) => {
        const [p, half] = [px(at(v)), pen.measure(text(v), 11.5) / 2];
        if (!free(p, half)) return;
        pen.text(p, text(v), { fill: muted, size: 11.5, halo: theme().paper });
        taken.push({ at: p, half });
      });
    };
    const numbers = [put(xs, (x) => [x, low[1] - out, 0], this.ground.slope ? 'x, downhill' : 'x', [high[0] + 1.6 * out, low[1] - 1.6 * out, 0]),
      put(ys, (y) => [high[0] + out, y, 0], 'y', [high[0] + out, high[1] + 1.2 * out, 0])];
    for (const write of numbers) write();
  }

  /* A disc that turns, with rings and spokes. */
  private turntable(pen: Pen, px: (p: Place3) => Point, at: number): void {
    const { grid, axis, muted, paper } = theme();
    const r = this.tableRadius();
    const ring = (radius: number): Point[] => Array.from({ length: 73 }, (_p, k) => px([radius * Math.cos((k * Math.PI) / 36), radius * Math.sin((k * Math.PI) / 36), 0]));
    pen.polygon(ring(r), { fill: tint(grid, 0.55), stroke: axis, width: 1.5 });
    const turned = this.ground.turning * at;
    for (let k = 0; k < 12; k++) {
      const [a, b] = [turned + (k * Math.PI) / 6, turned + ((k + 1) * Math.PI) / 6];
      if (k % 2 === 0) pen.polygon([px([0, 0, 0]), ...Array.from({ length: 7 }, (_p, i) => px([r * Math.cos(a + ((b - a) * i) / 6), r * Math.sin(a + ((b - a) * i) / 6), 0]))], { fill: tint(axis, 0.28) });
    }
    const steps = roundValues(0, r, 4).filter((v) => v > 0 && v < 0.97 * r);
    for (const v of steps) {
      pen.line(ring(v), { stroke: grid, width: 1 });
      pen.text(px([0, -v, 0]), steady(v, 'm', r, 2), { fill: muted, size: 11.5, halo: paper });
    }
  }

  private shadow(pen: Pen, px: (p: Place3) => Point, b: Rolling, at: number): void {
    if (b.kind !== 'disc' && b.kind !== 'ball' && b.kind !== 'wheel') return;
    const pose = poseAt(b, this.motion, at);
    const round = b.kind === 'ball' ? heading(pose.at, 0) : b.kind === 'wheel' ? { ...pose, axes: [pose.axes[0], pose.axes[2], pose.axes[1]] as typeof pose.axes } : pose;
    const outline = Array.from({ length: 36 }, (_p, k): Point => {
      const a = (k * Math.PI) / 18;
      const p = placed(round, [b.radius * Math.cos(a), b.radius * Math.sin(a), 0]);
      return px([p[0], p[1], 0]);
    });
    pen.polygon(outline, { fill: '#000000', alpha: 0.16 });
  }

  /* ---- paths ---- */

  private paths(pen: Pen, px: (p: Place3) => Point, b: Rolling, colour: string, at: number, show: Show): void {
    const { motion } = this;
    const [first, last] = [this.abscissa.values[0]!, this.abscissa.values[this.abscissa.values.length - 1]!];
    const trace = (name: string, up: boolean, strong: number, colour: string): void => {
      const [x, y] = [motion.series(`${name}.x`), motion.series(`${name}.y`)];
      const z = up ? motion.series(`${name}.z`) : null;
      if (!x || !y || Math.max(x.high - x.low, y.high - y.low) < 1e-3 * this.size) return;
      const line = (from: number, to: number): Point[] => {
        const flat = stretch(x, y, from, to, 1400);
        if (!z) return flat.map(([u, v]) => px([u, v, 0]));
        const height = stretch(x, z, from, to, 1400);
        return flat.map(([u, v], i) => px([u, v, height[i]?.[1] ?? 0]));
      };
      pen.line(line(first, last), { stroke: colour, width: 1, alpha: 0.35 });
      const gone = line(first, at);
      if (gone.length > 1) pen.line(gone, { stroke: colour, width: strong, alpha: 0.9 });
    };
    const contacts = contactsOf(b, motion);
    if (show.on('contact')) for (const c of contacts) trace(`${c}.contact`, false, 2, colour);
    if (show.on('centre')) trace(b.name, true, 1.25, contacts.length && show.on('contact') ? theme().muted : colour);
  }

  /* ---- bodies ---- */

  private solid(b: Rolling, k: number, at: number): Face[] {
    const colour = lineStyle(k).colour();
    const pale = tint(colour, 0.35);
    const pose = poseAt(b, this.motion, at);
    const make: Record<Rolling['kind'], () => Face[]> = {
      disc: () => disc(b.radius, 0.05 * b.radius, [colour, pale], theme().muted),
      ball: () => ball(b.radius, [colour, pale]),
      wheel: () => disc(b.radius, 0.12 * b.radius, [colour, pale], theme().muted).map((f) => ({ ...f, points: f.points.map(([x, y, z]): Place3 => [x, -z, y]) })),
      block: () => prism(rectangle(-b.length / 2, b.length / 2, -0.35 * b.length, 0.35 * b.length), 0, 0.4 * b.length, colour, pale),
      'knife-edge': () => this.skate(b, 0, colour, pale),
      sleigh: () => this.skate(b, -b.arm, colour, pale),
      planar: () => this.car(b, colour, pale, at),
    };
    return shifted(make[b.kind](), pose);
  }

  /* A board over a blade that is `x` ahead of the centre of mass. */
  private skate(b: Rolling, x: number, colour: string, pale: string): Face[] {
    const l = Math.max(b.length, 1.3 * Math.abs(x));
    const h = 0.16 * b.length;
    const blade: Point[] = [[x - 0.3 * b.length, 0], [x + 0.3 * b.length, 0], [x + 0.42 * b.length, 0.5 * h], [x + 0.42 * b.length, h], [x - 0.38 * b.length, h], [x - 0.38 * b.length, 0.4 * h]];
    const front = x < 0 ? 0.35 * l : 0.55 * l;
    const back = x < 0 ? x - 0.42 * b.length : -0.5 * l;
    const board: Point[] = [[back, -0.16 * b.length], [front - 0.2 * b.length, -0.16 * b.length], [front, 0], [front - 0.2 * b.length, 0.16 * b.length], [back, 0.16 * b.length]];
    return [...plate(blade, theme().muted), ...prism(board, h, 1.35 * h, colour, pale), ...prism(rectangle(-0.04 * l, 0.04 * l, -0.04 * l, 0.04 * l), 1.35 * h, 2.1 * h, colour, colour)];
  }

  /* A chassis with a pair of wheels at each axle; the wheels turn with the way that the axle has gone. */
  private car(b: Rolling, colour: string, pale: string, at: number): Face[] {
    const xs = b.blades.map((c) => c.x);
    const hitch = this.hinges.flatMap((h) => (h.from === b.name ? [h.at[0]] : []));
    const drawn = this.hinges.flatMap((h) => (h.to === b.name ? [h.end[0]] : []));
    const [rear, front] = [Math.min(-0.3 * b.length, ...xs), Math.max(0.3 * b.length, ...xs)];
    const r = 0.11 * b.length;
    const half = 0.24 * b.length;
    const bar = (from: number, to: number): Face[] => prism(rectangle(Math.min(from, to), Math.max(from, to), -0.25 * r, 0.25 * r), 1.3 * r, 1.7 * r, theme().muted, theme().axis);
    const chassis = [...prism(rectangle(rear - 1.3 * r, front + 1.3 * r, -half, half), 1.2 * r, 2.4 * r, colour, pale),
      ...hitch.flatMap((x) => bar(x < rear ? rear - 1.3 * r : front + 1.3 * r, x)), ...drawn.flatMap((x) => bar(x < rear ? rear - 1.3 * r : front + 1.3 * r, x))];
    const wheels = b.blades.flatMap((blade) => {
      const turned = this.rolledBy(b, blade.name)(at) / r;
      return [-1, 1].flatMap((side) => {
        const own = rolled(heading([blade.x, blade.y + side * (half + 0.16 * r), r], blade.angle), turned);
        return shifted(disc(r, 0.5 * r, [theme().muted, theme().axis], theme().muted).map((f) => ({ ...f, points: f.points.map(([x, y, z]): Place3 => [x, -z, y]) })), own);
      });
    });
    const cabin = b.blades.length > 1 ? prism(rectangle(rear + 0.35 * (front - rear), rear + 0.8 * (front - rear), -0.85 * half, 0.85 * half), 2.4 * r, 4 * r, colour, pale) : [];
    return [...chassis, ...cabin, ...wheels];
  }

  /* m that an axle has gone forward. */
  private rolledBy(b: Rolling, blade: string): (at: number) => number {
    let found = this.wheels.get(blade);
    if (found) return found;
    const { motion } = this;
    const times = motion.instants(800);
    const gone = new Float64Array(times.length);
    const place = (t: number): [number, number] => (motion.has(`${blade}.contact.x`) ? [motion.at(`${blade}.contact.x`, t), motion.at(`${blade}.contact.y`, t)] : [motion.at(`${b.name}.x`, t), motion.at(`${b.name}.y`, t)]);
    for (let k = 1; k < times.length; k++) {
      const [p, q] = [place(times[k - 1]!), place(times[k]!)];
      const a = motion.at(`${b.name}.heading`, times[k]!);
      gone[k] = gone[k - 1]! + (q[0] - p[0]) * Math.cos(a) + (q[1] - p[1]) * Math.sin(a);
    }
    const step = times[1]! - times[0]!;
    found = (at) => {
      const u = Math.min(times.length - 1.001, Math.max(0, (at - times[0]!) / step));
      const k = Math.floor(u);
      return gone[k]! + (u - k) * (gone[k + 1]! - gone[k]!);
    };
    this.wheels.set(blade, found);
    return found;
  }

  private hinge(pen: Pen, px: (p: Place3) => Point, h: Hinge, at: number): void {
    const body = this.bodies.find((b) => b.name === h.from);
    if (!body) return;
    const p = placed(poseAt(body, this.motion, at), [h.at[0], h.at[1], 0.16 * body.length]);
    pen.circle(px(p), 4.5, { fill: theme().paper, stroke: theme().text, width: 2 });
  }

  private label(pen: Pen, px: (p: Place3) => Point, b: Rolling, at: number): void {
    const { at: [u, v, w] } = poseAt(b, this.motion, at);
    const [x, y] = px([u, v, w + (['disc', 'ball', 'wheel'].includes(b.kind) ? b.radius : 0.62 * b.length)]);
    pen.text([x, y - 16], b.name, { fill: theme().text, size: 12.5, weight: 600, halo: theme().paper });
  }

  /* ---- forces ---- */

  private forces(pen: Pen, px: (p: Place3) => Point, view: View, closer: number, at: number): void {
    const { text, paper } = theme();
    const scale = arrowLength / (view.scale * closer) / this.strongest;
    for (const b of this.bodies)
      for (const { at: foot, force } of pushesAt(b, this.motion, at)) {
        const size = Math.hypot(...force);
        if (!(size > 1e-6 * this.strongest)) continue;
        const [from, tip] = [px(foot), px([foot[0] + scale * force[0], foot[1] + scale * force[1], foot[2] + scale * force[2]])];
        arrow(pen, from, tip, text);
        if (Math.hypot(tip[0] - from[0], tip[1] - from[1]) > 14) pen.text([tip[0] - 7, tip[1] - 7], steady(size, 'N', this.strongest, 3), { fill: text, size: 11.5, align: 'right', halo: paper });
      }
  }

  /* Which way the axes point: the ground has none when the camera goes along. */
  private compass(pen: Pen, view: View, follows: boolean): void {
    if (!follows && !this.ground.turning) return;
    const c: Point = [view.box.x + 40, view.box.y + view.box.height - 40];
    for (const [axis, name] of [[[1, 0, 0], 'x'], [[0, 1, 0], 'y'], [[0, 0, 1], 'z']] as [Place3, string][]) {
      const [x, y] = seen(view, this.world(axis));
      arrow(pen, c, [c[0] + 30 * x, c[1] - 30 * y], theme().muted, 1.5);
      pen.text([c[0] + 40 * x, c[1] - 40 * y], name, { fill: theme().muted, size: 12, halo: theme().paper });
    }
  }

  readouts(at: number): [string, string][] {
    const b = this.bodies[0]!;
    const list: [string, string][] = [];
    const [vx, vy] = [this.motion.series(`${b.name}.vx`), this.motion.series(`${b.name}.vy`)];
    if (vx && vy) {
      const most = Math.max(Math.abs(vx.low), Math.abs(vx.high), Math.abs(vy.low), Math.abs(vy.high));
      const v = Math.hypot(vx.at(at), vy.at(at));
      list.push([this.bodies.length > 1 ? `speed of ${b.name}` : 'speed', v > 1e-9 && v > 1e-6 * most ? steady(v, 'm/s', most, 3) : '0 m/s']);
    }
    const tilt = this.motion.series(`${b.name}.tilt`);
    if (tilt) list.push(['inclination', quantity(tilt.at(at), 'rad', 3)]);
    return list;
  }
}

const rectangle = (left: number, right: number, low: number, high: number): Point[] => [[left, low], [right, low], [right, high], [left, high]];

const roundSteps = (low: number, high: number, step: number): number[] =>
  Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) + 1) }, (_v, i) => (Math.ceil(low / step - 1e-9) + i) * step);

export const rollingActor = (report: Report, group: Group): Actor | null => {
  const motion = report.drive === 'rolling-body' && group.kind !== 'convergence' ? Motion.of(group) : null;
  const found = motion && rollingOf(report.groups.find((g) => g.kind === 'scene'), motion);
  return motion && found && reachOf(motion, found.bodies.map((b) => b.name)) > 0 ? new RollingStage(found.bodies, found.hinges, found.ground, motion) : null;
};
