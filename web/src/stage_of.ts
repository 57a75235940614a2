/* stage_of.ts — which picture an analysis gets: each kind of drive has actors that know whether they can show it. */
import type { Link } from './chart';
import type { Group, Report } from './data';
import { ofDrives } from './drives/registry';
import { stage, type Actor, type StageOptions } from './stage';
import { swingActor } from './stage_swing';

const made = new WeakMap<Group, Actor | null>();

/* The actor of an analysis that moves, or null. Made once: it reads the whole film. */
export function actorOf(report: Report, group: Group): Actor | null {
  let actor = made.get(group);
  if (actor === undefined) {
    actor = null;
    for (const maker of ofDrives((d) => d.stage)) if ((actor = maker(report, group))) break;
    actor ??= swingActor(report, group, actorOf);
    made.set(group, actor);
  }
  return actor;
}

export function stageOf(report: Report, group: Group, link: Link, options: StageOptions = {}): HTMLElement | null {
  const actor = actorOf(report, group);
  return actor ? stage(actor, link, options) : null;
}
