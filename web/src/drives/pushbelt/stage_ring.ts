/* stage_ring.ts — a ring of a pushbelt in the plane, free or over two pulleys, coloured by its tension. */
import { Advection, Carried } from '../../advect';
import type { Group, Report } from '../../data';
import { filmOf, instantOf, trackAt, type Film, type Instant, type Track } from '../../film';
import type { Point } from '../../geometry';
import type { Pen } from '../../pen';
import { secondary, sectionStyle, primary, torqueNote } from './names';
import { arrow, bodiesOf, closedLine, Frame, turningArrow, usualRange } from './pushbelt';
import { shade, type Actor, type Coloured, type Show, type View } from '../../stage';
import { quantity } from '../../tables';
import { lineStyle, theme } from '../../theme';
import { shaftSpeed } from '../../units';

const fine = 4; /* points of the line between two of the film */

interface Wheel {
  name: string; /* "primary" */
  radius: number;
}

class RingPicture implements Actor {
  readonly what = 'ring';
  readonly abscissa;
  readonly bounds;
  readonly colours: Coloured[];
  readonly switches;
  readonly axes = true;
  readonly note?: string;
  private line: Advection;
  private tension: Track | null;
  private most: number; /* N: force on a pulley */

  constructor(private film: Film, private x: Track, private y: Track, private wheels: Wheel[]) {
    const frames = film.time.length;
    this.abscissa = { name: 'time', unit: 's', values: film.time };
    this.tension = film.family('segment.*.tension');
    this.line = new Advection(x, y, () => 0);
    const range = usualRange(this.tension, frames);
    this.colours = range ? [{ key: 'tension', label: 'Tension', unit: 'N', range, ...(range[0] < 0 && range[1] > 0 && -range[0] > 0.02 * range[1] ? { diverging: true } : {}) }] : [];
    this.switches = [{ key: 'points', label: 'points', on: wheels.length === 0 }, ...(wheels.length ? [{ key: 'forces', label: 'forces on the pulleys', on: true }, { key: 'labels', label: 'labels', on: true }] : [])];
    this.bounds = this.limits(frames);
    const forces = wheels.flatMap((w) => usualRange(film.value(`pulley.${w.name}.force_x`), frames) ?? []);
    this.most = Math.max(1e-9, ...forces.map(Math.abs));
    if (wheels.length) this.note = `${torqueNote('ring')} Straight arrows: force of the ring on a pulley, the longest ${quantity(this.most, 'N', 3)}.`;
  }

  private limits(frames: number): { low: Point; high: Point } {
    const [low, high]: [Point, Point] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    const meet = (x: number, y: number): void => {
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      [low[0], low[1]] = [Math.min(low[0], x), Math.min(low[1], y)];
      [high[0], high[1]] = [Math.max(high[0], x), Math.max(high[1], y)];
    };
    const stride = Math.max(1, Math.floor(frames / 200));
    for (let f = 0; f < frames; f += stride) for (let m = 0; m < this.x.n; m++) meet(this.x.at(f, m), this.y.at(f, m));
    const room = 0.08 * Math.max(high[0] - low[0], high[1] - low[1]) + (this.wheels.length ? 0.006 : 0);
    return { low: [low[0] - room, low[1] - room], high: [high[0] + room, high[1] + room] };
  }

  draw(pen: Pen, view: View, at: number, show: Show): void {
    const now = instantOf(this.film.time, at);
    const frame = new Frame(view.px([0, 0]), [0, 0], view.scale);
    for (const wheel of this.wheels) this.wheel(pen, frame, now, wheel, show);
    /* A ring that is free does not run: its points move straight. */
    const ring = this.wheels.length ? this.line.at(now) : new Carried(this.line, this.x, this.y, now.frame, now.share, 0);
    const chosen = this.colours.find((c) => c.key === show.colour);
    const line = closedLine(ring, this.tension, fine);
    pen.group('ring', () => {
      for (let k = 0; k + 1 < line.length; k++)
        pen.line([frame.px(line[k]!.x, line[k]!.y), frame.px(line[k + 1]!.x, line[k + 1]!.y)], { stroke: chosen ? shade(chosen, line[k]!.value) : theme().text, width: 4, cap: 'round' });
    });
    if (show.on('points')) for (let k = 0; k < ring.n; k++) pen.circle(frame.px(...ring.place(k)), 2.2, { fill: theme().paper, stroke: theme().text, width: 1 });
  }

  private wheel(pen: Pen, frame: Frame, now: Instant, wheel: Wheel, show: Show): void {
    const value = (name: string): number => trackAt(this.film.value(`pulley.${wheel.name}.${name}`), now);
    const [x, y, turn] = [value('x'), Number.isFinite(value('y')) ? value('y') : 0, value('angle')];
    if (!Number.isFinite(x)) return;
    const centre = frame.px(x, y);
    const r = wheel.radius * frame.scale;
    const colour = sectionStyle(wheel.name === 'primary' ? primary : secondary).colour();
    const { axis, text, muted, paper } = theme();
    pen.circle(centre, r - 1.5, { fill: `${colour}18`, stroke: axis, width: 1.2 });
    for (let k = 0; Number.isFinite(turn) && k < 12; k++) {
      const a = turn + (k * Math.PI) / 6;
      const at = (share: number): Point => [centre[0] + share * r * Math.cos(a), centre[1] - share * r * Math.sin(a)];
      pen.line([at(k === 0 ? 0.55 : 0.9), at(0.97)], { stroke: k === 0 ? colour : axis, width: k === 0 ? 3 : 1.3 });
    }
    pen.circle(centre, 4, { fill: paper, stroke: muted, width: 1.5 });
    if (show.on('forces')) {
      const [fx, fy] = [value('force_x'), value('force_y')];
      if (Number.isFinite(fx)) arrow(pen, centre, [centre[0] + (0.8 * r * fx) / this.most, centre[1] - (0.8 * r * (fy || 0)) / this.most], lineStyle(1).colour(), 2.5);
      /* Results have the torque of the ring on the pulley. */
      const torque = -value('torque');
      if (Math.abs(torque) > 1e-3) turningArrow(pen, centre, 0.42 * r, torque > 0 ? Math.PI * 0.9 : Math.PI * 0.1, torque > 0 ? Math.PI * 0.1 : Math.PI * 0.9, colour, 2);
    }
    if (!show.on('labels') || r < 30) return;
    const lines = [wheel.name, Number.isFinite(value('speed')) ? quantity(value('speed'), shaftSpeed, 4) : '', Number.isFinite(value('torque')) ? `M ${quantity(-value('torque'), 'N m', 3)}` : ''].filter(Boolean);
    lines.forEach((line, k) => pen.text([centre[0], centre[1] + 18 + 15 * k], line, { fill: k ? muted : text, weight: k ? 400 : 620, size: 12.5, halo: paper }));
  }

  readouts(at: number): [string, string][] {
    const mean = trackAt(this.film.value('ring.tension'), instantOf(this.film.time, at));
    return Number.isFinite(mean) ? [['mean tension', quantity(mean, 'N', 4)]] : [];
  }
}

export const ringActor = (report: Report, group: Group): Actor | null => {
  if (report.drive !== 'ring') return null;
  const film = filmOf(group);
  const [x, y] = [film?.family('node.*.x') ?? null, film?.family('node.*.y') ?? null];
  if (!film || !x || !y || x.n < 3 || film.time.length < 2) return null;
  const bodies = bodiesOf(report);
  const wheels = ['secondary', 'primary'].map((name) => ({ name, radius: bodies?.radii(`pulley.${name}`)[0] ?? 0 })).filter((w) => w.radius > 0);
  return new RingPicture(film, x, y, wheels);
};
