/* registry.ts — the drives that the page knows. A new one is a file beside and two lines here: its import and its place in the list.
 *
 * Each is asked in this order; what several share is asked once. */
import { accessory } from './accessory';
import { beltTensionerMass } from './belt_tensioner_mass';
import { bodies } from './bodies';
import type { Report } from '../data';
import type { Drive } from './drive';
import { oscillator } from './oscillator';
import { pushForceTester } from './push_force_tester';
import { ring } from './ring';
import { ringTracking } from './ring_tracking';
import { rollingBody } from './rolling_body';
import { sheave } from './sheave';
import { tensionerIdentification } from './tensioner_identification';
import { tensionerRig } from './tensioner_rig';
import { variator } from './variator';

export const drives: Drive[] = [
  accessory,
  variator,
  pushForceTester,
  ring,
  sheave,
  ringTracking,
  rollingBody,
  oscillator,
  tensionerRig,
  tensionerIdentification,
  beltTensionerMass,
  bodies,
];

/* The drive of a result; nothing where the page does not know it. */
export const driveOf = (report: Report): Drive | undefined => drives.find((d) => d.name === report.drive);

/* What all drives have of something, each once. */
export const ofDrives = <T>(what: (d: Drive) => T[] | undefined): T[] => [...new Set(drives.flatMap((d) => what(d) ?? []))];
