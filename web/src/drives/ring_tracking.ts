/* ring_tracking.ts — a ring on a crowned saddle: the field of tracking forces, and profiles across the ring. */
import type { Drive } from './drive';
import { figure, numberIn, unitIn, word, type FigureMaker } from '../figure';
import { trackingActor } from './pushbelt/stage_tracking';

const figures: FigureMaker = (group) => {
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

export const ringTracking: Drive = {
  name: 'ring-tracking',
  title: 'Ring on a saddle',
  stage: [trackingActor],
  analyses: [{ kind: 'tracking', lead: 6, ownClock: true, figures: [figures] }, { kind: 'tracking-profiles', ownClock: true }],
};
