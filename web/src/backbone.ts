/* backbone.ts — nonlinear modes (src/analysis/backbone.c): amplitude, damping, energy or a channel over the pulsation of the
 * free motion, one curve a mode; and the same curves for the responses of the file, whose peaks lie on them. */
import { nameOf } from './channels';
import type { Mark } from './marks';
import { valuesOf, type Column, type Group, type Table } from './data';
import { el, uniqueId } from './dom';
import { Loop, type Curve } from './loop';
import { lineStyle, theme } from './theme';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

export const isBackbone = (group: Group): boolean =>
  group.kind === 'backbone' && !!group.table?.rows && ['mode', 'amplitude', 'pulsation'].every((n) => column(group.table!, n));

/* Texts that the list of modes shows. */
export const isModeText = (name: string): boolean => /^mode\.\d+\.(measure|end)$/.test(name);

const modesOf = (table: Table): number[] => [...new Set(Array.from(valuesOf(column(table, 'mode')!)))];

const only = (values: ArrayLike<number>, keep: (i: number) => boolean): number[] =>
  Array.from(values, (v, i) => (keep(i) ? v : NaN));

/* The backbones of a file over the pulsation, as far as a response reaches: `most` is its largest value of the quantity. */
export function backboneCurves(groups: Group[], y: Column, range: [number, number], most: number): Curve[] {
  return groups.filter(isBackbone).flatMap((group) => {
    const table = group.table!;
    const own = column(table, y.name);
    if (!own || own.unit !== y.unit) return [];
    const mode = valuesOf(column(table, 'mode')!);
    const x = valuesOf(column(table, 'pulsation')!);
    const values = valuesOf(own);
    const inside = (i: number): boolean => x[i]! >= range[0] && x[i]! <= range[1] && values[i]! <= 1.1 * most;
    return modesOf(table).map((m) => ({
      name: modesOf(table).length > 1 ? `backbone, mode ${m}` : 'backbone',
      hint: nameOf(own),
      x,
      y: only(values, (i) => mode[i] === m && inside(i)),
      style: { colour: () => theme().text, dash: [1, 3] },
      width: 2.5,
    }));
  });
}

const notDrawn = ['mode', 'kind', 'pulsation', 'frequency', 'truncation'];

function modeList(group: Group): HTMLElement {
  const text = (mode: number, what: string): string => group.texts.find((t) => t.name === `mode.${mode}.${what}`)?.value ?? '';
  return el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, ...['mode', 'amplitude of', 'ends'].map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, ...modesOf(group.table!).map((m) => el('tr', {},
      el('th', { scope: 'row' }, String(m)), el('td', {}, text(m, 'measure')), el('td', {}, text(m, 'end')))))));
}

export function backboneView(group: Group): HTMLElement {
  const table = group.table!;
  const x = column(table, 'pulsation')!;
  const [mode, kind] = [valuesOf(column(table, 'mode')!), valuesOf(column(table, 'kind')!)];
  const choice = table.columns.filter((c) => !notDrawn.includes(c.name) && c.stats);
  const host = el('div');
  const draw = (y: Column): void => {
    const values = valuesOf(y);
    const marks: Mark[] = Array.from(kind, (_v, i) => i).filter((i) => kind[i] === 1)
      .map((i) => ({ label: '', x: valuesOf(x)[i]!, y: values[i]! }));
    host.replaceChildren();
    new Loop({
      x: { name: nameOf(x), unit: x.unit },
      y: { name: nameOf(y), unit: y.unit },
      curves: modesOf(table).map((m, n) => ({
        name: `mode ${m}`, hint: nameOf(y), x: valuesOf(x), y: only(values, (i) => mode[i] === m), style: lineStyle(n),
      })),
      marks,
      height: 380,
      title: marks.length ? 'Marks: turns of the amplitude.' : undefined,
    }, host);
  };
  const id = uniqueId('quantity');
  const box = el('select', { id }, ...choice.map((c, i) => el('option', { value: i, selected: i === 0 }, nameOf(c))));
  box.addEventListener('change', () => draw(choice[Number(box.value)]!));
  requestAnimationFrame(() => choice[0] && draw(choice[0]));
  return el('div.response', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), box)), host, modeList(group));
}
