/* channels.ts — look into a table of channels: pick some, see them over the abscissa, and one over another. */
import { Link } from './chart';
import { contactForces, contactSlips, isResidue, sizeOf } from './contacts';
import { constant, valuesOf, type Column, type Table, type Values } from './data';
import { el } from './dom';
import { count, plural } from './format';
import { LoopView } from './loop_view';
import type { Mark } from './marks';
import { comparable, Panels, thinning } from './panels';
import { coordinates, pathsOf, pathView } from './paths';
import { Picker } from './picker';
import { spectrumView } from './spectrum';
import { waterfallView } from './waterfall';

export { nameOf } from './panels';

const ascending = (values: Values): boolean => {
  for (let i = 1; i < values.length; i++) if (!(values[i]! >= values[i - 1]!)) return false;
  return values.length > 1;
};

/* Only rows in ascending order can be drawn over their abscissa. */
export const plottable = (table: Table | undefined): table is Table =>
  !!table && table.columns.length > 1 && table.rows > 1 && ascending(valuesOf(table.columns[0]!));

const still = (c: Column): boolean => !c.stats || constant(c.stats.min, c.stats.max);

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

/* The pair of a hysteresis loop: force over deflection of the same thing, of `first` before others. */
function loopPair(channels: Column[], first: string[] = []): [Column, Column] | null {
  const named = new Map(channels.map((c) => [c.name, c]));
  const pairs: [string, string][] = [['deflection', 'force'], ['angle', 'torque'], ['deflection', 'tension']];
  const owners = [...first, ...channels.map((c) => c.name.replace(/\.?[^.]*$/, ''))];
  for (const owner of owners)
    for (const [x, y] of pairs) {
      const a = named.get(owner ? `${owner}.${x}` : x);
      const b = named.get(owner ? `${owner}.${y}` : y);
      if (a && b) return [a, b];
    }
  return null;
}

export interface ChannelOptions {
  link?: Link; /* shared with other plots and pictures */
  shaft?: string; /* the channel of the speed of which there are orders */
  orders?: number[]; /* that excite */
  loop?: boolean; /* false: no loop */
  loopOwners?: string[]; /* whose loop is looked at before others */
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
  let chosen = wanted.length ? new Set(wanted) : firstChoice(channels, source && !options.head && pathsOf(source).length ? coordinates(table) : []);
  const ordered = (set: Set<Column>): Column[] => channels.filter((c) => set.has(c));
  const panels: Panels = new Panels(table, options.link ?? new Link(), () => {
    chosen = new Set(panels.chosen());
    picker.refresh();
  });
  const update = (): void => {
    panels.show(ordered(chosen));
    picker.refresh();
  };
  const picker = new Picker({
    channels,
    isChosen: (c) => chosen.has(c),
    plots: () => panels.names(),
    choose: (list, on, where) => {
      for (const c of list)
        if (on) chosen.add(c);
        else chosen.delete(c);
      panels.show(ordered(chosen), where);
    },
    clear: () => (chosen.clear(), panels.show([])),
  });
  const folded = el('details.picker-fold', { open: window.innerWidth >= 900 },
    el('summary', {}, plural(channels.length, 'channel')), picker.root);
  const note = thinning(table);
  const root = el('div.channels', {},
    el('div.channels-body', {}, folded, panels.root),
    el('p.hint', {}, 'Drag in a plot to zoom along, upwards or both; with Shift held it moves. Ctrl and the wheel zoom, a double click shows everything again. ' +
      'A name below a plot switches its line; drag it, or use ⋯, to put it into another plot or on the right axis.',
      note ? ` ${note}` : ''));
  requestAnimationFrame(update);

  const spectrum = spectrumView(table, panels.link, ordered(chosen), options.shaft);
  if (spectrum) root.append(spectrum);
  const waterfall = waterfallView(table, panels.link, ordered(chosen), options.shaft, options.orders);
  if (waterfall) root.append(waterfall);
  const path = source && (options.head ? options.head(source, panels.link) : pathView(source, panels.link));
  if (source && path) root.prepend(path, ...[tailText(table, source)].filter((n) => n !== null));
  if (options.loop !== false && source && source.columns.length > 2) {
    const pair = loopPair(source.columns.slice(1), options.loopOwners);
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
  const view = new LoopView(source, pair ?? [channels[0]!, channels[1]!], link, options.marks);
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
