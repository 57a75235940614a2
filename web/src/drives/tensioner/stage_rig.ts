/* stage_rig.ts — a tensioner on its rig: the rod moves as imposed, spring and friction element follow, and beside it the loop of
 * force over deflection is drawn. */
import { vectorTables, type Group, type Report } from '../../data';
import type { Point } from '../../geometry';
import { Motion, type Series } from '../../motion';
import type { Pen } from '../../pen';
import { shade, type Actor, type Coloured, type Show, type View } from '../../stage';
import { cornersFor, LoopPanel, type Rival } from './stage_loop';
import { arrow, box, damper, rubbing, spareHeight, spring, steady, tint, wall } from '../../stage_sketch';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';

const size = { width: 1000, height: 430, picture: 380 }; /* of the drawing, in its own units */
const stroke = 90; /* of the rod, from end to end */
const top = 318; /* of the rod's plate, in the middle of its motion */
const floor = 70;

/* The last part of a name that is no unit: "tensioner". */
export const loopOwner = (motion: Motion): string | null =>
  ['tensioner', ...motion.names.filter((n) => n.endsWith('.deflection')).map((n) => n.slice(0, -'.deflection'.length))].find((o) => motion.has(`${o}.deflection`, `${o}.force`)) ?? null;

export type Part = 'spring' | 'friction' | 'damper';

/* What a tensioner consists of by its law; all of it where the result does not tell. */
export function partsOf(report: Report): Part[] {
  const scene = report.groups.find((g) => g.kind === 'scene');
  const law = scene?.texts.find((t) => t.name === 'law')?.value;
  const c = scene?.numbers.find((n) => n.name === 'law.c')?.value;
  return ['spring', ...(law === 'linear' ? [] : ['friction' as const]), ...(law && (law === 'dahl' || !c) ? [] : ['damper' as const])];
}

const gap = 74; /* between parts */
export const partAt = (parts: Part[], k: number): number => gap * (k - (parts.length - 1) / 2);

/* The parts side by side between two plates. */
export function device(pen: Pen, px: (x: number, y: number) => Point, x: number, low: number, high: number, parts: Part[], hot: string): void {
  const line = { stroke: theme().muted, width: 1.75 };
  parts.forEach((part, k) => {
    const [a, b] = [px(x + partAt(parts, k), low), px(x + partAt(parts, k), high)];
    if (part === 'spring') spring(pen, a, b, 13, 6, line);
    else if (part === 'friction') rubbing(pen, a, b, 15, line, hot);
    else damper(pen, a, b, 11, line);
  });
}

class Rig implements Actor {
  what = 'tensioner on its rig';
  abscissa: Actor['abscissa'];
  bounds = { low: [0, 0] as Point, high: [size.width, size.height] as Point };
  colours?: Coloured[];
  switches = [{ key: 'force', label: 'force', on: true }, { key: 'speed', label: 'velocity', on: false }];
  pace: number;
  note: string;
  private panel: LoopPanel;
  private deflection: Series;
  private force: Series;
  private velocity: Series | null;
  private friction: Series | null;
  private parts: Part[];

  constructor(motion: Motion, owner: string, report: Report, group: Group, private rivals: Rival[] = []) {
    const of = (end: string): Series | null => motion.series(owner ? `${owner}.${end}` : end);
    this.abscissa = { name: 'time', unit: 's', values: motion.time };
    this.deflection = of('deflection.smooth') ?? of('deflection')!;
    this.force = of('force')!;
    this.velocity = of('velocity');
    this.friction = of('friction');
    this.parts = rivals.length ? ['spring', 'friction'] : partsOf(report);
    const closed = group.kind === 'periodic';
    this.panel = new LoopPanel(this.deflection, this.force, cornersFor(report, group, `${owner}.deflection`, `${owner}.force`), { x: 'deflection', y: 'force' }, closed, rivals);
    this.pace = this.panel.cycle / 4;
    if (this.friction) this.colours = [{ key: 'friction', label: 'friction', unit: 'N', range: [this.friction.low, this.friction.high], diverging: true }];
    this.note = `The rod's motion of ${quantity(this.deflection.high - this.deflection.low, 'm', 3)} is enlarged to be seen; the loop is to scale.`;
  }

  private plate(at: number): number {
    const { low, high } = this.deflection;
    return top - stroke * ((this.deflection.at(at) - low) / (high - low || 1) - 0.5);
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const px = (x: number, y: number): Point => view.px([x, y]);
    pen.group('device', () => this.picture(pen, px, at, show));
    const spare = Math.min(140, spareHeight(view, size.width, size.height));
    const [a, b] = [px(size.picture + 20, size.height - 6 + spare), px(size.width, 6 - spare)];
    this.panel.draw(pen, { x: a[0], y: a[1], width: b[0] - a[0], height: b[1] - a[1] }, at, this.rivals.length ? theme().muted : lineStyle(0).colour());
  }

  private picture(pen: Pen, px: (x: number, y: number) => Point, at: number, show: Show): void {
    const { text, muted, axis, paper } = theme();
    const x = size.picture / 2 - 55;
    const y = this.plate(at);
    const { friction, velocity: v } = this;
    const chosen = this.colours?.find((c) => c.key === show.colour);
    const blue = lineStyle(0).colour();
    wall(pen, px(x - 118, floor), px(x + 118, floor));
    device(pen, px, x, floor, y - 12, this.parts, chosen && friction ? shade(chosen, friction.at(at)) : tint(muted, 0.3));
    box(pen, px(x - 110, y), px(x + 110, y - 12), tint(blue, 0.3), blue);
    box(pen, px(x - 9, y + 52), px(x + 9, y), tint(blue, 0.3), blue);
    this.scale(pen, px, x, at);
    const force = this.force.at(at);
    const largest = Math.max(Math.abs(this.force.low), Math.abs(this.force.high)) || 1;
    if (show.on('force') && Number.isFinite(force)) {
      /* The rig pushes the rod against the force of the tensioner. */
      const length = (66 * force) / largest;
      const end = y + 56;
      if (length >= 0) arrow(pen, px(x, end + length), px(x, end), text);
      else arrow(pen, px(x, end), px(x, end - length), text);
      pen.text(px(x + 18, end + Math.abs(length) / 2 + 4), steady(force, 'N', largest, 3), { fill: text, size: 12.5, weight: 600, align: 'left', halo: paper });
    }
    if (show.on('speed') && v) arrow(pen, px(x - 70, y + 8), px(x - 70, y + 8 - (44 * v.at(at)) / (Math.max(Math.abs(v.low), Math.abs(v.high)) || 1)), axis, 2);
    const wide = px(gap, 0)[0] - px(0, 0)[0];
    if (wide > 42) this.parts.forEach((name, k) => pen.text(px(x + partAt(this.parts, k), floor - 22), name, { fill: muted, size: 11.5 }));
  }

  /* Where the rod is, in the unit of the loop. */
  private scale(pen: Pen, px: (x: number, y: number) => Point, x: number, at: number): void {
    const { muted, axis, text, paper } = theme();
    const { low, high } = this.deflection;
    const right = x + 128;
    pen.line([px(right, top + stroke / 2), px(right, top - stroke / 2)], { stroke: axis, width: 1.5 });
    for (const [value, y] of [[low, top + stroke / 2], [high, top - stroke / 2]] as const) {
      pen.line([px(right - 5, y), px(right + 5, y)], { stroke: axis, width: 1.5 });
      pen.text(px(right + 10, y), steady(value, 'm', Math.max(Math.abs(low), Math.abs(high)), 3), { fill: muted, size: 11.5, align: 'left' });
    }
    const y = this.plate(at);
    pen.line([px(x + 110, y), px(right + 5, y)], { stroke: text, width: 1.5 });
    if (Math.abs(y - top) < 0.36 * stroke) pen.text(px(right + 10, y), steady(this.deflection.at(at), 'm', Math.max(Math.abs(low), Math.abs(high)), 3), { fill: text, size: 12, weight: 600, align: 'left', halo: paper });
  }

  readouts(at: number): [string, string][] {
    const lost = this.panel.lost(at);
    const largest = Math.max(Math.abs(this.force.low), Math.abs(this.force.high));
    return [[this.rivals.length ? 'measured' : 'force', steady(this.force.at(at), 'N', largest, 4)],
      ...this.rivals.map((r): [string, string] => [r.name, steady(r.y.at(at), 'N', largest, 4)]),
      ...(Number.isFinite(lost) ? [['lost in a cycle', quantity(lost, 'J', 3)] as [string, string]] : [])];
  }
}

export const rigActor = (report: Report, group: Group): Actor | null => {
  const motion = report.drive === 'tensioner-rig' ? Motion.of(group) : null;
  const owner = motion && loopOwner(motion);
  return motion && owner ? new Rig(motion, owner, report, group) : null;
};

/* A measured loop with what the laws that were fitted make of it. */
export const identifyActor = (report: Report, group: Group): Actor | null => {
  if (!group.arrays.some((a) => a.name === 'loop.deflection')) return null;
  const table = vectorTables(group.arrays).tables.find((t) => t.columns[0]!.name === 'time' && ['deflection', 'force'].every((n) => t.columns.some((c) => c.name === n)));
  const motion = table && table.rows > 1 ? Motion.from(table) : null;
  const laws = motion?.names.flatMap((n) => /^([^.]+)\.force$/.exec(n)?.[1] ?? []) ?? [];
  const rivals = laws.map((name): Rival => ({ name, y: motion!.series(`${name}.force`)! }));
  return motion && rivals.length ? new Rig(motion, '', report, group, rivals) : null;
};
