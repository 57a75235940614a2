/* fit.ts — parameters fitted to measured curves (src/analysis/identify/fit_output.c): numbers "<path>" with ".start", ".error", ".low" and
 * ".high" beside them where they are known, texts "<path>.state" and "open.<n>" (combinations that the data do not tell), and the table
 * of the abscissa with "<channel>.measured", ".fitted", ".start" and ".sigma". */
import type { Analysis } from './analysis';
import { valuesOf, type Column, type Group, type NumberData } from '../data';
import { el } from '../dom';
import { figure, numberIn, unitIn, word, type FigureMaker } from '../figure';
import { aligned, short } from '../format';
import { Loop, type Curve } from '../loop';
import { quantity } from '../tables';
import { lineStyle, theme } from '../theme';
import { grave, type WarningMaker } from '../warning';

export const isFit = (group: Group): boolean => group.kind === 'fit' && group.texts.some((t) => t.name.endsWith('.state'));

const find = (group: Group, name: string): NumberData | undefined => group.numbers.find((n) => n.name === name);
const paths = (group: Group): string[] => group.texts.filter((t) => t.name.endsWith('.state')).map((t) => t.name.replace(/\.state$/, ''));
const stateOf = (group: Group, path: string): string => group.texts.find((t) => t.name === `${path}.state`)?.value ?? '';

/* Texts that have a place of their own. */
const isFitText = (name: string): boolean => /\.state$|^open\.\d+$/.test(name);

function parameterTable(group: Group): HTMLElement {
  const row = (path: string): HTMLElement => {
    const value = find(group, path);
    const like = value?.value ?? null;
    const write = (n: NumberData | undefined): string => (n ? quantity(n.value, n.unit, 5, like) : '–');
    const known = stateOf(group, path) === 'identified';
    const error = find(group, `${path}.error`);
    const share = known && error?.value && like ? `${short((100 * error.value) / Math.abs(like), 2)} %` : '–';
    return el('tr', {}, el('th', { scope: 'row', title: value?.long_name ?? '' }, path),
      el(known ? 'td' : 'td.warn', {}, stateOf(group, path)),
      el('td.n', {}, known ? write(value) : `(${write(value)})`), el('td.n', {}, share),
      el('td.n', {}, write(find(group, `${path}.low`))), el('td.n', {}, write(find(group, `${path}.high`))),
      el('td.n', {}, write(find(group, `${path}.start`))));
  };
  const heads = ['Value', 'Standard error', '95 % from', 'to', 'Start'];
  return el('div.scroll', {}, el('table', {}, el('caption', {}, 'Parameters'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Parameter'), el('th', { scope: 'col' }, 'State'),
      ...heads.map((t) => el('th.n', { scope: 'col' }, t)))),
    el('tbody', {}, ...paths(group).map(row))));
}

/* What the data leave open, in words. */
function openDirections(group: Group): HTMLElement | null {
  const open = group.texts.filter((t) => /^open\.\d+$/.test(t.name));
  if (!open.length) return null;
  return el('div', {}, el('p.hint.warn', {}, 'The data do not determine these combinations of parameters; values in parentheses are only where the search ended:'),
    el('ul', {}, ...open.map((t) => el('li', {}, t.value))));
}

function scores(group: Group): string {
  const of = (name: string): number | null => find(group, name)?.value ?? null;
  const [chi2, freedom] = [of('chi2'), of('freedom')];
  const noise = group.texts.find((t) => t.name === 'noise')?.value;
  const parts = [
    noise !== 'given' ? `noise ${noise ?? 'not known'}` : chi2 !== null && freedom ? `residuals ${short(Math.sqrt(chi2 / freedom), 3)} times the noise given` : '',
    of('runs') !== null ? `${of('runs')} runs of the model` : '',
    ...group.numbers.filter((n) => n.name.endsWith('.rms')).map((n) => `${n.name.replace(/\.rms$/, '')} rms residual ${quantity(n.value, n.unit, 3)}`),
  ];
  return parts.filter(Boolean).join(' · ');
}

function whiteness(group: Group): HTMLElement | null {
  const value = find(group, 'durbin_watson')?.value;
  if (value === undefined || value === null || value >= 1.5) return null;
  return el('p.hint.warn', {}, `The residuals are not white (Durbin-Watson ${short(value, 3)}): the model lacks an effect that the data have, and the confidence intervals are too narrow.`);
}

function fitSummary(group: Group): HTMLElement {
  return el('div', {}, el('p.extent', {}, scores(group)), parameterTable(group), openDirections(group), whiteness(group));
}

const part = (group: Group, channel: string, name: string): Column | undefined =>
  group.table?.columns.find((c) => c.name === `${channel}.${name}`);

/* Measured points, the curve found and the one at the start; below it what is left. */
function curveView(group: Group, channel: string): HTMLElement {
  const x = group.table!.columns[0]!;
  const [measured, fitted, start] = ['measured', 'fitted', 'start'].map((p) => part(group, channel, p)!) as [Column, Column, Column];
  const curves: Curve[] = [
    { name: 'measured', hint: 'measured', x: valuesOf(x), y: valuesOf(measured), style: { colour: () => theme().axis, dash: undefined }, dots: true },
    { name: 'fitted', hint: 'with the parameters found', x: valuesOf(x), y: valuesOf(fitted), style: lineStyle(0) },
    { name: 'start', hint: 'with the parameters at the start of the search', x: valuesOf(x), y: valuesOf(start), style: { ...lineStyle(1), dash: [6, 4] } },
  ];
  const rest = Array.from(valuesOf(measured), (v, i) => v - valuesOf(fitted)[i]!);
  const host = el('div.loop');
  const axis = { name: x.name, unit: x.unit };
  requestAnimationFrame(() => {
    new Loop({ x: axis, y: { name: channel, unit: measured.unit }, curves, height: 380 }, host);
    new Loop({ x: axis, y: { name: 'measured minus fitted', unit: measured.unit }, height: 200,
      curves: [{ name: 'residual', hint: 'measured minus fitted', x: valuesOf(x), y: rest, style: lineStyle(0), dots: true }] }, host);
  });
  return el('div', {}, el('h3.small', {}, channel), host);
}

function correlation(group: Group): HTMLElement | null {
  const array = group.arrays.find((a) => a.name === 'correlation' && a.dims.length === 2);
  const names = paths(group);
  if (!array || names.length < 2 || array.dims[0] !== names.length) return null;
  const v = valuesOf(array);
  return el('div.scroll', {}, el('table', {}, el('caption', {}, 'Correlation of the parameters'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Parameter'), ...names.map((n) => el('th.n', { scope: 'col' }, n)))),
    el('tbody', {}, ...names.map((n, i) => el('tr', {}, el('th', { scope: 'row' }, n),
      ...names.map((_m, j) => el('td.n', {}, i === j ? '1' : aligned(v[i * names.length + j]!, 1, 3))))))));
}

function fitView(group: Group): HTMLElement[] {
  const channels = (group.table?.columns ?? []).filter((c) => c.name.endsWith('.measured')).map((c) => c.name.replace(/\.measured$/, ''));
  return [...channels.map((c) => curveView(group, c)), correlation(group)].filter((n): n is HTMLElement => n !== null);
}

const figures: FigureMaker = (group) => {
  if (!isFit(group)) return [];
  const of = 'Parameters fitted';
  const paths = group.texts.filter((t) => t.name.endsWith('.state'));
  return paths.flatMap((t) => {
    const path = t.name.replace(/\.state$/, '');
    const [unit, value, error] = [unitIn(group, path), numberIn(group, path), numberIn(group, `${path}.error`)];
    if (t.value !== 'identified') return word(of, path, t.value, { warn: true, at: value === null ? '' : `the search ended at ${quantity(value, unit, 3)}` });
    return figure(of, path, value, unit, { digits: 5, error: error ?? undefined, at: `started at ${quantity(numberIn(group, `${path}.start`), unit, 3, value)}` });
  });
};

const warnings: WarningMaker = (group) => {
  const open = isFit(group) ? group.texts.filter((t) => t.name.endsWith('.state') && t.value !== 'identified').map((t) => t.name.replace(/\.state$/, '')) : [];
  return open.length ? grave(`The data do not determine ${open.join(', ')}: their values are only where the search ended.`) : [];
};

export const fit: Analysis = {
  kind: 'fit', recognise: isFit, gaps: true, figures: [figures], warnings: [warnings], ownNumbers: true, channels: true,
  shown: (what, name) => what === 'text' && isFitText(name),
  view: (_report, group) => [fitSummary(group), ...fitView(group)],
};
