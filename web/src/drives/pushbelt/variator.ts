/* variator.ts — a run of a pushbelt variator: key figures, the curves along the belt, polar plots of the arcs, losses. */
import { Chart, Link, type Line } from '../../chart';
import { valuesOf, type ArrayData, type Group, type NumberData } from '../../data';
import { el } from '../../dom';
import { number, short } from '../../format';
import { sheet, type SheetColumn } from '../../sheet';
import { sectionNames } from './names';
import { interval, passesPower } from './stationary';
import { figureList, quantity, type Figure } from '../../tables';
import { lineStyle } from '../../theme';
import { displayUnit, shaftSpeed } from '../../units';
import { lossFigure } from './variator_losses';
import { polarView } from './variator_polar';

export const isVariator = (group: Group): boolean => group.numbers.some((n) => n.name === 'variator.ratio');

const isBeside = (name: string): boolean => name === 'continuum' || /^(continuum|distance)\.(thrust_ratio|speed_ratio|efficiency|push|ring)/.test(name);

/* What is shown in a place of its own. */
export const isVariatorName = (name: string): boolean => /^(variator|along|loss|history|end)\./.test(name) || name === 'contact.histogram' || isBeside(name) || name === 'sections' || name === 'not_stationary' || /^coarse\./.test(name);

/* Channels that one looks at first. */
export const firstOfVariator = /^ratio\.|^(upper|lower)\.(push|tension)$|^(primary|secondary)\.(thrust|torque)$|^belt\.open$/;
export const variatorRank = (name: string): number => (/^ratio\./.test(name) ? 0 : /^(upper|lower)\./.test(name) ? 1 : firstOfVariator.test(name) ? 2 : /^(belt|primary|secondary)\./.test(name) ? 3 : 9);

const numberOf = (group: Group, name: string): NumberData | undefined => group.numbers.find((n) => n.name === `variator.${name}`);
const value = (group: Group, name: string): number => numberOf(group, name)?.value ?? NaN;

export const curveOf = (group: Group, name: string): ArrayData | undefined =>
  group.arrays.find((a) => a.name === `along.${name}` && !a.omitted);

/* "1.3402 ± 0.0012" */
function withError(group: Group, name: string): string {
  const [v, e] = [value(group, name), value(group, `${name}.error`)];
  if (!Number.isFinite(v) || (/^efficiency/.test(name) && !passesPower(value(group, 'torque_ratio')))) return '–';
  if (/^(efficiency|slip$|ring_share|sticking)/.test(name)) return `${number(100 * v, 4)}${Number.isFinite(e) ? ` ± ${number(100 * interval * e, 2)}` : ''} %`;
  const unit = /^speed_/.test(name) ? shaftSpeed : numberOf(group, name)?.unit ?? '';
  if (!(Number.isFinite(e) && e > 1e-9 * Math.abs(v))) return quantity(v, unit, 5);
  const shown = displayUnit(unit, Math.abs(v));
  return `${number(v / shown.size, 5)} ± ${number((interval * e) / shown.size, 2)}${shown.text === '°' ? '' : ' '}${shown.text}`.trim();
}

const percent = (v: number, digits = 4): string => (Number.isFinite(v) ? `${number(100 * v, digits)} %` : '–');

/* ---- summary ------------------------------------------------------------------------------------------------- */

const credible = (group: Group): boolean => value(group, 'credible') === 1;

function balanceText(group: Group): string {
  const share = `${percent(value(group, 'residual_power'), 2)} of ${quantity(value(group, 'power_scale'), 'W')}`;
  const losses = `${percent(value(group, 'residual_losses'), 2)} of the losses`;
  return credible(group) ? `The power balance closes within ${share} and ${losses}.`
    : `The power balance does not close: it is off by ${share} (at most 0.1 %) and ${losses} (at most 2 %). Losses and efficiencies of this run are not credible.`;
}

const notStationary = (group: Group): string => group.texts.find((t) => t.name === 'not_stationary')?.value ?? '';

/* What fewer simulated than real elements cost; nothing where all are simulated. */
export function coarseNotice(group: Group): HTMLElement[] {
  const of = (name: string): number => group.numbers.find((n) => n.name === `coarse.${name}.error`)?.value ?? NaN;
  const few = group.numbers.find((n) => n.name === 'coarse.few')?.value === 1;
  return Number.isFinite(of('thrust')) ? [el(few ? 'p.hint.warn' : 'p.hint', {}, `Fewer elements are simulated than the belt has: in addition to the intervals, expect errors of up to ${number(of('thrust'), 2)} in the thrust ratio, ` +
    `${quantity(of('oep'), 'm', 2)} in operational endplay, ${number(100 * of('efficiency'), 2)} points of efficiency.`)] : [];
}

function notices(group: Group): HTMLElement[] {
  const list: HTMLElement[] = [el(credible(group) ? 'p.hint' : 'p.hint.warn', {}, balanceText(group))];
  list.push(...coarseNotice(group));
  if (!Number.isFinite(value(group, 'stationary_from')))
    list.push(el('p.hint.warn', {}, `Not stationary${notStationary(group) ? `: ${notStationary(group)}` : ' at the end of the run'}. The means below are not those of a stationary point.`));
  if (value(group, 'macro_slip') === 1)
    list.push(el('p.hint.warn', {}, `Macro slip: a pulley slips under the whole belt from ${quantity(value(group, 'macro_slip_begin'), 's')}.`));
  return list;
}

/* ---- compared with the continuum ------------------------------------------------------------------------------------ */

const plain = (group: Group, name: string): NumberData | undefined => group.numbers.find((n) => n.name === name);
const noContinuum = (group: Group): string | undefined => group.texts.find((t) => t.name === 'continuum')?.value;

const signed = (v: number, text: (magnitude: number) => string): string => `${v < 0 ? '−' : '+'}${text(Math.abs(v))}`;

/* "−0.0133"; of efficiencies "+0.40 percentage points". */
function distance(group: Group, name: string): string {
  const n = plain(group, `distance.${name}`);
  const off = n?.value ?? NaN;
  if (!n || !Number.isFinite(off)) return '–';
  return signed(off, (v) => (name === 'efficiency' ? `${(100 * v).toFixed(2)} percentage points` : n.unit === 'N' ? quantity(v, n.unit, 3) : v.toFixed(4)));
}

function continuumFigure(group: Group): Figure[] {
  if (!plain(group, 'distance.thrust_ratio')) return [];
  return [{ name: 'minus the continuum', value: distance(group, 'thrust_ratio'), at: `i_F; i_s ${distance(group, 'speed_ratio')}, efficiency ${distance(group, 'efficiency')}` }];
}

function continuumTable(group: Group): HTMLElement | null {
  const why = noContinuum(group);
  if (why) return el('p.hint', {}, `No comparison with the continuum: ${why}.`);
  const rows: [string, string, string][] = [['Thrust ratio i_F', 'thrust_ratio', 'thrust'], ['Speed ratio i_s', 'speed_ratio', 'ratio'], ['Efficiency', 'efficiency', 'efficiency'],
    ['Push force, upper strand', 'push.upper', 'push_us'], ['Push force, lower strand', 'push.lower', 'push_ls'], ['Ring tension, upper strand', 'ring.upper', 'tension_us'], ['Ring tension, lower strand', 'ring.lower', 'tension_ls']];
  const known = rows.filter(([, name]) => plain(group, `distance.${name}`));
  if (!known.length) return null;
  const shown = (name: string, v: number, unit: string): string => (name === 'efficiency' ? percent(v) : quantity(v, unit, 5));
  return sheet('Elements compared with the continuum', 'Quantity', known.map(([text]) => text), [
    { head: 'Elements', unit: '', texts: known.map(([, name, own]) => shown(name, value(group, own), numberOf(group, own)?.unit ?? '')) },
    { head: 'Continuum', unit: '', texts: known.map(([, name]) => shown(name, plain(group, `continuum.${name}`)?.value ?? NaN, plain(group, `continuum.${name}`)?.unit ?? '')) },
    { head: 'Elements minus continuum', unit: '', texts: known.map(([, name]) => distance(group, name)) }]);
}

/* ---- key figures --------------------------------------------------------------------------------------------- */

export function variatorSummary(group: Group): HTMLElement {
  const strand = value(group, 'push_us') >= value(group, 'push_ls') ? 'us' : 'ls';
  const figures: Figure[] = [
    { name: 'speed ratio', value: withError(group, 'ratio'), at: 'i_s' },
    { name: 'thrust ratio', value: withError(group, 'thrust'), at: 'i_F' },
    { name: 'torque of the primary', value: quantity(value(group, 'torque_pri'), 'N m'), at: `torque ratio ${number(value(group, 'torque_ratio'), 3)}` },
    !passesPower(value(group, 'torque_ratio')) ? { name: 'efficiency', value: '–', at: 'no power passes' } : Number.isFinite(value(group, 'efficiency'))
      ? { name: 'efficiency', value: percent(value(group, 'efficiency')), at: `power out divided by power in; from the contact losses ${percent(value(group, 'efficiency_local'))}` }
      : { name: 'efficiency', value: '–', at: `more power out than in, because the drive slows down; from the contact losses ${percent(value(group, 'efficiency_local'))}` },
    { name: 'push force', value: quantity(value(group, `push_${strand}`), 'N'), at: strand === 'us' ? 'in the upper strand' : 'in the lower strand' },
    { name: 'operational endplay', value: quantity(value(group, 'oep'), 'm', 3), at: 'sum of the open gaps at the rocking edges' },
    ...continuumFigure(group),
  ];
  return el('div', {}, figureList(figures), ...notices(group));
}

/* ---- curves along the belt ----------------------------------------------------------------------------------- */

/* Panels of the belt: title, and what is in it. */
const panels: { title: string; y: string; of: [string, string][] }[] = [
  { title: 'Normal and axial force of a flank', y: 'force', of: [['flank.normal', 'normal'], ['flank.axial', 'axial']] },
  { title: 'Push force', y: 'force', of: [['push.sum', 'sum'], ['push.edge', 'at the rocking edge'], ['push.head', 'at the head']] },
  { title: 'Friction on both flanks', y: 'force', of: [['flank.longitudinal', 'longitudinal (transmits torque)'], ['flank.radial', 'radial']] },
  { title: 'Ring tension', y: 'tension', of: [['ring.tension', 'tension']] },
  { title: 'Forces at the saddle', y: 'force', of: [['saddle.normal', 'normal force'], ['ring.traction', 'friction of the ring']] },
  { title: 'Slip velocity of the flanks', y: 'velocity', of: [['slip.longitudinal', 'longitudinal'], ['slip.radial', 'radial']] },
  { title: 'Slip velocity under the ring', y: 'velocity', of: [['slip.ring', 'element relative to ring']] },
  { title: 'Spiral running', y: 'radius minus its mean', of: [['spiral', 'elements'], ['ring.spiral', 'outer face of the rings']] },
  { title: 'Pitch of the elements in the groove', y: 'angle', of: [['pitch', 'pitch']] },
  { title: 'Gaps between elements', y: 'gap', of: [['gap.edge', 'at the rocking edge'], ['gap.head', 'at the head']] },
  { title: 'Power lost by an element', y: 'power', of: [['loss.longitudinal', 'flanks, longitudinal'], ['loss.radial', 'flanks, radial'], ['loss.ring', 'ring']] },
];

function panel(group: Group, link: Link, host: HTMLElement, { title, y, of }: (typeof panels)[number], first: boolean): void {
  const x = curveOf(group, 'time')!;
  const curves = of.map(([name, text]) => ({ a: curveOf(group, name), text })).filter((c): c is { a: ArrayData; text: string } => !!c.a);
  const known = curves.filter((c) => Array.from(valuesOf(c.a)).some(Number.isFinite));
  if (!known.length) return;
  const lines: Line[] = known.map(({ a, text }, i) => ({ name: text, hint: a.long_name, values: valuesOf(a), style: lineStyle(i) }));
  if (first) /* what averaging takes away */
    for (const a of group.arrays.filter((k) => /^along\.single\.\d+$/.test(k.name)).slice(0, 1))
      lines.push({ name: `element ${a.name.replace(/^.*\./, '')} alone`, hint: a.long_name, values: valuesOf(a), style: { colour: lineStyle(6).colour, dash: [2, 3] }, width: 1 });
  const box = el('div');
  host.append(box);
  const ends = group.arrays.find((a) => a.name === 'along.marks');
  new Chart({
    x: { name: 'time since the entry into the primary', unit: x.unit, values: valuesOf(x) }, y: { name: y, unit: known[0]!.a.unit }, lines, height: 240, title, link,
    ...(ends ? { sections: { names: sectionNames, ends: valuesOf(ends) } } : {}),
  }, box);
}

function curves(group: Group): HTMLElement[] {
  if (!curveOf(group, 'time')) return [el('p.hint', {}, 'No element passed all sections of the belt from end to end, so there are no curves along the belt.')];
  const host = el('div.tiles');
  const link = new Link();
  for (const p of panels) panel(group, link, host, p, p.title === 'Push force');
  const n = value(group, 'averaged_elements');
  return [el('h3', {}, 'Along the belt'),
    el('p.hint', {}, `Forces on one real element on its way around the belt, averaged over ${short(n)} elements. Normal forces are positive in compression; friction is that on the element, positive forward and outward.`), host];
}

/* ---- tables -------------------------------------------------------------------------------------------------- */

/* Rows of a table from numbers of the group: a name, the number, and what it is compared with. */
function list(group: Group, caption: string, rows: [string, string][]): HTMLElement | null {
  const known = rows.filter(([, name]) => Number.isFinite(value(group, name)));
  return known.length ? sheet(caption, 'Quantity', known.map(([text]) => text), [{ head: 'Value', unit: '', texts: known.map(([, name]) => withError(group, name)) }]) : null;
}

function arcs(group: Group): HTMLElement {
  const rows: [string, string][] = [['Clamping force', 'force'], ['Torque on the belt', 'torque'], ['Power into the belt', 'power'], ['Speed', 'speed'], ['Mean radius (mass centres)', 'radius'],
    ['Wrap', 'arc'], ['Idle arc', 'idle'], ['Active arc', 'active'], ['Safety against slip', 'safety'], ['Mean flank normal force', 'normal'], ['Entry peak divided by mean', 'entry_peak'],
    ['Exit peak divided by mean', 'exit_peak'], ['Mean slip velocity', 'slip'], ['Spiral running, peak to peak', 'spiral'], ['Spiral running, inner 5 to 95 %', 'spiral_inner'], ['Spiral running of the rings', 'spiral_ring'], ['Spiral running of the rings, inner 5 to 95 %', 'spiral_ring_inner'], ['Smallest radius at, of wrap', 'spiral_least'],
    ['Mean pitch of the elements', 'pitch'], ['Ring friction, sum', 'traction']];
  const known = rows.filter(([, n]) => Number.isFinite(value(group, `${n}_pri`)));
  const column = (head: string, side: string): SheetColumn => ({ head, unit: '', texts: known.map(([, n]) => withError(group, `${n}_${side}`)) });
  return sheet('Pulleys', '', known.map(([text]) => text), [column('Primary', 'pri'), column('Secondary', 'sec')]);
}

/* Conditions that a stationary variator fulfils, each with what it is off by: in full, with levers, losses and what
 * still moves, and in the short form of textbooks. */
function checks(group: Group): HTMLElement {
  const rows: [string, string, string, string][] = [
    ['Flank forces around the belt', 'balance_longitudinal', 'error_longitudinal', 'average_longitudinal'],
    ['Ring friction around the belt', 'balance_traction', 'error_traction', 'average_traction'],
    ['Axial forces, secondary', 'balance_clamping', 'error_clamping', 'average_clamping'],
    ['Moments, secondary', 'balance_load', 'error_load', 'average_load'],
    ['Strand forces, primary torque', 'balance_torque', 'error_torque_identity', '']];
  const known = rows.filter(([, , n]) => Number.isFinite(value(group, n)));
  const column = (head: string, which: 1 | 2 | 3): SheetColumn => ({ head, unit: '', texts: known.map((r) => (r[which] ? percent(value(group, r[which]), 2) : '–')) });
  return sheet('Equilibrium of a stationary run', 'Relative error', known.map(([text]) => text), [
    column('All terms', 1), column('Short form', 2), column('Averaged element', 3)]);
}

export function variatorBody(group: Group): HTMLElement[] {
  const point = list(group, 'Operating point', [['Speed ratio i_s', 'ratio'], ['Thrust ratio i_F', 'thrust'], ['Slip', 'slip'], ['Torque ratio r', 'torque_ratio'], ['Efficiency, out / in', 'efficiency'],
    ['Efficiency, contact losses', 'efficiency_local'], ['Efficiency, averaged element', 'efficiency_average'], ['Efficiency, with auxiliaries', 'efficiency_global'],
    ['Endplay', 'endplay'], ['Operational endplay', 'oep'], ['Open gaps of the heads', 'oep_head'], ['Belt speed', 'belt_speed'], ['Revolution of the belt', 'revolution']]);
  const belt = list(group, 'Strands and rings', [['Push force, upper strand', 'push_us'], ['Push force, lower strand', 'push_ls'], ['Heads, upper strand', 'head_us'], ['Heads, lower strand', 'head_ls'],
    ['Ring tension, upper strand', 'tension_us'], ['Ring tension, lower strand', 'tension_ls'], ['Tension ratio of the strands', 'tension_ratio'], ['e^(μφ) of the smaller wrap', 'tension_capstan'],
    ['Torque share of the rings', 'ring_share'], ['Share of sticking flanks', 'sticking']]);
  const polar = polarView(group);
  const losses = lossFigure(group, value(group, 'power_pri'), value(group, 'power_sec'));
  return [...notices(group), el('div.beside', {}, point, arcs(group)), el('div.beside', {}, belt, checks(group)), continuumTable(group), losses, ...curves(group), polar]
    .filter((n): n is HTMLElement => n !== null);
}

