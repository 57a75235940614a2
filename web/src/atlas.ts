/* atlas.ts — the page of atlas entries: which claims hold, and the series behind them. */
import { Chart } from './chart';
import type { Mark, Shape } from './marks';
import type { Atlas, AtlasEntry, AtlasSeries as Series, Claim, SeriesAxis } from './data';
import { el, slug } from './dom';
import { number, plural, short } from './format';
import { Loop, type Curve, type LoopOptions } from './loop';
import { isUpright, planeOptions } from './paths';
import type { Section } from './report';
import { familyStyle, lineStyle, theme, type LineStyle } from './theme';
import { quantityOf } from './units';

const claimsOf = (entry: AtlasEntry): Claim[] => entry.claims ?? [];
const held = (claims: Claim[]): number => claims.filter((c) => c.holds).length;

const verdict = (holds: boolean): HTMLElement =>
  el(holds ? 'span.verdict.good' : 'span.verdict.bad', {}, holds ? '✓ holds' : '✗ does not hold');

/* Enough digits to compare with what is expected; a tiny number is an error, of which the size matters. */
function valueText(claim: Claim): string {
  if (claim.value === null || claim.value === undefined) return '–';
  if (typeof claim.value === 'string') return claim.value;
  const value = short(claim.value, Math.abs(claim.value) < 1e-4 ? 3 : 7);
  return claim.unit ? `${value} ${claim.unit}` : value;
}

const expectedText = (claim: Claim): string =>
  claim.expected === undefined ? '–' : String(claim.expected).replace(/\+-/g, '±').replace(/(^|\s)-(?=\d)/g, '$1−');

function claimTable(claims: Claim[]): HTMLElement {
  const row = (c: Claim): HTMLElement => el('tr', {},
    el('td', {}, verdict(c.holds)),
    el('td', {}, c.text, el('span.claim-id', {}, c.id), c.note ? el('p.note', {}, c.note) : null),
    el('td.expected', {}, expectedText(c)),
    el('td.n', {}, valueText(c)));
  return el('div.scroll', {}, el('table.claims', {},
    el('thead', {}, el('tr', {}, ...['Verdict', 'Claim', 'Expected'].map((t) => el('th', { scope: 'col' }, t)),
      el('th.n', { scope: 'col' }, 'Computed'))),
    el('tbody', {}, ...claims.map(row))));
}

const numbers = (axis: SeriesAxis): number[] => axis.values.map((v) => v ?? NaN);
const ascends = (values: (number | null)[]): boolean =>
  values.every((v, i) => v !== null && (i === 0 || v > values[i - 1]!));

/* Given from large to small, as limits are: the same from small to large. */
function turnedAround(s: Series): Series {
  const back = (axis: SeriesAxis): SeriesAxis => ({ ...axis, values: [...axis.values].reverse() });
  return !s.stable && !ascends(s.x.values) && ascends(back(s.x).values) ? { ...s, x: back(s.x), y: back(s.y) } : s;
}

/* Whether values are positive and span so many decades. */
function spans(axes: SeriesAxis[], decades: number): boolean {
  const values = axes.flatMap((a) => a.values.filter((v): v is number => v !== null));
  return values.length > 0 && Math.min(...values) > 0 && Math.max(...values) >= 10 ** decades * Math.min(...values);
}

/* Whether values were chosen by their ratio, unlike instants of time. */
function geometric({ values }: SeriesAxis): boolean {
  const steps = values.slice(1).map((v, i) => Math.abs(Math.log(v! / values[i]!)));
  return steps.length > 1 && Math.max(...steps) <= 3 * Math.min(...steps);
}

/* Something that tends to a limit over decades of a parameter is a line on logarithmic axes only. */
function limitScales(series: Series[]): { logX: boolean; logY: boolean } {
  const logX = spans(series.map((s) => s.x), 1.9) && series.every((s) => geometric(s.x));
  return { logX, logY: logX && spans(series.map((s) => s.y), 1) };
}

/* Several values at the same abscissa, again and again, are points and no curve. */
function scattered(s: Series): boolean {
  const x = s.x.values;
  const ties = x.filter((v, i) => i > 0 && v === x[i - 1]).length;
  return x.length <= 60 && 3 * ties >= x.length;
}

/* "masing f1=13 N", "masing f1=27 N", ...: the words before the number name a family. */
const familyOf = (name: string): string | null => /^(.*?)\s*\S+\s*=/.exec(name)?.[1] ?? null;

interface Figure {
  family: string; /* "" = not one */
  members: Series[];
  beside: Series[]; /* single lines to compare with */
}

/* Series of the same units go into one plot, but each large family into one of its own. What stands alone beside
 * families, such as a linear limit, joins the one that it names, or the first. */
function figures(series: Series[]): Figure[] {
  const groups = new Map<string, Figure>();
  const sizes = new Map<string, number>();
  const unitsOf = (s: Series): string => [s.x.unit, s.y.unit].join('\n');
  const keyOf = (s: Series): string => [unitsOf(s), familyOf(s.name) ?? ''].join('\n');
  for (const s of series) sizes.set(keyOf(s), (sizes.get(keyOf(s)) ?? 0) + 1);
  const isFamily = (s: Series): boolean => familyOf(s.name) !== null && sizes.get(keyOf(s))! > 4;
  for (const s of series.filter(isFamily)) {
    const figure = groups.get(keyOf(s)) ?? { family: familyOf(s.name)!, members: [], beside: [] };
    figure.members.push(s);
    groups.set(keyOf(s), figure);
  }
  for (const s of series.filter((k) => !isFamily(k))) {
    const hosts = [...groups.values()].filter((g) => g.family !== '' && unitsOf(g.members[0]!) === unitsOf(s));
    const host = hosts.find((g) => s.name.includes(g.family)) ?? hosts[0];
    if (host) {
      host.beside.push(s);
      continue;
    }
    const key = `${unitsOf(s)}\nothers`;
    const figure = groups.get(key) ?? { family: '', members: [], beside: [] };
    figure.members.push(s);
    groups.set(key, figure);
  }
  return [...groups.values()];
}

/* The name of an axis that several series share; the quantity when they call it differently. */
const axisName = (list: SeriesAxis[]): string =>
  list.every((a) => a.name === list[0]!.name) ? list[0]!.name : quantityOf(list[0]!.unit) || list[0]!.name;

function plot(figure: Figure, host: HTMLElement, logarithmic: boolean): Chart | Loop {
  const { family, members, beside } = figure;
  const all = [...members, ...beside].map(turnedAround);
  const { logX, logY } = limitScales(all);
  const first = all[0]!;
  const styled = all.map((s, i) => ({
    name: i < members.length ? s.name.slice(family.length).trim() : s.name,
    hint: s.name,
    style: i >= members.length ? { colour: () => theme().text, dash: [[6, 4], [2, 3]][(i - members.length) % 2] }
      : family ? familyStyle(i, members.length) : lineStyle(i),
  }));
  const common = {
    x: { name: axisName(all.map((s) => s.x)), unit: first.x.unit },
    y: { name: axisName(all.map((s) => s.y)), unit: first.y.unit },
    height: 360,
    title: family || undefined,
  };
  /* A few points among curves are marks, not a curve. */
  const longest = Math.max(...all.map((s) => s.x.values.length));
  const dots = (s: Series): boolean => s.x.values.length <= 60 && s.x.values.length * 4 <= longest;
  if (all.every((s) => ascends(s.x.values)) && longest > 1)
    return new Chart({ ...common, logX, logY: logY || logarithmic, x: { ...common.x, values: numbers(first.x) }, lines: all.map((s, i) => ({
      ...styled[i]!, x: numbers(s.x), values: numbers(s.y), dots: dots(s), plain: all.length > 4 })) }, host);
  return new Loop({ ...common, curves: all.map((s, i) => ({
    ...styled[i]!, x: numbers(s.x), y: numbers(s.y), dots: dots(s) })) }, host);
}

/* Panels: plots that the entry itself has named. */

/* A line of its own for each curve; what is in several panels is there to compare with. Branches have the colour of
 * their curve. */
function panelStyles(members: Series[]): LineStyle[] {
  const key = (s: Series): string => s.curve ?? s.name;
  const own = [...new Set(members.filter((s) => s.panels!.length === 1).map(key))];
  const shared = [...new Set(members.filter((s) => s.panels!.length > 1).map(key))];
  return members.map((s) => (s.panels!.length === 1 ? lineStyle(own.indexOf(key(s)))
    : { colour: () => theme().text, dash: [undefined, [7, 4], [2, 3]][shared.indexOf(key(s)) % 3] }));
}

/* Stable parts solid, unstable ones dashed: a stretch is what the point before it is. */
function branchCurve(s: Series, style: LineStyle): Curve {
  const state = (i: number): string => (s.stable![i] === false ? 'unstable' : s.stable![i] ? 'stable' : 'stability not known');
  return {
    name: s.name, group: s.curve, hint: s.name, x: numbers(s.x), y: numbers(s.y), style,
    width: s.panels!.length > 1 ? 1 : s.branch === 'main' ? 1.75 : 1.25,
    dashed: s.stable!.map((_v, i) => s.stable![Math.max(0, i - 1)] === false),
    note: state,
  };
}

function branchMarks(s: Series, style: LineStyle, curve: number): Mark[] {
  const mark = (shape: Shape) => (p: { x: number; y: number }): Mark => ({ label: '', ...p, colour: style.colour, shape, curve });
  return [...(s.folds ?? []).map(mark('disc')), ...(s.period_doublings ?? []).map(mark('diamond')),
    ...(s.neimark_sacker ?? []).map(mark('ring')), ...(s.branch_points ?? []).map(mark('cross'))];
}

/* Only of what is there. */
function branchLegend(series: Series[]): string {
  const marks = ([['folds', 'dots'], ['period_doublings', 'diamonds'], ['neimark_sacker', 'rings'], ['branch_points', 'crosses']] as const)
    .filter(([what]) => series.some((s) => s[what]?.length))
    .map(([what, shape]) => `${shape}: ${what === 'neimark_sacker' ? 'Neimark-Sacker points' : what.replace('_', ' ')}`);
  return `Solid: stable, dashed: unstable${marks.map((m) => `; ${m}`).join('')}.`;
}

function panelView(title: string, given: Series[]): HTMLElement {
  const host = el('div');
  const members = given.map(turnedAround);
  const first = members[0]!;
  const styles = panelStyles(members);
  const common = { x: { name: axisName(members.map((s) => s.x)), unit: first.x.unit },
    y: { name: axisName(members.map((s) => s.y)), unit: first.y.unit }, height: 380, title };
  if (members.every((s) => !s.stable && ascends(s.x.values)))
    new Chart({ ...common, ...limitScales(members), x: { ...common.x, values: numbers(first.x) }, lines: members.map((s, i) => ({
      name: s.name, hint: s.name, style: styles[i]!, x: numbers(s.x), values: numbers(s.y), plain: true })) }, host);
  else {
    const options: LoopOptions = { ...common,
      curves: members.map((s, i) => (s.stable ? branchCurve(s, styles[i]!)
        : { name: s.name, hint: s.name, x: numbers(s.x), y: numbers(s.y), style: styles[i]!, dots: scattered(s) })),
      marks: members.flatMap((s, i) => branchMarks(s, styles[i]!, i)) };
    const path = members.every((s) => !s.stable && s.x.unit === 'm' && s.y.unit === 'm');
    new Loop(path ? planeOptions(options, isUpright(options.curves)) : options, host);
  }
  return host;
}

function panels(series: Series[]): HTMLElement[] {
  const titles = [...new Set(series.flatMap((s) => s.panels ?? []))];
  const grid = el('div.atlas-panels');
  /* what is shared by many panels comes last, on top of the others */
  for (const title of titles)
    grid.append(panelView(title, series.filter((s) => s.panels?.includes(title)).sort((a, b) => a.panels!.length - b.panels!.length)));
  return [...(series.some((s) => s.stable) ? [el('p.hint', {}, branchLegend(series))] : []), grid];
}

/* A plot, and for families a switch to logarithmic scale: their members may differ much in size. */
function figureView(figure: Figure): HTMLElement {
  const host = el('div');
  const root = el('div', {}, host);
  let shown = plot(figure, host, false);
  if (!(shown instanceof Chart) || !figure.family) return root;
  const box = el('input', { type: 'checkbox' });
  box.addEventListener('change', () => {
    shown.destroy();
    shown = plot(figure, host, box.checked);
  });
  root.append(el('div.toolbar', {}, el('label.check', {}, box, 'logarithmic y')));
  return root;
}

/* Plots of an entry; those far down the page are drawn when they come near. */
function plots(series: Series[]): HTMLElement {
  const host = el('div.atlas-plots');
  let drawn = false;
  const draw = (): void => {
    if (drawn) return;
    drawn = true;
    if (series.some((s) => s.panels?.length)) host.append(...panels(series));
    for (const figure of figures(series.filter((s) => !s.panels?.length))) {
      const place = el('div');
      host.append(place);
      place.append(figureView(figure));
    }
  };
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    watch.disconnect();
    draw();
  }, { rootMargin: '800px' });
  watch.observe(host);
  window.addEventListener('beforeprint', draw);
  return host;
}

interface EntryParts {
  about: HTMLElement[];
  claims: HTMLElement[];
  figures: HTMLElement[];
}

function entryParts(entry: AtlasEntry): EntryParts {
  const about: HTMLElement[] = [];
  const claims: HTMLElement[] = [];
  if (entry.source) about.push(el('p.extent', {}, `Source: ${entry.source}`));
  if (entry.note) about.push(el('p.note', {}, entry.note));
  claims.push(claimsOf(entry).length ? claimTable(claimsOf(entry)) : el('p.hint', {}, 'No claims.'));
  if (entry.wall_s !== undefined) claims.push(el('p.hint', {}, `Computed in ${number(entry.wall_s, 3)} s.`));
  return { about, claims, figures: entry.series?.length ? [plots(entry.series)] : [] };
}

/* One section for an entry among others, two for an entry of its own: what it shows, then what is said of it. */
function entrySections(entry: AtlasEntry, id: string, alone: boolean): Section[] {
  const { about, claims, figures: drawn } = entryParts(entry);
  if (!alone) return [{ id, title: entry.title || entry.id, body: [...about, ...drawn, ...claims] }];
  const sections = [{ id: 'claims', title: 'Claims', body: claims }];
  if (drawn.length) sections.unshift({ id: 'figures', title: 'Figures', body: [...about, ...drawn] });
  else claims.unshift(...about);
  return sections;
}

function overview(atlas: Atlas, ids: string[]): HTMLElement {
  const row = (entry: AtlasEntry, i: number): HTMLElement => {
    const claims = claimsOf(entry);
    const all = held(claims) === claims.length;
    return el('tr', {}, el('th', { scope: 'row' }, el('a', { href: `#${ids[i]}` }, entry.title || entry.id),
      el('span.claim-id', {}, entry.id)),
      el('td', {}, entry.source ?? '–'),
      el('td.n', {}, el(all ? 'span.verdict.good' : 'span.verdict.bad', {},
        claims.length ? `${held(claims)} of ${claims.length}` : 'no claims')));
  };
  return el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Entry'), el('th', { scope: 'col' }, 'Source'),
      el('th.n', { scope: 'col' }, 'Claims that hold'))),
    el('tbody', {}, ...atlas.entries.map(row))));
}

export function atlasPage(atlas: Atlas): { title: string; head: HTMLElement; sections: Section[] } {
  const claims = atlas.entries.flatMap(claimsOf);
  const single = atlas.entries.length === 1 ? atlas.entries[0]! : null;
  const all = held(claims) === claims.length;
  const ids = atlas.entries.map((e, i) => `${slug(e.id)}-${i + 1}`);
  const head = el('header', {},
    el('h1', {}, single ? single.title || single.id : 'Atlas'),
    el('p.byline', {}, el('span', {}, single ? single.id : plural(atlas.entries.length, 'entry', 'entries')),
      el('span', {}, `Capstan ${atlas.capstan_version}`),
      el(all ? 'span.badge.good' : 'span.badge.bad', {}, `${held(claims)} of ${plural(claims.length, 'claim')} hold`)));
  const sections = atlas.entries.flatMap((e, i) => entrySections(e, ids[i]!, single !== null));
  if (!single) sections.unshift({ id: 'overview', title: 'Overview', body: [overview(atlas, ids)] });
  return { title: single ? single.title : 'Capstan atlas', head, sections };
}
