/* plain.ts — analyses that need no view of their own, and what lists of analyses must know of them. */
import type { Analysis } from './analysis';
import { valuesOf } from '../data';
import { arrayIn, extreme, figure, numberIn, valuesIn, type FigureMaker } from '../figure';
import { number, short } from '../format';
import { nameOf } from '../panels';
import { found } from '../response';
import { caseBody } from '../study_run';
import { quantity } from '../tables';
import { grave, type WarningMaker } from '../warning';

/* Orbits over one or several parameters, where they are not branches. */
const responseFigures: FigureMaker = (group) => {
  if (group.kind !== 'response' || group.table?.rows) return [];
  const ranges = group.arrays.filter((a) => a.name.endsWith('.range') && a.dims.length >= 1 && !a.omitted).slice(0, 2);
  const missed = numberIn(group, 'orbits.missed');
  return [
    ...ranges.flatMap((a) => {
      const best = extreme(found(a, group.arrays));
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

const unstableOrbit: WarningMaker = (group) => {
  const [re, im] = [valuesIn(group, 'multiplier.re'), valuesIn(group, 'multiplier.im')];
  const most = re && im && group.kind === 'periodic' ? extreme(Array.from(re, (v, i) => Math.hypot(v, im[i]!))) : null;
  return most && most.value > 1 + 1e-6 ? grave(`The steady orbit is unstable (largest multiplier ${number(most.value, 3)}): the drive does not stay on it.`) : [];
};

export const plain: Analysis[] = [
  { kind: 'transient', lead: 1 },
  { kind: 'quasistatic', lead: 2 },
  { kind: 'periodic', lead: 3, warnings: [unstableOrbit] },
  { kind: 'statics', lead: 5, ownClock: true, gaps: true },
  { kind: 'identify', lead: 7 },
  { kind: 'response', gaps: true, figures: [responseFigures], peaks: false /* key figures at the top */ },
  { kind: 'layout', role: 'scenery' },
  { kind: 'scene', role: 'scenery' },
  { kind: 'point', role: 'part', ownClock: true },
  { kind: 'case', role: 'part', body: (_report, group) => caseBody(group), overlay: () => [] },
];
