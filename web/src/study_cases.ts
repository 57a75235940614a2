/* study_cases.ts — cases in a table that sorts and filters, each with the command that shows its run; and those that failed. */
import { copyText, el } from './dom';
import { csvText, saveFile } from './export';
import { count, pure } from './format';
import { sheet, tabbed } from './sheet';
import { runCommand, statusNames, valueText, type Axis, type Study } from './study_data';
import { writtenColumnOf } from './tables';

interface Col {
  head: string;
  value: (i: number) => number;
  text: (i: number) => string;
}

function columnsOf(study: Study): Col[] {
  const of = (a: Axis): Col => {
    if (a.labels) return { head: a.name, value: (i) => a.values[i]!, text: (i) => valueText(a, a.values[i]!) };
    const { head, write } = writtenColumnOf({ name: a.name, unit: a.unit, long_name: a.name, values: a.values });
    return { head, value: (i) => a.values[i]!, text: (i) => write(a.values[i]!) };
  };
  return [...study.factors, ...study.responses, ...study.others].map(of);
}

const shownAtOnce = 100;
const mostFailures = 200;

/* "speed > 1000": numbers as they stand in the table; other words are looked for in the row. */
function matcher(columns: Pick<Col, 'head' | 'text'>[], text: string): (i: number, words: string) => boolean {
  const terms = text.split(/[,;&]|\band\b/).map((t) => t.trim()).filter(Boolean).map((term) => {
    const rule = /^(.+?)\s*(<=|>=|<|>|=)\s*(.+)$/.exec(term);
    const column = rule && columns.find((c) => c.head.toLowerCase().startsWith(rule[1]!.toLowerCase()));
    return { term: term.toLowerCase(), rule, column, limit: rule ? Number(rule[3]) : NaN };
  });
  return (i, words) => terms.every(({ term, rule, column, limit }) => {
    if (!rule || !column) return words.includes(term);
    const said = column.text(i);
    if (Number.isNaN(limit)) return rule[2] === '=' && said.toLowerCase() === rule[3]!.toLowerCase();
    const value = Number(said.replace('−', '-').replace(/\u202f/g, ''));
    return rule[2] === '<' ? value < limit : rule[2] === '>' ? value > limit : rule[2] === '<=' ? value <= limit : rule[2] === '>=' ? value >= limit : value === limit;
  });
}

/* What is asked of a study's cases: a box for it, and the rows that it leaves. */
export class CaseFilter {
  readonly box: HTMLInputElement;
  private columns: Pick<Col, 'head' | 'text'>[];
  private labelled: Axis[];

  constructor(private study: Study, label: string, changed: () => void) {
    const example = study.responses[0]?.name ?? study.factors[0]?.name ?? 'case';
    this.columns = [...columnsOf(study), { head: 'case', text: (i) => String(study.cases[i]) }];
    this.labelled = study.factors.filter((a) => a.labels);
    this.box = el('input', { type: 'search', placeholder: `Filter: ${example} > 10, failed, …`, 'aria-label': label, autocomplete: 'off', spellcheck: 'false', size: 32 });
    this.box.addEventListener('input', changed);
  }

  private words(i: number): string {
    const { cases, status, runs, reasons } = this.study;
    return `${cases[i]} ${statusNames[status[i]!]} ${runs[i] ?? ''} ${reasons.get(cases[i]!) ?? ''} ${this.labelled.map((a) => valueText(a, a.values[i]!)).join(' ')}`.toLowerCase();
  }

  leave(rows: number[]): number[] {
    if (!this.box.value.trim()) return [...rows];
    const fits = matcher(this.columns, this.box.value);
    return rows.filter((i) => fits(i, this.words(i)));
  }
}

/* The case of a point in a plot, in the table of all cases. */
export function lookUp(id: string, number: number): void {
  const box = document.querySelector<HTMLInputElement>(`#${CSS.escape(id)} input[type=search]`);
  if (!box) return;
  box.value = `case = ${number}`;
  box.dispatchEvent(new Event('input'));
  document.getElementById(id)!.scrollIntoView();
  box.focus({ preventScroll: true });
}

function runCell(study: Study, i: number): HTMLElement {
  const command = runCommand(study, i);
  if (!command) return el('td.run', {}, '–');
  const button = el('button.copy', { type: 'button', title: command, 'aria-label': `Copy command: ${command}` }, 'Copy command');
  button.addEventListener('click', () => {
    button.textContent = copyText(command) ? 'Copied' : command;
    button.focus();
    setTimeout(() => (button.textContent = 'Copy command'), 1500);
  });
  return el('td.run', {}, button);
}

export interface CaseOptions {
  rows?: number[]; /* only these */
  caption?: string;
  by?: Axis; /* sorted by this at first */
}

export function caseTable(study: Study, title: string, options: CaseOptions = {}): HTMLElement[] {
  const columns = columnsOf(study);
  const axes = [...study.factors, ...study.responses, ...study.others];
  const main = axes.length - study.others.length; /* what the run cost stands last */
  const all = options.rows ?? study.cases.map((_c, i) => i);
  let by = options.by ? axes.indexOf(options.by) : -1; /* -1: as stored */
  let down = false;
  let most = shownAtOnce;
  const filter = new CaseFilter(study, `Filter ${options.caption ?? 'cases'}`, () => ((most = shownAtOnce), show()));
  const said = el('output.term');
  const cutAt = el('span');
  const rest = el('p.extent', {}, cutAt, el('button.quiet', { type: 'button', click: () => ((most += 5 * shownAtOnce), show()) }, 'Show more')); /* on paper too */
  const body = el('tbody');
  const heads: HTMLElement[] = [];
  const head = (text: string, k: number, n: boolean): HTMLElement => {
    const th = el(n ? 'th.n.sortable' : 'th.sortable', { scope: 'col', 'aria-sort': k === by && k >= 0 ? 'ascending' : 'none' }, el('button.sort', { type: 'button', click: () => {
      [by, down] = by === k ? [k, !down] : [k, false];
      heads.forEach((h) => h.setAttribute('aria-sort', 'none'));
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      show();
    } }, text));
    heads.push(th);
    return th;
  };
  const table = el('table.cases', { 'aria-label': options.caption ?? 'Cases' }, el('thead', {}, el('tr', {}, head('Case', -1, false), ...columns.slice(0, main).map((c, k) => head(c.head, k, !axes[k]!.labels)), head('State', -2, false), el('th.run', { scope: 'col' }, 'Run'), ...columns.slice(main).map((c, k) => head(c.head, main + k, true)))), body);
  const value = (i: number): number => (by === -1 ? study.cases[i]! : by === -2 ? study.status[i]! : columns[by]!.value(i));
  const rowOf = (i: number): HTMLElement => el('tr', {}, el('th', { scope: 'row' }, String(study.cases[i])), ...columns.slice(0, main).map((c, k) => el(axes[k]!.labels ? 'td' : 'td.n', {}, c.text(i))),
    el(study.status[i] ? 'td.warn' : 'td', {}, statusNames[study.status[i]!] ?? '–'), runCell(study, i), ...columns.slice(main).map((c) => el('td.n', {}, c.text(i))));
  function kept(): number[] {
    const rows = filter.leave(all);
    const far = (v: number): number => (Number.isFinite(v) ? v : down ? -Infinity : Infinity); /* what is not known comes last */
    return rows.sort((a, b) => {
      const [p, q] = [far(value(a)), far(value(b))];
      return p === q ? a - b : down ? (q > p ? 1 : -1) : p > q ? 1 : -1;
    });
  }
  function show(): void {
    const rows = kept();
    said.textContent = `${count(rows.length)} of ${count(all.length)} cases`;
    rest.hidden = rows.length <= most;
    cutAt.textContent = `The first ${count(most)} of ${count(rows.length)}. `;
    body.replaceChildren(...rows.slice(0, most).map(rowOf));
  }
  show();
  const save = (): void => {
    const rows = kept();
    saveFile('study.csv', csvText({ notes: [title, ...(rows.length < study.total ? [`${rows.length} of ${study.total} cases`] : [])], columns: [
      { name: 'case', values: rows.map((i) => String(study.cases[i])) },
      ...axes.map((a) => (a.labels ? { name: a.name, values: rows.map((i) => valueText(a, a.values[i]!)) } : { name: a.name, unit: a.unit, values: a.values instanceof Float32Array ? Float32Array.from(rows, (i) => a.values[i]!) : rows.map((i) => a.values[i]!) })),
      { name: 'state', values: rows.map((i) => statusNames[study.status[i]!] ?? '') }, { name: 'run', values: rows.map((i) => study.runs[i] ?? '') }] }), 'text/csv');
  };
  const copy = el('button.quiet', { type: 'button' }, 'Copy');
  copy.addEventListener('click', () => void (copy.textContent = copyText(tabbed(table)) ? 'Copied' : 'Select and copy by hand'));
  return [el('div.toolbar', {}, filter.box, said, copy, el('button.quiet', { type: 'button', click: save }, 'CSV')), el('div.scroll.tall', {}, table), rest];
}

/* Reasons that many cases share stand once. */
export function failures(study: Study): HTMLElement[] {
  const rows = study.cases.map((_c, i) => i).filter((i) => study.status[i] !== 0);
  if (!rows.length) return [];
  const reason = (i: number): string => study.reasons.get(study.cases[i]!) ?? (study.status[i] === 2 ? 'not run' : 'no reason given');
  const kinds = new Map<string, number>();
  for (const i of rows) kinds.set(reason(i), (kinds.get(reason(i)) ?? 0) + 1);
  const shown = rows.slice(0, mostFailures);
  return [
    ...(rows.length > 5 && kinds.size < rows.length ? [sheet('Reasons', 'Reason', [...kinds.keys()], [{ head: 'Cases', unit: '', values: [...kinds.values()] }])] : []),
    sheet('Cases without a result', 'Case', shown.map((i) => String(study.cases[i])), [
      { head: 'State', unit: '', texts: shown.map((i) => statusNames[study.status[i]!] ?? '–') },
      { head: 'Reason', unit: '', texts: shown.map(reason) },
      ...study.factors.map((f) => (f.labels ? { head: f.name, unit: '', texts: shown.map((i) => valueText(f, f.values[i]!)) } : { head: f.name, unit: f.unit, values: shown.map((i) => f.values[i]!) }))]),
    ...(rows.length > mostFailures ? [el('p.hint', {}, `The first ${mostFailures} of ${pure(rows.length)}; the filters "failed" and "missing" of the table of cases list all of them.`)] : []),
  ];
}
