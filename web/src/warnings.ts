/* warnings.ts — what a reader must know before trusting the figures, gathered from all analyses in one list. */
import { analyses, kindHas } from './analyses/registry';
import { balanceMark, closure, losesMuch, numericalText } from './audit';
import type { Group, Report } from './data';
import { el } from './dom';
import { ofDrives } from './drives/registry';
import { numberIn } from './figure';
import { count, plural } from './format';
import { grave, mild, type Warning, type WarningMaker } from './warning';

export type { Warning } from './warning';

const unfinished: WarningMaker = (group) => (group.status && group.status !== 'complete' ? grave(`${group.title || group.name}: this analysis was not finished.`) : []);

const balance: WarningMaker = (group) => {
  const [state, mark] = [closure(group), balanceMark(group)];
  const name = group.title || group.name;
  if (mark.startsWith('unusable') || mark.startsWith('ignored')) return grave(`${name}: not usable, as the energy balance does not close: ${mark.replace(/^\w+: /, '')}.`);
  if (mark) return grave(`${name}: the energy balance is ${mark}.`);
  return state && !state.good ? grave(`The energy balance is off: it ${state.text}.`) : [];
};

const numericalLoss: WarningMaker = (group) => (losesMuch(group) ? grave(`${group.title || group.name}: ${numericalText(group)}`) : []);

const notFinite: WarningMaker = (group) => {
  const bad = (group.table?.columns ?? []).filter((c) => c.bad > 0);
  if (!bad.length || kindHas(group.kind, (a) => !!a.gaps)) return [];
  return grave(`${plural(bad.length, 'channel has', 'channels have')} values that are not finite: ${bad.slice(0, 3).map((c) => c.name).join(', ')}${bad.length > 3 ? ', …' : ''}.`);
};

const solver: WarningMaker = (group) => {
  const [missed, differs] = [numberIn(group, 'contact.missed') ?? numberIn(group, 'orbits.missed'), numberIn(group, 'stability.differs')];
  return [...(missed ? grave(`${count(missed)} ${numberIn(group, 'orbits.missed') ? 'orbits were not found' : 'steps were not solved to the tolerance'}.`) : []),
    ...(differs ? grave(`At ${plural(differs, 'point')} integration finds another stability than the branch shows.`) : [])];
};

const thinned: WarningMaker = (group) => (group.table && group.table.thinned !== 'no'
  ? mild(`${count(group.table.kept)} of ${count(group.table.rows)} rows of ${group.title || group.name} are in this page, with the peaks as computed.`) : []);

const makers = (): WarningMaker[] => [unfinished, ...ofDrives((d) => d.warnings), ...analyses.flatMap((a) => a.warnings ?? []), solver, balance, numericalLoss, notFinite, thinned];

/* Those that matter most first. `idOf` tells the section of an analysis. */
export function warningsOf(report: Report, idOf: (group: Group) => string | undefined): Warning[] {
  const list: Warning[] = report.groups.flatMap((group) => makers().flatMap((make) => make(group, report)).map((w) => ({ ...w, link: idOf(group) })));
  list.push(...report.notes.map((text) => ({ text, grave: false })));
  return [...list.filter((w) => w.grave), ...list.filter((w) => !w.grave)];
}

const shown = 5;

const entry = (w: Warning): HTMLElement => el(w.grave ? 'li.grave' : 'li', {}, w.text, ...(w.link ? [' ', el('a', { href: `#${w.link}` }, 'Details')] : []));

export function warningList(list: Warning[]): HTMLElement | null {
  if (!list.length) return null;
  const graves = list.filter((w) => w.grave).length;
  const rest = list.slice(Math.max(shown, graves <= 8 ? graves : shown));
  const first = list.slice(0, list.length - rest.length);
  return el('div.warnings', { role: 'group', 'aria-label': 'Warnings' },
    el('h3', {}, [graves ? plural(graves, 'warning') : '', list.length > graves ? plural(list.length - graves, 'note') : ''].filter(Boolean).join(', ')),
    el('ul', {}, ...first.map(entry)),
    rest.length ? el('details', {}, el('summary', {}, `${rest.length} more`), el('ul', {}, ...rest.map(entry))) : null);
}
