/* life.ts — indicators of belt life, hub loads and noise over a duty cycle, as tables. */
import type { Analysis } from '../../analyses/analysis';
import { lifeFigures } from './belt_figures';
import { lifeWarnings } from './belt_warnings';
import { columnOf, valuesOf, type Group, type Values } from '../../data';
import { el } from '../../dom';
import { number, short, spoken } from '../../format';
import { sheet, type SheetColumn } from '../../sheet';
import { figureList, quantity, type Figure } from '../../tables';
import { areaOf } from '../../palette';
import { onThemeChange } from '../../theme';
import { shaftSpeed } from '../../units';

const array = (group: Group, name: string): Values | null => {
  const found = group.arrays.find((a) => a.name === name && !a.omitted);
  return found ? valuesOf(found) : null;
};

const isLife = (group: Group): boolean => group.kind === 'life' && !!array(group, 'pulley.share');

const namesOf = (group: Group): string[] => (group.texts.find((t) => t.name === 'pulleys')?.value ?? '').split(',').filter(Boolean).map(spoken);
const known = (v: Values | null): boolean => !!v && Array.from(v).some(Number.isFinite);
const some = (v: Values | null): boolean => !!v && Array.from(v).some((k) => Number.isFinite(k) && k !== 0);
const value = (group: Group, name: string): number | null => group.numbers.find((n) => n.name === name)?.value ?? null;

function lifeSummary(group: Group): HTMLElement {
  const names = namesOf(group);
  const [life, used, relative] = ['duty.life', 'duty.used', 'duty.relative'].map((n) => value(group, n));
  const extreme = (title: string, of: string, sign: 1 | -1, text: (v: number) => string): Figure[] => {
    const values = Array.from(array(group, of) ?? []).map((v, i) => ({ v, i })).filter((e) => Number.isFinite(e.v));
    const best = values.sort((a, b) => sign * (b.v - a.v))[0];
    return best ? [{ name: title, value: text(best.v), at: names[best.i] ?? '' }] : [];
  };
  const first = group.table ? valuesOf(group.table.columns[0]!)[0]! : NaN;
  return el('div', {},
    el('p.extent', {}, 'Indicators: fits and guidelines, no proof.', ` Law: ${group.texts.find((t) => t.name === 'law')?.value ?? '–'}.`),
    figureList([
      ...(life !== null ? [{ name: 'life of the belt', value: quantity(life!, 's'), at: used !== null ? `the target uses up ${number(100 * used!, 3)} %` : 'over the duty cycle' }]
        : relative !== null ? [{ name: 'life of the belt', value: `${number(relative!, 3)} ×`, at: `that at ${short((first * 30) / Math.PI)} rpm; no reference is given` }] : []),
      ...extreme('most of the damage', 'pulley.share', 1, (v) => `${number(100 * v, 3)} %`),
      ...extreme('largest hub load', 'pulley.hub_most', 1, (v) => quantity(v, 'N')),
      ...extreme('smallest static safety', 'pulley.static_safety', -1, (v) => number(v, 3)),
      ...extreme('smallest dynamic safety', 'pulley.dynamic_safety', -1, (v) => number(v, 3)),
      ...extreme('smallest slip safety', 'pulley.slip_safety', -1, (v) => number(v, 3)),
    ]));
}

/* Shares of the damage as bars. */
function shares(group: Group): HTMLElement {
  const names = namesOf(group);
  const share = Array.from(array(group, 'pulley.share')!);
  const most = Math.max(...share.filter(Number.isFinite), 1e-9);
  return el('figure.shares', {}, el('figcaption', {}, "Share of the belt's damage"), ...share.map((s, i) => {
    const fill = el('span.share-fill', { style: `width:${((100 * s) / most).toFixed(2)}%` });
    const paint = (): void => void (fill.style.background = areaOf(names[i] ?? '')());
    paint();
    onThemeChange(paint);
    return el('div.share-row', {}, el('span.share-name', {}, names[i] ?? ''), el('span.share-bar', {}, fill), el('span.share-value', {}, `${number(100 * s, 3)} %`));
  }));
}

function pulleySheet(group: Group): HTMLElement {
  const column = (head: string, unit: string, name: string, more: Partial<SheetColumn> = {}): SheetColumn[] => {
    const values = array(group, `pulley.${name}`);
    return known(values) ? [{ head, unit, values: values!, ...more }] : [];
  };
  const safety = array(group, 'pulley.slip_safety');
  const where = Array.from(array(group, 'pulley.slip_speed') ?? [], (v, i) => (Number.isFinite(safety?.[i] ?? NaN) ? v : NaN));
  return sheet('Pulleys over the duty cycle', 'Pulley', namesOf(group), [
    ...column('Damage', '', 'share', { percent: true }), ...column('Largest hub load', 'N', 'hub_most'), ...column('Mean (cubic)', 'N', 'hub_equivalent'),
    ...column('Static safety', '', 'static_safety', { scale: 10 }), ...column('Dynamic safety', '', 'dynamic_safety', { scale: 10 }),
    ...column('Bearing L10', 's', 'bearing_life'), ...column('Smallest slip safety', '', 'slip_safety', { scale: 10 }), ...column('at', shaftSpeed, 'slip_speed', { values: where }),
  ]);
}

function entrySheet(group: Group): HTMLElement | null {
  const names = namesOf(group);
  const [entry, exit, position] = ['entry', 'exit', 'position'].map((n) => array(group, `span.${n}`));
  if (![entry!, exit!, position!].some(some)) return null; /* all in line */
  return sheet('Misalignment of the spans', 'From', names, [
    { head: 'To', unit: '', texts: names.map((_n, i) => names[(i + 1) % names.length]!) },
    { head: 'Entry angle', unit: 'rad', values: entry!, digits: 3 },
    ...(known(exit!) ? [{ head: 'Exit angle', unit: 'rad', values: exit!, digits: 3 }] : []),
    ...(known(position!) ? [{ head: 'Position on the pulley', unit: 'm', values: position!, digits: 3 }] : []),
  ]);
}

function dutySheet(group: Group): HTMLElement | null {
  const table = group.table;
  if (!table) return null;
  const speed = valuesOf(table.columns[0]!);
  const column = (head: string, name: string, more: Partial<SheetColumn> = {}): SheetColumn[] => {
    const c = table.columns.find((k) => k.name === name);
    return c && known(valuesOf(c)) ? [{ head, unit: c.unit, values: valuesOf(c), ...more }] : [];
  };
  return sheet('Duty cycle', 'Crank speed', Array.from(speed, (s) => `${short((s * 30) / Math.PI, 5)} rpm`), [
    ...column('Time', 'weight', { percent: true }), ...column('Belt speed', 'belt.speed'), ...column('Passes', 'belt.passes'),
    ...column('Mean tension', 'belt.tension'), ...column('Life there', 'life'), ...column('Life relative to the first', 'relative'),
  ]);
}

function frequencySheet(group: Group): HTMLElement | null {
  const names = namesOf(group);
  const keys = group.table?.columns.map((c) => /^span\.(.+)\.frequency$/.exec(c.name)?.[1]).filter((k): k is string => !!k) ?? [];
  if (!keys.length) return null;
  const speed = valuesOf(group.table!.columns[0]!);
  return sheet('First frequency of the spans [Hz]', 'Span after', names, Array.from(speed, (s, i) => ({
    head: `${short((s * 30) / Math.PI, 5)} rpm`, unit: '', values: keys.map((k) => columnOf(group.table, `span.${k}.frequency`)![i]!), scale: 100 })));
}

function resonanceSheet(group: Group): HTMLElement | null {
  const names = namesOf(group);
  const [order, span, multiple, speed, frequency, margin] = ['order', 'span', 'multiple', 'speed', 'frequency', 'margin'].map((n) => array(group, `resonance.${n}`));
  if (!order || !span || !speed || !frequency) return null;
  const rows = Array.from(order, (_o, i) => i);
  return sheet('Orders that meet a span', 'Span', rows.map((i) => `${names[span[i]! - 1]} → ${names[span[i]! % names.length]}`), [
    { head: 'Order', unit: '', values: order },
    { head: 'Meets', unit: '', texts: rows.map((i) => (multiple && multiple[i]! > 1.5 ? 'twice the frequency' : 'the frequency')) },
    { head: 'Crank', unit: shaftSpeed, values: speed }, { head: 'Frequency', unit: 'Hz', values: frequency },
    ...(margin ? [{ head: 'Distance to the duty cycle', unit: shaftSpeed, values: margin }] : []),
  ]);
}

function lifeView(group: Group): HTMLElement[] {
  const resonances = resonanceSheet(group);
  return [
    el('div.beside', {}, shares(group), dutySheet(group)), pulleySheet(group), el('div.beside', {}, frequencySheet(group), entrySheet(group)),
    resonances && el('details', { open: (array(group, 'resonance.order')?.length ?? 0) <= 20 }, el('summary', {}, 'Resonances of the spans'), resonances),
  ].filter((n): n is HTMLElement => n !== null);
}

export const life: Analysis = {
  kind: 'life', recognise: isLife, gaps: true, compared: { first: /^(life|damage)$/ }, figures: [lifeFigures], warnings: [lifeWarnings], ownNumbers: true,
  view: (_report, group) => [lifeSummary(group), ...lifeView(group)], channels: true,
};
