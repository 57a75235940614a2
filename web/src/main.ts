/* main.ts — reads the data of the page and lays it out. */
import { atlasPage } from './atlas';
import { readPage } from './data';
import { el } from './dom';
import { reportPage, type Section } from './report';

const mostLinks = 12; /* more would be a wall: the overview of such a page has its own links */

function contents(all: Section[]): HTMLElement {
  const sections = all.length > mostLinks ? all.slice(0, 1) : all;
  return el('nav', { 'aria-label': 'Sections' }, ...sections.map((s) => el('a', { href: `#${s.id}` }, s.link ?? s.title)));
}

function show(): void {
  const host = document.getElementById('page')!;
  let data;
  try {
    data = readPage();
  } catch {
    host.replaceChildren(el('main', {}, el('p.notice', { role: 'alert' },
      'The data in this page cannot be read. The file is probably cut short: write the report again.')));
    return;
  }
  const page = data.page === 'atlas' ? atlasPage(data) : reportPage(data);
  document.title = page.title;
  const sections = page.sections.map((s) =>
    el('section.part', { id: s.id, 'aria-labelledby': `${s.id}-title` }, el('h2', { id: `${s.id}-title` }, s.title), ...s.body));
  host.replaceChildren(page.head, contents(page.sections), el('main', {}, ...sections));
}

show();
