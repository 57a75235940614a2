/* study_grid.ts — a study over a full grid: curves over one factor with another as colour, maps over two, one for each value of the
 * others. */
import { ColourMap } from './colour_map';
import { check } from './spectrum';
import { el } from './dom';
import { later } from './later';
import { Loop, type Curve } from './loop';
import { isLogarithmic } from './plane';
import { pick, tabs } from './study_controls';
import { axisName, valuesTaken, valueText, type Axis, type Study } from './study_data';
import { lineStyle, rampStyle, type LineStyle } from './theme';

export interface Grid {
  axes: Axis[]; /* the factors that span it, most values first, levels last */
  at: (values: number[]) => number[]; /* rows at a point, by the places of its values; replicates are several */
}

const mostValues = 2000;
const mostCurves = 40;
const leastMap = 4; /* values along a side */

/* Every combination of the factors' values occurs. */
function spanned(study: Study, factors: Axis[]): Grid | null {
  const taken = factors.map(valuesTaken);
  const size = taken.reduce((p, v) => p * v.length, 1);
  if (!factors.length || taken.some((v) => v.length < 2 || v.length > mostValues) || size > study.cases.length) return null;
  const place = taken.map((v) => new Map(v.map((x, k) => [x, k])));
  const rows = new Map<number, number[]>();
  study.cases.forEach((_c, i) => {
    const key = factors.reduce((p, f, k) => p * taken[k]!.length + (place[k]!.get(f.values[i]!) ?? NaN), 0);
    if (!Number.isFinite(key)) return;
    const list = rows.get(key);
    if (list) list.push(i);
    else rows.set(key, [i]);
  });
  if (rows.size !== size) return null;
  return { axes: factors, at: (values) => rows.get(values.reduce((p, v, k) => p * taken[k]!.length + v, 0)) ?? [] };
}

/* The grid that the cases make, if they do; factors that follow from the others are left out of it. */
export function gridOf(study: Study): Grid | null {
  const varied = study.factors.filter((f) => valuesTaken(f).length > 1);
  if (!varied.length || varied.length > 8) return null;
  const order = [...varied].sort((a, b) => (a.labels ? 1 : 0) - (b.labels ? 1 : 0) || valuesTaken(b).length - valuesTaken(a).length);
  if (varied.length === 1 && valuesTaken(varied[0]!).length > 400) return null; /* samples of a distribution */
  const whole = spanned(study, order);
  if (whole || varied.length < 3) return whole;
  for (const f of order) {
    const rest = spanned(study, order.filter((k) => k !== f));
    if (rest) return rest;
  }
  return null;
}

/* Mean over the replicates that are fine; NaN where there is none. */
function meanAt(study: Study, r: Axis, rows: number[]): number {
  const good = rows.filter((i) => study.status[i] === 0 && Number.isFinite(r.values[i]!));
  return good.length ? good.reduce((p, i) => p + r.values[i]!, 0) / good.length : NaN;
}

class GridView {
  readonly root = el('div');
  private response = 0;
  private x: number;
  private by: number; /* -1: no second factor */
  private rest: number[]; /* places of the values of all factors; those of x and by do not count */
  private all = -1; /* a factor whose levels lie over each other, told apart by dashes */
  private curves: Loop | null = null;
  private maps: ColourMap[] = [];
  private hosts = { curves: el('div'), map: el('div') };
  private tools = el('div');
  private log = false;

  constructor(private study: Study, private grid: Grid) {
    this.x = 0;
    this.by = grid.axes.length > 1 ? 1 : -1;
    this.rest = grid.axes.map(() => 0);
    this.root.append(this.tools, this.hosts.curves, this.hosts.map);
    this.offer();
    later(() => this.draw());
  }

  private name = (i: number): string => this.grid.axes[i]!.name;
  private values = (i: number): number[] => valuesTaken(this.grid.axes[i]!);

  private offer(): void {
    const { study, grid } = this;
    const names = grid.axes.map((a) => a.name);
    const again = (label: string): void => {
      this.offer();
      [...this.tools.querySelectorAll('label')].find((l) => l.textContent === label)?.parentElement?.querySelector('select')?.focus();
      this.draw();
    };
    const others = names.map((_n, i) => i).filter((i) => i !== this.x && i !== this.by);
    this.tools.replaceChildren(
      el('div.toolbar', {},
        study.responses.length > 1 ? pick('Response', study.responses.map((r) => r.name), this.response, (i) => ((this.response = i), this.draw())) : null,
        names.length > 1 ? pick('over', names, this.x, (i) => {
          if (i === this.by) this.by = this.x;
          this.x = i;
          again('over');
        }) : null,
        names.length > 1 ? pick('coloured by', names.filter((_n, i) => i !== this.x), names.filter((_n, i) => i !== this.x).indexOf(names[this.by]!), (k) => {
          this.by = names.indexOf(names.filter((_n, i) => i !== this.x)[k]!);
          again('coloured by');
        }) : null,
        check('logarithmic response', this.log, (on) => ((this.log = on), this.draw()))),
      ...others.map((i) => {
        const texts = this.values(i).map((v) => valueText(grid.axes[i]!, v, 3));
        const over = texts.length <= 3 && this.values(this.by < 0 ? this.x : this.by).length * texts.length <= mostCurves ? ['all'] : [];
        return tabs(this.name(i), [...texts, ...over], this.all === i ? texts.length : this.rest[i]!, (k) => {
          if (k === texts.length) this.all = i;
          else {
            if (this.all === i) this.all = -1;
            this.rest[i] = k;
          }
          this.draw();
        });
      }));
  }

  /* Values of the response along x, where the others are. */
  private along(by: number, all: number): { y: number[]; rows: number[][] } {
    const r = this.study.responses[this.response]!;
    const rows = this.values(this.x).map((_v, k) => this.grid.at(this.rest.map((at, i) => (i === this.x ? k : i === this.by ? by : i === this.all ? all : at))));
    return { y: rows.map((list) => meanAt(this.study, r, list)), rows };
  }

  private style(k: number, n: number, all: number): LineStyle {
    const axis = this.by >= 0 ? this.grid.axes[this.by]! : null;
    const plain = !axis ? lineStyle(0) : axis.labels || n <= 4 ? lineStyle(k) : rampStyle(k, n);
    const dashes = [undefined, [7, 4], [2, 3]];
    return this.all >= 0 ? { ...plain, dash: dashes[all] } : plain;
  }

  private curvesNow(): Curve[] {
    const levels = this.by >= 0 ? this.values(this.by) : [NaN];
    const layers = this.all >= 0 && this.all !== this.x && this.all !== this.by ? this.values(this.all) : [NaN];
    return layers.flatMap((layer, a) => levels.map((level, k) => {
      const { y, rows } = this.along(k, a);
      const text = [this.by >= 0 ? `${this.name(this.by)} ${valueText(this.grid.axes[this.by]!, level, 3)}` : this.study.responses[this.response]!.name,
        Number.isNaN(layer) ? '' : valueText(this.grid.axes[this.all]!, layer)].filter(Boolean).join(', ');
      return { name: text, hint: text, x: this.values(this.x), y, style: this.style(k, levels.length, a), ...(this.grid.axes[this.x]!.labels ? { dots: true } : {}),
        note: (p: number) => rows[p]!.map((i) => `case ${this.study.cases[i]}`).join(', ') };
    }));
  }

  private where(): string {
    const others = this.grid.axes.map((a, i) => ({ a, i })).filter(({ i }) => i !== this.x && i !== this.by && i !== this.all);
    return others.map(({ a, i }) => `${a.name} ${valueText(a, valuesTaken(a)[this.rest[i]!]!)}`).join(', ');
  }

  draw(): void {
    const r = this.study.responses[this.response]!;
    const where = this.where();
    if (this.all === this.x || this.all === this.by) this.all = -1;
    this.curves?.destroy();
    this.maps.forEach((m) => m.destroy());
    this.maps = [];
    const x = this.grid.axes[this.x]!;
    this.curves = new Loop({ x: { name: x.name, unit: x.unit, ...(x.labels ? { labels: x.labels } : {}) }, y: { name: axisName(r), unit: r.unit }, curves: this.curvesNow(), height: 420, logY: this.log,
      title: `${r.name} over ${x.name}${where ? `, ${where}` : ''}` }, this.hosts.curves);
    if (this.by < 0 || this.values(this.x).length < leastMap || this.values(this.by).length < leastMap || x.labels || this.grid.axes[this.by]!.labels) return;
    const layers = this.all >= 0 ? this.values(this.all).map((_v, k) => k) : [-1];
    /* One scale of colours for maps that are compared. */
    const columns = layers.map((layer) => this.columns(layer));
    const flat = columns.flat().flatMap((c) => Array.from(c)).filter((v) => Number.isFinite(v) && (!this.log || v > 0));
    if (!flat.length) return;
    const range: [number, number] = [flat.reduce((a, b) => Math.min(a, b)), flat.reduce((a, b) => Math.max(a, b))];
    layers.forEach((layer, k) => this.drawMap(r, layer, columns[k]!, range, where));
  }

  private columns(layer: number): Float64Array[] {
    const rows = this.values(this.by).map((_v, k) => this.along(k, layer).y);
    return this.values(this.x).map((_v, i) => Float64Array.from(rows, (row) => row[i]!));
  }

  private drawMap(r: Axis, layer: number, columns: Float64Array[], [low, high]: [number, number], where: string): void {
    const [x, y] = [this.grid.axes[this.x]!, this.grid.axes[this.by]!];
    const at = [where, layer >= 0 ? `${this.name(this.all)} ${valueText(this.grid.axes[this.all]!, this.values(this.all)[layer]!)}` : ''].filter(Boolean).join(', ');
    this.maps.push(new ColourMap({
      x: { name: x.name, unit: x.unit, values: this.values(this.x), log: isLogarithmic(this.values(this.x)) }, y: { name: y.name, unit: y.unit, values: this.values(this.by), log: isLogarithmic(this.values(this.by)) },
      columns, range: [low, high], value: { name: r.name, unit: r.unit }, filled: true, height: 400, ...(this.log && low > 0 ? { decades: Math.max(1, Math.ceil(Math.log10(high / low))) } : {}),
      what: `${r.name} over ${x.name} and ${y.name}${at ? `, ${at}` : ''}`, caption: `${r.name} over ${x.name} and ${y.name}${at ? `, ${at}` : ''}`,
    }, this.hosts.map));
  }
}

export const gridView = (study: Study, grid: Grid): HTMLElement => new GridView(study, grid).root;
