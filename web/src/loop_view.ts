/* loop_view.ts — one channel over another: a choice of both, the time window and the cursor of the plots, cycles one by one, and
 * what a cycle encloses. */
import { nearestRow, type Link } from './chart';
import { valuesOf, type Column, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { Loop, type Curve } from './loop';
import type { Mark } from './marks';
import { enclosed, risings, seriesFrom } from './motion';
import { nameOf } from './panels';
import { quantity } from './tables';
import { lineStyle, rampStyle } from './theme';
import { storedUnit } from './units';

const mostCycles = 12; /* shown one by one: the last ones */

/* Whether an area in the plane of two units is work. */
const isWork = (x: string, y: string): boolean => (x === 'm' && y === 'N') || (x === 'rad' && y === 'N m');

/* Rows of the whole cycles of a motion: from each passing of its mean to the next; all of it when it ends where it began. */
export function cyclesOf(time: Values, x: Values, y: Values): [number, number][] {
  const s = seriesFrom(time, x, '');
  const starts = risings(s).map((t) => nearestRow(time, t));
  if (starts.length > 1) return starts.slice(1).map((to, i): [number, number] => [starts[i]!, to]);
  const last = x.length - 1;
  const other = seriesFrom(time, y, '');
  const near = (v: Values, range: number): boolean => Math.abs(v[last]! - v[0]!) < 0.02 * range;
  return last > 8 && s.high > s.low && near(x, s.high - s.low) && near(y, other.high - other.low) ? [[0, last]] : [];
}

const rangeOf = (v: Values): number => {
  const { low, high } = seriesFrom(v, v, '');
  return high - low;
};

export class LoopView {
  readonly root: HTMLElement;
  private host = el('div.loop-host');
  private told = el('p.hint.loop-area', { role: 'status' });
  private loop: Loop | null = null;
  private x: Column;
  private ys: Column[]; /* the first is chosen by itself, the others lie over it */
  private apart = false;
  private cycleBox: HTMLElement;
  private first = 0; /* row of the window's begin */
  private starts: number[] = []; /* rows of the window at which each curve begins */
  private leads = false;
  private drawn = 0; /* curves */

  constructor(private table: Table, pair: [Column, Column], private link: Link, private marks?: (x: string, y: string) => Mark[]) {
    this.x = pair[0];
    this.ys = [pair[1]];
    const also = el('span');
    const box = el('input', { type: 'checkbox' });
    box.addEventListener('change', () => {
      this.apart = box.checked;
      this.draw();
    });
    this.cycleBox = el('label.check', {}, box, 'cycle by cycle');
    this.root = el('div.loop', {}, el('div.toolbar', {},
      this.select('y', this.ys[0]!, (c) => {
        this.ys = [c];
        also.replaceChildren(...this.others());
      }), this.select('over x', this.x, (c) => (this.x = c)), also, this.cycleBox), this.host, this.told);
    also.replaceChildren(...this.others());
    link.onRange(() => this.loop && this.again());
    link.onCursor((at) => this.follow(at));
  }

  private text(c: Column): string {
    return c.unit ? `${c.name} [${storedUnit(c.unit)}]` : c.name;
  }

  private select(label: string, value: Column, set: (c: Column) => void): HTMLElement {
    const id = uniqueId('loop');
    const box = el('select', { id }, ...this.table.columns.map((c, i) => el('option', { value: i, selected: c === value }, this.text(c))));
    box.addEventListener('change', () => {
      set(this.table.columns[Number(box.value)]!);
      this.draw();
    });
    return el('span.field', {}, el('label', { for: id }, label), box);
  }

  /* Channels of the same unit may lie over the chosen one. */
  private others(): HTMLElement[] {
    const list = this.table.columns.slice(1).filter((c) => c.unit === this.ys[0]!.unit && c !== this.ys[0] && c !== this.x);
    if (!list.length) return [];
    const id = uniqueId('loop');
    const box = el('select', { id }, el('option', { value: '' }, 'nothing else'), ...(list.length > 1 ? [el('option', { value: 'all' }, 'all of its unit')] : []),
      ...list.map((c, i) => el('option', { value: i }, this.text(c))));
    box.addEventListener('change', () => {
      this.ys = [this.ys[0]!, ...(box.value === '' ? [] : box.value === 'all' ? list.slice(0, 6) : [list[Number(box.value)]!])];
      this.draw();
    });
    return [el('span.field', {}, el('label', { for: id }, 'with'), box)];
  }

  private window(): { time: Values; x: Values; ys: Values[] } {
    const all = valuesOf(this.table.columns[0]!);
    const [first, last] = this.link.rows(all);
    this.first = first;
    const part = (c: Column): Values => Array.prototype.slice.call(valuesOf(c), first, last) as number[];
    return { time: part(this.table.columns[0]!), x: part(this.x), ys: this.ys.map(part) };
  }

  private curves(): Curve[] {
    const { time, x, ys } = this.window();
    const cycles = cyclesOf(time, x, ys[0]!);
    this.cycleBox.hidden = cycles.length < 2;
    this.tell(time, x, ys, cycles);
    const t = this.table.columns[0]!;
    const note = (from: number) => (i: number): string => `${t.name} ${quantity(time[from + i]!, t.unit)}`;
    if (this.apart && cycles.length > 1) {
      const shown = cycles.slice(-mostCycles);
      this.starts = shown.map(([from]) => from);
      return shown.map(([from, to], i) => ({
        name: `cycle ${cycles.length - shown.length + i + 1}`, hint: `${nameOf(this.ys[0]!)} over ${nameOf(this.x)}, from ${quantity(time[from]!, t.unit)} on`,
        x: Array.prototype.slice.call(x, from, to + 1) as number[], y: Array.prototype.slice.call(ys[0], from, to + 1) as number[],
        style: rampStyle(i, shown.length), note: note(from),
      }));
    }
    this.starts = this.ys.map(() => 0);
    return this.ys.map((c, i) => ({ name: this.ys.length > 1 ? c.name : `${c.name} over ${this.x.name}`, hint: `${nameOf(c)} over ${nameOf(this.x)}`, x, y: ys[i]!, style: lineStyle(i), note: note(0) }));
  }

  /* Work of each whole cycle. */
  private tell(time: Values, x: Values, ys: Values[], cycles: [number, number][]): void {
    const works = isWork(this.x.unit, this.ys[0]!.unit) ? cycles.map(([from, to]) => enclosed(x, ys[0]!, from, to)) : [];
    const last = works[works.length - 1];
    /* The line of a spring goes back where it came from. */
    const elastic = Math.abs(last ?? 0) < 1e-3 * rangeOf(x) * rangeOf(ys[0]!);
    this.told.hidden = last === undefined || elastic;
    if (last === undefined || elastic) return;
    const [from, to] = cycles[cycles.length - 1]!;
    const [low, high] = [Math.min(...works), Math.max(...works)];
    const unit = this.table.columns[0]!.unit;
    const each = quantity(last, 'J', 4, last);
    this.told.textContent = works.length > 1
      ? `The last whole cycle (${quantity(time[from]!, unit)} to ${quantity(time[to]!, unit)}) encloses ${each}: the energy dissipated in it. Of all ${works.length} cycles: ${quantity(low, 'J', 4, last)} to ${quantity(high, 'J', 4, last)}.`
      : `The cycle encloses ${each}: the energy dissipated in it.`;
  }

  private follow(at: number | null): void {
    if (!this.loop || this.leads) return;
    const row = at === null ? null : nearestRow(valuesOf(this.table.columns[0]!), at) - this.first;
    this.loop.follow(row === null ? null : this.starts.map((from) => row - from));
  }

  /* Another part of the record at the same zoom, where there are as many curves. */
  private again(): void {
    const curves = this.curves();
    if (curves.length === this.drawn) this.loop!.setCurves(curves);
    else this.draw(curves);
  }

  draw(curves = this.curves()): void {
    this.drawn = curves.length;
    const y = this.ys[0]!;
    this.loop?.destroy();
    this.loop = new Loop({
      x: { name: nameOf(this.x), unit: this.x.unit },
      y: { name: this.ys.length > 1 ? y.name : nameOf(y), unit: y.unit },
      curves,
      marks: this.marks?.(this.x.name, y.name),
      height: 380,
      onNear: (i, curve) => {
        this.leads = true;
        this.link.lead(i === null ? null : valuesOf(this.table.columns[0]!)[this.first + this.starts[curve ?? 0]! + i]!);
        this.leads = false;
      },
    }, this.host);
  }
}
