/* advect.ts — belts that run, between the frames of a film.
 *
 * Members of a closed belt (nodes, elements) follow one another along the same path. From one frame to the next each comes to where
 * another one was `shift` places ahead: P1(i) = P0(i + shift), with P between members read along the belt. In between, member i is
 * carried along: a share s of the way it is at P0(i + s shift), and also at P1(i - (1 - s) shift); the picture goes over from the first
 * to the second. So members on arcs do not cut corners, and colours (forces along the path) stay where they are in space. */
import type { Instant, Track } from './film';
import type { Point } from './geometry';

const probes = 12; /* members that look for their place in the frame before */

const wrap = (i: number, n: number): number => ((i % n) + n) % n;

/* Weights of the entries before, at, behind and beyond a place, f of the way from one to the next. */
const weights = (f: number, cubic: boolean): [number, number, number, number] => cubic
  ? [0.5 * f * (-1 + f * (2 - f)), 1 + 0.5 * f * f * (-5 + 3 * f), 0.5 * f * (1 + f * (4 - 3 * f)), 0.5 * f * f * (f - 1)]
  : [0, 1 - f, f, 0];

/* One place of a closed list, which may lie between two entries. */
function entry(list: Float64Array, place: number, cubic: boolean): number {
  const n = list.length;
  const k = Math.floor(place);
  const f = place - k;
  const at = (i: number): number => list[wrap(i, n)]!;
  if (f < 1e-9) return at(k);
  const [wa, wb, wc, wd] = weights(f, cubic);
  if (!cubic) return Number.isFinite(at(k)) && Number.isFinite(at(k + 1)) ? wb * at(k) + wc * at(k + 1) : at(f < 0.5 ? k : k + 1);
  return wa * at(k - 1) + wb * at(k) + wc * at(k + 1) + wd * at(k + 2);
}

/* A closed list read `ahead` places further on, between its entries straight or by cubic splines. The place between two entries
 * is the same for all, so are the weights. */
function read(list: Float64Array, ahead: number, cubic: boolean): Float64Array {
  const n = list.length;
  const k = Math.floor(ahead);
  const f = ahead - k;
  const out = new Float64Array(n);
  const [wa, wb, wc, wd] = weights(f, cubic);
  for (let i = 0, at = wrap(k, n); i < n; i++, at = at + 1 === n ? 0 : at + 1) {
    const b = list[at]!;
    if (f < 1e-9) {
      out[i] = b;
      continue;
    }
    const next = at + 1 === n ? 0 : at + 1;
    const c = list[next]!;
    if (!cubic && !(Number.isFinite(b) && Number.isFinite(c))) out[i] = f < 0.5 ? b : c;
    else out[i] = cubic ? wa * list[at === 0 ? n - 1 : at - 1]! + wb * b + wc * c + wd * list[next + 1 === n ? 0 : next + 1]! : wb * b + wc * c;
  }
  return out;
}

function rowOf(track: Track, frame: number, n: number): Float64Array {
  const row = new Float64Array(n);
  for (let i = 0; i < n; i++) row[i] = track.at(frame, i);
  return row;
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

/* The belt at an instant. Each track is carried as a whole when it is first asked for. */
export class Carried {
  readonly n: number;
  private lists = new Map<Track, Float64Array>();

  constructor(of: Advection, private x: Track, private y: Track, private frame: number, private share: number, private shift: number, private ahead = 0) {
    this.n = of.n;
  }

  private list(track: Track, cubic: boolean): Float64Array {
    const known = this.lists.get(track);
    if (known) return known;
    const { frame, share, shift, n } = this;
    const a = read(rowOf(track, frame, n), this.ahead + share * shift, cubic);
    if (share !== 0) {
      const b = read(rowOf(track, frame + 1, n), (share - 1) * shift, cubic);
      for (let i = 0; i < n; i++) a[i] = Number.isFinite(a[i]!) && Number.isFinite(b[i]!) ? a[i]! + share * (b[i]! - a[i]!) : share < 0.5 ? a[i]! : b[i]!;
    }
    this.lists.set(track, a);
    return a;
  }

  /* Of a member, or between two: 2.5. */
  place(member: number): Point {
    return [entry(this.list(this.x, true), member, true), entry(this.list(this.y, true), member, true)];
  }

  value(track: Track | null, member: number): number {
    return track ? entry(this.list(track, false), member, false) : NaN;
  }

  /* All values of a track. */
  values(track: Track): ArrayLike<number> {
    return this.list(track, false);
  }

  /* Angles are known up to whole turns; they may wind up around the belt. */
  angle(track: Track | null, member: number): number {
    if (!track) return NaN;
    const { frame, share, shift } = this;
    const at = (of: number, k: number): number => {
      const i = Math.floor(k);
      const a = track.at(of, wrap(i, this.n));
      return k - i < 1e-9 ? a : a + (k - i) * turned(track.at(of, wrap(i + 1, this.n)) - a);
    };
    const a = at(frame, member + this.ahead + share * shift);
    return share === 0 ? a : a + share * turned(at(frame + 1, member - (1 - share) * shift) - a);
  }
}
