/* belt_motion.ts — what one wants to know of a belt drive in motion: which channels first, key figures, extremes over the run. */
import type { Layout } from './belt';
import { valuesOf, type Group, type Report } from '../../data';
import { el } from '../../dom';
import { columnIn, extreme } from '../../figure';
import { spoken } from '../../format';
import { sheet, type SheetColumn } from '../../sheet';
import { startEnd } from '../../start_up';
import { quantity } from '../../tables';

/* Channels that an engineer looks at first. */
export const firstOfBelt = /^span\.[^.]+\.tension$|^arm\.angle$|^slide\.position$|^pulley\.[^.]+\.(torque|slip|impact)$|^power\./;

/* Tensions before all, then the tensioner, then torques; 9 for what comes later. */
export function beltRank(name: string): number {
  if (!firstOfBelt.test(name)) return 9;
  return /\.tension$/.test(name) ? 0 : /^(arm|slide)\./.test(name) ? 1 : /\.torque$/.test(name) ? 2 : 3;
}

/* Orders that the model's crank has. */
export const crankOrders = (report: Report): number[] =>
  (report.settings_table ?? []).filter((s) => /^crank\.orders\[\d+\]\.order$/.test(s.path)).map((s) => s.si ?? Number(s.value)).filter((v) => v > 0 && Number.isFinite(v));

export const isWatch = (name: string): boolean => name.startsWith('watch.');

/* When the largest tension of each span is, so that effects of the start are seen as such. */
function instants(layout: Layout, group: Group): SheetColumn[] {
  const time = group.table && group.kind === 'transient' ? valuesOf(group.table.columns[0]!) : null;
  if (!time) return [];
  const at = layout.pulleys.map((p) => {
    const c = columnIn(group, `span.${p.name}.tension`);
    const found = c ? extreme(valuesOf(c)) : null;
    return found ? time[found.i]! - time[0]! : NaN;
  });
  return at.some(Number.isFinite) ? [{ head: 'Largest at, after the start', unit: 's', values: at, digits: 3 }] : [];
}

/* Extremes over every step of the run, by pulley and by span. */
export function watchSheets(layout: Layout, group: Group): HTMLElement[] {
  const names = layout.pulleys.map((p) => spoken(p.name));
  const column = (head: string, name: string, scale?: number): SheetColumn[] => {
    const a = group.arrays.find((k) => k.name === `watch.${name}` && !k.omitted && k.dims[0] === names.length);
    return a && Array.from(valuesOf(a)).some(Number.isFinite) ? [{ head, unit: a.unit, values: valuesOf(a), scale }] : [];
  };
  const hubs = [...column('Smallest', 'hub_least'), ...column('Mean', 'hub_mean'), ...column('Largest', 'hub_most'), ...column('Cubic mean', 'hub_equivalent'),
    ...column('Static safety', 'static_safety', 10), ...column('Dynamic safety', 'dynamic_safety', 10)];
  const spans = [...column('Smallest', 'tension_least'), ...column('Mean', 'tension_mean'), ...column('Largest', 'tension_most')];
  const list = [hubs.length ? sheet('Hub loads in the run', 'Pulley', names, hubs) : null, spans.length ? sheet('Tensions in the run', 'Span after', names, [...spans, ...instants(layout, group)]) : null];
  const slip = group.arrays.find((k) => k.name === 'watch.slipping' && !k.omitted);
  if (slip && Array.from(valuesOf(slip)).some((v) => v > 0)) list.push(sheet('Gross slip in the run', 'Pulley', names, [...column('Share of time', 'slipping'), ...column('Fastest', 'slip_most')]));
  const end = group.table?.rows && group.kind === 'transient' ? startEnd(valuesOf(group.table.columns[0]!)) - valuesOf(group.table.columns[0]!)[0]! : NaN;
  return list.some(Boolean) ? [el('div.beside', {}, ...list), ...(end > 0 ? [el('p.hint', {}, `These tables are of the whole run, its start included; the key figures leave out the first tenth (${quantity(end, 's', 3)}) where the extreme is there.`)] : [])] : [];
}
