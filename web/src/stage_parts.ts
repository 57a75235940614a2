/* stage_parts.ts — buttons of a stage, and at which speeds it plays. */
import { el } from './dom';
import { short } from './format';

const icon = (path: string): string => `<svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">${path}</svg>`;
const lines = (d: string): string => icon(`<path d="${d}" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>`);

export const icons = {
  play: icon('<path d="M4 2.5v11l9.5-5.5z" fill="currentColor"/>'),
  pause: icon('<path d="M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z" fill="currentColor"/>'),
  back: icon('<path d="M11.5 3v10L4.6 8z" fill="currentColor"/><path d="M3 3h1.6v10H3z" fill="currentColor"/>'),
  on: icon('<path d="M4.5 3v10l6.9-5z" fill="currentColor"/><path d="M11.4 3H13v10h-1.6z" fill="currentColor"/>'),
  loop: lines('M3 7.5V7a3 3 0 0 1 3-3h6.5M10.5 1.8 12.8 4l-2.3 2.2M13 8.500v.5a3 3 0 0 1-3 3H3.500M5.500 14.200 3.200 12l2.300-2.200'),
  more: lines('M8 3v10M3 8h10'),
  less: lines('M3 8h10'),
  all: lines('M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3M6 8h4'),
  whole: lines('M9.500 6.500 13 3M9.800 3H13v3.200M6.500 9.500 3 13M6.200 13H3V9.800'),
};

/* With an icon its text is spoken and shown as a tip. */
export function button(picture: string, text: string, act: () => void, extra = '', spoken = text): HTMLButtonElement {
  const node = el('button', { type: 'button', class: `stage-button ${extra}`.trim(), 'aria-label': spoken, title: spoken });
  if (picture) node.innerHTML = picture;
  else node.textContent = text;
  node.addEventListener('click', act);
  return node;
}

/* Round paces from the whole in a second to the whole in ten minutes, one of them near the one that makes sense. */
export function paces(sensible: number, span: number, unit: string): number[] {
  if (!(sensible > 0) || !(span > 0)) return [];
  if (unit !== 's') return [4, 2, 1, 0.5, 0.25, 0.1].map((f) => f * sensible);
  const list: number[] = [];
  for (let power = -9; power <= 9; power++) for (const m of [1, 2, 5]) list.push(m * 10 ** power);
  /* 1:200 rather than 1:500, 1:1 exactly */
  const near = list.reduce((best, p, i) => (Math.abs(Math.log(p / sensible)) < Math.abs(Math.log(list[best]! / sensible)) ? i : best), 0);
  return list.slice(Math.max(0, near - 4), near + 4).filter((p) => p <= span || p <= sensible * 1.001 || p === list[near]).reverse();
}

/* "1:200": a second of the motion takes 200 s. What is not time is told in multiples of the speed that makes sense. */
export function paceText(pace: number, unit: string, sensible: number): string {
  if (unit === 's') return pace >= 1 ? `${short(pace)}:1` : `1:${short(1 / pace, 6)}`;
  return `× ${short(pace / sensible, 2)}`;
}

/* Hands a file to the user. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = el('a', { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
