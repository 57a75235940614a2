/* stationary.ts — stationary points of a drive over cases or a parameter: one line each. */
import { valuesOf, type ArrayData, type Group } from './data';
import { sheet, type SheetColumn } from './sheet';

const arrayOf = (group: Group, name: string): ArrayData | undefined => group.arrays.find((a) => a.name === name && !a.omitted);

export const isStationary = (group: Group): boolean => group.kind === 'stationary' && !!arrayOf(group, 'point.end');

export const isStationaryVariator = (group: Group): boolean => isStationary(group) && !!arrayOf(group, 'mean.ratio.thrust');

/* What one looks at first; codes and counts of the run are told by the table. */
export const stationaryRank = (name: string): number => (/^mean\.ratio\./.test(name) ? 0 : /^(point|audit)\./.test(name) ? 2 : 1);

const ends = ['stationary', 'not stationary', 'macro slip', 'failed'];

function column(group: Group, head: string, name: string, digits = 5, percent = false): SheetColumn[] {
  const a = arrayOf(group, name);
  const values = a ? Array.from(valuesOf(a)) : [];
  return a && values.some(Number.isFinite) ? [{ head, unit: percent ? '' : a.unit, values, digits, ...(percent ? { percent: true } : {}) }] : [];
}

/* What each point came to; of a variator also how far it is from the continuum. */
export function stationaryTable(group: Group): HTMLElement {
  const end = Array.from(valuesOf(arrayOf(group, 'point.end')!));
  const names = (group.texts.find((t) => t.name === 'points')?.value ?? '').split('\n');
  return sheet('Points', 'Point', end.map((_e, k) => names[k] ?? `${k + 1}`), [
    { head: 'Run', unit: '', texts: end.map((e) => ends[e] ?? '–') },
    ...column(group, 'i_s', 'mean.ratio.speed'), ...column(group, 'less continuum', 'distance.speed_ratio', 3),
    ...column(group, 'i_F', 'mean.ratio.thrust'), ...column(group, 'less continuum', 'distance.thrust_ratio', 3),
    ...column(group, 'Efficiency', 'figure.efficiency', 4, true), ...column(group, 'Continuum', 'continuum.efficiency', 4, true),
    ...column(group, 'Settled after turns', 'point.settled', 3),
  ]);
}
