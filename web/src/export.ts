/* export.ts — from each plot of a report: the drawing as SVG or PNG, and the values that it shows as CSV. */
import { copyText, el, slug } from './dom';
import { count } from './format';
import type { Values } from './data';
import { popMenu } from './menu';
import { pngFile, svgFile, type Drawing, type Key } from './export_svg';
import { storedUnit } from './units';

export interface CsvColumn {
  name: string;
  unit?: string; /* as in units.ts; absent for texts */
  values: Values | string[];
}

export interface CsvTable {
  notes: string[]; /* above the columns, each a line that begins with "#" */
  columns: CsvColumn[]; /* shorter ones end with empty cells */
}

/* What a plot gives away. */
export interface Source {
  title(): string;
  caption?: string; /* what else is said of it */
  drawing(): Drawing;
  keys(): Key[]; /* of the legend */
  table?(): CsvTable;
}

const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

/* All digits that the number has: reading them gives the same bits, of 32 where the page has 32. */
function exact(value: number, single: boolean): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0';
  if (!single) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

const cell = (c: CsvColumn, i: number): string => {
  if (i >= c.values.length) return '';
  const v = c.values[i]!;
  return typeof v === 'string' ? quoted(v) : exact(v, c.values instanceof Float32Array);
};

/* Heads as `capstan export --csv` writes them: "tension [N]", pure numbers "[1]". */
const head = (c: CsvColumn): string => quoted(c.unit === undefined ? c.name : `${c.name} [${storedUnit(c.unit) || '1'}]`);

export function csvText(table: CsvTable): string {
  const rows = Math.max(0, ...table.columns.map((c) => c.values.length));
  const single = table.columns.some((c) => c.values instanceof Float32Array);
  const notes = single ? [...table.notes, 'values of the page have 32 bits, about 7 digits; the result file has 64'] : table.notes;
  const lines = notes.map((n) => `# ${n.replace(/\u202f/g, '').replace(/\s+/g, ' ')}`);
  lines.push(table.columns.map(head).join(','));
  for (let i = 0; i < rows; i++) lines.push(table.columns.map((c) => cell(c, i)).join(','));
  return `${lines.join('\n')}\n`;
}

/* A part of rows, of the same kind. */
export const rowsOf = (values: Values, first: number, last: number): Values =>
  values instanceof Float64Array || values instanceof Float32Array ? values.subarray(first, last) : Array.prototype.slice.call(values, first, last) as number[];

export const rowsText = (first: number, last: number, all: number): string =>
  first === 0 && last === all ? `all ${count(all)} rows of the plot` : `rows ${count(first + 1)} to ${count(last)} of the ${count(all)} of the plot: those in its window`;

export function saveFile(name: string, content: Blob | string, type = 'text/plain'): void {
  const url = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content);
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* "six-pulley-drive-transient-tension-over-time", of the report, the section and the plot. */
function fileName(menu: HTMLElement, title: string): string {
  const section = menu.closest('section.part')?.id;
  const short = (text: string, most: number): string => slug(text).slice(0, most).replace(/-$/, '');
  return [short(document.title, 50), section, short(title, 60)].filter(Boolean).join('-');
}

const icon = 'M8 2v8M4.5 6.8 8 10.3l3.5-3.5M2.5 13.5h11';

function downloadIcon(): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const root = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  root.setAttribute('viewBox', '0 0 16 16');
  root.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', icon);
  root.append(path);
  return root;
}

/* A small button that unfolds what can be saved. */
export function exportMenu(source: Source): HTMLElement {
  /* Not how to use the page. */
  const said = (source.caption ?? '').split('. ').filter((s) => !/^(Point|Drag|Click|Double-click) /.test(s)).join('. ');
  const name = (ending: string): string => `${fileName(menu.root, source.title())}.${ending}`;
  const svg = (): string => svgFile(source.title(), source.drawing(), source.keys(), said);
  const csv = (): string => {
    const table = source.table!();
    return csvText({ ...table, notes: [document.title, source.title(), ...(said ? [said] : []), ...table.notes, 'units are SI, as in the result file'] });
  };
  const menu = popMenu('export', downloadIcon(), `Save or copy this plot: ${source.title()}`, () => [
    { text: 'SVG drawing', act: () => saveFile(name('svg'), svg(), 'image/svg+xml') },
    { text: 'PNG picture', act: async () => saveFile(name('png'), await pngFile(svg())) },
    ...(source.table ? [
      { text: 'CSV of the values', act: () => saveFile(name('csv'), csv(), 'text/csv') },
      { text: 'Copy the CSV', act: () => void (menu.told.textContent = copyText(csv()) ? 'Copied' : 'Select and copy by hand'), stays: true },
    ] : []),
  ]);
  return menu.root;
}
