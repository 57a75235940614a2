/* head.ts — what the page is about, in one line, with its state; and the switches of the page. */
import type { Report } from './data';
import { el } from './dom';
import { drives } from './drives/registry';
import { themeSwitch } from './theme';

/* What a drive is called by people. */
export const driveName = (drive: string): string => drives.find((d) => d.name === drive)?.title ?? drive.replace(/[-_]/g, ' ').replace(/^./, (c) => c.toUpperCase());

export const switches = (): HTMLElement => el('div.switches', {}, themeSwitch(),
  el('button.quiet', { type: 'button', title: 'Print this page or save it as PDF', click: () => window.print() }, 'Print'));

export function pageHead(title: string, byline: (HTMLElement | string | null)[], notices: (HTMLElement | null)[] = []): HTMLElement {
  return el('header', {}, el('div.head', {},
    el('div.head-text', {}, el('h1', {}, title), el('p.byline', {}, ...byline.filter((b) => b !== null).map((b) => (typeof b === 'string' ? el('span', {}, b) : b)))),
    switches()), ...notices);
}

export const stateBadge = (report: Report): HTMLElement =>
  el(report.complete ? 'span.badge.good' : 'span.badge.bad', {}, report.complete ? 'complete' : 'not complete');

/* Customer, project, author and so on, with the name of the result file; null when the model file has no title block. */
export const titleBlock = (report: Report): HTMLElement | null => !report.title_block?.length ? null :
  el('dl.title-block', {}, ...[...report.title_block, ['File', `${report.file}.h5`]].map(([label, text]) => el('div', {}, el('dt', {}, label), el('dd', {}, text))));

export function reportHead(report: Report, analyses: string): HTMLElement {
  return pageHead(report.name || 'Result', [driveName(report.drive), analyses === report.drive ? null : analyses, `Capstan ${report.capstan_version}`, stateBadge(report)], [
    titleBlock(report),
    report.complete ? null : el('p.notice', { role: 'status' },
      analyses === 'study' ? 'This study is not complete: cases are missing. ' : 'This result is not complete: the run was interrupted, or has not ended yet. The page shows what was stored ' +
      'up to the last checkpoint. ', el('code', {}, analyses === 'study' ? 'capstan study --resume' : 'capstan run --resume'), analyses === 'study' ? ' continues the study.' : ' continues the run.'),
  ]);
}
