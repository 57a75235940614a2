/* study_plots.ts — the cases of a study drawn: any axis over any other, a response over each factor. */
import { el } from './dom';
import { later } from './later';
import { Loop, type Curve } from './loop';
import { CaseFilter, lookUp } from './study_cases';
import { pick } from './study_controls';
import { axisName, valuesTaken, valueText, type Axis, type Study } from './study_data';
import { lineStyle, rampStyle } from './theme';

const mostLevels = 7;
const mostTiles = 12;

interface Level {
  text: string;
  rows: number[];
  part?: boolean; /* of a range, not one value */
}

/* Cases by the value of an axis: its levels, or ranges where it has many values. */
export function levelsOf(axis: Axis | null, rows: number[]): Level[] {
  if (!axis) return [{ text: '', rows }];
  const values = [...new Set(rows.map((i) => axis.values[i]!))].filter(Number.isFinite).sort((a, b) => a - b);
  if (values.length <= mostLevels || axis.labels)
    return values.map((v) => ({ text: `${axis.name} ${valueText(axis, v, 3)}`, rows: rows.filter((i) => axis.values[i] === v) }));
  const [low, high] = [values[0]!, values[values.length - 1]!];
  const edge = (k: number): number => low + ((high - low) * k) / 5;
  return Array.from({ length: 5 }, (_v, k) => ({ text: `${axis.name} ${valueText(axis, edge(k), 3, high)} … ${valueText(axis, edge(k + 1), 3, high)}`,
    part: true, rows: rows.filter((i) => axis.values[i]! >= edge(k) && (k === 4 ? axis.values[i]! <= high : axis.values[i]! < edge(k + 1))) })).filter((l) => l.rows.length);
}

/* Of a study that varies one factor at a time: the cases in which no other one differs from the first case. */
const alone = (study: Study, f: Axis, rows: number[]): number[] => rows.filter((i) => study.factors.every((k) => k === f || k.values[i] === k.values[0]));

export const finiteRows = (study: Study, ...axes: Axis[]): number[] => study.fine.filter((i) => axes.every((a) => Number.isFinite(a.values[i]!)));

/* Points are joined where each value of x has one case: a line through levels, not a cloud. */
function curvesOf(study: Study, x: Axis, y: Axis, by: Axis | null, rows = finiteRows(study, x, y)): Curve[] {
  const levels = levelsOf(by, rows);
  return levels.map((level, k) => {
    const order = [...level.rows].sort((a, b) => x.values[a]! - x.values[b]!);
    const cloud = level.part || new Set(order.map((i) => x.values[i])).size < order.length || study.factors.length > (by ? 2 : 1);
    return { name: level.text || y.name, hint: level.text || y.long || y.name, x: order.map((i) => x.values[i]!), y: order.map((i) => y.values[i]!),
      style: by?.labels ? lineStyle(k) : by ? rampStyle(k, levels.length) : lineStyle(0), dots: cloud, note: (p: number) => `case ${study.cases[order[p]!]}` };
  });
}

/* Any response or factor over any other, coloured by a third; folded where there are better views. */
export function axesView(study: Study, folded: boolean, casesId: string): HTMLElement[] {
  const all = [...study.responses, ...study.factors, ...study.others];
  if (!study.responses.length || !study.factors.length || !study.fine.length) return [];
  const colours = [...study.factors, ...study.responses];
  let [x, y] = [study.responses.length, 0];
  let by = study.factors.length > 1 ? 2 : 0; /* 0: none; else one of `colours` */
  const host = el('div');
  const filter = new CaseFilter(study, 'Filter the cases of this plot', () => draw());
  let shown: Loop | null = null;
  const draw = (): void => {
    shown?.destroy();
    shown = null;
    const [a, b] = [all[x]!, all[y]!];
    host.replaceChildren();
    const rows = filter.leave(finiteRows(study, a, b));
    if (!rows.length) return host.append(el('p.hint', {}, `None of these cases has values of both ${a.name} and ${b.name}.`));
    const curves = curvesOf(study, a, b, by ? colours[by - 1]! : null, rows);
    shown = new Loop({ x: { name: axisName(a), unit: a.unit, ...(a.labels ? { labels: a.labels } : {}) }, y: { name: axisName(b), unit: b.unit }, curves, height: 420,
      onPick: (k, p) => lookUp(casesId, Number(curves[k]!.note!(p).replace('case ', ''))) }, host);
  };
  if (!folded) later(draw);
  const names = all.map((a) => a.name);
  const body = [el('div.toolbar', {}, pick('Show', names, y, (i) => ((y = i), draw())), pick('over', names, x, (i) => ((x = i), draw())),
    pick('coloured by', ['nothing', ...colours.map((f) => f.name)], by, (i) => ((by = i), draw())), filter.box), host, el('p.hint', {}, 'Click a point, or press Enter at the cursor, to find its case in the table.')];
  if (!folded) return body;
  const fold = el('details', {}, el('summary', {}, 'All cases as points'), ...body);
  fold.addEventListener('toggle', draw, { once: true });
  return [fold];
}

function tileCurves(study: Study, f: Axis, y: Axis): Curve[] {
  if (!study.tornados.length) return curvesOf(study, f, y, null).map((c) => ({ ...c, dots: true }));
  const order = alone(study, f, finiteRows(study, f, y)).sort((a, b) => f.values[a]! - f.values[b]!);
  const points: Curve = { name: y.name, hint: y.long, group: y.name, x: order.map((i) => f.values[i]!), y: order.map((i) => y.values[i]!), style: lineStyle(0), note: (p) => `case ${study.cases[order[p]!]}` };
  return f.labels ? [{ ...points, dots: true }] : [points, { ...points, dots: true }];
}

/* One response over every factor that varies, side by side. */
export function factorTiles(study: Study): HTMLElement[] {
  const varied = study.factors.filter((f) => valuesTaken(f).length > 1);
  if (varied.length < 2 || !study.responses.length) return [];
  let at = 0;
  const host = el('div.tiles');
  let shown: Loop[] = [];
  const fill = (): void => {
    shown.forEach((l) => l.destroy());
    shown = [];
    const y = study.responses[at]!;
    host.replaceChildren();
    for (const f of varied.slice(0, mostTiles)) {
      const box = el('div.tile');
      host.append(box);
      later(() => box.isConnected && finiteRows(study, f, y).length && shown.push(new Loop({ x: { name: axisName(f), unit: f.unit, ...(f.labels ? { labels: f.labels } : {}) }, y: { name: y.name, unit: y.unit }, curves: tileCurves(study, f, y), height: 230, title: f.name }, box)));
    }
  };
  fill();
  return [el('h3.small', {}, study.tornados.length ? 'Responses vs each factor, the others nominal' : 'Responses vs each factor'),
    el('div.toolbar', {}, study.responses.length > 1 ? pick('Response', study.responses.map((r) => r.name), 0, (i) => ((at = i), fill())) : null), host,
    ...(varied.length > mostTiles ? [el('p.hint', {}, `The first ${mostTiles} of ${varied.length} factors; the plot above has all.`)] : [])];
}
