/* lead.ts — which analysis stands at the top of the page. */
import { analyses } from './analyses/registry';
import type { Group, Report } from './data';
import { actorOf } from './stage_of';

const rank = (g: Group): number => analyses.find((a) => a.kind === g.kind && a.lead !== undefined)?.lead ?? Infinity;

/* The analysis that shows the drive best: what moves in time before what stands. */
export function mainGroup(report: Report): Group | null {
  const sorted = report.groups.filter((g) => rank(g) < Infinity).sort((a, b) => rank(a) - rank(b));
  return sorted.find((g) => actorOf(report, g)) ?? sorted[0] ?? null;
}
