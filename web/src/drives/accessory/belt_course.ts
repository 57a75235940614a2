/* belt_course.ts — what happens when in the run of a belt drive, as far as its rows or frames tell: hub loads and gross slip over time. */
import type { Layout } from './belt';
import { valuesOf, type Group, type Values } from '../../data';
import { columnIn } from '../../figure';
import { filmOf } from '../../film';
import { startEnd, type Course } from '../../start_up';

const dense = 0.5; /* frames for each row, below which extremes between the frames are lost; every row where it is said that nothing happens */

/* Size of the hub loads over time: of the channels, or of the frames where there are as many as rows. */
export function hubCourses(layout: Layout, group: Group): { time: Values; courses: Course[] } | null {
  const rows = group.table!.rows;
  const size = (x: Values, y: Values): Values => Float64Array.from(x, (v, i) => Math.hypot(v, y[i]!));
  const stored = layout.pulleys.flatMap((p): Course[] => {
    const [x, y] = [columnIn(group, `pulley.${p.name}.hub_x`), columnIn(group, `pulley.${p.name}.hub_y`)];
    return x && y && group.table!.thinned !== 'columns' ? [{ name: p.name, values: size(valuesOf(x), valuesOf(y)) }] : [];
  });
  if (stored.length) return { time: valuesOf(group.table!.columns[0]!), courses: stored };
  const film = filmOf(group);
  if (!film || film.time.length < dense * rows) return null;
  const courses = layout.pulleys.flatMap((p): Course[] => {
    const [x, y] = [film.value(`pulley.${p.name}.hub_x`), film.value(`pulley.${p.name}.hub_y`)];
    return x && y ? [{ name: p.name, values: Float64Array.from(film.time, (_t, k) => Math.hypot(x.at(k, 0), y.at(k, 0))) }] : [];
  });
  return courses.length ? { time: film.time, courses } : null;
}

export interface GrossSlip {
  until: number; /* s after the start: the last instant of it */
  atStart: boolean; /* only in the first tenth of the run */
}

const slow = 0.05; /* m/s: below it creep, not slip of the whole arc */

/* When the belt slips as a whole; null where it does not, or where too few frames are known. */
export function grossSlip(layout: Layout, group: Group): GrossSlip | null {
  const film = filmOf(group);
  if (!film || !group.table?.rows || group.kind !== 'transient' || film.time.length < group.table.rows) return null;
  let last = NaN;
  for (const p of layout.pulleys) {
    const [slip, whole] = [film.value(`pulley.${p.name}.slip`), film.value(`pulley.${p.name}.friction_use`) ?? film.value(`pulley.${p.name}.sliding`)];
    if (!slip || !whole) return null;
    for (let k = film.time.length - 1; k >= 0 && !(film.time[k]! <= last); k--)
      if (whole.at(k, 0) > 0.999 && Math.abs(slip.at(k, 0)) > slow) last = film.time[k]!;
  }
  return Number.isFinite(last) ? { until: last - film.time[0]!, atStart: last < startEnd(film.time) } : null;
}
