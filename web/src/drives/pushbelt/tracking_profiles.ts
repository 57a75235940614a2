/* tracking_profiles.ts — pressure and gap across the ring at chosen points: one line each, named by normal force and position. */
import { Chart, Link, type Line } from '../../chart';
import { valuesOf, type Group } from '../../data';
import { el } from '../../dom';
import { arrayIn } from '../../figure';
import { profileNames } from './stage_tracking';
import { lineStyle } from '../../theme';

export function profilePlots(group: Group): HTMLElement[] {
  const across = arrayIn(group, 'across');
  if (!across) return [];
  const [x, names, link] = [valuesOf(across), profileNames(group), new Link()];
  return [['pressure', 'Pressure of the saddle', 'pressure'], ['gap', 'Gap between ring and saddle', 'gap']].flatMap(([name, title, y]) => {
    const a = arrayIn(group, name!);
    if (!a) return [];
    const v = Array.from(valuesOf(a));
    const host = el('div');
    const lines: Line[] = names.map((text, k) => ({ name: text, hint: `${title}: ${text}`, values: v.slice(k * x.length, (k + 1) * x.length), style: lineStyle(k) }));
    requestAnimationFrame(() => void new Chart({ x: { name: 'place across the ring, from its middle', unit: across.unit, values: x }, y: { name: y!, unit: a.unit }, lines, height: 280, title, link }, host));
    return [host];
  });
}
