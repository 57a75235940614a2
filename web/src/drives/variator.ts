/* variator.ts — pushbelt variators: runs, known by their numbers "variator.*", stationary points and the continuum. */
import type { Drive } from './drive';
import { columnIn } from '../figure';
import { continuum } from './pushbelt/continuum';
import { partOf } from './pushbelt/names';
import { variatorActor } from './pushbelt/stage_variator';
import { isStationaryVariator } from './pushbelt/stationary';
import { stationary } from './pushbelt/stationary_figures';
import { firstOfVariator, isVariator, isVariatorName, variatorBody, variatorRank } from './pushbelt/variator';
import { continuumFigures, runFigures, runWarnings } from './pushbelt/variator_figures';

export const variator: Drive = {
  name: 'variator',
  title: 'Pushbelt variator',
  stage: [variatorActor],
  figures: [runFigures, continuumFigures],
  warnings: [runWarnings],
  parts: partOf,
  analyses: [stationary, ...continuum],
  interest: (report, group) => (isVariator(group) || isStationaryVariator(group) || (report.drive === 'variator' && columnIn(group, 'ratio.thrust')) ? { first: firstOfVariator, rank: variatorRank } : null),
  shown: (what, name, report, group) => (isVariator(group) || (what === 'number' && report.drive === 'variator')) && isVariatorName(name),
  sections: (_report, group) => (isVariator(group) ? variatorBody(group) : []),
};
