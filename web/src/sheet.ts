/* sheet.ts — tables that an engineer pastes elsewhere: a caption, aligned numbers in display units, and a button that copies. */
import { largestOf } from './chart';
import { copyText, el, slug } from './dom';
import { saveFile } from './export';
import { aligned, number, pure } from './format';
import { displayUnit, withUnit } from './units';

export interface SheetColumn {
  head: string;
  unit: string; /* SI, as in units.ts */
  values?: ArrayLike<number>;
  texts?: string[]; /* instead of values */
  digits?: number;
  scale?: number; /* decimals as numbers of this size have them; else as the largest of the column */
  percent?: boolean;
  errors?: ArrayLike<number>; /* of the values, as they are; written behind them */
}

/* The cells as they stand, with signs and spaces that spreadsheets read. */
const plain = (text: string): string => text.replace(/−/g, '-').replace(/\u202f/g, '').replace(/\u00a0/g, ' ').replace(/^–$/, '');
export const tabbed = (table: HTMLTableElement): string => [...table.rows]
  .map((row) => [...row.cells].map((c) => plain(c.textContent ?? '')).join('\t')).join('\n');

function copyButton(table: HTMLTableElement): HTMLElement {
  const button = el('button.copy', { type: 'button', title: 'Copy this table, with tabs between the cells' }, 'Copy');
  button.addEventListener('click', () => {
    button.textContent = copyText(tabbed(table)) ? 'Copied' : 'Select and copy by hand';
    button.focus();
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  return button;
}

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
export const commaSeparated = (table: HTMLTableElement): string => `${[...table.rows]
  .map((row) => [...row.cells].map((c) => quoted(plain(c.textContent ?? ''))).join(',')).join('\n')}\n`;

const csvButton = (caption: string, table: HTMLTableElement): HTMLElement => el('button.copy', { type: 'button', title: 'Save this table as CSV',
  click: () => saveFile(`${slug(caption)}.csv`, commaSeparated(table), 'text/csv') }, 'CSV');

export const withCopy = (caption: string, table: HTMLTableElement): HTMLElement => {
  table.setAttribute('aria-label', caption);
  return el('div.sheet', {}, el('div.sheet-head', {}, el('span.sheet-caption', {}, caption), el('span', {}, copyButton(table), csvButton(caption, table))), el('div.scroll', {}, table));
};

interface Written {
  head: string;
  cells: string[];
  n: boolean;
}

const errorText = (error: number): string => (Number.isFinite(error) && error > 0 ? ` ± ${number(error, 2)}` : '');

export function writtenColumn(c: SheetColumn): Written {
  if (c.texts) return { head: c.head, cells: c.texts, n: false };
  const values = Array.from(c.values ?? []);
  const digits = c.digits ?? 4;
  const largest = largestOf([values]);
  const unit = c.percent ? { text: '%', size: 0.01 } : displayUnit(c.unit, largest);
  const whole = !c.unit && !c.percent && values.every((v) => Number.isInteger(v));
  return {
    head: withUnit(c.head, unit),
    cells: values.map((v, i) => (whole ? pure(v) : Number.isFinite(v) ? `${aligned(v / unit.size, (c.scale ?? largest) / unit.size, digits)}${errorText((c.errors?.[i] ?? NaN) / unit.size)}` : number(v))),
    n: true,
  };
}

/* One row a name; `first` is what the names are. */
export function sheet(caption: string, first: string, names: string[], columns: SheetColumn[]): HTMLElement {
  const written = columns.map(writtenColumn);
  return withCopy(caption, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, first), ...written.map((w) => el(w.n ? 'th.n' : 'th', { scope: 'col' }, w.head)))),
    el('tbody', {}, ...names.map((name, i) => el('tr', {}, el('th', { scope: 'row' }, name),
      ...written.map((w) => el(w.n ? 'td.n' : 'td', {}, w.cells[i] ?? '')))))));
}
