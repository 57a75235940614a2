/* variator_losses.ts — where a variator loses power: a bar for each contact and direction, in parts by section of the belt. */
import { valuesOf, type Group } from '../../data';
import { el } from '../../dom';
import { number } from '../../format';
import { partOf, sectionNames, sectionStyle } from './names';
import { sheet } from '../../sheet';
import { quantity } from '../../tables';
import { onThemeChange } from '../../theme';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/* By the names that the balance of energies has for them. */
const kinds = [['flank.longitudinal', 'flank.longitudinal'], ['flank.radial', 'flank.radial'], ['flank.drilling', 'flank.drilling'], ['flank.damping', 'flank.damping'],
  ['ring.longitudinal', 'guide.longitudinal'], ['ring.damping', 'guide.damping'], ['push.friction', 'chain.friction'], ['push.damping', 'chain.damping']]
  .map(([name, line]): [string, string] => [name!, capital(partOf(line!)!.mechanism)]);

interface Loss {
  text: string;
  by: number[]; /* W, of each section */
  sum: number;
}

function painted(node: HTMLElement, i: number): HTMLElement {
  const paint = (): void => void (node.style.background = sectionStyle(i).colour());
  paint();
  onThemeChange(paint);
  return node;
}

function bar(loss: Loss, most: number, input: number): HTMLElement {
  const parts = loss.by.map((v, s) => (v > 0 ? painted(el('span.loss-part', { style: `width:${((100 * v) / most).toFixed(3)}%`, title: `${sectionNames[s]}: ${quantity(v, 'W', 3)}` }), s) : null));
  return el('div.loss-row', {}, el('span.share-name', {}, loss.text), el('span.loss-bar', { role: 'img', 'aria-label': `${loss.text}: ${sectionNames.map((n, s) => `${n} ${quantity(loss.by[s]!, 'W', 3)}`).join(', ')}` }, ...parts),
    el('span.share-value', {}, `${quantity(loss.sum, 'W', 3)} · ${number((100 * loss.sum) / input, 2)} %`));
}

export function lossFigure(group: Group, primary: number, secondary: number): HTMLElement | null {
  const input = Math.max(primary, secondary);
  const losses = kinds.flatMap(([name, text]): Loss[] => {
    const a = group.arrays.find((k) => k.name === `loss.${name}` && !k.omitted);
    if (!a) return [];
    const by = Array.from(valuesOf(a));
    return [{ text, by, sum: by.reduce((x, y) => x + y, 0) }];
  }).filter((l) => l.by.some((v) => v !== 0));
  if (!losses.length || !(input > 0)) return null;
  const most = Math.max(...losses.map((l) => l.by.reduce((x, y) => x + Math.max(0, y), 0)));
  const total = losses.reduce((x, l) => x + l.sum, 0);
  const legend = el('p.loss-legend', {}, ...sectionNames.map((n, s) => el('span', {}, painted(el('span.key'), s), n)));
  return el('div.beside', {},
    el('figure.shares.losses', {}, el('figcaption', {}, `Losses of the contacts: ${quantity(total, 'W', 4)}, ${number((100 * total) / input, 3)} % of the input power`), legend, ...losses.map((l) => bar(l, most, input))),
    sheet('Losses by contact and section [W]', 'Contact', losses.map((l) => l.text), sectionNames.map((n, s) => ({ head: capital(n), unit: '', values: losses.map((l) => l.by[s]!), scale: Math.max(total, 10) }))));
}
