/* touching.ts — where two outlines touch, for drawing the force between them: a result tells the force of a pair of bodies, the
 * place follows from where they are. */
import type { Point } from '../../geometry';
import { world, type Place, type Shape } from './scene_shapes';

export interface Touch {
  at: Point;
  normal: Point; /* towards the body whose corners or disc touch */
  second: boolean; /* that is the second one */
}

const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1]];
const unit = (v: Point): Point => {
  const size = Math.hypot(v[0], v[1]) || 1;
  return [v[0] / size, v[1] / size];
};

/* Nearest point of a stretch, and how far it is. */
function nearest(p: Point, a: Point, b: Point): { at: Point; far: number } {
  const d = minus(b, a);
  const length = d[0] * d[0] + d[1] * d[1] || 1;
  const s = Math.min(1, Math.max(0, ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / length));
  const at: Point = [a[0] + s * d[0], a[1] + s * d[1]];
  return { at, far: Math.hypot(p[0] - at[0], p[1] - at[1]) };
}

/* Outward normal of an edge of an outline that runs counter-clockwise. */
const outward = (a: Point, b: Point): Point => unit([b[1] - a[1], a[0] - b[0]]);

/* Corners of `own` on the edges of `other`; the normal leaves `other`. */
function onEdges(own: Point[], other: Point[], slack: number): Touch[] {
  return own.flatMap((p) => {
    let best: Touch | null = null;
    let far = slack;
    other.forEach((a, k) => {
      const b = other[(k + 1) % other.length]!;
      const found = nearest(p, a, b);
      if (found.far > far) return;
      far = found.far;
      best = { at: found.at, normal: outward(a, b), second: false };
    });
    return best ? [best as Touch] : [];
  });
}

const mean = (list: Touch[]): Touch | null => (list.length ? {
  at: [list.reduce((s, t) => s + t.at[0], 0) / list.length, list.reduce((s, t) => s + t.at[1], 0) / list.length],
  normal: unit([list.reduce((s, t) => s + t.normal[0], 0), list.reduce((s, t) => s + t.normal[1], 0)]),
  second: list[0]!.second,
} : null);

function onDisc(disc: Point, outline: Point[]): Touch | null {
  let best: { at: Point; far: number } | null = null;
  outline.forEach((a, k) => {
    const found = nearest(disc, a, outline[(k + 1) % outline.length]!);
    if (!best || found.far < best.far) best = found;
  });
  const found = best as { at: Point; far: number } | null;
  return found ? { at: found.at, normal: unit(minus(disc, found.at)), second: false } : null;
}

/* On a line without ends, bodies on its left. */
function onLine(a: Shape, pa: Place, line: [Point, Point], slack: number): Touch | null {
  const along = unit(minus(line[1], line[0]));
  const normal: Point = [-along[1], along[0]];
  const height = (p: Point): number => (p[0] - line[0][0]) * normal[0] + (p[1] - line[0][1]) * normal[1];
  if (a.corners.length > 2) return mean(a.corners.map((c) => world(pa, c)).filter((p) => Math.abs(height(p)) < slack).map((at) => ({ at, normal, second: false })));
  const centre = world(pa, a.at);
  const h = height(centre);
  return { at: [centre[0] - h * normal[0], centre[1] - h * normal[1]], normal, second: false };
}

/* Middle of where two shapes touch; null where they do not seem to. */
export function touchOf(a: Shape, pa: Place, b: Shape, pb: Place): Touch | null {
  const size = Math.max(...[a, b].flatMap((s) => [s.radius, ...(s.corners.length > 2 ? s.corners.map((c) => Math.hypot(c[0], c[1])) : [])]));
  const slack = 0.01 * size;
  const [ca, cb] = [world(pa, a.at), world(pb, b.at)];
  if (b.corners.length === 2) return onLine(a, pa, b.corners.map((c) => world(pb, c)) as [Point, Point], slack);
  const [outlineA, outlineB] = [a.corners.map((c) => world(pa, c)), b.corners.map((c) => world(pb, c))];
  if (outlineA.length && outlineB.length) {
    /* Corners of both may touch, as those of equal blocks do: the body with more of them is told of. */
    const [own, back] = [onEdges(outlineA, outlineB, slack), onEdges(outlineB, outlineA, slack).map((t): Touch => ({ ...t, second: true }))];
    return mean(own.length > back.length ? own : back);
  }
  if (outlineB.length) return onDisc(ca, outlineB);
  if (outlineA.length) {
    const found = onDisc(cb, outlineA);
    return found && { ...found, second: true };
  }
  const normal = unit(minus(ca, cb));
  return { at: [cb[0] + b.radius * normal[0], cb[1] + b.radius * normal[1]], normal, second: false };
}

/* Of a point that is known to touch: the normal of what it touches, towards `own`. */
export function normalAt(at: Point, own: Point, to: Shape[], place: (body: string) => Place): Point {
  let best: { far: number; normal: Point } | null = null;
  const put = (far: number, normal: Point): void => {
    if (!best || far < best.far) best = { far, normal };
  };
  for (const s of to) {
    const outline = s.corners.map((c) => world(place(s.body), c));
    if (outline.length === 2) {
      const along = unit(minus(outline[1]!, outline[0]!));
      put(Math.abs((at[0] - outline[0]![0]) * along[1] - (at[1] - outline[0]![1]) * along[0]), [-along[1], along[0]]);
    } else if (outline.length)
      outline.forEach((a, k) => put(nearest(at, a, outline[(k + 1) % outline.length]!).far, outward(a, outline[(k + 1) % outline.length]!)));
    else {
      const d = minus(at, world(place(s.body), s.at));
      put(Math.abs(Math.hypot(d[0], d[1]) - s.radius), unit(d));
    }
  }
  return (best as { normal: Point } | null)?.normal ?? unit(minus(own, at));
}

/* Force on the body whose corners touch: the friction acts to the right seen from the other. */
export const forceOn = ({ normal: [x, y] }: { normal: Point }, push: number, friction: number): Point => [push * x + friction * y, push * y - friction * x];
