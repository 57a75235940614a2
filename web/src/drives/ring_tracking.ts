/* ring_tracking.ts — a ring on a crowned saddle: the field of tracking forces, and profiles across the ring. */
import type { Drive } from './drive';
import { valuesOf, type Group, type NumberData } from '../data';
import { arrayIn, extreme, figure, numberIn, word, type FigureMaker, type KeyFigure } from '../figure';
import { plural } from '../format';
import { pointName, trackingActor } from './pushbelt/stage_tracking';
import { profilePlots } from './pushbelt/tracking_profiles';

const title = 'Tracking field';

/* By size, with the normal force and the position that it is at. */
function largest(group: Group, name: string, text: string): KeyFigure[] {
  const [a, force, position] = [arrayIn(group, name), arrayIn(group, 'force'), arrayIn(group, 'position')];
  const most = a ? extreme(Array.from(valuesOf(a), Math.abs)) : null;
  if (!a || !most || !force || !position) return [];
  const n = position.dims[0]!;
  return figure(title, text, most.value, a.unit, { at: pointName(valuesOf(force)[Math.floor(most.i / n)]!, valuesOf(position)[most.i % n]!) });
}

const figures: FigureMaker = (group) => {
  if (group.kind !== 'tracking') return [];
  const [falls, away] = [numberIn(group, 'falls.position'), numberIn(group, 'away')];
  return [
    ...largest(group, 'tracking_force', 'largest tracking force'),
    ...word(title, 'direction', away ? 'away from the crest' : 'towards the crest', { at: away ? `at ${plural(away, 'point')} of the field` : 'everywhere', warn: !!away }),
    ...word(title, 'grows with the position', falls ? 'not everywhere' : 'everywhere', { at: falls ? `falls between ${plural(falls, 'pair')} of neighbouring points` : 'at each normal force' }),
    ...largest(group, 'tension', 'largest tension of the layer'), ...largest(group, 'pressure.largest', 'largest pressure'),
  ];
};

/* Of the complementarity problems; the others are key figures. */
const isSolverNumber = (n: NumberData): boolean => /^(complementarity|penetration)\.largest$|^(solutions|iterations)$/.test(n.name);

export const ringTracking: Drive = {
  name: 'ring-tracking',
  title: 'Ring on a saddle',
  stage: [trackingActor],
  analyses: [{ kind: 'tracking', lead: 6, ownClock: true, figures: [figures], peaks: false, numbers: (group) => group.numbers.filter(isSolverNumber) },
    { kind: 'tracking-profiles', ownClock: true, plots: (group, around) => [...[around.picture()].filter((n): n is HTMLElement => n !== null), ...profilePlots(group)], peaks: false, shown: (what) => what === 'array' }],
};
