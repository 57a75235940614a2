/* lead.ts — which analysis stands at the top of the page. */
import type { Group, Report } from './data';
import { actorOf } from './stage_of';

const order = ['transient', 'quasistatic', 'periodic', 'stationary', 'statics', 'tracking', 'identify', 'modes', 'campbell'];

/* The analysis that shows the drive best: what moves in time before what stands. */
export function mainGroup(report: Report): Group | null {
  const known = report.groups.filter((g) => order.includes(g.kind));
  const sorted = [...known].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  return sorted.find((g) => actorOf(report, g)) ?? sorted[0] ?? null;
}
