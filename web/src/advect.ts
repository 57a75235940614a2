/* advect.ts — belts that run, between the frames of a film.
 *
 * Members of a closed belt (nodes, elements) follow one another along the same path. From one frame to the next each comes to where
 * another one was `shift` places ahead: P1(i) = P0(i + shift), with P between members read along the belt. In between, member i is
 * carried along: a share s of the way it is at P0(i + s shift), and also at P1(i - (1 - s) shift); the picture goes over from the first
 * to the second. So members on arcs do not cut corners, and colours (forces along the path) stay where they are in space. */
import type { Point } from './belt';
import type { Instant, Track } from './film';

const probes = 12; /* members that look for their place in the frame before */

/* A closed list read between its entries: straight for values, by cubic splines for places. */
const wrap = (i: number, n: number): number => ((i % n) + n) % n;

function straight(of: (i: number) => number, n: number, at: number): number {
  const k = Math.floor(at);
  const f = at - k;
  const a = of(wrap(k, n));
  if (f < 1e-9) return a;
  const b = of(wrap(k + 1, n));
  return Number.isFinite(a) && Number.isFinite(b) ? a + f * (b - a) : f < 0.5 ? a : b;
}

function smooth(of: (i: number) => number, n: number, at: number): number {
  const k = Math.floor(at);
  const f = at - k;
  const b = of(wrap(k, n));
  if (f < 1e-9) return b;
  const [a, c, d] = [of(wrap(k - 1, n)), of(wrap(k + 1, n)), of(wrap(k + 2, n))];
  return b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
}

const turned = (angle: number): number => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));

export class Advection {
  readonly n: number;
  private shifts = new Map<number, number>();

  /* `expected`: how many members pass from one frame to the next, as far as it is known: tells whole rounds and the sense of running. */
  constructor(private x: Track, private y: Track, private expected?: (frame: number) => number) {
    this.n = Math.min(x.n, y.n);
  }

  /* Members that pass from `frame` to the next one. */
  shift(frame: number): number {
    let found = this.shifts.get(frame);
    if (found === undefined) this.shifts.set(frame, (found = this.measure(frame)));
    return found;
  }

  /* Place of the point nearest to p among the members of a frame, in members. */
  private nearest(frame: number, [px, py]: Point): number {
    let [best, least] = [0, Infinity];
    for (let i = 0; i < this.n; i++) {
      const d = (this.x.at(frame, i) - px) ** 2 + (this.y.at(frame, i) - py) ** 2;
      if (d < least) [best, least] = [i, d];
    }
    let [at, near] = [best, least];
    for (const from of [best - 1, best]) {
      const [i, k] = [wrap(from, this.n), wrap(from + 1, this.n)];
      const [ax, ay] = [this.x.at(frame, i), this.y.at(frame, i)];
      const [dx, dy] = [this.x.at(frame, k) - ax, this.y.at(frame, k) - ay];
      const length = dx * dx + dy * dy;
      const f = length > 0 ? Math.min(1, Math.max(0, ((px - ax) * dx + (py - ay) * dy) / length)) : 0;
      const d = (ax + f * dx - px) ** 2 + (ay + f * dy - py) ** 2;
      if (d <= near) [at, near] = [from + f, d];
    }
    return at;
  }

  private measure(frame: number): number {
    const { n } = this;
    const found: number[] = [];
    for (let p = 0; p < probes; p++) {
      const i = Math.floor((p * n) / probes);
      const at: Point = [this.x.at(frame + 1, i), this.y.at(frame + 1, i)];
      if (Number.isFinite(at[0]) && Number.isFinite(at[1])) found.push(wrap(this.nearest(frame, at) - i, n));
    }
    if (!found.length) return 0;
    /* Their middle on the circle: the one that is nearest to all others. */
    const apart = (a: number, b: number): number => Math.abs(wrap(a - b + n / 2, n) - n / 2);
    const cost = (a: number): number => found.reduce((sum, b) => sum + apart(a, b), 0);
    const middle = found.reduce((a, b) => (cost(b) < cost(a) ? b : a));
    const close = found.filter((a) => apart(a, middle) < 1);
    const mean = middle + close.reduce((sum, a) => sum + wrap(a - middle + n / 2, n) - n / 2, 0) / close.length;
    const hint = this.expected?.(frame) ?? 0;
    return mean + n * Math.round(((Number.isFinite(hint) ? hint : 0) - mean) / n);
  }

  at({ frame, share }: Instant): Carried {
    return share === 0 ? new Carried(this, this.x, this.y, frame, 0, 0) : new Carried(this, this.x, this.y, frame, share, this.shift(frame));
  }

  /* One frame whose pattern stands still while the belt has run by so many members. */
  frozen(frame: number, shift: number): Carried {
    return new Carried(this, this.x, this.y, frame, 0, 0, shift);
  }
}

/* The belt at an instant. */
export class Carried {
  readonly n: number;

  constructor(of: Advection, private x: Track, private y: Track, private frame: number, private share: number, private shift: number, private ahead = 0) {
    this.n = of.n;
  }

  private blend(track: Track, member: number, read: (of: (i: number) => number, n: number, at: number) => number): number {
    const { frame, share, shift } = this;
    const a = read((i) => track.at(frame, i), this.n, member + this.ahead + share * shift);
    if (share === 0) return a;
    const b = read((i) => track.at(frame + 1, i), this.n, member - (1 - share) * shift);
    return Number.isFinite(a) && Number.isFinite(b) ? a + share * (b - a) : share < 0.5 ? a : b;
  }

  place(member: number): Point {
    return [this.blend(this.x, member, smooth), this.blend(this.y, member, smooth)];
  }

  value(track: Track | null, member: number): number {
    return track ? this.blend(track, member, straight) : NaN;
  }

  /* Angles are known up to whole turns; they may wind up around the belt. */
  angle(track: Track | null, member: number): number {
    if (!track) return NaN;
    const { frame, share, shift } = this;
    const read = (at: number, k: number): number => {
      const i = Math.floor(k);
      const a = track.at(at, wrap(i, this.n));
      return k - i < 1e-9 ? a : a + (k - i) * turned(track.at(at, wrap(i + 1, this.n)) - a);
    };
    const a = read(frame, member + this.ahead + share * shift);
    return share === 0 ? a : a + share * turned(read(frame + 1, member - (1 - share) * shift) - a);
  }
}
