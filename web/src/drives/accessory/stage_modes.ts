/* stage_modes.ts — mode shapes of a belt drive, swinging on the stage: pulleys, tensioner, hubs, and the spans sideways.
 *
 * A mode is q = Re (x exp(i phase)) with complex amplitudes x of the unknowns. Its size means nothing: it is drawn as large as the
 * eye needs, and told so. */
import { beltPath, centresAt, type Layout } from './belt';
import { valuesOf, type Group } from '../../data';
import { driveBounds, DriveDrawing, type DriveState } from './drawing';
import { arrayIn } from '../../figure';
import { number, short } from '../../format';
import type { Point } from '../../geometry';
import { Link } from '../../link';
import { stage, type Actor, type Choice, type Coloured } from '../../stage';

/* Amplitudes by the names that the result has; 0 for what it has not. */
export interface ModeShape {
  frequency: number; /* Hz */
  ratio: number; /* damping; NaN: not known */
  amplitude(unknown: string): [number, number]; /* real and imaginary part */
}

/* Which unknowns move what. */
interface Names {
  pulley(name: string): string;
  shaft(name: string): string;
  arm: string;
  hub(name: string): [string, string];
  span?(name: string, term: number): string;
}

export const campbellNames = (layout: Layout): Names => ({
  pulley: (n) => `pulley.${n}`, shaft: (n) => `shaft.${n}`, arm: layout.arm?.part ?? 'arm', hub: (n) => [`hub.${n}.1`, `hub.${n}.2`], span: (n, k) => `span.${n}.${k}`,
});
export const modesNames = (layout: Layout, all: string[]): Names => ({
  pulley: (n) => n, shaft: (n) => `${n}.shaft`, arm: layout.arm?.part ?? 'arm',
  hub: (n) => (all.includes(`${n}.hub_x`) ? [`${n}.hub_x`, `${n}.hub_y`] : [`${n}.hub_1`, `${n}.hub_2`]),
});

/* Largest motions as they are drawn, as parts of the size of the drive. */
const drawn = { rim: 0.055, arm: 0.035, span: 0.05, hub: 0.02 };
const mostTerms = 40;
const steps = 96; /* of a period */
const period = 2.4; /* s of playing */

const coloured: Coloured = { key: 'tension', label: 'tension less mean', unit: '', range: [-1, 1], diverging: true };

class SwingingDrive {
  private rest: Point[];
  private size: number;
  private picture: DriveDrawing;
  private scale = 1;
  private most = 1; /* largest lengthening over length of a span, of the mode that is shown */
  private shape: ModeShape | null = null;
  private terms: number;

  constructor(private layout: Layout, private names: Names, unknowns: string[]) {
    this.rest = centresAt(layout, layout.arm?.start ?? NaN);
    const { low, high } = driveBounds(layout, [{ centres: this.rest }]);
    this.size = Math.hypot(high[0] - low[0], high[1] - low[1]);
    this.picture = new DriveDrawing(layout, { hub: 0 });
    this.terms = 0;
    while (names.span && this.terms < mostTerms && unknowns.includes(names.span(layout.pulleys[0]!.name, this.terms + 1))) this.terms++;
  }

  show(shape: ModeShape): void {
    this.shape = shape;
    this.scale = 1;
    const largest = { rim: 0, arm: 0, span: 0, hub: 0 };
    for (let k = 0; k < 24; k++) {
      const now = this.motion((k * Math.PI) / 24);
      now.turned.forEach((a, i) => (largest.rim = Math.max(largest.rim, Math.abs(a) * this.layout.pulleys[i]!.radius)));
      now.shaft.forEach((a, i) => (largest.rim = Math.max(largest.rim, 0.5 * Math.abs(a) * this.layout.pulleys[i]!.radius || 0)));
      largest.arm = Math.max(largest.arm, Math.abs(now.arm) * (this.layout.arm?.length || 1));
      now.hub.forEach(([x, y]) => (largest.hub = Math.max(largest.hub, Math.hypot(x, y))));
      for (const bow of now.bow ?? [])
        for (let j = 1; j < 16; j++) largest.span = Math.max(largest.span, Math.abs(bow.reduce((sum, a, m) => sum + a * Math.sin(((m + 1) * Math.PI * j) / 16), 0)));
    }
    const ratios = (Object.keys(drawn) as (keyof typeof drawn)[]).map((k) => (drawn[k] * this.size) / largest[k]).filter((r) => Number.isFinite(r) && r > 0);
    this.scale = ratios.length ? Math.min(...ratios) : 1;
    this.most = 0;
    for (let k = 0; k < 24; k++) this.most = Math.max(this.most, ...this.lengthening((k * Math.PI) / 24).map(Math.abs));
  }

  private value(unknown: string, phase: number): number {
    const [re, im] = this.shape?.amplitude(unknown) ?? [0, 0];
    return this.scale * (re * Math.cos(phase) - im * Math.sin(phase));
  }

  private motion(phase: number): { turned: number[]; shaft: number[]; arm: number; hub: Point[]; bow: number[][] | undefined } {
    const { pulleys } = this.layout;
    return {
      turned: pulleys.map((p) => this.value(this.names.pulley(p.name), phase)),
      shaft: pulleys.map((p) => (this.shape?.amplitude(this.names.shaft(p.name)).some((v) => v !== 0) ? this.value(this.names.shaft(p.name), phase) : NaN)),
      arm: this.value(this.names.arm, phase),
      hub: pulleys.map((p): Point => {
        const [a, b] = this.names.hub(p.name).map((n) => this.value(n, phase)) as [number, number];
        const [c, s] = [Math.cos(p.hubAxis), Math.sin(p.hubAxis)];
        return [a * c - b * s, a * s + b * c];
      }),
      bow: this.terms ? pulleys.map((p) => Array.from({ length: this.terms }, (_t, k) => this.value(this.names.span!(p.name, k + 1), phase))) : undefined,
    };
  }

  private centres(arm: number, hub: Point[]): Point[] {
    return centresAt(this.layout, (this.layout.arm?.start ?? NaN) + arm).map((c, i): Point => [c[0] + hub[i]![0], c[1] + hub[i]![1]]);
  }

  /* Of each span, over its length: what changes its tension. */
  private lengthening(phase: number): number[] {
    const { turned, arm, hub } = this.motion(phase);
    const path = beltPath(this.layout, this.rest);
    if (!path) return [];
    const { pulleys } = this.layout;
    const held = this.layout.arm;
    /* To first order: what is drawn large is small. */
    const way: Point = held ? [held.along[0] - held.length * Math.sin(held.start), held.along[1] + held.length * Math.cos(held.start)] : [0, 0];
    const moved = pulleys.map((p, i): Point => (p.onArm ? [way[0] * arm + hub[i]![0], way[1] * arm + hub[i]![1]] : hub[i]!));
    return path.spans.map((s, i) => {
      const k = (i + 1) % pulleys.length;
      const apart = Math.cos(s.direction) * (moved[k]![0] - moved[i]![0]) + Math.sin(s.direction) * (moved[k]![1] - moved[i]![1]);
      return (apart + pulleys[k]!.radius * turned[k]! - pulleys[i]!.radius * turned[i]!) / s.length;
    });
  }

  state(phase: number): DriveState {
    const { turned, shaft, arm, hub, bow } = this.motion(phase);
    const stretch = this.lengthening(phase);
    return {
      centres: this.centres(arm, hub), rest: this.rest, turned, shaft, bow, arm: this.layout.arm ? this.layout.arm.start + arm : undefined,
      tension: stretch.map((v) => v / (this.most || 1)),
    };
  }

  actor(what: string, choices: Choice[], changed: (again: () => void) => void): Actor {
    const values = Array.from({ length: steps + 1 }, (_p, k) => (2 * Math.PI * k) / steps);
    const { low, high } = driveBounds(this.layout, [{ centres: this.rest }]);
    const room = 0.03 * this.size;
    return {
      what, abscissa: { name: 'phase', unit: 'rad', values }, bounds: { low: [low[0] - room, low[1] - room], high: [high[0] + room, high[1] + room] }, axes: true,
      colours: [coloured], switches: [{ key: 'labels', label: 'labels', on: true }], choices, changed, repeat: true, start: 0, pace: (2 * Math.PI) / period,
      draw: (pen, view, at, show) => this.picture.draw(pen, view, this.state(at), { coloured: show.colour ? coloured : undefined, hubs: false, loads: false, labels: show.on('labels') }),
      readouts: () => (this.shape ? modeFigures(this.shape) : []),
      note: 'A mode has a shape but no size: the drawing has an amplitude that is easy to see. Colour: tension above or below the mean, over the largest of this mode.',
    };
  }
}

const modeFigures = (shape: ModeShape): [string, string][] => [
  ['frequency', `${number(shape.frequency, 4)} Hz`], ...(Number.isFinite(shape.ratio) ? [['damping ratio', number(shape.ratio, 3)] as [string, string]] : []),
];

export interface ModeChoice {
  actor: Actor;
  pick(mode: number, row: number): void;
}

/* Modes in a list, and where they are known at several speeds those. */
export function modesActor(layout: Layout, names: Names, unknowns: string[], count: number, speeds: string[], shapeOf: (mode: number, row: number) => ModeShape,
  picked: (mode: number, row: number) => void = () => undefined): ModeChoice {
  const drive = new SwingingDrive(layout, names, unknowns);
  /* The first that swings, where the drive runs. */
  const rows = Array.from({ length: Math.max(1, speeds.length) }, (_r, i) => i);
  let row = Math.max(0, rows.findIndex((r) => Number.isFinite(shapeOf(count - 1, r).frequency)));
  let mode = Math.max(0, Array.from({ length: count }, (_m, i) => i).findIndex((m) => shapeOf(m, row).frequency > 1e-3));
  const again: (() => void)[] = [];
  const update = (): void => {
    drive.show(shapeOf(mode, row));
    picked(mode, row);
    for (const one of again) one();
  };
  /* The frequency of a mode changes with the speed: it is told beside. */
  const modes = Array.from({ length: count }, (_m, i) => (speeds.length > 1 ? String(i + 1) : `${i + 1}: ${short(shapeOf(i, 0).frequency)} Hz`));
  const choices: Choice[] = [
    { label: 'Mode', options: modes, chosen: () => mode, pick: (i) => ((mode = i), update()) },
    ...(speeds.length > 1 ? [{ label: 'at', options: speeds, chosen: () => row, pick: (i: number) => ((row = i), update()) }] : []),
  ];
  drive.show(shapeOf(mode, row));
  return {
    actor: drive.actor('mode of the belt drive', choices, (one) => void again.push(one)),
    pick: (m, r) => ((mode = m), (row = r), update()),
  };
}

/* Modes of a belt drive, swinging; those of free turning have no frequency and are left out. */
export function modesStage(group: Group, layout: Layout | null): HTMLElement | null {
  const shape = arrayIn(group, 'shape');
  const [angular_frequency, damped, ratio] = ['angular_frequency', 'damped.angular_frequency', 'damped.ratio'].map((n) => arrayIn(group, n));
  const names = (group.texts.find((t) => t.name === 'coordinates')?.value ?? '').split(',').filter(Boolean);
  if (!layout || !shape || !angular_frequency || shape.dims.length !== 2 || shape.dims[0] !== names.length) return null;
  if (!layout.pulleys.some((p) => names.includes(p.name))) return null;
  const [v, w] = [valuesOf(shape), valuesOf(angular_frequency)];
  const nmode = shape.dims[1]!;
  /* Damped eigenvalues are listed by their size: as long as all swing, they are the same modes. */
  const ratios = ratio && damped && damped.dims[0] === nmode ? valuesOf(ratio) : null;
  const first = Array.from(w).findIndex((x) => x > 1e-6 * w[nmode - 1]!);
  if (first < 0) return null;
  const { actor } = modesActor(layout, modesNames(layout, names), names, nmode - first, [], (mode) => ({
    frequency: w[first + mode]! / (2 * Math.PI), ratio: ratios?.[first + mode] ?? NaN,
    amplitude: (unknown) => {
      const i = names.indexOf(unknown);
      return [i < 0 ? 0 : v[i * nmode + first + mode]!, 0];
    },
  }));
  return stage(actor, new Link());
}
