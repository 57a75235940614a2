/* identify.ts — identified parameters with their confidence intervals.
 *
 * An identification stores for each law the arrays <law>.estimate, <law>.low, <law>.high and a text
 * <law>.parameters with their names, one a line. */
import { valuesOf, type Group } from './data';
import { el } from './dom';
import { number } from './format';

interface Law {
  name: string;
  parameters: { name: string; estimate: number; low: number | null; high: number | null }[];
}

function laws(group: Group): Law[] {
  const found: Law[] = [];
  for (const text of group.texts) {
    const match = /^(?:(.+)\.)?parameters$/.exec(text.name);
    if (!match) continue;
    const prefix = match[1] ? `${match[1]}.` : '';
    const values = (what: string): ArrayLike<number> | null => {
      const array = group.arrays.find((a) => a.name === prefix + what && a.dims.length === 1);
      return array ? valuesOf(array) : null;
    };
    const estimate = values('estimate');
    const names = text.value.split('\n').filter(Boolean);
    if (!estimate || estimate.length !== names.length) continue;
    const low = values('low');
    const high = values('high');
    found.push({
      name: match[1] ?? '',
      parameters: names.map((name, i) => ({
        name,
        estimate: estimate[i]!,
        low: low?.[i] ?? null,
        high: high?.[i] ?? null,
      })),
    });
  }
  return found;
}

export const isIdentification = (group: Group): boolean => laws(group).length > 0;

export function identification(group: Group): HTMLElement {
  const head = (): HTMLElement => el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Parameter'),
    ...['Estimate', 'Interval from', 'to'].map((t) => el('th.n', { scope: 'col' }, t))));
  return el('div', {}, ...laws(group).map((law) => el('div.scroll', {}, el('table', {},
    law.name ? el('caption', {}, law.name) : null, head(),
    el('tbody', {}, ...law.parameters.map((p) => el('tr', {}, el('th', { scope: 'row' }, p.name),
      el('td.n', {}, number(p.estimate, 5)), el('td.n', {}, number(p.low, 5)), el('td.n', {}, number(p.high, 5)))))))));
}
