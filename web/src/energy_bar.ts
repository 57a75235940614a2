/* energy_bar.ts — where the energy of a run went, in one bar; what is lost is a sliver of it in a good drive, and spread out below. */
import { closure, closureScale, losesMuch, numericalText, painted, wordIn } from './audit';
import type { Group } from './data';
import { el } from './dom';
import type { PartOf } from './drives/drive';
import { energyParts, sumOf, type EnergyPart } from './energy_parts';
import { duration } from './figure';
import { number, short } from './format';
import { theme } from './theme';
import { displayUnit } from './units';

type Part = Pick<EnergyPart, 'name' | 'energy' | 'colour'> & { lost: boolean };

const least = 4e-3; /* smaller parts are drawn together */

/* What is used or stored first, then what is lost. */
function spentOf(parts: EnergyPart[]): Part[] {
  const spent = parts.filter((p) => !p.incoming && p.energy > 0).map((p) => ({ ...p, lost: p.kind === 'lost' || p.kind === 'numerical' }));
  return [...spent.filter((p) => !p.lost), ...spent.filter((p) => p.lost)];
}

/* Small ones together, so that a bar stays a bar. */
function gathered(parts: Part[], total: number): Part[] {
  const large = parts.filter((p) => p.energy >= least * total).slice(0, 10);
  const rest = parts.filter((p) => !large.includes(p));
  if (rest.length < 2) return parts;
  return [...large, { name: `${rest.length} smaller`, energy: sumOf(rest), lost: rest.every((p) => p.lost), colour: () => theme().axis }];
}

function strip(parts: Part[], total: number, label: string, write: (p: Part) => string): HTMLElement {
  return el('div.energy-strip', {}, el('span.bar', { role: 'img', 'aria-label': `${label}: ${parts.map((p) => `${p.name} ${write(p)}`).join(', ')}` },
    ...parts.map((p) => wordIn(painted(el('span.bar-part', { title: `${p.name}: ${write(p)}`, style: `width:${((100 * p.energy) / total).toFixed(4)}%` }), p.colour), p.name, p.colour))),
  el('ul.energy-legend', {}, ...parts.map((p) => el('li', {}, painted(el('span.key'), p.colour), `${p.name} `, el('span.term', {}, write(p))))));
}

/* null: nothing was exchanged, or nothing is known. */
export function energyBar(group: Group, partOf?: PartOf): HTMLElement | null {
  const lines = group.audit?.lines ?? [];
  const all = energyParts(group, partOf);
  const parts = spentOf(all);
  const total = Math.max(sumOf(all.filter((p) => p.incoming)), sumOf(parts));
  const scale = lines.find((l) => l.kind === 'scale')?.energy ?? 0;
  const state = closure(group);
  if (!(total > 1e-9 * scale) || !parts.length) return state ? el('p.extent', {}, `Energy is kept: the balance ${state.text}.`) : null;
  const time = duration(group);
  const powers = Number.isFinite(time) && time > 0 && group.kind !== 'quasistatic'; /* whose time is a parameter */
  /* In the unit of the whole that it is a part of. */
  const size = (e: number, of = e): string => {
    const unit = displayUnit(powers ? 'W' : 'J', powers ? of / time : of);
    return `${number((powers ? e / time : e) / unit.size, 3)} ${unit.text}`;
  };
  if (!powers && parts.length === 1 && parts[0]!.name === 'stored energy') return el('p.extent', {}, `All of the work done, ${size(total)}, is stored as elastic energy.`);
  const numerical = numericalText(group);
  const write = (of: number) => (p: Part): string => `${size(p.energy, p.energy > 0.02 * of ? of : p.energy)}, ${short((100 * p.energy) / of, 2)} %`;
  const lost = parts.filter((p) => p.lost);
  const sum = sumOf(lost);
  const lens = sum > 0 && sum < 0.12 * total && lost.length > 1 && lost.length < parts.length;
  const whole = lens ? [...parts.filter((p) => !p.lost && p.energy > 1e-4 * total), { name: 'lost', energy: sum, lost: true, colour: () => theme().text }] : parts;
  return el('div.energy-bar', {},
    el('h3', {}, powers ? 'Where the power went' : 'Where the energy went', el('span.term', {}, ` ${powers ? 'mean of the run: ' : ''}${size(total)} in all`)),
    strip(gathered(whole, total), total, 'All', write(total)),
    lens ? el('div.energy-lens', {}, el('p.extent', {}, `The losses alone: ${size(sum)}, ${short((100 * sum) / total, 2)} % of the whole`), strip(gathered(lost, sum), sum, 'Losses', write(sum))) : null,
    numerical && !losesMuch(group) ? el('p.hint.warn', {}, numerical) : null,
    state && !state.good ? el('p.hint.warn', {}, `The balance is off by ${number(Math.abs(group.audit!.residual ?? NaN), 2)} of ${closureScale(group)}.`) : null);
}
