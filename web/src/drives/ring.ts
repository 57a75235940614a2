/* ring.ts — a ring alone, or around two pulleys. */
import type { Drive } from './drive';
import { columnIn, figure, largestSize, type FigureMaker } from '../figure';
import { partsOf } from '../names';
import { partOf } from './pushbelt/names';
import { ringActor } from './pushbelt/stage_ring';
import { quantity } from '../tables';

const of = 'Motion over time';

const figures: FigureMaker = (group, report) => {
  if (report.drive !== 'ring' || group.kind !== 'transient' || !group.table?.rows) return [];
  const columns = group.table.columns;
  const t = columnIn(group, 'ring.tension');
  return [
    ...(t?.stats ? figure(of, 'mean tension of the ring', t.stats.mean, 'N', { at: `from ${quantity(t.stats.min, 'N', 4, t.stats.max)} to ${quantity(t.stats.max, 'N')}` }) : []),
    ...largestSize(of, 'largest stress of a layer', columns.filter((c) => /^ring\[\d+\]\.stress$/.test(c.name)), { at: (c) => c.long_name.replace(/^.* at /, 'at ') }),
    ...columns.filter((c) => /^pulley\.[^.]+\.torque$/.test(c.name) && c.stats).flatMap((c) => figure(of, `torque of the ${partsOf(c.name)[1]}`, -c.stats!.mean, c.unit, { at: `on the ring, mean: it ${c.stats!.mean < 0 ? 'drives' : 'brakes'}` })),
    ...largestSize(of, 'largest slip velocity', columns.filter((c) => /^pulley\..*\.slip$/.test(c.name)), { at: (c) => partsOf(c.name)[1]! }),
    ...largestSize(of, 'largest line load', columns.filter((c) => /^pulley\..*\.peak$/.test(c.name)), { at: (c) => partsOf(c.name)[1]! }),
  ];
};

export const ring: Drive = { name: 'ring', title: 'Ring', stage: [ringActor], parts: partOf, figures: [figures] };
