/* analysis.ts — one analysis of a result: what it came to, its motion and plots, its tables, and folded what is rarely looked for.
 *
 * What drives and kinds of analyses have of their own comes from their registries (drives/registry.ts, analyses/registry.ts). */
import type { Analysis } from './analyses/analysis';
import { analysesOf, kindHas } from './analyses/registry';
import { closure, isBalanceMark } from './audit';
import { channelView, plottable, type ChannelOptions } from './channels';
import { Link } from './chart';
import { contactFigures } from './contacts';
import { cornerMarks, cornerTable, isCorner } from './corners';
import { vectorTables, type ArrayData, type Group, type NumberData, type Report } from './data';
import { el } from './dom';
import type { Interest } from './drives/drive';
import { driveOf, drives, ofDrives } from './drives/registry';
import { isFilm } from './film';
import { mainGroup } from './lead';
import { isAxis, isResponse, peaksOf, responseViews } from './response';
import { sheet } from './sheet';
import { isSpectrum, storedSpectra } from './spectrum';
import { actorOf, stageOf } from './stage_of';
import { extent, figureList, figures, quantity, remark, statistics, technical, writtenArrays, writtenTable } from './tables';

/* Short texts of an analysis, such as the method: for one line. */
export const remarks = (report: Report, group: Group): { name: string; value: string }[] =>
  group.texts.filter((t) => !t.value.includes('\n') && t.value.length <= 80 && !hiddenText(report, group, t.name));

const shownByDrive = (what: 'number' | 'text' | 'array', name: string, report: Report, group: Group): boolean => drives.some((d) => d.shown?.(what, name, report, group));
const shownByAnalysis = (what: 'text' | 'array', name: string, report: Report, group: Group): boolean => analysesOf(report, group).some((a) => a.shown?.(what, name));

/* Texts that are shown in a place of their own. */
const hiddenText = (report: Report, group: Group, name: string): boolean =>
  name === 'corner.label' || isBalanceMark(name) || isFilm(name) || shownByDrive('text', name, report, group) || shownByAnalysis('text', name, report, group);

/* What the analysis has of its own in some respect; of several that know it, the first. */
function own<K extends keyof Analysis>(report: Report, group: Group, what: K): Analysis[K] | undefined {
  return analysesOf(report, group).find((a) => a[what] !== undefined)?.[what];
}

const interestOf = (report: Report, group: Group): Interest | null => drives.reduce<Interest | null>((found, d) => found ?? d.interest?.(report, group) ?? null, null);
const loopOwners = (): string[] => ofDrives((d) => d.loops);

export const running = (group: Group): boolean => group.status !== '' && group.status !== 'complete';

/* What the plots of an analysis and its pictures share: the cursor. */
const links = new WeakMap<Group, Link>();
export function linkOf(group: Group): Link {
  let link = links.get(group);
  if (!link) links.set(group, (link = new Link()));
  return link;
}

const readAsTable = (group: Group): boolean => kindHas(group.kind, (a) => !!a.written) || (group.table?.rows ?? 0) <= 3;
const wholeTable = (group: Group): boolean => readAsTable(group) && (group.table?.rows ?? 0) <= 20;

/* How often something took so many iterations: no figure of the drive. */
const isCount = (name: string): boolean => name.endsWith('.histogram');

/* Such a count, or an axis of nothing but counts. */
const isSolver = (a: ArrayData, all: ArrayData[]): boolean => {
  const users = all.filter((b) => b !== a && b.axes.includes(a.name));
  return isCount(a.name) || (users.length > 0 && users.every((b) => isCount(b.name)));
};

const given = (list: (HTMLElement | null)[]): HTMLElement[] => list.filter((n): n is HTMLElement => n !== null);

/* The largest values of a response and where they are. */
function peaks(report: Report, group: Group): HTMLElement | null {
  if (own(report, group, 'peaks') === false) return null;
  const found = peaksOf(group.arrays.filter((a) => !isSpectrum(a.name) && !isCount(a.name) && !isFilm(a.name) && !shownByDrive('array', a.name, report, group)));
  return found.length ? figureList(found.map((e) => ({ name: `largest ${e.name}`, value: e.largest, at: `at ${e.at}` }))) : null;
}

/* Something long that is made when it is opened. */
export function fold(title: string, make: () => HTMLElement[]): HTMLElement {
  const root = el('details', {}, el('summary', {}, title));
  const fill = (): void => {
    if (!root.dataset['made']) root.append(...make());
    root.dataset['made'] = 'yes';
  };
  root.addEventListener('toggle', fill);
  return root;
}

const otherPlots = (group: Group): HTMLElement[] => (plottable(group.table) && group.table.rows >= 3
  ? [fold('Plots of all channels', () => [channelView(group.table!, { loop: false })])] : []);

/* The motion above the plots: on the stage, or as it is drawn without one. */
function motionOf(report: Report, group: Group): ChannelOptions {
  const link = linkOf(group);
  const first = interestOf(report, group)?.first;
  const drive = driveOf(report);
  const shaft = drive?.shaft?.(report);
  const common: ChannelOptions = { link, loopOwners: loopOwners(), ...(shaft ? { shaft } : {}), orders: drive?.orders?.(report) ?? [], ...(first ? { first } : {}) };
  if (actorOf(report, group))
    return { ...common, ...(first ? {} : { loopOpen: true }), head: (source, of) => el('div', {}, sectionPicture(report, group), ...drives.map((d) => d.motion?.(report, source, of) ?? null)) };
  return common;
}

/* Pictures over something else than the time of the plots have a clock of their own. */
const ownClock = (group: Group): boolean => kindHas(group.kind, (a) => !!a.ownClock);

/* The picture of an analysis, here or for the top of the page. */
export const pictureOf = (report: Report, group: Group, height?: number): HTMLElement | null =>
  stageOf(report, group, ownClock(group) ? new Link() : linkOf(group), height ? { height } : {});

/* In its section: not again what the top of the page shows. */
function sectionPicture(report: Report, group: Group): HTMLElement | null {
  if (group !== mainGroup(report) || !actorOf(report, group)) return pictureOf(report, group);
  return el('p.extent', {}, 'The picture is ', el('a', { href: '#summary' }, 'at the top of this page'), ownClock(group) ? '.' : '; its instant and the cursor of these plots are one.');
}

/* Analyses that are told in words and views of their own. */
function ownView(report: Report, group: Group): HTMLElement[] | null {
  const told = analysesOf(report, group).find((a) => a.view);
  return told ? [...told.view!(report, group), ...(told.channels ? otherPlots(group) : [])] : null;
}

/* Long texts of a group, folded. */
function textViews(report: Report, group: Group): HTMLElement[] {
  const short = remarks(report, group);
  const label = own(report, group, 'textTitle') ?? ((name: string): string => name);
  return group.texts.filter((t) => !short.includes(t) && !hiddenText(report, group, t.name)).map(({ name, value }) =>
    el('details', {}, el('summary', {}, label(name)), el('pre', { tabindex: 0 }, value)));
}

const mostFigures = 12;

/* Many numbers are a table to look something up in. */
const numberFold = (numbers: NumberData[]): HTMLElement => fold(`All ${numbers.length} numbers`, () => [sheet('Numbers', 'Name', numbers.map((n) => n.name), [
  { head: 'Meaning', unit: '', texts: numbers.map((n) => n.long_name) }, { head: 'Value', unit: '', texts: numbers.map((n) => quantity(n.value, n.unit, 6)) }])]);

/* What stands above the plots. */
function opening(report: Report, group: Group): HTMLElement[] {
  const numbers = own(report, group, 'numbers')?.(group) ?? group.numbers.filter((n) => !shownByDrive('number', n.name, report, group));
  const empty = !group.table?.rows && !group.arrays.length && !group.numbers.length && !group.texts.length;
  return given([
    empty ? el('p.hint', {}, 'No values were stored.') : null,
    numbers.length > mostFigures ? numberFold(numbers) : numbers.length ? figures(numbers.filter((n) => !technical(n))) : null,
    peaks(report, group),
    group === mainGroup(report) ? null : contactFigures(group), /* at the top of the page already */
    ...drives.flatMap((d) => d.opening?.(report, group) ?? []),
    ...analysesOf(report, group).flatMap((a) => a.opening?.(report, group) ?? []),
    group.table && group.table.rows > 0 && group.table.columns.length > 1 && wholeTable(group) ? writtenTable(group.table) : null,
  ]);
}

/* Plots of the table, with the motion above them. */
function plots(report: Report, group: Group): HTMLElement[] {
  const table = group.table;
  const told = own(report, group, 'plots');
  if (told) return told(group, { picture: () => sectionPicture(report, group), course: () => motionOf(report, group) });
  if (!plottable(table) || readAsTable(group)) return given([sectionPicture(report, group)]);
  return [channelView(table, { marks: (x, y) => cornerMarks(group, x, y), ...motionOf(report, group) })];
}

/* Arrays, each where it belongs: spectra and responses drawn, the rest written. */
function arraysOf(report: Report, group: Group): HTMLElement[] {
  const corners = cornerTable(group);
  const folded = own(report, group, 'arrays');
  const arrays = group.arrays.filter((a) => !isFilm(a.name) && !isSpectrum(a.name) && !shownByDrive('array', a.name, report, group)).sort(folded?.order ?? (() => 0));
  const undrawn = arrays.filter((a) => !isAxis(a, group.arrays) && !isResponse(a, group.arrays) && !shownByAnalysis('array', a.name, report, group) && !(corners && isCorner(a.name)));
  const { tables, rest } = vectorTables(undrawn);
  const responses = responseViews(arrays.filter((a) => !isSolver(a, arrays) && (isAxis(a, group.arrays) || !shownByAnalysis('array', a.name, report, group))));
  const left = writtenArrays(rest);
  const vectors = own(report, group, 'vectors');
  return given([
    corners, ...storedSpectra(group),
    ...(folded && responses.length ? [fold(folded.drawn, () => responses)] : responses),
    ...(vectors ? vectors(group, linkOf(group)) : tables.filter(plottable).map((t) => channelView(t, { loopOwners: loopOwners() }))),
    ...(folded && left.length ? [fold(folded.written, () => left)] : left),
  ]);
}

/* Statistics and rows: for looking something up. */
function lookUp(report: Report, group: Group): HTMLElement[] {
  const table = group.table;
  if (!table || table.rows < 1 || table.columns.length < 2 || wholeTable(group)) return [];
  const untold = own(report, group, 'statistics') === false;
  const drawn = untold || (plottable(table) && !readAsTable(group));
  const rows = !drawn || table.rows <= 40 ? el('details', { open: !drawn }, el('summary', {}, 'All rows'), writtenTable(table)) : null;
  return given([untold ? null : fold('Statistics of the channels', () => [statistics(table, interestOf(report, group)?.rank)]), rows]);
}

/* How it was computed: for those who look for it. */
function numerics(report: Report, group: Group): HTMLElement | null {
  const all = group.numbers.filter((n) => !shownByDrive('number', n.name, report, group));
  const list = own(report, group, 'ownNumbers') || all.length > mostFigures ? [] : all.filter(technical);
  const counts = own(report, group, 'view') ? [] : group.arrays.filter((a) => isSolver(a, group.arrays));
  if (!list.length && !counts.length) return null;
  return fold('Solver statistics', () => [...(list.length ? [el('p.extent', {}, list.map(remark).join(' · '))] : []), ...responseViews(counts)]);
}

export function analysisBody(report: Report, group: Group): HTMLElement[] {
  const whole = own(report, group, 'body');
  if (whole) return whole(report, group);
  const state = closure(group);
  const view = ownView(report, group);
  const drawn = group.arrays.filter((a) => !shownByAnalysis('array', a.name, report, group));
  const size = view ? [] : [extent({ ...group, arrays: drawn }), ...remarks(report, group).map((t) => `${t.name}: ${t.value}`)].filter(Boolean);
  return given([
    running(group) ? el('p.notice', {}, 'This analysis was not finished.') : null,
    size.length ? el('p.extent', {}, size.join(' · ')) : null,
    ...(view ?? [...opening(report, group), ...plots(report, group), ...drives.flatMap((d) => d.sections?.(report, group) ?? []), ...arraysOf(report, group)]),
    state ? el(state.good ? 'p.extent' : 'p.hint.warn', {}, `The energy balance ${state.text}. `, el('a', { href: '#energy' }, 'Energy')) : null,
    numerics(report, group), ...(view ? [] : lookUp(report, group)), ...textViews(report, group),
  ]);
}
