/* oscillator_figures.ts — key figures of oscillators: amplitude, period, which sides of the clearance are met, stability; of branches,
 * basins, backbones and folds what one looks for. */
import { isBackbone } from '../../analyses/backbone';
import { isBasins } from '../../analyses/basins';
import { isBranches, quantities, readBranches, specials } from '../../analyses/branch_data';
import { valuesOf, type Column, type Group } from '../../data';
import { arrayIn, columnIn, extreme, figure, numberIn, share, stabilityOf, valuesIn, word, type FigureMaker, type KeyFigure } from '../../figure';
import { isFolds, foldCurves } from '../../analyses/folds';
import { nameOf } from '../../channels';
import { number, plural, short } from '../../format';
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

const isOscillator = (drive: string): boolean => drive === 'clearance-oscillator';

const motion: FigureMaker = (group, report) => {
  if (!isOscillator(report.drive) || !['transient', 'periodic'].includes(group.kind) || !group.table?.rows) return [];
  const of = group.kind === 'periodic' ? 'Steady orbit' : 'Motion over time';
  const places = group.table.columns.filter((c) => /\.(position|angle)$/.test(c.name) && c.stats).slice(0, 3);
  const force = group.table.columns.find((c) => c.name.endsWith('.force') && c.unit === 'N' && c.stats);
  const period = numberIn(group, 'period');
  return [
    ...places.flatMap((c) => figure(of, `amplitude of ${c.name.split('.')[0]}`, (c.stats!.max - c.stats!.min) / 2, c.unit, { at: `from ${quantity(c.stats!.min, c.unit, 4, c.stats!.max)} to ${quantity(c.stats!.max, c.unit)}` })),
    ...figure(of, 'period', period, 's', { at: period ? `${number(1 / period)} Hz` : '' }),
    ...regime(of, group),
    ...(force ? figure(of, 'largest contact force', Math.max(Math.abs(force.stats!.min), Math.abs(force.stats!.max)), 'N', { at: force.name }) : []),
    ...(group.kind === 'periodic' ? stabilityOf(of, group) : []),
  ];
};

function peak(of: string, group: Group): KeyFigure[] {
  const set = readBranches(group);
  const y = quantities(set.table)[0];
  const best = y ? extreme(valuesOf(y)) : null;
  return y && best ? figure(of, `largest ${nameOf(y)}`, best.value, y.unit, { at: `at ${nameOf(set.x)} ${quantity(valuesOf(set.x)[best.i]!, set.x.unit)}` }) : [];
}

const branches: FigureMaker = (group) => {
  if (!isBranches(group)) return [];
  const of = group.kind === 'statics' ? 'Equilibria' : 'Response';
  const set = readBranches(group);
  const kinds = Array.from(set.kind);
  const special = specials.map((s) => ({ s, n: kinds.filter((k) => k === s.kind).length })).filter((e) => e.n);
  const unstable = set.branches.filter((b) => b.rows.some((r) => set.unstable(r) === true)).length;
  const missed = numberIn(group, 'stability.differs');
  return [
    ...peak(of, group),
    ...word(of, 'branches', plural(set.branches.length, 'branch', 'branches'), { at: unstable ? `${unstable} with unstable parts` : 'stable throughout' }),
    ...word(of, 'special points', special.map((e) => `${e.n} ${e.n === 1 ? e.s.one : e.s.many}`).join(', ')),
    ...figure(of, 'confirmed by integration', numberIn(group, 'confirmed'), '', { at: `of ${numberIn(group, 'verified')}${missed ? `; stability differs at ${missed}` : ''}`, warn: !!missed }),
  ];
};

const backbone: FigureMaker = (group) => {
  if (!isBackbone(group)) return [];
  const f = columnIn(group, 'frequency');
  const a = columnIn(group, 'amplitude');
  return f?.stats && a?.stats ? [
    ...figure('Backbone', 'frequency at small amplitude', valuesOf(f)[0]!, 'Hz', { at: `amplitude ${quantity(valuesOf(a)[0]!, a.unit, 3)}` }),
    ...figure('Backbone', 'frequency at the largest', valuesOf(f)[valuesOf(f).length - 1]!, 'Hz', { at: `amplitude ${quantity(a.stats.max, a.unit, 3)}` })] : [];
};

const basins: FigureMaker = (group) => {
  if (!isBasins(group)) return [];
  const shares = valuesIn(group, 'attractor.share');
  const best = extreme(shares);
  return [...word('Basins', 'attractors', String(arrayIn(group, 'attractors')?.dims[0] ?? '')), ...(best ? share('Basins', 'largest basin', best.value, { digits: 3, at: `attractor ${best.i + 1}` }) : [])];
};

const folds: FigureMaker = (group) => {
  if (!isFolds(group)) return [];
  const curves = foldCurves(group.table!);
  const y: Column | undefined = group.table!.columns[1];
  return [...word('Folds over two parameters', 'curves', plural(curves.length, 'curve')),
    ...(y?.stats ? figure('Folds over two parameters', `from ${nameOf(y)}`, y.stats.min, y.unit, { at: 'the least at which there are folds' }) : [])];
};

const equilibrium: FigureMaker = (group, report) => {
  if (!isOscillator(report.drive) || group.kind !== 'statics' || group.table?.rows) return [];
  return group.numbers.filter((n) => n.name.endsWith('.position')).slice(0, 2).flatMap((n) => figure('Equilibrium', n.name, n.value, n.unit));
};

const map: FigureMaker = (group) => {
  if (group.kind !== 'response' || group.table?.rows) return [];
  const ranges = group.arrays.filter((a) => a.name.endsWith('.range') && a.dims.length >= 1 && !a.omitted).slice(0, 2);
  const missed = numberIn(group, 'orbits.missed');
  return [
    ...ranges.flatMap((a) => {
      const best = extreme(valuesOf(a));
      if (!best) return [];
      let rest = best.i;
      const at = a.axes.map((name, k) => {
        const stride = a.dims.slice(k + 1).reduce((x, d) => x * d, 1);
        const axis = arrayIn(group, name);
        const i = Math.floor(rest / stride);
        rest %= stride;
        return axis ? `${nameOf(axis)} ${quantity(valuesOf(axis)[i]!, axis.unit, 3)}` : '';
      });
      return figure('Response', `largest ${nameOf(a).replace(/^largest /, '')}`, best.value, a.unit, { at: at.filter(Boolean).join(', ') });
    }),
    ...figure('Response', 'orbits found', numberIn(group, 'orbits.found'), '', { at: `${short(missed ?? 0)} missed, ${short(numberIn(group, 'orbits.stuck') ?? 0)} with friction stuck`, warn: !!missed }),
  ];
};

export const oscillatorMakers: FigureMaker[] = [equilibrium, motion, branches, map, backbone, basins, folds];
