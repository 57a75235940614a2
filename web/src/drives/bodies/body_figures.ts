/* body_figures.ts — key figures of rolling bodies, planar bodies, rings, the sheave, the push-force tester, and of whatever is left. */
import { contactForces, contactSlips, isResidue } from '../../contacts';
import { isConvergence } from './convergence';
import { valuesOf, type Column, type Group } from '../../data';
import { columnIn, duration, extremeColumn, figure, largestColumn, numberIn, sizeOfColumn, unitIn, valuesIn, word, type FigureMaker, type KeyFigure } from '../../figure';
import { nameOf } from '../../channels';
import { number, plural } from '../../format';
import { quantity } from '../../tables';

const size = (of: string, name: string, columns: Column[], more: { warn?: boolean; at?: (c: Column) => string } = {}): KeyFigure[] => {
  const c = largestColumn(columns);
  return c && sizeOfColumn(c) > 0 ? figure(of, name, sizeOfColumn(c), c.unit, { digits: 4, at: more.at ? more.at(c) : c.name, ...(more.warn ? { warn: true } : {}) }) : [];
};

const of = 'Motion over time';

/* How long the path of a body is; of a table that has been thinned by columns nobody knows. */
function paths(group: Group): KeyFigure[] {
  if (group.table!.thinned === 'columns') return [];
  return group.table!.columns.filter((c) => /^[^.]+\.x$/.test(c.name)).slice(0, 2).flatMap((c) => {
    const [x, y] = [valuesOf(c), columnIn(group, c.name.replace(/x$/, 'y'))];
    if (!y) return [];
    const v = valuesOf(y);
    let length = 0;
    for (let i = 1; i < x.length; i++) length += Math.hypot(x[i]! - x[i - 1]!, v[i]! - v[i - 1]!);
    return length < 1e-9 ? [] : figure(of, `path of ${c.name.split('.')[0]}`, length, 'm', { at: `in ${quantity(duration(group), 's')}` });
  });
}

const rolling: FigureMaker = (group, report) => {
  const channels = group.table?.rows ? group.table.columns.slice(1) : [];
  if (report.drive === 'bodies' || !group.table || !contactSlips(channels).length) return [];
  const [forces, slips] = [contactForces(channels), contactSlips(channels)];
  const holds = slips.every((c) => sizeOfColumn(c) === 0 || isResidue(c, channels));
  const residual = group.audit?.residual;
  return [
    ...paths(group),
    ...size(of, 'largest contact force', forces),
    ...(holds && slips.length ? word(of, 'rolls', 'without slip', { at: `constraints within ${number(Math.max(0, ...slips.map(sizeOfColumn)), 2)} m/s` }) : size(of, 'largest slip velocity', slips)),
    ...size(of, 'largest speed of turning', channels.filter((c) => /\.(turn|w[123])$/.test(c.name))),
    ...(residual === null || residual === undefined ? [] : figure(of, 'energy residual', Math.abs(residual), '', { digits: 2, at: 'of the energy in motion' })),
  ];
};

const bodies: FigureMaker = (group, report) => {
  if (report.drive !== 'bodies' || group.kind !== 'transient' || !group.table?.rows) return [];
  const columns = group.table.columns;
  const n = columns.filter((c) => /^[^.]+\.angle$/.test(c.name)).length;
  const missed = numberIn(group, 'contact.missed');
  return [
    ...word(of, 'bodies', String(n), { at: `${quantity(duration(group), 's')} of motion` }),
    ...figure(of, 'most contacts at once', numberIn(group, 'contact.closed.most'), '', { at: `mean ${number(numberIn(group, 'contact.closed'), 3)}` }),
    ...size(of, 'largest normal force', columns.filter((c) => /\.force\.normal$/.test(c.name)), { at: (c) => c.name.replace(/\.force\.normal$/, '') }),
    ...size(of, 'fastest', columns.filter((c) => /\.v[xy]$/.test(c.name))),
    ...figure(of, 'contact residual', numberIn(group, 'contact.residual'), '', { digits: 2, at: missed ? `${missed} steps not solved` : 'every step solved', warn: !!missed }),
  ];
};

const ring: FigureMaker = (group, report) => {
  if (report.drive !== 'ring' || group.kind !== 'transient' || !group.table?.rows) return [];
  const columns = group.table.columns;
  const t = columnIn(group, 'ring.tension');
  return [
    ...(t?.stats ? figure(of, 'mean tension of the ring', t.stats.mean, 'N', { at: `from ${quantity(t.stats.min, 'N', 4, t.stats.max)} to ${quantity(t.stats.max, 'N')}` }) : []),
    ...size(of, 'largest stress', columns.filter((c) => /^ring\.\d+\.stress$/.test(c.name))),
    ...columns.filter((c) => /^pulley\.[^.]+\.torque$/.test(c.name) && c.stats).flatMap((c) => figure(of, `torque, ${c.name.split('.')[1]}`, c.stats!.mean, c.unit, { at: 'mean' })),
    ...size(of, 'fastest slip', columns.filter((c) => /^pulley\..*\.slip$/.test(c.name)), { at: (c) => c.name.split('.')[1]! }),
    ...size(of, 'largest line load', columns.filter((c) => /^pulley\..*\.peak$/.test(c.name)), { at: (c) => c.name.split('.')[1]! }),
  ];
};

const tracking: FigureMaker = (group) => {
  if (group.kind !== 'tracking') return [];
  const title = 'Tracking field';
  const falls = numberIn(group, 'falls.position');
  return [
    ...figure(title, 'largest tracking force', numberIn(group, 'largest'), unitIn(group, 'largest') || 'N'),
    ...word(title, 'off centre', numberIn(group, 'away') ? 'driven away' : 'always driven back', { at: `${numberIn(group, 'away') ?? 0} states driven away`, warn: !!numberIn(group, 'away') }),
    ...word(title, 'monotonic', falls ? 'no' : 'yes', { at: 'over the position' }),
    ...figure(title, 'contacts kept within', numberIn(group, 'penetration.largest'), 'm', { digits: 2 }),
  ];
};

const sheave: FigureMaker = (group, report) => {
  if (report.drive !== 'sheave' || !group.table?.rows) return [];
  const last = (name: string, column: string, more: string): KeyFigure[] => {
    const c = columnIn(group, column);
    return c?.stats ? figure(of, name, c.stats.last, c.unit, { at: more }) : [];
  };
  return [...last('clamping force', 'clamping.force', 'at the end'), ...last('closing', 'sheave.closing', 'at the end'), ...last('largest flank force', 'flank.largest', 'of one element, at the end'),
    ...last('least flank force', 'flank.least', 'of one element, at the end'), ...last('tilt', 'sheave.tilt', 'of the loose sheave'), ...last('spiral', 'spiral.depth', 'depth of the elements')];
};

const tester: FigureMaker = (group, report) => {
  if (report.drive !== 'push-force-tester' || group.kind !== 'quasistatic' || !group.table?.rows) return [];
  const title = 'Press';
  const at = (name: string): Column | undefined => columnIn(group, name);
  const [force, way, share] = [at('clamp.force'), at('clamp.displacement'), at('stack.head_share')];
  const t = at('ring.tension');
  const lift = at('stack.lift');
  const saving = numberIn(group, 'saving');
  return [
    ...(force?.stats ? figure(title, 'largest clamping force', force.stats.max, 'N', { at: way?.stats ? `pressed by ${quantity(way.stats.max - way.stats.min, 'm', 3)}` : '' }) : []),
    ...(force?.stats && way?.stats && way.stats.last !== way.stats.first ? figure(title, 'mean stiffness', (force.stats.last - force.stats.first) / (way.stats.last - way.stats.first), 'N/m', { digits: 3 }) : []),
    ...(share?.stats ? figure(title, 'share of the heads', 100 * share.stats.last, '%', { digits: 3, at: 'of the force, at the end' }) : []),
    ...(t?.stats ? figure(title, 'ring tension', t.stats.last, 'N', { at: 'at the end' }) : []),
    ...(lift?.stats ? figure(title, 'lift of the stack', Math.max(Math.abs(lift.stats.min), Math.abs(lift.stats.max)), 'm', { digits: 3 }) : []),
    ...figure(title, 'Newton iterations', numberIn(group, 'iterations'), '', { at: saving !== null ? `${number(100 * saving, 3)} % saved by extrapolation` : '' }),
  ];
};

const convergence: FigureMaker = (group) => {
  if (!isConvergence(group)) return [];
  const title = 'Convergence';
  return ['position', 'velocity', 'force'].flatMap((kind) => {
    const values = valuesIn(group, `order.${kind}`);
    return values && Number.isFinite(values[0]!) ? figure(title, `order of the ${kind}`, values[0]!, '', { digits: 4, at: `over ${number(valuesIn(group, `decades.${kind}`)?.[0] ?? NaN, 2)} decades` }) : [];
  });
};

const law: FigureMaker = (group) => {
  const force = columnIn(group, 'force');
  if (group.kind !== 'law' || !force?.stats) return [];
  const k = columnIn(group, 'stiffness');
  return [...figure('Law', 'largest force', Math.max(Math.abs(force.stats.min), Math.abs(force.stats.max)), force.unit),
    ...(k?.stats ? figure('Law', 'largest stiffness', k.stats.max, k.unit, { at: `least ${quantity(k.stats.min, k.unit, 3)}` }) : [])];
};

/* Where nothing is known of the drive: its numbers, and how much there is. */
export const anything: FigureMaker = (group) => {
  const title = group.title || group.name;
  const numbers = group.numbers.filter((n) => n.unit && n.value !== null).slice(0, 6).flatMap((n) => figure(title, nameOf(n), n.value, n.unit));
  if (numbers.length || !group.table?.rows) return numbers;
  const byUnit = new Map<string, Column>();
  for (const c of group.table.columns.slice(1)) if (c.stats && c.unit && !byUnit.has(c.unit) && sizeOfColumn(c) > 0) byUnit.set(c.unit, c);
  const channels = [...byUnit.values()].slice(0, 4).flatMap((c) => figure(title, `largest ${c.name}`, extremeColumn([c], 1)!.value, c.unit, { at: `least ${quantity(c.stats!.min, c.unit, 4, c.stats!.max)}` }));
  return channels.length ? channels : word(title, 'rows', plural(group.table.rows, 'row'));
};

export const bodyMakers: FigureMaker[] = [rolling, bodies, ring, tracking, sheave, tester, convergence, law];
