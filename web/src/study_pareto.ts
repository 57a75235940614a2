/* study_pareto.ts — cases that no other case improves on in all of several responses: the front over two of them, and its cases. */
import { el } from './dom';
import { later } from './later';
import { plural, pure } from './format';
import { Loop, type Curve } from './loop';
import { caseTable } from './study_cases';
import { axisName, type Axis, type Study } from './study_data';
import { finiteRows, levelsOf } from './study_plots';
import { lineStyle, rampStyle, theme } from './theme';

function curvesOf(study: Study, x: Axis, y: Axis, third: Axis | null): Curve[] {
  const front = new Set(study.pareto!.rows);
  const rows = finiteRows(study, x, y);
  const dot = (name: string, hint: string, list: number[], style: Curve['style'], more: Partial<Curve> = {}): Curve => ({
    name, hint, x: list.map((i) => x.values[i]!), y: list.map((i) => y.values[i]!), style, dots: true, note: (p) => `case ${study.cases[list[p]!]}`, ...more });
  const others = rows.filter((i) => !front.has(i));
  const best = rows.filter((i) => front.has(i)).sort((a, b) => x.values[a]! - x.values[b]!);
  const grey = { colour: () => theme().axis, dash: undefined };
  const worse = others.length ? [dot('dominated', 'cases that another case improves on in all of these responses', others, grey)] : [];
  if (!third) return [...worse, dot('front', 'cases that no other case improves on in all of these responses', best, lineStyle(1), { dots: false, width: 1, group: 'front' }), dot('front', 'cases that no other case improves on in all of these responses', best, lineStyle(1), { group: 'front' })];
  const levels = levelsOf(third, best);
  return [...worse, ...levels.map((l, k) => dot(l.text, l.text, l.rows, rampStyle(k, levels.length)))];
}

export function paretoSection(study: Study, title: string): HTMLElement[] {
  const { pareto } = study;
  if (!pareto?.rows.length) return [];
  const axes = pareto.responses.map((p) => study.responses.find((r) => r.name === p.name)!);
  const [x, y, third = null] = axes;
  const host = el('div');
  later(() => new Loop({ x: { name: axisName(x!), unit: x!.unit }, y: { name: axisName(y!), unit: y!.unit }, curves: curvesOf(study, x!, y!, third), height: 440,
    ...(third ? { title: `Colour: ${axisName(third)}` } : {}) }, host));
  const goals = pareto.responses.map((r) => `${r.goal === 'maximise' ? 'large' : 'small'} ${r.name}`);
  return [
    el('p', {}, `Goals: ${goals.join(', ')}. In ${plural(pareto.rows.length, 'case')} of ${pure(study.fine.length)} none of these can be improved without worsening another${third ? '' : '; the line joins them'}.`),
    host, el('h3.small', {}, 'Cases of the front'), ...caseTable(study, title, { rows: pareto.rows, caption: 'Cases of the front', by: x! })];
}
