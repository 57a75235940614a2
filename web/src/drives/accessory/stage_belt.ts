/* stage_belt.ts — a belt drive in motion on the stage, from its film. */
import { Advection, type Carried } from '../../advect';
import { centresAt, layoutOf, type Layout } from './belt';
import type { Group, Report } from '../../data';
import { driveBounds, DriveDrawing, type DriveState } from './drawing';
import { filmOf, instantOf, trackAt, trackRange, type Film, type Instant, type Track } from '../../film';
import { short, spoken } from '../../format';
import type { Point } from '../../geometry';
import type { Actor, Coloured, Show } from '../../stage';
import { quantity } from '../../tables';
import { lineLoad, shaftSpeed } from '../../units';

const looked = 40; /* frames from which the limits of the drawing are taken */
const turning = 0.7; /* revolutions of the fastest pulley in a second of playing */
const longest = 60; /* s that playing may take */
const exaggerated = 0.02; /* of the size of the drive: largest shift of a compliant hub as it is drawn */

/* 1, 2, 5, 10, ...: at most `most`, at least 1. */
export const roundFactor = (most: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return [5, 2, 1].find((m) => m * power <= Math.max(1, most))! * power;
};

/* Of many values the few that stand out are left to the ends of the colours. */
function colourRange(track: Track, frames: number): [number, number] {
  const whole = trackRange(track, frames) ?? [0, 1];
  if (track.n < 24) return whole;
  const some: number[] = [];
  const stride = Math.max(1, Math.floor((frames * track.n) / 20000));
  for (let k = 0; k < frames * track.n; k += stride) {
    const v = track.at(Math.floor(k / track.n), k % track.n);
    if (Number.isFinite(v)) some.push(v);
  }
  some.sort((a, b) => a - b);
  const at = (share: number): number => some[Math.min(some.length - 1, Math.floor(share * some.length))] ?? 0;
  const [low, high] = [at(0.004), at(0.996)];
  const room = 0.15 * (high - low);
  return [whole[0] < low - room ? low : whole[0], whole[1] > high + room ? high : whole[1]];
}

/* Every few frames, from the first to the last. */
export const someFrames = (n: number, most = looked): number[] =>
  Array.from({ length: Math.min(n, most) }, (_f, k) => Math.round((k * (n - 1)) / Math.max(1, Math.min(n, most) - 1)));

class BeltFilm {
  private angle: (Track | null)[];
  private nodes: Advection | null = null;
  private factor = 1; /* of the shifts of compliant hubs */
  private crank: number;

  constructor(private layout: Layout, private film: Film) {
    this.angle = this.each('pulley', 'angle');
    this.crank = Math.max(0, layout.pulleys.findIndex((p) => p.name === layout.crank));
    const [x, y] = [film.family('node.*.x'), film.family('node.*.y')];
    if (x && y && x.n > 2) this.nodes = new Advection(x, y, (frame) => this.passed(frame, x.n));
    const shift = Math.max(...['shift_x', 'shift_y'].map((w) => trackRange(film.family(`pulley.*.${w}`), film.time.length)).map((r) => (r ? Math.max(Math.abs(r[0]), Math.abs(r[1])) : 0)));
    const { low, high } = driveBounds(layout, [{ centres: layout.pulleys.map((p) => p.at) }]);
    if (shift > 0) this.factor = roundFactor((exaggerated * Math.hypot(high[0] - low[0], high[1] - low[1])) / shift);
  }

  /* One track a pulley. */
  private each(kind: 'pulley' | 'span', what: string): (Track | null)[] {
    return this.layout.pulleys.map((p) => this.film.value(`${kind}.${p.name}.${what}`));
  }

  private read(kind: 'pulley' | 'span', what: string): ((i: Instant) => number[]) | null {
    const tracks = this.each(kind, what);
    return tracks.some(Boolean) ? (instant) => tracks.map((t) => trackAt(t, instant)) : null;
  }

  private time({ frame, share }: Instant): number {
    const { time } = this.film;
    return share === 0 ? time[frame]! : time[frame]! + share * (time[frame + 1]! - time[frame]!);
  }

  private turnedBy(i: number, instant: Instant): number {
    return trackAt(this.angle[i]!, instant) + this.layout.pulleys[i]!.base * this.time(instant);
  }

  /* Members of a belt in segments that pass a point from one frame to the next, by what the crank turns. */
  private passed(frame: number, n: number): number {
    const { radius } = this.layout.pulleys[this.crank]!;
    const turned = this.turnedBy(this.crank, { frame: frame + 1, share: 0 }) - this.turnedBy(this.crank, { frame, share: 0 });
    const length = this.layout.numbers.find((k) => k.name === 'belt.length')?.value ?? NaN;
    return (turned * radius * n) / length;
  }

  /* Whether there is anything to draw. */
  get told(): boolean {
    return this.nodes !== null || this.film.family('span.*.tension') !== null;
  }

  private segmentColours(): Coloured[] {
    const kinds: [string, string, boolean][] = [['tension', 'tension', false], ['normal_force', 'normal force', false], ['slip', 'slip', true], ['friction', 'friction', true]];
    return kinds.flatMap(([what, label, diverging]): Coloured[] => {
      const track = this.film.family(`segment.*.${what}`);
      return track ? [{ key: `segment.*.${what}`, label, unit: track.unit, range: colourRange(track, this.film.time.length), diverging }] : [];
    });
  }

  private pulleyColours(): Coloured[] {
    const kinds: [string, string, boolean][] = [['friction_use', 'use of friction', false], ['slip', 'slip', true]];
    return kinds.flatMap(([what, label, diverging]): Coloured[] => {
      const range = trackRange(this.film.family(`pulley.*.${what}`), this.film.time.length);
      if (!range || !(range[1] > range[0])) return [];
      return [{ key: `pulley.*.${what}`, label, unit: what === 'friction_use' ? '' : 'm/s', range: what === 'friction_use' ? [0, Math.max(1, range[1])] : range, diverging }];
    });
  }

  colours(): Coloured[] {
    if (this.nodes) {
      const own = this.segmentColours();
      if (own.length) return own;
    }
    const tension = this.film.family('span.*.tension');
    const range = trackRange(tension, this.film.time.length);
    return [...(range ? [{ key: 'tension', label: 'tension', unit: 'N', range }] : []), ...this.pulleyColours()];
  }

  private placed(instant: Instant, larger: boolean): { centres: Point[]; arm: number | undefined } {
    const { arm } = this.layout;
    const place = arm ? trackAt(this.film.value(arm.place), instant) : NaN;
    const rest = centresAt(this.layout, Number.isFinite(place) ? place : arm?.start ?? NaN);
    const [sx, sy] = [this.shiftX?.(instant), this.shiftY?.(instant)];
    const factor = larger ? this.factor : 1;
    const centres = rest.map(([x, y], i): Point => [x + factor * (Number.isFinite(sx?.[i]!) ? sx![i]! : 0), y + factor * (Number.isFinite(sy?.[i]!) ? sy![i]! : 0)]);
    return { centres, arm: arm ? (Number.isFinite(place) ? place : arm.start) : undefined };
  }

  private shiftX = this.read('pulley', 'shift_x');
  private shiftY = this.read('pulley', 'shift_y');
  private hubX = this.read('pulley', 'hub_x');
  private hubY = this.read('pulley', 'hub_y');
  private tension = this.read('span', 'tension');
  private slipArc = this.read('pulley', 'slip_arc');
  private shaft = this.read('pulley', 'shaft_angle');
  private slip = this.read('pulley', 'slip');
  private whole = this.read('pulley', 'friction_use') ?? this.read('pulley', 'sliding'); /* 1: all of the arc slides */
  private bins = this.layout.pulleys.map((p) => {
    const list: Track[] = [];
    for (let k = 1, t: Track | null; (t = this.film.value(`pulley.${p.name}.pressure.${k}`)); k++) list.push(t);
    return list;
  });
  private painted = new Map<string, ((i: Instant) => number[]) | null>();

  private onPulley(colour: string | null, instant: Instant): number[] | undefined {
    if (!colour?.startsWith('pulley.*.')) return undefined;
    if (!this.painted.has(colour)) this.painted.set(colour, this.read('pulley', colour.slice(9)));
    return this.painted.get(colour)?.(instant);
  }

  /* A segment lies between its node and the next one: its values are carried along with the nodes. */
  private along(carried: Carried, track: Track | null): ArrayLike<number> | undefined {
    return track ? carried.values(track) : undefined;
  }

  /* Gross slip: all of the arc slides, faster than creep. */
  private slipping(instant: Instant): number[] | undefined {
    const [slip, whole] = [this.slip?.(instant), this.whole?.(instant)];
    return slip && whole ? slip.map((v, i) => (whole[i]! > 0.999 && Math.abs(v) > 0.05 ? v : 0)) : undefined;
  }

  private everSlips(): boolean {
    const n = this.film.time.length;
    return Array.from({ length: n }, (_f, frame) => this.slipping({ frame, share: 0 })).some((s) => s?.some((v) => v !== 0));
  }

  state(instant: Instant, show: Show): DriveState {
    const { centres, arm } = this.placed(instant, show.on('shift'));
    const [hx, hy] = [this.hubX?.(instant), this.hubY?.(instant)];
    const slip = this.slipArc?.(instant);
    const carried = this.nodes?.at(instant);
    const turned = this.layout.pulleys.map((_p, i) => this.turnedBy(i, instant));
    const shaft = this.shaft?.(instant);
    return {
      centres, arm, turned, tension: this.tension?.(instant), onPulley: this.onPulley(show.colour, instant),
      hub: hx && hy ? hx.map((v, i): Point => [v, hy[i]!]) : undefined,
      slipArc: slip?.every(Number.isFinite) ? slip : undefined,
      shaft: shaft?.map((a, i) => a + this.layout.pulleys[i]!.base * this.time(instant)),
      slipping: this.slipping(instant),
      travel: turned[this.crank]! * this.layout.pulleys[this.crank]!.radius,
      pressure: this.bins.some((b) => b.length > 1) ? this.bins.map((b) => b.map((t) => trackAt(t, instant))) : undefined,
      nodes: carried ? Array.from({ length: carried.n }, (_n, k) => carried.place(k)) : undefined,
      segment: carried && show.colour ? this.along(carried, this.film.family(show.colour)) : undefined,
      normal: carried && show.on('loads') ? this.along(carried, this.film.family('segment.*.normal_force')) : undefined,
    };
  }

  private scales(): { hub: number; pressure: number; normal: number } {
    let hub = 0;
    for (const frame of someFrames(this.film.time.length, 400)) {
      const [x, y] = [this.hubX?.({ frame, share: 0 }), this.hubY?.({ frame, share: 0 })];
      x?.forEach((v, i) => (hub = Math.max(hub, Math.hypot(v, y?.[i] ?? 0) || 0)));
    }
    const pressure = Math.max(0, ...this.bins.flat().map((t) => trackRange(t, this.film.time.length)?.[1] ?? 0));
    const normal = this.film.family('segment.*.normal_force');
    return { hub, pressure, normal: normal ? colourRange(normal, this.film.time.length)[1] : 0 };
  }

  private pace(): number {
    const { time } = this.film;
    const span = time[time.length - 1]! - time[0]!;
    const speeds = this.layout.pulleys.map((_p, i) => Math.abs(this.turnedBy(i, { frame: time.length - 1, share: 0 }) - this.turnedBy(i, { frame: 0, share: 0 })) / span).filter(Number.isFinite);
    const fastest = Math.max(0, ...speeds);
    return Math.max(fastest > 0 ? Math.min(1, (turning * 2 * Math.PI) / fastest) : 0, span / longest);
  }

  actor(what: string, repeat: boolean): Actor {
    const { time } = this.film;
    const colours = this.colours();
    const { hub, pressure, normal } = this.scales();
    const plain: Show = { colour: null, on: (key) => key === 'shift' };
    const states = someFrames(time.length).map((frame) => this.state({ frame, share: 0 }, plain));
    const picture = new DriveDrawing(this.layout, { hub, pressure, normal });
    const speeds = this.film.value(`pulley.${this.layout.crank}.speed`);
    const loads = normal > 0 || pressure > 0;
    return {
      what, abscissa: { name: 'time', unit: 's', values: time }, bounds: driveBounds(this.layout, states), axes: true, colours,
      switches: [
        ...(hub > 0 ? [{ key: 'hubs', label: 'hub loads', on: true }] : []),
        ...(loads ? [{ key: 'loads', label: 'loads on pulleys', on: true }] : []),
        ...(this.factor > 1 ? [{ key: 'shift', label: `shifts of hubs × ${short(this.factor)}`, on: true }] : []),
        { key: 'labels', label: 'labels', on: true },
      ],
      draw: (pen, view, at, show) => picture.draw(pen, view, this.state(instantOf(time, at), show),
        { coloured: colours.find((c) => c.key === show.colour), hubs: show.on('hubs'), loads: show.on('loads'), labels: show.on('labels') }),
      readouts: (at) => (speeds ? [[spoken(this.layout.crank), quantity(trackAt(speeds, instantOf(time, at)), shaftSpeed)]] : []),
      pace: this.pace(), repeat,
      note: (this.everSlips() ? 'Purple rim: all of the arc slips. ' : '') + notes(this.layout, hub > 0, normal > 0 ? `normal force of a segment, at most ${quantity(normal, 'N', 3)}` : pressure > 0 ? `line load, at most ${quantity(pressure, lineLoad, 3)}` : ''),
    };
  }
}

/* What arrows and lines mean. */
export function notes(layout: Layout, hubs: boolean, loads = ''): string {
  return [
    hubs ? 'Arrows: force of the belt on the hubs.' : '', loads ? `Bars: ${loads}.` : '',
    layout.pulleys.some((p) => p.side < 0) ? 'Dashed rims: pulleys on the back of the belt.' : '',
  ].filter(Boolean).join(' ');
}

const still = /^(statics|campbell|orders|life|modes|layout|scene)$/;

export function beltActor(report: Report, group: Group): Actor | null {
  const layout = still.test(group.kind) ? null : layoutOf(report.groups);
  const film = layout && filmOf(group);
  if (!layout || !film || film.time.length < 1) return null;
  const drive = new BeltFilm(layout, film);
  return drive.told ? drive.actor('belt drive', group.kind === 'periodic') : null;
}
