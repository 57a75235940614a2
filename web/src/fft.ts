/* fft.ts — amplitude spectra of evenly spaced rows: windows, transform, peaks. */
import type { Values } from './data';

export const leastRows = 16; /* that make a spectrum */

/* Sums of cosines; `width`: from the middle of a line to where it has ended, in lines of 1/length. */
export const windows = {
  hann: { name: 'Hann', terms: [0.5, 0.5], width: 2 },
  flat: { name: 'flat top', terms: [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368], width: 5 },
  blackman: { name: 'Blackman-Harris', terms: [0.35875, 0.48829, 0.14128, 0.01168], width: 4 },
  none: { name: 'none (rectangular)', terms: [1], width: 1 },
} as const;

export type WindowKind = keyof typeof windows;

/* The weights of n rows. */
export function windowOf(kind: WindowKind, n: number): Float64Array {
  const { terms } = windows[kind];
  return Float64Array.from({ length: n }, (_v, i) => (terms as readonly number[]).reduce((sum, a, k) => sum + (k % 2 ? -a : a) * Math.cos((2 * Math.PI * k * (i + 0.5)) / n), 0));
}

/* Discrete Fourier transform in place, the length a power of two. */
export function transform(re: Float64Array, im: Float64Array): void {
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

/* Distance of rows when it is the same everywhere; null otherwise. */
export function evenStep(time: Values, first = 0, last = time.length): number | null {
  const n = last - first;
  if (n < 2) return null;
  const step = (time[last - 1]! - time[first]!) / (n - 1);
  for (let i = first + 1; i < last; i++) if (!(Math.abs(time[i]! - time[i - 1]! - step) < 1e-3 * step)) return null;
  return step;
}

export interface Spectrum {
  frequency: Float64Array; /* Hz */
  amplitude: Float64Array; /* of a sine, in the unit of the channel */
}

/* Amplitudes of n rows from `first` on, without their mean and with weights, in a transform of `size` >= n. */
export function amplitudes(values: Values, first: number, weights: Float64Array, size: number): Float64Array {
  const n = weights.length;
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  let [mean, weight] = [0, 0];
  for (let i = 0; i < n; i++) {
    mean += weights[i]! * values[first + i]!;
    weight += weights[i]!;
  }
  mean /= weight;
  for (let i = 0; i < n; i++) re[i] = weights[i]! * (values[first + i]! - mean);
  transform(re, im);
  return Float64Array.from({ length: size / 2 }, (_v, k) => (2 * Math.hypot(re[k]!, im[k]!)) / weight);
}

/* Filled up with zeros, so that peaks are seen at their height. Null where rows are too few, not evenly spaced or not numbers. */
export function spectrumOf(time: Values, values: Values, first = 0, last = time.length, kind: WindowKind = 'hann'): Spectrum | null {
  const n = last - first;
  const step = n < leastRows ? null : evenStep(time, first, last);
  if (step === null) return null;
  for (let i = first; i < last; i++) if (!Number.isFinite(values[i]!)) return null;
  let size = 1;
  while (size < (n > 1 << 16 ? 2 : 4) * n) size *= 2;
  const amplitude = amplitudes(values, first, windowOf(kind, n), size);
  return { frequency: Float64Array.from(amplitude, (_a, k) => k / (size * step)), amplitude };
}

/* From 0 to where amplitudes have ended, with some room: what is worth being seen first. */
export function worthSeeing(frequency: Values, lists: Values[]): [number, number] {
  const from = frequency[0]! > 0 ? frequency[0]! : 0;
  let end = 1;
  for (const list of lists) {
    let most = 0;
    for (let k = 1; k < list.length; k++) if (list[k]! > most) most = list[k]!;
    for (let k = list.length - 1; k > end; k--)
      if (list[k]! > 0.01 * most) {
        end = k;
        break;
      }
  }
  return [from, frequency[Math.min(frequency.length - 1, Math.ceil(1.15 * end) + 4)]!];
}

export interface Peak {
  frequency: number;
  amplitude: number;
}

/* The highest peaks, at least `share` of the highest, no two within `apart` (Hz); between the lines by a parabola through logarithms. */
export function peaksOf({ frequency, amplitude }: Spectrum, most: number, share: number, apart: number): Peak[] {
  const top = amplitude.reduce((a, b) => Math.max(a, b), 0);
  const found: Peak[] = [];
  for (let k = 1; k + 1 < amplitude.length; k++) {
    const [a, b, c] = [amplitude[k - 1]!, amplitude[k]!, amplitude[k + 1]!];
    if (!(b > a && b >= c && b >= share * top) || top === 0) continue;
    const [p, q, r] = [a, b, c].map((v) => Math.log(Math.max(v, 1e-300))) as [number, number, number];
    const bend = p - 2 * q + r;
    const shift = bend < 0 ? Math.max(-0.5, Math.min(0.5, (p - r) / (2 * bend))) : 0;
    found.push({ frequency: frequency[k]! + shift * (frequency[1]! - frequency[0]!), amplitude: Math.exp(q - ((p - r) * shift) / 4) });
  }
  const kept: Peak[] = [];
  for (const peak of found.sort((a, b) => b.amplitude - a.amplitude)) {
    if (kept.length >= most) break;
    if (kept.every((k) => Math.abs(k.frequency - peak.frequency) >= apart)) kept.push(peak);
  }
  return kept;
}
