/* study_run.ts — what the run of a case says of its study: its responses, why it failed, what it cost. */
import type { Group } from './data';
import { el } from './dom';
import { numberOf, textOf } from './study_data';
import { figureList, quantity, remark } from './tables';

export function caseBody(group: Group): HTMLElement[] {
  const own = ['case', 'state', 'steps', 'iterations'];
  const reason = textOf(group, 'reason');
  const cost = group.numbers.filter((n) => ['steps', 'iterations'].includes(n.name));
  const responses = group.numbers.filter((n) => !own.includes(n.name) && n.value !== null && Number.isFinite(n.value));
  return [
    ...(numberOf(group, 'state') === 1 || reason ? [el('p.notice', {}, `This case failed: ${reason || 'no reason is given'}.`)] : []),
    ...(responses.length ? [figureList(responses.map((n) => ({ name: n.name.replace(/^response\./, ''), value: quantity(n.value, n.unit), at: n.long_name })))] : []),
    ...(cost.length ? [el('p.extent', {}, cost.map(remark).join(' · '))] : []),
    ...(group.arrays.some((a) => a.name.startsWith('end.')) ? [el('p.hint', {}, 'The result file also has its final state, from which the next case of the study starts.')] : []),
  ];
}
