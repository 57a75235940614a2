/* sheave.ts — one sheave pair with the elements of a pushbelt between. */
import type { Drive } from './drive';
import { columnIn, figure, type FigureMaker, type KeyFigure } from '../figure';
import { partOf } from './pushbelt/names';
import { sheaveActor } from './pushbelt/stage_sheave';

const of = 'Motion over time';

const figures: FigureMaker = (group, report) => {
  if (report.drive !== 'sheave' || !group.table?.rows) return [];
  const last = (name: string, column: string, more: string): KeyFigure[] => {
    const c = columnIn(group, column);
    return c?.stats ? figure(of, name, c.stats.last, c.unit, { at: more }) : [];
  };
  return [...last('clamping force', 'clamping.force', 'at the end'), ...last('axial travel', 'sheave.axial_travel', 'of the movable sheave, at the end'), ...last('largest flank force', 'flank.largest', 'of one element, at the end'),
    ...last('smallest flank force', 'flank.smallest', 'of one element, at the end'), ...last('tilt', 'sheave.tilt', 'of both sheaves together, at the end'), ...last('spiral running', 'spiral.depth', 'largest minus smallest radius in the arc, at the end')];
};

export const sheave: Drive = { name: 'sheave', title: 'Sheave', stage: [sheaveActor], parts: partOf, figures: [figures] };
