/* study_controls.ts — what the views of a study are steered by: lists, buttons of which one is pressed, sliders of factors. */
import { el, uniqueId } from './dom';
import { choice } from './spectrum';
import { valuesTaken, valueText, type Axis } from './study_data';

const mostButtons = 6;

/* One of a list, by its place. */
export const pick = (label: string, names: string[], at: number, changed: (i: number) => void): HTMLElement =>
  choice(label, names.map((n, i) => [String(i), n]), String(at), (v) => changed(Number(v)));

/* The same as buttons where they are few. */
export function tabs(label: string, names: string[], at: number, changed: (i: number) => void): HTMLElement {
  if (names.length > mostButtons) return pick(label, names, at, changed);
  const name = uniqueId('tab');
  return el('fieldset.choice', {}, el('legend', {}, label), ...names.map((text, i) => {
    const box = el('input', { type: 'radio', name, value: i });
    box.checked = i === at;
    box.addEventListener('change', () => changed(i));
    return el('label', {}, box, el('span', {}, text));
  }));
}

/* A factor between its lowest and its highest value; levels from a list. */
export function slider(f: Axis, value: number, changed: (v: number) => void): HTMLElement {
  if (f.labels) return pick(f.name, f.labels, Math.round(value) - 1, (i) => changed(i + 1));
  const taken = valuesTaken(f);
  const [low, high] = [taken[0]!, taken[taken.length - 1]!];
  const id = uniqueId('slider');
  const said = el('output', { for: id }, valueText(f, value));
  const box = el('input', { type: 'range', id, min: 0, max: 200, step: 1, 'aria-valuetext': valueText(f, value) });
  box.value = String(Math.round((200 * (value - low)) / (high - low || 1)));
  box.addEventListener('input', () => {
    const v = low + ((high - low) * Number(box.value)) / 200;
    said.textContent = valueText(f, v, 4, high);
    box.setAttribute('aria-valuetext', said.textContent);
    changed(v);
  });
  return el('span.field.slider', {}, el('label', { for: id }, f.name), box, said);
}
