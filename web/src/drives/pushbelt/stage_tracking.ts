/* stage_tracking.ts — a ring on the crowned saddle of an element, across the travel: where it touches, and the tracking force that centres it.
 *
 * Heights are drawn many times as large: a crown of 250 mm falls by 0.2 mm over the width of a saddle. */
import { valuesOf, type Group, type Report, type Values } from '../../data';
import { instantOf } from '../../film';
import type { Point } from '../../geometry';
import type { Pen } from '../../pen';
import { arrow, Frame, steel } from './pushbelt';
import type { Actor, Choice, Show, View } from '../../stage';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';

/* A length of the model in m; NaN where it is not written there. */
function lengthIn(report: Report, section: string, key: string): number {
  const told = (report as { settings_table?: { path: string; si?: number }[] }).settings_table?.find((s) => s.path === `${section}.${key}`)?.si;
  if (told !== undefined && Number.isFinite(told)) return told;
  const found = new RegExp(`${section}:[^}]*?\\b${key}:\\s*([\\d.]+)\\s*(mm|m)\\b`, 's').exec(report.model);
  return found ? Number(found[1]) * (found[2] === 'mm' ? 1e-3 : 1) : NaN;
}

const read = (group: Group, name: string): Values | null => {
  const found = group.arrays.find((a) => a.name === name && !a.omitted);
  return found ? valuesOf(found) : null;
};

/* "20 kN at 9.75 mm" */
export const pointName = (force: number, position: number): string => `${quantity(force, 'N', 3)} at ${quantity(position, 'm', 3)}`;

/* Profiles by their normal force and position. */
export function profileNames(group: Group): string[] {
  const [force, position] = [read(group, 'profile.force') ?? [], read(group, 'profile.position') ?? []];
  return Array.from(force, (f, k) => pointName(f, position[k] ?? NaN));
}

interface Saddle {
  crown: number; /* m: radius across */
  width: number; /* m: of the ring */
}

/* What stays of a picture from the ring's place: the saddle, lines of both, and arrows. */
class SaddlePicture {
  readonly large: number;
  readonly bounds: { low: Point; high: Point };

  constructor(readonly saddle: Saddle, reach: number) {
    this.large = Math.max(1, Math.round((0.24 * reach) / ((reach * reach) / (2 * saddle.crown)) ));
    this.bounds = { low: [-1.1 * reach, -0.34 * reach], high: [1.1 * reach, 0.3 * reach] };
  }

  height(z: number): number {
    return (-this.large * z * z) / (2 * this.saddle.crown);
  }

  base(pen: Pen, frame: Frame, view: View): void {
    const [low, high] = [this.bounds.low[0] * 1.5, this.bounds.high[0] * 1.5];
    const line = Array.from({ length: 81 }, (_p, k): Point => {
      const z = low + ((high - low) * k) / 80;
      return frame.px(z, this.height(z));
    });
    const floor = Math.max(view.height + 4, frame.px(0, this.bounds.low[1])[1]);
    pen.polygon([...line, [line[80]![0], floor], [line[0]![0], floor]], { fill: steel(), stroke: theme().muted, width: 1.5 });
    pen.line([frame.px(0, this.bounds.high[1]), frame.px(0, this.bounds.low[1])], { stroke: theme().axis, width: 1, dash: [6, 4] });
    pen.text([frame.px(0, 0)[0], frame.px(0, this.bounds.low[1])[1] - 10], 'crest', { fill: theme().muted, size: 12 });
  }
}

class TrackingPicture implements Actor {
  readonly what = 'ring on its saddle';
  readonly abscissa;
  readonly bounds;
  readonly note: string;
  readonly start: number;
  readonly choices: Choice[];
  private picture: SaddlePicture;
  private load: number;

  constructor(private group: Group, private saddle: Saddle, private forces: Values, private positions: Values) {
    const n = positions.length;
    this.abscissa = { name: 'position of the ring', unit: 'm', values: positions };
    this.start = positions[0]! + 0.85 * (positions[n - 1]! - positions[0]!);
    this.picture = new SaddlePicture(saddle, Math.max(Math.abs(positions[0]!), Math.abs(positions[n - 1]!)) + 0.75 * saddle.width);
    this.bounds = this.picture.bounds;
    this.load = forces.length - 1;
    this.note = `View along the belt; heights ${this.picture.large} times as large. Below the ring, orange: part in contact. Black arrow: normal force; orange arrow: tracking force.`;
    this.choices = [{ label: 'Normal force', options: Array.from(forces, (f) => quantity(f, 'N', 3, forces[forces.length - 1])), chosen: () => this.load, pick: (k) => (this.load = k) }];
  }

  private value(name: string, at: number): number {
    const values = read(this.group, name);
    const { frame, share } = instantOf(this.positions, at);
    const n = this.positions.length;
    if (!values) return NaN;
    const [a, b] = [values[this.load * n + frame]!, values[this.load * n + Math.min(n - 1, frame + 1)]!];
    return share === 0 || !Number.isFinite(b) ? a : Number.isFinite(a) ? a + share * (b - a) : b;
  }

  draw(pen: Pen, view: View, at: number, _show: Show): void {
    const frame = new Frame(view.px([0, 0]), [0, 0], view.scale);
    const { picture } = this;
    const { text, paper } = theme();
    picture.base(pen, frame, view);
    const half = this.saddle.width / 2;
    const [begin, end] = [this.value('contact.begin', at), this.value('contact.end', at)];
    const touches = Number.isFinite(begin) && Number.isFinite(end) && end > begin;
    const [from, to] = touches ? [begin, end] : [at, at];
    /* Beyond the zone in contact it goes on straight. */
    const height = (z: number): number => {
      const edge = Math.min(to, Math.max(from, z));
      return picture.height(edge) - (picture.large * edge * (z - edge)) / this.saddle.crown;
    };
    const ring = Array.from({ length: 41 }, (_p, k): Point => {
      const z = at - half + (2 * half * k) / 40;
      const [x, y] = frame.px(z, height(z));
      return [x, y - 5];
    });
    pen.line(ring, { stroke: lineStyle(0).colour(), width: 8, cap: 'butt' });
    if (touches) {
      const zone = Array.from({ length: 31 }, (_p, k): Point => frame.px(from + ((to - from) * k) / 30, picture.height(from + ((to - from) * k) / 30)));
      pen.line(zone, { stroke: lineStyle(1).colour(), width: 3.5 });
    }
    const [x, y] = frame.px(at, height(at));
    const force = this.value('tracking_force', at);
    const most = Math.max(1e-9, ...Array.from(read(this.group, 'tracking_force') ?? [], Math.abs));
    const normal = this.forces[this.load]!;
    const tall = 0.16 * view.box.height * (0.25 + 0.75 * (normal / (this.forces[this.forces.length - 1]! || 1)));
    if (normal > 0) arrow(pen, [x, y - 14 - tall], [x, y - 12], text, 2.5);
    pen.text([x, y - 24 - tall], quantity(normal, 'N', 3), { fill: text, halo: paper });
    const long = (0.16 * view.box.width * force) / most;
    const side = force < 0 ? -1 : 1;
    const tip: Point = [x + long + side * half * frame.scale, frame.px(0, height(at + side * half))[1] - 5];
    const root: Point = [x + side * half * frame.scale, tip[1]];
    if (Math.abs(long) > 3) arrow(pen, root, tip, lineStyle(1).colour(), 3);
    if (Number.isFinite(force)) pen.text([tip[0] + side * 8, tip[1] - 14], quantity(Math.abs(force), 'N', 3), { fill: lineStyle(1).colour(), weight: 600, align: side < 0 ? 'right' : 'left', halo: paper });
  }

  readouts(at: number): [string, string][] {
    const [begin, end] = [this.value('contact.begin', at), this.value('contact.end', at)];
    return [['tracking force towards the crest', quantity(-Math.sign(at || 1) * this.value('tracking_force', at), 'N', 3)], ['tension', quantity(this.value('tension', at), 'N', 3)],
      ...(end > begin ? [['width in contact', quantity(end - begin, 'm', 3)] as [string, string]] : [])];
  }
}

/* Pressure and gap of chosen points, one after the other. */
class ProfilePicture implements Actor {
  readonly what = 'pressure under the ring';
  readonly abscissa;
  readonly bounds;
  readonly note: string;
  readonly steps = true;
  readonly choices: Choice[] = [];
  private picture: SaddlePicture;
  private most: number;
  private chosen = 0;

  constructor(private group: Group, saddle: Saddle, private across: Values, private pressure: Values, private gap: Values | null) {
    const n = pressure.length / across.length;
    const positions = Array.from(read(group, 'profile.position') ?? []);
    this.abscissa = { name: 'profile', unit: '', values: Array.from({ length: n }, (_p, k) => k) };
    this.chosen = n - 1;
    this.choices.push({ label: 'Normal force and position', options: profileNames(group), chosen: () => this.chosen, pick: (k) => (this.chosen = k) });
    this.picture = new SaddlePicture(saddle, Math.max(...positions.map(Math.abs), 0) + 0.75 * saddle.width);
    this.bounds = this.picture.bounds;
    this.most = Math.max(1e-9, ...Array.from(pressure).filter(Number.isFinite));
    this.note = `View along the belt; heights ${this.picture.large} times as large. Bars: pressure of the saddle, the longest of all profiles ${quantity(this.most, 'Pa', 3)}.`;
  }

  /* One of a list: there is no time to play. */
  readonly pinned = (): number => this.chosen;

  private told(name: string, k: number): number {
    return read(this.group, `profile.${name}`)?.[k] ?? NaN;
  }

  draw(pen: Pen, view: View, at: number, _show: Show): void {
    const frame = new Frame(view.px([0, 0]), [0, 0], view.scale);
    const k = Math.round(at);
    const n = this.across.length;
    const { picture } = this;
    picture.base(pen, frame, view);
    const place = this.told('position', k) || 0;
    const room = 0.3 * view.box.height;
    const ring: Point[] = [];
    for (let i = 0; i < n; i++) {
      const z = place + this.across[i]!;
      const gap = this.gap?.[k * n + i] ?? 0;
      const [x, y] = frame.px(z, picture.height(z) + picture.large * (Number.isFinite(gap) ? gap : 0));
      ring.push([x, y - 5]);
      const p = this.pressure[k * n + i]!;
      if (p > 0) pen.line([[x, y - 10], [x, y - 10 - (room * p) / this.most]], { stroke: lineStyle(1).colour(), width: Math.max(1, (0.6 * picture.saddle.width * frame.scale) / n) });
    }
    pen.line(ring, { stroke: lineStyle(0).colour(), width: 8 });
  }

  readouts(at: number): [string, string][] {
    const k = Math.round(at);
    const n = this.across.length;
    const own = Array.from(this.pressure).slice(k * n, (k + 1) * n).filter(Number.isFinite);
    return [['largest pressure', quantity(Math.max(...own), 'Pa', 3)]];
  }
}

export const trackingActor = (report: Report, group: Group): Actor | null => {
  if (report.drive !== 'ring-tracking') return null;
  const saddle = { crown: lengthIn(report, 'saddle', 'crown'), width: lengthIn(report, 'ring', 'width') };
  if (!(saddle.crown > 0) || !(saddle.width > 0)) return null;
  const [forces, positions] = [read(group, 'force'), read(group, 'position')];
  if (group.kind === 'tracking' && forces && positions && positions.length > 1 && read(group, 'tracking_force')) return new TrackingPicture(group, saddle, forces, positions);
  const [across, pressure] = [read(group, 'across'), read(group, 'pressure')];
  return group.kind === 'tracking-profiles' && across && pressure ? new ProfilePicture(group, saddle, across, pressure, read(group, 'gap')) : null;
};
