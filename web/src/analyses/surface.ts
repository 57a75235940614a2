/* surface.ts — responses at several values of a second parameter, one behind the other: the surface of a forced response.
 *
 * An oblique projection: the sweep's parameter to the right, the family's parameter into the depth, the quantity upwards. Each
 * member is a line, dashed where it is unstable; folds are rings, and the curves of folds of the file run over them. */
import { nameOf } from '../channels';
import { largestOf } from '../chart';
import { valuesOf, type Column, type Group, type Table } from '../data';
import { el, svg } from '../dom';
import { exportMenu, type CsvTable } from '../export';
import { elementDrawing } from '../export_svg';
import { foldCurves, isFolds } from './folds';
import { roundValues } from '../format';
import { onThemeChange, rampStyle, theme } from '../theme';
import { displayUnit, withUnit, type DisplayUnit } from '../units';

const column = (table: Table, name: string): Column | undefined => table.columns.find((c) => c.name === name);

const size = { width: 960, height: 560 };
const place = { left: 92, bottom: 478, across: 590, depth: [196, 150] as const, up: 270 };

interface Axis {
  name: string;
  unit: DisplayUnit;
  low: number;
  high: number; /* SI */
}

const ticks = ({ low, high, unit }: Axis): number[] => roundValues(low / unit.size, high / unit.size, 8).map((v) => v * unit.size);

class Surface {
  private x: Axis;
  private q: Axis;
  private y: Axis;
  private members: number[];

  constructor(private table: Table, private quantity: Column, private folds: Group[]) {
    const [sweep, family] = [table.columns[0]!, table.columns[1]!];
    const axis = (c: Column, zero: boolean): Axis => {
      const values = Array.from(valuesOf(c)).filter(Number.isFinite);
      const [low, high] = [Math.min(...values), Math.max(...values)];
      return { name: nameOf(c), unit: displayUnit(c.unit, largestOf([values])), low: zero ? Math.min(0, low) : low, high: zero ? Math.max(0, high) : high };
    };
    this.x = axis(sweep, false);
    this.q = axis(family, false);
    this.y = axis(quantity, true);
    this.members = [...new Set(Array.from(valuesOf(family)))].sort((a, b) => a - b);
  }

  private share = (a: Axis, v: number): number => (v - a.low) / (a.high - a.low || 1);

  private at(x: number, q: number, y: number): [number, number] {
    const [u, d, h] = [this.share(this.x, x), this.share(this.q, q), this.share(this.y, y)];
    return [place.left + place.across * u + place.depth[0] * d, place.bottom - place.depth[1] * d - place.up * h];
  }

  private line(points: [number, number][], stroke: string, width: number, dash = ''): SVGElement {
    return svg('polyline', {
      points: points.map((p) => p.map((v) => v.toFixed(1)).join(',')).join(' '), fill: 'none', stroke, 'stroke-width': width,
      'stroke-linejoin': 'round', ...(dash ? { 'stroke-dasharray': dash } : {}),
    });
  }

  private text(at: [number, number], content: string, anchor: string, turn = 0, muted = true): SVGElement {
    return svg('text', {
      x: at[0].toFixed(1), y: at[1].toFixed(1), 'text-anchor': anchor, fill: muted ? theme().muted : theme().text,
      'font-size': 13, ...(turn ? { transform: `rotate(${turn.toFixed(1)} ${at[0].toFixed(1)} ${at[1].toFixed(1)})` } : {}),
    }, content);
  }

  private box(): SVGElement[] {
    const { grid, axis } = theme();
    const { x, q, y } = this;
    const out: SVGElement[] = [];
    const value = (a: Axis, v: number): string => String(Number((v / a.unit.size).toPrecision(6)));
    for (const v of ticks(x)) {
      out.push(this.line([this.at(v, q.low, y.low), this.at(v, q.high, y.low), this.at(v, q.high, y.high)], grid, 1));
      const [px, py] = this.at(v, q.low, y.low);
      out.push(this.text([px, py + 20], value(x, v), 'middle'));
    }
    for (const v of ticks(y)) {
      out.push(this.line([this.at(x.low, q.low, v), this.at(x.low, q.high, v), this.at(x.high, q.high, v)], grid, 1));
      const [px, py] = this.at(x.low, q.low, v);
      out.push(this.text([px - 9, py + 4], value(y, v), 'end'));
    }
    const every = Math.ceil(this.members.length / 7);
    this.members.forEach((v, i) => {
      out.push(this.line([this.at(x.low, v, y.low), this.at(x.high, v, y.low)], grid, 1));
      const [px, py] = this.at(x.high, v, y.low);
      if (i % every === 0 || i === this.members.length - 1) out.push(this.text([px + 9, py + 9], value(q, v), 'start'));
    });
    out.push(this.line([this.at(x.low, q.low, y.high), this.at(x.low, q.low, y.low), this.at(x.high, q.low, y.low),
      this.at(x.high, q.high, y.low)], axis, 1.2));
    return out;
  }

  private names(): SVGElement[] {
    const { x, q, y } = this;
    const slope = (-Math.atan2(place.depth[1], place.depth[0]) * 180) / Math.PI;
    return [
      this.text([place.left + place.across / 2, place.bottom + 46], withUnit(x.name, x.unit), 'middle', 0, false),
      this.text([26, place.bottom - place.up / 2], withUnit(y.name, y.unit), 'middle', -90, false),
      this.text([place.left + place.across + place.depth[0] / 2 + 62, place.bottom - place.depth[1] / 2 + 22], withUnit(q.name, q.unit),
        'middle', slope, false),
    ];
  }

  /* One member: runs of stable and of unstable points, and its folds. */
  private member(q: number, colour: string): SVGElement[] {
    const t = this.table;
    const [x, family, y] = [valuesOf(t.columns[0]!), valuesOf(t.columns[1]!), valuesOf(this.quantity)];
    const [branch, kind, multiplier] = ['branch', 'kind', 'multiplier'].map((n) => valuesOf(column(t, n)!));
    const rows = Array.from(x, (_v, i) => i).filter((i) => family[i] === q && Number.isFinite(y[i]!));
    const out: SVGElement[] = [];
    let run: [number, number][] = [];
    const flush = (unstable: boolean): void => {
      if (run.length > 1) out.push(this.line(run, colour, unstable ? 1.2 : 2, unstable ? '4 3' : ''));
    };
    rows.forEach((i, k) => {
      const before = rows[k - 1];
      const unstable = multiplier![i]! > 1;
      const joined = before !== undefined && branch![before] === branch![i];
      const here = this.at(x[i]!, q, y[i]!);
      if (!joined || multiplier![before!]! > 1 !== unstable) {
        if (before !== undefined) flush(multiplier![before]! > 1);
        run = joined ? [run[run.length - 1]!] : [];
      }
      run.push(here);
      if (k === rows.length - 1) flush(unstable);
      if (kind![i] === 1)
        out.push(svg('circle', { cx: here[0].toFixed(1), cy: here[1].toFixed(1), r: 3.4, fill: 'none', stroke: colour, 'stroke-width': 1.6 }));
    });
    return out;
  }

  /* Curves of folds over the same two parameters. */
  private foldLines(): SVGElement[] {
    const { text, lines } = theme();
    return this.folds.flatMap((group) => {
      const t = group.table!;
      const y = column(t, this.quantity.name);
      if (!y || t.columns[0]!.name !== this.table.columns[0]!.name || t.columns[1]!.name !== this.table.columns[1]!.name) return [];
      const [p, q, kind] = [valuesOf(t.columns[0]!), valuesOf(t.columns[1]!), valuesOf(column(t, 'kind')!)];
      const inside = (i: number): boolean => q[i]! >= this.q.low && q[i]! <= this.q.high && p[i]! >= this.x.low && p[i]! <= this.x.high;
      return foldCurves(t).flatMap((c) => {
        const points = c.rows.filter(inside);
        const path = points.map((i) => this.at(p[i]!, q[i]!, valuesOf(y)[i]!));
        const colour = c.doubling ? lines[3]! : text;
        return [
          ...(path.length > 1 ? [this.line(path, colour, 2, c.doubling ? '2 3' : '')] : []),
          ...points.filter((i) => kind[i]! > 0).map((i) => {
            const [cx, cy] = this.at(p[i]!, q[i]!, valuesOf(y)[i]!);
            return svg('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 4.5, fill: colour });
          }),
        ];
      });
    });
  }

  title(): string {
    return `${this.y.name} over ${this.x.name} and ${this.q.name}`;
  }

  csv(): CsvTable {
    const shown = [this.table.columns[0]!, this.table.columns[1]!, this.quantity,
      ...['branch', 'multiplier', 'kind'].flatMap((name) => column(this.table, name) ?? [])];
    return { notes: ['unstable where the multiplier is beyond 1; kind 1: a fold'], columns: shown.map((c) => ({ name: c.name, unit: c.unit, values: valuesOf(c) })) };
  }

  draw(): SVGElement {
    const root = svg('svg', {
      class: 'surface', viewBox: `0 0 ${size.width} ${size.height}`, role: 'img',
      'aria-label': `${this.title()}, ${this.members.length} responses one behind the other`,
    });
    root.append(...this.box());
    const n = this.members.length;
    for (let i = n - 1; i >= 0; i--) root.append(...this.member(this.members[i]!, rampStyle(i, n).colour()));
    root.append(...this.foldLines(), ...this.names());
    return root;
  }
}

/* Whether there is a surface to show: a family of three at least. */
export const hasSurface = (group: Group): boolean =>
  group.table!.columns[1]!.name !== 'family' && new Set(Array.from(valuesOf(group.table!.columns[1]!))).size >= 3;

/* The surface of one quantity; what it drew before is replaced. */
export function surfaceView(group: Group, quantity: Column, others: Group[]): HTMLElement {
  const surface = new Surface(group.table!, quantity, others.filter(isFolds));
  const host = el('figure.surface-frame', {});
  const legend = others.some(isFolds) ? 'Heavy line: curve of folds, dots where it turns. ' : '';
  const menu = exportMenu({
    title: () => surface.title(), keys: () => [], table: () => surface.csv(),
    drawing: () => elementDrawing(() => [...host.querySelectorAll<SVGSVGElement>('svg.surface')]),
  });
  const draw = (): void => host.replaceChildren(surface.draw(),
    el('div.figure-foot', {}, el('figcaption', {}, `${legend}Rings: folds. Dashed: unstable.`), menu));
  const stop = onThemeChange(() => (host.isConnected ? draw() : stop()));
  draw();
  return host;
}
