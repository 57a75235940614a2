/* belt_tensioner_mass.ts — a mass that hangs in a belt with a tensioner. */
import type { Drive } from './drive';
import { massActor } from './tensioner/stage_mass';
import { tensionerFigures } from './tensioner/tensioner_figures';

export const beltTensionerMass: Drive = { name: 'belt-tensioner-mass', title: 'Belt, tensioner and mass', loops: ['tensioner'], stage: [massActor], figures: tensionerFigures };
