/* drive.ts — what the page knows of a drive: drives/<drive>.ts exports one object of this type, and registry.ts lists it.
 *
 * Whatever is left out is as for any drive. Each member is asked about every analysis of every result and answers null, false or an
 * empty list where it has nothing to say: some know their drive by its name, some by what the result has. What serves one family of
 * drives alone lives in a folder beside; families do not see each other. */
import type { Analysis } from '../analyses/analysis';
import type { Link } from '../chart';
import type { Group, Report, Table } from '../data';
import type { FigureMaker } from '../figure';
import type { ActorMaker } from '../stage';
import type { WarningMaker } from '../warning';

/* The channels of a run that an engineer looks at first. */
export interface Interest {
  first: RegExp; /* drawn when the page opens */
  rank: (name: string) => number; /* order in tables, small ones first */
}

/* A line of the energy balance: its mechanism, the same wherever it arises, and the place. null: as results call it. */
export type PartOf = (line: string) => { mechanism: string; place: string } | null;

export interface Drive {
  name: string; /* as results have it */
  title: string; /* as people call it */
  turning?: boolean; /* what is called speed turns on and on: told in revolutions per minute */
  loops?: string[]; /* owners of a force and a deflection whose loop is looked at before others */

  stage?: ActorMaker[]; /* moving pictures; the first that knows an analysis draws it */
  headline?: ((report: Report, group: Group, link: Link) => HTMLElement | null)[]; /* below the picture at the top of the page: what the drive is computed for */
  figures?: FigureMaker[]; /* key figures */
  warnings?: WarningMaker[];
  parts?: PartOf; /* what lines of the energy balance are called */
  analyses?: Analysis[]; /* analyses that only this drive has */

  shaft?: (report: Report) => string | null; /* the channel of the speed of which there are orders */
  orders?: (report: Report) => number[]; /* that excite the drive */

  interest?: (report: Report, group: Group) => Interest | null;
  shown?: (what: 'number' | 'text' | 'array', name: string, report: Report, group: Group) => boolean; /* in a place of its own: not written again */

  /* In the section of an analysis that has no view of its own. */
  opening?: (report: Report, group: Group) => HTMLElement[]; /* above the plots */
  motion?: (report: Report, source: Table, link: Link) => HTMLElement | null; /* beside the moving picture */
  sections?: (report: Report, group: Group) => HTMLElement[]; /* below the plots */
}
