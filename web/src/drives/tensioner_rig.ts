/* tensioner_rig.ts — a tensioner whose rod moves as imposed. */
import type { Drive } from './drive';
import { rigActor } from './tensioner/stage_rig';
import { tensionerFigures } from './tensioner/tensioner_figures';

export const tensionerRig: Drive = { name: 'tensioner-rig', title: 'Tensioner rig', loops: ['tensioner'], stage: [rigActor], figures: tensionerFigures };
