/* audit.ts — where the energy came from and where it went: two bars on one scale, and the table behind them. */
import type { BalanceLine, Group } from './data';
import { el } from './dom';
import type { PartOf } from './drives/drive';
import { number } from './format';
import { theme, onThemeChange, lineStyle } from './theme';
import { displayUnit } from './units';

const kinds: Record<string, string> = {
  input: 'work done on the drive',
  stored: 'stored energy',
  dissipated: 'dissipated',
  integrator: 'integrator',
  residual: 'not accounted for',
};

interface Part {
  line: BalanceLine;
  text: string;
  energy: number; /* > 0 */
  colour: () => string;
}

const least = 2e-3; /* smaller parts of a bar are drawn together */
const shownShare = 1e-3; /* smaller lines of a long table fold away */
const longTable = 12;
export const numericalShare = 5e-3; /* of all energy: from there on what time integration takes is said */

/* Negative work and falling stored energy change sides: both bars have positive parts only. */
function sides(lines: BalanceLine[]): { supplied: Part[]; spent: Part[] } {
  const supplied: Part[] = [];
  const spent: Part[] = [];
  let next = 0;
  for (const line of [...lines].sort((a, b) => Math.abs(b.energy) - Math.abs(a.energy))) {
    if (line.kind === 'residual' || line.kind === 'scale' || !Number.isFinite(line.energy) || line.energy === 0) continue;
    const incoming = line.kind === 'input' ? line.energy > 0 : line.energy < 0;
    const word = line.kind === 'stored' ? (incoming ? 'released: ' : /^stored/.test(line.name) ? '' : 'stored: ')
      : line.kind === 'input' && !incoming ? 'work out: ' : '';
    const colour = line.kind === 'integrator' ? () => theme().axis : lineStyle(next++).colour;
    (incoming ? supplied : spent).push({ line, text: word + line.name, energy: Math.abs(line.energy), colour });
  }
  return { supplied, spent };
}

const sum = (parts: Part[]): number => parts.reduce((a, p) => a + p.energy, 0);

/* An element that keeps the colour of its part, whatever the theme. */
export function painted(node: HTMLElement, colour: () => string): HTMLElement {
  const paint = (): void => void (node.style.backgroundColor = colour());
  paint();
  onThemeChange(paint);
  return node;
}

function bar(label: string, parts: Part[], scale: number): HTMLElement {
  const unit = displayUnit('J', scale);
  const large = parts.filter((p) => p.energy >= least * scale);
  const rest = parts.length - large.length;
  const together: Part[] = rest === 0 ? [] : rest === 1 ? parts.slice(-1)
    : [{ line: parts[parts.length - 1]!.line, text: `${rest} smaller parts`, energy: sum(parts.slice(-rest)), colour: () => theme().axis }];
  const blocks = [...large, ...together].map((part) => {
    const share = part.energy / scale;
    const text = `${part.text}: ${number(part.energy / unit.size)} ${unit.text}`;
    return painted(el('span.bar-part', { title: text, style: `width:${(share * 100).toFixed(4)}%` },
      share > 0.12 ? el('span.bar-text', {}, part.text) : null), part.colour);
  });
  return el('div.bar-row', {}, el('span.bar-label', {}, label),
    el('span.bar', { role: 'img', 'aria-label': `${label}: ${parts.map((p) => p.text).join(', ')}` }, ...blocks));
}

/* "elements, friction: upper strand" */
function lineName(line: BalanceLine, partOf?: PartOf): string {
  const known = line.kind === 'dissipated' ? partOf?.(line.name) : null;
  return known ? `${known.mechanism}${known.place ? `: ${known.place}` : ''}` : line.name;
}

function table(group: Group, parts: Part[], total: number, shares: boolean, partOf?: PartOf): HTMLElement {
  const unit = displayUnit('J', total);
  /* Long lists by size, with what closes the balance at their end. */
  const listed = group.audit!.lines.filter((l) => l.kind !== 'scale');
  const closing = (l: BalanceLine): boolean => l.kind === 'residual' || l.kind === 'integrator';
  const long = listed.length > longTable;
  const lines = long ? [...listed.filter((l) => !closing(l)).sort((a, b) => Math.abs(b.energy) - Math.abs(a.energy)), ...listed.filter(closing)] : listed;
  const small = (l: BalanceLine): boolean => long && !closing(l) && Math.abs(l.energy) < shownShare * total;
  const key = (line: BalanceLine): HTMLElement => {
    const part = parts.find((p) => p.line === line);
    return part ? painted(el('span.key'), part.colour) : el('span.key');
  };
  /* Of what is nearly nothing, more digits mean nothing. */
  const digits = (line: BalanceLine): number => (Math.abs(line.energy) < 1e-6 * total ? 2 : 4);
  const row = (line: BalanceLine): HTMLElement =>
    el('tr', {}, el('th', { scope: 'row', title: line.name }, key(line), lineName(line, partOf)), el('td', {}, /\.load\.work$/.test(line.name) ? 'taken by the load' : kinds[line.kind] ?? line.kind),
      el('td.n', {}, number(line.energy / unit.size, digits(line))),
      shares ? el('td.n', {}, total > 0 ? `${number((100 * line.energy) / total, digits(line))} %` : '–') : null);
  const part = (rows: BalanceLine[]): HTMLElement => el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Part'), el('th', { scope: 'col' }, 'Kind'),
      el('th.n', { scope: 'col' }, `Energy [${unit.text}]`), shares ? el('th.n', { scope: 'col' }, 'Share of the supplied') : null)),
    el('tbody', {}, ...rows.map(row))));
  const folded = lines.filter(small);
  return el('div', {}, part(lines.filter((l) => !small(l))), folded.length
    ? el('details', {}, el('summary', {}, `${folded.length} parts below ${100 * shownShare} %`), part(folded)) : null);
}

const scaleLine = (group: Group): BalanceLine | undefined => group.audit?.lines.find((l) => l.kind === 'scale');

/* What the residual is a share of: "the energy converted or in motion (443.9 mJ)" */
export function closureScale(group: Group): string {
  const line = scaleLine(group);
  if (!line) return 'its largest part';
  const unit = displayUnit('J', line.energy);
  return `the ${line.name} (${number(line.energy / unit.size)} ${unit.text})`;
}

/* How well a balance closes; 1e-6 is what the exact stepper reaches. */
export function closure(group: Group): { text: string; good: boolean } | null {
  const residual = group.audit?.residual;
  if (residual === null || residual === undefined) return null;
  const size = Math.abs(residual);
  const { supplied, spent } = sides(group.audit!.lines);
  const share = group.audit!.lines.filter((l) => l.kind === 'integrator').reduce((a, l) => a + l.energy, 0) / Math.max(sum(supplied), sum(spent));
  const numerical = Math.abs(share) >= numericalShare ? `, with a numerical ${share > 0 ? 'loss' : 'gain'} of ${number(100 * Math.abs(share), 2)} % of the energy supplied (time integration)` : '';
  return { text: `closes within ${number(size, 2)} of ${closureScale(group)}${numerical}`, good: size <= 1e-3 };
}

export function auditView(group: Group, partOf?: PartOf): HTMLElement {
  const { supplied, spent } = sides(group.audit!.lines);
  const total = Math.max(sum(supplied), sum(spent));
  const state = closure(group);
  /* Parts that are rounding errors beside the energy of the motion have no proportions. */
  const exchanged = total > 1e-9 * (scaleLine(group)?.energy ?? 0);
  return el('div.audit', {},
    state && el(state.good ? 'p.audit-state' : 'p.audit-state.warn', {}, `The balance ${state.text}.`),
    total > 0 && !exchanged ? el('p.hint', {}, 'No energy came in or went out: the parts are rounding errors.') : null,
    exchanged ? el('div.bars', {}, bar('supplied', supplied, total), bar('went to', spent, total)) : null,
    table(group, exchanged ? [...supplied, ...spent] : [], sum(supplied), exchanged, partOf));
}
