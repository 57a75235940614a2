/* variator_polar.ts — quantities around both arcs of a variator, over the angle at the pulley, outward from a circle that is zero.
 *
 * Two of them can be laid over each other. Pointing at an arc, or the arrow keys on it, tells the values there. */
import { valuesOf, type ArrayData, type Group, type Values } from '../../data';
import { el, svg, uniqueId } from '../../dom';
import { exportMenu } from '../../export';
import { elementDrawing } from '../../export_svg';
import { roundValues, tick } from '../../format';
import { quantity } from '../../tables';
import { lineStyle, onThemeChange, theme } from '../../theme';
import { displayUnit } from '../../units';

const choices: [string, string][] = [['flank.normal', 'Normal force on a flank'], ['flank.axial', 'Axial force'], ['flank.longitudinal', 'Longitudinal friction, both flanks'], ['flank.radial', 'Radial friction, both flanks'],
  ['push.sum', 'Push force'], ['push.edge', 'Push force at the rocking edge'], ['push.head', 'Push force at the head'], ['saddle.normal', 'Saddle force'], ['ring.traction', 'Friction of the ring'],
  ['ring.tension', 'Ring tension'], ['slip.longitudinal', 'Slip velocity along the belt'], ['slip.radial', 'Radial slip velocity'], ['slip.ring', 'Slip velocity under the ring'], ['spiral', 'Spiral running'], ['pitch', 'Pitch']];
const size = { width: 440, height: 376 };
const centre: [number, number] = [size.width / 2, size.height / 2];
const [inner, zero, outer] = [26, 64, 150]; /* px */
const degree = Math.PI / 180;

interface Arc {
  title: string;
  name: string;
  section: number;
  entry: number; /* rad, from the middle of the arc */
  turn: number; /* rad from the entry: turnaround point */
}

interface Curve {
  text: string;
  unit: string;
  values: Values;
  spread: Values | null;
  low: number;
  high: number;
}

/* Direction on paper of an angle from the middle of the arc along the travel, which is clockwise. */
const direction = (section: number, angle: number): [number, number] => (section === 0 ? [-Math.cos(angle), -Math.sin(angle)] : [Math.cos(angle), Math.sin(angle)]);

/* Pixels from the centre; 0 is on the circle `zero`, further out when there are negative values. */
function radiusOf(c: Curve, v: number): number {
  const base = c.low < 0 ? inner + (outer - inner) * (-c.low / (c.high - c.low)) : zero;
  const start = c.low < 0 ? Math.max(zero * 0.6, base) : zero;
  const scale = c.low < 0 ? Math.min((start - inner) / -c.low, c.high > 0 ? (outer - start) / c.high : Infinity) : (outer - zero) / c.high;
  return start + v * scale;
}

class Polar {
  readonly root: HTMLElement;
  private host = el('div.polars');
  private told = el('output.polar-told', { 'aria-live': 'polite' });
  private first: HTMLSelectElement;
  private second: HTMLSelectElement;
  private sections: Values;
  private angles: Values;
  private arcs: Arc[];
  private at: { arc: number; row: number } | null = null;

  constructor(private group: Group, known: [string, string][], arcs: Arc[]) {
    this.sections = this.array('section')!;
    this.angles = this.array('angle')!;
    this.arcs = arcs;
    const option = ([name, text]: [string, string]): HTMLElement => el('option', { value: name }, text);
    const [one, two] = [uniqueId('polar'), uniqueId('polar')];
    this.first = el('select', { id: one }, ...known.map(option));
    this.second = el('select', { id: two }, el('option', { value: '' }, 'nothing'), ...known.map(option));
    for (const box of [this.first, this.second]) box.addEventListener('change', () => this.draw());
    const menu = exportMenu({
      title: () => `Around the pulleys: ${this.curves().map((c) => c.text.toLowerCase()).join(', ')}`, drawing: () => elementDrawing(() => [...this.host.querySelectorAll<SVGSVGElement>('svg.polar')]),
      keys: () => this.curves().map((c, i) => ({ name: c.text, colour: lineStyle(i).colour(), ...(i ? { dash: [6, 4] } : {}) })), table: () => this.table(),
    });
    this.root = el('figure.polar-figure', {}, el('h3', {}, 'Around the pulleys'),
      el('div.toolbar', {}, el('span.field', {}, el('label', { for: one }, 'Quantity'), this.first), el('span.field', {}, el('label', { for: two }, 'with'), this.second), menu),
      this.host, el('figcaption', {}, this.told));
    onThemeChange(() => this.draw());
    this.draw();
  }

  private find(name: string): ArrayData | undefined {
    return this.group.arrays.find((k) => k.name === `along.${name}` && !k.omitted);
  }

  private array(name: string): Values | null {
    const a = this.find(name);
    return a ? valuesOf(a) : null;
  }

  /* The chosen quantities; those of one unit have one scale. */
  private curves(): Curve[] {
    const list = [this.first.value, this.second.value].filter((name, i) => name && (i === 0 || name !== this.first.value)).map((name): Curve => {
      const values = this.array(name)!;
      let [low, high] = [0, 0];
      for (let i = 0; i < values.length; i++)
        if (this.sections[i]! % 2 === 0 && Number.isFinite(values[i]!)) [low, high] = [Math.min(low, values[i]!), Math.max(high, values[i]!)];
      if (high - low <= 0) high = low + 1;
      return { text: choices.find(([n]) => n === name)![1], unit: this.find(name)!.unit, values, spread: this.array(`${name}.spread`), low: low > -0.02 * high ? 0 : low, high };
    });
    if (list.length === 2 && list[0]!.unit === list[1]!.unit) {
      const [low, high] = [Math.min(list[0]!.low, list[1]!.low), Math.max(list[0]!.high, list[1]!.high)];
      for (const c of list) [c.low, c.high] = [low, high];
    }
    return list;
  }

  private rows(arc: Arc, values: Values): number[] {
    const out: number[] = [];
    for (let i = 0; i < values.length; i++) if (this.sections[i] === arc.section && Number.isFinite(values[i]!) && Number.isFinite(this.angles[i]!)) out.push(i);
    return out;
  }

  private point(arc: Arc, angle: number, radius: number): [number, number] {
    const [x, y] = direction(arc.section, angle + arc.entry);
    return [centre[0] + radius * x, centre[1] + radius * y];
  }

  private path(points: [number, number][]): string {
    return points.map((p) => p.map((v) => v.toFixed(1)).join(',')).join(' ');
  }

  private curve(arc: Arc, c: Curve, i: number): SVGElement[] {
    const rows = this.rows(arc, c.values);
    const colour = lineStyle(i).colour();
    const at = (k: number, v: number): [number, number] => this.point(arc, this.angles[k]!, Math.max(4, radiusOf(c, v)));
    const outline = rows.map((k) => at(k, c.values[k]!));
    const band = c.spread && i === 0 ? [...rows.map((k) => at(k, c.values[k]! + (c.spread![k] || 0))), ...[...rows].reverse().map((k) => at(k, c.values[k]! - (c.spread![k] || 0)))] : [];
    return [
      ...(i === 0 ? [svg('polygon', { points: this.path([...outline, ...[...rows].reverse().map((k) => at(k, 0))]), fill: colour, 'fill-opacity': 0.16 })] : []),
      ...(band.length ? [svg('polygon', { points: this.path(band), fill: colour, 'fill-opacity': 0.18 })] : []),
      svg('polyline', { points: this.path(outline), fill: 'none', stroke: colour, 'stroke-width': 2, ...(i ? { 'stroke-dasharray': '6 4' } : {}) }),
    ];
  }

  /* Circles at round values, with the values beside the arc. */
  private grid(arc: Arc, c: Curve): SVGElement[] {
    const unit = displayUnit(c.unit, Math.max(-c.low, c.high));
    const values = roundValues(c.low / unit.size, c.high / unit.size, c.low < 0 ? 4 : 3);
    const step = values.length > 1 ? values[1]! - values[0]! : 1;
    const side = arc.section === 0 ? 1 : -1;
    return values.flatMap((v) => {
      const r = radiusOf(c, v * unit.size);
      if (!(r > 6)) return [];
      return [svg('circle', { cx: centre[0], cy: centre[1], r: r.toFixed(1), fill: 'none', stroke: v === 0 ? theme().axis : theme().grid, 'stroke-width': v === 0 ? 1.6 : 1 }),
        svg('text', { x: (centre[0] + side * r).toFixed(1), y: centre[1] - 4, fill: theme().muted, 'font-size': 11, 'text-anchor': 'middle', stroke: theme().paper, 'stroke-width': 3, 'paint-order': 'stroke' },
          v === values[values.length - 1] && unit.text && unit.text.length < 4 ? `${tick(v, step)} ${unit.text}` : tick(v, step))];
    });
  }

  private ray(arc: Arc, angle: number, text: string, strong: boolean): SVGElement[] {
    const [a, b] = [this.point(arc, angle, strong ? 16 : outer - 4), this.point(arc, angle, outer + 4)];
    const [x, y] = direction(arc.section, angle + arc.entry);
    return [svg('line', { x1: a[0].toFixed(1), y1: a[1].toFixed(1), x2: b[0].toFixed(1), y2: b[1].toFixed(1), stroke: theme().axis, ...(strong ? { 'stroke-dasharray': '3 3' } : {}) }),
      svg('text', { x: (centre[0] + (outer + 10) * x).toFixed(1), y: (centre[1] + (outer + 12) * y + 4).toFixed(1), fill: theme().muted, 'font-size': strong ? 12 : 11, 'text-anchor': x > 0.3 ? 'start' : x < -0.3 ? 'end' : 'middle' }, text)];
  }

  private marks(arc: Arc, last: number): SVGElement[] {
    const turns = Number.isFinite(arc.turn) && arc.turn > 0.03 * last && arc.turn < 0.97 * last;
    const fixed = [0, last, ...(turns ? [arc.turn] : [])];
    const every = Array.from({ length: Math.floor(last / (30 * degree)) }, (_v, k) => (k + 1) * 30 * degree).filter((a) => fixed.every((f) => Math.abs(f - a) > 14 * degree));
    return [...this.ray(arc, 0, 'entry', true), ...this.ray(arc, last, 'exit', true), ...(turns ? this.ray(arc, arc.turn, 'turnaround', true) : []),
      ...every.flatMap((a) => this.ray(arc, a, `${Math.round(a / degree)}°`, false))];
  }

  /* Where is pointed at. */
  private pointer(arc: Arc, i: number, curves: Curve[]): SVGElement[] {
    if (this.at?.arc !== i) return [];
    const k = this.at.row;
    const [a, b] = [this.point(arc, this.angles[k]!, 16), this.point(arc, this.angles[k]!, outer + 4)];
    return [svg('line', { x1: a[0].toFixed(1), y1: a[1].toFixed(1), x2: b[0].toFixed(1), y2: b[1].toFixed(1), stroke: theme().text, 'stroke-width': 1 }),
      ...curves.filter((c) => Number.isFinite(c.values[k]!)).map((c) => {
        const [x, y] = this.point(arc, this.angles[k]!, Math.max(4, radiusOf(c, c.values[k]!)));
        return svg('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r: 4.5, fill: lineStyle(curves.indexOf(c)).colour(), stroke: theme().paper, 'stroke-width': 1.5 });
      })];
  }

  private drawing(arc: Arc, i: number, curves: Curve[]): SVGElement {
    const rows = this.rows(arc, curves[0]!.values);
    const last = rows.length ? this.angles[rows[rows.length - 1]!]! : 0;
    const root = svg('svg', { viewBox: `0 0 ${size.width} ${size.height}`, role: 'img', class: 'polar', tabindex: 0, 'aria-label': `${curves.map((c) => c.text).join(', ')} around the ${arc.name} pulley; arrow keys read values` },
      ...this.grid(arc, curves[0]!), ...this.marks(arc, last), ...curves.map((c, k) => this.curve(arc, c, k)).reverse().flat(), ...this.pointer(arc, i, curves),
      svg('text', { x: centre[0], y: centre[1] + 5, fill: theme().text, 'font-size': 14, 'font-weight': 620, 'text-anchor': 'middle', stroke: theme().paper, 'stroke-width': 4, 'paint-order': 'stroke' }, arc.title));
    root.addEventListener('pointermove', (event) => this.look(root as SVGSVGElement, event as PointerEvent, arc, i, rows));
    root.addEventListener('pointerleave', () => this.show(null));
    root.addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[(event as KeyboardEvent).key];
      if (!by || !rows.length) return;
      event.preventDefault();
      const now = this.at?.arc === i ? rows.indexOf(this.at.row) : by > 0 ? -1 : rows.length;
      const step = Math.max(1, Math.round(rows.length / 60));
      this.show({ arc: i, row: rows[Math.min(rows.length - 1, Math.max(0, now + by * step))]! }, true);
    });
    return root;
  }

  private look(root: SVGSVGElement, event: PointerEvent, arc: Arc, i: number, rows: number[]): void {
    const box = root.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.left) / box.width) * size.width - centre[0], ((event.clientY - box.top) / box.height) * size.height - centre[1]];
    if (Math.hypot(x, y) < 12 || !rows.length) return;
    const toMiddle = arc.section === 0 ? Math.atan2(-y, -x) : Math.atan2(y, x);
    const angle = toMiddle - arc.entry;
    const near = rows.reduce((best, k) => (Math.abs(this.angles[k]! - angle) < Math.abs(this.angles[best]! - angle) ? k : best), rows[0]!);
    if (Math.abs(this.angles[near]! - angle) > 8 * degree) return this.show(null);
    if (this.at?.arc !== i || this.at.row !== near) this.show({ arc: i, row: near });
  }

  private show(at: { arc: number; row: number } | null, focus = false): void {
    this.at = at;
    this.draw();
    if (at && focus) (this.host.children[at.arc] as SVGElement).focus();
  }

  private text(curves: Curve[]): string {
    if (!this.at) return 'The belt runs clockwise; shaded band: scatter of the averaged elements. Point at an arc to read values.';
    const arc = this.arcs[this.at.arc]!;
    const values = curves.map((c) => `${c.text.toLowerCase()} ${quantity(c.values[this.at!.row]!, c.unit, 4)}${c.spread && Number.isFinite(c.spread[this.at!.row]!) ? ` ± ${quantity(c.spread[this.at!.row]!, c.unit, 2)}` : ''}`);
    return `${arc.title.charAt(0).toUpperCase()}${arc.title.slice(1)}, ${(this.angles[this.at.row]! / degree).toFixed(1)}° after the entry: ${values.join(', ')}.`;
  }

  private draw(): void {
    const curves = this.curves();
    const focused = [...this.host.children].indexOf(document.activeElement as Element);
    this.told.textContent = this.text(curves);
    this.host.replaceChildren(...this.arcs.map((arc, i) => this.drawing(arc, i, curves)));
    if (focused >= 0) (this.host.children[focused] as SVGElement).focus();
  }

  private table(): { notes: string[]; columns: { name: string; unit?: string; values: Values | string[] }[] } {
    const curves = this.curves();
    const rows = this.arcs.flatMap((arc) => this.rows(arc, curves[0]!.values));
    return {
      notes: ['angle from the entry of each arc'],
      columns: [{ name: 'pulley', values: rows.map((k) => this.arcs.find((a) => a.section === this.sections[k])!.name) }, { name: 'angle', unit: 'rad', values: rows.map((k) => this.angles[k]!) },
        ...curves.map((c) => ({ name: c.text.toLowerCase(), unit: c.unit, values: rows.map((k) => c.values[k]!) }))],
    };
  }
}

export function polarView(group: Group): HTMLElement | null {
  const array = (name: string): Values | null => {
    const a = group.arrays.find((k) => k.name === `along.${name}` && !k.omitted);
    return a ? valuesOf(a) : null;
  };
  const value = (name: string): number => group.numbers.find((n) => n.name === `variator.${name}`)?.value ?? NaN;
  if (!array('section') || !array('angle')) return null;
  const known = choices.filter(([name]) => array(name) && Array.from(array(name)!).some(Number.isFinite));
  if (!known.length) return null;
  return new Polar(group, known, [{ title: 'primary', name: 'primary', section: 0, entry: value('entry_pri'), turn: value('idle_pri') },
    { title: 'secondary', name: 'secondary', section: 2, entry: value('entry_sec'), turn: value('idle_sec') }]).root;
}
