/* analysis.ts — one analysis of a result: what it came to, its motion and plots, its tables, and folded what is rarely looked for. */
import { basinExtent, basinSummary, basinView, isBasins } from './analyses/basins';
import { closure } from './audit';
import { backboneSummary, backboneView, isBackbone, isModeText } from './analyses/backbone';
import { layoutOf } from './drives/accessory/belt';
import { beltStatics, isBeltStatics } from './drives/accessory/belt_statics';
import { beltRank, firstOfBelt, isWatch, watchSheets } from './drives/accessory/belt_motion';
import { campbellSummary, campbellView, isCampbell } from './drives/accessory/campbell';
import { channelView, plottable, type ChannelOptions } from './channels';
import { Link } from './chart';
import { contactFigures } from './contacts';
import { convergenceSummary, convergenceView, isConvergence, isConvergenceText } from './drives/bodies/convergence';
import { cornerMarks, cornerTable, isCorner } from './corners';
import { vectorTables, type Group, type NumberData, type Report } from './data';
import { el } from './dom';
import { branchSummary } from './analyses/branch_table';
import { isBranches, isBranchText, readBranches } from './analyses/branch_data';
import { branchView } from './analyses/branches';
import { isFilm } from './film';
import { fitSummary, fitView, isFit, isFitText } from './analyses/fit';
import { foldsSummary, foldsView, isCurveText, isFolds } from './analyses/folds';
import { correlations, fitOverTime, identification, isCorrelation, isIdentification, loopOverlay, otherNumbers } from './analyses/identify';
import { isLaw, lawView } from './analyses/law';
import { mainGroup } from './lead';
import { isLife, lifeSummary, lifeView } from './drives/accessory/life';
import { isModes, modes, modesStage, shownByModes } from './analyses/modes';
import { isOrders, ordersSummary, ordersView } from './drives/accessory/orders';
import { pathView } from './paths';
import { isAxis, isResponse, peaksOf, responseViews } from './response';
import { isSpectrum, storedSpectra } from './spectrum';
import { sheet } from './sheet';
import { actorOf, stageOf } from './stage_of';
import { isStationary, isStationaryVariator, stationaryRank, stationaryTable } from './drives/pushbelt/stationary';
import { stationaryCourse, stationaryFigures } from './drives/pushbelt/stationary_figures';
import { firstOfVariator, isVariator, isVariatorName, variatorBody, variatorRank } from './drives/pushbelt/variator';
import { extent, figureList, figures, quantity, remark, statistics, technical, writtenArrays, writtenTable } from './tables';

/* Short texts of an analysis, such as the method: for one line. */
export const remarks = (group: Group): { name: string; value: string }[] =>
  group.texts.filter((t) => !t.value.includes('\n') && t.value.length <= 80 && !hiddenText(group, t.name));

/* Texts that are shown in a place of their own. */
const hiddenText = (group: Group, name: string): boolean => name === 'corner.label' || isFilm(name) || (isCampbell(group) && name === 'unknowns') || (isVariator(group) && isVariatorName(name)) || (isBranches(group) && isBranchText(name)) ||
  (isBackbone(group) && isModeText(name)) || (isFolds(group) && isCurveText(name)) || (isFit(group) && isFitText(name)) || (isStationary(group) && (name === 'points' || name === 'continuum')) ||
  (isConvergence(group) && isConvergenceText(name)) || (isModes(group) && shownByModes(name)) || (isIdentification(group) && /^best$|\.refusal$/.test(name));

export const running = (group: Group): boolean => group.status !== '' && group.status !== 'complete';

/* What the plots of an analysis and its pictures share: the cursor. */
const links = new WeakMap<Group, Link>();
export function linkOf(group: Group): Link {
  let link = links.get(group);
  if (!link) links.set(group, (link = new Link()));
  return link;
}

const readAsTable = (group: Group): boolean => group.kind === 'modes' || (group.table?.rows ?? 0) <= 3;
const wholeTable = (group: Group): boolean => readAsTable(group) && (group.table?.rows ?? 0) <= 20;

/* How often something took so many iterations: no figure of the drive. */
const isCount = (name: string): boolean => name.endsWith('.histogram');

const given = (list: (HTMLElement | null)[]): HTMLElement[] => list.filter((n): n is HTMLElement => n !== null);

/* The largest values of a response and where they are. */
function peaks(group: Group): HTMLElement | null {
  if (isStationary(group)) return null; /* a table below the figures */
  const found = peaksOf(group.arrays.filter((a) => !isSpectrum(a.name) && !isCount(a.name) && !isFilm(a.name) && !(isVariator(group) && isVariatorName(a.name))));
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
  const first = layoutOf(report.groups) ? firstOfBelt : isVariator(group) || isStationaryVariator(group) ? firstOfVariator : undefined;
  const common: ChannelOptions = { link, ...(first ? { first } : {}) };
  const rolling = report.drive === 'rolling-body';
  if (actorOf(report, group))
    return { ...common, ...(first ? {} : { loopOpen: true }), head: (source, of) => el('div', {}, sectionPicture(report, group), rolling ? pathView(source, of) : null) };
  return common;
}

/* Pictures over something else than the time of the plots have a clock of their own. */
const ownClock = (group: Group): boolean => ['stationary', 'tracking', 'tracking-profiles', 'point', 'modes', 'statics'].includes(group.kind);

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
  const layout = layoutOf(report.groups);
  if (isBeltStatics(group, layout)) return [beltStatics(group, layout).summary(), ...beltStatics(group, layout).tables(), ...otherPlots(group)];
  if (isOrders(group)) return [ordersSummary(group), ...ordersView(group), ...otherPlots(group)];
  if (isFit(group)) return [fitSummary(group), ...fitView(group), ...otherPlots(group)];
  if (isLife(group)) return [lifeSummary(group), ...lifeView(group), ...otherPlots(group)];
  if (isCampbell(group)) return [campbellSummary(group), ...campbellView(group, layout), ...otherPlots(group)];
  if (isBasins(group)) return [el('p.extent', {}, basinExtent(group)), basinSummary(group), basinView(group)];
  if (isBackbone(group)) return [backboneSummary(group), backboneView(group)];
  if (isConvergence(group)) return [convergenceSummary(group), ...convergenceView(group)];
  if (isFolds(group)) return [foldsSummary(group), foldsView(group)];
  if (!isBranches(group)) return null;
  const set = readBranches(group);
  return [branchSummary(group, set), branchView(group, set, report.groups)];
}

/* Long texts of a group, folded. */
function textViews(group: Group): HTMLElement[] {
  const short = remarks(group);
  const label = (name: string): string =>
    isIdentification(group) ? name.replace(/^(.*)\.model$/, 'The law $1, to paste into a model file') : name;
  return group.texts.filter((t) => !short.includes(t) && !hiddenText(group, t.name)).map(({ name, value }) =>
    el('details', {}, el('summary', {}, label(name)), el('pre', { tabindex: 0 }, value)));
}

const mostFigures = 12;

/* Many numbers are a table to look something up in. */
const numberFold = (numbers: NumberData[]): HTMLElement => fold(`All ${numbers.length} numbers`, () => [sheet('Numbers', 'Name', numbers.map((n) => n.name), [
  { head: 'Meaning', unit: '', texts: numbers.map((n) => n.long_name) }, { head: 'Value', unit: '', texts: numbers.map((n) => quantity(n.value, n.unit, 6)) }])]);

/* What stands above the plots. */
function opening(report: Report, group: Group): HTMLElement[] {
  const layout = layoutOf(report.groups);
  const numbers = isIdentification(group) ? otherNumbers(group) : group.numbers.filter((n) => !isVariatorName(n.name));
  const empty = !group.table?.rows && !group.arrays.length && !group.numbers.length && !group.texts.length;
  return given([
    empty ? el('p.hint', {}, 'No values were stored.') : null,
    numbers.length > mostFigures ? numberFold(numbers) : numbers.length ? figures(numbers.filter((n) => !technical(n))) : null,
    peaks(group),
    contactFigures(group),
    isIdentification(group) ? identification(group) : null,
    isIdentification(group) ? loopOverlay(group) : null,
    isModes(group) ? modesStage(group, layout) : null,
    isModes(group) ? modes(group) : null,
    group.table && group.table.rows > 0 && group.table.columns.length > 1 && wholeTable(group) ? writtenTable(group.table) : null,
  ]);
}

/* Plots of the table, with the motion above them. */
function plots(report: Report, group: Group): HTMLElement[] {
  const table = group.table;
  if (isLaw(group)) return [lawView(group)];
  const points = isStationary(group) ? [...stationaryFigures(group), stationaryTable(group)] : [];
  if (!plottable(table) || readAsTable(group)) return given([sectionPicture(report, group), ...points]);
  const options = motionOf(report, group);
  if (!isStationary(group)) return [channelView(table, { marks: (x, y) => cornerMarks(group, x, y), ...options })];
  const { head: _head, ...course } = options;
  return [...given([sectionPicture(report, group)]), ...points, stationaryCourse(group, course) ?? channelView(table, course)];
}

/* Arrays, each where it belongs: spectra and responses drawn, the rest written. */
function arraysOf(report: Report, group: Group): HTMLElement[] {
  const layout = layoutOf(report.groups);
  const corners = cornerTable(group);
  const arrays = group.arrays.filter((a) => !isFilm(a.name) && !isSpectrum(a.name) && !(layout && isWatch(a.name)) && !(isVariator(group) && isVariatorName(a.name)))
    .sort((a, b) => (isStationary(group) ? stationaryRank(a.name) - stationaryRank(b.name) : 0));
  const undrawn = arrays.filter((a) => !isAxis(a, group.arrays) && !isResponse(a, group.arrays) &&
    !(isModes(group) && shownByModes(a.name)) && !(corners && isCorner(a.name)) && !(isIdentification(group) && isCorrelation(a.name)));
  const { tables, rest } = vectorTables(undrawn);
  const responses = responseViews(arrays);
  const left = writtenArrays(rest);
  return given([
    corners, ...(layout ? watchSheets(layout, group) : []), ...storedSpectra(group),
    /* Of stationary points the figures are above; means, errors and extremes of every channel are for those who look for them. */
    ...(isStationary(group) && responses.length ? [fold('Every quantity over the points', () => responses)] : responses),
    ...(isIdentification(group) ? fitOverTime(group, linkOf(group)) : tables.filter(plottable).map((t) => channelView(t))),
    ...(isIdentification(group) ? [el('div.beside', {}, ...correlations(group))] : []),
    ...(isStationary(group) && left.length ? [fold('Numbers of the points', () => left)] : left),
  ]);
}

/* Statistics and rows: for looking something up. */
function lookUp(report: Report, group: Group): HTMLElement[] {
  const table = group.table;
  if (!table || table.rows < 1 || table.columns.length < 2 || wholeTable(group)) return [];
  const rank = isVariator(group) || isStationaryVariator(group) ? variatorRank : layoutOf(report.groups) ? beltRank : undefined;
  const drawn = isLaw(group) || (plottable(table) && !readAsTable(group));
  const rows = !drawn || table.rows <= 40 ? el('details', { open: !drawn }, el('summary', {}, 'All rows'), writtenTable(table)) : null;
  return given([isLaw(group) ? null : fold('Statistics of the channels', () => [statistics(table, rank)]), rows]);
}

/* Numbers that the view of the analysis tells itself. */
const ownNumbers = (group: Group): boolean => isFit(group) || isIdentification(group) || isLife(group) || isBranches(group) || isBasins(group) || isBackbone(group) || isFolds(group) || isConvergence(group);

/* How it was computed, in one line. */
function numerics(group: Group): HTMLElement | null {
  const all = group.numbers.filter((n) => !isVariatorName(n.name));
  const list = all.filter(technical);
  return ownNumbers(group) || !list.length || all.length > mostFigures ? null : el('p.extent', {}, `Numerics: ${list.map(remark).join(' · ')}`);
}

export function analysisBody(report: Report, group: Group): HTMLElement[] {
  const state = closure(group);
  const own = ownView(report, group);
  const size = own ? [] : [extent(group), ...remarks(group).map((t) => `${t.name}: ${t.value}`)].filter(Boolean);
  return given([
    running(group) ? el('p.notice', {}, 'This analysis was not finished.') : null,
    size.length ? el('p.extent', {}, size.join(' · ')) : null,
    ...(own ?? [...opening(report, group), ...plots(report, group), ...(isVariator(group) ? variatorBody(group) : []), ...arraysOf(report, group)]),
    state ? el(state.good ? 'p.extent' : 'p.hint.warn', {}, `The energy balance ${state.text}. `, el('a', { href: '#energy' }, 'Energy')) : null,
    numerics(group), ...(own ? [] : lookUp(report, group)), ...textViews(group),
  ]);
}
