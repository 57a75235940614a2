/* report.ts — the page of one result: the drive and its key figures, then every analysis, energy, settings, and the model. */
import { kindHas } from './analyses/registry';
import { analysisBody, remarks } from './analysis';
import { auditView } from './audit';
import type { Group, Report } from './data';
import { el, slug, uniqueId } from './dom';
import { plural } from './format';
import { reportHead } from './head';
import { driveOf } from './drives/registry';
import { hero } from './hero';
import { mainGroup } from './lead';
import type { Section } from './nav';
import { nameThings, thingsOf } from './palette';
import { modelText, settingsView } from './settings';
import { onStudyPage, studiesOf, studySections } from './study';
import { warningsOf } from './warnings';

export type { Section } from './nav';

export interface Page {
  title: string;
  head: HTMLElement;
  sections: Section[];
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/* Titles of the analyses; two of the same kind are told apart by what they say of themselves, or by their names. */
function headlines(report: Report, groups: Group[]): string[] {
  const plain = groups.map((g) => capital(g.title || g.name));
  return groups.map((g, i) => {
    const twins = groups.filter((_g, k) => plain[k] === plain[i]);
    if (twins.length === 1) return plain[i]!;
    const own = remarks(report, g).find((t) => twins.every((k) => k === g || !remarks(report, k).some((r) => r.name === t.name && r.value === t.value)));
    return `${plain[i]}, ${own ? `${own.name} ${own.value}` : g.name}`;
  });
}

function provenance(report: Report): HTMLElement {
  const rows: [string, string][] = [
    ['Capstan', `${report.capstan_version} (${report.git_hash})`],
    ['Compiler', report.compiler],
    ['Flags', report.flags],
    ['Seed', String(report.seed)],
  ];
  /* Words stay whole: a flag begins with its hyphen. */
  const words = (text: string): HTMLElement[] => text.split(' ').map((w) => el('span.word', {}, `${w} `));
  return el('dl.pairs', {}, ...rows.flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, ...(v ? words(v) : ['–']))]));
}

/* An id of its own for each analysis, whatever its name. */
function analysisIds(groups: Group[]): string[] {
  const used = new Set(['summary', 'energy', 'model', 'page', 'settings', 'points', 'made-by', 'study']);
  return groups.map((g) => {
    let id = slug(g.name);
    while (used.has(id)) id += '-';
    used.add(id);
    return id;
  });
}

/* Analyses are listed by their kinds, which are short. */
function linkText(groups: Group[], i: number): string {
  const { kind, name } = groups[i]!;
  return capital((groups.filter((g) => g.kind === kind).length > 1 ? name : kind).replace(/-/g, ' '));
}

/* A point without settings of its own has no name to tell it from others. */
const pointTitle = (g: Group): string => (g.title === 'this model' ? 'Operating point of the model' : g.title || g.name);

/* Stationary points one by one: chosen from a list, made when they are looked at. */
function pointsSection(report: Report, points: Group[]): Section {
  const id = uniqueId('point');
  const host = el('div');
  const list = el('select', { id }, ...points.map((g, k) => el('option', { value: k }, pointTitle(g))));
  const made = new Map<string, HTMLElement>();
  const show = (): void => {
    const g = points[Number(list.value)]!;
    if (!made.has(list.value)) made.set(list.value, el('div', { 'aria-label': pointTitle(g) }, el('h3', {}, pointTitle(g)), ...analysisBody(report, g)));
    host.replaceChildren(made.get(list.value)!);
  };
  list.addEventListener('change', show);
  show();
  return { id: 'points', title: 'Points one by one', link: 'Points', group: 'Analyses', body: [el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Point'), list)), host] };
}

function energySection(report: Report, groups: Group[], titles: string[]): Section[] {
  const audited = groups.filter((g) => g.audit && g.audit.lines.length);
  if (!audited.length) return [];
  return [{ id: 'energy', title: 'Energy', body: audited.flatMap((g) => [...(audited.length > 1 ? [el('h3', {}, titles[groups.indexOf(g)] ?? capital(g.title || g.name))] : []), auditView(g, driveOf(report)?.parts)]) }];
}

function sourceSections(report: Report): Section[] {
  const settings = settingsView(report);
  return [
    ...(settings.length ? [{ id: 'settings', title: 'Settings', body: settings }] : []),
    {
      id: 'model',
      title: 'Model',
      body: [
        report.settings.length
          ? el('p', {}, 'Settings given on the command line: ', el('code', {}, report.settings.join('  ')))
          : el('p.hint', {}, 'No settings were given on the command line.'),
        ...(report.fed_by ? [el('p', {}, 'Inputs were fed by ', el('code', {}, report.fed_by))] : []),
        report.model ? modelText(report.model) : el('p.hint', {}, 'The result has no model file.'),
        provenance(report),
      ],
    },
  ];
}

/* The analysis that the top of the page shows comes first; the others keep their order. */
function inOrder(report: Report, groups: Group[]): Group[] {
  const main = mainGroup(report);
  return main && groups.includes(main) && main.kind === 'stationary' ? [main, ...groups.filter((g) => g !== main)] : groups;
}

/* Colours go to the members of a drive first, then to what their energy is. */
function giveColours(report: Report): void {
  const main = mainGroup(report);
  const moving = [...(main ? [main] : []), ...report.groups.filter((g) => g !== main && g.table?.columns[0]?.unit === 's')];
  nameThings([...thingsOf(moving.flatMap((g) => g.table?.columns.slice(1).map((c) => c.name) ?? [])), 'stored energy']);
}

export function reportPage(report: Report): Page {
  giveColours(report);
  const drawn = report.groups.filter((g) => !kindHas(g.kind, (a) => a.role === 'scenery') && g.kind !== 'point' && !onStudyPage(report, g)); /* the others are drawn elsewhere */
  const points = report.groups.filter((g) => g.kind === 'point');
  const groups = inOrder(report, drawn);
  const ids = analysisIds(groups);
  const titles = headlines(report, groups);
  const idOf = (g: Group): string | undefined => (groups.includes(g) ? ids[groups.indexOf(g)] : g.kind === 'point' ? 'points' : undefined);
  const studies = studiesOf(report);
  const analyses: Section[] = groups.map((g, i) => ({ id: ids[i]!, title: titles[i]!, link: linkText(groups, i), group: 'Analyses',
    body: analysisBody(report, g) }));
  const at = groups.findIndex((g) => g.kind === 'stationary');
  if (points.length) analyses.splice(at < 0 ? analyses.length : at + 1, 0, pointsSection(report, points));
  const count = groups.length + points.length;
  const what = studies.length ? 'study' : groups.length <= 3 ? groups.map((g) => g.kind.replace(/-/g, ' ')).join(', ') : plural(count, 'analysis', 'analyses');
  const sections: Section[] = [
    ...(studies.length ? studies.flatMap((g) => studySections(report, g)) : []),
    ...(studies.length && !groups.length ? [] : [{ id: 'summary', title: 'Summary', bare: true, body: hero(report, warningsOf(report, idOf)) }]),
    ...analyses, ...energySection(report, [...groups, ...points], titles), ...sourceSections(report),
  ];
  return { title: report.name || 'Capstan result', head: reportHead(report, what), sections };
}
