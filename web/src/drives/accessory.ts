/* accessory.ts — accessory drives: belts over pulleys that the crank drives, known by the layout that their results have. */
import { layoutOf } from './accessory/belt';
import { beltMotionFigures } from './accessory/belt_figures';
import { beltRank, crankOrders, firstOfBelt, isWatch, watchSheets } from './accessory/belt_motion';
import { staticsActor, steadyRunning } from './accessory/belt_statics';
import { beltWarnings } from './accessory/belt_warnings';
import { campbell } from './accessory/campbell';
import { life } from './accessory/life';
import { orders } from './accessory/orders';
import { beltActor } from './accessory/stage_belt';
import { modesStage } from './accessory/stage_modes';
import { isModes } from '../analyses/modes';
import type { Drive } from './drive';

export const accessory: Drive = {
  name: 'accessory-drive',
  title: 'Accessory drive',
  turning: true,
  loops: ['tensioner', 'arm'],
  shaft: (report) => {
    const crank = layoutOf(report.groups)?.crank;
    return crank ? `pulley.${crank}.speed` : null;
  },
  orders: crankOrders,
  stage: [beltActor, staticsActor],
  figures: [beltMotionFigures],
  warnings: [beltWarnings],
  analyses: [steadyRunning, orders, life, campbell],
  interest: (report) => (layoutOf(report.groups) ? { first: firstOfBelt, rank: beltRank } : null),
  shown: (what, name, report) => what === 'array' && isWatch(name) && !!layoutOf(report.groups),
  opening: (report, group) => (isModes(group) ? [modesStage(group, layoutOf(report.groups))].filter((n): n is HTMLElement => n !== null) : []),
  sections: (report, group) => {
    const layout = layoutOf(report.groups);
    return layout ? watchSheets(layout, group) : [];
  },
};
