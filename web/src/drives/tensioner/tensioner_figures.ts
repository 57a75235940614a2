/* tensioner_figures.ts — key figures of a tensioner on a rig or before a mass: ranges, the loop, equilibrium. */
import type { Column } from '../../data';
import { columnIn, figure, numberIn, stabilityOf, word, type FigureMaker, type KeyFigure } from '../../figure';
import { quantity } from '../../tables';

const range = (of: string, name: string, c: Column | undefined): KeyFigure[] => {
  if (!c?.stats) return [];
  const { min, max } = c.stats;
  return figure(of, name, max - min, c.unit, { at: `from ${quantity(min, c.unit, 4, Math.max(Math.abs(min), Math.abs(max)))} to ${quantity(max, c.unit)}` });
};

const motion: FigureMaker = (group) => {
  const force = columnIn(group, 'tensioner.force');
  if (!force || !['transient', 'periodic'].includes(group.kind)) return [];
  const of = group.kind === 'periodic' ? 'Steady orbit' : 'Motion over time';
  const [x, t] = [columnIn(group, 'tensioner.deflection'), columnIn(group, 'belt.tension')];
  const area = numberIn(group, 'tensioner.loop_area');
  return [
    ...range(of, 'range of the belt tension', t),
    ...range(of, 'range of the tensioner force', force),
    ...range(of, 'range of the deflection', x),
    ...figure(of, 'loss in a cycle', area, 'J', { at: 'area of the loop' }),
    ...(t?.stats && group.kind === 'transient' ? figure(of, 'smallest tension', t.stats.min, 'N', { warn: t.stats.min <= 0 }) : []),
    ...(numberIn(group, 'stuck') === 1 ? word(of, 'friction', 'never slips') : []),
    ...(group.kind === 'periodic' ? stabilityOf(of, group) : []),
  ];
};

const statics: FigureMaker = (group) => {
  if (group.kind !== 'statics' || numberIn(group, 'tensioner.force') === null) return [];
  const of = 'Equilibrium';
  return [...figure(of, 'belt tension', numberIn(group, 'belt.tension'), 'N'), ...figure(of, 'tensioner deflection', numberIn(group, 'tensioner.deflection'), 'm')];
};

/* Of whatever has a tensioner. */
export const tensionerFigures: FigureMaker[] = [statics, motion];
