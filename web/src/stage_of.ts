/* stage_of.ts — which picture an analysis gets: each kind of drive has an actor that knows whether it can show it. */
import type { Link } from './chart';
import type { Group, Report } from './data';
import { staticsActor } from './drives/accessory/belt_statics';
import { stage, type Actor, type StageOptions } from './stage';
import { beltActor } from './drives/accessory/stage_belt';
import { bodiesActor } from './drives/bodies/stage_bodies';
import { equilibriaActor } from './drives/oscillator/stage_equilibria';
import { massActor } from './drives/tensioner/stage_mass';
import { oscillatorActor } from './drives/oscillator/stage_oscillator';
import { identifyActor, rigActor } from './drives/tensioner/stage_rig';
import { rollingActor } from './drives/bodies/stage_rolling';
import { ringActor } from './drives/pushbelt/stage_ring';
import { sheaveActor } from './drives/pushbelt/stage_sheave';
import { testerActor } from './drives/pushbelt/stage_tester';
import { trackingActor } from './drives/pushbelt/stage_tracking';
import { swingActor } from './stage_swing';
import { variatorActor } from './drives/pushbelt/stage_variator';

export type Maker = (report: Report, group: Group) => Actor | null;

const makers: Maker[] = [
  beltActor,
  staticsActor,
  variatorActor,
  testerActor,
  ringActor,
  sheaveActor,
  trackingActor,
  rollingActor,
  oscillatorActor,
  equilibriaActor,
  rigActor,
  identifyActor,
  massActor,
  bodiesActor, /* any scene in the plane */
];

const made = new WeakMap<Group, Actor | null>();

/* The actor of an analysis that moves, or null. Made once: it reads the whole film. */
export function actorOf(report: Report, group: Group): Actor | null {
  let actor = made.get(group);
  if (actor === undefined) {
    actor = null;
    for (const maker of makers) if ((actor = maker(report, group))) break;
    actor ??= swingActor(report, group, actorOf);
    made.set(group, actor);
  }
  return actor;
}

export function stageOf(report: Report, group: Group, link: Link, options: StageOptions = {}): HTMLElement | null {
  const actor = actorOf(report, group);
  return actor ? stage(actor, link, options) : null;
}
