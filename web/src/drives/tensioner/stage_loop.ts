/* stage_loop.ts — the force-deflection loop that stands beside a tensioner on the stage and is drawn as the tensioner moves. */
import { cornerMarks } from '../../corners';
import type { Group, Report } from '../../data';
import type { Point } from '../../geometry';
import type { Mark } from '../../marks';
import { cycleOf, enclosed, risings, stretch, type Series } from '../../motion';
import type { Box, Pen } from '../../pen';
import { SmallPlot } from '../../stage_sketch';
import { lineStyle, theme } from '../../theme';

/* Corners of this loop: those of the analysis itself, or of the periodic motion of the same model. */
export function cornersFor(report: Report, group: Group, x: string, y: string): Mark[] {
  const own = cornerMarks(group, x, y);
  if (own.length) return own;
  const other = report.groups.find((g) => g.kind === 'periodic');
  return other ? cornerMarks(other, x, y) : [];
}

/* A curve that is compared with the loop, over the same deflection. */
export interface Rival {
  name: string;
  y: Series;
}

export class LoopPanel {
  private plot: SmallPlot;
  readonly cycle: number;
  private middle: [number, number];
  private starts: number[];

  constructor(private x: Series, private y: Series, private marks: Mark[], names: { x: string; y: string }, private closed: boolean, private rivals: Rival[] = []) {
    const span = x.time[x.time.length - 1]! - x.time[0]!;
    this.starts = risings(x);
    this.cycle = closed ? span : cycleOf(x, span);
    this.middle = [(x.low + x.high) / 2, (y.low + y.high) / 2];
    this.plot = new SmallPlot({ name: names.x, unit: x.unit, low: x.low, high: x.high }, { name: names.y, unit: y.unit, low: y.low, high: y.high });
  }

  /* What was drawn until now: before the last cycle light, the last cycle strong. Of a closed loop all of it faintly. */
  draw(pen: Pen, outer: Box, at: number, colour: string): void {
    const { plot, x, y } = this;
    const [first, last] = [x.time[0]!, x.time[x.time.length - 1]!];
    plot.frame(pen, outer);
    pen.group('loop', () => plot.clipped(pen, () => {
      if (this.closed) plot.curve(pen, stretch(x, y, first, last, 1500), { stroke: colour, width: 1, alpha: 0.35 });
      else plot.curve(pen, stretch(x, y, first, Math.max(first, at - this.cycle), 2500), { stroke: colour, width: 1, alpha: 0.4 });
      plot.curve(pen, stretch(x, y, Math.max(first, at - this.cycle), at, 1500), { stroke: colour, width: 2.5 });
    }));
    pen.group('corners', () => this.marks.forEach((m) => plot.mark(pen, m.x, m.y, m.label, this.middle)));
    if (this.rivals.length) this.compare(pen, outer, at);
    plot.dot(pen, x.at(at), y.at(at), theme().text);
  }

  /* The last cycle of each rival, and who is who. */
  private compare(pen: Pen, outer: Box, at: number): void {
    const { plot, x } = this;
    pen.group('rivals', () => plot.clipped(pen, () => this.rivals.forEach((r, k) => {
      const colour = lineStyle(k).colour();
      plot.curve(pen, stretch(x, r.y, Math.max(x.time[0]!, at - this.cycle), at, 1500), { stroke: colour, width: 2.25 });
      plot.dot(pen, x.at(at), r.y.at(at), colour);
    })));
    [{ name: 'measured', colour: theme().muted }, ...this.rivals.map((r, k) => ({ name: r.name, colour: lineStyle(k).colour() }))].forEach(({ name, colour }, k) => {
      const at0: Point = [outer.x + 84, outer.y + 40 + 18 * k];
      pen.line([[at0[0] - 14, at0[1]], [at0[0] + 8, at0[1]]], { stroke: colour, width: 2.5 });
      pen.text([at0[0] + 15, at0[1]], name, { fill: theme().text, size: 12, align: 'left', halo: theme().paper });
    });
  }

  /* J: lost in the last whole cycle before `at`; of a closed loop in it. NaN before the first is over. */
  lost(at: number): number {
    const { x, starts } = this;
    if (this.closed) return this.area(x.time[0]!, x.time[x.time.length - 1]!);
    const over = starts.filter((t) => t <= at);
    return over.length > 1 ? this.area(over[over.length - 2]!, over[over.length - 1]!) : NaN;
  }

  private areas = new Map<number, number>();
  private area(from: number, to: number): number {
    let found = this.areas.get(from);
    if (found === undefined) {
      const points = stretch(this.x, this.y, from, to, 20000);
      this.areas.set(from, (found = enclosed(points.map((p) => p[0]), points.map((p) => p[1]))));
    }
    return found;
  }
}
