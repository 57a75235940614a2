/* tensioner_identification.ts — a measured loop of a tensioner, of which `capstan identify` finds the law. */
import type { Drive } from './drive';
import { identifyActor } from './tensioner/stage_rig';

export const tensionerIdentification: Drive = { name: 'identify', title: 'Identification of a tensioner', stage: [identifyActor] };
