/* audit.ts — where the energy came from and where it went: two bars on one scale, and the table behind them. */
import type { BalanceLine, Group } from './data';
import { el } from './dom';
import type { PartOf } from './drives/drive';
import { energyParts, numericalShare, sumOf, type EnergyPart } from './energy_parts';
import { number, plural } from './format';
import { inkOn } from './palette';
import { theme, onThemeChange } from './theme';
import { displayUnit } from './units';

const kinds: Record<EnergyPart['kind'], [string, string]> = { /* coming in, going out */
  input: ['work done on the drive', 'work done by the drive'],
  stored: ['released', 'stored'],
  load: ['work done by the load', 'taken by the load'],
  lost: ['gained', 'lost'],
  numerical: ['error of the time integration', 'error of the time integration'],
};

const least = 2e-3; /* smaller parts of a bar are drawn together */
const shownShare = 1e-3; /* smaller parts of a long table fold away */
const longTable = 12;
const leastNumerical = 5e-3; /* of all energy: from there on what time integration takes is said */

/* An element that keeps the colour of its part, whatever the theme. */
export function painted(node: HTMLElement, colour: () => string): HTMLElement {
  const paint = (): void => void (node.style.backgroundColor = colour());
  paint();
  onThemeChange(paint);
  return node;
}

/* A word in a part of a bar, as long as it has room. */
export function wordIn(part: HTMLElement, text: string, colour: () => string): HTMLElement {
  const word = el('span.bar-text', {}, text);
  const paint = (): void => void (word.style.color = inkOn(colour()));
  paint();
  onThemeChange(paint);
  part.append(word);
  new ResizeObserver(() => {
    word.hidden = false;
    word.hidden = part.scrollWidth > part.clientWidth;
  }).observe(part);
  return part;
}

function bar(label: string, parts: EnergyPart[], scale: number): HTMLElement {
  const unit = displayUnit('J', scale);
  const said = (name: string, energy: number): string => `${name}: ${number(energy / unit.size)} ${unit.text}`;
  const large = parts.filter((p) => p.energy >= least * scale);
  const rest = parts.filter((p) => p.energy < least * scale);
  const together = rest.length < 2 ? rest : [{ name: `${rest.length} smaller parts`, energy: sumOf(rest), colour: () => theme().axis }];
  const blocks = [...large, ...together].map((part) => {
    const share = part.energy / scale;
    const node = painted(el('span.bar-part', { title: said(part.name, part.energy), style: `width:${(share * 100).toFixed(4)}%` }), part.colour);
    return share > 0.05 ? wordIn(node, part.name, part.colour) : node;
  });
  return el('div.bar-row', {}, el('span.bar-label', {}, label),
    el('span.bar', { role: 'img', 'aria-label': `${label}: ${parts.map((p) => p.name).join(', ')}` }, ...blocks));
}

/* "elements, friction: upper strand" */
function lineName(line: BalanceLine, partOf?: PartOf): string {
  const known = line.kind === 'dissipated' ? partOf?.(line.name) : null;
  return known ? `${known.mechanism}${known.place ? `: ${known.place}` : ''}` : line.name;
}

interface Row {
  name: string;
  hint?: string; /* the name in the result file */
  kind: string;
  energy: number;
  colour?: () => string;
}

function table(rows: Row[], total: number, shares: boolean, first = 'Part'): HTMLElement {
  const unit = displayUnit('J', total);
  /* Of what is nearly nothing, more digits mean nothing. */
  const digits = (energy: number): number => (Math.abs(energy) < 1e-6 * total ? 2 : 4);
  return el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, first), el('th', { scope: 'col' }, 'Kind'),
      el('th.n', { scope: 'col' }, `Energy [${unit.text}]`), shares ? el('th.n', { scope: 'col' }, 'Share of the supplied') : null)),
    el('tbody', {}, ...rows.map((row) => el('tr', {}, el('th', { scope: 'row', title: row.hint }, row.colour ? painted(el('span.key'), row.colour) : el('span.key'), row.name), el('td', {}, row.kind),
      el('td.n', {}, number(row.energy / unit.size, digits(row.energy))),
      shares ? el('td.n', {}, total > 0 ? `${number((100 * row.energy) / total, digits(row.energy))} %` : '–') : null)))));
}

/* What came in, then what went out, then what closes the balance; small parts and the single lines fold away. */
function tables(group: Group, parts: EnergyPart[], total: number, shares: boolean, partOf?: PartOf): HTMLElement[] {
  const lines = group.audit!.lines.filter((l) => l.kind !== 'scale');
  const sorted = [...parts.filter((p) => p.incoming), ...parts.filter((p) => !p.incoming)];
  const closing = (p: EnergyPart): boolean => p.kind === 'numerical';
  const long = sorted.length > longTable;
  const small = (p: EnergyPart): boolean => p.energy === 0 || (!closing(p) && long && p.energy < shownShare * total);
  const rowOf = (p: EnergyPart): Row => ({ name: p.name, kind: kinds[p.kind][p.incoming ? 0 : 1], energy: p.energy, ...(shares && p.energy > 0 ? { colour: p.colour } : {}) });
  const residual = lines.filter((l) => l.kind === 'residual').map((l): Row => ({ name: 'not accounted for', kind: 'residual of the balance', energy: l.energy }));
  const folded = sorted.filter(small);
  const shown = [...sorted.filter((p) => !small(p) && !closing(p)), ...sorted.filter(closing)].map(rowOf);
  const single = lines.length > shown.length + folded.length + residual.length;
  return [
    table([...shown, ...residual], total, shares),
    ...(folded.length ? [el('details', {}, el('summary', {}, plural(folded.length, long ? `part below ${100 * shownShare} %` : 'part without energy', long ? `parts below ${100 * shownShare} %` : 'parts without energy')), table(folded.map(rowOf), total, shares))] : []),
    ...(single ? [el('details', {}, el('summary', {}, `All ${lines.length} lines of the balance`),
      table(lines.map((l) => ({ name: lineName(l, partOf), hint: l.name, kind: lineKinds[l.kind] ?? l.kind, energy: l.energy })), total, shares, 'Line'))] : []),
  ];
}

const lineKinds: Record<string, string> = { input: 'work done on the drive', stored: 'change of the stored energy', dissipated: 'dissipated, or taken by a load', integrator: 'error of the time integration', residual: 'residual of the balance' };

const scaleLine = (group: Group): BalanceLine | undefined => group.audit?.lines.find((l) => l.kind === 'scale');

const restsWithin = (group: Group, most: number): boolean => group.audit!.lines.filter((l) => l.kind === 'residual').some((l) => Math.abs(l.energy) <= most);

/* What the residual is a share of: "the energy converted or in motion (443.9 mJ)" */
export function closureScale(group: Group): string {
  const line = scaleLine(group);
  if (!line) return 'its largest part';
  const unit = displayUnit('J', line.energy);
  return `the ${line.name} (${number(line.energy / unit.size)} ${unit.text})`;
}

/* What the program has marked: "open: ...", "unusable: ..."; '' where the balance closes, and in results that know no mark. */
const markName = 'balance';
export const isBalanceMark = (name: string): boolean => name === markName;
export const balanceMark = (group: Group): string => group.texts.find((t) => t.name === markName)?.value ?? '';

const rounding = 1e-12; /* J: smaller residuals are rounding of what is at rest */

/* How well a balance closes; 1e-6 is what the exact stepper reaches. */
export function closure(group: Group): { text: string; good: boolean } | null {
  const residual = group.audit?.residual;
  if (residual === null || residual === undefined) return null;
  const size = Math.abs(residual);
  const numerical = numericalShare(group);
  const loss = Math.abs(numerical) >= leastNumerical ? `, with a numerical ${numerical > 0 ? 'loss' : 'gain'} of ${number(100 * Math.abs(numerical), 2)} % of the energy supplied or in motion (time integration)` : '';
  return { text: `closes within ${number(size, 2)} of ${closureScale(group)}${loss}`, good: size <= 1e-3 || restsWithin(group, rounding) };
}

const mostNumerical = 0.01; /* of all energy: from there on it is warned of, as the program does */
export const losesMuch = (group: Group): boolean => Math.abs(numericalShare(group)) > mostNumerical;

/* What time integration took out of the motion, or put into it: "Numerical loss 5.6 %: ..."; nothing where it is small. */
export function numericalText(group: Group): string {
  const share = numericalShare(group);
  if (!(Math.abs(share) >= leastNumerical)) return '';
  return `Numerical ${share > 0 ? 'loss' : 'gain'} ${number(100 * Math.abs(share), 2)} % of the energy supplied or in motion: time integration ${share > 0 ? 'takes it out of' : 'adds it to'} the motion; it falls with the time step.`;
}

export function auditView(group: Group, partOf?: PartOf): HTMLElement {
  const parts = energyParts(group, partOf);
  const [supplied, spent] = [parts.filter((p) => p.incoming), parts.filter((p) => !p.incoming)];
  const total = Math.max(sumOf(supplied), sumOf(spent));
  const state = closure(group);
  const numerical = numericalText(group);
  /* Parts that are rounding errors beside the energy of the motion have no proportions. */
  const exchanged = total > 1e-9 * (scaleLine(group)?.energy ?? 0);
  return el('div.audit', {},
    state && el(state.good ? 'p.audit-state' : 'p.audit-state.warn', {}, `The balance ${state.text}.`),
    exchanged && numerical ? el('p.hint.warn', {}, numerical) : null,
    total > 0 && !exchanged ? el('p.hint', {}, 'No energy came in or went out: the parts are rounding errors.') : null,
    exchanged ? el('div.bars', {}, bar('supplied', supplied, total), bar('went to', spent, total)) : null,
    ...tables(group, parts, sumOf(supplied), exchanged, partOf));
}
