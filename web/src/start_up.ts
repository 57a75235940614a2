/* start_up.ts — extremes of a run without its beginning, where excitations set in at once and everything still swings from rest.
 *
 * Nothing is said to have settled: the first tenth of the run is left out of an extreme only when the largest (or smallest) value of the
 * whole run is there, and whoever shows it says so, with that value and its instant. */
import type { Values } from './data';
import { short } from './format';
import { quantity } from './tables';
import { displayUnit } from './units';

const share = 0.1;

export interface Course {
  name: string;
  values: Values;
}

interface Found {
  name: string;
  value: number;
  at: number; /* s of the table */
}

export interface RunExtreme extends Found {
  start: Found | null; /* what the whole run has in its first tenth, where that is more extreme */
  left: number; /* s that were left out then */
  begin: number; /* s */
}

/* Until when a run is at its start. */
export const startEnd = (time: Values): number => time[0]! + share * (time[time.length - 1]! - time[0]!);

function extremeFrom(time: Values, courses: Course[], sign: 1 | -1, from: number): Found | null {
  let best: Found | null = null;
  for (const { name, values } of courses)
    for (let i = 0; i < values.length; i++) {
      const v = values[i]!;
      if (time[i]! >= from && Number.isFinite(v) && (!best || sign * (v - best.value) > 0)) best = { name, value: v, at: time[i]! };
    }
  return best;
}

/* The largest (sign 1) or smallest value of several courses over one time. */
export function runExtreme(time: Values, courses: Course[], sign: 1 | -1): RunExtreme | null {
  const whole = extremeFrom(time, courses, sign, -Infinity);
  if (!whole) return null;
  const end = startEnd(time);
  const later = extremeFrom(time, courses, sign, end);
  const early = whole.at < end && later && sign * (whole.value - later.value) > 1e-3 * Math.abs(later.value);
  return { ...(early ? later : whole), start: early ? whole : null, left: end - time[0]!, begin: time[0]! };
}

const instant = (t: number, like: number): string => {
  const unit = displayUnit('s', Math.max(Math.abs(t), 0.05 * Math.abs(like)));
  return `${short(t / unit.size, 3)} ${unit.text}`;
};

/* "at 0.243 s; without the first 35 ms (808.9 N after 1.8 ms, start-up)" */
export function whenText(found: RunExtreme, unit: string): string {
  const at = `at ${instant(found.at, found.at)}`;
  if (!found.start) return found.at - found.begin < found.left ? `${at}, ${instant(found.at - found.begin, found.left)} after the start` : at;
  return `${at}; without the first ${instant(found.left, found.left)} (${quantity(found.start.value, unit)} after ${instant(found.start.at - found.begin, found.left)}, start-up)`;
}
