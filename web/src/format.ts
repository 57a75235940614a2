/* format.ts — numbers as text. */

const minus = '\u2212';
const superscript = (n: number): string =>
  String(n).replace(/-/g, '⁻').replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(d)]!);

/* `digits` significant digits, without exponent where that stays readable. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${minus}∞`;
  if (value === 0) return '0';
  const size = Math.abs(value);
  const [mantissa, exponentText] = size.toExponential(digits - 1).split('e') as [string, string];
  const exponent = Number(exponentText);
  let text: string;
  if (exponent < -4 || exponent > Math.max(5, digits)) {
    text = `${mantissa.replace(/\.?0+$/, '')}\u00b710${superscript(exponent)}`;
  } else {
    const decimals = Math.max(0, digits - 1 - exponent);
    text = Number(size.toPrecision(Math.max(digits, exponent + 1))).toFixed(decimals);
  }
  return value < 0 ? minus + text : text;
}

/* The same without zeros at the end: names such as "13 N". */
export const short = (value: number, digits = 4): string =>
  number(value, digits).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

/* With the decimals that `digits` digits of `scale` have, so that numbers of one size line up. */
export function aligned(value: number | null | undefined, scale: number, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return number(value, digits);
  const size = Math.abs(scale);
  if (!(size >= 1e-4 && size < 1e6)) return number(value, digits);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = Math.abs(value).toFixed(decimals);
  return value < 0 && Number(text) !== 0 ? minus + text : text;
}

/* Axis ticks: as many decimals as the distance between ticks needs. */
export function tick(value: number, step: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return number(value, 3);
  /* Steps such as 0.25 need one decimal more than their size tells. */
  let decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const scaled = step * 10 ** decimals;
  if (Math.abs(scaled - Math.round(scaled)) > 1e-6 * scaled) decimals++;
  decimals = Math.min(8, decimals);
  const text = size.toFixed(decimals);
  return value < 0 ? minus + text : text;
}

/* Counts, with thin spaces between thousands. */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/* A pure number: whole ones as they are. */
export const pure = (value: number, digits = 4): string =>
  Number.isInteger(value) && Math.abs(value) < 1e9
    ? (value < 0 ? minus : '') + count(Math.abs(value))
    : number(value, digits);

/* A value in a unit of display with the unit: "60 rad/s (9.55 Hz)". */
export function inUnit(shown: number, unit: { text: string; size: number; also?: { text: string; size: number } }, write: (v: number) => string = (v) => number(v)): string {
  const { text, size, also } = unit;
  return `${write(shown)}${text && text !== '°' ? ' ' : ''}${text}${also && shown !== 0 && Number.isFinite(shown) ? ` (${number((shown * size) / also.size, 3)} ${also.text})` : ''}`;
}

/* A value is not broken from its unit. */
export const unbroken = (text: string): string => text.replace(/ /g, '\u00a0');

export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/* Round values inside a range, at most about so many. */
export function roundValues(low: number, high: number, most: number): number[] {
  const raw = (high - low) / most;
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((s) => s * power >= raw)! * power;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(0, Math.floor(high / step + 1e-9) - first + 1) }, (_v, i) => Number(((first + i) * step).toPrecision(12)));
}

/* "water_pump" is how a model file calls it. */
export const spoken = (name: string): string => name.replace(/_/g, ' ');
