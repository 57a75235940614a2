/* corners.ts — the corners of a hysteresis loop, where a friction element sticks or slips.
 *
 * Stored as a text "corner.label" ("A,B,C,D") and vectors "corner.<quantity>" of the same length.
 */
import { valuesOf, type Group } from './data';
import { el } from './dom';
import type { Mark } from './marks';
import { labelled } from './tables';

export const isCorner = (name: string): boolean => name.startsWith('corner.');

const labelsOf = (group: Group): string[] =>
  group.texts.find((t) => t.name === 'corner.label')?.value.split(',').filter(Boolean) ?? [];

const vectors = (group: Group) => group.arrays.filter((a) => isCorner(a.name) && a.dims.length === 1 && !a.omitted &&
  a.dims[0] === labelsOf(group).length);

/* Corners as points in a plot of channel `y` over channel `x`, such as NAME.force over NAME.deflection. */
export function cornerMarks(group: Group, x: string, y: string): Mark[] {
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
  const values = (channel: string) => {
    const found = vectors(group).find((a) => a.name === `corner.${last(channel)}`);
    return found ? valuesOf(found) : null;
  };
  const xs = values(x);
  const ys = values(y);
  if (!xs || !ys) return [];
  return labelsOf(group).map((label, i) => ({ label, x: xs[i]!, y: ys[i]! }));
}

export function cornerTable(group: Group): HTMLElement | null {
  const columns = vectors(group);
  if (!columns.length) return null;
  return el('div', {}, el('h3.small', {}, 'Corners of the loop'),
    labelled('Corner', labelsOf(group), columns.map((a) => ({ ...a, values: valuesOf(a) }))));
}
