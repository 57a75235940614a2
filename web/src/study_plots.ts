/* study_plots.ts — the cases of a study drawn: a response over each factor, any axis over any other, and sensitivities as bars. */
import { el, svg, uniqueId } from './dom';
import { number, short } from './format';
import { Loop, type Curve } from './loop';
import type { Axis, Sensitivity, Study } from './study_data';
import { quantity } from './tables';
import { lineStyle, onThemeChange, rampStyle, theme } from './theme';

const mostLevels = 7;

interface Level {
  text: string;
  rows: number[];
}

/* Cases by the value of a factor: its levels, or ranges where it has many values. */
function levelsOf(axis: Axis | null, rows: number[]): Level[] {
  if (!axis) return [{ text: '', rows }];
  const values = [...new Set(rows.map((i) => axis.values[i]!))].filter(Number.isFinite).sort((a, b) => a - b);
  if (values.length <= mostLevels)
    return values.map((v) => ({ text: `${axis.name} ${quantity(v, axis.unit, 3)}`, rows: rows.filter((i) => axis.values[i] === v) }));
  const [low, high] = [values[0]!, values[values.length - 1]!];
  const edge = (k: number): number => low + ((high - low) * k) / 5;
  return Array.from({ length: 5 }, (_v, k) => ({ text: `${axis.name} ${quantity(edge(k), axis.unit, 3, high)} … ${quantity(edge(k + 1), axis.unit, 3, high)}`,
    rows: rows.filter((i) => axis.values[i]! >= edge(k) && (k === 4 ? axis.values[i]! <= high : axis.values[i]! < edge(k + 1))) })).filter((l) => l.rows.length);
}

/* Points are joined where each value of x has one case: a line through levels, not a cloud. */
function curvesOf(study: Study, x: Axis, y: Axis, by: Axis | null): Curve[] {
  const rows = study.cases.map((_c, i) => i).filter((i) => study.status[i] === 0 && Number.isFinite(x.values[i]!) && Number.isFinite(y.values[i]!));
  const levels = levelsOf(by, rows);
  return levels.map((level, k) => {
    const order = [...level.rows].sort((a, b) => x.values[a]! - x.values[b]!);
    const cloud = new Set(order.map((i) => x.values[i])).size < order.length || study.factors.length > (by ? 2 : 1);
    return { name: level.text || y.name, hint: level.text || y.long || y.name, x: order.map((i) => x.values[i]!), y: order.map((i) => y.values[i]!),
      style: by ? rampStyle(k, levels.length) : lineStyle(0), dots: cloud, note: (p: number) => `case ${study.cases[order[p]!]}` };
  });
}

const select = (label: string, options: string[], value: number, changed: (i: number) => void): HTMLElement => {
  const id = uniqueId('axis');
  const box = el('select', { id }, ...options.map((o, i) => el('option', { value: i, selected: i === value }, o)));
  box.addEventListener('change', () => changed(Number(box.value)));
  return el('span.field', {}, el('label', { for: id }, label), box);
};

/* Any response or factor over any other, coloured by a third. */
export function axesView(study: Study): HTMLElement[] {
  const all = [...study.responses, ...study.factors, ...study.others];
  if (!study.responses.length || !study.factors.length) return [];
  let [x, y] = [study.responses.length, 0];
  let by = study.factors.length > 1 ? 2 : 0; /* 0: none; else a factor */
  const host = el('div');
  let shown: Loop | null = null;
  const draw = (): void => {
    shown?.destroy();
    const [a, b] = [all[x]!, all[y]!];
    shown = new Loop({ x: { name: a.long || a.name, unit: a.unit }, y: { name: b.long || b.name, unit: b.unit }, curves: curvesOf(study, a, b, by ? study.factors[by - 1]! : null), height: 420 }, host);
  };
  requestAnimationFrame(draw);
  const names = all.map((a) => a.name);
  return [el('div.toolbar', {}, select('Show', names, y, (i) => ((y = i), draw())), select('over', names, x, (i) => ((x = i), draw())),
    select('coloured by', ['nothing', ...study.factors.map((f) => f.name)], by, (i) => ((by = i), draw()))), host];
}

/* One response over every factor, side by side. */
export function factorTiles(study: Study): HTMLElement[] {
  if (study.factors.length < 2 || !study.responses.length) return [];
  let at = 0;
  const host = el('div.tiles');
  let shown: Loop[] = [];
  const draw = (): void => {
    shown.forEach((l) => l.destroy());
    const y = study.responses[at]!;
    host.replaceChildren();
    shown = study.factors.slice(0, 12).map((f) => {
      const box = el('div');
      host.append(box);
      return new Loop({ x: { name: f.long || f.name, unit: f.unit }, y: { name: y.name, unit: y.unit }, curves: curvesOf(study, f, y, null).map((c) => ({ ...c, dots: true })), height: 230, title: f.name }, box);
    });
  };
  requestAnimationFrame(draw);
  return [el('div.toolbar', {}, select('Response', study.responses.map((r) => r.name), 0, (i) => ((at = i), draw()))), host];
}

/* ---- sensitivities ---------------------------------------------------------------------------------------------- */

const row = 26;

function bars(study: Study, s: Sensitivity): SVGElement {
  const [left, right, width] = [150, 70, 620];
  const n = study.factors.length;
  const per = s.kinds.length;
  const height = n * (row * Math.max(1, per * 0.75)) + 26;
  const all = s.kinds.flatMap((k) => [...Array.from(k.values), ...Array.from(k.high ?? []), ...Array.from(k.low ?? [])]).filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...all), Math.max(1e-12, ...all)];
  const px = (v: number): number => left + ((v - low) / (high - low)) * (width - left - right);
  const order = study.factors.map((_f, i) => i).sort((a, b) => Math.abs(s.kinds[s.kinds.length - 1]!.values[b]!) - Math.abs(s.kinds[s.kinds.length - 1]!.values[a]!));
  const step = (height - 26) / Math.max(1, n);
  const thick = Math.min(14, (step - 6) / per);
  const parts: SVGElement[] = [svg('line', { x1: px(0), x2: px(0), y1: 0, y2: height - 22, stroke: theme().axis })];
  order.forEach((i, k) => {
    const y = k * step + 3;
    parts.push(svg('text', { x: left - 10, y: y + step / 2, 'text-anchor': 'end', fill: theme().text, 'font-size': 13 }, study.factors[i]!.name));
    s.kinds.forEach((kind, j) => {
      const v = kind.values[i]!;
      if (!Number.isFinite(v)) return;
      const top = y + j * (thick + 2) + 1;
      const colour = lineStyle(j).colour();
      parts.push(svg('rect', { x: Math.min(px(0), px(v)), y: top, width: Math.max(1, Math.abs(px(v) - px(0))), height: thick, fill: colour, rx: 2 }));
      const [a, b] = [kind.low?.[i] ?? NaN, kind.high?.[i] ?? NaN];
      const sure = Number.isFinite(a) && Number.isFinite(b);
      if (sure) {
        const middle = top + thick / 2;
        parts.push(svg('line', { x1: px(a), x2: px(b), y1: middle, y2: middle, stroke: theme().text, 'stroke-width': 1.5 }));
        for (const e of [a, b]) parts.push(svg('line', { x1: px(e), x2: px(e), y1: middle - 4, y2: middle + 4, stroke: theme().text, 'stroke-width': 1.5 }));
      }
      parts.push(svg('text', { x: px(Math.max(v, sure ? b : v, 0)) + 7, y: top + thick - 2, fill: theme().muted, 'font-size': 12 }, number(v, 3)));
    });
  });
  for (const v of [low, 0, high].filter((e, i, list) => list.indexOf(e) === i)) parts.push(svg('text', { x: px(v), y: height - 6, 'text-anchor': 'middle', fill: theme().muted, 'font-size': 12 }, short(v, 3)));
  const told = order.map((i) => `${study.factors[i]!.name} ${s.kinds.map((k) => `${k.name} ${number(k.values[i]!, 3)}`).join(', ')}`).join('; ');
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Sensitivity of ${s.response}: ${told}`, class: 'sensitivity' }, ...parts);
}

export function sensitivityView(study: Study): HTMLElement[] {
  return study.sensitivities.map((s) => {
    const host = el('div');
    const draw = (): void => host.replaceChildren(bars(study, s));
    draw();
    onThemeChange(draw);
    const legend = el('p.extent', {}, ...s.kinds.flatMap((k, j) => {
      const key = el('span.key');
      const paint = (): void => void (key.style.background = lineStyle(j).colour());
      paint();
      onThemeChange(paint);
      return [key, `${k.name}${k.low ? ' with its confidence interval' : ''}   `];
    }));
    return el('figure.sensitivities', {}, el('figcaption', {}, s.response), host, legend);
  });
}
