/* data.ts — what src/report/report.c puts into a page, and how its arrays are read. */
import { readBlocks, unpack } from './block';
import { byName, plainName } from './names';
import { angularFrequency, isAngularFrequency, lineLoad, shaftSpeed } from './units';

/* Where numbers are in the page's blocks, and how: see block.ts. */
export type Packed = string;

export interface Quantity {
  name: string;
  unit: string;
  long_name: string;
}

export interface Column extends Quantity {
  /* Over all rows of the result, not over those kept for the page; absent when no value is finite. */
  stats?: { min: number; max: number; mean: number; first: number; last: number };
  bad: number; /* values that are not finite */
  data: Packed;
}

export interface Table {
  rows: number; /* in the result */
  kept: number; /* in the page, per column */
  /* rows: those rows were kept in which some channel has its smallest or largest value of a slot of time;
   * columns: each channel has the smallest and largest value of each slot, so values side by side do not
   * belong to the same instant. */
  thinned: 'no' | 'rows' | 'columns';
  slots: number;
  columns: Column[]; /* the first is the abscissa */
  tail?: Table; /* the last rows in full, where columns are thinned one by one */
}

export interface ArrayData extends Quantity {
  dims: number[];
  axes: string[]; /* names of arrays along each dimension; empty = none */
  omitted: boolean; /* too large for a page */
  data: Packed;
}

export interface NumberData extends Quantity {
  value: number | null;
}

export interface BalanceLine {
  name: string;
  kind: string; /* input, stored, dissipated, integrator, residual; scale: what the residual is compared with */
  energy: number;
}

export interface Group {
  name: string;
  kind: string;
  title: string;
  status: string;
  table?: Table;
  arrays: ArrayData[];
  numbers: NumberData[];
  texts: { name: string; value: string }[];
  audit?: { residual: number | null; lines: BalanceLine[] };
}

/* A key of the model. */
export interface Setting {
  path: string; /* "pulleys[2].radius" */
  value: string; /* as it is written; lists and short sections in one line */
  si?: number; /* of a quantity, in `unit` */
  unit?: string; /* "": a pure number */
  line?: number; /* of the model's text, from 1 */
  source: 'model' | 'set' | 'default';
  known: boolean; /* whether this version of the program knows the key */
}

export interface Report {
  page: 'report';
  name: string;
  file: string; /* name of the result file without folder and ending; differs among the reports of a comparison */
  drive: string;
  complete: boolean;
  capstan_version: string;
  git_hash: string;
  compiler: string;
  flags: string;
  seed: number;
  model: string;
  settings: string[]; /* as given with --set */
  fed_by?: string; /* files that fed inputs, with their hashes; absent when there are none */
  title_block?: [string, string][]; /* label and text; absent when the model file has none */
  settings_table?: Setting[]; /* absent when the model's text cannot be read, which a note says */
  groups: Group[];
  notes: string[]; /* what was left out or thinned, for a person to read */
}

/* Several results side by side. */
export interface Compare {
  page: 'compare';
  capstan_version: string;
  git_hash: string;
  reports: Report[];
}

export interface Claim {
  id: string;
  text: string;
  value?: number | string | null;
  unit?: string;
  expected?: string | number;
  holds: boolean;
  note?: string;
}

export interface SeriesAxis {
  name: string;
  unit: string;
  values: (number | null)[];
}

export interface AtlasPoint {
  x: number;
  y: number;
}

export interface AtlasSeries {
  name: string;
  x: SeriesAxis;
  y: SeriesAxis;
  panels?: string[]; /* titles of the plots that it belongs to */
  /* of a branch of a response */
  curve?: string; /* what its name begins with, the same for all branches of a curve */
  branch?: string;
  period?: number;
  stable?: (boolean | null)[];
  folds?: AtlasPoint[];
  branch_points?: AtlasPoint[];
  period_doublings?: AtlasPoint[];
  neimark_sacker?: AtlasPoint[];
}

export interface AtlasEntry {
  id: string;
  title: string;
  source?: string;
  claims?: Claim[];
  note?: string;
  series?: AtlasSeries[];
  wall_s?: number;
}

export interface Atlas {
  page: 'atlas';
  capstan_version: string;
  git_hash: string;
  entries: AtlasEntry[];
}

export type Values = ArrayLike<number>;

/* Whether values between these limits differ by no more than rounding. */
export const constant = (low: number, high: number): boolean => high - low <= 1e-11 * Math.max(Math.abs(low), Math.abs(high));

/* Decoding is put off until a channel is looked at, and done once. */
const decoded = new WeakMap<object, Values>();

export function valuesOf(owner: { data: Packed }): Values {
  let values = decoded.get(owner);
  if (!values) decoded.set(owner, (values = unpack(owner.data)));
  return values;
}

/* Values of a column, or null; of rows in which nothing was found they are NaN. */
export const columnOf = (table: Table | undefined, name: string): Values | null => {
  const found = byName(table?.columns, name);
  return found ? valuesOf(found) : null;
};

/* Pure numbers carry the unit "1" in a result; angular frequencies are read in Hz as well. In a belt drive, what is called speed turns on and on; the arm swings. */
function plainUnits(report: Report): void {
  const turning = report.groups.some((g) => g.kind === 'layout');
  for (const group of report.groups)
    for (const q of [...group.arrays, ...group.numbers, ...(group.table?.columns ?? []), ...(group.table?.tail?.columns ?? [])]) {
      if (q.unit === '1') q.unit = '';
      if (turning && q.unit === 'rad/s' && /(^|[._])speed$|^resonance\.margin$/.test(q.name) && q.name !== 'arm.speed') q.unit = shaftSpeed;
      if (q.unit === 'rad/s' && isAngularFrequency(q.name, q.long_name)) q.unit = angularFrequency;
      if (turning && q.unit === 'N/m' && /(^|\.)(impact|pressure|friction)(\.\d+)?$/.test(plainName(q.name))) q.unit = lineLoad;
    }
}

export type PageData = Report | Compare | Atlas;

/* What the page holds. Its numbers are inflated first, so that whoever looks at them later need not wait. */
export async function readPage(): Promise<PageData> {
  const text = document.getElementById('capstan-data')?.textContent ?? '';
  const data = JSON.parse(text) as PageData & { blocks?: number };
  await readBlocks(data.blocks ?? 0);
  if (data.page === 'report') plainUnits(data);
  if (data.page === 'compare') data.reports.forEach(plainUnits);
  return data;
}

/* Vectors of equal length with an ascending one among them are a table, whoever stored them. */
export function vectorTables(arrays: ArrayData[]): { tables: Table[]; rest: ArrayData[] } {
  const tables: Table[] = [];
  const taken = new Set<ArrayData>();
  const named = (a: ArrayData): boolean => /(^|\.)(time|phase)$/.test(a.name);
  for (const x of arrays.filter((a) => named(a) && a.dims.length === 1 && a.dims[0]! > 3 && !a.omitted)) {
    const members = arrays.filter((a) => a !== x && !taken.has(a) && !a.omitted && a.dims.length === 1 &&
      a.dims[0] === x.dims[0] && a.axes.length === 0 && !named(a));
    if (!members.length) continue;
    for (const a of [x, ...members]) taken.add(a);
    const n = x.dims[0]!;
    tables.push({ rows: n, kept: n, thinned: 'no', slots: 0, columns: [x, ...members].map((a) => asColumn(a, valuesOf(a))) });
  }
  return { tables, rest: arrays.filter((a) => !taken.has(a)) };
}

/* A column of a table from values that are at hand. */
export function asColumn(what: Quantity, values: Values): Column {
  const good = Array.from(values).filter(Number.isFinite);
  const column: Column = { name: what.name, unit: what.unit, long_name: what.long_name, bad: values.length - good.length, data: '' };
  decoded.set(column, values);
  if (good.length)
    column.stats = {
      min: good.reduce((x, y) => Math.min(x, y)),
      max: good.reduce((x, y) => Math.max(x, y)),
      mean: good.reduce((x, y) => x + y, 0) / good.length,
      first: values[0]!,
      last: values[values.length - 1]!,
    };
  return column;
}
