/* spectrum.ts — amplitude spectra of channels over the time that the plots show, and those that a run has stored. */
import { Chart, type Line, type Link } from './chart';
import { nameOf } from './panels';
import { valuesOf, type ArrayData, type Column, type Group, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { evenStep, leastRows, peaksOf, spectrumOf, windows, worthSeeing, type Peak, type WindowKind } from './fft';
import { count, number, short } from './format';
import { channelStyles } from './palette';
import { quantity } from './tables';
import { shaftSpeed } from './units';

/* Spectra that the run has stored: "spectrum.frequency" and "spectrum.CHANNEL". */
export const isSpectrum = (name: string): boolean => name.startsWith('spectrum.');
const mostLines = 8;
const mostPeaks = 6;

/* Without the mean, which is no vibration. */
const alternating = (a: ArrayData): Values => Array.from(valuesOf(a), (v, i) => (i === 0 ? NaN : v));

/* One plot for channels of one kind: "spectrum.span.*.tension". */
export function storedSpectra(group: Group): HTMLElement[] {
  const x = group.arrays.find((a) => a.name === 'spectrum.frequency' && !a.omitted);
  if (!x) return [];
  const kinds = new Map<string, ArrayData[]>();
  for (const a of group.arrays.filter((k) => k !== x && isSpectrum(k.name) && !k.omitted && k.dims.length === 1 && k.dims[0] === x.dims[0])) {
    const kind = `${a.name.replace(/^.*\./, '')} ${a.unit}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), a]);
  }
  const window = group.texts.find((t) => t.name === 'spectrum.window')?.value;
  const host = el('div.spectra', {}, el('h3.small', {}, `Spectra${window ? `, window: ${window}` : ''}`));
  requestAnimationFrame(() => {
    for (const list of kinds.values())
      for (let k = 0; k < list.length; k += mostLines) {
        const part = list.slice(k, k + mostLines);
        const names = part.map((a) => a.name.replace(/^spectrum\./, ''));
        const styles = channelStyles(names);
        const lines: Line[] = part.map((a, i) => ({ name: names[i]!, hint: nameOf(a), values: alternating(a), style: styles[i]!, plain: true }));
        void new Chart({ x: { name: 'frequency', unit: 'Hz', values: valuesOf(x) }, y: { name: 'amplitude', unit: part[0]!.unit }, lines, height: 280, first: worthSeeing(valuesOf(x), lines.map((l) => l.values)) }, host);
      }
  });
  return kinds.size ? [host] : [];
}

/* Speeds of what turns on and on, from standstill or not: `first` (a channel) before others, then what drives. What swings about zero is no shaft. */
export function speedChannels(channels: Column[], first?: string): Column[] {
  const rank = (c: Column): number => (c.name === first ? 2 : /crank|primary|driver/.test(c.name) ? 1 : 0);
  return channels.filter((c) => c.stats && (c.unit === shaftSpeed || (c.unit === 'rad/s' && /(^|[._])speed$/.test(c.name))) &&
    Math.abs(c.stats.mean) > 1 && Math.abs(c.stats.mean) > 0.2 * Math.max(Math.abs(c.stats.min), Math.abs(c.stats.max)))
    .sort((a, b) => rank(b) - rank(a));
}

/* What swings is looked at, rather than what turns: forces first. */
export function firstOf(channels: Column[], shown: Column[]): Column {
  const turning = new Set(speedChannels(channels));
  const seen = shown.flatMap((s) => channels.find((c) => c.name === s.name) ?? []);
  const swinging = [...seen, ...channels].filter((c) => !turning.has(c));
  return seen.find((c) => /(tension|force|torque)$/.test(c.name) && !turning.has(c)) ?? swinging[0] ?? channels[0]!;
}

/* A labelled select. */
export function choice(label: string, options: [string, string][], value: string, changed: (value: string) => void): HTMLElement {
  const id = uniqueId('choice');
  const box = el('select', { id }, ...options.map(([v, text]) => el('option', { value: v, selected: v === value }, text)));
  box.addEventListener('change', () => changed(box.value));
  return el('span.field', {}, el('label', { for: id }, label), box);
}

export const check = (label: string, on: boolean, changed: (on: boolean) => void): HTMLElement => {
  const box = el('input', { type: 'checkbox' });
  box.checked = on;
  box.addEventListener('change', () => changed(box.checked));
  return el('label.check', {}, box, label);
};

/* The part of a table of which the page has every row, which a spectrum needs; and what to say of it. */
export function wholeRows(table: Table): { source: Table | null; note: string } {
  if (table.thinned === 'no') return { source: table, note: '' };
  const { tail } = table;
  if (tail && tail.thinned === 'no') return { source: tail, note: `From the last ${count(tail.rows)} of ${count(table.rows)} rows, which this page has in full.` };
  return { source: null, note: `This page has ${count(table.kept)} of ${count(table.rows)} rows, those with peaks; spectra need every row. The result file has them.` };
}

class SpectrumView {
  readonly root: HTMLElement;
  private host = el('div');
  private chips = el('span.chips');
  private charts: Chart[] = [];
  private chosen: Column[];
  private channels: Column[];
  private kind: WindowKind = 'hann';
  private logX = false;
  private logY = false;
  private marked = true;
  private shaft: Column | null = null; /* whose orders the abscissa has */
  private adder: HTMLSelectElement;

  constructor(private source: Table, private note: string, private link: Link, shown: Column[], shaft?: string) {
    this.channels = source.columns.slice(1).filter((c) => c.stats);
    this.chosen = [firstOf(this.channels, shown)];
    const id = uniqueId('spectrum');
    this.adder = el('select', { id });
    this.adder.addEventListener('change', () => {
      const c = this.channels[Number(this.adder.value)];
      if (c) this.set([...this.chosen, c]);
    });
    const speeds = speedChannels(this.channels, shaft);
    const axes: [string, string][] = [['', 'frequency'], ...speeds.map((c, i): [string, string] => [String(i), `orders of ${c.name}`])];
    this.root = el('details.spectrum', {}, el('summary', {}, 'Spectrum of channels'),
      el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Channels'), this.chips, this.adder),
        choice('Window', (Object.keys(windows) as WindowKind[]).map((k) => [k, windows[k].name]), this.kind, (v) => ((this.kind = v as WindowKind), this.draw())),
        speeds.length ? choice('Over', axes, '', (v) => ((this.shaft = v === '' ? null : speeds[Number(v)]!), this.draw())) : null,
        check('logarithmic x', false, (on) => ((this.logX = on), this.draw())), check('logarithmic y', false, (on) => ((this.logY = on), this.draw())),
        check('peaks', true, (on) => ((this.marked = on), this.draw()))), this.host);
    this.root.addEventListener('toggle', () => this.draw());
    link.onRange(() => this.draw());
    this.set(this.chosen);
  }

  private set(chosen: Column[]): void {
    this.chosen = chosen;
    this.chips.replaceChildren(...chosen.map((c) => el('button.chip', {
      type: 'button', title: 'Take away', 'aria-label': `Take ${c.name} away`, click: () => this.set(this.chosen.filter((k) => k !== c)) }, c.name, el('span', { 'aria-hidden': 'true' }, ' ×'))));
    this.adder.replaceChildren(el('option', { value: '' }, 'add a channel'),
      ...this.channels.map((c, i) => el('option', { value: i, disabled: chosen.includes(c) }, c.name)));
    this.draw();
  }

  /* Mean speed of the chosen shaft in the window (rad/s), and how far it strays. */
  private speed(first: number, last: number): { mean: number; stray: number } {
    const values = valuesOf(this.shaft!);
    let [low, high, sum] = [Infinity, -Infinity, 0];
    for (let i = first; i < last; i++) {
      low = Math.min(low, values[i]!);
      high = Math.max(high, values[i]!);
      sum += values[i]!;
    }
    const mean = Math.abs(sum / (last - first));
    return { mean, stray: (high - low) / 2 / mean };
  }

  private draw(): void {
    if (!(this.root as HTMLDetailsElement).open) return;
    for (const chart of this.charts) chart.destroy();
    this.charts = [];
    this.host.replaceChildren();
    const time = valuesOf(this.source.columns[0]!);
    const [first, last] = this.link.rows(time);
    const say = (text: string): void => void this.host.append(el('p.hint', {}, text));
    if (!this.chosen.length) return say('Choose a channel.');
    if (last - first < leastRows || evenStep(time, first, last) === null)
      return say(`A spectrum needs evenly spaced rows, at least ${leastRows} of them, in the window. ${this.note}`);
    const span = time[last - 1]! - time[first]!;
    const seen = `from ${quantity(time[first]!, 's', 4, time[last - 1]!)} to ${quantity(time[last - 1]!, 's')}`;
    const turning = this.shaft ? this.speed(first, last) : null;
    const scale = turning ? (2 * Math.PI) / turning.mean : 1; /* from Hz to orders */
    const told = [`Amplitudes ${seen}, ${windows[this.kind].name === 'Hann' ? 'Hann window' : `window: ${windows[this.kind].name}`}, lines ${turning ? `${short(scale / span, 3)} orders` : quantity(1 / span, 'Hz', 3)} apart`,
      ...(turning ? [`order 1 is ${this.shaft!.name} at ${number((turning.mean * 30) / Math.PI)} rpm${turning.stray > 0.01 ? `, which strays by ${number(100 * turning.stray, 2)} % in the window: lines are smeared by that` : ''}`] : []),
      ...(this.note ? [this.note] : [])];
    const units = [...new Set(this.chosen.map((c) => c.unit))];
    for (const unit of units) this.chart(unit, time, first, last, scale, told.join('. '), span);
  }

  private chart(unit: string, time: Values, first: number, last: number, scale: number, told: string, span: number): void {
    const members = this.chosen.filter((c) => c.unit === unit);
    const found = members.map((c) => spectrumOf(time, valuesOf(c), first, last, this.kind));
    const good = found.find((s) => s !== null);
    if (!good) return void this.host.append(el('p.hint', {}, `${members.map((c) => c.name).join(', ')}: some values are no numbers.`));
    const apart = (2 * windows[this.kind].width) / span;
    const peaks = this.marked ? found.flatMap((s): Peak[] => (s ? peaksOf(s, mostPeaks, 0.04, apart) : [])) : [];
    const styles = channelStyles(members.map((c) => c.name));
    const lines: Line[] = members.flatMap((c, i) => (found[i] ? [{ name: c.name, hint: nameOf(c), values: found[i].amplitude, style: styles[i]!, plain: true }] : []));
    const abscissa = Float64Array.from(good.frequency, (f) => f * scale);
    this.charts.push(new Chart({
      x: { name: this.shaft ? `order of ${this.shaft.name}` : 'frequency', unit: this.shaft ? '' : 'Hz', values: abscissa },
      y: { name: 'amplitude', unit },
      ...(this.logX || this.logY ? {} : { first: worthSeeing(abscissa, lines.map((l) => l.values)) }),
      lines, height: 300, logX: this.logX, logY: this.logY, decades: 6,
      marks: peaks.map((p) => ({ x: p.frequency * scale, y: p.amplitude, label: this.shaft ? number(p.frequency * scale, 3) : quantity(p.frequency, 'Hz', 4) })),
      title: `${members.length === 1 ? `${nameOf(members[0]!)}: ` : ''}${told}`, notes: [told],
    }, this.host));
  }
}

/* Any channels of a table, over the time window of its plots; it follows that window. Made when it is opened. */
export function spectrumView(table: Table, link: Link, shown: Column[], shaft?: string): HTMLElement | null {
  const { source, note } = wholeRows(table);
  const [x] = table.columns;
  if (!x || x.unit !== 's' || table.rows < leastRows || !table.columns.slice(1).some((c) => c.stats)) return null;
  if (!source) return el('details.spectrum', {}, el('summary', {}, 'Spectrum of channels'), el('p.hint', {}, note));
  return source.rows < leastRows ? null : new SpectrumView(source, note, link, shown, shaft).root;
}
