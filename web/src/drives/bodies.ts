/* bodies.ts — bodies in the plane that touch; its picture is that of any scene in the plane, and comes last. */
import { bodyFigures } from './bodies/body_figures';
import { bodiesActor } from './bodies/stage_bodies';
import type { Drive } from './drive';

export const bodies: Drive = { name: 'bodies', title: 'Bodies in contact', stage: [bodiesActor], figures: [bodyFigures] };
