/* analysis.ts — what the page knows of a kind of analysis: one object of this type for each, listed in registry.ts or, when only one
 * drive has it, by that drive.
 *
 * An analysis without one is shown by its numbers, plots of all its channels and its arrays. Whatever is left out below is so, too. */
import type { ChannelOptions } from '../channels';
import type { Link } from '../chart';
import type { ArrayData, Group, NumberData, Report } from '../data';
import type { FigureMaker } from '../figure';
import type { Member } from '../overlay';
import type { WarningMaker } from '../warning';

/* What plots of an analysis can be given: both are made when they are asked for. */
export interface Around {
  picture: () => HTMLElement | null; /* the moving picture, or a line that says where it is */
  course: () => ChannelOptions; /* for plots of channels that share the cursor of the picture */
}

export interface Analysis {
  /* Of every group of this kind; without a kind, of those that `recognise` knows. */
  kind?: string;
  lead?: number; /* may stand at the top of the page; small ones before others */
  role?: 'scenery' | 'part'; /* describes the drive, or a part of an analysis: no key figures; scenery is not compared either */
  ownClock?: boolean; /* its picture goes over something else than the time of the plots */
  written?: boolean; /* its table is written out, not drawn */
  gaps?: boolean; /* values may be missing: not found, or not there */
  compared?: { first: RegExp; most?: number }; /* channels that a comparison begins with */
  figures?: FigureMaker[];
  warnings?: WarningMaker[];

  /* Of groups that have what the views need. */
  recognise?: (group: Group, report: Report) => boolean;
  body?: (report: Report, group: Group) => HTMLElement[]; /* the whole section */
  view?: (report: Report, group: Group) => HTMLElement[]; /* in the place of numbers, plots and arrays */
  channels?: boolean; /* with `view`: plots of all channels, folded, below */
  ownNumbers?: boolean; /* tells its numbers itself, also how it was computed */
  shown?: (what: 'text' | 'array', name: string) => boolean; /* in a place of its own: not written again */
  textTitle?: (name: string) => string; /* what a long text is called */

  numbers?: (group: Group) => NumberData[]; /* those to write, of all */
  peaks?: false; /* no figures of the largest values */
  opening?: (report: Report, group: Group) => HTMLElement[]; /* above the plots */
  plots?: (group: Group, around: Around) => HTMLElement[]; /* in the place of plots of the table */
  statistics?: false; /* none of the channels */
  vectors?: (group: Group, link: Link) => HTMLElement[]; /* in the place of plots of vectors */
  arrays?: { order: (a: ArrayData, b: ArrayData) => number; drawn: string; written: string }; /* folded, under these titles */
  overlay?: (members: Member[]) => HTMLElement[]; /* several results over each other */
}
