/* stage_mass.ts — a mass that hangs in a belt over the pulley of a tensioner: both move, the belt is coloured by its tension, and
 * beside them the loop of the tensioner is drawn. */
import type { Group, Report } from '../../data';
import type { Point } from '../../geometry';
import { Motion, type Series } from '../../motion';
import type { Pen } from '../../pen';
import { shade, type Actor, type Coloured, type Show, type View } from '../../stage';
import { cornersFor, LoopPanel } from './stage_loop';
import { device, partsOf, type Part } from './stage_rig';
import { arrow, box, spareHeight, steady, tint, wall } from '../../stage_sketch';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';

const size = { width: 1000, height: 520, picture: 400 };
const ceiling = 490;
const swing = 62; /* units of the largest motion */
const at0 = { pulley: 268, mass: 92, radius: 40 };

const extent = (s: Series): number => s.high - s.low;
const largest = (s: Series): number => Math.max(Math.abs(s.low), Math.abs(s.high)) || 1;

class Hanging implements Actor {
  what = 'mass in the belt of a tensioner';
  abscissa: Actor['abscissa'];
  bounds = { low: [0, 0] as Point, high: [size.width, size.height] as Point };
  colours: Coloured[];
  switches = [{ key: 'load', label: 'load', on: true }, { key: 'force', label: 'tensioner force', on: true }];
  pace: number;
  note: string;
  private panel: LoopPanel;
  private parts: Part[];
  private magnify: number; /* units of the drawing per m */

  constructor(private motion: Motion, private mass: Series, private deflection: Series, private tension: Series, report: Report, group: Group) {
    this.abscissa = { name: 'time', unit: 's', values: motion.time };
    const force = motion.series('tensioner.force')!;
    this.panel = new LoopPanel(deflection, force, cornersFor(report, group, 'tensioner.deflection', 'tensioner.force'), { x: 'deflection of the tensioner', y: 'force' }, group.kind === 'periodic');
    this.parts = partsOf(report);
    this.pace = this.panel.cycle / 3;
    this.magnify = swing / Math.max(extent(mass), extent(deflection), 1e-12);
    this.colours = [{ key: 'tension', label: 'belt tension', unit: 'N', range: [tension.low, tension.high] }];
    const friction = motion.series('tensioner.friction');
    if (friction) this.colours.push({ key: 'friction', label: 'friction', unit: 'N', range: [friction.low, friction.high], diverging: true });
    this.note = `Mass and pulley move to one scale, enlarged: the mass by ${quantity(extent(mass), 'm', 3)}, the pulley by ${quantity(extent(deflection), 'm', 3)}.`;
  }

  private lowered(s: Series, at: number): number {
    return -this.magnify * (s.at(at) - (s.low + s.high) / 2);
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const px = (x: number, y: number): Point => view.px([x, y]);
    pen.group('device', () => this.picture(pen, px, view.scale, at, show));
    const spare = Math.min(60, spareHeight(view, size.width, size.height));
    const [a, b] = [px(size.picture, size.height - 26 + spare), px(size.width, 20 - spare)];
    this.panel.draw(pen, { x: a[0], y: a[1], width: b[0] - a[0], height: b[1] - a[1] }, at, lineStyle(0).colour());
  }

  private picture(pen: Pen, px: (x: number, y: number) => Point, scale: number, at: number, show: Show): void {
    const { text, muted, paper } = theme();
    const x = 180;
    const [pulley, mass] = [at0.pulley + this.lowered(this.deflection, at), at0.mass + this.lowered(this.mass, at)];
    const r = at0.radius;
    const chosen = this.colours.find((c) => c.key === show.colour);
    const tension = this.tension.at(at);
    const belt = chosen?.key === 'tension' ? shade(chosen, tension) : text;
    const friction = this.motion.series('tensioner.friction');
    const hot = chosen?.key === 'friction' && friction ? shade(chosen, friction.at(at)) : tint(muted, 0.3);
    wall(pen, px(x + 105, ceiling), px(x - 105, ceiling));
    device(pen, px, x, pulley + 62, ceiling, this.parts, hot);
    box(pen, px(x - 90, pulley + 62), px(x + 90, pulley + 54), tint(muted, 0.4), muted, 1.25);
    /* Fork and pulley, the belt over it. */
    pen.line([px(x, pulley + 54), px(x, pulley)], { stroke: muted, width: 5 });
    pen.circle(px(x, pulley), (r - 3) * scale, { fill: tint(lineStyle(1).colour(), 0.2), stroke: lineStyle(1).colour(), width: 1.75 });
    pen.circle(px(x, pulley), 4, { fill: muted });
    const top: Point[] = Array.from({ length: 25 }, (_p, k): Point => px(x + r * Math.cos((Math.PI * k) / 24), pulley + r * Math.sin((Math.PI * k) / 24)));
    pen.group('belt', () => pen.line([px(x + r, mass), ...top, px(x - r, mass)], { stroke: belt, width: 5 }));
    box(pen, px(x - 68, mass), px(x + 68, mass - 56), tint(lineStyle(2).colour(), 0.3), lineStyle(2).colour(), 2);
    pen.text(px(x, mass - 28), 'mass', { fill: text, size: 13, weight: 600 });
    pen.text(px(x + r + 14, (pulley + mass) / 2), steady(tension, 'N', largest(this.tension), 3), { fill: text, size: 12.5, weight: 600, align: 'left', halo: paper });
    const load = this.motion.series('load.force');
    if (show.on('load') && load && largest(load) > 0) {
      const start = mass - 28;
      const length = (54 * load.at(at)) / largest(load);
      arrow(pen, px(x + 92, start), px(x + 92, start - length), text);
      pen.text(px(x + 104, start - length / 2), `load ${steady(load.at(at), 'N', largest(load), 3)}`, { fill: text, size: 12, align: 'left', halo: paper });
    }
    const force = this.motion.series('tensioner.force')!;
    if (show.on('force')) {
      const length = 20 + (44 * (force.at(at) - force.low)) / (extent(force) || 1);
      arrow(pen, px(x - 112, pulley + 60), px(x - 112, pulley + 60 + length), text);
      pen.text(px(x - 104, pulley + 48), steady(force.at(at), 'N', largest(force), 3), { fill: text, size: 12, align: 'right', halo: paper });
    }
  }

  readouts(at: number): [string, string][] {
    const lost = this.panel.lost(at);
    return [['tension', steady(this.tension.at(at), 'N', largest(this.tension), 4)],
      ...(Number.isFinite(lost) ? [['lost in a cycle of the tensioner', quantity(lost, 'J', 3)] as [string, string]] : [])];
  }
}

export const massActor = (report: Report, group: Group): Actor | null => {
  const motion = report.drive === 'belt-tensioner-mass' ? Motion.of(group) : null;
  if (!motion?.has('tensioner.force')) return null;
  const [mass, deflection, tension] = ['mass.position', 'tensioner.deflection', 'belt.tension'].map((n) => motion.series(n));
  return mass && deflection && tension ? new Hanging(motion, mass, deflection, tension, report, group) : null;
};
