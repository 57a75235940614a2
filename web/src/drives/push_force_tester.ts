/* push_force_tester.ts — a stack of elements that is pressed between two clamps. */
import type { Column } from '../data';
import type { Drive } from './drive';
import { columnIn, figure, type FigureMaker } from '../figure';
import { partOf } from './pushbelt/names';
import { testerActor } from './pushbelt/stage_tester';
import { forceCurve, press } from './pushbelt/tester_curve';
import { quantity } from '../tables';

const figures: FigureMaker = (group, report) => {
  if (report.drive !== 'push-force-tester' || group.kind !== 'quasistatic' || !group.table?.rows) return [];
  const title = 'Press';
  const at = (name: string): Column | undefined => columnIn(group, name);
  const [force, way, share] = [at('clamp.force'), at('clamp.displacement'), at('stack.head_share')];
  const t = at('ring.tension');
  const lift = at('stack.lift');
  return [
    ...(force?.stats ? figure(title, 'largest clamping force', force.stats.max, 'N', { at: way?.stats ? `pressed by ${quantity(way.stats.max - way.stats.min, 'm', 3)}` : '' }) : []),
    ...(force?.stats && way?.stats && way.stats.last !== way.stats.first ? figure(title, 'mean stiffness', (force.stats.last - force.stats.first) / (way.stats.last - way.stats.first), 'N/m', { digits: 3 }) : []),
    ...(share?.stats ? figure(title, 'share of the heads', 100 * share.stats.last, '%', { digits: 3, at: 'of the push force, at the end' }) : []),
    ...(t?.stats ? figure(title, 'ring tension', t.stats.last, 'N', { at: 'at the end' }) : []),
    ...(lift?.stats ? figure(title, 'lift of the middle', -lift.stats.min > lift.stats.max ? lift.stats.min : lift.stats.max, 'm', { digits: 3, at: -lift.stats.min > lift.stats.max ? 'dog’s back' : 'cat’s back' }) : []),
  ];
};

export const pushForceTester: Drive = { name: 'push-force-tester', title: 'Push-Force-Tester', stage: [testerActor], headline: [forceCurve], parts: partOf, figures: [figures], analyses: [press] };
