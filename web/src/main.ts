/* main.ts — reads the data of the page and lays it out. */
import './print';
import { atlasPage } from './atlas';
import { comparePage } from './compare';
import { readPage, valuesOf, type PageData } from './data';
import { el } from './dom';
import { contents, sectionView } from './nav';
import { reportPage } from './report';

function notice(host: HTMLElement, text: string): void {
  host.replaceChildren(el('main', {}, el('p.notice', { role: 'alert' }, text)));
  document.documentElement.dataset.ready = 'no';
}

async function show(): Promise<void> {
  const host = document.getElementById('page')!;
  if (typeof DecompressionStream === 'undefined') {
    notice(host, 'This browser is too old for the page: it cannot inflate data (Chromium 80, Firefox 113, Safari 16.4 and later can).');
    return;
  }
  let data;
  try {
    data = await readPage();
  } catch {
    notice(host, 'The data in this page cannot be read. The file is probably cut short: write the report again.');
    return;
  }
  try {
    lay(host, data);
  } catch (reason) {
    notice(host, `This page cannot be shown: ${String(reason)}. The result itself may be well; its file can be read by capstan export.`);
    throw reason;
  }
}

function lay(host: HTMLElement, data: PageData): void {
  const page = data.page === 'atlas' ? atlasPage(data) : data.page === 'compare' ? comparePage(data) : reportPage(data);
  document.title = page.title;
  host.replaceChildren(page.head, contents(page.sections), el('main', {}, ...page.sections.map(sectionView)));
  /* For the browser's console: capstan.page, and capstan.values(column) as an array. */
  Object.assign(window, { capstan: { page: data, values: valuesOf } });
  document.documentElement.dataset.ready = 'yes';
}

/* The data stand behind the program: a page that is cut short still has someone to say so. */
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => void show());
else void show();
