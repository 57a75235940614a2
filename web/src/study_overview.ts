/* study_overview.ts — a study in short: what was varied, what came out, what matters, what is best, and whether it can be trusted. */
import { el, svg } from './dom';
import { number, plural, pure, roundValues, short, unbroken } from './format';
import { sheet } from './sheet';
import { linearWords, percent } from './study_effects';
import { axisName, percentile, spreadOf, valuesTaken, valueText, type Axis, type Sensitivity, type Spread, type Study } from './study_data';
import { trustWords } from './study_surface';
import { quantity } from './tables';
import { lineStyle, theme } from './theme';
import { displayUnit, withUnit } from './units';
import { breaks, boundText, type Bound } from './study_optimise';
import { canvas, line, told, vectorFigure, words } from './vector';

type KeyFigure = [name: string, text: string, at: string];

function keyFigures(study: Study): HTMLElement {
  const n = (k: number): number => study.status.filter((s) => s === k).length;
  const figures: KeyFigure[] = [['cases', pure(study.total), study.design], ['complete', pure(n(0)), study.cases.length < study.total ? `of ${pure(study.cases.length)} on this page` : ''],
    ...(n(1) ? [['failed', pure(n(1)), 'see below'] as KeyFigure] : []), ...(n(2) ? [['missing', pure(n(2)), 'not run yet'] as KeyFigure] : []),
    ['factors', pure(study.factors.length), study.factors.map((f) => f.name).join(', ')], ['responses', pure(study.responses.length), study.responses.map((f) => f.name).join(', ')]];
  return el('dl.key-figures', {}, ...figures.map(([name, text, at]) => el(name === 'failed' || name === 'missing' ? 'div.warned' : 'div', {}, el('dt', {}, name), el('dd', {}, text), at ? el('dd.figure-at', {}, at) : null)));
}

/* ---- in words ----------------------------------------------------------------------------------------------------- */

const and = (list: string[]): string => (list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list[list.length - 1]}`);

/* Factors that matter most, by their total share of the variance where that is known. */
function matters(study: Study, s: Sensitivity): string {
  const by = s.shares.find((k) => k.name === 'first') ?? s.regression;
  if (!by) return '';
  const shares = by !== s.regression;
  const size = (i: number): number => (shares ? by.values[i]! : Math.abs(by.values[i]!));
  const order = study.factors.map((_f, i) => i).filter((i) => Number.isFinite(by.values[i]!)).sort((a, b) => size(b) - size(a));
  const most = order.slice(0, 3).filter((i, k) => k === 0 || size(i) >= (shares ? 0.05 : 0.15));
  return shares ? `${s.response} varies with ${and(most.map((i) => `${study.factors[i]!.name} (${percent(Math.max(0, by.values[i]!))})`))}`
    : `${s.response} follows ${and(most.map((i) => `${study.factors[i]!.name} (coefficient ${number(by.values[i]!, 2)})`))}`;
}

function tornadoMatters(study: Study): string[] {
  return study.tornados.flatMap((t) => {
    const span = (i: number): number => Math.abs(t.most[i]! - t.least[i]!);
    const order = study.factors.map((_f, i) => i).filter((i) => Number.isFinite(span(i))).sort((a, b) => span(b) - span(a)).slice(0, 3);
    const unit = study.responses.find((r) => r.name === t.response)!.unit;
    return order.length ? [`${t.response} changes most with ${and(order.map((i) => `${study.factors[i]!.name} (by ${quantity(span(i), unit, 3)})`))}`] : [];
  });
}

/* The case that meets the goal of a response best. */
function best(study: Study, r: Axis, bounds: Bound[]): string | null {
  if (!r.goal) return null;
  const sign = r.goal === 'minimise' ? 1 : -1;
  const rows = study.fine.filter((i) => Number.isFinite(r.values[i]!));
  const i = rows.reduce<number>((a, b) => (a < 0 || sign * (r.values[b]! - r.values[a]!) < 0 ? b : a), -1);
  if (i < 0) return null;
  const at = study.factors.slice(0, 6).map((f) => `${f.name} ${valueText(f, f.values[i]!, 4)}`).join(', ');
  const broken = bounds.filter((b) => breaks(b, study.responses.find((k) => k.name === b.response)?.values[i] ?? NaN));
  const kept = broken.length ? `; it violates the bound${broken.length > 1 ? 's' : ''} ${broken.map(boundText).join(' and ')}` : bounds.length ? '; it keeps all bounds' : '';
  return `${r.goal === 'minimise' ? 'smallest' : 'largest'} ${r.name} of all cases: ${quantity(r.values[i]!, r.unit)} in case ${study.cases[i]} (${at}${study.factors.length > 6 ? ', …' : ''})${kept}`;
}

const cameOut = (study: Study, r: Axis): string[] => {
  const s = spreadOf(study, r);
  if (!s) return [];
  const one = study.tornados.find((t) => t.response === r.name);
  if (one) return [`${r.name} is ${quantity(one.nominal, r.unit)} nominally, and ${quantity(s.low, r.unit, 4, s.high)} … ${quantity(s.high, r.unit)} over all cases`];
  return [`${r.name} is ${quantity(s.low, r.unit, 4, s.high)} … ${quantity(s.high, r.unit)}, ${quantity(s.mean, r.unit)} on average${s.n > 1 ? ` with a standard deviation of ${quantity(s.deviation, r.unit, 3)}` : ''}`];
};

/* Names are written as they are, also where a sentence begins with one. */
const sentence = (study: Study, text: string): string =>
  (study.responses.some((r) => text.startsWith(r.name)) ? text : text.charAt(0).toUpperCase() + text.slice(1));

/* Answers in a sentence each, with where to look; `links` are the sections that the page has. */
function answers(study: Study, links: Map<string, string>, optimum: string[], bounds: Bound[]): HTMLElement {
  const few = <T>(list: T[]): T[] => list.slice(0, 4);
  const [failed, missing] = [1, 2].map((k) => study.status.filter((s) => s === k).length);
  const rows: [string, string, string[]][] = [
    ['What came out', 'responses', few(study.responses).flatMap((r) => cameOut(study, r))],
    ['What matters', study.sensitivities.length ? 'sensitivities' : 'effects', [...few(study.sensitivities).map((s) => matters(study, s)), ...(study.sensitivities.length ? [] : few(tornadoMatters(study)))].filter(Boolean)],
    ['What is best', optimum.length ? 'optimum' : study.pareto ? 'pareto' : 'cases', [...optimum, ...study.responses.flatMap((r) => best(study, r, bounds) ?? []),
      ...(study.pareto ? [`${plural(study.pareto.rows.length, 'case')} of ${pure(study.fine.length)} ${study.pareto.rows.length === 1 ? 'is' : 'are'} Pareto-optimal in ${and(study.pareto.responses.map((r) => r.name))}`] : [])]],
    ['Can it be trusted', study.surfaces.length ? 'surface' : failed || missing ? 'failed' : 'cases', [
      failed || missing ? `${[failed ? `${plural(failed, 'case')} failed` : '', missing ? `${plural(missing, 'case')} missing` : ''].filter(Boolean).join(' and ')} of ${pure(study.total)}; the figures below do not include them` : `all ${plural(study.total, 'case')} have results`,
      ...few(study.sensitivities).filter((s) => s.r2 !== null && !study.surfaces.length).map((s) => `${s.response}: ${linearWords(s.r2!).replace(/^S/, 's').replace(/\.$/, '')}`),
      ...few(study.surfaces).map((s) => `${s.response}: ${trustWords(s, study).replace(/^The/, 'the').replace(/\.$/, '')}`)]],
  ];
  return el('dl.answers', {}, ...rows.filter(([, , said]) => said.length).flatMap(([head, link, said]) => [
    el('dt', {}, links.has(link) ? el('a', { href: `#${links.get(link)}` }, head) : head),
    el('dd', {}, ...said.map((t) => el('p', {}, `${sentence(study, t)}.`)))]));
}

/* ---- tables -------------------------------------------------------------------------------------------------------- */

/* Values that someone chose, without zeros at their end: "350 N". */
const short4 = (f: Axis, v: number, like: number): string => {
  if (f.labels) return valueText(f, v);
  const unit = displayUnit(f.unit, Math.abs(like));
  return `${short(v / unit.size)}${unit.text && unit.text !== '°' ? ' ' : ''}${unit.text}`;
};

function variedText(f: Axis): string {
  if (f.words) return f.words;
  if (f.labels) return `${plural(f.labels.length, 'level')}: ${f.labels.join(', ')}`;
  const taken = valuesTaken(f);
  const like = Math.max(...[taken[0] ?? 0, taken[taken.length - 1] ?? 0].map(Math.abs));
  if (!taken.length) return '–';
  if (taken.length <= 6) return taken.map((v) => unbroken(short4(f, v, like))).join(', ');
  return `${plural(taken.length, 'value')} from ${unbroken(short4(f, taken[0]!, like))} to ${unbroken(short4(f, taken[taken.length - 1]!, like))}`;
}

function factorTable(study: Study, tolerance: boolean): HTMLElement {
  const list = study.factors;
  const text = (f: Axis, v: number | undefined, like?: number): string => (v === undefined || f.labels ? '–' : unbroken(valueText(f, v, 4, like ?? v)));
  const spread = list.map((f) => spreadOf(study, f));
  return sheet('Factors', 'Factor', list.map((f) => f.name), [
    ...(list.some((f) => f.long && f.long !== f.name) ? [{ head: 'Meaning', unit: '', texts: list.map((f) => (f.long === f.name ? '' : f.long)) }] : []),
    { head: 'Varied', unit: '', texts: list.map(variedText) },
    ...(tolerance ? [{ head: 'Mean', unit: '', texts: list.map((f, i) => text(f, spread[i]?.mean)) }, { head: 'Standard deviation', unit: '', texts: list.map((f, i) => text(f, spread[i]?.deviation)) }] : []),
    ...(study.nominal ? [{ head: 'Nominal', unit: '', texts: list.map((f, i) => unbroken(valueText(f, study.nominal![i]!))) }] : [])]);
}

/* Percentiles say something of samples; of a grid they would be those of its values. */
function responseTable(study: Study, tolerance: boolean): HTMLElement {
  const list = study.responses;
  const spread = list.map((r) => spreadOf(study, r));
  const column = (head: string, of: (s: Spread) => number): { head: string; unit: string; texts: string[] } => ({
    head, unit: '', texts: list.map((r, i) => (spread[i] && Number.isFinite(of(spread[i]!)) ? unbroken(quantity(of(spread[i]!), r.unit, 4, Math.max(Math.abs(spread[i]!.low), Math.abs(spread[i]!.high)))) : '–')) });
  return sheet('Responses', 'Response', list.map((r) => r.name), [
    { head: 'Meaning', unit: '', texts: list.map((r) => [r.long === r.name || r.words.includes(r.long) ? '' : r.long, r.words.replace(/^= /, '')].filter(Boolean).join('; ')) },
    ...(study.tornados.length ? [] : [column('Mean', (s) => s.mean), column('Standard deviation', (s) => s.deviation)]), column('Smallest', (s) => s.low),
    ...(tolerance ? [0.01, 0.5, 0.99] : []).map((p) => column(`${100 * p} %`, (s) => percentile(s, p))), column('Largest', (s) => s.high),
    ...(study.scatter.some((v) => v !== null) ? [{ head: 'Between replicates', unit: '', texts: list.map((r, i) => (study.scatter[i] !== null ? unbroken(`± ${quantity(study.scatter[i]!, r.unit, 3)}`) : '–')) }] : [])]);
}

/* ---- histograms ---------------------------------------------------------------------------------------------------- */

/* Classes as wide as twice the distance of the quartiles by the cube root of the number (Freedman and Diaconis), 8 to 60 of them. */
export function classesOf(s: Spread): { low: number; width: number; counts: number[] } {
  const wide = (2 * (percentile(s, 0.75) - percentile(s, 0.25))) / Math.cbrt(s.n);
  const n = Math.min(60, Math.max(8, wide > 0 ? Math.ceil((s.high - s.low) / wide) : 8));
  const width = (s.high - s.low) / n || Math.abs(s.high) * 0.1 || 1;
  const low = s.high > s.low ? s.low : s.low - (n * width) / 2;
  const counts = new Array<number>(n).fill(0);
  for (const v of s.sorted) counts[Math.min(n - 1, Math.floor((v - low) / width))]!++;
  return { low, width, counts };
}

function histogramSvg(r: Axis, s: Spread, width: number): SVGElement {
  const { low, width: step, counts } = classesOf(s);
  const [left, right, top, bottom] = [44, 16, 34, 210];
  const unit = displayUnit(r.unit, Math.max(Math.abs(s.low), Math.abs(s.high)));
  const high = low + counts.length * step;
  const px = (v: number): number => left + ((v - low) / (high - low)) * (width - left - right);
  const most = Math.max(...counts);
  const py = (n: number): number => bottom - (n / most) * (bottom - top);
  const parts: SVGElement[] = [];
  for (const n of roundValues(0, most, 4).filter(Number.isInteger)) parts.push(line(left, py(n), width - right, py(n), theme().grid), words(left - 6, py(n) + 4, pure(n), 'end'));
  counts.forEach((n, i) => {
    if (n) parts.push(told(svg('rect', { x: px(low + i * step) + 0.5, y: py(n), width: Math.max(1, px(low + (i + 1) * step) - px(low + i * step) - 1), height: bottom - py(n), fill: lineStyle(0).colour() }),
      `${plural(n, 'case')} from ${quantity(low + i * step, r.unit, 4, high)} to ${quantity(low + (i + 1) * step, r.unit, 4, high)}`));
  });
  parts.push(line(left, bottom, width - right, bottom, theme().axis));
  for (const v of roundValues(low / unit.size, high / unit.size, width < 400 ? 4 : 6)) parts.push(line(px(v * unit.size), bottom, px(v * unit.size), bottom + 4, theme().axis), words(px(v * unit.size), bottom + 17, short(v), 'middle'));
  parts.push(words((left + width - right) / 2, bottom + 36, withUnit(r.name, unit), 'middle'));
  /* Percentiles, their words in two rows where they would meet. */
  let last = -Infinity;
  [0.01, 0.5, 0.99].forEach((p) => {
    const x = px(percentile(s, p));
    const text = `${100 * p} %: ${short(percentile(s, p) / unit.size)}`;
    const half = 3.3 * text.length;
    const at = Math.min(width - right - half, Math.max(left + half, x));
    const near = at - half < last;
    if (!near) last = at + half + 6;
    parts.push(line(x, near ? 16 : 26, x, bottom, theme().text, 1.4, '5 3'), words(at, near ? 12 : 24, text, 'middle', false));
  });
  return canvas(width, bottom + 42, `Histogram of ${r.name}, ${plural(s.n, 'case')}: 1 % below ${quantity(percentile(s, 0.01), r.unit)}, half below ${quantity(percentile(s, 0.5), r.unit)}, 99 % below ${quantity(percentile(s, 0.99), r.unit)}`, parts);
}

export function histograms(study: Study): HTMLElement[] {
  const figures = study.responses.flatMap((r) => {
    const s = spreadOf(study, r);
    if (!s || s.n < 20 || !(s.high > s.low)) return [];
    const { low, width, counts } = classesOf(s);
    return [vectorFigure({ title: axisName(r), height: 250, draw: (wide) => histogramSvg(r, s, wide),
      table: () => ({ notes: [`histogram of ${r.name}, ${s.n} cases`], columns: [
        { name: `${r.name} from`, unit: r.unit, values: counts.map((_n, i) => low + i * width) }, { name: 'to', unit: r.unit, values: counts.map((_n, i) => low + (i + 1) * width) }, { name: 'cases', unit: '', values: counts }] }) })];
  });
  return figures.length ? [el('h3.small', {}, 'Distribution of the responses'), el('div.tiles', {}, ...figures)] : [];
}

export const overview = (study: Study, links: Map<string, string>, tolerance: boolean, optimum: string[], bounds: Bound[]): HTMLElement[] => [
  keyFigures(study), answers(study, links, optimum, bounds), factorTable(study, tolerance), responseTable(study, tolerance), ...(tolerance ? histograms(study) : [])];
