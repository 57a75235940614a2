/* response.ts — arrays over one or more parameters: a map over two of them, or a family of lines, one for each value of another axis. */
import { Chart, largestOf, type Line } from './chart';
import { nameOf } from './channels';
import { ColourMap, type Overlay } from './colour_map';
import { contourLines } from './contours';
import { valuesOf, type ArrayData, type Values } from './data';
import { el, uniqueId } from './dom';
import { inUnit, number, short } from './format';
import { isLogarithmic } from './plane';
import { tabs } from './study_controls';
import { familyStyle, theme } from './theme';
import { displayUnit } from './units';

interface Axis {
  array: ArrayData;
  values: Values;
  dim: number;
  stride: number;
}

/* The axes of an array, or null when it cannot be drawn over them. */
function axesOf(array: ArrayData, all: ArrayData[]): Axis[] | null {
  if (array.omitted || array.axes.length !== array.dims.length) return null;
  const found: Axis[] = [];
  for (let dim = 0; dim < array.dims.length; dim++) {
    const axis = all.find((a) => a.name === array.axes[dim] && a.dims.length === 1 && !a.omitted);
    if (!axis || axis.dims[0] !== array.dims[dim]) return null;
    const stride = array.dims.slice(dim + 1).reduce((a, b) => a * b, 1);
    found.push({ array: axis, values: valuesOf(axis), dim, stride });
  }
  return found;
}

export const isAxis = (array: ArrayData, all: ArrayData[]): boolean =>
  all.some((other) => other !== array && other.axes.includes(array.name));

export const isResponse = (array: ArrayData, all: ArrayData[]): boolean => {
  const axes = axesOf(array, all);
  return !!axes && axes.some((a) => a.values.length > 1);
};

const drawable = (all: ArrayData[]): ArrayData[] => all.filter((a) => !isAxis(a, all) && isResponse(a, all));

/* What a response is looked at for: ranges, tensions before others; how it was computed comes last. */
function rank(a: ArrayData): number {
  if (/^(converged|periods|multiplier|stuck)$/.test(a.name)) return 4;
  if (/\.range$/.test(a.name)) return /tension/.test(a.name) ? 0 : 1;
  return /\.(max|amplitude)$/.test(a.name) ? 2 : 3;
}

function byInterest(all: ArrayData[]): ArrayData[] {
  const most = Math.max(0, ...drawable(all).map((a) => a.dims.length));
  const order = (a: ArrayData): number => rank(a) + (a.dims.length === most ? 0 : 10);
  return drawable(all).map((a, i) => ({ a, i })).sort((p, q) => order(p.a) - order(q.a) || p.i - q.i).map(({ a }) => a);
}

/* Values, without those of orbits that were not found ("converged" is 0 there). */
export function found(array: ArrayData, all: ArrayData[]): Values {
  const flag = all.find((a) => a.name === 'converged' && a.axes.join() === array.axes.join() && !a.omitted);
  const values = valuesOf(array);
  if (!flag || flag === array) return values;
  const good = valuesOf(flag);
  return Array.from(values, (v, i) => (good[i] === 0 ? NaN : v));
}

const valueText = (axis: Axis, i: number): string => {
  const unit = displayUnit(axis.array.unit, largestOf([axis.values]));
  return inUnit(axis.values[i]! / unit.size, unit, short);
};

/* Ascending order of an axis, as a list of indices. */
const order = (axis: Axis): number[] =>
  Array.from({ length: axis.values.length }, (_v, i) => i).sort((a, b) => axis.values[a]! - axis.values[b]!);

function select(label: string, options: string[], now: number, set: (i: number) => void): HTMLElement {
  const id = uniqueId('axis');
  const box = el('select', { id }, ...options.map((text, i) => el('option', { value: i, selected: i === now }, text)));
  box.addEventListener('change', () => set(Number(box.value)));
  return el('span.field', {}, el('label', { for: id }, label), box);
}

function check(label: string, now: boolean, set: (on: boolean) => void): HTMLElement {
  const box = el('input', { type: 'checkbox' });
  box.checked = now;
  box.addEventListener('change', () => set(box.checked));
  return el('label.check', {}, box, label);
}

/* Values along each side from which on a map can be drawn, and from which on it is drawn at first. */
const [leastMap, usualMap] = [4, 6];

/* Arrays of 0 and 1 whose border on a map means something. */
const borders: Record<string, string> = { stuck: 'onset of friction slip' };

/* One plot: which array, over which axis, as a map over another axis or with one line for each of its values. */
class ResponseView {
  readonly root: HTMLElement;
  private host = el('div');
  private controls = el('div.toolbar');
  private chart: Chart | ColourMap | null = null;
  private asMap = true; /* as far as it can be */
  private choice: ArrayData[];
  private axes!: Axis[];
  private abscissa!: Axis;
  private family!: Axis | null;
  private fixed!: number[]; /* index along each axis that is neither */
  private logX = false;
  private logY = false;

  constructor(private array: ArrayData, private all: ArrayData[]) {
    this.choice = byInterest(all);
    this.root = el('div.response', {}, this.controls, this.host);
    this.take(array);
    requestAnimationFrame(() => this.draw());
  }

  /* Another array; the axes stay when it has the same. */
  private take(array: ArrayData): void {
    const same = this.axes && array.axes.join() === this.array.axes.join();
    this.array = array;
    if (!same) {
      this.axes = axesOf(array, this.all)!;
      const long = this.long();
      this.abscissa = long[long.length - 1]!;
      this.family = long.length > 1 ? long[long.length - 2]! : null;
      this.fixed = this.axes.map(() => 0);
      this.asMap = this.mappable(usualMap);
    }
    this.fillControls();
  }

  private long(): Axis[] {
    return this.axes.filter((a) => a.values.length > 1);
  }

  private mappable(least = leastMap): boolean {
    const sides = [this.abscissa, this.family];
    return sides.every((a) => a !== null && a.values.length >= least && new Set(Array.from(a.values)).size === a.values.length && Array.from(a.values).every(Number.isFinite));
  }

  private get mapped(): boolean {
    return this.asMap && this.mappable();
  }

  private change(act: () => void): void {
    act();
    this.fillControls();
    this.draw();
  }

  private fillControls(): void {
    const long = this.long();
    const others = long.filter((a) => a !== this.abscissa);
    const focused = this.controls.contains(document.activeElement) ? [...this.controls.querySelectorAll('select, input')]
      .indexOf(document.activeElement!) : -1;
    const parts = [select('Show', this.choice.map(nameOf), this.choice.indexOf(this.array),
      (i) => this.change(() => this.take(this.choice[i]!)))];
    if (long.length > 1)
      parts.push(select('over', long.map((a) => nameOf(a.array)), long.indexOf(this.abscissa), (i) => this.change(() => {
        if (long[i] === this.family) this.family = this.abscissa;
        this.abscissa = long[i]!;
      })));
    if (long.length > 2)
      parts.push(select(this.mapped ? 'and' : 'one line for each', others.map((a) => nameOf(a.array)), others.indexOf(this.family!),
        (i) => this.change(() => (this.family = others[i]!))));
    for (const axis of others)
      if (axis !== this.family)
        parts.push(select(`at ${nameOf(axis.array)}`, Array.from(axis.values, (_v, i) => valueText(axis, i)),
          this.fixed[axis.dim]!, (i) => this.change(() => (this.fixed[axis.dim] = i))));
    if (this.mappable()) parts.push(tabs('Drawn as', ['map', 'curves'], this.mapped ? 0 : 1, (i) => this.change(() => (this.asMap = i === 0))));
    if (!this.mapped)
      parts.push(check('logarithmic x', this.logX, (on) => this.change(() => (this.logX = on))),
        check('logarithmic y', this.logY, (on) => this.change(() => (this.logY = on))));
    this.controls.replaceChildren(...parts);
    if (focused >= 0) (this.controls.querySelectorAll('select, input')[focused] as HTMLElement | undefined)?.focus();
  }

  private slice(at: number | null, along: number[], values = found(this.array, this.all)): Values {
    let start = 0;
    for (const axis of this.axes)
      if (axis !== this.abscissa)
        start += axis.stride * (axis === this.family && at !== null ? at : this.fixed[axis.dim]!);
    return along.map((i) => values[start + i * this.abscissa.stride]!);
  }

  /* Single lines that belong to this array ("belt.tension.range.stuck", a linear limit), drawn dashed with the family. */
  private companions(along: number[]): Line[] {
    return this.all
      .filter((a) => a.dims.length === 1 && this.array.dims.length > 1 && a.name.startsWith(`${this.array.name}.`) && !a.omitted &&
        a.axes[0] === this.abscissa.array.name && a.dims[0] === this.abscissa.values.length)
      .map((a, i) => ({
        name: a.name.slice(this.array.name.length + 1),
        hint: nameOf(a),
        values: along.map((i) => valuesOf(a)[i]!),
        style: { colour: () => theme().lines[[1, 3, 4][i % 3]!]!, dash: [[7, 5], [2, 3], [9, 3, 2, 3]][i % 3] },
        width: 2.5,
        plain: true,
      }));
  }

  /* Values at each ordinate, for each abscissa. */
  private columns(values?: Values): Values[] {
    const [along, up] = [order(this.abscissa), order(this.family!)];
    const rows = up.map((at) => this.slice(at, along, values));
    return along.map((_a, i) => Float64Array.from(rows, (row) => row[i]!));
  }

  private overlays(xs: Values, ys: Values): Overlay[] {
    return Object.entries(borders).flatMap(([name, text]) => {
      const flag = this.all.find((a) => a.name === name && a.axes.join() === this.array.axes.join() && !a.omitted);
      const columns = flag && flag !== this.array ? this.columns(valuesOf(flag)) : [];
      const lines = columns.length ? contourLines(xs, ys, columns, 0.5) : [];
      return lines.length ? [{ entry: { name: text, hint: nameOf(flag!), style: { colour: () => theme().text, dash: [6, 4] }, rest: '' },
        draw: (map, u) => map.stroke(u, lines.map((line) => line.map((p) => map.at(u, p.x, p.y))), [6, 4], 2.2) }] : [];
    });
  }

  private drawMap(): void {
    const axis = ({ array, values }: Axis, list: number[]) => ({ name: nameOf(array), unit: array.unit, values: list.map((i) => values[i]!) });
    const [x, y] = [axis(this.abscissa, order(this.abscissa)), axis(this.family!, order(this.family!))];
    const columns = this.columns();
    const known = columns.flatMap((c) => Array.from(c)).filter(Number.isFinite);
    const range: [number, number] = [known.reduce((a, b) => Math.min(a, b), Infinity), known.reduce((a, b) => Math.max(a, b), -Infinity)];
    const missing = known.length < x.values.length * y.values.length;
    const fixed = this.long().filter((a) => a !== this.abscissa && a !== this.family).map((a) => `${nameOf(a.array)} ${valueText(a, this.fixed[a.dim]!)}`);
    const title = `${nameOf(this.array)} vs ${x.name} and ${y.name}${fixed.length ? `, ${fixed.join(', ')}` : ''}`;
    this.chart = new ColourMap({
      x: { ...x, log: isLogarithmic(x.values) }, y: { ...y, log: isLogarithmic(y.values) }, columns, value: { name: nameOf(this.array), unit: this.array.unit }, filled: true, height: 440,
      range: known.length ? range : [0, 1], overlays: this.overlays(x.values, y.values), what: title, caption: `${title.charAt(0).toUpperCase()}${title.slice(1)}${missing ? '. Blank: no value was found' : ''}`,
    }, this.host);
  }

  private draw(): void {
    this.chart?.destroy();
    if (this.mapped) return this.drawMap();
    const along = order(this.abscissa);
    const family = this.family;
    const members = family ? order(family) : [null];
    const lines: Line[] = members.map((at, i) => ({
      name: at === null ? this.array.name : valueText(family!, at),
      hint: at === null ? nameOf(this.array) : `${nameOf(family!.array)} = ${valueText(family!, at)}`,
      values: this.slice(at, along),
      style: familyStyle(i, members.length),
      plain: members.length > 4,
    }));
    const x = this.abscissa.array;
    this.chart = new Chart({
      x: { name: nameOf(x), unit: x.unit, values: along.map((i) => this.abscissa.values[i]!) },
      y: { name: nameOf(this.array), unit: this.array.unit },
      lines: [...lines, ...this.companions(along)],
      height: 400,
      title: family ? `One line for each ${nameOf(family.array)}` : undefined,
      logX: this.logX,
      logY: this.logY,
    }, this.host);
  }
}

export interface Peak {
  name: string;
  largest: string;
  at: string;
}

/* "615 N at angular frequency 53 rad/s, amplitude 118 N": what a person reads off such a plot. */
function peakOf(array: ArrayData, all: ArrayData[]): Peak | null {
  const axes = axesOf(array, all)!;
  const values = found(array, all);
  let best = -1;
  for (let i = 0; i < values.length; i++)
    if (Number.isFinite(values[i]!) && (best < 0 || values[i]! > values[best]!)) best = i;
  if (best < 0) return null;
  const unit = displayUnit(array.unit, Math.abs(values[best]!));
  const at = axes.map((a) => `${nameOf(a.array)} ${valueText(a, Math.floor(best / a.stride) % a.values.length)}`);
  return {
    name: nameOf(array).replace(/^largest /, ''),
    largest: `${number(values[best]! / unit.size)}${unit.text ? ` ${unit.text}` : ''}`,
    at: at.join(', '),
  };
}

/* Of the quantities of most interest. */
export function peaksOf(all: ArrayData[]): Peak[] {
  const choice = byInterest(all).filter((a) => rank(a) < 4);
  const ranges = choice.filter((a) => rank(a) < 2);
  return (ranges.length ? ranges : choice).slice(0, 4).map((a) => peakOf(a, all)).filter((p): p is Peak => p !== null);
}

/* "range of the tension and 23 more over 16 × 116 values of load.amplitude × load.angular_frequency" */
export function responseExtent(all: ArrayData[]): string {
  const main = byInterest(all)[0];
  if (!main) return '';
  return main.dims.map((d, i) => `${d} values of ${main.axes[i]}`).join(' × ');
}

/* A plot of the quantity of most interest, and a button for more plots. */
export function responseViews(all: ArrayData[]): HTMLElement[] {
  const choice = byInterest(all);
  if (!choice.length) return [];
  const plots = el('div', {}, new ResponseView(choice[0]!, all).root);
  const more = el('button.quiet', { type: 'button' }, 'Add a plot');
  let shown = 1;
  more.addEventListener('click', () => plots.append(new ResponseView(choice[shown++ % choice.length]!, all).root));
  return choice.length > 1 ? [plots, more] : [plots];
}
