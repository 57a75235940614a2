/* channels.ts — look into a table of channels: pick some, see them over the abscissa, and one over another. */
import { Chart, Link, type Line } from './chart';
import { contactForces, contactSlips, isResidue, residueText, sizeOf } from './contacts';
import type { Mark } from './marks';
import { constant, valuesOf, type Column, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { count, plural } from './format';
import { Loop, type Curve } from './loop';
import { coordinates, pathsOf, pathView } from './paths';
import { spectrumView } from './spectrum';
import { lineStyle } from './theme';
import { quantityOf, storedUnit } from './units';

const listed = 200; /* entries of the picker shown at once; the search narrows them down */

export const nameOf = (c: { name: string; long_name: string }): string => c.long_name || c.name;

const ascending = (values: Values): boolean => {
  for (let i = 1; i < values.length; i++) if (!(values[i]! >= values[i - 1]!)) return false;
  return values.length > 1;
};

/* Only rows in ascending order can be drawn over their abscissa. */
export const plottable = (table: Table | undefined): table is Table =>
  !!table && table.columns.length > 1 && table.rows > 1 && ascending(valuesOf(table.columns[0]!));

const still = (c: Column): boolean => !c.stats || constant(c.stats.min, c.stats.max);

/* Whether both can be read in one plot; what is zero fits everywhere. */
const comparable = (a: Column, b: Column): boolean =>
  sizeOf(a) === 0 || sizeOf(b) === 0 || Math.min(sizeOf(a), sizeOf(b)) >= 0.05 * Math.max(sizeOf(a), sizeOf(b));

/* What an engineer looks at first: up to four kinds of quantity, up to three channels of each that can be seen beside
 * each other. Pure numbers and channels that never change come last. Of contacts, what each row does; paths have a plot of their own. */
function firstChoice(all: Column[], placed: Column[]): Set<Column> {
  const acting = (list: Column[]): Column[] => list.filter((c) => sizeOf(c) > 0).slice(0, 6);
  const contacts = [...acting(contactForces(all)), ...acting(contactSlips(all))];
  const drawn = new Set([...contactForces(all), ...contactSlips(all), ...placed]);
  const byUnit = new Map<string, Column[]>();
  const order = (c: Column): number => (still(c) || isResidue(c, all) ? 2 : c.unit ? 0 : 1);
  const ranks = contacts.length ? [0] : [0, 1, 2]; /* where there are contacts: neither quaternions nor constants */
  for (const c of ranks.flatMap((n) => all.filter((k) => !drawn.has(k) && order(k) === n))) {
    const list = byUnit.get(c.unit) ?? [];
    if (list.length < 3 && list.every((k) => comparable(c, k)) && (list.length > 0 || byUnit.size < 4)) byUnit.set(c.unit, [...list, c]);
  }
  return new Set([...byUnit.values()].flat().concat(contacts));
}

/* The pair of a hysteresis loop: force over deflection of the same thing, the tensioner's before others. */
export function loopPair(channels: Column[]): [Column, Column] | null {
  const named = new Map(channels.map((c) => [c.name, c]));
  const pairs: [string, string][] = [['deflection', 'force'], ['angle', 'torque'], ['deflection', 'tension']];
  const owners = ['tensioner', 'arm', ...channels.map((c) => c.name.replace(/\.?[^.]*$/, ''))];
  for (const owner of owners)
    for (const [x, y] of pairs) {
      const a = named.get(owner ? `${owner}.${x}` : x);
      const b = named.get(owner ? `${owner}.${y}` : y);
      if (a && b) return [a, b];
    }
  return null;
}

const thinning = (table: Table): string | null => {
  if (table.thinned === 'no') return null;
  const kept = `${count(table.kept)} of ${count(table.rows)} rows are in this page. `;
  return table.thinned === 'rows'
    ? `${kept}They contain the smallest and the largest value of every channel in each of ${count(table.slots)} ` +
        'slots of time, so peaks are as computed; the result file has every row.'
    : `${kept}Each channel shows its smallest and its largest value in each of ${count(table.slots)} slots of time: ` +
        'peaks are as computed, their instants exact to one slot. The result file has every row.';
};

class Panels {
  readonly root = el('div.panels');
  readonly link = new Link();
  private charts = new Map<string, Chart>(); /* by the names of their channels */

  private channels: Column[];

  constructor(private table: Table) {
    this.channels = table.columns.slice(1);
  }

  /* One plot for channels of one unit and comparable size, in the order of the channels. */
  show(chosen: Column[]): void {
    const groups: Column[][] = [];
    for (const c of chosen) {
      const residue = isResidue(c, this.channels);
      const fits = (k: Column): boolean => isResidue(k, this.channels) === residue && (residue || comparable(k, c));
      const home = groups.find((g) => g[0]!.unit === c.unit && g.every(fits));
      if (home) home.push(c);
      else groups.push([c]);
    }
    const keys = groups.map((g) => g.map((c) => c.name).join('\n'));
    for (const [key, chart] of this.charts)
      if (!keys.includes(key)) {
        chart.destroy();
        this.charts.delete(key);
      }
    groups.forEach((members, i) => {
      const chart = this.charts.get(keys[i]!) ?? this.draw(members, groups.length);
      this.charts.set(keys[i]!, chart);
      this.root.append(chart.frame.root);
    });
    this.root.classList.toggle('empty', groups.length === 0);
  }

  private draw(members: Column[], nplot: number): Chart {
    const x = this.table.columns[0]!;
    const unit = members[0]!.unit;
    const single = members.length === 1;
    const residue = isResidue(members[0]!, this.channels);
    const lines: Line[] = members.map((c, i) => ({
      name: c.name,
      hint: nameOf(c),
      values: residue ? Array.from(valuesOf(c), Math.abs) : valuesOf(c),
      style: lineStyle(i),
      dots: residue && this.table.kept <= 5000 ? 3 : false, /* noise, with exact zeros in between, is no line */
    }));
    return new Chart({
      x: { name: nameOf(x), unit: x.unit, values: valuesOf(x) },
      y: { name: single ? nameOf(members[0]!) : quantityOf(unit), unit },
      lines,
      height: nplot > 2 ? 230 : 290,
      logY: residue,
      decades: 4,
      title: residue ? `Magnitudes on a logarithmic axis: ${residueText(members, this.channels)}.` : undefined,
      link: this.link,
      notes: [thinning(this.table)].filter((t) => t !== null),
    }, this.root);
  }
}

class Picker {
  readonly root: HTMLElement;
  private list = el('ul.picker-list');
  private more = el('p.picker-more');
  private search = el('input', { type: 'search', placeholder: 'Search channels', 'aria-label': 'Search channels',
    autocomplete: 'off', spellcheck: 'false' });

  constructor(private channels: Column[], private chosen: Set<Column>, private changed: () => void) {
    this.search.addEventListener('input', () => this.fill());
    this.search.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown') return;
      this.list.querySelector('input')?.focus();
      event.preventDefault();
    });
    this.list.addEventListener('keydown', (event) => this.step(event));
    const clear = el('button.quiet', { type: 'button', click: () => this.clear() }, 'Clear');
    this.root = el('div.picker', {}, el('div.picker-head', {}, this.search, clear), this.list, this.more);
    this.fill();
  }

  private clear(): void {
    this.chosen.clear();
    this.fill();
    this.changed();
  }

  private step(event: KeyboardEvent): void {
    const boxes = [...this.list.querySelectorAll('input')];
    const at = boxes.indexOf(document.activeElement as HTMLInputElement);
    const next = event.key === 'ArrowDown' ? at + 1 : event.key === 'ArrowUp' ? at - 1 : NaN;
    if (Number.isNaN(next)) return;
    if (next < 0) this.search.focus();
    else boxes[Math.min(next, boxes.length - 1)]?.focus();
    event.preventDefault();
  }

  private fill(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.channels.filter((c) => {
      const text = `${c.name} ${c.long_name} ${storedUnit(c.unit)}`.toLowerCase();
      return words.every((w) => text.includes(w));
    });
    this.list.replaceChildren(...found.slice(0, listed).map((c) => this.entry(c)));
    this.more.textContent = found.length === 0 ? 'No channel has this in its name.'
      : found.length > listed ? `${plural(found.length - listed, 'more channel')}: search to narrow down.` : '';
  }

  private entry(c: Column): HTMLElement {
    const box = el('input', { type: 'checkbox', name: c.name });
    box.checked = this.chosen.has(c);
    box.addEventListener('change', () => {
      if (box.checked) this.chosen.add(c);
      else this.chosen.delete(c);
      this.changed();
    });
    return el('li', {}, el('label', {}, box,
      el('span.picker-name', {}, c.name, c.unit ? el('span.picker-unit', {}, ` ${storedUnit(c.unit)}`) : null),
      c.long_name && c.long_name !== c.name ? el('span.picker-long', {}, c.long_name) : null));
  }
}

/* Choice of x and y channel and their curve; follows the time window of the plots above. */
class LoopView {
  readonly root: HTMLElement;
  private host = el('div.loop-host');
  private loop: Loop | null = null;
  private x: Column;
  private y: Column;

  constructor(private table: Table, pair: [Column, Column], private link: Link, private options: ChannelOptions) {
    [this.x, this.y] = pair;
    const select = (label: string, value: Column, set: (c: Column) => void): HTMLElement => {
      const id = uniqueId('loop');
      const box = el('select', { id }, ...table.columns.map((c, i) =>
        el('option', { value: i, selected: c === value }, c.unit ? `${c.name} [${storedUnit(c.unit)}]` : c.name)));
      box.addEventListener('change', () => {
        set(table.columns[Number(box.value)]!);
        this.draw();
      });
      return el('span.field', {}, el('label', { for: id }, label), box);
    };
    this.root = el('div.loop', {}, el('div.toolbar', {},
      select('y', this.y, (c) => (this.y = c)), select('over x', this.x, (c) => (this.x = c))), this.host);
    link.onRange(() => this.loop?.setCurves([this.curve()]));
  }

  private curve(): Curve {
    const [first, last] = this.link.rows(valuesOf(this.table.columns[0]!));
    const part = (c: Column): Values => Array.prototype.slice.call(valuesOf(c), first, last) as number[];
    return {
      name: `${this.y.name} over ${this.x.name}`,
      hint: `${nameOf(this.y)} over ${nameOf(this.x)}`,
      x: part(this.x),
      y: part(this.y),
      style: lineStyle(0),
    };
  }

  draw(): void {
    this.loop?.destroy();
    this.loop = new Loop({
      x: { name: nameOf(this.x), unit: this.x.unit },
      y: { name: nameOf(this.y), unit: this.y.unit },
      curves: [this.curve()],
      marks: this.options.marks?.(this.x.name, this.y.name),
      height: 380,
    }, this.host);
  }
}

export interface ChannelOptions {
  loop?: boolean; /* false: no loop */
  loopOpen?: boolean; /* a hysteresis loop stands open behind the view above the plots */
  first?: RegExp; /* names of the channels to show first; otherwise a choice is made */
  head?: (source: Table, link: Link) => HTMLElement | null; /* a view of its own above the plots, in the place of paths */
  marks?: (x: string, y: string) => Mark[]; /* points to name in the plot of channel y over channel x */
}

/* Picker, plots over the abscissa and, unless it is drawn elsewhere, the loop of one table. */
export function channelView(table: Table, options: ChannelOptions = {}): HTMLElement {
  const channels = table.columns.slice(1);
  const wanted = channels.filter((c) => options.first?.test(c.name));
  const source = table.thinned === 'columns' ? table.tail : table;
  const chosen = wanted.length ? new Set(wanted) : firstChoice(channels, source && !options.head && pathsOf(source).length ? coordinates(table) : []);
  const panels = new Panels(table);
  const update = (): void => panels.show(channels.filter((c) => chosen.has(c)));
  const picker = new Picker(channels, chosen, update);
  const folded = el('details.picker-fold', { open: window.innerWidth >= 900 },
    el('summary', {}, plural(channels.length, 'channel')), picker.root);
  const note = thinning(table);
  const root = el('div.channels', {},
    el('div.channels-body', {}, folded, panels.root),
    el('p.hint', {}, 'Drag in a plot to zoom, double-click to see everything again. Click a name below a plot to hide it.',
      note ? ` ${note}` : ''));
  requestAnimationFrame(update);

  const spectrum = source && spectrumView(source, panels.link, [...chosen][0]);
  if (spectrum) root.append(spectrum);
  const path = source && (options.head ? options.head(source, panels.link) : pathView(source, panels.link));
  if (source && path) root.prepend(path, ...[tailText(table, source)].filter((n) => n !== null));
  if (options.loop !== false && source && source.columns.length > 2) {
    const pair = loopPair(source.columns.slice(1));
    const section = loopSection(table, source, pair, panels.link, options);
    /* A hysteresis loop is looked at first; a plot of any two channels is an extra. */
    if (pair && path && options.loopOpen) path.after(section);
    else if (pair && !options.head) root.prepend(section);
    else root.append(section);
  }
  return root;
}

const tailText = (table: Table, source: Table): HTMLElement | null => source === table ? null
  : el('p.hint', {}, `Drawn from the last ${count(source.rows)} rows, which this page has in full.`);

function loopSection(table: Table, source: Table, pair: [Column, Column] | null, link: Link,
  options: ChannelOptions): HTMLElement {
  const channels = source.columns.slice(1);
  const view = new LoopView(source, pair ?? [channels[0]!, channels[1]!], link, options);
  const fold = el('details.loop-fold', { open: pair !== null && (!options.head || options.loopOpen === true) },
    el('summary', {}, pair ? `Loop: ${pair[1].name} over ${pair[0].name}` : 'One channel over another'), view.root, tailText(table, source));
  const drawn = (): void => {
    if (fold.open && !fold.dataset['drawn']) {
      fold.dataset['drawn'] = 'yes';
      view.draw();
    }
  };
  fold.addEventListener('toggle', drawn);
  requestAnimationFrame(drawn);
  return fold;
}
