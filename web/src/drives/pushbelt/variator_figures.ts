/* variator_figures.ts — key figures of pushbelt variators: of a run, of stationary points, and of the continuum. */
import { valuesOf, type Group } from '../../data';
import { arrayIn, columnIn, extreme, figure, numberIn, share, textIn, unitIn, valuesIn, word, type FigureMaker, type KeyFigure, type Written } from '../../figure';
import { number, plural } from '../../format';
import { efficiencies, ends, interval, passesPower } from './stationary';
import { quantity } from '../../tables';
import { grave, type Warning, type WarningMaker } from '../../warning';

const of = 'Operating point';

/* " ± 0.02 %" of a share. */
const errorText = (e: number): string => (Number.isFinite(e) ? ` ± ${number(100 * interval * e, 2)}` : '');

function told(group: Group, name: string, key: string, more: Written = {}): KeyFigure[] {
  const error = numberIn(group, `variator.${key}.error`) ?? undefined;
  return figure(more.at === undefined ? of : of, name, numberIn(group, `variator.${key}`), unitIn(group, `variator.${key}`), { digits: 5, ...more, ...(error !== undefined ? { error: interval * error } : {}) });
}

/* Of a run without averages, which are made at its end: what the last stored row has. */
function lastFigures(group: Group): KeyFigure[] {
  const time = group.table?.columns[0];
  if (!time?.stats || arrayIn(group, 'point.end') || !columnIn(group, 'ratio.thrust')) return [];
  const point = columnIn(group, 'point')?.stats?.last;
  const title = `Last instant stored (${point === undefined ? '' : `point ${point + 1}, `}${quantity(time.stats.last, time.unit, 4)})`;
  return ([['speed ratio i_s', 'ratio.speed'], ['thrust ratio i_F', 'ratio.thrust'], ['torque of the primary', 'primary.torque'], ['clamping force of the primary', 'primary.thrust'],
    ['push force, upper strand', 'upper.push'], ['push force, lower strand', 'lower.push'], ['ring tension, upper strand', 'upper.tension'], ['operational endplay', 'belt.open']] as const).flatMap(([name, channel]) => {
    const c = columnIn(group, channel);
    return c?.stats ? figure(title, name, c.stats.last, c.unit, { digits: 4 }) : [];
  });
}

export const runFigures: FigureMaker = (group, report) => {
  const n = (key: string): number => numberIn(group, `variator.${key}`) ?? NaN;
  if (group.kind === 'point') return [];
  if (!Number.isFinite(n('ratio'))) return report.drive === 'variator' ? lastFigures(group) : [];
  const upper = n('push_us') >= n('push_ls');
  const weak = n('safety_pri') < n('safety_sec') ? 'pri' : 'sec';
  return [
    ...told(group, 'speed ratio i_s', 'ratio', { digits: 5 }),
    ...told(group, 'thrust ratio i_F', 'thrust', { digits: 4 }),
    ...(!passesPower(n('torque_ratio')) ? word(of, 'efficiency', '–', { at: 'no power passes' }) : []),
    ...share(of, 'efficiency', passesPower(n('torque_ratio')) ? n('efficiency') : NaN, { at: `by contact losses ${number(100 * n('efficiency_local'), 4)}${errorText(n('efficiency_local.error'))} %`, ...(Number.isFinite(n('efficiency.error')) ? { error: 100 * interval * n('efficiency.error') } : {}), warn: n('credible') === 0 }),
    ...figure(of, 'power lost', n('power_lost'), 'W', { digits: 3, at: `of ${quantity(n('power_pri'), 'W', 3)} at the primary` }),
    ...figure(of, 'smallest safety against slip', n(`safety_${weak}`), '', { digits: 3, at: weak === 'pri' ? 'primary' : 'secondary', warn: n(`safety_${weak}`) < 1 }),
    ...told(group, 'operational endplay', 'oep', { digits: 3, at: 'sum of the open gaps at the rocking edges' }),
    ...told(group, 'push force', upper ? 'push_us' : 'push_ls', { digits: 4, at: upper ? 'upper strand' : 'lower strand' }),
    ...told(group, 'torque of the primary', 'torque_pri', { digits: 4, at: `torque ratio ${number(n('torque_ratio'), 3)}` }),
    ...told(group, 'clamping force of the primary', 'force_pri', { digits: 4 }),
    ...told(group, 'ring tension', upper ? 'tension_us' : 'tension_ls', { digits: 4, at: upper ? 'upper strand' : 'lower strand' }),
  ];
};

export const stationaryPointFigures: FigureMaker = (group) => {
  const end = arrayIn(group, 'point.end');
  if (group.kind !== 'stationary' || !end) return [];
  const counts = ends.map((_e, k) => Array.from(valuesOf(end)).filter((v) => v === k).length);
  const title = 'Stationary points';
  const names = textIn(group, 'points').split('\n');
  const range = (name: string, key: string, percent = false, digits = 4): KeyFigure[] => {
    const values = percent ? efficiencies(group, key) : valuesIn(group, key);
    const good = values ? Array.from(values).map((v, i) => (valuesOf(end)[i]! === 2 || valuesOf(end)[i]! === 3 ? NaN : v)) : null;
    const [low, high] = [extreme(good, -1), extreme(good, 1)];
    if (!low || !high) return [];
    const unit = arrayIn(group, key)!.unit;
    const write = (v: number): string => (percent ? `${number(100 * v, digits)} %` : quantity(v, unit, digits, high.value));
    return [{ of: title, name, value: percent ? 100 * high.value : high.value, unit: percent ? '%' : unit,
      text: low.value === high.value ? write(high.value) : `${percent ? number(100 * low.value, digits) : write(low.value)} … ${write(high.value)}`, ...(low.i === high.i ? {} : { at: `${names[low.i] ?? ''} … ${names[high.i] ?? ''}` }) }];
  };
  return [
    ...word(title, 'points', plural(end.dims[0]!, 'point'), { at: ends.map((e, k) => (counts[k] ? `${counts[k]} ${e}` : '')).filter(Boolean).join(', '), warn: counts[1]! + counts[3]! + counts[4]! > 0 }),
    ...range('speed ratio i_s', 'mean.ratio.speed'), ...range('thrust ratio i_F', 'mean.ratio.thrust'), ...range('efficiency', 'figure.efficiency', true),
    ...range('push force, upper strand', 'mean.upper.push'), ...range('endplay', 'mean.belt.endplay', false, 3),
  ];
};

export const continuumFigures: FigureMaker = (group) => {
  if (group.kind !== 'continuum' || numberIn(group, 'thrust_ratio') === null) return [];
  const title = 'Continuum';
  const n = (key: string): number => numberIn(group, key) ?? NaN;
  return [
    ...figure(title, 'speed ratio i_s', n('speed_ratio'), '', { digits: 5 }), ...figure(title, 'thrust ratio i_F', n('thrust_ratio'), '', { digits: 5 }),
    ...share(title, 'efficiency', n('efficiency')), ...figure(title, 'push force', Math.max(n('push.upper'), n('push.lower')), 'N', { at: n('push.upper') >= n('push.lower') ? 'upper strand' : 'lower strand' }),
    ...figure(title, 'torque of the primary', n('torque.primary'), 'N m', { at: `torque ratio ${number(n('torque_ratio.reached'), 3)}` }),
    ...figure(title, 'endplay', n('endplay'), 'm', { digits: 3 }),
  ];
};

/* ---- warnings ------------------------------------------------------------------------------------------------- */

/* Far fewer elements than the belt has. */
const fewElements = (group: Group): Omit<Warning, 'link'>[] => (numberIn(group, 'coarse.few') !== 1 ? [] : grave(
  `Few elements are simulated: in addition to the intervals, expect errors of up to ${number(numberIn(group, 'coarse.thrust.error') ?? NaN, 2)} in the thrust ratio.`));

export const runWarnings: WarningMaker = (group) => {
  const n = (key: string): number => numberIn(group, `variator.${key}`) ?? NaN;
  if (group.kind === 'point' || !Number.isFinite(n('ratio'))) return [];
  const list: Omit<Warning, 'link'>[] = fewElements(group);
  if (n('credible') === 0) list.push(...grave(`The power balance is off by ${number(100 * n('residual_losses'), 2)} % of the losses: losses and efficiencies are not credible.`));
  if (!Number.isFinite(n('stationary_from'))) list.push(...grave(`Not stationary${textIn(group, 'not_stationary') ? ` (${textIn(group, 'not_stationary')})` : ''}: the means are not those of a stationary point.`));
  if (n('macro_slip') === 1) list.push(...grave(`Macro slip: a pulley slips under the whole belt since ${quantity(n('macro_slip_begin'), 's')}.`));
  return list;
};

export const stationaryWarnings: WarningMaker = (group) => {
  const end = group.kind === 'stationary' ? valuesIn(group, 'point.end') : null;
  if (!end) return [];
  const names = textIn(group, 'points').split('\n');
  const of = (k: number): string[] => Array.from(end).map((v, i) => (v === k ? names[i] ?? String(i + 1) : '')).filter(Boolean);
  const say = (k: number, text: string): Omit<Warning, 'link'>[] => (of(k).length ? grave(`${text}: ${of(k).slice(0, 8).join(', ')}${of(k).length > 8 ? ` and ${of(k).length - 8} more` : ''}.`) : []);
  return [...fewElements(group), ...say(1, 'Not stationary within the time allowed'), ...say(2, 'Macro slip'), ...say(3, 'Failed points'), ...say(4, 'Shifting, not stationary')];
};
