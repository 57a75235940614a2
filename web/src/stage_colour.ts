/* stage_colour.ts — values as colours, and the bar that tells which.
 *
 * From dark to light where values have one sign; from blue over grey to orange where their sign matters. Both survive colour
 * blindness, the first also grey printing. */
import { number, roundValues, tick } from './format';
import type { Box, Pen } from './pen';
import { rampColour, theme, type Theme } from './theme';
import { displayUnit, withUnit } from './units';

export interface Coloured {
  key: string;
  label: string;
  unit: string;
  range: [number, number];
  diverging?: boolean;
}

const steps = 256;
const tables = new WeakMap<Theme, Record<'ramp' | 'sign', string[]>>();

const ends = { light: [[20, 82, 160], [118, 165, 205], [186, 190, 194], [222, 148, 92], [170, 66, 6]], dark: [[96, 170, 255], [84, 128, 178], [98, 104, 110], [196, 128, 76], [255, 158, 84]] };

function signColour(share: number, map: number[][]): string {
  const at = share * (map.length - 1);
  const k = Math.min(map.length - 2, Math.floor(at));
  return `rgb(${map[k]!.map((c, j) => Math.round(c + (at - k) * (map[k + 1]![j]! - c))).join(',')})`;
}

/* Made once for each theme: a frame asks for hundreds. */
function table(diverging: boolean): string[] {
  const now = theme();
  let both = tables.get(now);
  if (!both) {
    const map = parseInt(now.paper.slice(1, 3), 16) > 128 ? ends.light : ends.dark;
    const all = (of: (share: number) => string): string[] => Array.from({ length: steps }, (_s, i) => of(i / (steps - 1)));
    tables.set(now, (both = { ramp: all(rampColour), sign: all((s) => signColour(s, map)) }));
  }
  return both[diverging ? 'sign' : 'ramp'];
}

/* Of a diverging one zero is in the middle. */
export function limits(c: Coloured): [number, number] {
  if (!c.diverging) return c.range;
  const most = Math.max(Math.abs(c.range[0]), Math.abs(c.range[1])) || 1;
  return [-most, most];
}

/* What is not known is grey. */
export function shade(c: Coloured, value: number): string {
  if (!Number.isFinite(value)) return theme().axis;
  const [low, high] = limits(c);
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return table(c.diverging ?? false)[Math.round(Math.min(1, Math.max(0, share)) * (steps - 1))]!;
}

const barWidth = 14;
export const barRoom = { right: 86, bottom: 46 };

/* The colours with ticks and unit, upright at the right of a box or lying along its bottom. */
export function colourBar(pen: Pen, c: Coloured, box: Box, upright: boolean): void {
  const [low, high] = limits(c);
  const unit = displayUnit(c.unit, Math.max(Math.abs(low), Math.abs(high)));
  const { muted, axis, text } = theme();
  const colours = table(c.diverging ?? false);
  const length = upright ? Math.min(260, box.height - 92) : Math.min(320, box.width - 24);
  if (length < 40) return;
  const start = upright ? box.y + (box.height + 40 + length) / 2 /* below the buttons */ : box.x + (box.width - length) / 2; /* of the low end */
  const along = (share: number): number => (upright ? start - share * length : start + share * length);
  const across = upright ? box.x + 10 : box.y + 18;
  const pieces = 64;
  for (let k = 0; k < pieces; k++) {
    const [a, b] = [along(k / pieces), along(Math.min(1, (k + 1.6) / pieces))];
    pen.polygon(upright ? [[across, a], [across + barWidth, a], [across + barWidth, b], [across, b]] : [[a, across], [b, across], [b, across + barWidth], [a, across + barWidth]],
      { fill: colours[Math.floor(((k + 0.5) / pieces) * steps)]! });
  }
  const [l, h] = [low / unit.size, high / unit.size];
  const values = high > low ? roundValues(l, h, upright ? 5 : 4) : [l];
  const gap = (values[1] ?? values[0]! + 1) - values[0]!;
  for (const v of values) {
    const at = along(high > low ? (v - l) / (h - l) : 0.5);
    const label = high > low ? tick(v, gap) : number(v, 4);
    if (upright) {
      pen.line([[across + barWidth, at], [across + barWidth + 4, at]], { stroke: axis });
      pen.text([across + barWidth + 8, at], label, { fill: muted, size: 12, align: 'left' });
    } else {
      pen.line([[at, across + barWidth], [at, across + barWidth + 3]], { stroke: axis });
      pen.text([at, across + barWidth + 10], label, { fill: muted, size: 11.5 });
    }
  }
  const title = withUnit(c.label, unit);
  if (!upright) return pen.text([start + length / 2, across - 9], title, { fill: text, size: 12 });
  /* Above the bar, in two lines where one is too long. */
  const fits = pen.measure(title, 12) <= box.width - 4;
  const cut = fits ? title.length : Math.max(title.lastIndexOf(' ', title.length - 2), 0);
  const lines = cut > 0 && cut < title.length ? [title.slice(0, cut), title.slice(cut + 1)] : [title];
  lines.forEach((line, i) => pen.text([box.x + 4, start - length - 12 - 14 * (lines.length - 1 - i)], line, { fill: text, size: 12, align: 'left' }));
}
