/* spectrum.ts — amplitude spectrum of a channel over the time that the plots show. */
import { Chart, type Line, type Link } from './chart';
import { nameOf } from './channels';
import { valuesOf, type ArrayData, type Column, type Group, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { quantity } from './tables';
import { lineStyle } from './theme';

const least = 16; /* rows that make a spectrum */

/* Discrete Fourier transform in place, the length a power of two. */
function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j]!, re[i]!];
      [im[i], im[j]] = [im[j]!, im[i]!];
    }
  }
  for (let size = 2; size <= n; size *= 2)
    for (let k = 0; k < size / 2; k++) {
      const [c, s] = [Math.cos((2 * Math.PI * k) / size), -Math.sin((2 * Math.PI * k) / size)];
      for (let i = k; i < n; i += size) {
        const j = i + size / 2;
        const [x, y] = [re[j]! * c - im[j]! * s, re[j]! * s + im[j]! * c];
        re[j] = re[i]! - x;
        im[j] = im[i]! - y;
        re[i] = re[i]! + x;
        im[i] = im[i]! + y;
      }
    }
}

export interface Spectrum {
  frequency: number[]; /* Hz */
  amplitude: number[]; /* of a sine, in the unit of the channel */
}

/* With Hann's window and the mean taken away; filled up with zeros, so that peaks are seen at their height. Null where rows are
 * too few or not evenly spaced. */
export function spectrumOf(time: Values, values: Values, first = 0, last = time.length): Spectrum | null {
  const n = last - first;
  if (n < least) return null;
  const step = (time[last - 1]! - time[first]!) / (n - 1);
  for (let i = first + 1; i < last; i++)
    if (!(Math.abs(time[i]! - time[i - 1]! - step) < 1e-3 * step) || !Number.isFinite(values[i]!)) return null;
  let mean = 0;
  for (let i = first; i < last; i++) mean += values[i]! / n;
  let size = 1;
  while (size < 2 * n) size *= 2;
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  let weight = 0;
  for (let i = 0; i < n; i++) {
    const w = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / n);
    weight += w;
    re[i] = w * (values[first + i]! - mean);
  }
  transform(re, im);
  const half = size / 2;
  return {
    frequency: Array.from({ length: half }, (_v, k) => k / (size * step)),
    amplitude: Array.from({ length: half }, (_v, k) => (2 * Math.hypot(re[k]!, im[k]!)) / weight),
  };
}

/* Spectra that the run has stored: "spectrum.frequency" and "spectrum.CHANNEL". */
export const isSpectrum = (name: string): boolean => name.startsWith('spectrum.');
const mostLines = 8;

/* Without the mean, which is no vibration. */
const alternating = (a: ArrayData): Values => Array.from(valuesOf(a), (v, i) => (i === 0 ? NaN : v));

/* One plot for channels of one kind: "spectrum.span.*.tension". */
export function storedSpectra(group: Group): HTMLElement[] {
  const x = group.arrays.find((a) => a.name === 'spectrum.frequency' && !a.omitted);
  if (!x) return [];
  const kinds = new Map<string, ArrayData[]>();
  for (const a of group.arrays.filter((k) => k !== x && isSpectrum(k.name) && !k.omitted && k.dims.length === 1 && k.dims[0] === x.dims[0])) {
    const kind = `${a.name.replace(/^.*\./, '')} ${a.unit}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), a]);
  }
  const window = group.texts.find((t) => t.name === 'spectrum.window')?.value;
  const host = el('div.spectra', {}, el('h3.small', {}, `Spectra${window ? `, window: ${window}` : ''}`));
  requestAnimationFrame(() => {
    for (const list of kinds.values())
      for (let k = 0; k < list.length; k += mostLines) {
        const part = list.slice(k, k + mostLines);
        const lines: Line[] = part.map((a, i) => ({ name: a.name.replace(/^spectrum\./, ''), hint: nameOf(a), values: alternating(a), style: lineStyle(i), plain: true }));
        void new Chart({ x: { name: 'frequency', unit: 'Hz', values: valuesOf(x) }, y: { name: 'amplitude', unit: part[0]!.unit }, lines, height: 280 }, host);
      }
  });
  return kinds.size ? [host] : [];
}

/* Any channel of a table, over the time window of its plots; it follows that window. Made when it is opened. */
export function spectrumView(table: Table, link: Link, start: Column | undefined): HTMLElement | null {
  const channels = table.columns.slice(1).filter((c) => c.stats);
  const [x] = table.columns;
  if (!x || x.unit !== 's' || table.thinned !== 'no' || !channels.length || table.rows < least) return null;
  const time = valuesOf(x);
  const id = uniqueId('spectrum');
  const box = el('select', { id }, ...channels.map((c, i) => el('option', { value: i, selected: c === start }, c.name)));
  const log = el('input', { type: 'checkbox' });
  const host = el('div');
  const fold = el('details.spectrum', {}, el('summary', {}, 'Spectrum of a channel'),
    el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Channel'), box), el('label.check', {}, log, 'logarithmic y')), host);
  let chart: Chart | null = null;
  const draw = (): void => {
    if (!fold.open) return;
    chart?.destroy();
    chart = null;
    const c = channels[Number(box.value)]!;
    const [first, last] = link.rows(time);
    const found = spectrumOf(time, valuesOf(c), first, last);
    if (!found) return host.replaceChildren(el('p.hint', {}, 'A spectrum needs evenly spaced rows, at least 16 of them.'));
    const line: Line = { name: c.name, hint: nameOf(c), values: found.amplitude, style: lineStyle(0), plain: true };
    const window = `${quantity(time[first]!, 's', 4, time[last - 1]!)} to ${quantity(time[last - 1]!, 's')}`;
    host.replaceChildren();
    chart = new Chart({
      x: { name: 'frequency', unit: 'Hz', values: found.frequency }, y: { name: `amplitude of ${nameOf(c)}`, unit: c.unit }, lines: [line], height: 300,
      logY: log.checked, decades: 6,
      title: `${nameOf(c)}: amplitudes from ${window}, Hann window, lines ${quantity(1 / (time[last - 1]! - time[first]!), 'Hz', 3)} apart`,
    }, host);
  };
  box.addEventListener('change', draw);
  log.addEventListener('change', draw);
  fold.addEventListener('toggle', draw);
  link.onRange(draw);
  return fold;
}
