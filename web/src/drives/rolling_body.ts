/* rolling_body.ts — bodies in space that roll, known by the channels of their contacts. */
import { rollingFigures } from './bodies/body_figures';
import { convergence } from './bodies/convergence';
import { rollingActor } from './bodies/stage_rolling';
import type { Drive } from './drive';
import { pathView } from '../paths';

export const rollingBody: Drive = {
  name: 'rolling-body',
  title: 'Rolling bodies',
  stage: [rollingActor],
  figures: [rollingFigures],
  analyses: [convergence],
  motion: (report, source, link) => (report.drive === 'rolling-body' ? pathView(source, link) : null),
};
