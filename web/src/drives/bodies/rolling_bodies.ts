/* rolling_bodies.ts — rolling bodies as a result tells of them: what they are, how large, and where at an instant. What the scene
 * of the result does not tell is taken from the motion itself. */
import { valuesOf, type Group, type Values } from '../../data';
import { Motion } from '../../motion';
import { heading, poseOf, rolled, type Place3, type Pose } from './solid';

export type Kind = 'knife-edge' | 'sleigh' | 'wheel' | 'disc' | 'ball' | 'block' | 'planar';

export interface Blade {
  name: string; /* of its channels: "car.rear" */
  x: number;
  y: number;
  angle: number;
}

export interface Rolling {
  name: string;
  kind: Kind;
  radius: number;
  arm: number;
  length: number; /* m: of a drawing that shows what has no size of its own */
  blades: Blade[];
}

export interface Hinge {
  name: string;
  from: string;
  to: string;
  at: [number, number]; /* in the frame of the one, and of the other */
  end: [number, number];
}

export interface Ground {
  slope: number;
  turning: number;
}

export interface Push {
  at: Place3;
  force: Place3; /* N, of the ground on the body, in the frame of the ground */
}

const kinds: Kind[] = ['knife-edge', 'sleigh', 'wheel', 'disc', 'ball', 'block', 'planar'];

const list = (group: Group | undefined, name: string): string[] => group?.texts.find((t) => t.name === name)?.value.split(',').filter(Boolean) ?? [];
const array = (group: Group | undefined, name: string): Values => {
  const found = group?.arrays.find((a) => a.name === name && !a.omitted);
  return found ? valuesOf(found) : [];
};
const value = (group: Group | undefined, name: string): number | undefined => group?.numbers.find((n) => n.name === name)?.value ?? undefined;

/* Bodies have BODY.x and BODY.y with velocities; contacts have places only. */
const bodyNames = (motion: Motion): string[] => motion.names.filter((n) => n.endsWith('.x') && motion.has(`${n.slice(0, -2)}.y`, `${n.slice(0, -2)}.vx`)).map((n) => n.slice(0, -2));

function kindFrom(motion: Motion, name: string): Kind {
  if (motion.has(`${name}.e0`)) return motion.has(`${name}.tilt`) ? 'disc' : 'ball';
  if (motion.has(`${name}.roll`)) return 'wheel';
  if (!motion.has(`${name}.heading`)) return 'block';
  return motion.has(`${name}.force.sideways`) ? 'knife-edge' : 'planar';
}

function radiusFrom(motion: Motion, name: string, kind: Kind): number {
  const t = motion.time[0]!;
  const z = motion.at(`${name}.z`, t);
  if (kind === 'ball') return z;
  if (kind === 'disc') return z / Math.sin(motion.at(`${name}.tilt`, t)) || 0;
  return NaN;
}

/* The blades of a planar body from where their contacts are. */
function bladesFrom(motion: Motion, name: string): Blade[] {
  const t = motion.time[0]!;
  const [x, y, a] = ['x', 'y', 'heading'].map((e) => motion.at(`${name}.${e}`, t)) as [number, number, number];
  return motion.names.filter((n) => n.startsWith(`${name}.`) && n.endsWith('.force.sideways')).map((n) => n.slice(0, -'.force.sideways'.length)).map((blade) => {
    const [dx, dy] = [motion.at(`${blade}.contact.x`, t) - x || 0, motion.at(`${blade}.contact.y`, t) - y || 0];
    return { name: blade, x: Math.cos(a) * dx + Math.sin(a) * dy, y: -Math.sin(a) * dx + Math.cos(a) * dy, angle: 0 };
  });
}

/* How far the bodies come, m. */
export function reachOf(motion: Motion, names: string[]): number {
  const all = names.flatMap((n) => ['x', 'y'].map((e) => motion.series(`${n}.${e}`))).filter((s) => s !== null);
  const [xs, ys] = [all.filter((_s, i) => i % 2 === 0), all.filter((_s, i) => i % 2 === 1)];
  const span = (of: typeof all): number => Math.max(...of.map((s) => s!.high)) - Math.min(...of.map((s) => s!.low));
  return Math.max(span(xs), span(ys), 1e-6);
}

export function rollingOf(scene: Group | undefined, motion: Motion): { bodies: Rolling[]; hinges: Hinge[]; ground: Ground } | null {
  const told = list(scene, 'bodies');
  const names = bodyNames(motion);
  const reach = reachOf(motion, names);
  const [kindList, radius, arm] = [list(scene, 'kinds'), array(scene, 'body.radius'), array(scene, 'body.arm')];
  const [mass, inertia] = [array(scene, 'body.mass'), array(scene, 'body.inertia')];
  const [bladeNames, bx, by, ba] = [list(scene, 'blades'), array(scene, 'blade.x'), array(scene, 'blade.y'), array(scene, 'blade.angle')];
  const [from, to] = [list(scene, 'hinge.from'), list(scene, 'hinge.to')];
  const [fx, fy, tx, ty] = ['from_x', 'from_y', 'to_x', 'to_y'].map((e) => array(scene, `hinge.${e}`)) as [Values, Values, Values, Values];
  const hinges = list(scene, 'hinges').map((name, i): Hinge => ({ name, from: from[i] ?? '', to: to[i] ?? '', at: [fx[i] ?? 0, fy[i] ?? 0], end: [tx[i] ?? 0, ty[i] ?? 0] }));
  const bodies = names.map((name): Rolling => {
    const i = told.indexOf(name);
    const kind = kinds.find((k) => k === kindList[i]) ?? kindFrom(motion, name);
    const own = radius[i] && radius[i]! > 0 ? radius[i]! : radiusFrom(motion, name, kind);
    const stored = bladeNames.map((b, k): Blade => ({ name: b, x: bx[k] ?? 0, y: by[k] ?? 0, angle: ba[k] ?? 0 })).filter((b) => b.name === name || b.name.startsWith(`${name}.`));
    const blades = stored.length ? stored : bladesFrom(motion, name);
    const slim = mass[i]! > 0 && inertia[i]! > 0 ? Math.sqrt((12 * inertia[i]!) / mass[i]!) : 0; /* a rod with its inertia */
    const spread = blades.length > 1 ? Math.max(...blades.map((b) => b.x)) - Math.min(...blades.map((b) => b.x)) : 0;
    const drawbar = Math.max(0, ...hinges.flatMap((h) => (h.to === name ? [Math.abs(h.end[0])] : [])));
    const length = kind === 'planar' ? Math.max(1.35 * spread, drawbar, 0.06 * reach) : Math.min(0.16 * reach, Math.max(0.07 * reach, slim || 0.1 * reach));
    return { name, kind, radius: Number.isFinite(own) && own > 0 ? own : 0.25 * length, arm: arm[i] || Math.abs(blades[0]?.x ?? 0), length, blades };
  });
  if (!bodies.length) return null;
  return { bodies, hinges, ground: { slope: value(scene, 'ground.slope') ?? 0, turning: value(scene, 'ground.turning') ?? 0 } };
}

/* The body's frame at an instant, in that of the ground. */
export function poseAt(body: Rolling, motion: Motion, at: number): Pose {
  const v = (end: string): number => motion.series(`${body.name}.${end}`)?.at(at) ?? 0;
  if (motion.has(`${body.name}.e0`)) return poseOf([v('x'), v('y'), v('z')], [v('e0'), v('e1'), v('e2'), v('e3')]);
  const flat = heading([v('x'), v('y'), 0], v('heading'));
  return body.kind === 'wheel' ? rolled({ ...flat, at: [v('x'), v('y'), body.radius] }, v('roll')) : flat;
}

/* Forces of the ground; the channels tell what resists, so their sign is turned. Only what the model has as a contact is known. */
export function pushesAt(body: Rolling, motion: Motion, at: number): Push[] {
  const v = (name: string): number => motion.series(name)?.at(at) ?? 0;
  const own = body.name;
  const place = (contact: string): Place3 => (motion.has(`${contact}.contact.x`) ? [v(`${contact}.contact.x`), v(`${contact}.contact.y`), 0] : [v(`${own}.x`), v(`${own}.y`), 0]);
  const pushes: Push[] = [];
  if (motion.has(`${own}.force.x`)) pushes.push({ at: place(own), force: [-v(`${own}.force.x`), -v(`${own}.force.y`), -v(`${own}.force.normal`)] });
  const direction = v(`${own}.heading`);
  for (const blade of body.blades.length ? body.blades : [{ name: own, angle: 0 }]) {
    if (!motion.has(`${blade.name}.force.sideways`)) continue;
    const a = direction + blade.angle;
    const [across, forward] = [-v(`${blade.name}.force.sideways`), -v(`${blade.name}.force.rolling`)];
    pushes.push({ at: place(blade.name), force: [-Math.sin(a) * across + Math.cos(a) * forward, Math.cos(a) * across + Math.sin(a) * forward, 0] });
  }
  return pushes;
}

/* Contacts with a path of their own. */
export const contactsOf = (body: Rolling, motion: Motion): string[] =>
  [body.name, ...body.blades.map((b) => b.name)].filter((n, i, all) => all.indexOf(n) === i && motion.has(`${n}.contact.x`, `${n}.contact.y`));
