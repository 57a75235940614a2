/* frame.ts — what all plots share: figure, legend with values and switches, axes, size, colours, keyboard. */
import uPlot from 'uplot';
import { el } from './dom';
import { exportMenu, type CsvTable } from './export';
import { plotDrawing, type Key } from './export_svg';
import { roundValues, tick } from './format';
import { filled, glyph, outline, type Shape } from './marks';
import { isPrinting, onPaper, onThemeChange, theme, type LineStyle } from './theme';
import type { DisplayUnit } from './units';

/* Large screens are looked at from afar. */
const large = window.innerWidth >= 1700 ? 14 / 12 : 1;
const font = `${12 * large}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
const printWidth = 660; /* CSS pixels between the margins of an A4 page */

export interface LegendEntry {
  name: string;
  hint: string; /* shown on hover: the long name */
  style: LineStyle;
  rest: string; /* shown while no cursor is in the plot */
  dots?: boolean;
  mark?: Shape; /* of a kind of marks rather than a line */
  right?: boolean; /* read on the right axis */
  menu?: HTMLElement | null; /* what else can be done with it */
}

/* A row of buttons that switch lines on and off, with the value of each line at the cursor. */
export class Legend {
  readonly root = el('div.legend');
  private at = el('span.legend-at');
  private items: { button: HTMLButtonElement; swatch: HTMLElement; value: HTMLElement; entry: LegendEntry }[];

  constructor(entries: LegendEntry[], toggle: (index: number, show: boolean) => void) {
    this.items = entries.map((entry, i) => {
      const swatch = el(entry.mark ? 'span.swatch-mark' : 'span.swatch');
      if (entry.mark) swatch.append(glyph(entry.mark));
      const value = el('span.legend-value', {}, entry.rest);
      const button = el('button.legend-item', { type: 'button', 'aria-pressed': 'true', title: entry.hint }, swatch,
        el('span.legend-name', {}, entry.name), entry.right ? el('span.legend-side', {}, 'right axis') : null, value);
      button.addEventListener('click', () => {
        const show = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(show));
        toggle(i, show);
      });
      return { button, swatch, value, entry };
    });
    this.root.append(this.at, ...this.items.map(({ button, entry }) => (entry.menu ? el('span.legend-pair', {}, button, entry.menu) : button)));
    this.paint();
  }

  paint(): void {
    for (const { swatch, entry } of this.items) {
      if (entry.mark) continue;
      swatch.style.borderTopColor = entry.style.colour();
      swatch.style.borderTopStyle = entry.dots || (entry.style.dash?.[0] ?? 9) <= 2 ? 'dotted' : entry.style.dash ? 'dashed' : 'solid';
    }
  }

  /* What is switched on, for a drawing elsewhere. */
  keys(): Key[] {
    return this.items.filter(({ button }) => button.getAttribute('aria-pressed') === 'true').map(({ entry }) => ({
      name: entry.right ? `${entry.name} (right axis)` : entry.name, colour: entry.style.colour(), dash: entry.style.dash, dots: entry.dots,
      ...(entry.mark ? { outline: outline(entry.mark, 4), filled: filled(entry.mark) } : {}),
    }));
  }

  isOn(index: number): boolean {
    return this.items[index]?.button.getAttribute('aria-pressed') !== 'false';
  }

  /* Values at the cursor, one per line (null: none there); without arguments the cursor has left. */
  show(at?: string, values?: (string | null)[]): void {
    this.at.textContent = at ?? '';
    this.items.forEach(({ value, entry }, i) => {
      value.textContent = values && !entry.mark ? values[i] ?? '–' : entry.rest;
    });
  }
}

export interface AxisText {
  label: string;
  log?: boolean;
  names?: string[]; /* of places 0, 1, 2, ... instead of numbers */
  unit?: DisplayUnit; /* one that is read in another unit as well gets a second scale for it */
}

/* Powers of ten, with their multiples where there are few of them. uPlot's own never end below 1e-32. */
function logSplits(min: number, max: number): number[] {
  const [low, high] = [Math.floor(Math.log10(min) + 1e-9), Math.ceil(Math.log10(max) - 1e-9)];
  const steps = high - low > 4 ? [1] : max < 30 * min ? [1, 1.5, 2, 3, 4, 5, 6, 8] : [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const all = Array.from({ length: high - low + 1 }, (_v, i) => steps.map((s) => Number(`${s}e${low + i}`))).flat();
  return all.filter((v) => v >= min * (1 - 1e-9) && v <= max * (1 + 1e-9));
}

/* As much of a label as an axis has room for: all of it, what is before its colon, or its beginning; the unit in any case. */
function fitted(label: string, room: number): string {
  const most = Math.floor(room / (6.6 * large));
  if (label.length <= most) return label;
  const unit = / \[[^\]]*\]$/.exec(label)?.[0] ?? '';
  const name = label.slice(0, label.length - unit.length);
  const head = name.split(': ')[0]!;
  return (head.length < name.length && head.length + unit.length <= most ? head : `${name.slice(0, Math.max(1, most - unit.length - 1))}…`) + unit;
}

/* Axes in the colours of the moment, with as many decimals as the ticks need; `right` is a second ordinate, of scale "y2". */
export function axes(x: AxisText, y: AxisText, right?: AxisText): uPlot.Axis[] {
  const common = (text: AxisText): uPlot.Axis => ({
    label: (u, i) => fitted(text.label, ((u.axes[i]!.side ?? 0) % 2 === 0 ? u.bbox.width : u.bbox.height) / uPlot.pxRatio),
    labelFont: font,
    font,
    stroke: () => theme().muted,
    grid: { stroke: () => theme().grid, width: 1 },
    ticks: { stroke: () => theme().axis, width: 1, size: 4 },
    border: { show: true, stroke: () => theme().axis, width: 1 },
    ...(text.log ? { splits: (_u: uPlot, _i: number, min: number, max: number) => logSplits(min, max),
      /* Few decades: every value has its number; else powers of ten alone. */
      filter: (_u: uPlot, splits: number[]) => splits.map((v) => (splits[splits.length - 1]! < 30 * splits[0]! || Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null)) } : {}),
    ...(text.names ? { incrs: [1, 2, 5, 10, 20, 50] } : {}),
    values: (_u, splits, _i, _space, step) =>
      splits.map((v) => (v === null ? '' : text.names ? text.names[v] ?? '' : tick(v, text.log ? Math.abs(v) : step))),
  });
  /* The other unit, on the opposite side: round values of its own. */
  const twin = (text: AxisText, across: boolean): uPlot.Axis[] => {
    const also = text.unit?.also;
    if (!also || text.log || text.names) return [];
    const share = also.size / text.unit!.size;
    const ends = (low: number, high: number): number[] => roundValues(low / share, high / share, across ? 9 : 6).map((v) => v * share);
    return [{ ...common({ label: `frequency [${also.text}]` }), scale: across ? 'x' : 'y', side: across ? 0 : 1, grid: { show: false },
      splits: (_u, _i, min, max) => ends(min, max),
      values: (_u, splits) => splits.map((v, i) => tick(Number((v / share).toPrecision(9)), Math.abs((splits[i + 1] ?? splits[i - 1] ?? v + share) - v) / share)),
      ...(across ? { size: Math.round(26 * large), labelSize: Math.round(20 * large), labelGap: 0, gap: 4 } : { size: 50, labelSize: 24, labelGap: 2, gap: 4 }) }];
  };
  const upright: uPlot.Axis = {
    labelSize: 24,
    labelGap: 2,
    gap: 4,
    space: 30,
    /* Room for six characters, so that plots above each other line up. */
    size: (_u, values) => 12 + 7 * large * Math.max(6, ...(values ?? []).map((v) => v?.length ?? 0)),
  };
  return [
    { ...common(x), scale: 'x', size: Math.round(26 * large), labelSize: Math.round(20 * large), labelGap: 0, gap: 4, space: Math.round(70 * large) },
    { ...common(y), ...upright, scale: 'y' },
    ...(right ? [{ ...common(right), ...upright, scale: 'y2', side: 1 as const, grid: { show: false } }] : []),
    ...twin(x, true), ...(right ? [] : twin(y, false)),
  ];
}

/* Room right of a plot: half of the last number below it may reach over the end of the axis. */
export const rightRoom = (u: uPlot): number => {
  const written = (u.axes[0] as { _values?: (string | null)[] } | undefined)?._values ?? [];
  return Math.max(14, Math.ceil(3.8 * large * (written[written.length - 1]?.length ?? 0)));
};

/* A limit on both sides that is never empty. */
export function spread(min: number, max: number): [number, number] {
  if (!(max >= min)) return [0, 1];
  if (max > min) return [min, max];
  const pad = Math.abs(max) * 0.1 || 1;
  return [min - pad, max + pad];
}

export interface Keys {
  move(steps: number): void;
  zoom(factor: number): void;
  reset(): void;
  pan?(share: number): void; /* by this part of what is seen */
  other?(steps: number): void; /* to another curve */
}

/* Figure around a plot: keeps its width, repaints on change of theme, listens to keys. */
export class Frame {
  readonly root: HTMLElement;
  readonly host = el('div.plot-host', { tabindex: 0, role: 'group' });
  private plot: uPlot | null = null;
  private legend: Legend | null = null;
  private forgetTheme: () => void;
  private observer: ResizeObserver;

  /* The height may follow from the width. */
  constructor(private height: number | ((width: number) => number), private what: string, private title?: string) {
    this.root = el('figure.plot', {}, title ? el('figcaption', {}, title) : null, this.host);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.host);
    this.forgetTheme = onThemeChange(() => this.repaint());
  }

  get width(): number {
    return isPrinting() ? printWidth : Math.max(200, this.host.clientWidth);
  }

  get size(): { width: number; height: number } {
    const { width, height } = this;
    return { width, height: typeof height === 'number' ? height : height(width) };
  }

  /* `table`: the values that the plot shows, for those who take them elsewhere. */
  attach(plot: uPlot, legend: Legend, keys: Keys, table?: () => CsvTable): void {
    this.plot = plot;
    this.legend = legend;
    legend.root.append(exportMenu({
      title: () => this.what.charAt(0).toUpperCase() + this.what.slice(1),
      caption: this.title,
      drawing: () => plotDrawing(plot),
      keys: () => onPaper(() => legend.keys()),
      ...(table ? { table } : {}),
    }));
    this.root.append(legend.root);
    this.host.setAttribute('aria-label', `Plot of ${this.what}. Left and right arrow move the cursor, ` +
      `${keys.other ? 'up and down go to the next curve, ' : ''}plus and minus zoom, ${keys.pan ? 'square brackets move the window, ' : ''}0 shows everything.`);
    const actions: Record<string, () => void> = {
      '+': () => keys.zoom(0.5),
      '=': () => keys.zoom(0.5),
      '-': () => keys.zoom(2),
      '0': () => keys.reset(),
      Escape: () => keys.reset(),
      '[': () => keys.pan?.(-0.25),
      ']': () => keys.pan?.(0.25),
    };
    this.host.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const stride = event.shiftKey ? 10 : 1;
      if (event.key === 'ArrowRight') keys.move(stride);
      else if (event.key === 'ArrowLeft') keys.move(-stride);
      else if (keys.other && event.key === 'ArrowDown') keys.other(1);
      else if (keys.other && event.key === 'ArrowUp') keys.other(-1);
      else if (actions[event.key]) actions[event.key]!();
      else return;
      event.preventDefault();
    });
  }

  /* True when the width has changed, which draws everything anew. */
  private fit(): boolean {
    if (!this.plot || this.plot.width === this.width) return false;
    this.plot.setSize(this.size);
    return true;
  }

  private repaint(): void {
    this.legend?.paint();
    if (!this.fit()) this.plot?.redraw(false);
  }

  destroy(): void {
    this.observer.disconnect();
    this.forgetTheme();
    this.plot?.destroy();
    this.root.remove();
  }
}
