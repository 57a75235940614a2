/* basins.ts — which attractor each state of a grid comes to (src/analysis/search/basins.c): a map in the colours of the attractors,
 * their states at the starts of the forcing periods as dots, and a table of what they are. */
import uPlot from 'uplot';
import type { Analysis } from './analysis';
import { nameOf } from '../channels';
import { largestOf } from '../chart';
import { valuesOf, type ArrayData, type Group, type Values } from '../data';
import { el } from '../dom';
import type { CsvTable } from '../export';
import { arrayIn, extreme, share, valuesIn, word, type FigureMaker } from '../figure';
import { number } from '../format';
import { axes, Frame, Legend } from '../frame';
import { moveCursor, showPlane, zoomed } from '../plane';
import { theme, type LineStyle } from '../theme';
import { displayUnit, withUnit, type DisplayUnit } from '../units';

const find = (group: Group, name: string): ArrayData | undefined => group.arrays.find((a) => a.name === name && !a.omitted);

const isBasins = (group: Group): boolean =>
  group.kind === 'basins' && !!find(group, 'attractor') && !!find(group, 'attractor.period');

const numbersOf = (group: Group, name: string): Values => {
  const array = find(group, name);
  return array ? valuesOf(array) : [];
};

const periodText = (period: number): string =>
  period === 0 ? 'longer, chaotic or without bound' : period === 1 ? 'the forcing’s period' : `${period} periods`;

/* What is longer or chaotic is grey; beyond the palette colours come again, paler. */
function colourOf(period: number, i: number): string {
  const { lines, muted } = theme();
  if (period === 0) return muted;
  return lines[i % (lines.length - 1)]! + (i < lines.length - 1 ? '' : '80');
}

interface Axis {
  array: ArrayData;
  unit: DisplayUnit;
  values: number[]; /* as shown */
}

function axisOf(group: Group, name: string): Axis {
  const array = find(group, name)!;
  const unit = displayUnit(array.unit, largestOf([valuesOf(array)]));
  return { array, unit, values: Array.from(valuesOf(array), (v) => v / unit.size) };
}

/* From half a step before the first value to half a step beyond the last. */
function limits(values: number[]): [number, number] {
  const half = (values[values.length - 1]! - values[0]!) / (values.length - 1) / 2;
  const a = values[0]! - half;
  const b = values[values.length - 1]! + half;
  return a < b ? [a, b] : [b, a];
}

class BasinMap {
  readonly frame: Frame;
  private plot: uPlot;
  private legend: Legend;
  private x: Axis;
  private y: Axis;
  private numbers: Values;
  private periods: Values;
  private shown: boolean[];
  private whole: { x: [number, number]; y: [number, number] };

  constructor(private group: Group, host: HTMLElement) {
    const map = find(group, 'attractor')!;
    this.x = axisOf(group, map.axes[1]!);
    this.y = axisOf(group, map.axes[0]!);
    this.numbers = valuesOf(map);
    this.periods = numbersOf(group, 'attractor.period');
    const shares = numbersOf(group, 'attractor.share');
    this.shown = Array.from(this.periods, () => true);
    this.whole = { x: limits(this.x.values), y: limits(this.y.values) };
    this.frame = new Frame(460, `the attractors reached from ${nameOf(this.x.array)} and ${nameOf(this.y.array)}`,
      'Colour: the attractor that a state comes to. Dots: the attractors themselves, once each forcing period.');
    host.append(this.frame.root);
    this.legend = new Legend(Array.from(this.periods, (period, i) => ({
      name: `${i + 1}: ${periodText(period)}`,
      hint: `attractor ${i + 1}`,
      style: { colour: () => colourOf(period, i), dash: undefined } as LineStyle,
      rest: `${number(100 * shares[i]!, 3)} %`,
    })), (i, show) => {
      this.shown[i] = show;
      this.plot.redraw(false);
    });
    this.plot = new uPlot(this.describe(), [this.whole.x, [null, null]] as unknown as uPlot.AlignedData, this.frame.host);
    this.frame.attach(this.plot, this.legend, { move: (n) => this.move(n), other: (n) => this.move(n, true), zoom: (f) => this.zoom(f), reset: () => this.reset() }, () => this.table());
    this.reset();
  }

  /* One row a state of the grid. */
  private table(): CsvTable {
    const [xs, ys] = [valuesOf(this.x.array), valuesOf(this.y.array)];
    const n = xs.length;
    const along = (of: (k: number) => number): number[] => Array.from(this.numbers, (_v, k) => of(k));
    return {
      notes: Array.from(this.periods, (period, i) => `attractor ${i + 1}: ${periodText(period)}`),
      columns: [
        { name: this.x.array.name, unit: this.x.array.unit, values: along((k) => xs[k % n]!) },
        { name: this.y.array.name, unit: this.y.array.unit, values: along((k) => ys[Math.floor(k / n)]!) },
        { name: 'attractor', unit: '', values: this.numbers },
      ],
    };
  }

  private describe(): uPlot.Options {
    const fixed = { auto: false, range: (_u: uPlot, a: number, b: number): [number, number] => [a, b] };
    return {
      ...this.frame.size,
      padding: [10, 14, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, ...fixed }, y: fixed },
      axes: axes({ label: withUnit(nameOf(this.x.array), this.x.unit) }, { label: withUnit(nameOf(this.y.array), this.y.unit) })
        .map((a) => ({ ...a, grid: { show: false } })),
      series: [{}, { stroke: () => theme().text, points: { show: false } }],
      cursor: {
        drag: { x: true, y: true, dist: 4, uni: 30 },
        points: { show: false },
        bind: { dblclick: () => () => (this.reset(), null) },
      },
      hooks: { drawClear: [(u) => this.paint(u)], draw: [(u) => this.dots(u)], setCursor: [(u) => this.hover(u)] },
    };
  }

  private inside(u: uPlot, act: () => void): void {
    const { left, top, width, height } = u.bbox;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    act();
    u.ctx.restore();
  }

  /* One rectangle for each run of equal cells in a row, on whole pixels so that no seams show. */
  private paint(u: uPlot): void {
    const edge = (axis: Axis, key: 'x' | 'y', k: number): number => {
      const step = (axis.values[axis.values.length - 1]! - axis.values[0]!) / (axis.values.length - 1);
      return Math.round(u.valToPos(axis.values[0]! + (k - 0.5) * step, key, true));
    };
    const n = this.x.values.length;
    this.inside(u, () => {
      for (let row = 0; row < this.y.values.length; row++) {
        const [a, b] = [edge(this.y, 'y', row), edge(this.y, 'y', row + 1)];
        for (let i = 0, end = 0; i < n; i = end) {
          const which = this.numbers[row * n + i]!;
          for (end = i + 1; end < n && this.numbers[row * n + end] === which; ) end++;
          if (!this.shown[which - 1]) continue;
          const [left, right] = [edge(this.x, 'x', i), edge(this.x, 'x', end)];
          u.ctx.fillStyle = colourOf(this.periods[which - 1]!, which - 1);
          u.ctx.fillRect(Math.min(left, right), Math.min(a, b), Math.abs(right - left), Math.abs(b - a));
        }
      }
    });
  }

  private dots(u: uPlot): void {
    const who = numbersOf(this.group, 'strobe.attractor');
    const xs = numbersOf(this.group, `strobe.${this.x.array.name}`);
    const ys = numbersOf(this.group, `strobe.${this.y.array.name}`);
    const r = uPlot.pxRatio;
    this.inside(u, () => {
      for (let k = 0; k < who.length; k++) {
        const i = who[k]! - 1;
        u.ctx.beginPath();
        u.ctx.arc(u.valToPos(xs[k]! / this.x.unit.size, 'x', true), u.valToPos(ys[k]! / this.y.unit.size, 'y', true), 5 * r, 0, 2 * Math.PI);
        u.ctx.fillStyle = colourOf(this.periods[i]!, i);
        u.ctx.fill();
        u.ctx.lineWidth = 3.5 * r;
        u.ctx.strokeStyle = '#000';
        u.ctx.stroke();
        u.ctx.lineWidth = 2 * r;
        u.ctx.strokeStyle = '#fff';
        u.ctx.stroke();
      }
    });
  }

  private hover(u: uPlot): void {
    const { left = -1, top = -1 } = u.cursor;
    if (left < 0 || !this.plot) return this.legend.show();
    const at = (axis: Axis, key: 'x' | 'y', px: number): number => {
      const v = axis.values;
      return Math.round((u.posToVal(px, key) - v[0]!) / (v[v.length - 1]! - v[0]!) * (v.length - 1));
    };
    const [i, row] = [at(this.x, 'x', left), at(this.y, 'y', top)];
    const n = this.x.values.length;
    if (i < 0 || i >= n || row < 0 || row >= this.y.values.length) return this.legend.show();
    const which = this.numbers[row * n + i]!;
    this.legend.show(`${number(this.x.values[i]!)} ${this.x.unit.text}, ${number(this.y.values[row]!)} ${this.y.unit.text}`,
      Array.from(this.periods, (_p, k) => (k + 1 === which ? 'reached' : '')));
  }

  /* The cursor by keys: a cell to the side, up or down. */
  private move(steps: number, upright = false): void {
    const cell = (key: 'x' | 'y', axis: Axis): number => Math.abs(this.plot.valToPos(axis.values[1]!, key) - this.plot.valToPos(axis.values[0]!, key));
    moveCursor(this.plot, upright ? 0 : steps * cell('x', this.x), upright ? steps * cell('y', this.y) : 0);
  }

  private zoom(factor: number): void {
    showPlane(this.plot, zoomed(this.plot, 'x', factor), zoomed(this.plot, 'y', factor));
  }

  private reset(): void {
    showPlane(this.plot, this.whole.x, this.whole.y);
  }
}

/* One column an attractor: period, share, multiplier, then what its channels do. */
function attractorTable(group: Group): HTMLElement {
  const rows = group.arrays.filter((a) => a.axes.length === 1 && a.axes[0] === 'attractors' && !a.omitted && a.name !== 'attractor.period');
  const periods = numbersOf(group, 'attractor.period');
  const label = (a: ArrayData): string => a.name.replace(/^attractor\./, '');
  const row = (a: ArrayData): HTMLElement => {
    const unit = displayUnit(a.unit, largestOf([valuesOf(a)]));
    return el('tr', {}, el('th', { scope: 'row', title: nameOf(a) }, withUnit(label(a), unit)), ...Array.from(valuesOf(a), (v) => el('td.n', {}, number(v / unit.size))));
  };
  return el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Attractor'), ...Array.from(periods, (_p, i) => el('th.n', { scope: 'col' }, String(i + 1))))),
    el('tbody', {}, el('tr', {}, el('th', { scope: 'row' }, 'period'), ...Array.from(periods, (period) => el('td.n', {}, el('span.word', {}, periodText(period))))), ...rows.map(row))));
}

function basinView(group: Group): HTMLElement {
  const host = el('div');
  requestAnimationFrame(() => new BasinMap(group, host));
  return el('div.response', {}, host, attractorTable(group));
}

/* "3 attractors, reached from 81 × 81 states" */
function basinExtent(group: Group): string {
  const map = find(group, 'attractor')!;
  const n = numbersOf(group, 'attractor.period').length;
  return `${n} attractor${n === 1 ? '' : 's'}, reached from ${map.dims[1]} × ${map.dims[0]} states`;
}

/* What the attractors are, how much of the plane comes to each, and how it was computed. */
function basinSummary(group: Group): HTMLElement {
  const shares = numbersOf(group, 'attractor.share');
  const each = Array.from(numbersOf(group, 'attractor.period'), (period, i) => `${periodText(period)} (${number(100 * shares[i]!, 3)} %)`);
  const method = group.texts.find((t) => t.name === 'method')?.value;
  const step = group.numbers.find((n) => n.unit === 's' && /step/.test(n.name));
  const how = [method, step?.value ? `${nameOf(step)} ${number(step.value)} s` : ''].filter(Boolean).join(' · ');
  return el('div', {}, how ? el('p.extent', {}, how) : null, el('p', {}, `${basinExtent(group)}. Periods, and the share of the states: ${each.join(', ')}.`));
}

const figures: FigureMaker = (group) => {
  if (!isBasins(group)) return [];
  const shares = valuesIn(group, 'attractor.share');
  const best = extreme(shares);
  return [...word('Basins', 'attractors', String(arrayIn(group, 'attractors')?.dims[0] ?? '')), ...(best ? share('Basins', 'largest basin', best.value, { digits: 3, at: `attractor ${best.i + 1}` }) : [])];
};

export const basins: Analysis = {
  kind: 'basins', recognise: isBasins, figures: [figures], ownNumbers: true,
  view: (_report, group) => [el('p.extent', {}, basinExtent(group)), basinSummary(group), basinView(group)],
};
