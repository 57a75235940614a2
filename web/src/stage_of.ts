/* stage_of.ts — which picture an analysis gets: each kind of drive has an actor that knows whether it can show it. */
import type { Link } from './chart';
import type { Group, Report } from './data';
import { staticsActor } from './belt_statics';
import { stage, type Actor, type StageOptions } from './stage';
import { beltActor } from './stage_belt';
import { bodiesActor } from './stage_bodies';
import { equilibriaActor } from './stage_equilibria';
import { massActor } from './stage_mass';
import { oscillatorActor } from './stage_oscillator';
import { identifyActor, rigActor } from './stage_rig';
import { rollingActor } from './stage_rolling';
import { ringActor } from './stage_ring';
import { sheaveActor } from './stage_sheave';
import { testerActor } from './stage_tester';
import { trackingActor } from './stage_tracking';
import { swingActor } from './stage_swing';
import { variatorActor } from './stage_variator';

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
