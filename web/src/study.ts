/* study.ts — the page of a study: what was varied and what came of it, responses over parameters, sensitivities, every case in a
 * table that sorts and filters, with links to their runs, and the cases that failed with their reasons. */
import type { Group, Report } from './data';
import { copyText, el } from './dom';
import { csvText, saveFile } from './export';
import { pure } from './format';
import type { Section } from './nav';
import { sheet, tabbed } from './sheet';
import { axesView, factorTiles, sensitivityView } from './study_plots';
import { isStudy, readStudy, runLink, statusNames, type Axis, type Study } from './study_data';
import { quantity, writtenColumnOf } from './tables';

export { isStudy } from './study_data';

const finite = (study: Study, a: Axis): number[] => Array.from(a.values).filter((v, i) => Number.isFinite(v) && study.status[i] === 0);

function overview(study: Study): HTMLElement[] {
  const n = (k: number): number => study.status.filter((s) => s === k).length;
  const figures: [string, string, string][] = [['cases', pure(study.cases.length), study.design], ['fine', pure(n(0)), ''],
    ...(n(1) ? [['failed', pure(n(1)), 'see below'] as [string, string, string]] : []), ...(n(2) ? [['missing', pure(n(2)), 'not run yet'] as [string, string, string]] : []),
    ['factors', pure(study.factors.length), study.factors.map((f) => f.name).join(', ')], ['responses', pure(study.responses.length), study.responses.map((f) => f.name).join(', ')]];
  const range = (a: Axis): string => {
    const v = finite(study, a);
    return v.length ? `${quantity(Math.min(...v), a.unit, 4, Math.max(...v))} … ${quantity(Math.max(...v), a.unit)}` : '–';
  };
  const mean = (a: Axis): string => {
    const v = finite(study, a);
    return v.length ? quantity(v.reduce((p, q) => p + q, 0) / v.length, a.unit) : '–';
  };
  const list = [...study.factors.map((a) => ({ a, kind: 'factor' })), ...study.responses.map((a) => ({ a, kind: 'response' }))];
  return [
    el('dl.key-figures', {}, ...figures.map(([name, text, at]) => el(name === 'failed' ? 'div.warned' : 'div', {}, el('dt', {}, name), el('dd', {}, text), at ? el('dd.figure-at', {}, at) : null))),
    sheet('Factors and responses', 'Name', list.map(({ a }) => a.name), [
      { head: 'Kind', unit: '', texts: list.map(({ kind }) => kind) }, { head: 'Meaning', unit: '', texts: list.map(({ a }) => a.long) },
      { head: 'Range', unit: '', texts: list.map(({ a }) => range(a)) }, { head: 'Mean', unit: '', texts: list.map(({ a }) => mean(a)) }]),
  ];
}

/* ---- the table of cases ------------------------------------------------------------------------------------------ */

interface Col {
  head: string;
  value: (i: number) => number;
  text: (i: number) => string;
}

function columnsOf(study: Study): Col[] {
  const of = (a: Axis): Col => {
    const { head, write } = writtenColumnOf({ name: a.name, unit: a.unit, long_name: a.name, values: a.values });
    return { head, value: (i) => a.values[i]!, text: (i) => write(a.values[i]!) };
  };
  return [...study.factors, ...study.responses, ...study.others].map(of);
}

const shownAtOnce = 500;

/* "speed > 1000": numbers as they stand in the table; other words are looked for in the row. */
function matcher(columns: Col[], text: string): (i: number, words: string) => boolean {
  const terms = text.split(/[,;&]|\band\b/).map((t) => t.trim()).filter(Boolean);
  return (i, words) => terms.every((term) => {
    const rule = /^(.+?)\s*(<=|>=|<|>|=)\s*(-?[\d.]+(?:e-?\d+)?)$/i.exec(term);
    const column = rule && columns.find((c) => c.head.toLowerCase().startsWith(rule[1]!.toLowerCase()));
    if (!rule || !column) return words.includes(term.toLowerCase());
    const [value, limit] = [Number(column.text(i).replace('−', '-').replace(/\u202f/g, '')), Number(rule[3])];
    return rule[2] === '<' ? value < limit : rule[2] === '>' ? value > limit : rule[2] === '<=' ? value <= limit : rule[2] === '>=' ? value >= limit : value === limit;
  });
}

function caseTable(study: Study, title: string): HTMLElement[] {
  const columns = columnsOf(study);
  let [by, down] = [-1, false]; /* -1: as stored */
  const search = el('input', { type: 'search', placeholder: 'Filter: speed > 1000, failed, …', 'aria-label': 'Filter cases', autocomplete: 'off', spellcheck: 'false', size: 32 });
  const told = el('output.term');
  const body = el('tbody');
  const heads: HTMLElement[] = [];
  const head = (text: string, k: number, n: boolean): HTMLElement => {
    const th = el(n ? 'th.n.sortable' : 'th.sortable', { scope: 'col', 'aria-sort': 'none' }, el('button.sort', { type: 'button', click: () => {
      [by, down] = by === k ? [k, !down] : [k, false];
      heads.forEach((h) => h.setAttribute('aria-sort', 'none'));
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      show();
    } }, text));
    heads.push(th);
    return th;
  };
  const table = el('table', { 'aria-label': 'Cases' }, el('thead', {}, el('tr', {}, head('Case', -1, false), ...columns.map((c, k) => head(c.head, k, true)), head('State', -2, false), el('th', { scope: 'col' }, 'Run'))), body);
  const value = (i: number): number => (by === -1 ? study.cases[i]! : by === -2 ? study.status[i]! : columns[by]!.value(i));
  const rowOf = (i: number): HTMLElement => {
    const link = runLink(study, i);
    return el('tr', {}, el('th', { scope: 'row' }, String(study.cases[i])), ...columns.map((c) => el('td.n', {}, c.text(i))),
      el(study.status[i] ? 'td.warn' : 'td', {}, statusNames[study.status[i]!] ?? '–'), el('td', {}, link ? el('a', { href: link }, 'report') : study.runs[i] ?? '–'));
  };
  function show(): void {
    const fits = matcher(columns, search.value);
    const rows = study.cases.map((_c, i) => i).filter((i) => fits(i, `${study.cases[i]} ${statusNames[study.status[i]!]} ${study.runs[i] ?? ''} ${study.reasons.get(study.cases[i]!) ?? ''}`.toLowerCase()));
    const far = (v: number): number => (Number.isFinite(v) ? v : down ? -Infinity : Infinity); /* what is not known comes last */
    rows.sort((a, b) => (down ? far(value(b)) - far(value(a)) : far(value(a)) - far(value(b))) || a - b);
    told.textContent = `${rows.length} of ${study.cases.length} cases${rows.length > shownAtOnce ? `, the first ${shownAtOnce} shown` : ''}`;
    body.replaceChildren(...rows.slice(0, shownAtOnce).map(rowOf));
  }
  search.addEventListener('input', show);
  show();
  const save = (): void => saveFile('study.csv', csvText({ notes: [title], columns: [
    { name: 'case', values: study.cases.map(String) }, ...[...study.factors, ...study.responses, ...study.others].map((a) => ({ name: a.name, unit: a.unit, values: a.values })),
    { name: 'state', values: study.status.map((s) => statusNames[s] ?? '') }, { name: 'run', values: study.cases.map((_c, i) => study.runs[i] ?? '') }] }), 'text/csv');
  const copy = el('button.quiet', { type: 'button' }, 'Copy');
  copy.addEventListener('click', () => void (copy.textContent = copyText(tabbed(table)) ? 'Copied' : 'Select and copy by hand'));
  return [el('div.toolbar', {}, search, told, copy, el('button.quiet', { type: 'button', click: save }, 'CSV of all cases')), el('div.scroll', {}, table)];
}

function failures(study: Study): HTMLElement[] {
  const rows = study.cases.map((_c, i) => i).filter((i) => study.status[i] !== 0);
  if (!rows.length) return [];
  return [sheet('Cases without a result', 'Case', rows.map((i) => String(study.cases[i])), [
    { head: 'State', unit: '', texts: rows.map((i) => statusNames[study.status[i]!] ?? '–') },
    { head: 'Reason', unit: '', texts: rows.map((i) => study.reasons.get(study.cases[i]!) ?? (study.status[i] === 2 ? 'not run' : 'not told')) },
    ...study.factors.map((f) => ({ head: f.name, unit: f.unit, values: rows.map((i) => f.values[i]!) }))])];
}

export function studySections(report: Report, group: Group): Section[] {
  if (!isStudy(group)) return [];
  const study = readStudy(group);
  const many = report.groups.filter(isStudy).length > 1;
  const id = (name: string): string => (many ? `${group.name}-${name}` : name);
  const sensitivity = sensitivityView(study);
  const failed = failures(study);
  const axes = axesView(study);
  return [
    { id: id('study'), title: group.title || 'Study', link: 'Study', body: [...overview(study), ...(failed.length ? [el('p', {}, el('a', { href: `#${id('failed')}` }, 'Cases without a result and their reasons'))] : [])] },
    ...(axes.length ? [{ id: id('responses'), title: 'Responses over parameters', link: 'Responses', body: [...axes, ...factorTiles(study)] }] : []),
    ...(sensitivity.length ? [{ id: id('sensitivities'), title: `Sensitivities${study.sensitivityKind ? `: ${study.sensitivityKind}` : ''}`, link: 'Sensitivities', body: [el('div.beside', {}, ...sensitivity)] }] : []),
    { id: id('cases'), title: 'Cases', body: caseTable(study, report.name) },
    ...(failed.length ? [{ id: id('failed'), title: 'Failed and missing cases', link: 'Failed', body: failed }] : []),
  ];
}
