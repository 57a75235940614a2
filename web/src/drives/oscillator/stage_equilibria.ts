/* stage_equilibria.ts — an oscillator at rest under a load that changes: it goes along the branch of its equilibria, through folds
 * and what is unstable, with the place on the branch beside it. */
import { valuesOf, type Column, type Group, type Report, type Values } from '../../data';
import type { Point } from '../../geometry';
import type { Pen } from '../../pen';
import type { Actor, Show, View } from '../../stage';
import { arrow, box, SmallPlot, spareHeight, spring, steady, tint, wall } from '../../stage_sketch';
import { lineStyle, theme } from '../../theme';

const size = { width: 1000, height: 380, picture: 480, half: 44 };

class Equilibria implements Actor {
  what = 'equilibria of the oscillator';
  abscissa: Actor['abscissa'];
  bounds = { low: [0, 0] as Point, high: [size.width, size.height] as Point };
  switches = [{ key: 'load', label: 'load', on: true }];
  note = 'Goes along the branch from its first point to its last. Dashed: unstable.';
  start: number;
  private parameter: Values;
  private place: Values;
  private unstable: Values | null;
  private range: [number, number];
  private most: number;
  private plot: SmallPlot;

  constructor(private parameterColumn: Column, private placeColumn: Column, unstable: Column | undefined, private load: Values | null) {
    this.parameter = valuesOf(parameterColumn);
    this.place = valuesOf(placeColumn);
    this.unstable = unstable ? valuesOf(unstable) : null;
    const rows = Array.from(this.place, (_v, i) => i);
    this.abscissa = { name: 'point of the branch', unit: '', values: rows };
    this.start = rows[Math.floor(0.3 * rows.length)]!;
    const [low, high] = [Math.min(...Array.from(this.place)), Math.max(...Array.from(this.place))];
    this.range = [low, high];
    this.most = load ? Math.max(...Array.from(load, Math.abs)) : 0;
    const p = Array.from(this.parameter);
    this.plot = new SmallPlot({ name: parameterColumn.long_name || parameterColumn.name, unit: parameterColumn.unit, low: Math.min(...p), high: Math.max(...p) },
      { name: placeColumn.long_name || 'position', unit: 'm', low, high });
  }

  private between(values: Values, at: number): number {
    const k = Math.min(values.length - 1, Math.max(0, Math.floor(at)));
    const next = values[Math.min(values.length - 1, k + 1)]!;
    return values[k]! + (at - k) * (next - values[k]!);
  }

  private x(v: number): number {
    const [low, high] = this.range;
    return 150 + ((v - low) / (high - low || 1)) * (size.picture - 150 - size.half - 20);
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const px = (a: number, b: number): Point => view.px([a, b]);
    const { text, muted, axis, paper } = theme();
    const y = 190;
    const place = this.between(this.place, at);
    const x = this.x(place);
    const colour = lineStyle(0).colour();
    const loose = this.unstable ? this.unstable[Math.round(at)]! > 0 : false;
    pen.group('mass', () => {
      wall(pen, px(20, y + 70), px(20, y - 70));
      spring(pen, px(20, y), px(x - size.half, y), 14, 7, { stroke: muted, width: 1.75 });
      box(pen, px(x - size.half, y + size.half), px(x + size.half, y - size.half), tint(colour, loose ? 0.08 : 0.3), colour, 2);
      pen.text(px(x, y), this.placeColumn.name.replace(/\.position$/, ''), { fill: text, size: 13, weight: 600 });
      pen.line([px(this.x(this.range[0]), 84), px(this.x(this.range[1]), 84)], { stroke: axis, width: 1.25 });
      for (const v of this.range) pen.text(px(this.x(v), 64), steady(v, 'm', Math.max(...this.range.map(Math.abs))), { fill: muted, size: 11.5 });
      pen.line([px(x, y - size.half), px(x, 84)], { stroke: colour, width: 1.5 });
      pen.circle(px(x, 84), 4, { fill: colour });
      pen.text(px(x, y - size.half - 16), loose ? 'unstable' : 'stable', { fill: muted, size: 12, halo: paper });
      if (!show.on('load') || !this.load || !(this.most > 0)) return;
      const load = this.between(this.load, at);
      arrow(pen, px(x, y + size.half + 20), px(x + (100 * load) / this.most, y + size.half + 20), text);
      pen.text(px(x, y + size.half + 42), `load ${steady(load, 'N', this.most)}`, { fill: text, size: 12, halo: paper });
    });
    const spare = Math.min(120, spareHeight(view, size.width, size.height));
    const [a, b] = [px(size.picture + 20, size.height + spare), px(size.width, -spare)];
    this.plot.frame(pen, { x: a[0], y: a[1], width: b[0] - a[0], height: b[1] - a[1] });
    pen.group('branch', () => this.branch(pen, at, colour));
    this.plot.dot(pen, this.between(this.parameter, at), place, text);
  }

  /* In stretches of one stability; what was gone is strong. */
  private branch(pen: Pen, at: number, colour: string): void {
    const rows = this.place.length;
    for (let from = 0; from < rows - 1;) {
      const state = (this.unstable?.[from + 1] ?? 0) > 0;
      let to = from + 1;
      while (to < rows - 1 && ((this.unstable?.[to + 1] ?? 0) > 0) === state) to++;
      const points = (last: number): [number, number][] => {
        const list: [number, number][] = [];
        for (let i = from; i <= Math.floor(last); i++) list.push([this.parameter[i]!, this.place[i]!]);
        if (last > Math.floor(last)) list.push([this.between(this.parameter, last), this.between(this.place, last)]);
        return list;
      };
      const dash = state ? [5, 4] : undefined;
      this.plot.curve(pen, points(to), { stroke: colour, width: 1.25, alpha: 0.45, dash });
      if (at > from) this.plot.curve(pen, points(Math.min(at, to)), { stroke: colour, width: 2.5, dash });
      from = to;
    }
  }

  readouts(at: number): [string, string][] {
    const [p, q] = [this.parameter, this.place].map((v) => Math.max(...Array.from(v, Math.abs))) as [number, number];
    return [[this.parameterColumn.long_name || this.parameterColumn.name, steady(this.between(this.parameter, at), this.parameterColumn.unit, p)], ['position', steady(this.between(this.place, at), 'm', q)]];
  }
}

export const equilibriaActor = (report: Report, group: Group): Actor | null => {
  const table = report.drive === 'clearance-oscillator' && group.kind === 'statics' ? group.table : undefined;
  const columns = table?.columns ?? [];
  const places = columns.filter((c) => c.name.endsWith('.position') && c.unit === 'm' && c.stats);
  const branches = new Set(columns.filter((c) => c.name === 'branch' || c.name === 'family').map((c) => new Set(Array.from(valuesOf(c))).size));
  if (!table || table.thinned !== 'no' || table.rows < 3 || places.length !== 1 || [...branches].some((n) => n > 1)) return null;
  const load = columns.find((c) => c.name === places[0]!.name.replace(/position$/, 'load'));
  return new Equilibria(columns[0]!, places[0]!, columns.find((c) => c.name === 'unstable'), load ? valuesOf(load) : null);
};
