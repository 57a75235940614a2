/* study_data.ts — the collected file of a study: one row a case, with its factors, its responses and what became of it, and what
 * was computed from all of them (src/study/study_analysis.c). */
import { valuesOf, type Column, type Group, type Report, type Values } from './data';
import { driveOf } from './drives/registry';
import { pure } from './format';
import { quantity } from './tables';
import { shaftSpeed } from './units';

export const isStudy = (group: Group): boolean => group.kind === 'study' && !!group.table;
export const isOptimise = (group: Group): boolean => group.kind === 'optimise' && !!group.table;

export type Goal = 'minimise' | 'maximise' | null;

export interface Axis {
  name: string; /* without "factor." or "response." */
  unit: string;
  long: string;
  values: Values;
  labels: string[] | null; /* of levels, whose values are 1, 2, ... */
  words: string; /* how it is varied, or found */
  goal: Goal;
}

/* One value a factor. */
export interface Estimate {
  name: string;
  values: Values;
  low: Values | null;
  high: Values | null;
}

export interface Sensitivity {
  response: string;
  shares: Estimate[]; /* of the variance: first, total */
  regression: Estimate | null; /* signed */
  r2: number | null; /* of the linear regression */
}

export interface Effect {
  factor: string;
  at: Values;
  mean: Values;
  low: Values | null;
  high: Values | null;
}

/* A product of powers of scaled factors; of a level: 1 where the factor has it, else 0. */
export type Term = { factor: number; power: number; level?: number }[];

export interface Surface {
  response: string;
  terms: Term[];
  coefficients: Values;
  centre: Values; /* of each factor, or of its logarithm */
  scale: Values;
  logarithmic: boolean[];
  r2: number | null;
  q2: number | null;
  rms: number | null;
  rmsLeftOut: number | null;
  predicted: Values | null; /* one a case */
  leftOut: Values | null; /* by a surface through all cases but this one */
  cases: number | null; /* that were left out because they failed */
  note: string;
}

/* One factor at a time, one value a factor. */
export interface Tornado {
  response: string;
  nominal: number;
  low: Values; /* at the lowest value of the factor */
  high: Values;
  least: Values; /* over all its values */
  most: Values;
}

export interface Pareto {
  responses: { name: string; goal: Goal }[];
  rows: number[]; /* of the table */
}

export interface Study {
  title: string;
  group: Group;
  total: number; /* cases of the study; fewer rows are in the page when it is very large */
  cases: number[];
  factors: Axis[];
  responses: Axis[];
  others: Axis[]; /* steps, iterations, seed */
  status: number[]; /* 0 fine, 1 failed, 2 missing */
  fine: number[]; /* rows */
  runs: string[]; /* one a row */
  reasons: Map<number, string>;
  design: string;
  nominal: Values | null; /* one a factor */
  effects: Map<string, Effect[]>; /* by response */
  sensitivities: Sensitivity[];
  sensitivityKind: string;
  surfaces: Surface[];
  withoutSurface: { response: string; why: string }[];
  scatter: (number | null)[]; /* of each response: deviation between replicates of a point */
  tornados: Tornado[];
  pareto: Pareto | null;
  file: string; /* text of the study file */
}

export const statusNames = ['fine', 'failed', 'missing'];

export const textOf = (group: Group, name: string): string => group.texts.find((t) => t.name === name)?.value ?? '';
const lines = (of: string): string[] => (of ? of.replace(/\n$/, '').split('\n') : []);

export function arrayOf(group: Group, name: string): Values | null {
  const a = group.arrays.find((k) => k.name === name && !k.omitted);
  return a ? valuesOf(a) : null;
}

export const numberOf = (group: Group, name: string): number | null => group.numbers.find((n) => n.name === name)?.value ?? null;

/* "NAME: words", one a line. */
const described = (text: string): Map<string, string> =>
  new Map(lines(text).filter((l) => l.includes(':')).map((l) => [l.slice(0, l.indexOf(':')).trim(), l.slice(l.indexOf(':') + 1).trim()]));

export const goalOf = (text: string): Goal => (/\bmaximi[sz]e/.test(text) ? 'maximise' : /\bminimi[sz]e/.test(text) ? 'minimise' : null);

function axisOf(group: Group, c: Column, words: Map<string, string>): Axis {
  const name = c.name.replace(/^(factor|response)\./, '');
  const labels = lines(textOf(group, `levels.${name}`));
  const said = words.get(name) ?? '';
  /* A path or a channel that stands for a meaning is told by the words, which say more. */
  const bare = !!said && said.includes(c.long_name);
  const long = !bare ? c.long_name : c.name.startsWith('response.') ? said.split('; ')[0]!.replace(/^= /, '') : '';
  return { name, unit: c.unit, long, values: valuesOf(c), labels: labels.length ? labels : null, words: said, goal: goalOf(said) };
}

export function axesOf(group: Group): { factors: Axis[]; responses: Axis[] } {
  const columns = group.table!.columns;
  const of = (kind: string): Axis[] => {
    const words = described(textOf(group, `${kind}s`));
    return columns.filter((c) => c.name.startsWith(`${kind}.`)).map((c) => axisOf(group, c, words));
  };
  return { factors: of('factor'), responses: of('response') };
}

/* A value as it is written: levels by their labels. */
export function valueText(axis: Axis, value: number, digits = 4, like = value): string {
  if (axis.labels) return axis.labels[Math.round(value) - 1] ?? pure(value);
  return Number.isFinite(value) ? quantity(value, axis.unit, digits, like) : '–';
}

/* On a narrow screen the name alone. */
export const axisName = (a: Axis): string => a.long && a.long !== a.name && window.innerWidth >= 600 ? `${a.name}: ${a.long}` : a.name;

function estimateOf(group: Group, name: string, called: string): Estimate | null {
  const values = arrayOf(group, name);
  return values && { name: called, values, low: arrayOf(group, `${name}.low`), high: arrayOf(group, `${name}.high`) };
}

function sensitivityOf(group: Group, response: string): Sensitivity[] {
  const of = (what: string): Estimate | null => estimateOf(group, `sensitivity.${response}.${what}`, what);
  const shares = ['first', 'total'].flatMap((what) => of(what) ?? []);
  const regression = of('regression');
  return shares.length || regression ? [{ response, shares, regression, r2: numberOf(group, `sensitivity.${response}.R2`) }] : [];
}

function effectsOf(group: Group, response: string, factors: Axis[]): Effect[] {
  return factors.flatMap(({ name }) => {
    const [at, mean] = [arrayOf(group, `effect.${name}.at`), arrayOf(group, `effect.${response}.${name}`)];
    return at && mean ? [{ factor: name, at, mean, low: arrayOf(group, `effect.${response}.${name}.low`), high: arrayOf(group, `effect.${response}.${name}.high`) }] : [];
  });
}

/* "1", "length", "length^2", "length*mu", "law=2"; null when a name is not known. */
export function parseTerm(text: string, names: string[]): Term | null {
  if (text === '1') return [];
  const term = text.split('*').map((part) => {
    const found = /^(.*?)(?:\^(\d+)|=(\d+))?$/.exec(part)!;
    return { factor: names.indexOf(found[1]!), power: Number(found[2] ?? 1), ...(found[3] ? { level: Number(found[3]) } : {}) };
  });
  return term.every((f) => f.factor >= 0) ? term : null;
}

function surfaceOf(group: Group, response: string, names: string[]): Surface[] {
  const of = (what: string): string => `surface.${response}.${what}`;
  const coefficients = arrayOf(group, of('coefficients'));
  const terms = lines(textOf(group, of('terms'))).map((t) => parseTerm(t, names));
  if (!coefficients || terms.length !== coefficients.length || terms.some((t) => !t)) return [];
  const logarithmic = lines(textOf(group, 'surface.logarithmic'));
  return [{
    response, terms: terms as Term[], coefficients,
    centre: arrayOf(group, of('centre')) ?? arrayOf(group, 'surface.centre') ?? names.map(() => 0),
    scale: arrayOf(group, of('scale')) ?? arrayOf(group, 'surface.scale') ?? names.map(() => 1),
    logarithmic: names.map((n) => logarithmic.includes(n)),
    r2: numberOf(group, of('R2')), q2: numberOf(group, of('Q2')), rms: numberOf(group, of('rms')), rmsLeftOut: numberOf(group, of('rms_left_out')),
    predicted: arrayOf(group, of('predicted')), leftOut: arrayOf(group, of('left_out')), cases: numberOf(group, of('left_out_cases')), note: textOf(group, of('note')),
  }];
}

/* The surface at values of all factors. */
export function predict(s: Surface, at: ArrayLike<number>): number {
  const z = Array.from(at, (v, i) => ((s.logarithmic[i] ? Math.log(v) : v) - s.centre[i]!) / s.scale[i]!);
  const value = (f: Term[number]): number => (f.level === undefined ? z[f.factor]! ** f.power : at[f.factor] === f.level ? 1 : 0);
  return s.terms.reduce((sum, term, k) => sum + term.reduce((p, f) => p * value(f), s.coefficients[k]!), 0);
}

function tornadoOf(group: Group, response: string): Tornado[] {
  const of = (what: string): Values | null => arrayOf(group, `tornado.${response}.${what}`);
  const [low, high, nominal] = [of('low'), of('high'), numberOf(group, `tornado.${response}.nominal`)];
  return low && high && nominal !== null ? [{ response, nominal, low, high, least: of('least') ?? low, most: of('most') ?? high }] : [];
}

function paretoOf(group: Group, responses: Axis[], cases: number[]): Pareto | null {
  const on = arrayOf(group, 'pareto');
  if (!on) return null;
  const named = lines(textOf(group, 'pareto.responses')).flatMap((l) => {
    const axis = responses.find((r) => l === r.name || l.startsWith(`${r.name} `) || l.startsWith(`${r.name}:`) || l.endsWith(` ${r.name}`));
    return axis ? [{ name: axis.name, goal: goalOf(l) ?? axis.goal }] : [];
  });
  return named.length < 2 ? null : { responses: named, rows: cases.map((_c, i) => i).filter((i) => on[cases[i]! - 1] === 1) };
}

/* Names of runs that a cut text does not have follow from the others. */
function runsOf(group: Group, cases: number[]): string[] {
  const list = lines(textOf(group, 'runs'));
  const like = /^(.*?)(0*1)(\.h5)$/.exec(list[0] ?? '');
  return cases.map((c) => list[c - 1] ?? (like && list.length >= 2 ? `${like[1]}${String(c).padStart(like[2]!.length, '0')}${like[3]}` : ''));
}

/* In some drives what is called speed turns on and on: see plainUnits() in data.ts. */
const turning = (report: Report, a: Axis): Axis => (driveOf(report)?.turning && a.unit === 'rad/s' && /(^|[._])speed$/.test(a.name) ? { ...a, unit: shaftSpeed } : a);

const read = new WeakMap<Group, Study>();

export function readStudy(report: Report, group: Group): Study {
  const known = read.get(group);
  if (known) return known;
  const columns = group.table!.columns;
  const column = (name: string): Values | null => {
    const c = columns.find((k) => k.name === name);
    return c ? valuesOf(c) : null;
  };
  const n = columns[0] ? valuesOf(columns[0]).length : 0;
  const cases = Array.from(column('case') ?? Array.from({ length: n }, (_v, i) => i + 1));
  const status = Array.from(column('status') ?? cases.map(() => 0));
  const axes = axesOf(group);
  const [factors, responses] = [axes.factors.map((a) => turning(report, a)), axes.responses.map((a) => turning(report, a))];
  const names = responses.map((r) => r.name);
  const study: Study = {
    title: group.title, group, total: group.table!.rows, cases, factors, responses, status,
    others: columns.filter((c) => ['steps', 'iterations', 'seed'].includes(c.name)).map((c) => axisOf(group, c, new Map())),
    fine: cases.map((_c, i) => i).filter((i) => status[i] === 0),
    runs: runsOf(group, cases),
    reasons: new Map(lines(textOf(group, 'reasons')).map((l) => [Number(l.slice(0, l.indexOf(':'))), l.slice(l.indexOf(':') + 1).trim()] as [number, string])),
    design: textOf(group, 'design'),
    nominal: arrayOf(group, 'nominal'),
    effects: new Map(names.map((r) => [r, effectsOf(group, r, factors)])),
    sensitivities: names.flatMap((r) => sensitivityOf(group, r)),
    sensitivityKind: textOf(group, 'sensitivity.kind'),
    surfaces: names.flatMap((r) => surfaceOf(group, r, factors.map((f) => f.name))),
    withoutSurface: names.filter((r) => !arrayOf(group, `surface.${r}.coefficients`) && textOf(group, `surface.${r}.note`)).map((r) => ({ response: r, why: textOf(group, `surface.${r}.note`) })),
    scatter: names.map((r) => numberOf(group, `scatter.${r}`)),
    tornados: names.flatMap((r) => tornadoOf(group, r)),
    pareto: paretoOf(group, responses, cases),
    file: textOf(group, 'study'),
  };
  read.set(group, study);
  return study;
}

/* ---- statistics of a response over the cases that are fine ------------------------------------------------------- */

export interface Spread {
  n: number;
  mean: number;
  deviation: number; /* with n - 1 */
  low: number;
  high: number;
  sorted: Float64Array;
}

const spreads = new WeakMap<Axis, Spread | null>();

export function spreadOf(study: Study, a: Axis): Spread | null {
  if (spreads.has(a)) return spreads.get(a)!;
  const sorted = Float64Array.from(study.fine.map((i) => a.values[i]!).filter(Number.isFinite)).sort();
  const n = sorted.length;
  const mean = sorted.reduce((p, q) => p + q, 0) / n;
  const deviation = n > 1 ? Math.sqrt(sorted.reduce((p, q) => p + (q - mean) ** 2, 0) / (n - 1)) : NaN;
  const found = n ? { n, mean, deviation, low: sorted[0]!, high: sorted[n - 1]!, sorted } : null;
  spreads.set(a, found);
  return found;
}

/* Between neighbours in line: the p-th part of the way from the smallest to the largest. */
export function percentile({ sorted }: Spread, p: number): number {
  const at = p * (sorted.length - 1);
  const k = Math.min(sorted.length - 2, Math.floor(at));
  return sorted.length < 2 ? sorted[0]! : sorted[k]! + (at - k) * (sorted[k + 1]! - sorted[k]!);
}

/* The values that a factor takes, ascending. */
const distinct = new WeakMap<Axis, number[]>();

export function valuesTaken(a: Axis): number[] {
  let found = distinct.get(a);
  if (!found) distinct.set(a, (found = Array.from(Float64Array.from(a.values).filter(Number.isFinite).sort().filter((v, i, all) => i === 0 || v !== all[i - 1]))));
  return found;
}

/* What shows the run of a case, for the folder of the study's file; nothing where there is no run. */
export function runCommand(study: Study, i: number): string | null {
  const run = study.runs[i];
  if (!run || study.status[i] === 2) return null;
  return `capstan report ${/^[\w./-]+$/.test(run) && !run.startsWith('-') ? run : `'${run.replace(/'/g, `'\\''`)}'`}`;
}
