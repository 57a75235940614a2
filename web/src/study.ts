/* study.ts — the page of a study, in the order of an engineer's questions: what was varied, what came out, what matters, what is
 * best, every case. */
import type { Group, Report } from './data';
import { el } from './dom';
import { count } from './format';
import type { Section } from './nav';
import { caseTable, failures } from './study_cases';
import { isOptimise, isStudy, readStudy, type Study } from './study_data';
import { effectsView, sensitivityView, tornadoView } from './study_effects';
import { gridOf, gridView, type Grid } from './study_grid';
import { boundsOf, optimiseSection, optimumWords } from './study_optimise';
import { overview } from './study_overview';
import { paretoSection } from './study_pareto';
import { axesView, factorTiles } from './study_plots';
import { surfaceSection } from './study_surface';

export const studiesOf = (report: Report): Group[] => report.groups.filter(isStudy);

/* Shown on the page of a study: the study itself, and an optimisation of it. */
export const onStudyPage = (report: Report, group: Group): boolean => isStudy(group) || (isOptimise(group) && studiesOf(report).length > 0);

function responses(study: Study, grid: Grid | null, casesId: string): HTMLElement[] {
  const axes = axesView(study, !!grid || study.tornados.length > 0, casesId);
  if (!axes.length) return [];
  if (study.tornados.length) return [...factorTiles(study), ...axes];
  return grid ? [gridView(study, grid), ...axes] : [...axes, ...factorTiles(study)];
}

/* What is not in the page must be said where its numbers are. */
const partly = (study: Study): HTMLElement[] => (study.cases.length < study.total
  ? [el('p.notice', {}, `This page has ${count(study.cases.length)} of ${count(study.total)} cases, evenly spread; all of them would be too large for a page. Means, percentiles, plots and the table use these; ` +
    'effects, sensitivities and surfaces use all cases.')] : []);

export function studySections(report: Report, group: Group): Section[] {
  if (!isStudy(group)) return [];
  const study = readStudy(report, group);
  const many = report.groups.filter(isStudy).length > 1;
  const id = (name: string): string => (many ? `${group.name}-${name}` : name);
  const tornado = tornadoView(study);
  const grid = gridOf(study);
  const optimised = report.groups.filter(isOptimise);
  const parts: (Section & { key: string })[] = [
    { key: 'effects', title: 'One factor at a time', link: 'Tornado', body: tornado },
    { key: 'responses', title: 'Responses vs factors', link: 'Responses', body: responses(study, grid, id('cases')) },
    ...(tornado.length ? [] : [{ key: 'effects', title: 'Main effects', link: 'Effects', body: effectsView(study) }]),
    { key: 'sensitivities', title: 'Sensitivities', body: sensitivityView(study) },
    { key: 'surface', title: 'Response surface', link: 'Surface', body: surfaceSection(study) },
    { key: 'pareto', title: 'Pareto front', link: 'Pareto', body: paretoSection(study, report.name) },
    ...optimised.map((g, i) => ({ key: i ? `optimum-${i + 1}` : 'optimum', title: 'Optimum', link: 'Optimum', body: optimiseSection(report, g, study) })),
    { key: 'cases', title: 'Cases', body: [...caseTable(study, report.name), el('p.hint', {}, 'Each command shows the run of a case; run it in the folder of the study’s result file. The CSV file has the rows that match the filter.')] },
    { key: 'failed', title: 'Failed and missing cases', link: 'Failed', body: failures(study) },
    ...(study.file ? [{ key: 'study-file', title: 'Study file', body: [el('details', {}, el('summary', {}, 'The study file'), el('pre', {}, study.file))] }] : []),
  ].map((s) => ({ ...s, id: id(s.key) })).filter((s) => s.body.length);
  const links = new Map(parts.map((s) => [s.key, s.id]));
  const tolerance = !grid && !tornado.length;
  return [
    { id: id('study'), title: group.title && group.title !== report.name ? group.title : 'Study', link: 'Study', body: [...partly(study), ...overview(study, links, tolerance, optimised.flatMap((g) => optimumWords(g, study)), optimised.flatMap((g) => boundsOf(g, study))),
      ...(links.has('failed') ? [el('p', {}, el('a', { href: `#${id('failed')}` }, 'Cases without a result and their reasons'))] : [])] },
    ...parts,
  ];
}
