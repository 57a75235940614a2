/* sheave.ts — one sheave pair with the elements of a pushbelt between. */
import type { Drive } from './drive';
import { columnIn, figure, type FigureMaker, type KeyFigure } from '../figure';
import { sheaveActor } from './pushbelt/stage_sheave';

const of = 'Motion over time';

const figures: FigureMaker = (group, report) => {
  if (report.drive !== 'sheave' || !group.table?.rows) return [];
  const last = (name: string, column: string, more: string): KeyFigure[] => {
    const c = columnIn(group, column);
    return c?.stats ? figure(of, name, c.stats.last, c.unit, { at: more }) : [];
  };
  return [...last('clamping force', 'clamping.force', 'at the end'), ...last('closing', 'sheave.closing', 'at the end'), ...last('largest flank force', 'flank.largest', 'of one element, at the end'),
    ...last('least flank force', 'flank.least', 'of one element, at the end'), ...last('tilt', 'sheave.tilt', 'of the loose sheave'), ...last('spiral', 'spiral.depth', 'depth of the elements')];
};

export const sheave: Drive = { name: 'sheave', title: 'Sheave', stage: [sheaveActor], figures: [figures] };
