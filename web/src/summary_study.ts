/* summary_study.ts — key figures of a study, for comparisons: what its responses come to over all cases, and its optimum. */
import type { Analysis } from './analyses/analysis';
import { valuesOf, type Group, type Report } from './data';
import { figure, type KeyFigure } from './figure';
import { common, curveOverlay, styleIn, type Member, type Overlaid } from './overlay';
import { isOptimise, isStudy, percentile, readStudy, spreadOf } from './study_data';
import { readSearch } from './study_optimise';

function study(group: Group, report: Report): KeyFigure[] {
  if (!isStudy(group)) return [];
  const s = readStudy(report, group);
  const failed = s.status.filter((k) => k !== 0).length;
  return [
    ...figure('Cases', 'cases', s.total, '', { at: s.design }), ...figure('Cases', 'failed or missing', failed, '', { warn: failed > 0 }),
    ...s.responses.flatMap((r) => {
      const spread = spreadOf(s, r);
      if (!spread) return [];
      const of = r.name;
      return [...figure(of, 'mean', spread.mean, r.unit), ...figure(of, 'deviation', spread.deviation, r.unit), ...figure(of, 'smallest', spread.low, r.unit),
        ...(spread.n >= 20 ? [0.01, 0.5, 0.99].flatMap((p) => figure(of, `${100 * p} %`, percentile(spread, p), r.unit)) : []), ...figure(of, 'largest', spread.high, r.unit)];
    }),
  ];
}

function optimum(group: Group, report: Report): KeyFigure[] {
  if (!isOptimise(group)) return [];
  const of = report.groups.find(isStudy);
  const s = readSearch(group, of ? readStudy(report, of) : null);
  if (s.best < 0) return [];
  return [...figure('Optimum', s.name, s.objective[s.best], s.unit), ...s.factors.flatMap((f) => figure('Optimum', f.name, f.values[s.best], f.unit))];
}

/* What part of the cases of each study lies below a value. */
function studyOverlay(members: Member[]): HTMLElement[] {
  const columns = common(members).filter((c) => c.name.startsWith('response.'));
  return curveOverlay(columns.map((c): Overlaid => {
    const name = c.name.replace('response.', '');
    return { name, x: { name: c.long_name && c.long_name !== name ? `${name}: ${c.long_name}` : name, unit: c.unit }, y: { name: 'share of cases below', unit: '' },
      curves: () => members.flatMap((m) => {
        const own = m.group.table!.columns.find((k) => k.name === c.name && k.unit === c.unit);
        const values = own ? Array.from(valuesOf(own)).filter(Number.isFinite).sort((a, b) => a - b) : [];
        return values.length ? [{ name: m.file, hint: m.file, x: values, y: values.map((_v, i) => (i + 0.5) / values.length), style: styleIn(m.index, 0) }] : [];
      }) };
  }));
}

export const studies: Analysis[] = [
  { kind: 'study', recognise: isStudy, figures: [study], overlay: studyOverlay },
  { kind: 'optimise', figures: [optimum], overlay: () => [] },
];
