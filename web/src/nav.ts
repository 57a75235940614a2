/* nav.ts — the list of sections that stays in view: marks the present one, and folds many analyses into a drop list. */
import { el } from './dom';

export interface Section {
  id: string;
  title: string;
  link?: string; /* a short title for the list of sections */
  group?: string; /* sections of one group fold into a list of that name when there are many */
  bare?: boolean; /* its title is for screen readers only */
  body: HTMLElement[];
}

const mostLinks = 9; /* beside each other */

type Entry = { sections: Section[]; name: string | null };

function entriesOf(all: Section[]): Entry[] {
  const entries: Entry[] = [];
  for (const s of all) {
    const last = entries[entries.length - 1];
    if (s.group && last?.name === s.group) last.sections.push(s);
    else entries.push({ sections: [s], name: s.group ?? null });
  }
  return all.length <= mostLinks ? all.map((s) => ({ sections: [s], name: null })) : entries;
}

const linkTo = (s: Section): HTMLAnchorElement => el('a', { href: `#${s.id}` }, s.link ?? s.title);

function dropList(entry: Entry): HTMLElement {
  const list = el('ul', {}, ...entry.sections.map((s) => el('li', {}, linkTo(s))));
  const now = el('span.nav-now');
  const fold = el('details.nav-drop', {}, el('summary', {}, `${entry.name} `, el('span.nav-count', {}, `(${entry.sections.length})`), now), list);
  const close = (): void => void (fold.open = false);
  list.addEventListener('click', close);
  document.addEventListener('click', (event) => event.target instanceof Node && !fold.contains(event.target) && close());
  fold.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    close();
    fold.querySelector('summary')?.focus();
  });
  return fold;
}

/* The last section whose beginning is above a third of the window is the present one. */
function spy(nav: HTMLElement, all: Section[]): void {
  const links = [...nav.querySelectorAll('a')];
  let asked = false;
  let present = '';
  const mark = (): void => {
    asked = false;
    const line = Math.max(120, innerHeight / 3);
    let now = all[0]?.id ?? '';
    for (const s of all) {
      const top = document.getElementById(s.id)?.getBoundingClientRect().top ?? Infinity;
      if (top <= line) now = s.id;
    }
    if (scrollY < 40) now = all[0]?.id ?? now;
    else if (innerHeight + scrollY >= document.documentElement.scrollHeight - 4) now = all[all.length - 1]?.id ?? now;
    if (now === present) return;
    present = now;
    for (const a of links) {
      const here = a.getAttribute('href') === `#${now}`;
      if (here) a.setAttribute('aria-current', 'true');
      else a.removeAttribute('aria-current');
      if (here && nav.scrollWidth > nav.clientWidth) nav.scrollTo({ left: a.offsetLeft - nav.clientWidth / 2 });
    }
    for (const drop of nav.querySelectorAll('details')) {
      const inside = drop.querySelector('a[aria-current]');
      drop.classList.toggle('present', !!inside);
      drop.querySelector('.nav-now')!.textContent = inside ? `: ${inside.textContent}` : '';
    }
  };
  const ask = (): void => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(mark);
  };
  addEventListener('scroll', ask, { passive: true });
  addEventListener('resize', ask);
  ask();
}

export function contents(all: Section[]): HTMLElement {
  const nav = el('nav', { 'aria-label': 'Sections' }, ...entriesOf(all).map((e) => (e.sections.length > 1 ? dropList(e) : linkTo(e.sections[0]!))));
  spy(nav, all);
  return nav;
}

export const sectionView = (s: Section): HTMLElement => el('section.part', { id: s.id, 'aria-labelledby': `${s.id}-title` },
  el(s.bare ? 'h2.unseen' : 'h2', { id: `${s.id}-title` }, s.title), ...s.body);
