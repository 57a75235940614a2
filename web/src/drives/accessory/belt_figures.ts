/* belt_figures.ts — key figures of accessory drives: tensions, hub loads, safety against slip, the tensioner, the lowest mode, life. */
import { layoutOf, type Layout } from './belt';
import { grossSlip, hubCourses } from './belt_course';
import { valuesOf, type Column, type Group, type Values } from '../../data';
import { columnIn, extreme, figure, numberIn, rpm, share, valuesIn, type Extreme, type FigureMaker, type KeyFigure } from '../../figure';
import { number, short, spoken } from '../../format';
import { partsOf } from '../../names';
import { runExtreme, whenText, type Course } from '../../start_up';
import { quantity } from '../../tables';

const memberOf = (c: Column): string => spoken(partsOf(c.name)[1]!);

/* "span.*.tension" of a table over the speed: the extreme and at which speed. */
function overSpeed(group: Group, match: RegExp, sign: 1 | -1): { column: Column; at: Extreme } | null {
  let best: { column: Column; at: Extreme } | null = null;
  for (const column of group.table!.columns.filter((c) => match.test(c.name))) {
    const at = extreme(valuesOf(column), sign);
    if (at && (!best || sign * (at.value - best.at.value) > 0)) best = { column, at };
  }
  return best;
}

export const steadyFigures: FigureMaker = (group, report) => {
  const layout = layoutOf(report.groups);
  if (group.kind !== 'statics' || !layout || !columnIn(group, 'belt.speed')) return [];
  const speeds = valuesOf(group.table!.columns[0]!);
  const where = (i: number): string => (speeds.length > 1 ? ` at ${rpm(speeds[i]!)}` : '');
  const of = speeds.length > 1 ? 'Steady running vs crank speed' : `Steady running at ${rpm(speeds[0]!)}`;
  const found = (name: string, match: RegExp, sign: 1 | -1, unit: string, text: string, digits = 4): KeyFigure[] => {
    const best = overSpeed(group, match, sign);
    return best ? figure(of, name, best.at.value, unit, { digits, at: `${text}${memberOf(best.column)}${where(best.at.i)}`, warn: name.includes('safety') && best.at.value < 1 }) : [];
  };
  return [
    ...found('smallest slip safety', /^pulley\.[^.]+\.safety$/, -1, '', '', 3), /* what is asked for first */
    ...found('largest tension', /^span\.[^.]+\.tension$/, 1, 'N', 'span after '),
    ...found('smallest tension', /^span\.[^.]+\.tension$/, -1, 'N', 'span after '),
    ...found('largest hub load', /^pulley\.[^.]+\.hub$/, 1, 'N', ''),
    ...tensioner(of, group, layout, speeds),
    ...losses(of, group, where),
  ];
};

function tensioner(of: string, group: Group, layout: Layout, speeds: ArrayLike<number>): KeyFigure[] {
  const column = layout.arm && columnIn(group, layout.arm.place);
  if (!layout.arm || !column?.stats) return [];
  const { min, max } = column.stats;
  const first = valuesOf(column)[0]!;
  const travel = max - min;
  const stops = layout.arm.stops;
  const room = stops ? `, stops at ${quantity(stops[0], layout.arm.unit, 3)} and ${quantity(stops[1], layout.arm.unit, 3)}` : '';
  return figure(of, `${layout.arm.part}`, first, layout.arm.unit, { at: `${speeds.length > 1 ? `at ${rpm(speeds[0]!)}; moves by ${quantity(travel, layout.arm.unit, 3)}` : 'position'}${room}` });
}

function losses(of: string, group: Group, where: (i: number) => string): KeyFigure[] {
  const columns = group.table!.columns.filter((c) => /^pulley\.[^.]+\.loss$/.test(c.name)).map((c) => valuesOf(c));
  const power = columnIn(group, 'crank.power');
  if (!columns.length || !power) return [];
  const sums = Array.from(valuesOf(power), (_p, i) => columns.reduce((a, c) => a + (Number.isFinite(c[i]!) ? c[i]! : 0), 0));
  const shares = sums.map((s, i) => s / valuesOf(power)[i]!);
  const most = extreme(shares);
  return most ? share(of, 'lost by creep', most.value, { digits: 2, at: `${quantity(sums[most.i]!, 'W', 3)} of ${quantity(valuesOf(power)[most.i]!, 'W', 3)}${where(most.i)}` }) : [];
}

/* An extreme over time with its instant; of a steady orbit, which has no start, without. */
function overTime(of: string, name: string, group: Group, time: Values, courses: Course[], sign: 1 | -1, unit: string, where: string, slack = false): KeyFigure[] {
  const found = courses.length ? runExtreme(time, courses, sign) : null;
  if (!found) return [];
  const when = group.kind === 'periodic' ? '' : ` ${whenText(found, unit)}`;
  const shown = group.kind === 'periodic' && found.start ? found.start : found;
  return figure(of, name, shown.value, unit, { at: `${where}${spoken(shown.name)}${when}`, warn: slack && shown.value <= 0 });
}

export const beltMotionFigures: FigureMaker = (group, report) => {
  const layout = layoutOf(report.groups);
  if (!layout || !['transient', 'periodic'].includes(group.kind) || !group.table?.rows) return [];
  const of = group.kind === 'periodic' ? 'Steady orbit' : 'Motion over time';
  const spans = group.table.columns.filter((c) => /^span\.[^.]+\.tension$/.test(c.name)).map((c): Course => ({ name: memberOf(c), values: valuesOf(c) }));
  const time = valuesOf(group.table.columns[0]!);
  const hubs = hubCourses(layout, group);
  const most = extreme(valuesIn(group, 'watch.hub_most'));
  const place = layout.arm && columnIn(group, layout.arm.place);
  const slip = extreme(valuesIn(group, 'watch.slip_most'));
  const slipping = valuesIn(group, 'watch.slipping');
  const gross = grossSlip(layout, group);
  return [
    ...overTime(of, 'largest tension', group, time, spans, 1, 'N', 'span after '),
    ...overTime(of, 'smallest tension', group, time, spans, -1, 'N', 'span after ', true),
    ...(hubs ? overTime(of, 'largest hub load', group, hubs.time, hubs.courses, 1, 'N', '')
      : most ? figure(of, 'largest hub load', most.value, 'N', { at: `${spoken(layout.pulleys[most.i]?.name ?? '')}, of the whole run` }) : []),
    ...(place?.stats ? figure(of, `swing of the ${layout.arm!.part}`, place.stats.max - place.stats.min, place.unit, { at: `about ${quantity(place.stats.mean, place.unit)}` }) : []),
    ...(slip && slip.value > 0 && slipping && slipping[slip.i]! > 0 ? figure(of, 'fastest gross slip', slip.value, 'm/s', { warn: !gross?.atStart,
      at: `${spoken(layout.pulleys[slip.i]?.name ?? '')}, ${number(100 * slipping[slip.i]!, 3)} % of the time${gross?.atStart ? `: only in the first ${quantity(gross.until, 's', 2)}, start-up` : ''}` }) : []),
  ];
};

export const campbellFigures: FigureMaker = (group) => {
  const order = valuesIn(group, 'crossing.order');
  const speed = valuesIn(group, 'crossing.speed');
  if (group.kind !== 'campbell' || !group.table) return [];
  const of = 'Modes vs crank speed';
  const lowest = columnIn(group, 'mode.1.frequency');
  const growth = extreme(columnIn(group, 'growth') ? valuesOf(columnIn(group, 'growth')!) : null);
  const first = order && speed ? Array.from(order, (o, i) => ({ o, s: speed[i]!, f: valuesIn(group, 'crossing.frequency')![i]! })).sort((a, b) => a.o - b.o || a.s - b.s)[0] : undefined;
  return [
    ...(lowest?.stats ? figure(of, 'lowest mode', lowest.stats.first, 'Hz', { at: `at ${rpm(valuesOf(group.table.columns[0]!)[0]!)}` }) : []),
    ...(first ? figure(of, `order ${short(first.o)} meets a mode`, first.s, 'shaft', { at: `${number(first.f)} Hz` }) : []),
    ...(growth && growth.value > 1e-3 ? figure(of, 'a mode grows', growth.value, '1/s', { warn: true, at: `at ${rpm(valuesOf(group.table.columns[0]!)[growth.i]!)}: unstable` }) : []),
  ];
};

export const ordersFigures: FigureMaker = (group) => {
  if (group.kind !== 'orders' || !group.table) return [];
  const friction = group.texts.find((t) => t.name === 'friction')?.value;
  const of = friction ? `Response to the orders, friction ${friction}` : 'Response to the orders';
  const best = overSpeed(group, /^span\..*\.tension\.sum$/, 1);
  const arm = overSpeed(group, /^(arm\.angle|slide\.position)\.sum$/, 1);
  const at = (i: number): string => rpm(valuesOf(group.table!.columns[0]!)[i]!);
  return [
    ...(best ? figure(of, 'largest tension amplitude', best.at.value, best.column.unit, { at: `span after ${memberOf(best.column)} at ${at(best.at.i)}` }) : []),
    ...(arm ? figure(of, 'largest tensioner amplitude', arm.at.value, arm.column.unit, { at: `at ${at(arm.at.i)}` }) : []),
  ];
};

export const lifeFigures: FigureMaker = (group) => {
  if (group.kind !== 'life') return [];
  const of = 'Duty cycle';
  const [hours, used] = [numberIn(group, 'duty.life'), numberIn(group, 'duty.used')];
  const names = (group.texts.find((t) => t.name === 'pulleys')?.value ?? '').split(',').map(spoken);
  const damage = extreme(valuesIn(group, 'pulley.share'));
  const safety = extreme(valuesIn(group, 'pulley.static_safety'), -1);
  return [
    ...figure(of, 'life of the belt', hours, 's', { at: used !== null ? `the target uses up ${number(100 * used, 3)} %` : '', warn: used !== null && used > 1 }),
    ...(damage ? share(of, 'most of the damage', damage.value, { digits: 3, at: names[damage.i] }) : []),
    ...(safety ? figure(of, 'least bearing safety', safety.value, '', { digits: 3, at: `${names[safety.i]}, static`, warn: safety.value < 1 }) : []),
  ];
};
