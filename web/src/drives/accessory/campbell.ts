/* campbell.ts — modes of a belt drive over the crank's speed, coloured by where most of their energy is, with the engine orders. */
import type { Analysis } from '../../analyses/analysis';
import { layoutOf, type Layout } from './belt';
import { campbellFigures } from './belt_figures';
import { campbellWarnings } from './belt_warnings';
import { nameOf } from '../../channels';
import { Link } from '../../chart';
import { columnOf, valuesOf, type Column, type Group, type Values } from '../../data';
import { el } from '../../dom';
import { number, short, spoken } from '../../format';
import { Loop, type Curve } from '../../loop';
import type { Mark } from '../../marks';
import { sheet } from '../../sheet';
import { stage } from '../../stage';
import { campbellNames, modesActor, type ModeChoice } from './stage_modes';
import { figureList } from '../../tables';
import { styleOf } from '../../palette';
import { theme, type LineStyle } from '../../theme';
import { shaftSpeed } from '../../units';

const isCampbell = (group: Group): boolean =>
  group.kind === 'campbell' && !!columnOf(group.table, 'mode.1.frequency') && group.table!.thinned !== 'columns';

interface Part {
  key: string; /* of the columns: "pulleys", "arm" or "slide", "span.NAME", "hubs" */
  name: string;
  style: LineStyle;
}

interface Mode {
  number: number;
  frequency: Values;
  ratio: Values | null;
  shares: Values[]; /* of each part */
}

interface Crossing {
  order: number;
  speed: number;
  frequency: number;
  mode: number;
  part: number;
}

/* A piece of a mode over the speed. */
interface ModeCurve extends Curve {
  mode: number;
  first: number; /* row of its first point */
}

/* "the pulleys", "the span crank → tensioner" */
const lower = (text: string): string => (text.includes('→') ? `the span ${text}` : `the ${text.toLowerCase()}`);

/* Spans have the colours of the pulleys that they follow; what is no span is as dark as the text. */
function styleFor(key: string): LineStyle {
  const dashes: Record<string, number[] | undefined> = { arm: [9, 4], slide: [9, 4], hubs: [2, 3] };
  return key.startsWith('span.') ? styleOf(key.slice(5)) : { colour: () => theme().text, dash: dashes[key] };
}

class Campbell {
  readonly speed: Column;
  readonly parts: Part[];
  readonly modes: Mode[];
  readonly orders: { order: number; frequency: Values }[];
  readonly crossings: Crossing[];

  constructor(private group: Group) {
    const table = group.table!;
    this.speed = table.columns[0]!;
    const keys = table.columns.map((c) => /^mode\.1\.(pulleys|arm|slide|hubs|span\..+)$/.exec(c.name)?.[1]).filter((k): k is string => !!k);
    const values = (name: string): Values | null => columnOf(table, name);
    const numbers = table.columns.map((c) => /^mode\.(\d+)\.frequency$/.exec(c.name)?.[1]).filter((n): n is string => !!n).map(Number);
    this.modes = numbers.map((n) => ({
      number: n, frequency: values(`mode.${n}.frequency`)!, ratio: values(`mode.${n}.ratio`), shares: keys.map((k) => values(`mode.${n}.${k}`)!),
    }));
    const spans = keys.filter((k) => k.startsWith('span.')).map((k) => spoken(k.slice(5)));
    const next = (key: string): string => spans[(spans.indexOf(spoken(key.slice(5))) + 1) % spans.length]!;
    this.parts = keys.map((key) => ({
      key, name: key.startsWith('span.') ? `${spoken(key.slice(5))} → ${next(key)}` : key.charAt(0).toUpperCase() + key.slice(1),
      style: styleFor(key),
    }));
    this.orders = table.columns.flatMap((c) => {
      const order = /^order\.(.+)$/.exec(c.name)?.[1];
      return order ? [{ order: Number(order), frequency: valuesOf(c) }] : [];
    });
    const [order, speed, frequency, mode, part] = ['order', 'speed', 'frequency', 'mode', 'part'].map((name) => {
      const a = group.arrays.find((k) => k.name === `crossing.${name}`);
      return a ? valuesOf(a) : [];
    });
    this.crossings = Array.from(order!, (o, i) => ({ order: o, speed: speed![i]!, frequency: frequency![i]!, mode: mode![i]!, part: part![i]! }));
  }

  /* Where most of a mode is; -1 where it is not known. */
  private partOf(mode: Mode, row: number): number {
    let best = -1;
    mode.shares.forEach((s, p) => {
      if (Number.isFinite(s[row]!) && (best < 0 || s[row]! > mode.shares[best]![row]!)) best = p;
    });
    return best;
  }

  private sharesText(mode: Mode, row: number): string {
    const list = this.parts.map((p, k) => ({ name: lower(p.name).replace(/^the (span )?/, ''), share: mode.shares[k]![row]! })).filter((s) => s.share >= 0.05)
      .sort((a, b) => b.share - a.share).map((s) => `${s.name} ${Math.round(100 * s.share)} %`);
    const ratio = mode.ratio?.[row];
    return `${list.join(', ')}${ratio !== undefined && Number.isFinite(ratio) ? ` · damping ratio ${number(ratio, 2)}` : ''}`;
  }

  /* A mode is cut where it passes from one part to another; both pieces keep the stretch between. */
  private curvesOf(mode: Mode): ModeCurve[] {
    const x = valuesOf(this.speed);
    const curves: ModeCurve[] = [];
    for (let first = 0; first < x.length; ) {
      const part = this.partOf(mode, first);
      let last = first;
      while (last + 1 < x.length && this.partOf(mode, last + 1) === part) last++;
      const rows = Array.from({ length: Math.min(x.length - 1, last + 1) - first + 1 }, (_r, k) => first + k);
      if (part >= 0 && mode.frequency[first]! > 0)
        curves.push({
          name: `mode ${mode.number}`, group: this.parts[part]!.name, hint: `modes that are mostly ${lower(this.parts[part]!.name)}`,
          mode: mode.number, first, x: rows.map((i) => x[i]!), y: rows.map((i) => mode.frequency[i]!), style: this.parts[part]!.style,
          width: this.parts[part]!.key.startsWith('span.') ? 1.75 : 2.5, note: (k) => this.sharesText(mode, rows[k]!),
        });
      first = last + 1;
    }
    return curves;
  }

  private rays(): Curve[] {
    const x = valuesOf(this.speed);
    return this.orders.map(({ order, frequency }) => ({
      name: `order ${short(order)}`, group: 'engine orders', hint: 'multiples of the crank speed', x, y: frequency, beside: true, width: 1.25,
      style: { colour: () => theme().muted, dash: [7, 4] }, label: `order ${short(order)}`,
    }));
  }

  private marks(): Mark[] {
    return this.crossings.map((c) => ({ label: '', shape: 'ring', x: c.speed, y: c.frequency, colour: this.parts[c.part]?.style.colour }));
  }

  plot(pick?: (mode: number, row: number) => void): HTMLElement {
    const host = el('div');
    /* One entry of the legend for each part, in their order. */
    const rank = (c: Curve): number => this.parts.findIndex((p) => p.name === c.group);
    const curves = this.modes.flatMap((m) => this.curvesOf(m)).sort((a, b) => rank(a) - rank(b));
    requestAnimationFrame(() => void new Loop({
      x: { name: nameOf(this.speed), unit: shaftSpeed },
      y: { name: 'frequency', unit: 'Hz' },
      curves: [...curves, ...this.rays()],
      ...(pick ? { onPick: (curve, index) => curves[curve] && pick(this.modes.findIndex((m) => m.number === curves[curve]!.mode), curves[curve]!.first + index) } : {}),
      marks: this.marks(),
      legend: this.crossings.length ? [{ shape: 'ring', name: 'crossing' }] : [],
      height: 560,
      title: `Colour: where most of the kinetic energy of a mode is. Point at a curve for its shares and damping${pick ? ', click it to see the mode below' : ''}.`,
    }, host));
    return host;
  }

  /* The shapes swinging, at any of the speeds. */
  shapes(layout: Layout | null): ModeChoice | null {
    const [re, im] = ['re', 'im'].map((k) => this.group.arrays.find((a) => a.name === `shape.${k}` && !a.omitted));
    const unknowns = (this.group.texts.find((t) => t.name === 'unknowns')?.value ?? '').split(',');
    const x = valuesOf(this.speed);
    if (!layout || !re || !im || re.dims.length !== 3 || re.dims[0] !== x.length || re.dims[2] !== unknowns.length) return null;
    const [, nmode, n] = re.dims as [number, number, number];
    const [a, b] = [valuesOf(re), valuesOf(im)];
    const place = new Map(unknowns.map((name, i) => [name, i]));
    const rpm = Array.from(x, (v) => `${short((v * 30) / Math.PI, 5)} rpm`);
    return modesActor(layout, campbellNames(layout), unknowns, Math.min(nmode, this.modes.length), rpm, (mode, row) => ({
      frequency: this.modes[mode]!.frequency[row]!, ratio: this.modes[mode]!.ratio?.[row] ?? NaN,
      amplitude: (unknown) => {
        const at = (row * nmode + mode) * n + (place.get(unknown) ?? NaN);
        return [a[at] ?? 0, b[at] ?? 0];
      },
    }));
  }

  crossingSheets(): HTMLElement {
    const orders = [...new Set(this.crossings.map((c) => c.order))].sort((a, b) => a - b);
    return el('div.beside', {}, ...orders.map((order) => {
      const rows = this.crossings.filter((c) => c.order === order).sort((a, b) => a.speed - b.speed);
      return sheet(`Order ${short(order)} meets`, 'Part', rows.map((c) => this.parts[c.part]?.name ?? ''), [
        { head: 'Mode', unit: '', values: rows.map((c) => c.mode) },
        { head: 'Crank', unit: shaftSpeed, values: rows.map((c) => c.speed) },
        { head: 'Frequency', unit: 'Hz', values: rows.map((c) => c.frequency) },
      ]);
    }));
  }

  modeSheet(): HTMLElement {
    const n = this.speed.stats ? valuesOf(this.speed).length : 0;
    const at = (row: number, of: Values | null): number => of?.[row] ?? NaN;
    const rpm = (row: number): string => `${short((valuesOf(this.speed)[row]! * 30) / Math.PI)} rpm`;
    const rows = n > 1 ? [0, n - 1] : [0];
    return sheet('Modes', 'Mode', this.modes.map((m) => String(m.number)), rows.flatMap((row) => [
      { head: `Frequency at ${rpm(row)}`, unit: 'Hz', values: this.modes.map((m) => at(row, m.frequency)), digits: 5 },
      { head: 'Damping ratio', unit: '', values: this.modes.map((m) => at(row, m.ratio)), digits: 3 },
      { head: 'Belongs to', unit: '', texts: this.modes.map((m) => this.parts[this.partOf(m, row)]?.name ?? '–') },
    ]));
  }

  summary(): HTMLElement {
    const first = [...this.crossings].sort((a, b) => a.order - b.order || a.speed - b.speed);
    const turning = first.find((c) => this.parts[c.part]?.key === 'pulleys');
    const span = first.find((c) => this.parts[c.part]?.key.startsWith('span.'));
    const lowest = this.modes[0]!;
    const figure = (name: string, c: Crossing | undefined): { name: string; value: string; at: string }[] => (c ? [{
      name, value: `${number((c.speed * 30) / Math.PI)} rpm`, at: `order ${short(c.order)}, ${number(c.frequency)} Hz, ${lower(this.parts[c.part]!.name)}` }] : []);
    const unstable = columnOf(this.group.table, 'growth');
    const bad = unstable ? Array.from(unstable).filter((v) => v > 1e-3).length : 0;
    return el('div', {},
      el('p.extent', {}, `${this.modes.length} modes at ${valuesOf(this.speed).length} speeds, ${this.crossings.length} crossings with ${this.orders.length} engine orders`),
      figureList([
        { name: 'lowest mode', value: `${number(lowest.frequency[0]!)} Hz`, at: lower(this.parts[this.partOf(lowest, 0)]?.name ?? '') },
        ...figure('lowest order meets the pulleys', turning), ...figure('and a span', span),
      ]),
      bad ? el('p.hint.warn', {}, `At ${bad} speed${bad > 1 ? 's' : ''} a mode grows: the drive is unstable there. Loads that fall with speed, such as a constant power, do that.`) : null);
  }
}

const campbellSummary = (group: Group): HTMLElement => new Campbell(group).summary();

function campbellView(group: Group, layout: Layout | null): HTMLElement[] {
  const view = new Campbell(group);
  const shapes = view.shapes(layout);
  const moving = shapes && stage(shapes.actor, new Link());
  return [view.plot(shapes?.pick), ...(moving ? [el('h3.small', {}, 'Mode shapes'), moving] : []), ...(view.crossings.length ? [view.crossingSheets()] : []), el('details', {}, el('summary', {}, 'Modes at the first and the last speed'), view.modeSheet())];
}

export const campbell: Analysis = {
  kind: 'campbell', recognise: isCampbell, lead: 9, gaps: true, compared: { first: /^mode\.[1-6]\.frequency$/, most: 6 }, figures: [campbellFigures], warnings: [campbellWarnings],
  shown: (what, name) => what === 'text' && name === 'unknowns',
  view: (report, group) => [campbellSummary(group), ...campbellView(group, layoutOf(report.groups))], channels: true,
};
