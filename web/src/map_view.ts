/* map_view.ts — a map of which one quantity is shown at a time, chosen from a list, with the limits of operation drawn in. */
import { ColourMap, type MapAxis, type Overlay } from './colour_map';
import type { Values } from './data';
import { el, uniqueId } from './dom';
import { later } from './later';
import { isLogarithmic, type Span } from './plane';

export interface MapQuantity {
  name: string; /* "thrust ratio" */
  caption: string; /* what it is */
  unit: string;
  group: string; /* of the list */
  columns: () => Values[]; /* for each x, at each y */
}

export interface MapViewOptions {
  x: MapAxis;
  y: MapAxis;
  quantities: MapQuantity[];
  overlays: Overlay[];
  within?: (x: number, y: number) => boolean;
  none?: (x: number, y: number) => string;
  notes: string; /* below every map: what its axes and lines are */
}

function limitsOf(columns: Values[]): Span | null {
  let [low, high] = [Infinity, -Infinity];
  for (const c of columns)
    for (let k = 0; k < c.length; k++)
      if (Number.isFinite(c[k]!)) [low, high] = [Math.min(low, c[k]!), Math.max(high, c[k]!)];
  return low <= high ? [low, high] : null;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function mapView(options: MapViewOptions): HTMLElement {
  const { x, y, quantities, overlays, within, none, notes } = options;
  const host = el('div');
  const id = uniqueId('map');
  const groups = [...new Set(quantities.map((q) => q.group))];
  const list = el('select', { id }, ...groups.map((g) => el('optgroup', { label: g }, ...quantities.map((q, k) => (q.group === g ? el('option', { value: k }, q.name) : null)))));
  let map: ColourMap | null = null;
  const draw = (): void => {
    const q = quantities[Number(list.value)]!;
    const columns = q.columns();
    const range = limitsOf(columns);
    map?.destroy();
    map = null;
    host.replaceChildren();
    if (!range) return void host.append(el('p.hint', {}, `${capital(q.name)} has no value at any point of the map.`));
    map = new ColourMap({
      x: { ...x, log: isLogarithmic(Array.from(x.values)) }, y, columns, range, value: { name: q.name, unit: q.unit }, filled: true, height: 460, overlays,
      ...(within ? { within } : {}), ...(none ? { none } : {}), what: `${q.name} vs ${x.name} and ${y.name}`, caption: `${capital(q.name)} vs ${x.name} and ${y.name}. ${capital(q.caption)}.`,
    }, host);
  };
  list.addEventListener('change', draw);
  list.value = '0';
  later(draw);
  return el('div.map-view', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), list)), host, notes ? el('p.hint', {}, notes) : null);
}
