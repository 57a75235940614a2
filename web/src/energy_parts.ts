/* energy_parts.ts — the lines of an energy balance gathered into parts, with the same names and colours wherever energy is shown. */
import type { BalanceLine, Group } from './data';
import type { PartOf } from './drives/drive';
import { spoken } from './format';
import { partsOf } from './names';
import { areaOf } from './palette';
import { theme } from './theme';

export interface EnergyPart {
  name: string;
  kind: 'input' | 'stored' | 'load' | 'lost' | 'numerical';
  incoming: boolean;
  energy: number; /* J, > 0 */
  lines: BalanceLine[];
  colour: () => string;
}

export const numericalLoss = 'numerical loss';
const numericalGain = 'numerical gain';

const sections = /^(pri|sec|us|ls)$/;
/* What an accessory takes by its speed, and over time. */
const isLoad = (name: string): boolean => /\.(load|over_time)\.work$/.test(name);

const words: Record<string, string> = { viscous: 'viscous damping', motion: '', work: '', impact: 'impacts' };
const wordsOf = (tokens: string[]): string => tokens.map((t) => words[t] ?? spoken(t)).filter(Boolean).join(' ');

/* "span.crank.creep" and its like are one kind of loss, wherever they arise; drives have words of their own. */
function nameOfLine(line: BalanceLine, partOf?: PartOf): string {
  if (line.kind === 'stored') return 'stored energy';
  if (line.kind === 'integrator') return numericalLoss;
  const tokens = partsOf(line.name);
  const last = tokens[tokens.length - 1];
  if (isLoad(line.name)) return wordsOf(tokens.slice(0, -2).filter((t) => t !== 'pulley'));
  if (line.kind === 'input') return last === 'centrifugal' ? 'centrifugal force on the belt' : last === 'surface' ? 'moving surfaces' : wordsOf(tokens.filter((t) => t !== 'pulley'));
  const ofOne = (tokens[0] === 'span' || tokens[0] === 'pulley') && tokens.length > 2;
  return partOf?.(line.name)?.mechanism ?? (wordsOf(ofOne ? tokens.slice(2) : tokens.filter((t) => !sections.test(t))) || spoken(line.name));
}

const kindOf = (line: BalanceLine): EnergyPart['kind'] => (line.kind === 'input' ? 'input' : line.kind === 'stored' ? 'stored'
  : line.kind === 'integrator' ? 'numerical' : isLoad(line.name) ? 'load' : 'lost');

/* What came in and what went out, largest first; a part has one sign, that of its sum. Nothing of the residual. */
export function energyParts(group: Group, partOf?: PartOf): EnergyPart[] {
  const gathered = new Map<string, BalanceLine[]>();
  for (const line of group.audit?.lines ?? []) {
    if (['residual', 'scale'].includes(line.kind) || !Number.isFinite(line.energy)) continue;
    const key = `${kindOf(line)} ${nameOfLine(line, partOf)}`;
    gathered.set(key, [...(gathered.get(key) ?? []), line]);
  }
  const parts = [...gathered.values()].map((lines): EnergyPart => {
    const kind = kindOf(lines[0]!);
    const sum = lines.reduce((a, l) => a + l.energy, 0);
    const incoming = kind === 'input' ? sum > 0 : sum < 0;
    const name = kind === 'numerical' && incoming ? numericalGain : nameOfLine(lines[0]!, partOf);
    return { name, kind, incoming, energy: Math.abs(sum), lines, colour: kind === 'numerical' ? () => theme().muted : areaOf(name) };
  });
  return parts.sort((a, b) => b.energy - a.energy);
}

export const sumOf = (parts: { energy: number }[]): number => parts.reduce((a, p) => a + p.energy, 0);

/* What the time integration lost (> 0) or added (< 0), of the energy that came in, or of that in motion where it is more. */
export function numericalShare(group: Group): number {
  const parts = energyParts(group);
  const part = parts.find((p) => p.kind === 'numerical');
  const [came, went] = [true, false].map((side) => sumOf(parts.filter((p) => p.incoming === side)));
  const whole = Math.max(came!, went!, group.audit?.lines.find((l) => l.kind === 'scale')?.energy ?? 0);
  return part && whole > 0 ? ((part.incoming ? -1 : 1) * part.energy) / whole : 0;
}
