/* modes.ts — natural frequencies and mode shapes.
 *
 * The analysis stores vectors "angular_frequency", "damped.angular_frequency", "damped.ratio", a matrix "shape" (row: coordinate,
 * column: mode) and a text "coordinates" with the names of the rows, separated by commas.
 */
import type { Analysis } from './analysis';
import { valuesOf, type ArrayData, type Group } from '../data';
import { el } from '../dom';
import { arrayIn, figure, valuesIn, type FigureMaker } from '../figure';
import { aligned, number, short } from '../format';

const array = (group: Group, name: string): ArrayData | undefined => group.arrays.find((a) => a.name === name && !a.omitted);

export const isModes = (group: Group): boolean => group.kind === 'modes' && !!array(group, 'angular_frequency');

function frequencies(caption: string, angular_frequency: ArrayData, ratio?: ArrayData): HTMLElement {
  const w = valuesOf(angular_frequency);
  const d = ratio && ratio.dims[0] === angular_frequency.dims[0] ? valuesOf(ratio) : null;
  const rows = Array.from(w, (v, i) => el('tr', {}, el('th', { scope: 'row' }, String(i + 1)),
    el('td.n', {}, short(v / (2 * Math.PI), 5)), el('td.n', {}, short(v, 5)), d ? el('td.n', {}, short(d[i]!, 4)) : null));
  return el('table', {}, el('caption', {}, caption),
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Mode'), el('th.n', { scope: 'col' }, 'Frequency [Hz]'),
      el('th.n', { scope: 'col' }, 'AngularFrequency [rad/s]'), d ? el('th.n', { scope: 'col' }, 'Damping ratio') : null)),
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

function modeTables(group: Group): HTMLElement {
  const undamped = array(group, 'angular_frequency')!;
  const damped = array(group, 'damped.angular_frequency');
  const shape = array(group, 'shape');
  const names = (group.texts.find((t) => t.name === 'coordinates')?.value ?? '').split(',').filter(Boolean);
  const tables = [
    frequencies('Undamped', undamped),
    damped ? frequencies('Damped', damped, array(group, 'damped.ratio')) : null,
    shape && shape.dims.length === 2 && shape.dims[1]! <= 12 && shape.dims[0]! <= 40 ? shapes(shape, names) : null,
  ];
  return el('div.beside', {}, ...tables.map((t) => t && el('div.scroll', {}, t)));
}

/* Arrays and texts that the tables have shown. */
const shownByModes = (name: string): boolean =>
  ['angular_frequency', 'damped.angular_frequency', 'damped.ratio', 'shape', 'coordinates'].includes(name);

const figures: FigureMaker = (group) => {
  const damped = arrayIn(group, 'damped.angular_frequency');
  const angular_frequency = arrayIn(group, 'angular_frequency');
  if (group.kind !== 'modes' || !angular_frequency) return [];
  const friction = group.texts.find((t) => t.name === 'friction')?.value;
  const of = friction ? `Modes, friction ${friction}` : 'Modes';
  const list = valuesOf(angular_frequency);
  const ratio = valuesIn(group, 'damped.ratio');
  const low = Array.from(list).findIndex((v) => v > 0);
  if (low < 0) return [];
  const zeta = damped && ratio && damped.dims[0] === angular_frequency.dims[0] ? ratio[low]! : NaN;
  return [...figure(of, 'lowest frequency', list[low]! / (2 * Math.PI), 'Hz', { at: Number.isFinite(zeta) ? `damping ratio ${number(zeta, 3)}` : '' }),
    ...(list.length > low + 1 ? figure(of, 'next frequency', list[low + 1]! / (2 * Math.PI), 'Hz') : [])];
};

export const modes: Analysis = {
  kind: 'modes', recognise: isModes, lead: 8, ownClock: true, written: true, figures: [figures],
  shown: (_what, name) => shownByModes(name),
  opening: (_report, group) => [modeTables(group)],
};
