/* belt_warnings.ts — what to be warned of in an accessory drive: slack, slip, unstable modes, a belt that does not last. */
import { layoutOf } from './belt';
import { grossSlip } from './belt_course';
import { valuesOf } from '../../data';
import { columnIn, extreme, numberIn, rpm, valuesIn } from '../../figure';
import { number, plural, spoken } from '../../format';
import { quantity } from '../../tables';
import { grave, mild, type Warning, type WarningMaker } from '../../warning';

export const beltWarnings: WarningMaker = (group, report) => {
  const layout = layoutOf(report.groups);
  if (!layout) return [];
  const names = layout.pulleys.map((p) => spoken(p.name));
  const list: Omit<Warning, 'link'>[] = [];
  const slack = valuesIn(group, 'watch.tension_least');
  const loose = slack ? names.filter((_n, i) => slack[i]! <= 0) : [];
  if (loose.length) list.push(...grave(`Slack belt: the span after ${loose.join(', ')} loses its tension for some of the time.`));
  const slipping = valuesIn(group, 'watch.slipping');
  const gross = slipping ? names.map((n, i) => ({ n, s: slipping[i]! })).filter((e) => e.s > 0) : [];
  const when = gross.length ? grossSlip(layout, group) : null;
  const slips = `The belt slips as a whole on ${gross.map((e) => `${e.n} (${number(100 * e.s, 2)} % of the time)`).join(', ')}`;
  if (gross.length) list.push(...(when?.atStart ? mild(`${slips}, only in the first ${quantity(when.until, 's', 2)} of the run: start-up.`) : grave(`${slips}.`)));
  if (group.kind !== 'statics' || !group.table) return list;
  const speeds = valuesOf(group.table.columns[0]!);
  const none = Array.from(columnIn(group, 'belt.speed') ? valuesOf(columnIn(group, 'belt.speed')!) : []).map((v, i) => (Number.isFinite(v) ? -1 : i)).filter((i) => i >= 0);
  if (none.length) list.push(...grave(`No steady running at ${none.map((i) => rpm(speeds[i]!)).join(', ')}.`));
  for (const p of layout.pulleys) {
    const c = columnIn(group, `pulley.${p.name}.safety`);
    const least = c ? extreme(valuesOf(c), -1) : null;
    if (least && least.value < 1) list.push(...grave(`The belt slips on ${spoken(p.name)} at ${rpm(speeds[least.i]!)}: safety ${number(least.value, 3)}. Tensions are as if the friction were just enough.`));
  }
  return list;
};

export const campbellWarnings: WarningMaker = (group) => {
  const c = group.kind === 'campbell' ? columnIn(group, 'growth') : undefined;
  const n = c ? Array.from(valuesOf(c)).filter((v) => v > 1e-3).length : 0;
  return n ? grave(`At ${plural(n, 'speed')} a mode grows: the drive is unstable there.`) : [];
};

export const ordersWarnings: WarningMaker = (group) => {
  if (group.kind !== 'orders' || !group.table) return [];
  const slack = group.table.columns.some((c) => /^span\..*\.tension\.min$/.test(c.name) && c.stats && c.stats.min < 0);
  return slack ? mild('The linear response to the orders takes tensions below 0 at some speeds: the belt would be slack there.') : [];
};

export const lifeWarnings: WarningMaker = (group) => {
  const used = group.kind === 'life' ? numberIn(group, 'duty.used') : null;
  return used !== null && used > 1 ? grave(`The belt does not reach its target: the duty cycle uses up ${number(100 * used, 3)} % of its life.`) : [];
};
