/* hero.ts — the first thing seen: the drive in motion, its key figures, what to be warned of, and where the power went. */
import { linkOf, pictureOf } from './analysis';
import type { Report } from './data';
import { el } from './dom';
import { driveOf, ofDrives } from './drives/registry';
import { energyBar } from './energy_bar';
import { mainGroup } from './lead';
import { blocksOf, figureGrid, keyFigures, type KeyFigure } from './summary';
import { warningList, type Warning } from './warnings';

const most = 8; /* figures beside the picture */

/* Whole blocks of figures as long as there is room; the first in any case. */
function shown(figures: KeyFigure[], limit: number): { first: KeyFigure[]; rest: KeyFigure[] } {
  const first: KeyFigure[] = [];
  for (const block of blocksOf(figures)) {
    const room = limit - first.length;
    if (room <= 0) break;
    first.push(...block.figures.slice(0, first.length ? Math.min(room, 4) : room));
  }
  return { first, rest: figures.filter((f) => !first.includes(f)) };
}

function figurePanel(figures: KeyFigure[], limit: number): HTMLElement {
  const { first, rest } = shown(figures, limit);
  const blocks = (list: KeyFigure[]): HTMLElement[] => blocksOf(list).map((b) => el('section.figure-block', {}, el('h3', {}, b.title), figureGrid(b.figures)));
  return el('div.hero-figures', {}, ...blocks(first), rest.length ? el('details', {}, el('summary', {}, `${rest.length} more`), ...blocks(rest)) : null);
}

export function hero(report: Report, warnings: Warning[]): HTMLElement[] {
  const main = mainGroup(report);
  const figures = keyFigures(report, main);
  const height = Math.round(Math.min(620, Math.max(300, window.innerHeight - 300)));
  const headlines = main ? ofDrives((d) => d.headline).map((make) => make(report, main, linkOf(main))).filter((n): n is HTMLElement => n !== null) : [];
  const picture = main ? pictureOf(report, main, headlines.length ? Math.min(260, height) : height) : null;
  const audited = main?.audit?.lines.length ? main : report.groups.find((g) => g.audit?.lines.length);
  const bar = audited ? energyBar(audited, driveOf(report)?.parts) : null;
  const list = warningList(warnings);
  if (!report.groups.length) return [el('p.hint', {}, 'The result has no analyses: nothing was computed or stored.')];
  if (!figures.length && !picture && !list) return [el('p.hint', {}, 'The analyses have no figures to begin with.')];
  return [
    el(picture ? 'div.hero' : 'div.hero.plain', {}, picture ? el('div.hero-stage', {}, picture, ...headlines) : null,
      el('div.hero-side', {}, figures.length ? figurePanel(figures, picture ? most : 2 * most) : null, list, picture ? bar : null)),
    ...(bar && !picture ? [bar] : []),
  ];
}
