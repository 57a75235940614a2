/* scene_shapes.ts — planar bodies as the group "scene" of a result describes them: discs, outlines, lines and links, placed by
 * the channels BODY.x, BODY.y and BODY.angle. */
import { valuesOf, type Group, type Values } from '../../data';
import type { Point } from '../../geometry';

export interface Shape {
  body: string; /* "-" = the ground */
  to: string; /* '' = no link */
  at: Point;
  end: Point;
  radius: number;
  corners: Point[]; /* two: a line without ends, bodies on its left */
}

export interface Place {
  x: number;
  y: number;
  angle: number;
}

export const ground = '-';

const most = 8; /* corners that a shape has room for in the result */

const array = (group: Group, name: string): Values => {
  const found = group.arrays.find((a) => a.name === name && !a.omitted);
  return found ? valuesOf(found) : [];
};

/* The shapes of the scene, or null when there is none in the plane. */
export function shapesOf(groups: Group[]): Shape[] | null {
  const group = groups.find((g) => g.kind === 'scene');
  if (!group?.arrays.some((a) => a.name === 'shape.x')) return null;
  const text = (name: string): string[] => (group.texts.find((t) => t.name === name)?.value ?? '').split(',');
  const [bodies, to] = [text('bodies'), text('to')];
  const [x, y, radius, toX, toY, count, places] = ['x', 'y', 'radius', 'to_x', 'to_y', 'count', 'corners'].map((n) => array(group, `shape.${n}`));
  return bodies.slice(0, x!.length).map((body, i) => ({
    body, to: to[i] ?? '', at: [x![i]!, y![i]!], end: [toX![i]!, toY![i]!], radius: radius![i]!,
    corners: Array.from({ length: count![i] ?? 0 }, (_c, k): Point => [places![2 * (most * i + k)]!, places![2 * (most * i + k) + 1]!]),
  }));
}

/* A point of a body in the world. */
export function world({ x, y, angle }: Place, [a, b]: Point): Point {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return [x + c * a - s * b, y + s * a + c * b];
}

/* Points of contact that the scene names, with the bodies of each. */
export function contactsOf(groups: Group[]): { name: string; from: string; to: string }[] {
  const group = groups.find((g) => g.kind === 'scene');
  const text = (name: string): string[] => (group?.texts.find((t) => t.name === name)?.value ?? '').split(',').filter(Boolean);
  const [names, from, to] = [text('contact.names'), text('contact.from'), text('contact.to')];
  return from.length === names.length && to.length === names.length ? names.map((name, i) => ({ name, from: from[i]!, to: to[i]! })) : [];
}

/* A pin in a hole: two discs behind those of the bodies, the hole second. */
export interface Pin {
  pin: Shape;
  hole: Shape;
}

export function pinsOf(shapes: Shape[]): Pin[] {
  const pins: Pin[] = [];
  shapes.forEach((hole, i) => {
    const pin = shapes[i - 1];
    if (pin && !pin.to && !hole.to && !pin.corners.length && !hole.corners.length && pin.radius > 0 && hole.radius > pin.radius && pin.body !== hole.body &&
      shapes.findIndex((s) => s.body === pin.body) < i - 1 && (hole.body === ground || shapes.findIndex((s) => s.body === hole.body) < i))
      pins.push({ pin, hole });
  });
  return pins;
}
