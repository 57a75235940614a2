/* belt.ts — the layout of a belt drive, as the group "layout" of a result has it, and the path of the belt around it.
 *
 * The belt travels counter-clockwise; a pulley that its grooves touch turns so (side 1), one on its back the other way (side -1).
 * Span i leaves pulley i for the next one. Angles are in rad, lengths in m. */
import { valuesOf, type Group, type Values } from '../../data';
import type { Point } from '../../geometry';

export interface Pulley {
  name: string;
  at: Point; /* with the arm as it starts */
  radius: number; /* of the pitch line */
  effective: number; /* diameter */
  side: 1 | -1;
  onArm: boolean;
  hubAxis: number; /* rad: along which the first coordinate of a compliant hub moves its centre */
  base: number; /* rad/s of steady running, beyond which the film has its angle */
}

/* Its pulley is at pivot + length (cos s, sin s) + along s, with its place s: the angle of an arm, or the position of a slide. */
export interface Arm {
  part: 'arm' | 'slide';
  place: 'arm.angle' | 'slide.position'; /* the channel that tells it */
  unit: 'rad' | 'm';
  pivot: Point;
  length: number;
  along: Point;
  start: number;
  stops: [number, number] | null;
}

export interface Layout {
  pulleys: Pulley[];
  crank: string;
  arm: Arm | null;
  numbers: Group['numbers']; /* of the belt */
}

export interface Span {
  from: Point;
  to: Point;
  direction: number;
  length: number;
}

export interface BeltPath {
  spans: Span[];
  wraps: number[];
}

const array = (group: Group, name: string): Values | null => {
  const found = group.arrays.find((a) => a.name === name && !a.omitted);
  return found ? valuesOf(found) : null;
};

function armOf(value: (name: string) => number): Arm | null {
  const stops = (part: string): [number, number] | null => {
    const [low, high] = [value(`${part}.stop_low`), value(`${part}.stop_high`)];
    return low < high ? [low, high] : null;
  };
  if (Number.isFinite(value('arm.length')))
    return { part: 'arm', place: 'arm.angle', unit: 'rad', pivot: [value('arm.pivot_x'), value('arm.pivot_y')], length: value('arm.length'), along: [0, 0],
      start: value('arm.angle'), stops: stops('arm') };
  if (Number.isFinite(value('slide.along_x')))
    return { part: 'slide', place: 'slide.position', unit: 'm', pivot: [value('slide.origin_x'), value('slide.origin_y')], length: 0,
      along: [value('slide.along_x'), value('slide.along_y')], start: value('slide.position'), stops: stops('slide') };
  return null;
}

/* Where the pulley of a tensioner is. */
export const heldAt = (arm: Arm, s: number): Point =>
  [arm.pivot[0] + arm.length * Math.cos(s) + arm.along[0] * s, arm.pivot[1] + arm.length * Math.sin(s) + arm.along[1] * s];

export function layoutOf(groups: Group[]): Layout | null {
  const group = groups.find((g) => g.kind === 'layout');
  const text = (name: string): string => group?.texts.find((t) => t.name === name)?.value ?? '';
  const names = text('pulleys').split(',').filter(Boolean);
  if (!group || names.length < 2) return null;
  const [x, y, radius, effective, side, onArm, base, axis] = ['x', 'y', 'radius', 'effective', 'side', 'on_arm', 'base', 'hub_axis'].map((n) => array(group, `pulley.${n}`));
  if (!x || !y || !radius || !side || x.length !== names.length) return null;
  const value = (name: string): number => group.numbers.find((n) => n.name === name)?.value ?? NaN;
  return {
    pulleys: names.map((name, i) => ({
      name, at: [x[i]!, y[i]!], radius: radius[i]!, effective: effective?.[i] ?? 2 * radius[i]!,
      side: side[i]! < 0 ? -1 : 1, onArm: onArm?.[i] === 1, base: base?.[i] ?? 0, hubAxis: axis?.[i] || 0,
    })),
    crank: text('crank'),
    arm: armOf(value),
    numbers: group.numbers.filter((n) => n.name.startsWith('belt.')),
  };
}

/* Where the pulleys are with the tensioner elsewhere. */
export const centresAt = (layout: Layout, place: number): Point[] =>
  layout.pulleys.map((p) => (p.onArm && layout.arm && Number.isFinite(place) ? heldAt(layout.arm, place) : p.at));

const turn = (angle: number): number => ((angle % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);

/* Tangents from pulley to pulley; null where one lies within the next. */
export function beltPath(layout: Layout, centres: Point[]): BeltPath | null {
  const { pulleys } = layout;
  const spans = pulleys.map((p, i): Span => {
    const k = (i + 1) % pulleys.length;
    const [a, b] = [centres[i]!, centres[k]!];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const across = p.side * p.radius - pulleys[k]!.side * pulleys[k]!.radius;
    const length = Math.sqrt(dx * dx + dy * dy - across * across);
    const square = dx * dx + dy * dy;
    const [ux, uy] = [(length * dx - across * dy) / square, (length * dy + across * dx) / square];
    const touch = (c: Point, of: Pulley): Point => [c[0] + of.side * of.radius * uy, c[1] - of.side * of.radius * ux];
    return { from: touch(a, p), to: touch(b, pulleys[k]!), direction: Math.atan2(uy, ux), length };
  });
  if (!spans.every((s) => Number.isFinite(s.length))) return null;
  const wraps = pulleys.map((p, i) => turn(p.side * (spans[i]!.direction - spans[(i + spans.length - 1) % spans.length]!.direction)));
  return { spans, wraps };
}

/* Places along the belt, from the entry of the first pulley on. */
export interface Course {
  length: number;
  at(s: number): { at: Point; direction: number };
}

export function courseOf(layout: Layout, centres: Point[], path: BeltPath): Course {
  const n = path.spans.length;
  const arcs = layout.pulleys.map((p, i) => p.radius * path.wraps[i]!);
  const starts: number[] = []; /* of the arc of each pulley */
  let length = 0;
  for (let i = 0; i < n; i++) {
    starts.push(length);
    length += arcs[i]! + path.spans[i]!.length;
  }
  return {
    length,
    at(s) {
      let i = n - 1;
      while (i > 0 && starts[i]! > s) i--;
      const { radius, side } = layout.pulleys[i]!;
      const behind = s - starts[i]!;
      if (behind < arcs[i]!) {
        const direction = path.spans[(i + n - 1) % n]!.direction + (side * behind) / radius;
        return { at: [centres[i]![0] + side * radius * Math.sin(direction), centres[i]![1] - side * radius * Math.cos(direction)], direction };
      }
      const { from, direction } = path.spans[i]!;
      const along = behind - arcs[i]!;
      return { at: [from[0] + along * Math.cos(direction), from[1] + along * Math.sin(direction)], direction };
    },
  };
}
