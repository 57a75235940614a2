/* response.ts — arrays over one or more parameters: a family of lines, one for each value of another axis. */
import { Chart, largestOf, type Line } from './chart';
import { nameOf } from './channels';
import { valuesOf, type ArrayData, type Values } from './data';
import { el, uniqueId } from './dom';
import { number, short } from './format';
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
    const axis = all.find((a) => a.name === array.axes[dim] && a.dims.length === 1);
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

const valueText = (axis: Axis, i: number): string => {
  const unit = displayUnit(axis.array.unit, largestOf([axis.values]));
  return `${short(axis.values[i]! / unit.size)}${unit.text ? ` ${unit.text}` : ''}`;
};

/* Ascending order of an axis, as a list of indices. */
const order = (axis: Axis): number[] =>
  Array.from({ length: axis.values.length }, (_v, i) => i).sort((a, b) => axis.values[a]! - axis.values[b]!);

class ResponseView {
  readonly root: HTMLElement;
  private host = el('div');
  private chart: Chart | null = null;
  private axes: Axis[];
  private abscissa: Axis;
  private family: Axis | null;
  private fixed: number[]; /* index along each axis that is neither */
  private logX = false;
  private logY = false;
  private controls = el('div.toolbar');

  constructor(private array: ArrayData, private all: ArrayData[]) {
    this.axes = axesOf(array, all)!;
    const long = this.axes.filter((a) => a.values.length > 1);
    this.abscissa = long[long.length - 1]!;
    this.family = long.length > 1 ? long[long.length - 2]! : null;
    this.fixed = this.axes.map(() => 0);
    this.root = el('div.response', {}, el('h3.small', {}, nameOf(array)), this.controls, this.host);
    this.fillControls();
    requestAnimationFrame(() => this.draw());
  }

  private fillControls(): void {
    const check = (label: string, now: boolean, set: (on: boolean) => void): HTMLElement => {
      const box = el('input', { type: 'checkbox' });
      box.checked = now;
      box.addEventListener('change', () => {
        set(box.checked);
        this.draw();
      });
      return el('label.check', {}, box, label);
    };
    const select = (label: string, options: string[], now: number, set: (i: number) => void): HTMLElement => {
      const id = uniqueId('axis');
      const box = el('select', { id }, ...options.map((text, i) => el('option', { value: i, selected: i === now }, text)));
      box.addEventListener('change', () => {
        set(Number(box.value));
        this.fillControls();
        this.draw();
      });
      return el('span.field', {}, el('label', { for: id }, label), box);
    };
    const long = this.axes.filter((a) => a.values.length > 1);
    const parts: HTMLElement[] = [];
    if (long.length > 1)
      parts.push(select('over', long.map((a) => nameOf(a.array)), long.indexOf(this.abscissa), (i) => {
        if (long[i] === this.family) this.family = this.abscissa;
        this.abscissa = long[i]!;
      }));
    if (long.length > 2)
      parts.push(select('one line for each', long.filter((a) => a !== this.abscissa).map((a) => nameOf(a.array)),
        long.filter((a) => a !== this.abscissa).indexOf(this.family!),
        (i) => (this.family = long.filter((a) => a !== this.abscissa)[i]!)));
    for (const axis of long)
      if (axis !== this.abscissa && axis !== this.family)
        parts.push(select(`at ${nameOf(axis.array)}`, Array.from(axis.values, (_v, i) => valueText(axis, i)),
          this.fixed[axis.dim]!, (i) => (this.fixed[axis.dim] = i)));
    parts.push(check('logarithmic x', this.logX, (on) => (this.logX = on)),
      check('logarithmic y', this.logY, (on) => (this.logY = on)));
    this.controls.replaceChildren(...parts);
  }

  private slice(at: number | null, along: number[]): Values {
    const values = valuesOf(this.array);
    let start = 0;
    for (const axis of this.axes)
      if (axis !== this.abscissa)
        start += axis.stride * (axis === this.family && at !== null ? at : this.fixed[axis.dim]!);
    return along.map((i) => values[start + i * this.abscissa.stride]!);
  }

  /* Lines over the same abscissa in the same unit, such as a linear limit: drawn dashed with the family. */
  private companions(along: number[]): Line[] {
    return this.all
      .filter((a) => a !== this.array && a.unit === this.array.unit && a.axes.length === 1 &&
        a.axes[0] === this.abscissa.array.name && a.dims[0] === this.abscissa.values.length)
      .map((a) => ({
        name: a.name,
        hint: nameOf(a),
        values: along.map((i) => valuesOf(a)[i]!),
        style: { colour: () => theme().text, dash: [6, 4] },
        width: 1.25,
        plain: true,
      }));
  }

  private draw(): void {
    this.chart?.destroy();
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
      height: 380,
      title: family ? `One line for each ${nameOf(family.array)}` : undefined,
      logX: this.logX,
      logY: this.logY,
    }, this.host);
  }
}

/* "largest 615 N at pulsation 53 rad/s, amplitude 118 N": what a person reads off such a plot. */
export function extremes(array: ArrayData, all: ArrayData[]): { name: string; largest: string; at: string } | null {
  const axes = axesOf(array, all);
  const values = axes && valuesOf(array);
  if (!values) return null;
  let best = -1;
  for (let i = 0; i < values.length; i++)
    if (Number.isFinite(values[i]!) && (best < 0 || values[i]! > values[best]!)) best = i;
  if (best < 0) return null;
  const unit = displayUnit(array.unit, Math.abs(values[best]!));
  const at = axes.map((a) => `${nameOf(a.array)} ${valueText(a, Math.floor(best / a.stride) % a.values.length)}`);
  return {
    name: nameOf(array),
    largest: `${number(values[best]! / unit.size)}${unit.text ? ` ${unit.text}` : ''}`,
    at: at.join(', '),
  };
}

export function responseViews(arrays: ArrayData[]): HTMLElement[] {
  const drawable = arrays.filter((a) => !isAxis(a, arrays) && isResponse(a, arrays));
  const rank = Math.max(0, ...drawable.map((a) => a.dims.length));
  /* A line that a family takes along as companion needs no plot of its own. */
  const own = drawable.filter((a) => a.dims.length === rank || !drawable.some((b) =>
    b.dims.length === rank && b.unit === a.unit && a.axes.length === 1 && b.axes[b.axes.length - 1] === a.axes[0]));
  return own.map((a) => new ResponseView(a, arrays).root);
}
