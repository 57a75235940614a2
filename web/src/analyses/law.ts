/* law.ts — the law of an element: its force and the derivatives over the deflection, there and back. */
import type { Analysis } from './analysis';
import { nameOf } from '../channels';
import { valuesOf, type Group } from '../data';
import { el } from '../dom';
import { columnIn, figure, type FigureMaker } from '../figure';
import { Loop } from '../loop';
import { quantity } from '../tables';
import { lineStyle } from '../theme';

const isLaw = (group: Group): boolean =>
  group.kind === 'law' && !!group.table && group.table.columns.some((c) => c.name === 'force');

function lawView(group: Group): HTMLElement {
  const [x, ...others] = group.table!.columns;
  const host = el('div');
  const drawn = others.filter((c) => c.name !== 'velocity' && c.stats && c.stats.max > c.stats.min);
  requestAnimationFrame(() => drawn.forEach((y) => new Loop({
    x: { name: nameOf(x!), unit: x!.unit },
    y: { name: nameOf(y), unit: y.unit },
    curves: [{ name: nameOf(y), hint: y.name, x: valuesOf(x!), y: valuesOf(y), style: lineStyle(0) }],
    height: y.name === 'force' ? 380 : 240,
  }, host)));
  return host;
}

const figures: FigureMaker = (group) => {
  const force = columnIn(group, 'force');
  if (group.kind !== 'law' || !force?.stats) return [];
  const k = columnIn(group, 'stiffness');
  return [...figure('Law', 'largest force', Math.max(Math.abs(force.stats.min), Math.abs(force.stats.max)), force.unit),
    ...(k?.stats ? figure('Law', 'largest stiffness', k.stats.max, k.unit, { at: `least ${quantity(k.stats.min, k.unit, 3)}` }) : [])];
};

export const law: Analysis = { kind: 'law', recognise: isLaw, figures: [figures], plots: (group) => [lawView(group)], statistics: false };
