/* names.ts — words, colours and signs that all pages of pushbelts share.
 *
 * Torques are drawn on the belt: an arc arrow is the torque of a pulley on the belt (or on the ring alone). It points with the travel
 * where the pulley drives, and against it where it brakes. */
import { lineStyle, type LineStyle } from '../../theme';

/* Parts of the belt in the order of its travel, as results number them. */
export const sectionNames = ['primary', 'upper strand', 'secondary', 'lower strand'];

/* Each part has one colour on all pages. */
export const sectionStyle = (section: number): LineStyle => lineStyle(section);
export const [primary, upper, secondary, lower] = [0, 1, 2, 3] as const;

export const torqueNote = (on: string): string => `Arc arrows: torque of a pulley on the ${on}; it points with the travel (clockwise) where the pulley drives, against it where it brakes.`;

/* Of the contacts, as results call them in the balance of energies: one name for each mechanism, on every page. */
const mechanisms: [RegExp, string][] = [
  [/flank[ .]longitudinal/, 'flanks, longitudinal'], [/flank[ .]radial/, 'flanks, radial'], [/flank[ .]drilling/, 'flanks, drilling'], [/flank[ .]damping/, 'flanks, damping'],
  [/guide[ .].*longitudinal|guide[ .]friction/, 'rings on saddles, friction'], [/guide[ .].*damping/, 'rings on saddles, damping'],
  [/chain[ .].*friction/, 'elements, friction'], [/chain[ .].*damping/, 'elements, damping'],
  [/(loose|movable)([ .]damper)?[ .]viscous/, 'movable sheave, damper'], [/^ring[ .](damping|viscous)/, 'rings, material damping'],
  [/^pulley\..*\.slip$/, 'slip on the pulleys'], [/^pulley\..*\.normal$/, 'contacts with the pulleys, damping'], [/^slide[ .]viscous/, 'drag of the moving axis'],
];

const places: Record<string, string> = { pri: 'primary', us: 'upper strand', sec: 'secondary', ls: 'lower strand' };

/* "chain.us.friction": elements, friction; upper strand. null: not of a belt. */
export function partOf(line: string): { mechanism: string; place: string } | null {
  const found = mechanisms.find(([pattern]) => pattern.test(line));
  const place = line.split('.').find((t) => places[t] || t === 'primary' || t === 'secondary');
  return found ? { mechanism: found[1], place: place ? places[place] ?? place : '' } : null;
}
