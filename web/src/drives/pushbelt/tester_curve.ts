/* tester_curve.ts — the Push-Force-Tester's results over the compression of its stack: the force-compression curve, which the rig is
 * for, and what the stack does along it. Pseudo-time only orders the equilibria. */
import type { Analysis } from '../../analyses/analysis';
import { channelView, type ChannelOptions } from '../../channels';
import { nearestRow, type Link } from '../../chart';
import { valuesOf, type Column, type Group, type Report, type Values } from '../../data';
import { el } from '../../dom';
import { columnIn } from '../../figure';
import { number } from '../../format';
import { Loop, type Curve } from '../../loop';
import { quantity } from '../../tables';
import { lineStyle } from '../../theme';

const permille = 1e3;
const percent = 100;

export const isPress = (group: Group, report: Report): boolean =>
  report.drive === 'push-force-tester' && group.kind === 'quasistatic' && (group.table?.rows ?? 0) > 1 && !!columnIn(group, 'clamp.compression') && !!columnIn(group, 'clamp.force');

interface Curves {
  title: string;
  y: string;
  unit?: string;
  factor?: number;
  of: [string, string][]; /* channel, name */
}

const force: Curves = { title: 'Clamping force vs compression', y: 'force', of: [['clamp.force', 'clamping force'], ['stack.edge_force', 'at the rocking edges'], ['stack.head_force', 'at the heads'], ['clamp.ring_force', 'ring tension at the clamp']] };

const others: Curves[] = [
  { title: 'Lift of the middle vs compression', y: 'lift', of: [['stack.lift', 'lift: cat’s back positive, dog’s back negative']] },
  { title: 'Heads vs compression', y: 'share', unit: '%', factor: percent, of: [['stack.head_share', 'share of the heads in the push force'], ['stack.open_heads', 'joints with open heads']] },
  { title: 'Ring tension vs compression', y: 'ring tension', of: [['ring.tension', 'in the middle']] },
  { title: 'Angle of the hinges vs compression', y: 'angle', of: [['left.angle', 'left hinge'], ['right.angle', 'right hinge']] },
];

const times = (values: Values, factor: number): Values => (factor === 1 ? values : Float64Array.from(values, (v) => factor * v));

/* Curves over the compression, in the order of the equilibria: they may turn back where the press does. */
function curvesOf(group: Group, { factor = 1, of }: Curves): Curve[] {
  const [time, x] = [group.table!.columns[0]!, times(valuesOf(columnIn(group, 'clamp.compression')!), permille)];
  const travel = columnIn(group, 'clamp.displacement');
  const note = (i: number): string => (travel ? `pressed by ${quantity(valuesOf(travel)[i]!, 'm', 3)}` : `${time.name} ${quantity(valuesOf(time)[i]!, time.unit, 3)}`);
  return of.flatMap(([name, text], i): Curve[] => {
    const c = columnIn(group, name);
    return c ? [{ name: text, hint: c.long_name || text, x, y: times(valuesOf(c), factor), style: lineStyle(i), note, ...(i === 0 ? { width: 2 } : {}) }] : [];
  });
}

/* A plot whose points follow the instant of the picture, and the other way round. */
function plot(group: Group, what: Curves, height: number, link: Link | null): HTMLElement | null {
  const curves = curvesOf(group, what);
  const unit = what.unit ?? columnIn(group, what.of.find(([n]) => columnIn(group, n))?.[0] ?? '')?.unit ?? '';
  if (!curves.length) return null;
  const time: Column = group.table!.columns[0]!;
  const host = el('div.loop');
  let leads = false;
  requestAnimationFrame(() => {
    const drawn = new Loop({
      x: { name: 'compression of the stack', unit: '‰' }, y: { name: what.y, unit }, curves, height, title: what.title,
      onNear: (i) => {
        leads = true;
        link?.lead(i === null ? null : valuesOf(time)[i]!);
        leads = false;
      },
    }, host);
    link?.onCursor((at) => leads || drawn.follow(curves.map(() => (at === null ? null : nearestRow(valuesOf(time), at)))));
  });
  return host;
}

/* Force at most, where it is, and how stiff the stack is from the first to the last equilibrium. */
function curveText(group: Group): string {
  const [f, x] = [valuesOf(columnIn(group, 'clamp.force')!), valuesOf(columnIn(group, 'clamp.compression')!)];
  const last = f.length - 1;
  const steepest = Array.from({ length: last }, (_v, i) => (f[i + 1]! - f[i]!) / (x[i + 1]! - x[i]!)).filter(Number.isFinite);
  return steepest.length ? `Clamping force ${quantity(f[last]!, 'N', 4)} at a compression of ${number(permille * x[last]!, 3)} ‰; the steepest part of the curve has ${quantity(Math.max(...steepest) * 1e-3, 'N', 4)} per ‰.` : '';
}

/* At the top of the page, below the picture. */
export const forceCurve = (report: Report, group: Group, link: Link): HTMLElement | null => (isPress(group, report) ? plot(group, force, 400, link) : null);

/* Below it: what else the stack does; channels over pseudo-time are folded. */
export function pressPlots(group: Group, link: Link, options: ChannelOptions): HTMLElement[] {
  const table = group.table!;
  const drawn = others.map((c) => plot(group, c, 260, link)).filter((n): n is HTMLElement => n !== null);
  const fold = el('details', {}, el('summary', {}, 'All channels vs pseudo-time'));
  fold.addEventListener('toggle', () => fold.append(channelView(table, { ...options, loop: false })), { once: true });
  return [el('p', {}, curveText(group)), el('div.tiles', {}, ...drawn), fold];
}

export const press: Analysis = {
  kind: 'quasistatic', recognise: isPress, peaks: false,
  plots: (group, around) => {
    const { head: _head, ...course } = around.course();
    return [...[around.picture()].filter((n): n is HTMLElement => n !== null), ...pressPlots(group, course.link!, course)];
  },
};
