/* panels.ts — plots of channels over the abscissa of a table: which channel is in which plot and on which axis, how they are
 * moved, and what the channels do in the window that is seen. */
import { Chart, Link, type Line } from './chart';
import { isResidue, residueText, sizeOf } from './contacts';
import { valuesOf, type Column, type Table, type Values } from './data';
import { el } from './dom';
import { count, inUnit, number, spoken } from './format';
import { partsOf } from './names';
import { popMenu, type Entry } from './menu';
import { channelStyles } from './palette';
import { withCopy } from './sheet';
import { displayUnit, quantityOf } from './units';

export const nameOf = (c: { name: string; long_name: string }): string => c.long_name || c.name;

export const thinning = (table: Table): string | null => {
  if (table.thinned === 'no') return null;
  const kept = `${count(table.kept)} of ${count(table.rows)} rows are in this page. `;
  return table.thinned === 'rows'
    ? `${kept}They contain the smallest and the largest value of every channel in each of ${count(table.slots)} ` +
        'slots of time, so peaks are as computed; the result file has every row.'
    : `${kept}Each channel shows its smallest and its largest value in each of ${count(table.slots)} slots of time: ` +
        'peaks are as computed, their instants exact to one slot. The result file has every row.';
};

/* Whether both can be read in one plot; what is zero fits everywhere. */
export const comparable = (a: Column, b: Column): boolean =>
  sizeOf(a) === 0 || sizeOf(b) === 0 || Math.min(sizeOf(a), sizeOf(b)) >= 0.05 * Math.max(sizeOf(a), sizeOf(b));

/* What pure numbers have in common by their names, "ratio" of "ratio.speed" and "ratio.thrust"; "": nothing. */
function commonName(list: Column[]): string {
  if (list[0]!.unit !== '' && list[0]!.unit !== '1') return '';
  const parts = list.map((c) => partsOf(c.name));
  const same = (word: (p: string[]) => string | undefined): string => (parts.every((p) => p.length > 1 && word(p) === word(parts[0]!)) ? spoken(word(parts[0]!)!) : '');
  return same((p) => p[p.length - 1]) || same((p) => p[0]);
}

type Side = 'left' | 'right';

interface Plot {
  left: Column[];
  right: Column[]; /* of one other unit */
  chart?: Chart;
  drawn?: string; /* what the chart shows */
  stats: HTMLElement;
}

export interface WindowStats {
  low: number;
  high: number;
  mean: number; /* over the abscissa */
  rms: number;
}

/* Over the rows from `first` to before `last`; the mean by the trapezoidal rule, so that uneven rows count by their length. */
export function windowStats(x: Values, y: Values, first: number, last: number): WindowStats | null {
  let [low, high, length, sum, square] = [Infinity, -Infinity, 0, 0, 0];
  for (let i = first; i < last; i++) {
    const v = y[i]!;
    if (!Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
    const before = y[i - 1]!;
    if (i === first || !Number.isFinite(before)) continue;
    const step = x[i]! - x[i - 1]!;
    length += step;
    sum += (step * (v + before)) / 2;
    square += (step * (v * v + v * before + before * before)) / 3;
  }
  if (low > high) return null;
  return length > 0 ? { low, high, mean: sum / length, rms: Math.sqrt(square / length) } : { low, high, mean: low, rms: Math.abs(low) };
}

const leastNoise = 800; /* rows: fewer can be followed one by one */
const trendShare = 0.01; /* of the rows: length of the running mean */

/* Whether a line goes up and down from row to row, so that it is a smear where all of it is shown. */
export function noisy(values: Values): boolean {
  let [turns, known] = [0, 0];
  for (let i = 2; i < values.length; i++) {
    const [a, b] = [values[i - 1]! - values[i - 2]!, values[i]! - values[i - 1]!];
    if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
    known++;
    if (a * b < 0) turns++;
  }
  return values.length >= leastNoise && turns > 0.2 * known;
}

/* Mean over `n` rows around each. */
export function runningMean(values: Values, n: number): Float64Array {
  const half = Math.max(1, Math.round(n / 2));
  const sums = new Float64Array(values.length + 1);
  const counts = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    const good = Number.isFinite(values[i]!);
    sums[i + 1] = sums[i]! + (good ? values[i]! : 0);
    counts[i + 1] = counts[i]! + (good ? 1 : 0);
  }
  return Float64Array.from(values, (_v, i) => {
    const [a, b] = [Math.max(0, i - half), Math.min(values.length, i + half + 1)];
    return counts[b]! > counts[a]! ? (sums[b]! - sums[a]!) / (counts[b]! - counts[a]!) : NaN;
  });
}

/* The channel that is being dragged. */
let dragged: { panels: Panels; channel: Column } | null = null;

export class Panels {
  readonly root = el('div.panels');
  private plots: Plot[] = [];
  private channels: Column[];
  private tools = el('div.panel-tools');
  private fresh = el('div.drop-new', {}, 'Drop here for a plot of its own');
  private telling = el('input', { type: 'checkbox' });

  /* `changed`: channels were moved or taken away here, not by who calls. */
  constructor(private table: Table, readonly link: Link, private changed: () => void) {
    this.channels = table.columns.slice(1);
    this.telling.addEventListener('change', () => this.tell());
    this.tools.append(el('label.check', {}, this.telling, 'statistics of the window'));
    this.root.append(this.tools, this.fresh);
    this.receive(this.fresh, () => true, (c) => this.move(c, null));
    let waiting = false;
    link.onRange(() => {
      if (waiting || !this.telling.checked) return;
      waiting = true;
      requestAnimationFrame(() => ((waiting = false), this.tell()));
    });
  }

  chosen(): Column[] {
    return this.plots.flatMap((p) => [...p.left, ...p.right]);
  }

  /* Names of the plots, for those who choose one. */
  names(): string[] {
    return this.plots.map((p) => [...p.left, ...p.right].map((c) => c.name).join(', '));
  }

  /* Where a channel can go in a plot: to its own kind, or as the one other unit. */
  private sideIn(plot: Plot, c: Column): Side | null {
    if (!plot.left.length || plot.left[0]!.unit === c.unit) return 'left';
    return !plot.right.length || plot.right[0]!.unit === c.unit ? 'right' : null;
  }

  private fits(plot: Plot, c: Column): boolean {
    const residue = isResidue(c, this.channels);
    return plot.left.length > 0 && plot.left[0]!.unit === c.unit &&
      plot.left.every((k) => isResidue(k, this.channels) === residue && (residue || comparable(k, c)));
  }

  private add(c: Column, where: number | 'fit' | 'new'): void {
    let plot = where === 'fit' ? this.plots.find((p) => this.fits(p, c)) : where === 'new' ? undefined : this.plots[where];
    const side = plot ? this.sideIn(plot, c) : null;
    if (!plot || !side) this.plots.push((plot = { left: [c], right: [], stats: el('div.window-stats') }));
    else plot[side].push(c);
  }

  private drop(c: Column): void {
    for (const p of this.plots) {
      p.left = p.left.filter((k) => k !== c);
      p.right = p.right.filter((k) => k !== c);
      if (!p.left.length) [p.left, p.right] = [p.right, []];
    }
  }

  /* The channels to show, others are taken away; new ones go where it is said. */
  show(wanted: Column[], where: number | 'fit' | 'new' = 'fit'): void {
    const now = this.chosen();
    for (const c of now) if (!wanted.includes(c)) this.drop(c);
    for (const c of wanted) if (!now.includes(c)) this.add(c, where);
    this.draw();
  }

  /* To another plot, or to one of its own (null); to a side when it is said. */
  private move(c: Column, to: Plot | null, side?: Side): void {
    this.drop(c);
    const other: Side = side === 'right' ? 'left' : 'right';
    if (!to || !(to.left.length + to.right.length)) this.plots.push({ left: [c], right: [], stats: el('div.window-stats') });
    else if (side && (!to[side].length || to[side][0]!.unit === c.unit) && to[other].length) to[side].push(c);
    else if (this.sideIn(to, c)) to[this.sideIn(to, c)!].push(c);
    else this.add(c, 'new');
    this.draw();
    this.changed();
  }

  private draw(): void {
    for (const p of this.plots.filter((k) => !k.left.length)) p.chart?.destroy();
    this.plots = this.plots.filter((p) => p.left.length);
    for (const p of this.plots) {
      const key = `${p.left.map((c) => c.name).join('\n')}\n\n${p.right.map((c) => c.name).join('\n')}`;
      if (p.drawn !== key) {
        const last = p.chart?.frame.root;
        const fresh = this.chartOf(p);
        if (last) last.replaceWith(fresh.frame.root);
        p.chart?.destroy();
        [p.chart, p.drawn] = [fresh, key];
        fresh.frame.root.append(p.stats);
        this.receive(fresh.frame.root, (c) => this.sideIn(p, c) !== null && !(p.left.length + p.right.length === 1 && p.left[0] === c),
          (c, share) => this.move(c, p, share > 0.75 ? 'right' : share < 0.25 ? 'left' : undefined));
      }
      this.fresh.before(p.chart!.frame.root);
    }
    this.tell();
    this.root.classList.toggle('empty', this.plots.length === 0);
    this.tools.hidden = this.plots.length === 0;
  }

  /* What can be done with a channel beside switching its line. */
  private entries(p: Plot, c: Column): Entry[] {
    const alone = p.left.length + p.right.length === 1;
    const label = (k: Plot): string => {
      const [first] = k.left;
      const more = k.left.length + k.right.length - 1;
      return `Move to ${first!.name}${more ? ` and ${more} more` : ''}${this.sideIn(k, c) === 'right' ? ', on the right axis' : ''}`;
    };
    const onRight = p.right.includes(c);
    const swaps = !alone && (onRight ? p.left[0]!.unit === c.unit : p.left.length > 1 && (!p.right.length || p.right[0]!.unit === c.unit));
    return [
      ...this.plots.filter((k) => k !== p && this.sideIn(k, c)).map((k) => ({ text: label(k), act: () => this.move(c, k) })),
      ...(alone ? [] : [{ text: 'Move to a plot of its own', act: () => this.move(c, null) }]),
      ...(swaps ? [{ text: onRight ? 'Move to the left axis' : 'Move to the right axis', act: () => this.move(c, p, onRight ? 'left' : 'right') }] : []),
      { text: 'Take away', act: () => (this.drop(c), this.draw(), this.changed()) },
    ];
  }

  private chartOf(p: Plot): Chart {
    const x = this.table.columns[0]!;
    const all = [...p.left, ...p.right];
    const residue = isResidue(p.left[0]!, this.channels);
    const axis = (list: Column[]): { name: string; unit: string } => ({ name: list.length === 1 ? nameOf(list[0]!) : commonName(list) || quantityOf(list[0]!.unit), unit: list[0]!.unit });
    const styles = channelStyles(all.map((c) => c.name));
    const n = trendShare * this.table.kept;
    const trends = all.map((c) => (!residue && this.table.thinned === 'no' && noisy(valuesOf(c)) ? runningMean(valuesOf(c), n) : undefined));
    const step = trends.some(Boolean) ? ((valuesOf(x)[this.table.kept - 1]! - valuesOf(x)[0]!) * n) / (this.table.kept - 1) : 0;
    const lines: Line[] = all.map((c, i) => ({
      name: c.name,
      hint: nameOf(c),
      values: residue ? Array.from(valuesOf(c), Math.abs) : valuesOf(c),
      style: styles[i]!,
      right: p.right.includes(c),
      ...(trends[i] ? { trend: trends[i]! } : {}),
      menu: popMenu('line-menu', '⋯', `Move or take away: ${c.name}`, () => this.entries(p, c)).root,
      dots: residue && this.table.kept <= 5000 ? 3 : false, /* noise, with exact zeros in between, is no line */
    }));
    const chart = new Chart({
      x: { name: nameOf(x), unit: x.unit, values: valuesOf(x) },
      y: axis(p.left),
      ...(p.right.length ? { y2: axis(p.right) } : {}),
      lines,
      height: this.plots.length > 2 ? 230 : 290,
      logY: residue,
      decades: 4,
      title: residue ? `Magnitudes on a logarithmic axis: ${residueText(p.left, this.channels)}.`
        : step > 0 ? `Strong lines: running mean over ${inUnit(step / displayUnit(x.unit, step).size, displayUnit(x.unit, step), (v) => number(v, 2))}; pale: every row.` : undefined,
      link: this.link,
      notes: [thinning(this.table)].filter((t) => t !== null),
    }, this.root);
    chart.frame.root.querySelectorAll<HTMLElement>('.legend-item').forEach((item, i) => this.give(item, all[i]!));
    return chart;
  }

  /* A name can be dragged to another plot. */
  private give(item: HTMLElement, channel: Column): void {
    item.draggable = true;
    item.addEventListener('dragstart', (event) => {
      dragged = { panels: this, channel };
      event.dataTransfer?.setData('text/plain', channel.name);
      if (event.dataTransfer) event.dataTransfer.effectAllowed = 'move';
      setTimeout(() => this.root.classList.add('dragging'));
    });
    item.addEventListener('dragend', () => {
      dragged = null;
      this.root.classList.remove('dragging');
    });
  }

  private receive(target: HTMLElement, accepts: (c: Column) => boolean, put: (c: Column, share: number) => void): void {
    const welcome = (): Column | null => (dragged?.panels === this && accepts(dragged.channel) ? dragged.channel : null);
    target.addEventListener('dragover', (event) => {
      if (!welcome()) return;
      event.preventDefault();
      target.classList.add('drop');
    });
    target.addEventListener('dragleave', (event) => {
      if (!(event.relatedTarget instanceof Node) || !target.contains(event.relatedTarget)) target.classList.remove('drop');
    });
    target.addEventListener('drop', (event) => {
      const c = welcome();
      target.classList.remove('drop');
      if (!c) return;
      event.preventDefault();
      const box = target.getBoundingClientRect();
      this.root.classList.remove('dragging');
      dragged = null;
      put(c, (event.clientX - box.left) / box.width);
    });
  }

  /* Statistics below each plot, when they are wanted. */
  private tell(): void {
    for (const p of this.plots) p.stats.replaceChildren(...(this.telling.checked ? this.statsOf(p) : []));
  }

  private statsOf(p: Plot): HTMLElement[] {
    const x = valuesOf(this.table.columns[0]!);
    const [first, last] = this.link.rows(x);
    const thinned = this.table.thinned !== 'no';
    const rows = [...p.left, ...p.right].map((c) => {
      const s = windowStats(x, valuesOf(c), first, last);
      const unit = displayUnit(c.unit, sizeOf(c));
      const text = (v: number): string => number(v / unit.size, 5);
      /* What was thinned out has its extremes, but not its mean. */
      const cells = s ? [text(s.low), text(s.high), text(s.high - s.low), thinned ? '–' : text(s.mean), thinned ? '–' : text(s.rms)] : ['–', '–', '–', '–', '–'];
      return el('tr', {}, el('th', { scope: 'row' }, c.name), el('td', {}, unit.text), ...cells.map((t) => el('td.n', {}, t)));
    });
    const xUnit = displayUnit(this.table.columns[0]!.unit, Math.max(Math.abs(x[first] ?? 0), Math.abs(x[last - 1] ?? 0)));
    const at = (i: number): string => `${number((x[i] ?? NaN) / xUnit.size, 5)} ${xUnit.text}`;
    return [
      withCopy(`From ${at(first)} to ${at(last - 1)}`, el('table', {},
        el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Channel'), el('th', { scope: 'col' }, 'Unit'),
          ...['Smallest', 'Largest', 'Peak to peak', 'Mean', 'RMS'].map((h) => el('th.n', { scope: 'col' }, h)))),
        el('tbody', {}, ...rows))),
      ...(thinned ? [el('p.hint', {}, 'Mean and RMS need all rows, which this page does not have.')] : []),
    ];
  }
}
