/* registry.ts — the kinds of analyses that the page knows: those that only one drive has come with it, then those of any drive. A new
 * one is a file beside and a line here. */
import type { Analysis } from './analysis';
import { backbone } from './backbone';
import { basins } from './basins';
import { branches, equilibria } from './branches';
import type { Group, Report } from '../data';
import { drives } from '../drives/registry';
import { fit } from './fit';
import { folds } from './folds';
import { identify } from './identify';
import { law } from './law';
import { modes } from './modes';
import { plain } from './plain';
import { studies } from '../summary_study';

export const analyses: Analysis[] = [
  ...drives.flatMap((d) => d.analyses ?? []),
  modes,
  identify,
  fit,
  branches,
  equilibria,
  backbone,
  basins,
  folds,
  law,
  ...plain,
  ...studies,
];

/* What is known of all groups of a kind. */
export const kindHas = (kind: string, what: (a: Analysis) => boolean): boolean => analyses.some((a) => a.kind === kind && what(a));

const found = new WeakMap<Group, Analysis[]>();

/* Those that know a group; more than one where they complete each other. */
export function analysesOf(report: Report, group: Group): Analysis[] {
  let list = found.get(group);
  if (!list) {
    list = analyses.filter((a) => (a.kind === undefined || a.kind === group.kind) && (a.recognise ? a.recognise(group, report) : a.kind !== undefined));
    found.set(group, list);
  }
  return list;
}
