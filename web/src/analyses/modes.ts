/* modes.ts — natural frequencies and mode shapes.
 *
 * The analysis stores vectors "pulsation", "damped.pulsation", "damped.ratio", a matrix "shape" (row: coordinate,
 * column: mode) and a text "coordinates" with the names of the rows, separated by commas.
 */
import type { Layout } from '../drives/accessory/belt';
import { Link } from '../chart';
import { valuesOf, type ArrayData, type Group } from '../data';
import { el } from '../dom';
import { aligned, short } from '../format';
import { stage } from '../stage';
import { modesActor, modesNames } from '../drives/accessory/stage_modes';

const array = (group: Group, name: string): ArrayData | undefined => group.arrays.find((a) => a.name === name && !a.omitted);

export const isModes = (group: Group): boolean => group.kind === 'modes' && !!array(group, 'pulsation');

function frequencies(caption: string, pulsation: ArrayData, ratio?: ArrayData): HTMLElement {
  const w = valuesOf(pulsation);
  const d = ratio && ratio.dims[0] === pulsation.dims[0] ? valuesOf(ratio) : null;
  const rows = Array.from(w, (v, i) => el('tr', {}, el('th', { scope: 'row' }, String(i + 1)),
    el('td.n', {}, short(v / (2 * Math.PI), 5)), el('td.n', {}, short(v, 5)), d ? el('td.n', {}, short(d[i]!, 4)) : null));
  return el('table', {}, el('caption', {}, caption),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Mode'), el('th.n', { scope: 'col' }, 'Frequency [Hz]'),
      el('th.n', { scope: 'col' }, 'Pulsation [rad/s]'), d ? el('th.n', { scope: 'col' }, 'Damping ratio') : null)),
    el('tbody', {}, ...rows));
}

/* Each mode as a column, its largest entry 1, with a bar for the eye. */
function shapes(shape: ArrayData, names: string[]): HTMLElement {
  const [ncoordinate, nmode] = shape.dims as [number, number];
  const v = valuesOf(shape);
  const entry = (i: number, j: number): number => v[i * nmode + j]!;
  const largest = Array.from({ length: nmode }, (_m, j) => {
    let most = 0;
    for (let i = 0; i < ncoordinate; i++) if (Math.abs(entry(i, j)) > Math.abs(most)) most = entry(i, j);
    return most || 1;
  });
  const cell = (x: number): HTMLElement => el('td.n', {},
    el('span.shape', { 'aria-hidden': 'true' }, el('span', { style: `left:${x < 0 ? 50 + 50 * x : 50}%;width:${50 * Math.abs(x)}%` })),
    aligned(x, 1, 4));
  return el('table', {}, el('caption', {}, 'Mode shapes, largest entry 1'),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Coordinate'),
      ...largest.map((_l, j) => el('th.n', { scope: 'col' }, `Mode ${j + 1}`)))),
    el('tbody', {}, ...Array.from({ length: ncoordinate }, (_c, i) => el('tr', {},
      el('th', { scope: 'row' }, names[i] ?? String(i + 1)), ...largest.map((l, j) => cell(entry(i, j) / l))))));
}

export function modes(group: Group): HTMLElement {
  const undamped = array(group, 'pulsation')!;
  const damped = array(group, 'damped.pulsation');
  const shape = array(group, 'shape');
  const names = (group.texts.find((t) => t.name === 'coordinates')?.value ?? '').split(',').filter(Boolean);
  const tables = [
    frequencies('Undamped', undamped),
    damped ? frequencies('Damped', damped, array(group, 'damped.ratio')) : null,
    shape && shape.dims.length === 2 && shape.dims[1]! <= 12 && shape.dims[0]! <= 40 ? shapes(shape, names) : null,
  ];
  return el('div.beside', {}, ...tables.map((t) => t && el('div.scroll', {}, t)));
}

/* Arrays and texts that modes() has shown. */
export const shownByModes = (name: string): boolean =>
  ['pulsation', 'damped.pulsation', 'damped.ratio', 'shape', 'coordinates'].includes(name);

/* Modes of a belt drive, swinging; those of free turning have no frequency and are left out. */
export function modesStage(group: Group, layout: Layout | null): HTMLElement | null {
  const shape = array(group, 'shape');
  const [pulsation, damped, ratio] = ['pulsation', 'damped.pulsation', 'damped.ratio'].map((n) => array(group, n));
  const names = (group.texts.find((t) => t.name === 'coordinates')?.value ?? '').split(',').filter(Boolean);
  if (!layout || !shape || !pulsation || shape.dims.length !== 2 || shape.dims[0] !== names.length) return null;
  if (!layout.pulleys.some((p) => names.includes(p.name))) return null;
  const [v, w] = [valuesOf(shape), valuesOf(pulsation)];
  const nmode = shape.dims[1]!;
  /* Damped eigenvalues are listed by their size: as long as all swing, they are the same modes. */
  const ratios = ratio && damped && damped.dims[0] === nmode ? valuesOf(ratio) : null;
  const first = Array.from(w).findIndex((x) => x > 1e-6 * w[nmode - 1]!);
  if (first < 0) return null;
  const { actor } = modesActor(layout, modesNames(layout, names), names, nmode - first, [], (mode) => ({
    frequency: w[first + mode]! / (2 * Math.PI), ratio: ratios?.[first + mode] ?? NaN,
    amplitude: (unknown) => {
      const i = names.indexOf(unknown);
      return [i < 0 ? 0 : v[i * nmode + first + mode]!, 0];
    },
  }));
  return stage(actor, new Link());
}
