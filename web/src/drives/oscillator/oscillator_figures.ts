/* oscillator_figures.ts — key figures of oscillators: amplitude, period, which sides of the clearance are met, stability. */
import { valuesOf, type Group } from '../../data';
import { figure, numberIn, stabilityOf, word, type FigureMaker, type KeyFigure } from '../../figure';
import { number, plural } from '../../format';
import { partsOf } from '../../names';
import { quantity } from '../../tables';

/* How a body moves in its clearance: the sides that it meets, and how much of the time. */
function regime(of: string, group: Group): KeyFigure[] {
  const forces = group.table!.columns.filter((c) => c.name === 'force' || c.name.endsWith('.force')).filter((c) => c.unit === 'N' && c.stats && !/^(load|tensioner|ring|clamp)/.test(c.name));
  return forces.slice(0, 2).flatMap((c) => {
    const values = Array.from(valuesOf(c));
    const most = Math.max(Math.abs(c.stats!.min), Math.abs(c.stats!.max));
    const touching = values.filter((v) => Math.abs(v) > 1e-6 * most);
    if (!(most > 0) || touching.length === values.length) return [];
    let begins = 0;
    values.forEach((v, i) => (begins += i > 0 && Math.abs(v) > 1e-6 * most && Math.abs(values[i - 1]!) <= 1e-6 * most ? 1 : 0));
    const both = touching.some((v) => v > 0) && touching.some((v) => v < 0);
    return word(of, 'regime', both ? 'meets both sides' : 'meets one side', {
      at: `${number((100 * touching.length) / values.length, 3)} % of the rows in contact, ${plural(begins, 'impact')}${group.kind === 'periodic' ? ' a period' : ''}` });
  });
}

export const oscillatorMotionFigures: FigureMaker = (group, report) => {
  if (report.drive !== 'clearance-oscillator' || !['transient', 'periodic'].includes(group.kind) || !group.table?.rows) return [];
  const of = group.kind === 'periodic' ? 'Steady orbit' : 'Motion over time';
  const places = group.table.columns.filter((c) => /\.(position|angle)$/.test(c.name) && c.stats).slice(0, 3);
  const force = group.table.columns.find((c) => c.name.endsWith('.force') && c.unit === 'N' && c.stats);
  const period = numberIn(group, 'period');
  return [
    ...places.flatMap((c) => figure(of, `amplitude of ${partsOf(c.name)[0]}`, (c.stats!.max - c.stats!.min) / 2, c.unit, { at: `from ${quantity(c.stats!.min, c.unit, 4, c.stats!.max)} to ${quantity(c.stats!.max, c.unit)}` })),
    ...figure(of, 'period', period, 's', { at: period ? `${number(1 / period)} Hz` : '' }),
    ...regime(of, group),
    ...(force ? figure(of, 'largest contact force', Math.max(Math.abs(force.stats!.min), Math.abs(force.stats!.max)), 'N', { at: force.name }) : []),
    ...(group.kind === 'periodic' ? stabilityOf(of, group) : []),
  ];
};

export const equilibriumFigures: FigureMaker = (group, report) => {
  if (report.drive !== 'clearance-oscillator' || group.kind !== 'statics' || group.table?.rows) return [];
  return group.numbers.filter((n) => n.name.endsWith('.position')).slice(0, 2).flatMap((n) => figure('Equilibrium', n.name, n.value, n.unit));
};
