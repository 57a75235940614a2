/* stationary.ts — stationary points of a drive over cases or a parameter: one line each. */
import { valuesOf, type ArrayData, type Group } from '../../data';
import { el } from '../../dom';
import { sheet, type SheetColumn } from '../../sheet';

const arrayOf = (group: Group, name: string): ArrayData | undefined => group.arrays.find((a) => a.name === name && !a.omitted);

export const isStationary = (group: Group): boolean => group.kind === 'stationary' && !!arrayOf(group, 'point.end');

export const isStationaryVariator = (group: Group): boolean => isStationary(group) && !!arrayOf(group, 'mean.ratio.thrust');

/* What one looks at first; codes and counts of the run are told by the table. */
export const stationaryRank = (name: string): number => (/^mean\.ratio\./.test(name) ? 0 : /^(point|audit)\./.test(name) ? 2 : 1);

export const ends = ['stationary', 'not stationary', 'macro slip', 'failed', 'shifting'];

/* Standard errors are half of the 95 % interval over this; shown is the interval. */
export const interval = 1.96;

/* Below this torque ratio no power passes of which an efficiency could be stated. */
const idle = 0.02;
export const passesPower = (torqueRatio: number): boolean => !(Math.abs(torqueRatio) < idle);

/* Efficiencies of the points; NaN where no power passes. */
export function efficiencies(group: Group, name: string): number[] | null {
  const a = arrayOf(group, name);
  const ratio = arrayOf(group, 'figure.torque_ratio');
  return a ? Array.from(valuesOf(a), (v, k) => (ratio && !passesPower(valuesOf(ratio)[k]!) ? NaN : v)) : null;
}

/* The array of standard errors that belongs to a mean or a figure. */
export const errorName = (name: string): string => (name.startsWith('mean.') ? `error.${name.slice(5)}` : `${name}.error`);

function column(group: Group, head: string, name: string, digits = 5, percent = false): SheetColumn[] {
  const a = arrayOf(group, name);
  const values = a ? (percent ? efficiencies(group, name)! : Array.from(valuesOf(a))) : [];
  const errors = errorsOf(group, name);
  return a && values.some(Number.isFinite) ? [{ head, unit: percent ? '' : a.unit, values, digits, ...errors, ...(percent ? { percent: true } : {}) }] : [];
}

/* The model as it is written has a name as a point among others only. */
const pointName = (name: string | undefined, k: number): string => (name && name !== 'this model' ? name : `point ${k + 1}`);

const manyPoints = 12; /* long tables are folded */

/* Where the points lose power. */
const lost: [string, string][] = [['flank.primary.longitudinal', 'Flanks, longitudinal: primary'], ['flank.secondary.longitudinal', 'secondary'], ['flank.primary.radial', 'Flanks, radial: primary'],
  ['flank.secondary.radial', 'secondary'], ['ring.primary', 'Rings on saddles, friction: primary'], ['ring.secondary', 'secondary'], ['ring.strands', 'strands'], ['flank.drilling', 'Flanks, drilling'],
  ['elements', 'Elements, friction'], ['damping', 'Damping, all contacts'], ['other', 'Other']];

const errorsOf = (group: Group, name: string): { errors?: number[] } => {
  const error = arrayOf(group, errorName(name));
  return error ? { errors: Array.from(valuesOf(error), (e) => interval * e) } : {};
};

export function stationaryLosses(group: Group): HTMLElement | null {
  const end = arrayOf(group, 'point.end');
  const known = lost.map(([name, text]) => ({ text, a: arrayOf(group, `mean.power.lost.${name}`) })).filter((l): l is { text: string; a: ArrayData } => !!l.a && Array.from(valuesOf(l.a)).some((v) => Math.abs(v) > 0));
  if (!end || !known.length) return null;
  const names = (group.texts.find((t) => t.name === 'points')?.value ?? '').split('\n');
  const of = known.map((l) => Array.from(valuesOf(l.a)));
  const sum = of[0]!.map((_v, k) => of.reduce((total, list) => total + list[k]!, 0));
  const table = sheet('Losses by contact [W]', 'Point', sum.map((_v, k) => pointName(names[k], k)), [
    ...known.map((l, i) => ({ head: l.text, unit: '', values: of[i]!, scale: 100, ...errorsOf(group, l.a.name) })), { head: 'Sum', unit: '', values: sum, scale: 100 }]);
  return sum.length > manyPoints ? el('details', {}, el('summary', {}, 'Losses by contact'), table) : table;
}

/* What each point came to; of a variator also how far it is from the continuum. */
export function stationaryTable(group: Group): HTMLElement {
  const end = Array.from(valuesOf(arrayOf(group, 'point.end')!));
  const names = (group.texts.find((t) => t.name === 'points')?.value ?? '').split('\n');
  const reasons = (group.texts.find((t) => t.name === 'reasons')?.value ?? '').split('\n');
  return sheet('Points, means ± 95 % interval', 'Point', end.map((_e, k) => pointName(names[k], k)), [
    { head: 'State', unit: '', texts: end.map((e, k) => `${ends[e] ?? '–'}${reasons[k] ? `: ${reasons[k]}` : ''}`) },
    ...column(group, 'Speed ratio', 'mean.ratio.speed'), ...column(group, 'minus continuum', 'distance.speed_ratio', 3),
    ...column(group, 'Thrust ratio', 'mean.ratio.thrust'), ...column(group, 'minus continuum', 'distance.thrust_ratio', 3),
    ...column(group, 'Efficiency', 'figure.efficiency', 4, true), ...column(group, 'Continuum', 'continuum.efficiency', 4, true),
    ...column(group, 'Push force, upper strand', 'mean.upper.push', 4), ...column(group, 'lower strand', 'mean.lower.push', 4),
    ...column(group, 'Operational endplay', 'mean.belt.open', 3),
    ...column(group, 'Settled after, rev', 'point.settled', 3), ...column(group, 'Averaged over, rev', 'point.averaged', 3),
  ]);
}
