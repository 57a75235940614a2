/* study_effects.ts — what matters: mean of a response over each factor with its confidence, one factor at a time as a tornado, and
 * sensitivities as bars. */
import { largestOf } from './chart';
import { el, svg } from './dom';
import { aligned, number, roundValues, short } from './format';
import { evenly } from './plane';
import { axisName, valueText, type Axis, type Effect, type Estimate, type Sensitivity, type Study, type Tornado } from './study_data';
import { quantity } from './tables';
import { lineStyle, onThemeChange, theme } from './theme';
import { displayUnit, withUnit, type DisplayUnit } from './units';
import { canvas, cut, line, polygon, polyline, told, vectorFigure, words } from './vector';

const factorOf = (study: Study, name: string): Axis => study.factors.find((f) => f.name === name)!;
export const percent = (share: number): string => `${short(100 * share, 2)} %`;

const swatch = (colour: () => string): HTMLElement => {
  const key = el('span.key');
  const paint = (): void => void (key.style.background = colour());
  paint();
  onThemeChange(paint);
  return key;
};

/* ---- main effects ----------------------------------------------------------------------------------------------- */

const mostEffects = 24;
const panel = { least: 140, height: 138, top: 24, bottom: 24, left: 58, gap: 12 };

const range = (e: Effect): number => {
  const v = Array.from(e.mean).filter(Number.isFinite);
  return v.length ? Math.max(...v) - Math.min(...v) : -1;
};

function panelOf(study: Study, response: Axis, e: Effect, x0: number, y0: number, width: number, limits: [number, number]): SVGElement[] {
  const f = factorOf(study, e.factor);
  const unit = unitOf(response, limits);
  const at = Array.from(e.at);
  const logarithmic = !f.labels && at.length > 2 && at[0]! > 0 && !evenly(at) && evenly(at, true);
  const of = (v: number): number => (logarithmic ? Math.log(v) : v);
  const [first, last] = f.labels ? [0.5, at.length + 0.5] : [of(at[0]!), of(at[at.length - 1]!)];
  const pad = f.labels ? 0 : 10;
  const px = (v: number): number => x0 + pad + ((of(v) - first) / (last - first || 1)) * (width - 2 * pad);
  const py = (v: number): number => y0 + panel.top + (1 - (v - limits[0]) / (limits[1] - limits[0] || 1)) * (panel.height - panel.top - panel.bottom);
  const bottom = y0 + panel.height - panel.bottom;
  const shown = displayUnit(f.unit, largestOf([at]));
  const out: SVGElement[] = [words(x0, y0 + 13, cut(`${f.name}${!f.labels && shown.text ? ` [${shown.text}]` : ''}${logarithmic ? ', log' : ''}`, width, 13), 'start', false, 13)];
  for (const v of roundValues(limits[0] / unit.size, limits[1] / unit.size, 5)) out.push(line(x0, py(v * unit.size), x0 + width, py(v * unit.size), theme().grid));
  out.push(line(x0, bottom, x0 + width, bottom, theme().axis));
  const colour = lineStyle(0).colour();
  const good = at.map((_v, i) => i).filter((i) => Number.isFinite(e.mean[i]!));
  const sure = good.filter((i) => e.low && e.high && Number.isFinite(e.low[i]!) && Number.isFinite(e.high[i]!));
  if (!f.labels && sure.length > 1)
    out.push(polygon([...sure.map((i): [number, number] => [px(at[i]!), py(e.high![i]!)]), ...[...sure].reverse().map((i): [number, number] => [px(at[i]!), py(e.low![i]!)])], colour, 0.2));
  if (!f.labels) out.push(polyline(good.map((i) => [px(at[i]!), py(e.mean[i]!)]), colour, 1.8));
  for (const i of good) {
    if (f.labels && sure.includes(i)) out.push(line(px(at[i]!), py(e.low![i]!), px(at[i]!), py(e.high![i]!), colour, 1.8));
    const sureText = sure.includes(i) ? `, between ${quantity(e.low![i]!, response.unit)} and ${quantity(e.high![i]!, response.unit)}` : '';
    out.push(told(svg('circle', { cx: px(at[i]!).toFixed(1), cy: py(e.mean[i]!).toFixed(1), r: f.labels ? 4 : good.length > 40 ? 0.9 : 2.6, fill: colour }),
      `${f.name} ${valueText(f, at[i]!)}: mean ${response.name} ${quantity(e.mean[i]!, response.unit)}${sureText}`));
  }
  if (f.labels) at.forEach((v) => out.push(words(px(v), bottom + 15, cut(valueText(f, v), width / at.length - 4), 'middle')));
  else out.push(words(x0, bottom + 15, short(at[0]! / shown.size), 'start'), words(x0 + width, bottom + 15, short(at[at.length - 1]! / shown.size), 'end'));
  return out;
}

function limitsOf(effects: Effect[]): [number, number] {
  const all = effects.flatMap((e) => [e.mean, e.low, e.high].flatMap((v) => (v ? Array.from(v) : []))).filter(Number.isFinite);
  const [low, high] = all.length ? [Math.min(...all), Math.max(...all)] : [0, 1];
  const margin = 0.05 * (high - low) || Math.abs(high) * 0.05 || 1;
  return [low - margin, high + margin];
}

const unitOf = (response: Axis, limits: [number, number]): DisplayUnit => displayUnit(response.unit, Math.max(...limits.map(Math.abs)));

function effectsSvg(study: Study, response: Axis, effects: Effect[], width: number): SVGElement {
  const limits = limitsOf(effects);
  const across = Math.max(1, Math.min(effects.length, Math.floor((width - panel.left + panel.gap) / (panel.least + panel.gap))));
  const wide = Math.min(280, (width - panel.left + panel.gap) / across - panel.gap);
  const rows = Math.ceil(effects.length / across);
  const unit = unitOf(response, limits);
  const parts: SVGElement[] = [];
  for (let r = 0; r < rows; r++)
    for (const v of roundValues(limits[0] / unit.size, limits[1] / unit.size, 5)) {
      const y = r * panel.height + panel.top + (1 - (v * unit.size - limits[0]) / (limits[1] - limits[0])) * (panel.height - panel.top - panel.bottom);
      parts.push(words(panel.left - 6, y + 4, short(v), 'end'));
    }
  effects.forEach((e, k) => parts.push(...panelOf(study, response, e, panel.left + (k % across) * (wide + panel.gap), Math.floor(k / across) * panel.height, wide, limits)));
  return canvas(width, rows * panel.height, `Mean of ${response.name} vs each factor: ${effects.map((e) => `${e.factor} changes it by ${quantity(range(e), response.unit, 3)}`).join('; ')}`, parts);
}

export function effectsView(study: Study): HTMLElement[] {
  const figures = study.responses.flatMap((response) => {
    const found = (study.effects.get(response.name) ?? []).filter((e) => Array.from(e.mean).some(Number.isFinite));
    if (!found.length) return [];
    const effects = [...found].sort((a, b) => range(b) - range(a));
    const shown = effects.slice(0, mostEffects);
    const unit = unitOf(response, limitsOf(shown));
    return [vectorFigure({
      title: withUnit(`Mean of ${response.name}`, unit), caption: effects.length > mostEffects ? `vs the ${mostEffects} factors with the largest effects, largest first` : 'vs each factor, largest effect first',
      height: 160, draw: (width) => effectsSvg(study, response, shown, width),
      table: () => ({ notes: [`mean of ${response.name} of the cases at each value of a factor, with its confidence interval`], columns: [
        { name: 'factor', values: effects.flatMap((e) => Array.from(e.at, () => e.factor)) },
        { name: 'at', values: effects.flatMap((e) => Array.from(e.at, (v) => (factorOf(study, e.factor).labels ? valueText(factorOf(study, e.factor), v) : String(v)))) },
        { name: `mean of ${response.name}`, unit: response.unit, values: effects.flatMap((e) => Array.from(e.mean)) },
        { name: 'low', unit: response.unit, values: effects.flatMap((e) => Array.from(e.low ?? e.mean)) },
        { name: 'high', unit: response.unit, values: effects.flatMap((e) => Array.from(e.high ?? e.mean)) }] }),
    })];
  });
  if (!figures.length) return [];
  return [...figures, el('p.hint', {}, 'Each point is the mean of all cases with this value of the factor (or in this part of its range), while the other factors vary; band: confidence interval. A flat line means that the factor alone has no effect.')];
}

/* ---- one factor at a time ---------------------------------------------------------------------------------------- */

function tornadoSvg(study: Study, response: Axis, t: Tornado, width: number): SVGElement {
  const spanOf = (i: number): number => Math.max(t.most[i]!, t.low[i]!, t.high[i]!, t.nominal) - Math.min(t.least[i]!, t.low[i]!, t.high[i]!, t.nominal);
  const order = study.factors.map((_f, i) => i).filter((i) => Number.isFinite(t.low[i]!) || Number.isFinite(t.high[i]!)).sort((a, b) => spanOf(b) - spanOf(a));
  const names = Math.min(0.32 * width, 16 + 7 * Math.max(4, ...order.map((i) => study.factors[i]!.name.length)));
  const [left, right, rowHeight, top] = [names, 4, 34, 22];
  const all = [t.nominal, ...order.flatMap((i) => [t.low[i]!, t.high[i]!, t.least[i]!, t.most[i]!])].filter(Number.isFinite);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  /* Values of the factors stand beside the bars. */
  const aside = Math.min(0.2 * width, 16 + 6.4 * Math.max(...order.flatMap((i) => [valuesLow(study.factors[i]!), valuesHigh(study.factors[i]!)].map((v) => valueText(study.factors[i]!, v, 3).length))));
  const span = high - low || Math.abs(high) * 0.1 || 1;
  const px = (v: number): number => left + aside + ((v - low) / span) * (width - left - right - 2 * aside);
  const room = (aside * span) / (width - left - right - 2 * aside); /* as much in the response */
  const height = top + order.length * rowHeight + 26;
  const unit = displayUnit(response.unit, largestOf([all]));
  const parts: SVGElement[] = [];
  for (const v of roundValues((low - room) / unit.size, (high + room) / unit.size, width < 500 ? 4 : 7)) {
    parts.push(line(px(v * unit.size), top, px(v * unit.size), height - 26, theme().grid), words(px(v * unit.size), height - 9, short(v), 'middle'));
  }
  order.forEach((i, k) => {
    const f = study.factors[i]!;
    const y = top + k * rowHeight;
    const ends = [{ v: t.low[i]!, at: 'lowest' as const }, { v: t.high[i]!, at: 'highest' as const }].filter((e) => Number.isFinite(e.v));
    parts.push(words(left - 8, y + 20, cut(f.name, left - 8, 13), 'end', false, 13));
    parts.push(line(px(t.least[i]!), y + 16, px(t.most[i]!), y + 16, theme().text, 1.2));
    const [from, to] = [valuesLow(f), valuesHigh(f)];
    for (const e of ends) {
      const colour = lineStyle(e.at === 'lowest' ? 0 : 1).colour();
      const value = e.at === 'lowest' ? from : to;
      parts.push(told(svg('rect', { x: Math.min(px(e.v), px(t.nominal)), y: y + 8, width: Math.max(1, Math.abs(px(e.v) - px(t.nominal))), height: 16, fill: colour, rx: 2, 'data-factor': f.name, 'data-end': e.at }),
        `${f.name} ${valueText(f, value)}: ${response.name} ${quantity(e.v, response.unit)}, ${e.v >= t.nominal ? '+' : ''}${quantity(e.v - t.nominal, response.unit, 3)}`));
    }
    const both = ends.length === 2 && Math.sign(ends[0]!.v - t.nominal) === Math.sign(ends[1]!.v - t.nominal);
    ends.forEach((e) => {
      const value = e.at === 'lowest' ? from : to;
      const toRight = both ? e.v >= t.nominal : e.v > t.nominal || (e.v === t.nominal && e.at === 'highest');
      const other = ends.find((o) => o !== e);
      const [size, others] = [Math.abs(e.v - t.nominal), Math.abs((other?.v ?? t.nominal) - t.nominal)];
      if (both && (others > size || (others === size && e.at === 'highest'))) return; /* its bar lies within the other one */
      const at = toRight ? Math.max(e.v, t.most[i]!) : Math.min(e.v, t.least[i]!);
      const text = both && other ? `${valueText(f, from, 3, to)}, ${valueText(f, to, 3)}` : valueText(f, value, 3, to);
      parts.push(words(px(at) + (toRight ? 6 : -6), y + 20, cut(text, toRight ? width - px(at) - 6 : px(at) - left - 4), toRight ? 'start' : 'end'));
    });
  });
  parts.push(line(px(t.nominal), top - 4, px(t.nominal), height - 26, theme().text, 1.5), words(px(t.nominal), 13, `nominal ${quantity(t.nominal, response.unit)}`, 'middle', false));
  return canvas(width, height, `${response.name} one factor at a time, nominal ${quantity(t.nominal, response.unit)}: ${order.map((i) =>
    `${study.factors[i]!.name} from ${quantity(t.low[i]!, response.unit)} to ${quantity(t.high[i]!, response.unit)}`).join('; ')}`, parts);
}

const valuesLow = (f: Axis): number => Array.from(f.values).filter(Number.isFinite).reduce((a, b) => Math.min(a, b), Infinity);
const valuesHigh = (f: Axis): number => Array.from(f.values).filter(Number.isFinite).reduce((a, b) => Math.max(a, b), -Infinity);

export function tornadoView(study: Study): HTMLElement[] {
  return study.tornados.flatMap((t) => {
    const response = study.responses.find((r) => r.name === t.response)!;
    const unit = displayUnit(response.unit, largestOf([t.low, t.high, [t.nominal]]));
    return [vectorFigure({
      title: withUnit(response.name, unit), caption: 'one factor at a time at its lowest and highest value, the others nominal',
      height: 60 + 34 * study.factors.length, draw: (width) => tornadoSvg(study, response, t, width),
      foot: [el('p.extent', {}, swatch(() => lineStyle(0).colour()), 'factor at its lowest   ', swatch(() => lineStyle(1).colour()), 'at its highest; thin line: range over all its values')],
      table: () => ({ notes: [`nominal ${response.name}: ${t.nominal}`], columns: [
        { name: 'factor', values: study.factors.map((f) => f.name) },
        ...(['low', 'high', 'least', 'most'] as const).map((what) => ({ name: `${response.name} ${what}`, unit: response.unit, values: t[what] }))] }),
    })];
  });
}

/* ---- sensitivities ---------------------------------------------------------------------------------------------- */

const row = 26;
const share = (v: number): string => aligned(v, 1, 4);
const called: Record<string, string> = { first: 'first', total: 'total', regression: 'coefficient' };

function barsSvg(study: Study, response: string, kinds: Estimate[], by: Estimate, width: number): SVGElement {
  const size = (i: number): number => (!Number.isFinite(by.values[i]!) ? -Infinity : by.name === 'regression' ? Math.abs(by.values[i]!) : by.values[i]!);
  const order = study.factors.map((_f, i) => i).filter((i) => kinds.some((k) => Number.isFinite(k.values[i]!)))
    .sort((a, b) => (size(a) === size(b) ? a - b : size(b) - size(a)));
  const [left, right] = [Math.min(0.34 * width, 20 + 7 * Math.max(4, ...order.map((i) => study.factors[i]!.name.length))), 62];
  const height = order.length * (row * Math.max(1, kinds.length * 0.75)) + 26;
  const all = kinds.flatMap((k) => order.flatMap((i) => [k.values[i]!, k.high?.[i] ?? NaN, k.low?.[i] ?? NaN])).filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...all), Math.max(1e-12, ...all)];
  /* Numbers of negative bars stand at their left. */
  const begin = low < -1e-9 ? left + 46 : left;
  const px = (v: number): number => begin + ((v - low) / (high - low)) * (width - begin - right);
  const step = (height - 26) / Math.max(1, order.length);
  const thick = Math.min(14, (step - 6) / kinds.length);
  const parts: SVGElement[] = [svg('line', { x1: px(0), x2: px(0), y1: 0, y2: height - 22, stroke: theme().axis })];
  order.forEach((i, k) => {
    const y = k * step + 3;
    parts.push(words(left - 10, y + step / 2 + 1, cut(study.factors[i]!.name, left - 14, 13), 'end', false, 13));
    kinds.forEach((kind, j) => {
      const v = kind.values[i]!;
      if (!Number.isFinite(v)) return;
      const top = y + j * (thick + 2) + 1;
      parts.push(told(svg('rect', { x: Math.min(px(0), px(v)), y: top, width: Math.max(1, Math.abs(px(v) - px(0))), height: thick, fill: lineStyle(v < 0 && kind.name === 'regression' ? 1 : j).colour(), rx: 2 }),
        `${study.factors[i]!.name}: ${called[kind.name] ?? kind.name} ${share(v)}`));
      const [a, b] = [kind.low?.[i] ?? NaN, kind.high?.[i] ?? NaN];
      const sure = Number.isFinite(a) && Number.isFinite(b);
      if (sure) {
        const middle = top + thick / 2;
        parts.push(svg('line', { x1: px(a), x2: px(b), y1: middle, y2: middle, stroke: theme().text, 'stroke-width': 1.5 }));
        for (const e of [a, b]) parts.push(svg('line', { x1: px(e), x2: px(e), y1: middle - 4, y2: middle + 4, stroke: theme().text, 'stroke-width': 1.5 }));
      }
      const [from, to] = [Math.min(v, sure ? a : v, 0), Math.max(v, sure ? b : v, 0)];
      parts.push(v < 0 ? words(px(from) - 7, top + thick - 2, share(v), 'end') : words(px(to) + 7, top + thick - 2, share(v)));
    });
  });
  for (const v of roundValues(low, high, 5)) parts.push(words(px(v), height - 6, short(v, 3), 'middle'));
  const said = order.map((i) => `${study.factors[i]!.name} ${kinds.map((k) => `${called[k.name] ?? k.name} ${share(k.values[i]!)}`).join(', ')}`).join('; ');
  return canvas(width, height, `Sensitivity of ${response}: ${said}`, parts);
}

const legend = (kinds: Estimate[], texts: Record<string, string>): HTMLElement => el('p.extent', {}, ...kinds.flatMap((k, j) =>
  [swatch(() => lineStyle(j).colour()), `${texts[k.name] ?? k.name}${k.low ? ', with its confidence interval' : ''}   `]));

const barTable = (study: Study, kinds: Estimate[]) => () => ({ notes: [], columns: [{ name: 'factor', values: study.factors.map((f) => f.name) },
  ...kinds.flatMap((k) => [{ name: k.name, unit: '', values: k.values }, ...(k.low && k.high ? [{ name: `${k.name}.low`, unit: '', values: k.low }, { name: `${k.name}.high`, unit: '', values: k.high }] : [])])] });

/* How far the linear view goes. */
export function linearWords(r2: number): string {
  const said = `Straight lines in all factors explain ${percent(r2)} of the variance (R² ${number(r2, 3)})`;
  if (r2 >= 0.9) return `${said}: the coefficients say nearly all.`;
  if (r2 >= 0.6) return `${said}: the coefficients show the trend; the rest is curved, or factors act together.`;
  return `${said}: too little to go by the coefficients. Look at the shares of the variance and at the main effects.`;
}

/* What first-order shares leave open. */
function shareWords(s: Sensitivity): string | null {
  const first = s.shares.find((k) => k.name === 'first');
  if (!first) return null;
  const sum = Array.from(first.values).filter((v) => v > 0).reduce((a, b) => a + b, 0); /* below zero is noise */
  if (s.r2 !== null && s.r2 > sum + 0.05)
    return `The first-order shares add up to ${percent(sum)}, below what straight lines explain; they are uncertain, see their confidence intervals.`;
  return sum > 1.02 ? `The first-order shares add up to ${percent(sum)}, above 100 %: they are uncertain, or factors depend on each other.`
    : `Single factors explain ${percent(sum)} of the variance${sum < 0.98 ? `; the rest comes from factors that act together${first.low ? ', or is not resolved by these cases' : ''}` : ''}.`;
}

export function sensitivityView(study: Study): HTMLElement[] {
  const blocks = study.sensitivities.map((s) => {
    const axis = study.responses.find((r) => r.name === s.response);
    const height = 40 + row * study.factors.length;
    const by = s.shares[s.shares.length - 1] ?? s.regression!; /* the order of factors, in both figures */
    const shares = s.shares.length ? [vectorFigure({
      title: `${s.response}: shares of the variance`, height, draw: (width) => barsSvg(study, s.response, s.shares, by, width), table: barTable(study, s.shares),
      foot: [legend(s.shares, { first: 'first: by the factor alone', total: 'total: with all its interactions' })],
    })] : [];
    const regression = s.regression ? [vectorFigure({
      title: `${s.response}: standardised regression coefficients`, height, draw: (width) => barsSvg(study, s.response, [s.regression!], by, width), table: barTable(study, [s.regression]),
      foot: [el('p.extent', {}, 'Change of the response in its standard deviations for one standard deviation of the factor; negative: the response falls as the factor grows.')],
    })] : [];
    const said = [s.shares.length ? shareWords(s) : null, s.r2 !== null ? linearWords(s.r2) : null].filter((t) => t !== null);
    return el('div.sensitivity-block', { role: 'group', 'aria-label': `Sensitivities of ${s.response}` }, el('h3', {}, axis ? axisName(axis) : s.response),
      el('p', {}, said.join(' ')), el('div.sensitivities', {}, ...shares, ...regression));
  });
  return blocks.length && study.sensitivityKind ? [el('p.hint', {}, `Method: ${study.sensitivityKind}.`), ...blocks] : blocks;
}
