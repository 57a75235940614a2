/* solid.ts — solids in space as faces, for a pen that knows the plane only: placed, lit, culled and sorted from back to front. */
import type { Point } from '../../geometry';
import type { Pen } from '../../pen';
import { lit } from '../../stage_sketch';

export type Place3 = [number, number, number];

/* A place and an orientation: columns of the rotation from the body to the world. */
export interface Pose {
  at: Place3;
  axes: [Place3, Place3, Place3];
}

export interface Face {
  points: Place3[]; /* counter-clockwise from outside */
  colour: string;
  two?: boolean; /* seen from both sides */
  edge?: string;
}

const add = (a: Place3, b: Place3): Place3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const times = (a: Place3, s: number): Place3 => [s * a[0], s * a[1], s * a[2]];
const dot = (a: Place3, b: Place3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Place3, b: Place3): Place3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a: Place3): Place3 => times(a, 1 / (Math.hypot(...a) || 1));

export const placed = (pose: Pose, p: Place3): Place3 => add(pose.at, add(times(pose.axes[0], p[0]), add(times(pose.axes[1], p[1]), times(pose.axes[2], p[2]))));

/* From a quaternion, real part first; body to world. */
export function poseOf(at: Place3, [a, b, c, d]: [number, number, number, number]): Pose {
  const n = Math.hypot(a, b, c, d) || 1;
  const [w, x, y, z] = [a / n, b / n, c / n, d / n];
  return { at, axes: [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ] };
}

/* Upright, turned about the vertical. */
export const heading = (at: Place3, angle: number): Pose => ({ at, axes: [[Math.cos(angle), Math.sin(angle), 0], [-Math.sin(angle), Math.cos(angle), 0], [0, 0, 1]] });

/* Turned about its own second axis, as a wheel that rolls forward. */
export function rolled({ at, axes: [a, b, c] }: Pose, angle: number): Pose {
  const [k, s] = [Math.cos(angle), Math.sin(angle)];
  return { at, axes: [add(times(a, k), times(c, -s)), b, add(times(a, s), times(c, k))] };
}

/* ---- solids in their own frame ---- */

const around = (n: number, first = 0, last = 2 * Math.PI): number[] => Array.from({ length: n + 1 }, (_a, k) => first + ((last - first) * k) / n);

/* About the third axis, its middle at the origin: quarters of the faces in two colours. */
export function disc(radius: number, thickness: number, colours: [string, string], rim: string): Face[] {
  const h = thickness / 2;
  const faces: Face[] = [];
  for (let q = 0; q < 4; q++) {
    const arc = around(10, (q * Math.PI) / 2, ((q + 1) * Math.PI) / 2);
    const on = (z: number, list: number[]): Place3[] => list.map((a): Place3 => [radius * Math.cos(a), radius * Math.sin(a), z]);
    faces.push({ points: [[0, 0, h], ...on(h, arc)], colour: colours[q % 2]! }, { points: [[0, 0, -h], ...on(-h, [...arc].reverse())], colour: colours[q % 2]! });
  }
  const all = around(40);
  for (let k = 0; k < 40; k++) {
    const p = (a: number, z: number): Place3 => [radius * Math.cos(a), radius * Math.sin(a), z];
    faces.push({ points: [p(all[k]!, -h), p(all[k + 1]!, -h), p(all[k + 1]!, h), p(all[k]!, h)], colour: rim });
  }
  return faces;
}

/* Octants in two colours. */
export function ball(radius: number, colours: [string, string]): Face[] {
  const [lats, lons] = [10, 20];
  const p = (lat: number, lon: number): Place3 => [radius * Math.cos(lat) * Math.cos(lon), radius * Math.cos(lat) * Math.sin(lon), radius * Math.sin(lat)];
  const faces: Face[] = [];
  for (let i = 0; i < lats; i++)
    for (let j = 0; j < lons; j++) {
      const [a, b] = [-Math.PI / 2 + (i * Math.PI) / lats, -Math.PI / 2 + ((i + 1) * Math.PI) / lats];
      const [c, d] = [(j * 2 * Math.PI) / lons, ((j + 1) * 2 * Math.PI) / lons];
      const colour = colours[(Math.floor((4 * j) / lons) + (i < lats / 2 ? 0 : 1)) % 2]!;
      faces.push({ points: [p(a, c), p(a, d), p(b, d), p(b, c)], colour, edge: colour });
    }
  return faces;
}

/* A prism over an outline (counter-clockwise from above) from one height to another. */
export function prism(outline: Point[], low: number, high: number, colour: string, top = colour): Face[] {
  const on = (z: number, list: Point[]): Place3[] => list.map(([x, y]): Place3 => [x, y, z]);
  return [
    { points: on(high, outline), colour: top }, { points: on(low, [...outline].reverse()), colour },
    ...outline.map((a, k): Face => {
      const b = outline[(k + 1) % outline.length]!;
      return { points: [[a[0], a[1], low], [b[0], b[1], low], [b[0], b[1], high], [a[0], a[1], high]], colour };
    }),
  ];
}

/* An upright plate in the plane of the first and third axis. */
export const plate = (outline: Point[], colour: string): Face[] => [{ points: outline.map(([x, z]): Place3 => [x, 0, z]), colour, two: true, edge: colour }];

/* The same faces elsewhere in the body. */
export const shifted = (faces: Face[], pose: Pose): Face[] => faces.map((f) => ({ ...f, points: f.points.map((p) => placed(pose, p)) }));

/* ---- painting ---- */

/* Where the camera sees a place: to the right, upwards, towards it. */
export type Camera = (p: Place3) => Place3;

const light = unit([0.35, -0.45, 0.82]);

/* Faces of the world from back to front; those that look away are left out. */
export function paint(pen: Pen, faces: Face[], camera: Camera, px: (p: Point) => Point): void {
  const visible = faces.flatMap((f) => {
    const points = f.points.map(camera);
    const [a, b, c] = [points[0]!, points[1]!, points[2]!];
    const facing = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if (!f.two && facing <= 0) return [];
    const depth = points.reduce((s, p) => s + p[2], 0) / points.length;
    const n = unit(cross(sub(f.points[1]!, f.points[0]!), sub(f.points[2]!, f.points[0]!)));
    return [{ f, points, depth, light: 0.35 + 0.65 * Math.max(0, f.two ? Math.abs(dot(n, light)) : dot(n, light)) }];
  });
  visible.sort((a, b) => a.depth - b.depth);
  for (const v of visible) {
    const colour = lit(v.f.colour, v.light);
    pen.polygon(v.points.map((p) => px([p[0], p[1]])), { fill: colour, stroke: v.f.edge ? lit(v.f.edge, v.light) : colour, width: 0.75 });
  }
}

const sub = (a: Place3, b: Place3): Place3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
