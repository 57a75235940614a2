/* picker.ts — a list of channels to choose from: searched, by parts or by units, worked by keys. */
import type { Column } from './data';
import { el, uniqueId } from './dom';
import { plural } from './format';
import { quantityOf, storedUnit } from './units';

const listed = 200; /* entries shown at once; the search narrows them down */
const mostAtOnce = 8; /* channels of a group that are chosen by one press */

export interface PickerOptions {
  channels: Column[];
  isChosen(c: Column): boolean;
  choose(list: Column[], on: boolean, where: number | 'fit' | 'new'): void;
  clear(): void;
  plots(): string[]; /* names of the plots there are */
}

type Order = 'part' | 'unit' | 'none';

/* "pulley.crank" of "pulley.crank.speed" */
function parts(channels: Column[]): (c: Column) => string {
  const long = (c: Column): string => c.name.replace(/\.?[^.]*$/, '');
  const many = new Set(channels.map(long)).size > Math.max(6, channels.length / 4); /* then the first word of a name is its part */
  return many ? (c) => (c.name.includes('.') ? c.name.replace(/\..*$/, '') : '') : long;
}

export class Picker {
  readonly root: HTMLElement;
  private list = el('ul.picker-list');
  private more = el('p.picker-more', { role: 'status' });
  private search = el('input', { type: 'search', placeholder: 'Search channels', 'aria-label': 'Search channels',
    autocomplete: 'off', spellcheck: 'false' });
  private target = el('select', { id: uniqueId('target') });
  private order = el('select', { id: uniqueId('order') },
    ...([['part', 'part'], ['unit', 'quantity'], ['none', 'none: as stored']] as const).map(([value, text]) => el('option', { value }, text)));
  private partOf: (c: Column) => string;

  constructor(private options: PickerOptions) {
    this.partOf = parts(options.channels);
    this.search.addEventListener('input', () => this.fill());
    this.search.addEventListener('keydown', (event) => this.searching(event));
    this.order.addEventListener('change', () => this.fill());
    this.list.addEventListener('keydown', (event) => this.step(event));
    const clear = el('button.quiet', { type: 'button', click: () => (options.clear(), this.refresh()) }, 'Clear');
    this.root = el('div.picker', {}, el('div.picker-head', {}, this.search, clear),
      el('div.picker-tools', {}, el('label', { for: this.target.id }, 'Add to'), this.target, el('label', { for: this.order.id }, 'Group by'), this.order),
      this.list, this.more);
    this.refresh();
  }

  /* After channels were chosen or moved elsewhere. */
  refresh(): void {
    const before = this.target.value;
    this.target.replaceChildren(el('option', { value: 'fit' }, 'a plot that fits'), el('option', { value: 'new' }, 'a new plot'),
      ...this.options.plots().map((name, i) => el('option', { value: i }, `plot of ${name.length > 42 ? `${name.slice(0, 40)}…` : name}`)));
    this.target.value = [...this.target.options].some((o) => o.value === before) ? before : 'fit';
    this.fill();
  }

  private where(): number | 'fit' | 'new' {
    const { value } = this.target;
    return value === 'fit' || value === 'new' ? value : Number(value);
  }

  private searching(event: KeyboardEvent): void {
    const first = this.list.querySelector('input');
    if (event.key === 'ArrowDown') first?.focus();
    else if (event.key === 'Enter') first?.click();
    else return;
    event.preventDefault();
  }

  private step(event: KeyboardEvent): void {
    const boxes = [...this.list.querySelectorAll('input')];
    const at = boxes.indexOf(document.activeElement as HTMLInputElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: boxes.length - 1, PageDown: at + 10, PageUp: Math.max(0, at - 10) }[event.key];
    if (next === undefined || at < 0) return;
    if (next < 0) this.search.focus();
    else boxes[Math.min(next, boxes.length - 1)]?.focus();
    event.preventDefault();
  }

  private found(): Column[] {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return this.options.channels.filter((c) => {
      const text = `${c.name} ${c.long_name} ${storedUnit(c.unit)} ${quantityOf(c.unit)}`.toLowerCase();
      return words.every((w) => text.includes(w));
    });
  }

  private groups(found: Column[]): [string, Column[]][] {
    const order = this.order.value as Order;
    const key = (c: Column): string => (order === 'part' ? this.partOf(c) : order === 'unit' ? [quantityOf(c.unit), storedUnit(c.unit)].filter(Boolean).join(', ') : '');
    const by = new Map<string, Column[]>();
    for (const c of found) by.set(key(c), [...(by.get(key(c)) ?? []), c]);
    return [...by];
  }

  private fill(): void {
    const found = this.found();
    const focus = (document.activeElement as HTMLInputElement | null)?.name;
    const inside = this.list.contains(document.activeElement);
    let room = listed;
    const nodes: HTMLElement[] = [];
    const groups = this.groups(found);
    for (const [name, members] of groups) {
      if (room <= 0) break;
      if (groups.length > 1) nodes.push(this.heading(name || 'others', members));
      nodes.push(...members.slice(0, room).map((c) => this.entry(c)));
      room -= members.length;
    }
    this.list.replaceChildren(...nodes);
    if (inside && focus) [...this.list.querySelectorAll('input')].find((b) => b.name === focus)?.focus();
    this.more.textContent = found.length === 0 ? 'No channel has this in its name.'
      : found.length > listed ? `${plural(found.length - listed, 'more channel')}: search to narrow down.` : '';
  }

  private heading(name: string, members: Column[]): HTMLElement {
    const all = members.every((c) => this.options.isChosen(c));
    const press = (): void => {
      this.options.choose(members, !all, this.where());
      this.refresh();
    };
    return el('li.picker-group', {}, el('span', {}, name), members.length > 1 && members.length <= mostAtOnce
      ? el('button', { type: 'button', 'aria-label': `Plot ${all ? 'none' : 'all'} of ${name}`, click: press }, all ? 'none' : 'all') : null);
  }

  private entry(c: Column): HTMLElement {
    const box = el('input', { type: 'checkbox', name: c.name });
    box.checked = this.options.isChosen(c);
    box.addEventListener('change', () => {
      this.options.choose([c], box.checked, this.where());
      this.refresh();
    });
    return el('li', {}, el('label', {}, box,
      el('span.picker-name', {}, c.name, c.unit ? el('span.picker-unit', {}, ` ${storedUnit(c.unit)}`) : null),
      c.long_name && c.long_name !== c.name ? el('span.picker-long', {}, c.long_name) : null));
  }
}
