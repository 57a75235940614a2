/* motion.ts — channels of an analysis that moves, each at any instant: from the rows of its table, which are the finest, from
 * the film where the table's rows are thinned or lack the channel. */
import { valuesOf, type Group, type Table, type Values } from './data';
import { byName, plainName } from './names';
import { filmOf, instantOf, type Film } from './film';

export interface Series {
  time: Values;
  values: Values;
  unit: string;
  at(t: number): number;
  low: number; /* of the finite values */
  high: number;
}

export function seriesFrom(time: Values, values: Values, unit: string): Series {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  const at = (t: number): number => {
    const { frame, share } = instantOf(time, t);
    const a = values[frame] ?? NaN;
    const b = values[frame + 1] ?? a;
    return Number.isFinite(a) && Number.isFinite(b) ? a + share * (b - a) : share < 0.5 ? a : b;
  };
  return { time, values, unit, at, low, high };
}

/* The rows that belong to the same instants. */
const wholeRows = (group: Group): Table | null => {
  const table = group.table?.thinned === 'columns' ? null : group.table;
  return table && table.rows > 1 && table.columns.length > 1 ? table : null;
};

export class Motion {
  readonly time: Values;
  readonly names: string[]; /* plain ones */
  private made = new Map<string, Series | null>();

  private constructor(private table: Table | null, private film: Film | null, filmed: string[]) {
    this.time = table ? valuesOf(table.columns[0]!) : film!.time;
    this.names = [...new Set([...(table?.columns.slice(1).map((c) => plainName(c.name)) ?? []), ...filmed])];
  }

  static of(group: Group): Motion | null {
    const table = wholeRows(group) ?? (group.arrays.some((a) => a.name === 'film.time') ? null : group.table?.tail ?? null);
    if (table && table.columns[0]?.name !== 'time') return null;
    const film = filmOf(group);
    const stored = group.arrays.some((a) => a.name === 'film.time' && !a.omitted) ? film : null;
    if (!table && !(stored && stored.time.length > 1)) return null;
    return new Motion(table, stored, stored ? filmedNames(group) : []);
  }

  /* Vectors over time, as a table. */
  static from(table: Table): Motion {
    return new Motion(table, null, []);
  }

  series(name: string): Series | null {
    let found = this.made.get(name);
    if (found === undefined) this.made.set(name, (found = this.read(name)));
    return found;
  }

  private read(name: string): Series | null {
    const column = byName(this.table?.columns, name);
    if (column) return seriesFrom(this.time, valuesOf(column), column.unit);
    const track = this.film?.value(name);
    if (!track || !this.film) return null;
    const values = new Float64Array(this.film.time.length);
    for (let i = 0; i < values.length; i++) values[i] = track.at(i, 0);
    return seriesFrom(this.film.time, values, track.unit);
  }

  at(name: string, t: number): number {
    return this.series(name)?.at(t) ?? NaN;
  }

  has(...names: string[]): boolean {
    return names.every((n) => this.series(n) !== null);
  }

  get span(): number {
    return this.time[this.time.length - 1]! - this.time[0]!;
  }

  /* Instants evenly over the motion, at most so many. */
  instants(most: number): number[] {
    const n = Math.min(most, Math.max(2, this.time.length));
    return Array.from({ length: n }, (_i, k) => this.time[0]! + (this.span * k) / (n - 1));
  }
}

/* Channels of a film: "pulley.*.angle" with the members' names put in. */
function filmedNames(group: Group): string[] {
  const text = (key: string): string[] | undefined => group.texts.find((t) => t.name === `film.members.${key}`)?.value.split(',').filter(Boolean);
  return group.arrays.filter((a) => a.name.startsWith('film.') && a.name !== 'film.time' && !a.omitted).flatMap((a) => {
    const name = a.name.slice(5);
    if (!name.includes('*')) return [plainName(name)];
    const n = a.dims[1] ?? 1;
    const members = text(name.replace('.*', '')) ?? text(name.split('.*')[0]!) ?? Array.from({ length: n }, (_m, i) => String(i));
    return members.map((m) => plainName(name).replace('*', m));
  });
}

/* Playing time: its own, at least 4 s and at most 20 s long. */
export const ownPace = (span: number): number => span / Math.min(20, Math.max(4, span));

/* Rows of a series from one instant to another, thinned to about so many points. */
export function stretch(x: Series, y: Series, from: number, to: number, most = 600): [number, number][] {
  const times = x.time;
  const [a, b] = [instantOf(times, from), instantOf(times, to)];
  const first = a.share > 0 ? a.frame + 1 : a.frame;
  const last = b.share >= 1 ? b.frame + 1 : b.frame;
  const stride = Math.max(1, Math.floor((last - first) / most));
  const points: [number, number][] = [];
  const put = (t: number): void => void points.push([x.at(t), y.at(t)]);
  if (to > from) put(Math.max(from, times[0]!));
  for (let i = first - (first % stride) + (first % stride ? stride : 0); i <= last; i += stride) points.push([x.values[i]!, y.time === x.time ? y.values[i]! : y.at(times[i]!)]);
  put(Math.min(to, times[times.length - 1]!));
  return points.filter((p) => Number.isFinite(p[0]) && Number.isFinite(p[1]));
}

/* Instants at which a signal passes its mean upwards; [] when it hardly moves. */
export function risings(s: Series): number[] {
  const middle = (s.low + s.high) / 2;
  const slack = 0.05 * (s.high - s.low);
  if (!(slack > 0)) return [];
  const found: number[] = [];
  let armed = false;
  for (let i = 1; i < s.values.length; i++) {
    const [a, b] = [s.values[i - 1]!, s.values[i]!];
    if (a < middle - slack) armed = true;
    if (armed && a < middle && b >= middle) {
      found.push(s.time[i - 1]! + ((middle - a) / (b - a)) * (s.time[i]! - s.time[i - 1]!));
      armed = false;
    }
  }
  return found;
}

/* Length of a cycle, or the whole of it. */
export function cycleOf(s: Series | null, span: number): number {
  const list = s ? risings(s) : [];
  return list.length > 1 ? (list[list.length - 1]! - list[0]!) / (list.length - 1) : span;
}

/* Integral of y dx over rows [first, last], closed by the straight line to the first. */
export function enclosed(x: Values, y: Values, first = 0, last = x.length - 1): number {
  let area = 0;
  for (let i = first; i < last; i++) area += ((y[i]! + y[i + 1]!) / 2) * (x[i + 1]! - x[i]!);
  return area + ((y[last]! + y[first]!) / 2) * (x[first]! - x[last]!);
}
