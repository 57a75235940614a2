/* belt_motion.ts — what one wants to know of a belt drive in motion: which channels first, key figures, extremes over the run. */
import type { Layout } from './belt';
import { valuesOf, type Group } from '../../data';
import { el } from '../../dom';
import { spoken } from '../../format';
import { sheet, type SheetColumn } from '../../sheet';

/* Channels that an engineer looks at first. */
export const firstOfBelt = /^span\.[^.]+\.tension$|^arm\.angle$|^slide\.position$|^pulley\.[^.]+\.(torque|slip|impact)$|^power\./;

/* Tensions before all, then the tensioner, then torques; 9 for what comes later. */
export function beltRank(name: string): number {
  if (!firstOfBelt.test(name)) return 9;
  return /\.tension$/.test(name) ? 0 : /^(arm|slide)\./.test(name) ? 1 : /\.torque$/.test(name) ? 2 : 3;
}

export const isWatch = (name: string): boolean => name.startsWith('watch.');

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
  const list = [hubs.length ? sheet('Hub loads over the run', 'Pulley', names, hubs) : null, spans.length ? sheet('Tensions over the run', 'Span that leaves', names, spans) : null];
  const slip = group.arrays.find((k) => k.name === 'watch.slipping' && !k.omitted);
  if (slip && Array.from(valuesOf(slip)).some((v) => v > 0)) list.push(sheet('Gross slip over the run', 'Pulley', names, [...column('Share of time', 'slipping'), ...column('Fastest', 'slip_most')]));
  return list.some(Boolean) ? [el('div.beside', {}, ...list)] : [];
}
