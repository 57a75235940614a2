/* figure.ts — key figures: a value with its unit, its error and where it was found; and how they are read out of a result. */
import { valuesOf, type ArrayData, type Column, type Group, type Report, type Values } from './data';
import { number, short } from './format';
import { byName } from './names';
import { quantity } from './tables';
import { displayUnit } from './units';

export interface KeyFigure {
  of: string; /* what it belongs to: "Steady running", "Motion" */
  name: string;
  value: number | null; /* SI, or in % where that is the unit; null: a text only */
  unit: string;
  text: string;
  error?: number; /* standard error */
  at?: string; /* where, or of what */
  warn?: boolean;
}

/* Figures of one analysis; nothing where it has none of them. */
export type FigureMaker = (group: Group, report: Report) => KeyFigure[];

export interface Written {
  at?: string;
  error?: number;
  digits?: number;
  warn?: boolean;
}

export function figure(of: string, name: string, value: number | null | undefined, unit: string, more: Written = {}): KeyFigure[] {
  if (value === null || value === undefined || !Number.isFinite(value)) return [];
  const { digits = 4, error, at, warn } = more;
  const sure = error !== undefined && Number.isFinite(error) && error > 1e-9 * Math.abs(value);
  const text = sure ? `${withError(value, error, unit, digits)}` : quantity(value, unit, digits);
  return [{ of, name, value, unit, text, ...(sure ? { error } : {}), ...(at ? { at } : {}), ...(warn ? { warn } : {}) }];
}

/* "48.17 ± 0.22 N m" */
function withError(value: number, error: number, unit: string, digits: number): string {
  const shown = displayUnit(unit, Math.abs(value));
  return `${number(value / shown.size, digits)} ± ${number(error / shown.size, 2)}${shown.text && shown.text !== '°' ? ' ' : ''}${shown.text}`;
}

export const share = (of: string, name: string, value: number | null | undefined, more: Written = {}): KeyFigure[] =>
  figure(of, name, value === null || value === undefined ? value : 100 * value, '%', more);

export const word = (of: string, name: string, text: string, more: Written = {}): KeyFigure[] =>
  (text ? [{ of, name, value: null, unit: '', text, ...(more.at ? { at: more.at } : {}), ...(more.warn ? { warn: true } : {}) }] : []);

export const numberIn = (group: Group, name: string): number | null => group.numbers.find((n) => n.name === name)?.value ?? null;
export const unitIn = (group: Group, name: string): string => group.numbers.find((n) => n.name === name)?.unit ?? '';
export const textIn = (group: Group, name: string): string => group.texts.find((t) => t.name === name)?.value ?? '';
export const columnIn = (group: Group, name: string): Column | undefined => byName(group.table?.columns, name);
export const arrayIn = (group: Group, name: string): ArrayData | undefined => group.arrays.find((a) => a.name === name && !a.omitted);

export function valuesIn(group: Group, name: string): Values | null {
  const found = arrayIn(group, name);
  return found ? valuesOf(found) : null;
}

export interface Extreme {
  value: number;
  i: number;
}

/* The largest (sign 1) or smallest (sign -1) finite value and its place. */
export function extreme(values: Values | null | undefined, sign: 1 | -1 = 1): Extreme | null {
  let best: Extreme | null = null;
  for (let i = 0; values && i < values.length; i++) {
    const v = values[i]!;
    if (Number.isFinite(v) && (!best || sign * (v - best.value) > 0)) best = { value: v, i };
  }
  return best;
}

/* The same over several channels, by their statistics, which are those of all rows of the result. */
export function extremeColumn(columns: Column[], sign: 1 | -1 = 1): { column: Column; value: number } | null {
  let best: { column: Column; value: number } | null = null;
  for (const column of columns) {
    const value = sign > 0 ? column.stats?.max : column.stats?.min;
    if (value !== undefined && (!best || sign * (value - best.value) > 0)) best = { column, value };
  }
  return best;
}

export const sizeOfColumn = (c: Column): number => (c.stats ? Math.max(Math.abs(c.stats.min), Math.abs(c.stats.max)) : 0);

export function largestColumn(columns: Column[]): Column | null {
  return columns.filter((c) => c.stats).reduce<Column | null>((a, b) => (!a || sizeOfColumn(b) > sizeOfColumn(a) ? b : a), null);
}

export const rpm = (speed: number): string => `${short((speed * 30) / Math.PI)} rpm`;
export const duration = (group: Group): number => {
  const s = group.table?.columns[0]?.stats;
  return s && group.table!.columns[0]!.unit === 's' ? s.max - s.min : NaN;
};

/* Largest modulus of the multipliers of an orbit; those at 1 that belong to the phase count as well. */
export function stabilityOf(of: string, group: Group): KeyFigure[] {
  const [re, im] = [valuesIn(group, 'multiplier.re'), valuesIn(group, 'multiplier.im')];
  if (!re || !im || !re.length) return [];
  const most = extreme(Array.from(re, (v, i) => Math.hypot(v, im[i]!)));
  if (!most) return [];
  const stable = most.value <= 1 + 1e-6;
  return [{ of, name: 'stability', value: null, unit: '', text: stable ? 'stable' : 'unstable', at: `largest multiplier ${number(most.value, 3)}`, ...(stable ? {} : { warn: true }) }];
}

/* The largest size among columns, and where it is. */
export const largestSize = (of: string, name: string, columns: Column[], more: { warn?: boolean; at?: (c: Column) => string } = {}): KeyFigure[] => {
  const c = largestColumn(columns);
  return c && sizeOfColumn(c) > 0 ? figure(of, name, sizeOfColumn(c), c.unit, { digits: 4, at: more.at ? more.at(c) : c.name, ...(more.warn ? { warn: true } : {}) }) : [];
};
