/* oscillator.ts — oscillators with clearances. */
import type { Drive } from './drive';
import { equilibriumFigures, oscillatorMotionFigures } from './oscillator/oscillator_figures';
import { equilibriaActor } from './oscillator/stage_equilibria';
import { oscillatorActor } from './oscillator/stage_oscillator';

export const oscillator: Drive = {
  name: 'clearance-oscillator',
  title: 'Oscillator with clearance',
  stage: [oscillatorActor, equilibriaActor],
  figures: [equilibriumFigures, oscillatorMotionFigures],
};
