/* belt_motion.ts — what one wants to know of a belt drive in motion: which channels first, key figures, extremes over the run. */
import { columnOf, spoken, type Layout } from './belt';
import { valuesOf, type Column, type Group, type Table } from './data';
import { el } from './dom';
import { sheet, type SheetColumn } from './sheet';
import { figureList, quantity, type Figure } from './tables';

/* Channels that an engineer looks at first. */
export const firstOfBelt = /^span\.[^.]+\.tension$|^arm\.angle$|^slide\.position$|^pulley\.[^.]+\.(torque|slip|impact)$|^power\./;

/* Tensions before all, then the tensioner, then torques; 9 for what comes later. */
export function beltRank(name: string): number {
  if (!firstOfBelt.test(name)) return 9;
  return /\.tension$/.test(name) ? 0 : /^(arm|slide)\./.test(name) ? 1 : /\.torque$/.test(name) ? 2 : 3;
}

/* What one wants to know first of a belt drive in motion. */
export function motionFigures(layout: Layout, table: Table): HTMLElement | null {
  const time = table.columns[0]!;
  const tensions = table.columns.filter((c) => /^span\.[^.]+\.tension$/.test(c.name) && c.stats);
  const name = (c: Column): string => spoken(c.name.split('.')[1]!);
  const when = (i: number): string => (table.thinned === 'columns' ? '' : `at ${quantity(valuesOf(time)[i]!, 's', 4, time.stats?.max ?? null)}`);
  const figures: Figure[] = [];
  const add = (title: string, value: number, unit: string, at: string): void => void figures.push({ name: title, value: quantity(value, unit), at });
  if (tensions.length) {
    const high = tensions.reduce((a, b) => (b.stats!.max > a.stats!.max ? b : a));
    const low = tensions.reduce((a, b) => (b.stats!.min < a.stats!.min ? b : a));
    const row = (c: Column, value: number): number => Math.max(0, Array.from(valuesOf(c)).findIndex((v) => Math.abs(v - value) <= 1e-6 * Math.abs(value)));
    add('largest tension', high.stats!.max, 'N', `span that leaves ${name(high)}, ${when(row(high, high.stats!.max))}`);
    add('smallest tension', low.stats!.min, 'N', `span that leaves ${name(low)}, ${when(row(low, low.stats!.min))}`);
  }
  let hub = { size: 0, at: '' };
  for (const p of layout.pulleys) {
    const [x, y] = [columnOf(table, `pulley.${p.name}.hub_x`), columnOf(table, `pulley.${p.name}.hub_y`)];
    for (let i = 0; x && y && i < x.length; i++) if (Math.hypot(x[i]!, y[i]!) > hub.size) hub = { size: Math.hypot(x[i]!, y[i]!), at: `on ${spoken(p.name)}, ${when(i)}` };
  }
  if (hub.size > 0 && table.thinned !== 'columns') add('largest hub load', hub.size, 'N', hub.at);
  const place = layout.arm && table.columns.find((c) => c.name === layout.arm!.place);
  if (place?.stats) add(`swing of the ${layout.arm!.part}`, place.stats.max - place.stats.min, place.unit, `about ${quantity(place.stats.mean, place.unit)}`);
  return figures.length ? figureList(figures.map((f) => ({ ...f, at: f.at.replace(/, $/, '') }))) : null;
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
