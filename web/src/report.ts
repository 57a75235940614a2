/* report.ts — the page of one result: what it is, key figures, energy, then every analysis, then its sources. */
import { basinExtent, basinSummary, basinView, isBasins } from './basins';
import { auditView, closure } from './audit';
import { backboneSummary, backboneView, isBackbone, isModeText } from './backbone';
import { layoutOf } from './belt';
import { beltStatics, isBeltStatics } from './belt_statics';
import { beltRank, firstOfBelt, isWatch, motionFigures, watchSheets } from './belt_motion';
import { campbellSummary, campbellView, isCampbell } from './campbell';
import { channelView, plottable, type ChannelOptions } from './channels';
import { contactFigures } from './contacts';
import { convergenceSummary, convergenceView, isConvergence, isConvergenceText } from './convergence';
import { cornerMarks, cornerTable, isCorner } from './corners';
import { vectorTables, type Group, type Report } from './data';
import { el, slug } from './dom';
import { branchExtent, branchSummary } from './branch_table';
import { isBranches, isBranchText, readBranches } from './branch_data';
import { branchView } from './branches';
import { fitSummary, fitView, isFit, isFitText } from './fit';
import { foldsSummary, foldsView, isCurveText, isFolds } from './folds';
import { correlations, fitOverTime, identification, isCorrelation, isIdentification, loopOverlay, otherNumbers } from './identify';
import { isLaw, lawView } from './law';
import { isLife, lifeSummary, lifeView } from './life';
import { isModes, modes, modesStage, shownByModes } from './modes';
import { isOrders, ordersSummary, ordersView } from './orders';
import { pathView } from './paths';
import { isAxis, isResponse, peaksOf, responseViews } from './response';
import { sceneOf, sceneView } from './scene';
import { actorOf, stageOf } from './stage_of';
import { isSpectrum, storedSpectra } from './spectrum';
import { isStationary, isStationaryVariator, stationaryRank, stationaryTable } from './stationary';
import { stationaryCourse, stationaryFigures } from './stationary_figures';
import { firstOfVariator, isVariator, isVariatorName, variatorBody, variatorRank, variatorSummary } from './variator';
import { extent, figureList, figures, statistics, writtenArrays, writtenTable } from './tables';

export interface Section {
  id: string;
  title: string;
  link?: string; /* a short title for the list of sections */
  body: HTMLElement[];
}

/* Short texts of an analysis, such as the method: for one line of the summary. */
const remarks = (group: Group): { name: string; value: string }[] =>
  group.texts.filter((t) => !t.value.includes('\n') && t.value.length <= 80 && !hiddenText(group, t.name));

/* Texts that are shown in a place of their own. */
const hiddenText = (group: Group, name: string): boolean => name === 'corner.label' || (isVariator(group) && isVariatorName(name)) || (isBranches(group) && isBranchText(name)) ||
  (isBackbone(group) && isModeText(name)) || (isFolds(group) && isCurveText(name)) || (isFit(group) && isFitText(name)) ||
  (isConvergence(group) && isConvergenceText(name)) || (isModes(group) && shownByModes(name)) || (isIdentification(group) && /^best$|\.refusal$/.test(name));

/* Titles of the analyses; two of the same kind are told apart by what they say of themselves, or by their names. */
function headlines(groups: Group[]): string[] {
  const plain = groups.map((g) => {
    const text = g.title || g.name;
    return capital(text);
  });
  return groups.map((g, i) => {
    const twins = groups.filter((_g, k) => plain[k] === plain[i]);
    if (twins.length === 1) return plain[i]!;
    const told = remarks(g).find((t) => twins.every((k) => k === g || !remarks(k).some((r) => r.name === t.name && r.value === t.value)));
    return `${plain[i]}, ${told ? `${told.name} ${told.value}` : g.name}`;
  });
}

const running = (group: Group): boolean => group.status !== '' && group.status !== 'complete';

const shownFigures = 12; /* numbers of an analysis in its summary */

/* Modes and short tables are read, not drawn: the summary has them whole. */
const readAsTable = (group: Group): boolean => group.kind === 'modes' || (group.table?.rows ?? 0) <= 3;
const wholeInSummary = (group: Group): boolean => readAsTable(group) && (group.table?.rows ?? 0) <= 20;

function header(report: Report): HTMLElement {
  return el('header', {},
    el('h1', {}, report.name || 'Result'),
    el('p.byline', {}, el('span', {}, report.drive), el('span', {}, `Capstan ${report.capstan_version}`),
      el(report.complete ? 'span.badge.good' : 'span.badge.bad', {}, report.complete ? 'complete' : 'not complete')),
    report.complete ? null : el('p.notice', { role: 'status' },
      'This result is not complete: the run was interrupted, or has not ended yet. The page shows what was stored ' +
      'up to the last checkpoint. ', el('code', {}, 'capstan run --resume'), ' continues the run.'));
}

/* How often something took so many iterations: no figure of the drive. */
const isCount = (name: string): boolean => name.endsWith('.histogram');

/* The largest values of a response and where they are. */
function peaks(group: Group): HTMLElement | null {
  if (isStationary(group)) return stationaryTable(group);
  const found = peaksOf(group.arrays.filter((a) => !isSpectrum(a.name) && !isCount(a.name) && !(isVariator(group) && isVariatorName(a.name))));
  return found.length ? figureList(found.map((e) => ({ name: `largest ${e.name}`, value: e.largest, at: `at ${e.at}` }))) : null;
}

/* Analyses that are told in words and views of their own. */
interface View {
  summary: () => HTMLElement;
  body: () => HTMLElement[];
}

/* What is drawn over the crank's speed, for whoever wants other channels; made when it is opened. */
function otherPlots(group: Group): HTMLElement[] {
  if (!plottable(group.table) || group.table.rows < 3) return [];
  const fold = el('details', {}, el('summary', {}, 'Plots of all channels'));
  fold.addEventListener('toggle', () => fold.append(channelView(group.table!, { loop: false })), { once: true });
  return [fold];
}

function viewOf(group: Group, groups: Group[]): View | null {
  const layout = layoutOf(groups);
  if (isBeltStatics(group, layout))
    return { summary: () => beltStatics(group, layout).summary(), body: () => [...beltStatics(group, layout).tables(), ...otherPlots(group), ...textViews(group)] };
  if (isOrders(group)) return { summary: () => ordersSummary(group), body: () => [...ordersView(group), ...otherPlots(group)] };
  if (isFit(group)) return { summary: () => fitSummary(group), body: () => [...fitView(group), ...otherPlots(group)] };
  if (isLife(group)) return { summary: () => lifeSummary(group), body: () => [...lifeView(group), ...otherPlots(group)] };
  if (isCampbell(group)) return { summary: () => campbellSummary(group), body: () => [...campbellView(group, layout), ...otherPlots(group)] };
  if (isBasins(group)) return { summary: () => basinSummary(group), body: () => [el('p.extent', {}, basinExtent(group)), basinView(group), ...textViews(group)] };
  if (isBackbone(group)) return { summary: () => backboneSummary(group), body: () => [backboneView(group), ...textViews(group)] };
  if (isConvergence(group)) return { summary: () => convergenceSummary(group), body: () => [...convergenceView(group), ...textViews(group)] };
  if (isFolds(group)) return { summary: () => foldsSummary(group), body: () => [foldsView(group), ...textViews(group)] };
  if (!isBranches(group)) return null;
  const set = readBranches(group);
  return {
    summary: () => branchSummary(group, set),
    body: () => [el('p.extent', {}, branchExtent(set)), branchView(group, set, groups), ...textViews(group)],
  };
}

function summaryOf(group: Group, groups: Group[], title: string, id: string | null): HTMLElement {
  const head = el('h3', {}, id ? el('a', { href: `#${id}` }, title) : title,
    running(group) ? el('span.badge.bad', {}, 'not complete') : null);
  const view = viewOf(group, groups);
  return view ? el('section.card', {}, head, view.summary()) : el('section.card', {}, head, ...plainSummary(group, groups));
}

function plainSummary(group: Group, groups: Group[]): HTMLElement[] {
  const layout = group.kind === 'transient' && group.table?.rows ? layoutOf(groups) : null;
  const state = closure(group);
  const contacts = contactFigures(group);
  const size = [extent(group), ...remarks(group).map((t) => `${t.name}: ${t.value}`)].filter(Boolean);
  const numbers = isIdentification(group) ? otherNumbers(group) : group.numbers.filter((n) => !isVariatorName(n.name));
  const empty = !group.table?.rows && !group.arrays.length && !group.numbers.length && !group.texts.length;
  return [
    size.length ? el('p.extent', {}, size.join(' · ')) : null,
    empty ? el('p.hint', {}, 'No values were stored.') : null,
    layout ? motionFigures(layout, group.table!) : null,
    isVariator(group) ? variatorSummary(group) : null,
    numbers.length ? figures(numbers.slice(0, shownFigures)) : null,
    peaks(group),
    contacts,
    isIdentification(group) ? identification(group) : null,
    isModes(group) ? modes(group) : null,
    group.table && group.table.rows > 0 && group.table.columns.length > 1
      ? wholeInSummary(group) ? writtenTable(group.table) : statistics(group.table, isVariator(group) || isStationaryVariator(group) ? variatorRank : layout ? beltRank : undefined)
      : null,
    state && !(contacts && state.good) ? el(state.good ? 'p.hint' : 'p.hint.warn', {}, `Energy balance ${state.text}.`) : null,
  ].filter((n): n is HTMLElement => n !== null);
}

/* Long texts of a group, folded; the summary has the short ones. */
function textViews(group: Group): HTMLElement[] {
  const short = remarks(group);
  const label = (name: string): string =>
    isIdentification(group) ? name.replace(/^(.*)\.model$/, 'The law $1, to paste into a model file') : name;
  return group.texts.filter((t) => !short.includes(t) && !hiddenText(group, t.name)).map(({ name, value }) =>
    el('details', {}, el('summary', {}, label(name)), el('pre', { tabindex: 0 }, value)));
}

/* A belt drive or bodies in motion are drawn; of the belt its tensions are looked at first. */
function beltOptions(group: Group, report: Report): ChannelOptions {
  const { groups } = report;
  const layout = group.kind === 'transient' ? layoutOf(groups) : null;
  const scene = group.kind === 'transient' || group.kind === 'quasistatic' ? sceneOf(groups) : null;
  if (!layout && !isVariator(group) && !isStationary(group) && actorOf(report, group))
    return { loopOpen: true, head: (source, link) => el('div', {}, stageOf(report, group, link), report.drive === 'rolling-body' ? pathView(source, link) : null) };
  if (scene) return { ...(isVariator(group) ? { first: firstOfVariator } : {}), head: (source, link) => sceneView(scene, source, link) ?? (isVariator(group) ? null : pathView(source, link)) };
  if (isStationaryVariator(group)) return { first: firstOfVariator };
  return layout ? { first: firstOfBelt, head: (_source, link) => stageOf(report, group, link) } : {};
}

/* What an analysis has beyond its summary; nothing when the summary says it all. */
function analysisBody(group: Group, report: Report): HTMLElement[] {
  const body: HTMLElement[] = [];
  const { groups } = report;
  const unfinished = running(group) ? [el('p.notice', {}, 'This analysis was not finished.')] : [];
  const view = viewOf(group, groups);
  if (view) return [...unfinished, ...view.body()];
  const table = group.table;
  const swinging = isModes(group) ? modesStage(group, layoutOf(groups)) : null;
  if (swinging) body.push(swinging);
  const drawn = isLaw(group) || (plottable(table) && !readAsTable(group));
  if (isVariator(group)) body.push(...variatorBody(group));
  const plain = group.numbers.filter((n) => !isVariatorName(n.name));
  if (plain.length > shownFigures && !isIdentification(group)) body.push(figures(plain));
  const overlay = isIdentification(group) ? loopOverlay(group) : null;
  if (overlay) body.push(overlay);
  if (isLaw(group)) body.push(lawView(group));
  else if (isStationary(group) && drawn) {
    body.push(...stationaryFigures(group));
    const options = beltOptions(group, report);
    body.push(stationaryCourse(group, options) ?? channelView(table!, options));
  } else if (drawn) body.push(channelView(table!, { marks: (x, y) => cornerMarks(group, x, y), ...beltOptions(group, report) }));
  const corners = cornerTable(group);
  if (corners) body.push(corners);
  const layout = layoutOf(groups);
  if (layout) body.push(...watchSheets(layout, group));
  const arrays = group.arrays.filter((a) => !isSpectrum(a.name) && !(layout && isWatch(a.name)) && !(isVariator(group) && isVariatorName(a.name)))
    .sort((a, b) => (isStationary(group) ? stationaryRank(a.name) - stationaryRank(b.name) : 0));
  body.push(...storedSpectra(group), ...responseViews(arrays));
  if (table && table.rows > 0 && !wholeInSummary(group) && (!drawn || table.rows <= 40))
    body.push(el('details', { open: !drawn }, el('summary', {}, 'All rows'), writtenTable(table)));
  const undrawn = arrays.filter((a) => !isAxis(a, group.arrays) && !isResponse(a, group.arrays) &&
    !(isModes(group) && shownByModes(a.name)) && !(corners && isCorner(a.name)) &&
    !(isIdentification(group) && isCorrelation(a.name)));
  const { tables, rest } = vectorTables(undrawn);
  body.push(...(isIdentification(group) ? fitOverTime(group) : tables.filter(plottable).map((t) => channelView(t))));
  if (isIdentification(group)) body.push(el('div.beside', {}, ...correlations(group)));
  body.push(...writtenArrays(rest), ...textViews(group));
  if (body.length === 0) return body;
  const size = extent(group);
  body.unshift(...unfinished);
  if (size) body.unshift(el('p.extent', {}, size));
  return body;
}

function provenance(report: Report): HTMLElement {
  const rows: [string, string][] = [
    ['Capstan', `${report.capstan_version} (${report.git_hash})`],
    ['Compiler', report.compiler],
    ['Flags', report.flags],
    ['Seed', String(report.seed)],
  ];
  /* Words stay whole: a flag begins with its hyphen. */
  const words = (text: string): HTMLElement[] => text.split(' ').map((w) => el('span.word', {}, `${w} `));
  return el('dl.pairs', {}, ...rows.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, ...(v ? words(v) : ['–']))]));
}

/* An id of its own for each analysis, whatever its name. */
function analysisIds(groups: Group[]): string[] {
  const used = new Set(['summary', 'energy', 'model', 'page', 'made-by']);
  return groups.map((g) => {
    let id = slug(g.name);
    while (used.has(id)) id += '-';
    used.add(id);
    return id;
  });
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/* The many analyses of a belt drive are listed by their kinds. */
function linkOf(report: Report, groups: Group[], i: number): string | undefined {
  if (!report.groups.some((g) => g.kind === 'layout')) return undefined;
  const { kind, name } = groups[i]!;
  return capital(groups.filter((g) => g.kind === kind).length > 1 ? name.replace('-', ' ') : kind);
}

export function reportPage(report: Report): { title: string; head: HTMLElement; sections: Section[] } {
  const groups = report.groups.filter((g) => g.kind !== 'layout' && g.kind !== 'scene'); /* drawn where they are in motion */
  const ids = analysisIds(groups);
  const titles = headlines(groups);
  const sections: Section[] = [];
  const bodies = groups.map((g) => analysisBody(g, report));
  const summary = groups.map((g, i) => summaryOf(g, report.groups, titles[i]!, bodies[i]!.length ? ids[i]! : null));
  sections.push({
    id: 'summary',
    title: 'Summary',
    body: summary.length ? summary : [el('p.hint', {}, 'The result has no analyses: nothing was computed or stored.')],
  });
  const audited = groups.filter((g) => g.audit && g.audit.lines.length);
  if (audited.length)
    sections.push({
      id: 'energy',
      title: 'Energy',
      body: audited.flatMap((g) => [audited.length > 1 ? el('h3', {}, titles[groups.indexOf(g)]!) : null, auditView(g)])
        .filter((n): n is HTMLElement => n !== null),
    });
  groups.forEach((_g, i) => {
    if (bodies[i]!.length) sections.push({ id: ids[i]!, title: titles[i]!, link: linkOf(report, groups, i), body: bodies[i]! });
  });
  sections.push({
    id: 'model',
    title: 'Model',
    body: [
      report.settings.length
        ? el('p', {}, 'Settings given on the command line: ', el('code', {}, report.settings.join('  ')))
        : el('p.hint', {}, 'No settings were given on the command line.'),
      report.model ? el('pre.model', { tabindex: 0 }, report.model) : el('p.hint', {}, 'The result has no model file.'),
      provenance(report),
    ],
  });
  return { title: report.name || 'Capstan result', head: header(report), sections };
}
