/* compare.ts — several results on one page: what differs in their models, their key figures side by side, pictures on one clock,
 * and any curve of one over that of the others. */
import { Link } from './chart';
import { overlays } from './compare_overlay';
import type { Compare, Report, Setting } from './data';
import { el } from './dom';
import { driveName, pageHead, stateBadge } from './head';
import { mainGroup } from './lead';
import { number, plural } from './format';
import type { Section } from './nav';
import type { Page } from './report';
import type { Actor } from './stage';
import { actorOf, stageOf } from './stage_of';
import { withCopy } from './sheet';
import { blocksOf, keyFigures, type KeyFigure } from './summary';
import { quantity } from './tables';
import { lineStyle } from './theme';
import { painted } from './audit';
import { warningsOf } from './warnings';

/* The colour that a result has in every plot of the page. */
const swatch = (i: number): HTMLElement => painted(el('span.key'), lineStyle(i).colour);

const nameCell = (reports: Report[], i: number): HTMLElement => el('th.n', { scope: 'col' }, swatch(i), reports[i]!.file);

/* ---- models --------------------------------------------------------------------------------------------------- */

interface Row {
  path: string;
  values: string[]; /* '–': not there */
  minor?: boolean; /* defaults of keys that not all have */
}

/* Places in lists say little when lists differ: an analysis goes by its kind, a pulley by its name. */
function plainPaths(report: Report): Map<string, Setting> {
  const table = report.settings_table ?? [];
  const names = new Map(table.filter((s) => /\]\.name$/.test(s.path)).map((s) => [s.path.replace(/\.name$/, ''), s.value]));
  const kinds = new Map<string, string>(); /* "analyses[2].transient" -> "transient-2" */
  const counts = new Map<string, number>();
  for (const s of table) {
    const found = /^analyses\[\d+\]\.([^.[]+)/.exec(s.path);
    if (!found || kinds.has(found[0])) continue;
    const n = (counts.get(found[1]!) ?? 0) + 1;
    counts.set(found[1]!, n);
    kinds.set(found[0], n > 1 ? `${found[1]}-${n}` : found[1]!);
  }
  const plain = (path: string): string => {
    const analysis = /^analyses\[\d+\]\.([^.[]+)/.exec(path)?.[0];
    if (analysis) return kinds.get(analysis)! + path.slice(analysis.length);
    const item = /^[^.[]+\[\d+\]/.exec(path)?.[0];
    return item && names.has(item) ? `${item.replace(/\[.*/, '')}.${names.get(item)}${path.slice(item.length)}` : path;
  };
  return new Map(table.map((s) => [plain(s.path), s]));
}

function settingRows(reports: Report[]): Row[] {
  const maps = reports.map(plainPaths);
  const paths = [...new Set(maps.flatMap((m) => [...m.keys()]))];
  return paths.flatMap((path): Row[] => {
    const all = maps.map((m) => m.get(path));
    const [values, numbers] = [all.map((s) => s?.value), all.map((s) => s?.si)];
    /* 1 mm and 0.001 m are the same. */
    if (numbers.every((n) => n !== undefined) ? numbers.every((n) => n === numbers[0]) : values.every((v) => v === values[0])) return [];
    return [{ path, minor: all.every((s) => !s || s.source === 'default'), values: all.map((s) => (s ? (s.source === 'default' ? `${s.value} (default)` : s.value) : '–')) }];
  });
}

/* Without tables of settings: lines of the model that not all have. */
function lineRows(reports: Report[]): Row[] {
  const lines = reports.map((r) => r.model.split('\n').map((l) => l.trimEnd()).filter((l) => l.trim() && !l.trim().startsWith('#')));
  const all = [...new Set(lines.flat())].filter((l) => !lines.every((list) => list.includes(l)));
  return all.map((l) => ({ path: l.trim(), values: lines.map((list) => (list.includes(l) ? 'yes' : '–')) }));
}

function modelsSection(reports: Report[]): Section {
  const tabled = reports.every((r) => r.settings_table?.length);
  const rows = tabled ? settingRows(reports) : lineRows(reports);
  const table = (list: Row[]): HTMLElement => withCopy(tabled ? 'Settings that differ' : 'Lines of the models that differ', el('table.settings', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, tabled ? 'Setting' : 'Line'), ...reports.map((r, i) => el('th', { scope: 'col' }, swatch(i), r.file)))),
    el('tbody', {}, ...list.map((row) => el('tr', {}, el('th', { scope: 'row' }, el('code', {}, row.path)), ...row.values.map((v) => el('td', {}, v)))))));
  const minor = rows.filter((r) => r.minor);
  return { id: 'models', title: 'Models', body: [
    rows.length > minor.length ? table(rows.filter((r) => !r.minor)) : el('p.hint', {}, 'The models agree in all settings that are written in them.'),
    ...(minor.length ? [el('details', {}, el('summary', {}, `${plural(minor.length, 'default')} of keys that not all models have`), table(minor))] : []),
  ] };
}

/* ---- key figures ---------------------------------------------------------------------------------------------- */

const keyOf = (f: KeyFigure): string => `${f.of}\n${f.name}`;

const signed = (text: string, v: number): string => (v > 0 ? `+${text}` : text);

/* "+1.2 N (+0.4 %)" compared with the first; of percentages in percentage points. */
function difference(first: KeyFigure | undefined, other: KeyFigure | undefined): string {
  if (!first || !other || first.value === null || other.value === null || first.unit !== other.unit) return '';
  const off = other.value - first.value;
  if (off === 0) return 'same';
  if (first.unit === '%') return signed(`${number(off, 3)} percentage points`, off);
  const relative = first.value !== 0 && Math.abs(off) < 1e3 * Math.abs(first.value) ? ` (${signed(`${number((100 * off) / Math.abs(first.value), 3)} %`, off)})` : '';
  return signed(quantity(off, first.unit, 3, off), off) + relative;
}

function figureTable(reports: Report[]): HTMLElement {
  const lists = reports.map((r) => keyFigures(r, mainGroup(r)));
  const keys = [...new Set(lists.flat().map(keyOf))];
  const by = lists.map((list) => new Map(list.map((f) => [keyOf(f), f])));
  const any = (key: string): KeyFigure => by.map((m) => m.get(key)).find((f) => f)!;
  const blocks = blocksOf(keys.map(any));
  const n = reports.length;
  const row = (f: KeyFigure): HTMLElement => {
    const cells = by.map((m) => m.get(keyOf(f)));
    return el('tr', {}, el('th', { scope: 'row' }, f.name),
      ...cells.flatMap((c, i) => [el(c?.warn ? 'td.n.warn' : 'td.n', { title: c?.at ?? '' }, c?.text ?? '–'), ...(i > 0 ? [el('td.n.off', {}, difference(cells[0], c))] : [])]));
  };
  return withCopy('Key figures', el('table.compared', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Figure'), ...reports.flatMap((_r, i) => [nameCell(reports, i), ...(i > 0 ? [el('th.n', { scope: 'col' }, 'minus the first')] : [])]))),
    ...blocks.map((b) => el('tbody', {}, el('tr', {}, el('th.block', { scope: 'rowgroup', colspan: 2 * n }, b.title)), ...b.figures.map(row)))));
}

/* ---- the page ------------------------------------------------------------------------------------------------- */

const mostPictures = 4;

/* One scale for what the pictures colour alike, so that a colour is one value on the page. */
function shareColours(actors: Actor[]): void {
  const all = actors.flatMap((a) => a.colours ?? []);
  for (const key of new Set(all.map((c) => `${c.key}\n${c.unit}`))) {
    const alike = all.filter((c) => `${c.key}\n${c.unit}` === key);
    const range: [number, number] = [Math.min(...alike.map((c) => c.range[0])), Math.max(...alike.map((c) => c.range[1]))];
    const diverging = alike.some((c) => c.diverging);
    for (const c of alike) [c.range, c.diverging] = [[...range], diverging];
  }
}

/* Each result moving; one clock for all that move in time. */
function pictures(reports: Report[]): HTMLElement | null {
  const clock = new Link();
  const timed = (r: Report): boolean => ['transient', 'periodic', 'quasistatic'].includes(mainGroup(r)?.kind ?? '');
  const list = reports.map((r, i) => ({ r, i, main: mainGroup(r) })).filter(({ r, main }) => main && actorOf(r, main)).slice(0, mostPictures);
  if (!list.length) return null;
  shareColours(list.map(({ r, main }) => actorOf(r, main!)!));
  const together = list.filter(({ r }) => timed(r)).map(({ r, main }) => actorOf(r, main!)!.abscissa.values);
  /* All begin at one instant that all of them have. */
  const [low, high] = [Math.max(...together.map((v) => v[0]!)), Math.min(...together.map((v) => v[v.length - 1]!))];
  if (together.length > 1 && high > low) requestAnimationFrame(() => clock.lead((low + high) / 2));
  return el('div.side-by-side', {}, ...list.map(({ r, i, main }) => el('div', {}, el('h3', {}, swatch(i), r.file), stageOf(r, main!, timed(r) ? clock : new Link(), { height: 440, compact: list.length > 1 }))));
}

/* Results of one drive can be compared by their figures; others only where names agree. */
function notesOf(reports: Report[]): string[] {
  const drives = [...new Set(reports.map((r) => r.drive))];
  const versions = [...new Set(reports.map((r) => r.capstan_version + r.git_hash))];
  const open = reports.filter((r) => !r.complete).map((r) => r.file);
  return [
    ...(drives.length > 1 ? [`These are different drives (${drives.map(driveName).join(', ')}): figures and curves are compared where their names agree.`] : []),
    ...(versions.length > 1 ? ['They were computed by different versions of Capstan.'] : []),
    ...(open.length ? [`Not complete: ${open.join(', ')}.`] : []),
    ...reports.flatMap((r) => warningsOf(r, () => undefined).filter((w) => w.grave).map((w) => `${r.file}: ${w.text}`)),
  ];
}

function overview(reports: Report[]): HTMLElement {
  return el('div.scroll', {}, el('table', { 'aria-label': 'Results' },
    el('thead', {}, el('tr', {}, ...['Result', 'Name', 'Drive', 'Analyses', 'State'].map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, ...reports.map((r, i) => el('tr', {}, el('th', { scope: 'row' }, swatch(i), r.file), el('td', {}, r.name), el('td', {}, driveName(r.drive)),
      el('td', {}, r.groups.filter((g) => !['layout', 'scene', 'point'].includes(g.kind)).map((g) => g.name).join(', ')), el('td', {}, stateBadge(r)))))));
}

export function comparePage(data: Compare): Page {
  const { reports } = data;
  const notes = notesOf(reports);
  const picture = pictures(reports);
  const curves = overlays(reports);
  return {
    title: reports.map((r) => r.file).join(', '),
    head: pageHead('Comparison', [plural(reports.length, 'result'), `Capstan ${data.capstan_version}`]),
    sections: [
      { id: 'summary', title: 'Results', body: [overview(reports),
        ...(notes.length ? [el('div.warnings', { role: 'group', 'aria-label': 'Warnings' }, el('ul', {}, ...notes.map((t) => el('li.grave', {}, t))))] : []), figureTable(reports)] },
      ...(picture ? [{ id: 'motion', title: 'Motion', body: [picture] }] : []),
      modelsSection(reports),
      ...curves,
    ],
  };
}
