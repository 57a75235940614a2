/* energy_bar.ts — where the energy of a run went, in one bar; what is lost is a sliver of it in a good drive, and spread out below. */
import { closure, closureScale, numericalShare, painted } from './audit';
import type { BalanceLine, Group } from './data';
import { el } from './dom';
import type { PartOf } from './drives/drive';
import { duration } from './figure';
import { number, short, spoken } from './format';
import { lineStyle, theme } from './theme';
import { displayUnit } from './units';

interface Part {
  text: string;
  energy: number; /* > 0 */
  lost: boolean;
  colour: () => string;
}

const sections = /^(pri|sec|us|ls)$/;
const numericalLoss = 'numerical loss';
const isLoad = (name: string): boolean => /\.load\.work$/.test(name);

/* "span.crank.creep" and its like are one kind of loss, wherever they arise. */
function categoryOf(line: BalanceLine, partOf?: PartOf): string {
  if (line.kind === 'stored') return 'stored';
  if (line.kind === 'integrator') return numericalLoss;
  const known = line.kind === 'dissipated' ? partOf?.(line.name) : null;
  if (known) return known.mechanism;
  const tokens = line.name.split('.');
  if (isLoad(line.name)) return spoken(tokens.slice(0, -2).filter((t) => t !== 'pulley').join(' '));
  if (line.kind === 'input') return `taken by ${spoken(tokens.filter((t) => !['work', 'pulley', 'motion'].includes(t)).join(' '))}`;
  if ((tokens[0] === 'span' || tokens[0] === 'pulley') && tokens.length > 2) return tokens.slice(2).join(' ');
  return tokens.filter((t) => !sections.test(t)).join(' ');
}

const least = 4e-3; /* smaller parts are drawn together */

function partsOf(lines: BalanceLine[], partOf?: PartOf): { parts: Part[]; supplied: number } {
  const sums = new Map<string, { energy: number; lost: boolean }>();
  let supplied = 0;
  for (const line of lines) {
    if (!['input', 'stored', 'dissipated', 'integrator'].includes(line.kind) || !Number.isFinite(line.energy)) continue;
    if (line.kind === 'input' ? line.energy > 0 : line.energy < 0) {
      supplied += Math.abs(line.energy);
      continue;
    }
    const key = categoryOf(line, partOf);
    const lost = (line.kind === 'dissipated' && !isLoad(line.name)) || line.kind === 'integrator';
    const before = sums.get(key)?.energy ?? 0;
    sums.set(key, { energy: before + Math.abs(line.energy), lost });
  }
  const sorted = [...sums].filter(([, s]) => s.energy > 0).sort((a, b) => Number(a[1].lost) - Number(b[1].lost) || b[1].energy - a[1].energy);
  return { parts: sorted.map(([text, s], i) => ({ text, ...s, colour: text === numericalLoss ? () => theme().axis : lineStyle(i).colour })), supplied };
}

/* Small ones together, so that a bar stays a bar. */
function gathered(parts: Part[], total: number, most = theme().lines.length): Part[] {
  const large = parts.filter((p) => p.energy >= least * total).slice(0, most);
  const rest = parts.filter((p) => !large.includes(p));
  if (rest.length < 2) return parts;
  return [...large, { text: `${rest.length} smaller`, energy: rest.reduce((a, p) => a + p.energy, 0), lost: rest.every((p) => p.lost), colour: () => theme().axis }];
}

function strip(parts: Part[], total: number, label: string, write: (p: Part) => string): HTMLElement {
  return el('div.energy-strip', {}, el('span.bar', { role: 'img', 'aria-label': `${label}: ${parts.map((p) => `${p.text} ${write(p)}`).join(', ')}` },
    ...parts.map((p) => painted(el('span.bar-part', { title: `${p.text}: ${write(p)}`, style: `width:${((100 * p.energy) / total).toFixed(4)}%` },
      p.energy > Math.max(0.16, 0.021 * p.text.length) * total ? /* as much as fits */ el('span.bar-text', {}, p.text) : null), p.colour))),
  el('ul.energy-legend', {}, ...parts.map((p) => el('li', {}, painted(el('span.key'), p.colour), `${p.text} `, el('span.term', {}, write(p))))));
}

/* What time integration took out of the motion, or put into it: "Numerical loss 5.6 %: ..."; nothing where it is small. */
function numericalText(lines: BalanceLine[], total: number): string {
  const energy = lines.filter((l) => l.kind === 'integrator').reduce((a, l) => a + l.energy, 0);
  const share = energy / total;
  if (!(Math.abs(share) >= numericalShare)) return '';
  return `Numerical ${share > 0 ? 'loss' : 'gain'} ${number(100 * Math.abs(share), 2)} %: energy that time integration ${share > 0 ? 'takes out of' : 'adds to'} the motion; it falls with the time step.`;
}

/* null: nothing was exchanged, or nothing is known. */
export function energyBar(group: Group, partOf?: PartOf): HTMLElement | null {
  const lines = group.audit?.lines ?? [];
  const { parts, supplied } = partsOf(lines, partOf);
  const total = Math.max(supplied, parts.reduce((a, p) => a + p.energy, 0));
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
  if (!powers && parts.length === 1 && parts[0]!.text === 'stored') return el('p.extent', {}, `All of the work done, ${size(total)}, is stored as elastic energy.`);
  const numerical = numericalText(lines, total);
  const write = (of: number) => (p: Part): string => `${size(p.energy, p.energy > 0.02 * of ? of : p.energy)}, ${short((100 * p.energy) / of, 2)} %`;
  const lost = parts.filter((p) => p.lost);
  const sum = lost.reduce((a, p) => a + p.energy, 0);
  const lens = sum > 0 && sum < 0.12 * total && lost.length > 1 && lost.length < parts.length;
  const whole = lens ? [...parts.filter((p) => !p.lost && p.energy > 1e-4 * total), { text: 'lost', energy: sum, lost: true, colour: () => theme().text }] : parts;
  return el('div.energy-bar', {},
    el('h3', {}, powers ? 'Where the power went' : 'Where the energy went', el('span.term', {}, ` ${powers ? 'mean of the run: ' : ''}${size(total)} in all`)),
    strip(gathered(whole, total), total, 'All', write(total)),
    lens ? el('div.energy-lens', {}, el('p.extent', {}, `The losses alone: ${size(sum)}, ${short((100 * sum) / total, 2)} % of the whole`), strip(gathered(lost, sum, theme().lines.length - parts.length + lost.length), sum, 'Losses', write(sum))) : null,
    numerical ? el('p.hint.warn', {}, numerical) : null,
    state && !state.good ? el('p.hint.warn', {}, `The balance is off by ${number(Math.abs(group.audit!.residual ?? NaN), 2)} of ${closureScale(group)}.`) : null);
}
