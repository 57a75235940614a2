/* film.ts — the motion in a result: frames of the channels that a picture is made of.
 *
 * An analysis stores "film.time" and for each family of channels an array "film.pulley.*.angle" of one row a frame and one column
 * a member; a text "film.members.pulley.angle" or "film.members.pulley" names the members, which are otherwise numbered. A result without film is read from its
 * table, as far as its rows belong to the same instants. */
import { partsOf, plainName } from './names';
import { valuesOf, type ArrayData, type Group, type Quantity, type Table, type Values } from './data';

export interface Track {
  n: number;
  members: string[];
  unit: string;
  at(frame: number, member: number): number;
}

export interface Film {
  time: Values;
  family(pattern: string): Track | null; /* "pulley.*.angle" */
  value(name: string): Track | null; /* "arm.angle", or one member of a family: "pulley.crank.angle" */
}

/* Between frames: `share` of the way from `frame` to the next one. */
export interface Instant {
  frame: number;
  share: number;
}

export function instantOf(time: Values, at: number): Instant {
  const last = time.length - 1;
  if (last < 1 || !(at > time[0]!)) return { frame: 0, share: 0 };
  if (at >= time[last]!) return { frame: last - 1, share: 1 };
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (time[middle]! <= at) low = middle;
    else high = middle;
  }
  const step = time[high]! - time[low]!;
  return { frame: low, share: step > 0 ? (at - time[low]!) / step : 0 };
}

/* A track at an instant; straight between frames, and the nearer one where only it is finite. */
export function trackAt(track: Track | null, { frame, share }: Instant, member = 0): number {
  if (!track) return NaN;
  const a = track.at(frame, member);
  if (share === 0) return a;
  const b = track.at(frame + 1, member);
  return Number.isFinite(a) && Number.isFinite(b) ? a + share * (b - a) : share < 0.5 ? a : b;
}

/* Smallest and largest finite value, or null. Of long films every few frames are looked at. */
export function trackRange(track: Track | null, frames: number): [number, number] | null {
  let [low, high] = [Infinity, -Infinity];
  const stride = track ? Math.max(1, Math.floor((frames * track.n) / 200000)) : 1;
  for (let k = 0; track && k < frames; k += stride)
    for (let m = 0; m < track.n; m++) {
      const v = track.at(k, m);
      if (!Number.isFinite(v)) continue;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  return low <= high ? [low, high] : null;
}

const numbered = (n: number, first = 0): string[] => Array.from({ length: n }, (_m, i) => String(i + first));

/* "pulley.crank.angle" as a member of "pulley.*.angle": every way to take one or more parts out of the middle. */
function* asMember(name: string): Generator<[string, string]> {
  const parts = partsOf(name);
  for (let from = 1; from < parts.length; from++)
    for (let to = from + 1; to <= parts.length; to++)
      yield [[...parts.slice(0, from), '*', ...parts.slice(to)].join('.'), parts.slice(from, to).join('.')];
}

const single = (unit: string, at: (frame: number) => number, name = ''): Track => ({ n: 1, members: [name], unit, at: (frame) => at(frame) });

class StoredFilm implements Film {
  private tracks = new Map<string, Track | null>();

  private stored: Map<string, ArrayData>; /* by plain names */

  constructor(private group: Group, readonly time: Values) {
    this.stored = new Map(group.arrays.filter((a) => isFilm(a.name) && !a.omitted).map((a) => [plainName(a.name), a]));
  }

  private members(pattern: string, n: number): string[] {
    const text = [pattern.replace('.*', ''), pattern.split('.*')[0]!].map((key) => this.group.texts.find((t) => t.name === `film.members.${key}`)?.value).find((t) => t !== undefined);
    const names = text?.split(',').filter(Boolean) ?? [];
    return names.length === n ? names : numbered(n);
  }

  family(pattern: string): Track | null {
    let track = this.tracks.get(pattern);
    if (track === undefined) this.tracks.set(pattern, (track = this.read(pattern)));
    return track;
  }

  private read(pattern: string): Track | null {
    const found = this.stored.get(`film.${plainName(pattern)}`);
    if (!found) return null;
    const values = valuesOf(found);
    const n = Math.round(values.length / this.time.length);
    return { n, members: this.members(pattern, n), unit: found.unit, at: (frame, member) => values[frame * n + member] ?? NaN };
  }

  value(name: string): Track | null {
    const own = this.family(name);
    if (own) return own;
    for (const [pattern, member] of asMember(name)) {
      const family = this.family(pattern);
      const m = family?.members.indexOf(member) ?? -1;
      if (family && m >= 0) return single(family.unit, (frame) => family.at(frame, m), member);
    }
    return null;
  }
}

class TableFilm implements Film {
  readonly time: Values;
  private tracks = new Map<string, Track | null>();
  private named: Map<string, Quantity & { data: string }>;

  constructor(table: Table) {
    this.time = valuesOf(table.columns[0]!);
    this.named = new Map(table.columns.slice(1).map((c) => [plainName(c.name), c]));
  }

  family(pattern: string): Track | null {
    if (!pattern.includes('*')) return this.value(pattern);
    let track = this.tracks.get(pattern);
    if (track === undefined) this.tracks.set(pattern, (track = this.gather(pattern)));
    return track;
  }

  private gather(pattern: string): Track | null {
    const [before, after] = plainName(pattern).split('*') as [string, string];
    const names = [...this.named.keys()].filter((n) => n.startsWith(before) && n.endsWith(after) && n.length > before.length + after.length);
    const members = names.map((n) => n.slice(before.length, n.length - after.length));
    const single = members.filter((m) => !m.includes('.')); /* "node.*.x" is not "node.1.tip.x" */
    if (!single.length) return null;
    const columns = single.map((m) => valuesOf(this.named.get(before + m + after)!));
    return { n: single.length, members: single, unit: this.named.get(before + single[0] + after)!.unit, at: (frame, member) => columns[member]?.[frame] ?? NaN };
  }

  value(name: string): Track | null {
    const column = this.named.get(plainName(name));
    if (!column) return null;
    const values = valuesOf(column);
    return single(column.unit, (frame) => values[frame] ?? NaN, name);
  }
}

const made = new WeakMap<Group, Film | null>();

function read(group: Group): Film | null {
  const time = group.arrays.find((a) => a.name === 'film.time' && !a.omitted);
  if (time && valuesOf(time).length > 0 && group.arrays.some((a) => a.name.startsWith('film.') && a !== time && !a.omitted)) return new StoredFilm(group, valuesOf(time));
  const table = group.table?.thinned === 'columns' ? group.table.tail : group.table;
  return table && table.rows > 1 && table.columns.length > 1 ? new TableFilm(table) : null;
}

export function filmOf(group: Group): Film | null {
  let film = made.get(group);
  if (film === undefined) made.set(group, (film = read(group)));
  return film;
}

/* Shown by the stage, not as arrays or texts of an analysis. */
export const isFilm = (name: string): boolean => /^(film|swing)\./.test(name);
