/* branch_data.ts — the branches of a response that was followed through its folds (src/analysis/response/response_hb_output.c): rows
 * with "branch", "kind" and "multiplier", arrays "branch.*" with one entry a branch, texts "branch.N.name", ".found", ".ends". */
import { nameOf } from '../channels';
import { largestOf } from '../chart';
import { valuesOf, type Column, type Group, type Table, type Values } from '../data';
import { short } from '../format';
import type { Shape } from '../marks';
import { displayUnit, type DisplayUnit } from '../units';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

const has = (group: Group, names: string[]): boolean => !!group.table?.rows && names.every((n) => column(group.table!, n));

/* Orbits, or equilibria over a parameter (src/analysis/statics/statics_curve.c), whose channels have one value each. */
export const isBranches = (group: Group): boolean =>
  (group.kind === 'response' && has(group, ['branch', 'kind', 'multiplier'])) ||
  (group.kind === 'statics' && has(group, ['branch', 'kind', 'growth']));

/* Texts that belong to the branches or to members of the family: "branch.3.name", "family.1.verify". */
export const isBranchText = (name: string): boolean => /^(branch|family)\.\d+\./.test(name);

/* Special points: the number in "kind", and how they are called and drawn. */
export const specials: { kind: number; one: string; many: string; shape: Shape }[] = [
  { kind: 1, one: 'fold', many: 'folds', shape: 'disc' },
  { kind: 3, one: 'period doubling', many: 'period doublings', shape: 'diamond' },
  { kind: 4, one: 'Neimark-Sacker point', many: 'Neimark-Sacker points', shape: 'ring' },
  { kind: 2, one: 'branch point', many: 'branch points', shape: 'cross' },
];

export interface Branch {
  number: number;
  name: string;
  member: number; /* index in BranchSet.members */
  rows: number[]; /* of the table, in order along the curve */
  period: number; /* NaN = not told */
  closed: boolean;
  from: number;
  to: number;
  stable: number; /* share; NaN = not told */
  found: string;
  ends: string;
}

export interface BranchSet {
  table: Table;
  x: Column;
  xUnit: DisplayUnit;
  family: Column | null;
  members: { value: number; text: string }[]; /* one, without a text, where there is no family */
  branches: Branch[];
  kind: Values;
  unstable: (row: number) => boolean | null; /* null = not known */
}

const smallest = (values: number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
const largest = (values: number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);

function rowsOfBranches(table: Table): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  Array.from(valuesOf(column(table, 'branch')!)).forEach((b, i) => {
    const list = rows.get(b);
    if (list) list.push(i);
    else rows.set(b, [i]);
  });
  return rows;
}

function stabilityOf(table: Table): (row: number) => boolean | null {
  const modulus = column(table, 'multiplier');
  const multiplier: Values = modulus ? valuesOf(modulus) : [];
  const outside = column(table, 'unstable');
  const counts = outside ? valuesOf(outside) : null;
  return (row) => {
    if (counts && Number.isFinite(counts[row]!)) return counts[row]! > 0;
    return Number.isFinite(multiplier[row]!) ? multiplier[row]! > 1 : null;
  };
}

export function readBranches(group: Group): BranchSet {
  const table = group.table!;
  const [x, second] = table.columns as [Column, Column];
  const family = second.name === 'family' ? null : second;
  const values = valuesOf(second);
  const params = valuesOf(x);
  const memberUnit = displayUnit(second.unit, largestOf([values]));
  const members = [...new Set(Array.from(values))].map((value) => ({
    value, text: family ? `${short(value / memberUnit.size)}${memberUnit.text ? ` ${memberUnit.text}` : ''}` : '' }));
  const text = (b: number, what: string): string => group.texts.find((t) => t.name === `branch.${b}.${what}`)?.value ?? '';
  const listed = (name: string): Values => {
    const array = group.arrays.find((a) => a.name === name && !a.omitted);
    return array ? valuesOf(array) : [];
  };
  const numbers = Array.from(listed('branches'));
  const entry = (name: string, b: number): number => listed(name)[numbers.indexOf(b)] ?? NaN;
  const branches = [...rowsOfBranches(table)].map(([b, rows]): Branch => {
    const own = rows.map((i) => params[i]!);
    const closed = entry('branch.closed', b) === 1;
    return {
      number: b,
      name: text(b, 'name') || `branch ${b}`,
      member: members.findIndex((m) => m.value === values[rows[0]!]),
      rows,
      period: entry('branch.period', b),
      closed,
      from: smallest(own),
      to: largest(own),
      stable: entry('branch.stable', b),
      found: text(b, 'found'),
      ends: text(b, 'ends'),
    };
  });
  return { table, x, xUnit: displayUnit(x.unit, largestOf([params])), family, members, branches,
    kind: valuesOf(column(table, 'kind')!), unstable: stabilityOf(table) };
}

/* What is worth drawing, rms about the mean first, what tells of the computation last. */
export function quantities(table: Table): Column[] {
  const growth = column(table, 'growth');
  if (growth) return [...table.columns.slice(table.columns.findIndex((c) => c.name === 'unstable') + 1), growth].filter((c) => c.stats);
  const all = table.columns.slice(2).filter((c) => c.stats && /\.(mean|rms_ac|rms_total|min|max|h\d+)$/.test(c.name));
  const rms = (c: Column): boolean => c.name.endsWith('.rms_ac');
  const technical = ['multiplier', 'truncation', 'distance'].map((n) => column(table, n)).filter((c): c is Column => !!c?.stats);
  return [...all.filter(rms), ...all.filter((c) => !rms(c)), ...technical];
}

/* The row of a branch with the largest value, or the smallest one of what is a minimum itself; -1 when none is finite. */
export function highest(branch: Branch, y: Column): number {
  const values = valuesOf(y);
  const sign = y.name.endsWith('.min') ? -1 : 1;
  return branch.rows.reduce((best, i) =>
    (Number.isFinite(values[i]!) && (best < 0 || sign * values[i]! > sign * values[best]!) ? i : best), -1);
}

/* "highest rms of position"; "smallest position" says it already. */
export const highestName = (y: Column): string => (/\.(min|max)$/.test(y.name) ? nameOf(y) : `highest ${nameOf(y)}`);

/* "1 of the forcing's period", "2 periods" */
export const periodText = (period: number): string =>
  Number.isNaN(period) ? '–' : period === 1 ? 'the forcing’s' : `${period} periods`;

export interface Confirmation {
  confirmed: number;
  asked: number | null; /* null = not known for this branch */
  distance: number; /* largest of those confirmed */
}

/* Orbits are looked for at every n-th point and at special ones; what was found tells n. */
function strideOf(set: BranchSet, distance: Values): number {
  const gcd = (a: number, b: number): number => (b ? gcd(b, a % b) : a);
  let stride = 0;
  for (const branch of set.branches)
    branch.rows.forEach((row, i) => {
      if (set.kind[row] === 0 && Number.isFinite(distance[row]!)) stride = gcd(stride, i);
    });
  return stride;
}

/* What shooting said of each branch; null when it was not asked. */
export function confirmations(group: Group, set: BranchSet): Confirmation[] | null {
  const verified = group.numbers.find((n) => n.name === 'verified')?.value ?? 0;
  const [far, differs, multiplier] = ['distance', 'multiplier_distance', 'multiplier'].map((n) => column(set.table, n));
  if (!verified || !far || !differs) return null;
  const [distance, difference, known] = [valuesOf(far), valuesOf(differs), valuesOf(multiplier!)];
  /* An orbit found but not the same one has a distance, and no difference of multipliers. */
  const good = (i: number): boolean => Number.isFinite(distance[i]!) && (Number.isFinite(difference[i]!) || !Number.isFinite(known[i]!));
  const stride = strideOf(set, distance);
  const asked = set.branches.map((b) => b.rows.filter((row, i) => set.kind[row] !== 0 || (stride ? i % stride === 0 : i === 0)).length);
  const agrees = set.table.thinned === 'no' && asked.reduce((a, b) => a + b, 0) === verified;
  return set.branches.map((b, k) => {
    const rows = b.rows.filter(good);
    return { confirmed: rows.length, asked: agrees ? asked[k]! : null, distance: rows.reduce((most, i) => Math.max(most, distance[i]!), 0) };
  });
}
