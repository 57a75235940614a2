/* study_surface.ts — the polynomial through a study's cases: contours over two factors with sliders for the others, and how well it
 * meets cases that it has not seen. */
import { ColourMap } from './colour_map';
import { el } from './dom';
import { number } from './format';
import { later } from './later';
import { Loop } from './loop';
import { pick, slider } from './study_controls';
import { predict, spreadOf, valuesTaken, valueText, type Axis, type Study, type Surface } from './study_data';
import { figureList, quantity } from './tables';
import { lineStyle, theme } from './theme';

const fine = 61; /* values along each side of a map */
const percent = (v: number): string => (v > 0.9995 ? 'more than 99.9 %' : `${number(100 * v, 3)} %`);

/* Errors are written in the unit of the response itself. */
const sizeOf = (study: Study, r: Axis): number => Math.max(Math.abs(spreadOf(study, r)?.low ?? 0), Math.abs(spreadOf(study, r)?.high ?? 0));

/* How far predictions between the cases go, by cases that were left out. */
export function trustWords(s: Surface, study: Study): string {
  if (s.q2 === null || !Number.isFinite(s.q2)) return 'The surface was not cross-validated: the accuracy of its predictions is not known.';
  const r = study.responses.find((k) => k.name === s.response)!;
  const size = sizeOf(study, r);
  const error = s.rmsLeftOut !== null && Number.isFinite(s.rmsLeftOut) ? `, with an error of ${quantity(s.rmsLeftOut, r.unit, 3, size || s.rmsLeftOut)} (rms)` : '';
  const explains = `explains ${percent(Math.max(0, s.q2))} of the variance of cases left out of the fit (Q² ${number(s.q2, s.q2 > 0.9995 ? 6 : 3)})${error}`;
  if (s.q2 >= 0.95) return `The surface ${explains}: its predictions between the cases are usable.`;
  if (s.q2 >= 0.8) return `The surface ${explains}: good for trends, not accurate enough near a limit.`;
  if (s.q2 >= 0.5) return `The surface ${explains}: it shows rough trends only.`;
  return `The surface ${explains}: do not use it. The response is not a smooth quadratic over these ranges; use the cases themselves.`;
}

const trusted = (s: Surface): boolean => s.q2 !== null && s.q2 >= 0.5;

/* Factors that the surface knows at all. */
const known = (study: Study, s: Surface): number[] => study.factors.map((_f, i) => i).filter((i) => s.terms.some((t) => t.some((f) => f.factor === i)));

/* How much a factor moves the surface between its ends, from the middle of all. */
function reach(study: Study, s: Surface, i: number, from: number[]): number {
  const taken = valuesTaken(study.factors[i]!);
  const at = (v: number): number => predict(s, from.map((w, k) => (k === i ? v : w)));
  const ends = [at(taken[0]!), at(taken[Math.floor(taken.length / 2)]!), at(taken[taken.length - 1]!)];
  return Math.max(...ends) - Math.min(...ends);
}

class SurfaceView {
  readonly root = el('div');
  private at: number[]; /* values of all factors */
  private x = 0;
  private y = 0;
  private map: ColourMap | null = null;
  private host = el('div');
  private told = el('div');
  private sliders = el('div.toolbar');
  private numeric: number[];

  constructor(private study: Study, private s: Surface) {
    const middle = (f: Axis, i: number): number => {
      const taken = valuesTaken(f);
      if (study.nominal && Number.isFinite(study.nominal[i]!)) return study.nominal[i]!;
      return f.labels ? taken[0]! : (taken[0]! + taken[taken.length - 1]!) / 2;
    };
    this.at = study.factors.map(middle);
    this.numeric = known(study, s).filter((i) => !study.factors[i]!.labels).sort((a, b) => reach(study, s, b, this.at) - reach(study, s, a, this.at));
    [this.x, this.y] = [this.numeric[0] ?? 0, this.numeric[1] ?? -1];
    this.root.append(this.pickers(), this.sliders, this.told, this.host);
    this.fillSliders();
    later(() => this.build());
  }

  private pickers(): HTMLElement {
    const names = this.numeric.map((i) => this.study.factors[i]!.name);
    if (names.length < 3) return el('div');
    const chosen = (which: 'x' | 'y') => (k: number): void => {
      const [other, before] = which === 'x' ? [this.y, this.x] : [this.x, this.y];
      this[which] = this.numeric[k]!;
      if (this[which] === other) this[which === 'x' ? 'y' : 'x'] = before;
      const box = this.pickers();
      this.root.firstElementChild!.replaceWith(box);
      (box.querySelectorAll('select')[which === 'x' ? 0 : 1] as HTMLElement | undefined)?.focus();
      this.fillSliders();
      this.build();
    };
    return el('div.toolbar', {}, pick('Over', names, this.numeric.indexOf(this.x), chosen('x')), pick('and', names, this.numeric.indexOf(this.y), chosen('y')));
  }

  private fillSliders(): void {
    const { study } = this;
    const others = known(study, this.s).filter((i) => i !== this.x && i !== this.y);
    this.sliders.replaceChildren(...others.map((i) => slider(study.factors[i]!, this.at[i]!, (v) => {
      this.at[i] = v;
      this.update();
    })));
    this.tell();
  }

  private axis(i: number): { name: string; unit: string; values: number[]; log: boolean } {
    const f = this.study.factors[i]!;
    const taken = valuesTaken(f);
    const [low, high] = [taken[0]!, taken[taken.length - 1]!];
    const log = this.s.logarithmic[i]! && low > 0;
    return { name: f.name, unit: f.unit, log, values: Array.from({ length: fine }, (_v, k) => (log ? low * (high / low) ** (k / (fine - 1)) : low + ((high - low) * k) / (fine - 1))) };
  }

  private columns(): Float64Array[] {
    const [xs, ys] = [this.axis(this.x).values, this.axis(this.y).values];
    const at = [...this.at];
    return xs.map((x) => Float64Array.from(ys, (y) => {
      at[this.x] = x;
      at[this.y] = y;
      return predict(this.s, at);
    }));
  }

  private static limits(columns: Float64Array[]): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (const c of columns) for (const v of c) [low, high] = [Math.min(low, v), Math.max(high, v)];
    return [low, high];
  }

  private marks(): { x: number; y: number; label: string; shape: 'ring' }[] {
    return [{ x: this.at[this.x]!, y: this.at[this.y]!, label: '', shape: 'ring' }];
  }

  private build(): void {
    this.map?.destroy();
    this.map = null;
    if (this.y < 0) return this.curve();
    const r = this.study.responses.find((k) => k.name === this.s.response)!;
    const columns = this.columns();
    this.map = new ColourMap({
      x: this.axis(this.x), y: this.axis(this.y), columns, range: SurfaceView.limits(columns), value: { name: r.name, unit: r.unit }, filled: true, height: 420, marks: this.marks(),
      what: `the surface of ${r.name} vs ${this.study.factors[this.x]!.name} and ${this.study.factors[this.y]!.name}`,
      caption: `Surface of ${r.name}, evaluated in this page. Click, or press Enter at the cursor, to predict at that point.`,
      onPick: (x, y) => {
        [this.at[this.x], this.at[this.y]] = [x, y];
        this.update();
      },
    }, this.host);
    this.tell();
  }

  /* A single factor: a line. */
  private curve(): void {
    const [r, f, axis] = [this.study.responses.find((k) => k.name === this.s.response)!, this.study.factors[this.x]!, this.axis(this.x)];
    const rows = this.study.fine.filter((i) => Number.isFinite(r.values[i]!));
    this.host.replaceChildren();
    new Loop({ x: { name: f.name, unit: f.unit }, y: { name: r.name, unit: r.unit }, height: 360, curves: [
      { name: 'cases', hint: 'computed cases', x: rows.map((i) => f.values[i]!), y: rows.map((i) => r.values[i]!), style: lineStyle(1), dots: true },
      { name: 'surface', hint: 'the polynomial', x: axis.values, y: axis.values.map((v) => predict(this.s, this.at.map((w, k) => (k === this.x ? v : w)))), style: lineStyle(0) }] }, this.host);
    this.tell();
  }

  private update(): void {
    if (!this.map) this.curve();
    else {
      const columns = this.columns();
      this.map.setColumns(columns, SurfaceView.limits(columns), this.marks());
    }
    this.tell();
  }

  private tell(): void {
    const r = this.study.responses.find((k) => k.name === this.s.response)!;
    const at = known(this.study, this.s).map((i) => `${this.study.factors[i]!.name} ${valueText(this.study.factors[i]!, this.at[i]!)}`).join(', ');
    const error = this.s.rmsLeftOut !== null && Number.isFinite(this.s.rmsLeftOut) ? ` ± ${quantity(this.s.rmsLeftOut, r.unit, 2, predict(this.s, this.at))}` : '';
    this.told.replaceChildren(figureList([{ name: `predicted ${r.name}`, value: `${quantity(predict(this.s, this.at), r.unit, 5)}${error}`, at }]));
  }
}

/* Predicted over computed: on the diagonal where the surface is right. */
function comparison(study: Study, s: Surface): HTMLElement {
  const host = el('div.surface-check');
  const r = study.responses.find((k) => k.name === s.response)!;
  later(() => {
    const rows = study.fine.filter((i) => Number.isFinite(r.values[i]!));
    const curve = (values: ArrayLike<number>, name: string, hint: string, k: number) => {
      const known = rows.filter((i) => Number.isFinite(values[study.cases[i]! - 1]!));
      return { name, hint, x: known.map((i) => r.values[i]!), y: known.map((i) => values[study.cases[i]! - 1]!), style: lineStyle(k), dots: true, note: (p: number) => `case ${study.cases[known[p]!]}` };
    };
    const spread = spreadOf(study, r);
    new Loop({
      x: { name: `computed ${r.name}`, unit: r.unit }, y: { name: `predicted ${r.name}`, unit: r.unit }, equal: true, height: 460,
      curves: [
        ...(s.predicted ? [curve(s.predicted, 'by all cases', 'predicted by the surface fitted to all cases', 0)] : []),
        ...(s.leftOut ? [curve(s.leftOut, 'left out', 'predicted by a surface fitted to all other cases', 1)] : []),
        ...(spread ? [{ name: 'right', hint: 'predicted as computed', x: [spread.low, spread.high], y: [spread.low, spread.high], style: { colour: () => theme().muted, dash: [6, 4] } }] : []),
      ],
    }, host);
  });
  return host;
}

function one(study: Study, s: Surface): HTMLElement[] {
  const r = study.responses.find((k) => k.name === s.response)!;
  const figures = ([['R²', s.r2, '', 'share of the variance that the surface fits'], ['Q²', s.q2, '', 'of cases left out of the fit'],
    ['rms error', s.rms, r.unit, 'at the cases used in the fit'], ['cross-validated rms error', s.rmsLeftOut, r.unit, 'at cases left out of the fit']] as [string, number | null, string, string][])
    .filter(([, v]) => v !== null).map(([name, v, unit, at]) => ({ name, value: unit ? quantity(v, unit, 4, sizeOf(study, r) || v) : number(v, v !== null && v > 0.9995 ? 6 : 4), at }));
  return [
    el(trusted(s) ? 'p' : 'p.notice', {}, trustWords(s, study)),
    ...(s.note ? [el('p.hint', {}, s.note)] : []),
    figureList(figures), el('div.surface-parts', {}, new SurfaceView(study, s).root, ...(s.predicted || s.leftOut ? [el('div', {}, el('h3.small', {}, 'Predicted and computed'), comparison(study, s))] : [])),
    ...(s.cases ? [el('p.hint', {}, `${s.cases} failed cases are not in it.`)] : []),
  ];
}

export function surfaceSection(study: Study): HTMLElement[] {
  const none = study.withoutSurface.map((w) => el('p.hint', {}, `${w.response} has no surface: ${w.why.replace(/^none: /, '')}.`));
  if (!study.surfaces.length) return none;
  const host = el('div');
  const made = new Map<number, HTMLElement>();
  const show = (k: number): void => {
    if (!made.has(k)) made.set(k, el('div', {}, ...one(study, study.surfaces[k]!)));
    host.replaceChildren(made.get(k)!);
  };
  show(0);
  return [...(study.surfaces.length > 1 ? [el('div.toolbar', {}, pick('Response', study.surfaces.map((s) => s.response), 0, show))] : []), host, ...none];
}
