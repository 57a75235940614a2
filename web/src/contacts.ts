/* contacts.ts — rows of rolling contacts, known by their channels: NAME.force.ROW resists the velocity NAME.slip.ROW, and
 * NAME.stick.ROW is the deflection where the contact is elastic. */
import type { Column, Group } from './data';
import { closureScale } from './audit';
import { number } from './format';
import { figureList, quantity, type Figure } from './tables';
import { quantityOf } from './units';

export const sizeOf = (c: Column): number => (c.stats ? Math.max(Math.abs(c.stats.min), Math.abs(c.stats.max)) : 0);

const named = (c: Column, kind: string): boolean => c.name.includes(`.${kind}.`) || c.name.startsWith(`${kind}.`);

/* Whether a channel tells of one row of a contact. */
export const isRow = (c: Column): boolean => ['force', 'slip', 'stick'].some((kind) => named(c, kind));

/* The channels of one kind that have the other kinds beside them. */
function rowsOf(channels: Column[], kind: 'force' | 'slip'): Column[] {
  const names = new Set(channels.map((c) => c.name));
  const other = kind === 'force' ? 'slip' : 'force';
  return channels.filter((c) => named(c, kind) && names.has(c.name.replace(new RegExp(`(^|\\.)${kind}\\.`), `$1${other}.`)));
}

export const contactForces = (channels: Column[]): Column[] => rowsOf(channels, 'force');
export const contactSlips = (channels: Column[]): Column[] => rowsOf(channels, 'slip');

/* Largest value of the channels to compare with: those of the same unit; elastic deflections of stiff contacts are small beside
 * every path, and compared with each other. */
const scaleOf = (channels: Column[], c: Column): number =>
  Math.max(0, ...channels.filter((k) => k.unit === c.unit && named(k, 'stick') === named(c, 'stick')).map(sizeOf));

const rounding = 1e-12; /* of the largest value: some thousand units in the last place */
const kept = 1e-9; /* of the largest velocity: a constraint that is kept, not a motion */
const nothing = 1e-12; /* in SI units, of whatever */

/* Whether a channel is what a computation leaves of zero: on a linear axis, noise would fill the plot. */
export function isResidue(c: Column, channels: Column[]): boolean {
  const [size, scale] = [sizeOf(c), scaleOf(channels, c)];
  return size > 0 && (size <= (named(c, 'slip') ? kept : rounding) * scale || (scale <= nothing && !named(c, 'stick')));
}

/* "at most 2.1·10⁻¹⁶ m/s, which is 7.2·10⁻¹⁷ of the largest velocity in this table: rounding" */
export function residueText(members: Column[], channels: Column[]): string {
  const unit = members[0]!.unit;
  const size = Math.max(...members.map(sizeOf));
  const scale = scaleOf(channels, members[0]!);
  const what = `at most ${quantity(size, unit, 2)}`;
  if (scale <= nothing) return `${what}: rounding errors of zero`;
  const share = `${what}, which is ${number(size / scale, 2)} of the largest ${quantityOf(unit) || 'value'} in this table`;
  return size <= rounding * scale ? `${share}: rounding errors of zero` : share;
}

/* The largest of some channels, and which one it is. */
function largest(channels: Column[], name: string): Figure[] {
  const most = channels.filter((c) => c.stats).sort((a, b) => sizeOf(b) - sizeOf(a))[0];
  return most ? [{ name, value: quantity(sizeOf(most), most.unit, 3), at: most.name }] : [];
}

/* What one wants to know of a motion with rolling contacts: whether the constraints hold, the forces, and the energy. */
export function contactFigures(group: Group): HTMLElement | null {
  const channels = group.table?.columns.slice(1) ?? [];
  const [forces, slips] = [contactForces(channels), contactSlips(channels)];
  if (!slips.length) return null;
  const holds = slips.every((c) => sizeOf(c) === 0 || isResidue(c, channels));
  const residual = group.audit?.residual;
  const shown: Figure[] = [
    ...largest(slips, holds ? 'largest velocity of a constraint' : 'largest slip velocity'),
    ...largest(forces, 'largest contact force'),
    ...(residual === null || residual === undefined ? []
      : [{ name: 'energy residual', value: number(Math.abs(residual), 2), at: `of ${closureScale(group)}` }]),
  ];
  return figureList(shown);
}
