/* overlay.ts — one quantity of several results as curves over each other. A colour is a result, a dash is a channel. */
import type { Column, Group, Report } from './data';
import { el, uniqueId } from './dom';
import { Loop, type Curve } from './loop';
import { lineStyle, type LineStyle } from './theme';

export interface Member {
  report: Report;
  file: string;
  index: number; /* of the result on the page: its colour */
  group: Group;
}

const dashes: (number[] | undefined)[] = [undefined, [8, 4], [2, 3], [10, 3, 2, 3]];
export const styleIn = (result: number, channel: number): LineStyle => ({ colour: lineStyle(result).colour, dash: dashes[channel % dashes.length] });

/* A quantity to choose. */
export interface Overlaid {
  name: string;
  curves: () => Curve[];
  x: { name: string; unit: string };
  y: { name: string; unit: string };
}

/* One quantity of several, drawn as curves. */
export function curveOverlay(choices: Overlaid[]): HTMLElement[] {
  if (!choices.length) return [];
  const host = el('div');
  const id = uniqueId('quantity');
  const list = el('select', { id }, ...choices.map((c, i) => el('option', { value: i }, c.name)));
  let shown: Loop | null = null;
  const draw = (): void => {
    shown?.destroy();
    const c = choices[Number(list.value)]!;
    shown = new Loop({ x: c.x, y: c.y, curves: c.curves(), height: 420 }, host);
  };
  list.addEventListener('change', draw);
  requestAnimationFrame(draw);
  return [el('div.response', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), list)), host)];
}

/* Channels with the same name and unit that at least two results have. */
export function common(members: Member[]): Column[] {
  const [first, ...others] = members;
  const all = [first!, ...others].flatMap((m) => m.group.table!.columns.slice(1));
  const seen = new Map<string, { c: Column; n: number }>();
  for (const c of all) seen.set(`${c.name} ${c.unit}`, { c: seen.get(`${c.name} ${c.unit}`)?.c ?? c, n: (seen.get(`${c.name} ${c.unit}`)?.n ?? 0) + 1 });
  return [...seen.values()].filter((e) => e.n > 1).map((e) => e.c);
}
