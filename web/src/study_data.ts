/* study_data.ts — the collected file of a study: one row a case, with its factors, its responses and what became of it. */
import { valuesOf, type Column, type Group, type Values } from './data';

export const isStudy = (group: Group): boolean => group.kind === 'study' && !!group.table;

export interface Axis {
  name: string; /* without "factor." or "response." */
  unit: string;
  long: string;
  values: Values;
}

export interface Sensitivity {
  response: string;
  kinds: { name: string; values: Values; low: Values | null; high: Values | null }[]; /* first, total: one value a factor */
}

export interface Study {
  cases: number[];
  factors: Axis[];
  responses: Axis[];
  others: Axis[]; /* steps, iterations */
  status: number[]; /* 0 fine, 1 failed, 2 missing */
  runs: string[];
  reasons: Map<number, string>;
  design: string;
  sensitivities: Sensitivity[];
  sensitivityKind: string;
}

export const statusNames = ['fine', 'failed', 'missing'];

const axis = (c: Column): Axis => ({ name: c.name.replace(/^(factor|response)\./, ''), unit: c.unit, long: c.long_name, values: valuesOf(c) });
const text = (group: Group, name: string): string => group.texts.find((t) => t.name === name)?.value ?? '';
const lines = (of: string): string[] => (of ? of.replace(/\n$/, '').split('\n') : []);

function sensitivitiesOf(group: Group): Sensitivity[] {
  const found = new Map<string, Sensitivity>();
  for (const a of group.arrays) {
    const parts = /^sensitivity\.(.+)\.([a-z]+)$/.exec(a.name);
    if (!parts || a.omitted || /\.(low|high)$/.test(a.name)) continue;
    const [, response, name] = parts as unknown as [string, string, string];
    const of = (end: string): Values | null => {
      const b = group.arrays.find((k) => k.name === `${a.name}.${end}` && !k.omitted);
      return b ? valuesOf(b) : null;
    };
    const entry = found.get(response) ?? { response, kinds: [] };
    entry.kinds.push({ name, values: valuesOf(a), low: of('low'), high: of('high') });
    found.set(response, entry);
  }
  return [...found.values()];
}

export function readStudy(group: Group): Study {
  const columns = group.table!.columns;
  const column = (name: string): Values | null => {
    const c = columns.find((k) => k.name === name);
    return c ? valuesOf(c) : null;
  };
  const n = columns[0] ? valuesOf(columns[0]).length : 0;
  const cases = Array.from(column('case') ?? Array.from({ length: n }, (_v, i) => i + 1));
  return {
    cases,
    factors: columns.filter((c) => c.name.startsWith('factor.')).map(axis),
    responses: columns.filter((c) => c.name.startsWith('response.')).map(axis),
    others: columns.filter((c) => c.name === 'steps' || c.name === 'iterations').map(axis),
    status: Array.from(column('status') ?? cases.map(() => 0)),
    runs: lines(text(group, 'runs')),
    reasons: new Map(lines(text(group, 'reasons')).map((l) => [Number(l.slice(0, l.indexOf(':'))), l.slice(l.indexOf(':') + 1).trim()] as [number, string])),
    design: text(group, 'design'),
    sensitivities: sensitivitiesOf(group),
    sensitivityKind: text(group, 'sensitivity.kind'),
  };
}

/* Where the report of a run is, beside this page: the run's name with another ending; nothing that leads elsewhere. */
export function runLink(study: Study, i: number): string | null {
  const run = study.runs[i];
  if (!run || study.status[i] !== 0 || /^[a-z][a-z0-9+.-]*:|^\/|\\|(^|\/)\.\.(\/|$)/i.test(run)) return null;
  return run.replace(/\.h5$/, '').split('/').map(encodeURIComponent).join('/') + '.html';
}
