/* study_optimise.ts — the way of an optimiser: its objective over the evaluations, and the best point that it found. */
import { valuesOf, type Group, type Report, type Values } from './data';
import { el } from './dom';
import { plural, pure, unbroken } from './format';
import { later } from './later';
import { Loop } from './loop';
import type { Mark } from './marks';
import { axesOf, arrayOf, axisName, goalOf, numberOf, textOf, valueText, type Axis, type Study } from './study_data';
import { quantity, textTable } from './tables';
import { figureList } from './tables';
import { lineStyle, theme } from './theme';
import { sheet } from './sheet';

export interface Search {
  evaluation: Values;
  objective: Values;
  feasible: Values;
  factors: Axis[];
  responses: Axis[];
  best: number; /* row; -1: none */
  sign: 1 | -1; /* what is looked for: small, large */
  name: string; /* of the objective */
  unit: string;
}

export function readSearch(group: Group, study: Study | null): Search {
  const columns = group.table!.columns;
  const column = (name: string): Values | null => {
    const c = columns.find((k) => k.name === name);
    return c ? valuesOf(c) : null;
  };
  const axes = axesOf(group);
  /* Labels stand with the study. */
  const like = (list: Axis[], from: Axis[] | undefined): Axis[] => list.map((a) => {
    const same = from?.find((k) => k.name === a.name);
    return same ? { ...a, labels: a.labels ?? same.labels, unit: same.unit, long: a.long || same.long } : a;
  });
  const objective = column('objective') ?? [];
  const n = objective.length;
  const feasible = column('feasible') ?? Array.from({ length: n }, () => 1);
  const said = textOf(group, 'goal');
  const sign = goalOf(said) === 'maximise' ? -1 : 1;
  const ok = Array.from({ length: n }, (_v, i) => i).filter((i) => feasible[i] === 1 && Number.isFinite(objective[i]!));
  const marked = column('best');
  const last = marked ? Array.from(marked).lastIndexOf(1) : -1;
  const named = numberOf(group, 'best_row');
  const best = named ? named - 1 : last >= 0 ? last : ok.reduce((a, b) => (a < 0 || sign * (objective[b]! - objective[a]!) < 0 ? b : a), -1);
  const responses = like(axes.responses, study?.responses);
  const c = columns.find((k) => k.name === 'objective');
  const of = responses.find((r) => said.split(/\s+/).includes(r.name));
  return { evaluation: column('evaluation') ?? Array.from({ length: n }, (_v, i) => i + 1), objective, feasible, best, sign, factors: like(axes.factors, study?.factors), responses,
    name: of?.name ?? 'objective', unit: of?.unit ?? c?.unit ?? '' };
}

function history(s: Search): HTMLElement {
  const host = el('div');
  const n = s.objective.length;
  const rows = Array.from({ length: n }, (_v, i) => i);
  const finite = rows.filter((i) => Number.isFinite(s.objective[i]!));
  const good = finite.filter((i) => s.feasible[i] === 1);
  const bad = finite.filter((i) => s.feasible[i] !== 1);
  const range = (list: number[]): number => Math.max(...list.map((i) => s.objective[i]!)) - Math.min(...list.map((i) => s.objective[i]!));
  const far = good.length > 1 && range(finite) > 1e3 * range(good); /* what violates a bound must not hide the rest */
  const [x, y]: [number[], number[]] = [[], []];
  let now = NaN;
  for (const i of rows) {
    const v = s.objective[i]!;
    if (s.feasible[i] === 1 && Number.isFinite(v) && !(s.sign * (v - now) >= 0)) {
      if (Number.isFinite(now)) (x.push(s.evaluation[i]!), y.push(now));
      now = v;
    }
    (x.push(s.evaluation[i]!), y.push(now));
  }
  const marks: Mark[] = [...bad.map((i): Mark => ({ x: s.evaluation[i]!, y: s.objective[i]!, label: '', shape: 'cross', colour: () => theme().muted })),
    ...(s.best >= 0 ? [{ x: s.evaluation[s.best]!, y: s.objective[s.best]!, label: 'best', shape: 'diamond' } as Mark] : [])];
  const dots = (list: number[], name: string, hint: string, k: number) => ({ name, hint, x: list.map((i) => s.evaluation[i]!), y: list.map((i) => s.objective[i]!), style: lineStyle(k), dots: true,
    note: (p: number) => s.factors.slice(0, 5).map((f) => `${f.name} ${valueText(f, f.values[list[p]!]!)}`).join(', ') });
  later(() => new Loop({
    x: { name: 'evaluation', unit: '' }, y: { name: s.name, unit: s.unit }, height: 360, marks,
    legend: [...(bad.length ? [{ shape: 'cross' as const, name: 'violates a bound' }] : []), ...(s.best >= 0 ? [{ shape: 'diamond' as const, name: 'best' }] : [])],
    curves: [{ ...dots(good, 'evaluation', 'evaluations: points that keep all bounds, or violate one', 0), group: 'evaluations' }, { name: 'best so far', hint: 'the best point that keeps all bounds', x, y, style: lineStyle(1), width: 2 },
      ...(bad.length ? [{ ...dots(bad, 'violates a bound', '', 6), group: 'evaluations', beside: far }] : [])],
  }, host));
  return host;
}

/* Whether a value has come to a limit, by its part of the range. */
const at = (value: number, limit: number, range: number): boolean => Math.abs(value - limit) <= 1e-6 * Math.max(range, Math.abs(limit) * 1e-6);

function bestTables(group: Group, s: Search, study: Study | null): HTMLElement[] {
  if (s.best < 0) return [el('p.notice', {}, 'No point keeps all bounds.')];
  const [low, high] = [arrayOf(group, 'bounds.low'), arrayOf(group, 'bounds.high')];
  const state = s.factors.map((f, i) => {
    const v = f.values[s.best]!;
    if (!low || !high || !Number.isFinite(low[i]!) || !Number.isFinite(high[i]!)) return '';
    const range = high[i]! - low[i]!;
    return at(v, low[i]!, range) ? 'at its lower bound' : at(v, high[i]!, range) ? 'at its upper bound' : 'free';
  });
  const text = (f: Axis, v: number | undefined): string => (v === undefined || !Number.isFinite(v) ? '–' : unbroken(valueText(f, v, 5)));
  const factors = sheet('Factors of the best point', 'Factor', s.factors.map((f) => f.name), [
    { head: 'Best', unit: '', texts: s.factors.map((f) => text(f, f.values[s.best])) },
    ...(low && high ? [{ head: 'From', unit: '', texts: s.factors.map((f, i) => text(f, low[i])) }, { head: 'To', unit: '', texts: s.factors.map((f, i) => text(f, high[i])) }, { head: 'Bound', unit: '', texts: state }] : []),
    ...(study?.nominal ? [{ head: 'Nominal', unit: '', texts: s.factors.map((f) => text(f, study.nominal![study.factors.findIndex((k) => k.name === f.name)])) }] : [])]);
  const [below, above] = [arrayOf(group, 'limit.low'), arrayOf(group, 'limit.high')];
  const limited = (r: Axis, i: number): string => {
    const [a, b] = [below?.[i] ?? NaN, above?.[i] ?? NaN];
    const limits = [Number.isFinite(a) ? `at least ${quantity(a, r.unit)}` : '', Number.isFinite(b) ? `at most ${quantity(b, r.unit)}` : ''].filter(Boolean).join(', ');
    if (!limits) return '';
    const v = r.values[s.best]!;
    const close = [a, b].some((limit) => Number.isFinite(limit) && Math.abs(v - limit) <= 1e-3 * Math.abs(limit));
    return `${limits}${close ? ': reached' : ''}`;
  };
  const responses = sheet('Responses of the best point', 'Response', s.responses.map((r) => r.name), [
    { head: 'Meaning', unit: '', texts: s.responses.map((r) => r.long) }, { head: 'Best', unit: '', texts: s.responses.map((r) => text(r, r.values[s.best])) },
    { head: 'Bound', unit: '', texts: s.responses.map(limited) }]);
  return [el('div.beside', {}, factors, responses)];
}

/* A bound on a response of an optimisation. */
export interface Bound {
  response: string;
  unit: string;
  low: number; /* NaN: none */
  high: number;
}

export function boundsOf(group: Group, study: Study | null): Bound[] {
  const [low, high] = [arrayOf(group, 'limit.low'), arrayOf(group, 'limit.high')];
  return readSearch(group, study).responses.map((r, i) => ({ response: r.name, unit: r.unit, low: low?.[i] ?? NaN, high: high?.[i] ?? NaN })).filter((b) => Number.isFinite(b.low) || Number.isFinite(b.high));
}

/* "hub at most 350 N" */
export const boundText = (b: Bound): string => `${b.response} ${[Number.isFinite(b.low) ? `at least ${quantity(b.low, b.unit)}` : '', Number.isFinite(b.high) ? `at most ${quantity(b.high, b.unit)}` : ''].filter(Boolean).join(' and ')}`;

export const breaks = (b: Bound, value: number): boolean => value < b.low - 1e-9 * Math.abs(b.low) || value > b.high + 1e-9 * Math.abs(b.high);

/* The best point in a sentence, with the bounds that it keeps. */
export function optimumWords(group: Group, study: Study): string[] {
  const s = readSearch(group, study);
  const bounds = boundsOf(group, study);
  if (s.best < 0) return [`the optimiser found no point that keeps all bounds${bounds.length ? ` (${bounds.map(boundText).join(', ')})` : ''}`];
  const where = s.factors.slice(0, 6).map((f) => `${f.name} ${valueText(f, f.values[s.best]!)}`).join(', ');
  return [`${s.sign > 0 ? 'smallest' : 'largest'} ${s.name} found by the optimiser${bounds.length ? `, with ${bounds.map(boundText).join(', ')}` : ''}: ${quantity(s.objective[s.best]!, s.unit)} (${where}${s.factors.length > 6 ? ', …' : ''})`];
}

export function optimiseSection(_report: Report, group: Group, study: Study | null): HTMLElement[] {
  const s = readSearch(group, study);
  const n = s.objective.length;
  const failed = Array.from(s.objective).filter((v) => !Number.isFinite(v)).length;
  const bad = Array.from(s.feasible).filter((v) => v !== 1).length;
  const outcome = textOf(group, 'outcome');
  const objective = s.responses.find((r) => r.name === s.name);
  return [
    figureList([
      ...(s.best >= 0 ? [{ name: `${s.sign > 0 ? 'smallest' : 'largest'} ${s.name}`, value: quantity(s.objective[s.best]!, s.unit), at: objective ? axisName(objective).replace(`${s.name}: `, '') : '' }] : []),
      { name: 'evaluations', value: pure(n), at: [bad ? `${plural(bad, 'point')} violate${bad === 1 ? 's' : ''} a bound` : '', failed ? `${failed} failed` : ''].filter(Boolean).join(', ') },
      { name: 'method', value: textOf(group, 'method') || '–', at: '' }]),
    ...(outcome ? [el('p', {}, (s.responses.some((r) => outcome.startsWith(r.name)) ? outcome : outcome.charAt(0).toUpperCase() + outcome.slice(1)) + (/[.!]$/.test(outcome) ? '' : '.'))] : []),
    history(s), ...bestTables(group, s, study),
    ...rest(group),
  ];
}

/* Other texts of the optimiser. */
function rest(group: Group): HTMLElement[] {
  const known = ['method', 'outcome', 'goal', 'runs'];
  const rows = group.texts.filter((t) => !known.includes(t.name) && t.value && t.value.length < 400 && !(t.name === 'starts' && !t.value.trim().includes('\n'))).map((t) => [t.name, t.value]);
  return rows.length ? [textTable(['', ''], rows)] : [];
}
