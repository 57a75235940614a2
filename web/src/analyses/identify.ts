/* identify.ts — an identification: parameters with their intervals, the laws side by side, the loops overlaid.
 *
 * An identification (src/analysis/identify/identify.c) stores numbers "<law>.<parameter>" with "....error", "....low" and
 * "....high" beside them, numbers "<law>.rms" and other scores, texts "best" and "<law>.refusal", and the vectors of
 * one cycle "loop.deflection", "<law>.loop.force" with the measured "deflection" and "force".
 */
import type { Analysis } from './analysis';
import { channelView } from '../channels';
import type { Link } from '../chart';
import { asColumn, valuesOf, vectorTables, type Column, type Group, type NumberData } from '../data';
import { el } from '../dom';
import { figure, numberIn, textIn, unitIn, type FigureMaker } from '../figure';
import { isFit } from './fit';
import { aligned, short } from '../format';
import { Loop, type Curve } from '../loop';
import { quantity } from '../tables';
import { lineStyle, theme } from '../theme';
import type { WarningMaker } from '../warning';

interface Parameter {
  law: string;
  name: string;
  value: NumberData;
  error?: NumberData;
  low: NumberData;
  high: NumberData;
}

const find = (group: Group, name: string): NumberData | undefined => group.numbers.find((n) => n.name === name);

function parameters(group: Group): Parameter[] {
  const found: Parameter[] = [];
  for (const value of group.numbers) {
    const low = find(group, `${value.name}.low`);
    const high = find(group, `${value.name}.high`);
    if (!low || !high) continue;
    const dot = value.name.indexOf('.');
    found.push({ law: value.name.slice(0, Math.max(0, dot)), name: value.name.slice(dot + 1), value, low, high,
      error: find(group, `${value.name}.error`) });
  }
  return found;
}

const lawsOf = (group: Group): string[] => [...new Set(parameters(group).map((p) => p.law))];

const isIdentification = (group: Group): boolean => parameters(group).length > 0 ||
  group.texts.some((t) => t.name.endsWith('.refusal'));

/* Numbers that the tables of parameters and scores do not show. */
function otherNumbers(group: Group): NumberData[] {
  const laws = lawsOf(group);
  return group.numbers.filter((n) => !laws.some((law) => n.name.startsWith(`${law}.`)));
}

function parameterTable(law: string, list: Parameter[]): HTMLElement {
  const row = (p: Parameter): HTMLElement => {
    const like = p.value.value;
    const write = (n: NumberData | undefined): HTMLElement =>
      el('td.n', {}, n ? quantity(n.value, p.value.unit, 5, like) : '–');
    const share = p.error?.value && like ? `${short((100 * p.error.value) / Math.abs(like), 2)} %` : '–';
    return el('tr', {}, el('th', { scope: 'row' }, p.name), el('td', {}, p.value.long_name), write(p.value),
      el('td.n', {}, share), write(p.low), write(p.high));
  };
  return el('div.scroll', {}, el('table', {}, el('caption', {}, `Parameters of the law ${law}`),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Parameter'), el('th', { scope: 'col' }, 'Meaning'),
      ...['Estimate', 'Standard error', '95 % from', 'to'].map((t) => el('th.n', { scope: 'col' }, t)))),
    el('tbody', {}, ...list.map(row))));
}

/* Scores that laws have in common, one column for each law. */
function scores(group: Group): HTMLElement | null {
  const laws = lawsOf(group);
  const known = new Set(parameters(group).flatMap((p) => ['', '.error', '.low', '.high', '.start'].map((e) => p.value.name + e)));
  const rows = new Map<string, NumberData[]>();
  for (const n of group.numbers) {
    const law = laws.find((l) => n.name.startsWith(`${l}.`));
    if (!law || known.has(n.name)) continue;
    const part = n.name.slice(law.length + 1);
    rows.set(part, [...(rows.get(part) ?? []), n]);
  }
  if (!rows.size) return null;
  return el('div.scroll', {}, el('table', {}, el('caption', {}, laws.length > 1 ? 'The laws side by side' : 'Fit'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Score'), ...laws.map((l) => el('th.n', { scope: 'col' }, l)))),
    el('tbody', {}, ...[...rows].map(([part, list]) => el('tr', {}, el('th', { scope: 'row' }, list[0]!.long_name || part),
      ...laws.map((l) => {
        const n = list.find((k) => k.name === `${l}.${part}`);
        return el('td.n', {}, n ? quantity(n.value, n.unit, 4) : '–');
      }))))));
}

/* Correlation of the parameters of each law: near 1 or -1, the data hardly tell two of them apart. */
function correlations(group: Group): HTMLElement[] {
  return lawsOf(group).flatMap((law) => {
    const array = group.arrays.find((a) => a.name === `${law}.correlation` && a.dims.length === 2);
    const names = parameters(group).filter((p) => p.law === law).map((p) => p.name);
    if (!array || array.dims[0] !== names.length || array.dims[1] !== names.length) return [];
    const v = valuesOf(array);
    return [el('div.scroll', {}, el('table', {}, el('caption', {}, `Correlation of the parameters of ${law}`),
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Parameter'), ...names.map((n) => el('th.n', { scope: 'col' }, n)))),
      el('tbody', {}, ...names.map((n, i) => el('tr', {}, el('th', { scope: 'row' }, n),
        ...names.map((_m, j) => el('td.n', {}, i === j ? '1' : aligned(v[i * names.length + j]!, 1, 4))))))))];
  });
}

const isCorrelation = (name: string): boolean => name.endsWith('.correlation');

/* Residuals with a pattern: the law misses something, whatever its intervals say. */
function whiteness(group: Group): HTMLElement[] {
  return lawsOf(group).flatMap((law) => {
    const value = find(group, `${law}.durbin_watson`)?.value;
    if (value === undefined || value === null || Math.abs(value - 2) < 0.5) return [];
    return [el('p.hint.warn', {}, `${law}: the residuals are not white (Durbin-Watson ${short(value, 3)}). The law or the ` +
      'noise model misses something, and the intervals are too narrow.')];
  });
}

/* For the summary: which law, its parameters, and what was refused. */
function identification(group: Group): HTMLElement {
  const best = group.texts.find((t) => t.name === 'best')?.value;
  const all = parameters(group);
  const refusals = group.texts.filter((t) => t.name.endsWith('.refusal'));
  const laws = lawsOf(group).sort((a, b) => Number(b === best) - Number(a === best));
  return el('div', {},
    best && best !== 'none' && laws.length > 1 ? el('p', {}, 'The better law is ', el('strong', {}, best), '.') : null,
    ...refusals.map((t) => el('p.notice', {}, `${t.name.replace(/\.refusal$/, '')}: ${t.value}`)),
    ...laws.map((law) => parameterTable(law, all.filter((p) => p.law === law))),
    ...whiteness(group), scores(group));
}

/* Measured points and the loop of each law; null when the vectors are not there. */
function loopOverlay(group: Group): HTMLElement | null {
  const vector = (name: string) => group.arrays.find((a) => a.name === name && a.dims.length === 1);
  const u = vector('deflection');
  const f = vector('force');
  const phase = vector('loop.deflection');
  if (!u || !f || u.dims[0] !== f.dims[0]) return null;
  const close = (v: ArrayLike<number>): number[] => [...Array.from(v), v[0]!];
  const curves: Curve[] = [{ name: 'measured', hint: 'measured force', x: valuesOf(u), y: valuesOf(f),
    style: { colour: () => theme().axis, dash: undefined } }];
  for (const law of lawsOf(group)) {
    const force = vector(`${law}.loop.force`);
    if (!force || !phase || force.dims[0] !== phase.dims[0]) continue;
    curves.push({ name: law, hint: `loop of the law ${law}`, x: close(valuesOf(phase)), y: close(valuesOf(force)),
      style: lineStyle(curves.length - 1) });
  }
  const host = el('div.loop');
  requestAnimationFrame(() => new Loop({ x: { name: 'deflection', unit: u.unit }, y: { name: 'force', unit: f.unit },
    curves, height: 420 }, host));
  return el('div', {}, el('h3.small', {}, 'Measured loop and laws'), host);
}

/* Measured and computed force over time, with what each law leaves unexplained. */
function fitOverTime(group: Group, link?: Link): HTMLElement[] {
  return vectorTables(group.arrays).tables.filter((t) => t.columns[0]!.name === 'time').map((table) => {
    const force = table.columns.find((c) => c.name === 'force');
    const residuals: Column[] = [];
    for (const law of lawsOf(group)) {
      const fitted = table.columns.find((c) => c.name === `${law}.force`);
      if (!force || !fitted) continue;
      const f = valuesOf(force);
      const left = Array.from(valuesOf(fitted), (v, i) => f[i]! - v);
      residuals.push(asColumn({ name: `${law}.residual`, unit: force.unit, long_name: `measured force minus that of ${law}` }, left));
    }
    return channelView({ ...table, columns: [...table.columns, ...residuals] },
      { loop: false, first: /(^|\.)(force|residual)$/, ...(link ? { link } : {}) });
  });
}

/* ---- key figures, warnings ---------------------------------------------------------------------------------------- */

const known = (group: Group): string[] => group.numbers.filter((n) => group.numbers.some((k) => k.name === `${n.name}.low`)).map((n) => n.name);

/* "k0, stiffness" */
function told(group: Group, name: string): string {
  const [short, long] = [name.slice(name.indexOf('.') + 1), group.numbers.find((n) => n.name === name)?.long_name ?? ''];
  return long && long !== name && long.length < 40 ? `${short}, ${long}` : short;
}

const figures: FigureMaker = (group) => {
  if (isFit(group) || !isIdentification(group)) return [];
  const best = textIn(group, 'best');
  const law = best && best !== 'none' ? best : known(group)[0]?.replace(/\..*$/, '');
  const list = known(group).filter((n) => n.startsWith(`${law}.`));
  const of = `Parameters identified${law ? `, law ${law}` : ''}`;
  return [
    ...list.flatMap((name) => figure(of, told(group, name), numberIn(group, name), unitIn(group, name), { digits: 5, error: numberIn(group, `${name}.error`) ?? undefined,
      at: `95 %: ${quantity(numberIn(group, `${name}.low`), unitIn(group, name), 4, numberIn(group, name))} … ${quantity(numberIn(group, `${name}.high`), unitIn(group, name), 4, numberIn(group, name))}` })),
    ...figure(of, 'left unexplained', numberIn(group, `${law}.rms`), unitIn(group, `${law}.rms`), { digits: 3, at: 'rms of the residuals' }),
  ];
};

const warnings: WarningMaker = (group) =>
  group.texts.filter((t) => t.name.endsWith('.refusal')).map((t) => ({ text: `${t.name.replace(/\.refusal$/, '')} was refused: ${t.value}`, grave: true }));

/* Known by its parameters and refusals: an analysis of any kind may identify. */
export const identify: Analysis = {
  recognise: isIdentification, figures: [figures], warnings: [warnings], ownNumbers: true,
  shown: (what, name) => (what === 'text' ? /^best$|\.refusal$/.test(name) : isCorrelation(name)),
  textTitle: (name) => name.replace(/^(.*)\.model$/, 'The law $1, to paste into a model file'),
  numbers: otherNumbers,
  opening: (_report, group) => [identification(group), ...[loopOverlay(group)].filter((n): n is HTMLElement => n !== null)],
  vectors: (group, link) => [...fitOverTime(group, link), el('div.beside', {}, ...correlations(group))],
};
