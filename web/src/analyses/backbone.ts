/* backbone.ts — nonlinear modes (src/analysis/orbit/backbone.c): amplitude, damping, energy or a channel over the angular frequency of the
 * free motion, one curve a mode; and the same curves for the responses of the file, whose peaks lie on them. */
import type { Analysis } from './analysis';
import { nameOf } from '../channels';
import { largestOf, rangeText } from '../chart';
import { valuesOf, type Column, type Group, type Table } from '../data';
import { el, uniqueId } from '../dom';
import { columnIn, figure, type FigureMaker } from '../figure';
import { number, plural } from '../format';
import { Loop, type Curve } from '../loop';
import type { Mark } from '../marks';
import { quantity, roundedText, textTable } from '../tables';
import { lineStyle, theme } from '../theme';
import { displayUnit, withUnit, type DisplayUnit } from '../units';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

const isBackbone = (group: Group): boolean =>
  group.kind === 'backbone' && !!group.table?.rows && ['mode', 'amplitude', 'angular_frequency'].every((n) => column(group.table!, n));

/* Texts that the list of modes shows. */
const isModeText = (name: string): boolean => /^mode\.\d+\.(measure|end)$/.test(name);

const modesOf = (table: Table): number[] => [...new Set(Array.from(valuesOf(column(table, 'mode')!)))];

const only = (values: ArrayLike<number>, keep: (i: number) => boolean): number[] =>
  Array.from(values, (v, i) => (keep(i) ? v : NaN));

/* The backbones of a file over the angular frequency, as far as a response reaches: `most` is its largest value of the quantity. */
export function backboneCurves(groups: Group[], y: Column, range: [number, number], most: number): Curve[] {
  return groups.filter(isBackbone).flatMap((group) => {
    const table = group.table!;
    const own = column(table, y.name);
    if (!own || own.unit !== y.unit) return [];
    const mode = valuesOf(column(table, 'mode')!);
    const x = valuesOf(column(table, 'angular_frequency')!);
    const values = valuesOf(own);
    const inside = (i: number): boolean => x[i]! >= range[0] && x[i]! <= range[1] && values[i]! <= 1.1 * most;
    return modesOf(table).map((m) => ({
      name: modesOf(table).length > 1 ? `backbone, mode ${m}` : 'backbone',
      hint: nameOf(own),
      x,
      y: only(values, (i) => mode[i] === m && inside(i)),
      style: { colour: () => theme().text, dash: [1, 3] },
      width: 2.5,
      beside: true,
      note: () => 'free vibration',
    }));
  });
}

const notDrawn = ['mode', 'kind', 'angular_frequency', 'frequency', 'truncation'];

/* "1.000 → 0.5640 → 0.7980": the first value, those where it turns, and the last. */
function courseOf(values: number[]): number[] {
  const slack = 1e-3 * Math.max(...values.map(Math.abs));
  const turns = [values[0]!];
  for (const v of values) {
    const n = turns.length;
    const [last, before] = [turns[n - 1]!, turns[n - 2]];
    if (before !== undefined && (v - last) * (last - before) > 0) turns[n - 1] = v;
    else if (Math.abs(v - last) > slack) turns.push(v);
  }
  return turns;
}

const rangeOf = (values: number[], unit: DisplayUnit): string => rangeText(values, { ...unit, text: '' });

/* One row a mode: how far it goes, and what angular frequency and damping do on the way. */
export function modeTable(group: Group): HTMLElement {
  const table = group.table!;
  const text = (mode: number, what: string): string => group.texts.find((t) => t.name === `mode.${mode}.${what}`)?.value ?? '';
  const shown = ['amplitude', 'angular_frequency', 'damping_ratio', 'energy'].flatMap((name) => {
    const c = column(table, name);
    return c?.stats ? [{ name, c, unit: displayUnit(c.unit, largestOf([valuesOf(c)])) }] : [];
  });
  const heads: Record<string, string> = { amplitude: 'Amplitude', angular_frequency: 'AngularFrequency', damping_ratio: 'Damping ratio', energy: 'Energy' };
  const mode = valuesOf(column(table, 'mode')!);
  return textTable(['Mode', 'Amplitude of', ...shown.map(({ name, unit }) => withUnit(heads[name]!, unit)), 'Ends'],
    modesOf(table).map((m) => [String(m), text(m, 'measure'), ...shown.map(({ name, c, unit }) => {
      const values = Array.from(valuesOf(c)).filter((v, i) => mode[i] === m && Number.isFinite(v));
      return /angular_frequency|damping/.test(name) ? courseOf(values).map((v) => number(v / unit.size)).join(' → ') : rangeOf(values, unit);
    }), roundedText(text(m, 'end'))]));
}

/* "2 nonlinear modes of free vibration, found with 12 harmonics." */
function backboneSummary(group: Group): HTMLElement {
  const n = modesOf(group.table!).length;
  const harmonics = group.numbers.find((k) => k.name === 'harmonics')?.value;
  return el('p', {}, `${plural(n, 'mode')} of free vibration over the amplitude${harmonics ? `, with ${plural(harmonics, 'harmonic')}` : ''}.`);
}

/* What a point of a mode is besides its coordinates: "amplitude 31.2 mm, damping ratio 0.025". */
function noteOf(table: Table, row: number): string {
  return ['amplitude', 'damping_ratio'].flatMap((name) => {
    const c = column(table, name);
    return c && Number.isFinite(valuesOf(c)[row]!) ? [`${name.replace('_', ' ')} ${quantity(valuesOf(c)[row]!, c.unit)}`] : [];
  }).join(', ');
}

function backboneView(group: Group): HTMLElement {
  const table = group.table!;
  const x = column(table, 'angular_frequency')!;
  const [mode, kind] = [valuesOf(column(table, 'mode')!), valuesOf(column(table, 'kind')!)];
  const choice = table.columns.filter((c) => !notDrawn.includes(c.name) && c.stats);
  const host = el('div');
  const draw = (y: Column): void => {
    const values = valuesOf(y);
    const marks: Mark[] = Array.from(kind, (_v, i) => i).filter((i) => kind[i]! > 0).map((i) => ({
      label: '', x: valuesOf(x)[i]!, y: values[i]!, shape: kind[i] === 1 ? 'square' : 'cross', curve: modesOf(table).indexOf(mode[i]!) }));
    const present = (k: number): boolean => Array.from(kind).includes(k);
    host.replaceChildren();
    new Loop({
      x: { name: nameOf(x), unit: x.unit },
      y: { name: nameOf(y), unit: y.unit },
      curves: modesOf(table).map((m, n) => {
        const rows = Array.from(mode, (_v, i) => i).filter((i) => mode[i] === m);
        return { name: `mode ${m}`, hint: nameOf(y), x: rows.map((i) => valuesOf(x)[i]!), y: rows.map((i) => values[i]!), style: lineStyle(n),
          note: (k: number) => noteOf(table, rows[k]!) };
      }),
      marks,
      legend: [...(present(1) ? [{ shape: 'square' as const, name: 'turn of the amplitude' }] : []),
        ...(present(2) ? [{ shape: 'cross' as const, name: 'branch point' }] : [])],
      height: 420,
    }, host);
  };
  const id = uniqueId('quantity');
  const box = el('select', { id }, ...choice.map((c, i) => el('option', { value: i, selected: i === 0 }, nameOf(c))));
  box.addEventListener('change', () => draw(choice[Number(box.value)]!));
  requestAnimationFrame(() => choice[0] && draw(choice[0]));
  return el('div.response', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), box)), host, modeTable(group));
}

const figures: FigureMaker = (group) => {
  if (!isBackbone(group)) return [];
  const f = columnIn(group, 'frequency');
  const a = columnIn(group, 'amplitude');
  return f?.stats && a?.stats ? [
    ...figure('Backbone', 'frequency at small amplitude', valuesOf(f)[0]!, 'Hz', { at: `amplitude ${quantity(valuesOf(a)[0]!, a.unit, 3)}` }),
    ...figure('Backbone', 'frequency at the largest', valuesOf(f)[valuesOf(f).length - 1]!, 'Hz', { at: `amplitude ${quantity(a.stats.max, a.unit, 3)}` })] : [];
};

export const backbone: Analysis = {
  kind: 'backbone', recognise: isBackbone, gaps: true, figures: [figures], ownNumbers: true,
  shown: (what, name) => what === 'text' && isModeText(name),
  view: (_report, group) => [backboneSummary(group), backboneView(group)],
};
