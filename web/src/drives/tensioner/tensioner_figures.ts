/* tensioner_figures.ts — key figures of tensioner rigs, belt-tensioner-mass and fits: ranges, the loop, parameters with their errors. */
import { isFit } from '../../analyses/fit';
import { isIdentification } from '../../analyses/identify';
import { columnIn, figure, numberIn, stabilityOf, textIn, unitIn, word, type FigureMaker, type KeyFigure } from '../../figure';
import type { Column, Group } from '../../data';
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

const known = (group: Group): string[] => group.numbers.filter((n) => group.numbers.some((k) => k.name === `${n.name}.low`)).map((n) => n.name);

/* "k0, stiffness" */
function told(group: Group, name: string): string {
  const [short, long] = [name.slice(name.indexOf('.') + 1), group.numbers.find((n) => n.name === name)?.long_name ?? ''];
  return long && long !== name && long.length < 40 ? `${short}, ${long}` : short;
}

const identified: FigureMaker = (group) => {
  if (isFit(group) || !isIdentification(group)) return [];
  const best = textIn(group, 'best');
  const law = best && best !== 'none' ? best : known(group)[0]?.replace(/\..*$/, '');
  const list = known(group).filter((n) => n.startsWith(`${law}.`));
  const of = `Parameters identified${law ? `, law ${law}` : ''}`;
  return [
    ...list.flatMap((name) => figure(of, told(group, name), numberIn(group, name), unitIn(group, name), { digits: 5, error: numberIn(group, `${name}.error`) ?? undefined,
      at: `95 %: ${quantity(numberIn(group, `${name}.low`), unitIn(group, name), 4, numberIn(group, name))} … ${quantity(numberIn(group, `${name}.high`), unitIn(group, name), 4, numberIn(group, name))}` })),
    ...figure(of, 'left unexplained', numberIn(group, `${law}.rms`), unitIn(group, `${law}.rms`), { digits: 3, at: 'rms of the residuals' }),
  ];
};

const fitted: FigureMaker = (group) => {
  if (!isFit(group)) return [];
  const of = 'Parameters fitted';
  const paths = group.texts.filter((t) => t.name.endsWith('.state'));
  return paths.flatMap((t) => {
    const path = t.name.replace(/\.state$/, '');
    const [unit, value, error] = [unitIn(group, path), numberIn(group, path), numberIn(group, `${path}.error`)];
    if (t.value !== 'identified') return word(of, path, t.value, { warn: true, at: value === null ? '' : `the search ended at ${quantity(value, unit, 3)}` });
    return figure(of, path, value, unit, { digits: 5, error: error ?? undefined, at: `started at ${quantity(numberIn(group, `${path}.start`), unit, 3, value)}` });
  });
};

export const tensionerMakers: FigureMaker[] = [identified, fitted, statics, motion];
