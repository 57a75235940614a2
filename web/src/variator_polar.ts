/* variator_polar.ts — a quantity around both arcs of a variator: drawn outward from a circle, over the angle at the pulley. */
import { valuesOf, type Group, type Values } from './data';
import { el, svg, uniqueId } from './dom';
import { quantity } from './tables';
import { lineStyle, onThemeChange, theme } from './theme';

const choices: [string, string][] = [['flank.normal', 'Normal force on a flank'], ['flank.axial', 'Axial force'], ['flank.longitudinal', 'Transmitting force'], ['flank.radial', 'Radial friction'],
  ['push.sum', 'Push force'], ['saddle.normal', 'Saddle force'], ['ring.traction', 'Friction of the ring'], ['ring.tension', 'Ring tension'], ['spiral', 'Spiral running'], ['pitch', 'Pitch']];
const size = { width: 460, height: 340 };
const circle = 70; /* px, radius of the line of zero */
const reach = 80; /* px, of the largest value */

interface Arc {
  title: string;
  section: number;
  entry: number; /* rad, from the middle of the arc */
  turn: number; /* rad from the entry: turnaround point */
}

/* Direction on paper of an angle from the middle of the arc along the travel, which is clockwise. */
const direction = (section: number, angle: number): [number, number] => (section === 0 ? [-Math.cos(angle), -Math.sin(angle)] : [Math.cos(angle), Math.sin(angle)]);

function drawing(arc: Arc, sections: Values, angles: Values, values: Values, most: number): SVGElement {
  const centre: [number, number] = [size.width / 2, size.height / 2];
  const at = (angle: number, radius: number): string => {
    const [x, y] = direction(arc.section, angle + arc.entry);
    return `${(centre[0] + radius * x).toFixed(1)},${(centre[1] + radius * y).toFixed(1)}`;
  };
  const points = Array.from(values, (v, i) => ({ v, angle: angles[i]!, here: sections[i] === arc.section })).filter((p) => p.here && Number.isFinite(p.v));
  const colour = lineStyle(0).colour();
  const outer = points.map((p) => at(p.angle, circle + (reach * p.v) / most));
  const inner = points.map((p) => at(p.angle, circle)).reverse();
  const ray = (angle: number, text: string): SVGElement[] => {
    const [x, y] = direction(arc.section, angle + arc.entry);
    const end = circle + reach;
    return [svg('line', { x1: centre[0], y1: centre[1], x2: centre[0] + end * x, y2: centre[1] + end * y, stroke: theme().axis, 'stroke-dasharray': '3 3' }),
      svg('text', { x: centre[0] + (end + 14) * x, y: centre[1] + (end + 10) * y + 4, fill: theme().muted, 'font-size': 12, 'text-anchor': x > 0.3 ? 'start' : x < -0.3 ? 'end' : 'middle' }, text)];
  };
  const last = points.length ? points[points.length - 1]!.angle : 0;
  return svg('svg', { viewBox: `0 0 ${size.width} ${size.height}`, role: 'img', class: 'polar', 'aria-label': `around ${arc.title}` },
    svg('circle', { cx: centre[0], cy: centre[1], r: circle, fill: 'none', stroke: theme().grid, 'stroke-width': 2 }),
    svg('circle', { cx: centre[0], cy: centre[1], r: circle + reach, fill: 'none', stroke: theme().grid }),
    svg('polygon', { points: [...outer, ...inner].join(' '), fill: colour, 'fill-opacity': 0.18 }),
    svg('polyline', { points: outer.join(' '), fill: 'none', stroke: colour, 'stroke-width': 2 }),
    ...ray(0, 'entry'), ...ray(last, 'exit'), ...(Number.isFinite(arc.turn) && arc.turn > 0.03 * last && arc.turn < 0.97 * last ? ray(arc.turn, 'turnaround') : []),
    svg('text', { x: centre[0], y: centre[1] + 5, fill: theme().text, 'font-size': 15, 'font-weight': 620, 'text-anchor': 'middle' }, arc.title));
}

export function polarView(group: Group): HTMLElement | null {
  const array = (name: string): Values | null => {
    const a = group.arrays.find((k) => k.name === `along.${name}` && !k.omitted);
    return a ? valuesOf(a) : null;
  };
  const value = (name: string): number => group.numbers.find((n) => n.name === `variator.${name}`)?.value ?? NaN;
  const [sections, angles] = [array('section'), array('angle')];
  if (!sections || !angles) return null;
  const known = choices.filter(([name]) => array(name) && Array.from(array(name)!).some(Number.isFinite));
  const arcs: Arc[] = [{ title: 'PRI', section: 0, entry: value('entry_pri'), turn: value('idle_pri') }, { title: 'SEC', section: 2, entry: value('entry_sec'), turn: value('idle_sec') }];
  if (!known.length) return null;
  const id = uniqueId('polar');
  const box = el('select', { id }, ...known.map(([name, text]) => el('option', { value: name }, text)));
  const host = el('div.polars');
  const told = el('figcaption');
  const draw = (): void => {
    const values = array(box.value)!;
    const unit = group.arrays.find((a) => a.name === `along.${box.value}`)!.unit;
    const sizes = Array.from(values, (v, i) => (sections[i]! % 2 === 0 && Number.isFinite(v) ? Math.abs(v) : 0));
    const most = Math.max(...sizes) || 1;
    told.textContent = `From the inner circle, which is zero, to the outer one: ${quantity(most, unit, 3)}. The belt runs clockwise.`;
    host.replaceChildren(...arcs.map((arc) => drawing(arc, sections, angles, values, most)));
  };
  box.addEventListener('change', draw);
  onThemeChange(draw);
  draw();
  return el('figure.polar-figure', {}, el('h3', {}, 'Around the pulleys'), el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Quantity'), box)), host, told);
}
