/* drawing.ts — a belt drive as a drawing to scale: pulleys, belt coloured by its tension, tensioner arm, hub loads. */
import { beltPath, heldAt, spoken, type BeltPath, type Layout, type Point } from './belt';
import { svg } from './dom';
import { number, roundValues } from './format';
import { rampColour, theme } from './theme';

/* What the drawing shows; what is not given is left out. */
export interface DriveState {
  centres: Point[];
  tension?: number[]; /* N, of each span */
  slipArc?: number[]; /* rad, at the exit of each pulley: there the tension changes; else along the whole arc */
  hub?: Point[]; /* N */
  arm?: number; /* rad of an arm, m of a slide */
  turned?: number[]; /* rad, of each pulley, forwards positive: shown by a spoke */
  pressure?: number[][]; /* N/m on each pulley, in equal parts of its wrap from the entry on */
  nodes?: { at: Point; tension: number }[]; /* of a belt in segments: drawn as they are */
}

export interface DriveScale {
  tension: [number, number]; /* N: ends of the colours */
  hub: number; /* N: of the longest arrow */
  pressure?: number; /* N/m: of the highest bar */
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Label {
  lines: string[];
  at: Point[]; /* centres of where it may stand, the best first */
  weight?: number;
  muted?: boolean;
}

const most = { width: 780, height: 600 };
const margin = { left: 58, right: 18, top: 18, bottom: 46 };
const arrow = 74; /* pixels of the longest hub load */
const bar = 26; /* pixels of the highest line load, outside of the belt */
const lineHeight = 15;
const arcPieces = 12;

/* Whole newtons from 100 on. */
const forceText = (n: number): string => (Math.abs(n) >= 100 ? number(Math.round(n), 4).replace(/\.0+$/, '') : number(n, 3));

const mix = (a: number, b: number, share: number): number => a + (b - a) * share;

/* Everything that is ever shown, in m. */
function bounds(layout: Layout, states: DriveState[]): { low: Point; high: Point } {
  const xs: number[] = [];
  const ys: number[] = [];
  const put = ([x, y]: Point, r: number): void => void (xs.push(x - r, x + r), ys.push(y - r, y + r));
  for (const s of states) {
    s.centres.forEach((c, i) => Number.isFinite(c[0]) && put(c, layout.pulleys[i]!.radius));
    s.nodes?.forEach((n) => Number.isFinite(n.at[0]) && put(n.at, 0));
  }
  if (layout.arm?.part === 'arm') put(layout.arm.pivot, 0.01);
  return { low: [Math.min(...xs), Math.min(...ys)], high: [Math.max(...xs), Math.max(...ys)] };
}

export class DriveDrawing {
  private low: Point;
  private step: number; /* m per pixel */
  private size: { width: number; height: number };
  private taken: Box[] = [];
  private covered: Point[] = []; /* pixels that labels should not cover */
  private rims: Point[] = []; /* nor these, when there is another way */

  constructor(private layout: Layout, private scale: DriveScale, states: DriveState[]) {
    const { low, high } = bounds(layout, states);
    const pad = 0.07 * Math.max(high[0] - low[0], high[1] - low[1]);
    this.low = [low[0] - pad, low[1] - pad];
    const [w, h] = [high[0] - low[0] + 2 * pad, high[1] - low[1] + 2 * pad];
    this.step = Math.max(w / (most.width - margin.left - margin.right), h / (most.height - margin.top - margin.bottom));
    this.size = {
      width: Math.round(w / this.step + margin.left + margin.right),
      height: Math.round(h / this.step + margin.top + margin.bottom),
    };
  }

  private px([x, y]: Point): Point {
    return [margin.left + (x - this.low[0]) / this.step, this.size.height - margin.bottom - (y - this.low[1]) / this.step];
  }

  private colour(tension: number): string {
    const [low, high] = this.scale.tension;
    return Number.isFinite(tension) ? rampColour(high > low ? (tension - low) / (high - low) : 0.5) : theme().axis;
  }

  private line(points: Point[], attributes: Record<string, string | number>): SVGElement {
    return svg('polyline', { points: points.map((p) => p.map((v) => v.toFixed(1)).join(',')).join(' '), fill: 'none', ...attributes });
  }

  private axes(): SVGElement[] {
    const { width, height } = this.size;
    const [right, bottom] = [width - margin.right, height - margin.bottom];
    const { grid, axis, muted } = theme();
    const mm = (pixels: number, k: 0 | 1): number => (this.low[k] + pixels * this.step) * 1e3;
    const text = (x: number, y: number, content: string, attributes: Record<string, string | number> = {}): SVGElement =>
      svg('text', { x: x.toFixed(1), y: y.toFixed(1), fill: muted, 'font-size': 12, 'text-anchor': 'middle', ...attributes }, content);
    const xs = roundValues(mm(0, 0), mm(right - margin.left, 0), 8);
    const ys = roundValues(mm(0, 1), mm(bottom - margin.top, 1), 7);
    return [
      ...xs.flatMap((v) => {
        const x = this.px([v * 1e-3, 0])[0];
        return [this.line([[x, margin.top], [x, bottom]], { stroke: grid }), text(x, bottom + 17, String(v).replace('-', '−'))];
      }),
      ...ys.flatMap((v) => {
        const y = this.px([0, v * 1e-3])[1];
        return [this.line([[margin.left, y], [right, y]], { stroke: grid }),
          text(margin.left - 7, y + 4, String(v).replace('-', '−'), { 'text-anchor': 'end' })];
      }),
      this.line([[margin.left, margin.top], [margin.left, bottom], [right, bottom]], { stroke: axis }),
      text((margin.left + right) / 2, height - 8, 'x [mm]'),
      text(14, (margin.top + bottom) / 2, 'y [mm]', { transform: `rotate(-90 14 ${((margin.top + bottom) / 2).toFixed(1)})` }),
    ];
  }

  private discs(state: DriveState): SVGElement[] {
    return this.layout.pulleys.flatMap((p, i) => {
      const [cx, cy] = this.px(state.centres[i]!);
      if (!Number.isFinite(cx)) return [];
      const back = p.side < 0;
      for (let k = 0; k < 48; k++) this.rims.push([cx + (p.radius / this.step) * Math.cos((k * Math.PI) / 24), cy + (p.radius / this.step) * Math.sin((k * Math.PI) / 24)]);
      return [
        svg('circle', { class: back ? 'pulley back' : 'pulley', cx: cx.toFixed(1), cy: cy.toFixed(1), r: (p.radius / this.step).toFixed(1),
          'stroke-dasharray': back ? '5 3' : 'none' }),
        ...this.spoke(state, i),
        svg('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 2.2, fill: theme().muted }),
      ];
    });
  }

  private spoke(state: DriveState, i: number): SVGElement[] {
    const { side, radius } = this.layout.pulleys[i]!;
    const angle = side * (state.turned?.[i] ?? NaN);
    const [cx, cy] = state.centres[i]!;
    const end: Point = [cx + radius * Math.cos(angle), cy + radius * Math.sin(angle)];
    return Number.isFinite(angle) ? [this.line([this.px([cx, cy]), this.px(end)], { stroke: theme().axis, 'stroke-width': 2 })] : [];
  }

  /* Points on the arc of pulley i, `share` of its wrap behind the entry. */
  private onArc(path: BeltPath, centre: Point, i: number, share: number): Point {
    const { radius, side } = this.layout.pulleys[i]!;
    const entry = path.spans[(i + path.spans.length - 1) % path.spans.length]!.direction - (side * Math.PI) / 2;
    const angle = entry + side * share * path.wraps[i]!;
    return [centre[0] + radius * Math.cos(angle), centre[1] + radius * Math.sin(angle)];
  }

  private arc(path: BeltPath, state: DriveState, i: number): SVGElement[] {
    const before = (i + path.spans.length - 1) % path.spans.length;
    const [t0, t1] = [state.tension?.[before] ?? NaN, state.tension?.[i] ?? NaN];
    const wrap = path.wraps[i]!;
    const slip = Math.min(wrap, state.slipArc ? Math.max(0, state.slipArc[i] ?? 0) : wrap);
    const changes = Number.isFinite(t0) && Number.isFinite(t1) && slip > 0;
    const out: SVGElement[] = [];
    const piece = (from: number, to: number, tension: number): void => {
      const n = Math.max(2, Math.ceil(((to - from) * wrap * this.layout.pulleys[i]!.radius) / this.step / 4));
      const points = Array.from({ length: n + 1 }, (_p, k) => this.px(this.onArc(path, state.centres[i]!, i, mix(from, to, k / n))));
      this.covered.push(...points);
      out.push(this.line(points, { class: 'belt', stroke: this.colour(tension) }));
    };
    const stick = changes ? 1 - slip / wrap : 1;
    if (stick > 0) piece(0, stick, changes ? t0 : Number.isFinite(t1) ? t1 : t0);
    for (let k = 0; changes && k < arcPieces; k++)
      piece(mix(stick, 1, k / arcPieces), mix(stick, 1, (k + 1) / arcPieces), mix(t0, t1, (k + 0.5) / arcPieces));
    return out;
  }

  /* The line load of the belt on a pulley, as bars that stand on the belt. */
  private load(path: BeltPath, state: DriveState, i: number): SVGElement[] {
    const bins = state.pressure?.[i] ?? [];
    const scale = this.scale.pressure ?? 0;
    const centre = state.centres[i]!;
    if (!(scale > 0)) return [];
    return bins.flatMap((p, k) => {
      if (!(p > 0)) return [];
      const out = (share: number, pixels: number): Point => {
        const at = this.onArc(path, centre, i, share);
        const far = (pixels * this.step) / this.layout.pulleys[i]!.radius;
        return this.px([at[0] + far * (at[0] - centre[0]), at[1] + far * (at[1] - centre[1])]);
      };
      const ends = Array.from({ length: 7 }, (_e, m) => (k + 0.06 + (0.88 * m) / 6) / bins.length);
      const points = [...ends.map((e) => out(e, 4)), ...[...ends].reverse().map((e) => out(e, 4 + (bar * p) / scale))];
      for (const high of [0.2, 0.6, 1]) this.covered.push(out((k + 0.5) / bins.length, 4 + (high * bar * p) / scale));
      return [svg('polygon', { class: 'line-load', points: points.map((q) => q.map((v) => v.toFixed(1)).join(',')).join(' ') })];
    });
  }

  private span(path: BeltPath, state: DriveState, i: number): SVGElement[] {
    const { from, to, direction } = path.spans[i]!;
    const [a, b] = [this.px(from), this.px(to)];
    const n = Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 6);
    for (let k = 0; k <= n; k++) this.covered.push([mix(a[0], b[0], k / n), mix(a[1], b[1], k / n)]);
    const middle: Point = [mix(a[0], b[0], 0.5), mix(a[1], b[1], 0.5)];
    const colour = this.colour(state.tension?.[i] ?? NaN);
    return [
      this.line([a, b], { class: 'belt', stroke: colour }),
      svg('path', { fill: colour, d: 'M-7,-7L8,0L-7,7Z', transform: `translate(${middle.map((v) => v.toFixed(1)).join(' ')}) rotate(${((-direction * 180) / Math.PI).toFixed(1)})` }),
    ];
  }

  private segments(nodes: NonNullable<DriveState['nodes']>): SVGElement[] {
    return nodes.flatMap((node, k) => {
      const [a, b] = [this.px(node.at), this.px(nodes[(k + 1) % nodes.length]!.at)];
      this.covered.push(a);
      return [this.line([a, b], { class: 'belt', stroke: this.colour(node.tension) }),
        svg('circle', { cx: a[0].toFixed(1), cy: a[1].toFixed(1), r: 1.5, fill: theme().text })];
    });
  }

  private arm(state: DriveState): SVGElement[] {
    const { arm, pulleys } = this.layout;
    const held = pulleys.findIndex((p) => p.onArm);
    if (!arm || held < 0) return [];
    const turns = arm.part === 'arm';
    const [a, b] = [this.px(turns ? arm.pivot : heldAt(arm, arm.stops?.[0] ?? state.arm ?? arm.start)), this.px(state.centres[held]!)];
    const travel = arm.stops ? Array.from({ length: 41 }, (_p, k) => this.px(heldAt(arm, mix(arm.stops![0], arm.stops![1], k / 40)))) : [];
    const ticks = [travel.slice(0, 2), travel.slice(-2)].filter((t) => t.length === 2).map(([p, q], end) => {
      const length = Math.hypot(q![0] - p![0], q![1] - p![1]) || 1;
      const [nx, ny] = [(-6 * (q![1] - p![1])) / length, (6 * (q![0] - p![0])) / length];
      const [x, y] = end ? q! : p!;
      return this.line([[x - nx, y - ny], [x + nx, y + ny]], { stroke: theme().muted, 'stroke-width': 2 });
    });
    if (turns) for (let k = 0; k <= 10; k++) this.covered.push([mix(a[0], b[0], k / 10), mix(a[1], b[1], k / 10)]);
    return [
      ...(travel.length ? [this.line(travel, { stroke: theme().muted, 'stroke-width': 1.5, 'stroke-dasharray': '2 4' })] : []), ...ticks,
      ...(turns ? [
        this.line([a, b], { class: 'arm' }),
        svg('circle', { class: 'pivot', cx: a[0].toFixed(1), cy: a[1].toFixed(1), r: 6 }),
        svg('circle', { cx: a[0].toFixed(1), cy: a[1].toFixed(1), r: 1.8, fill: theme().text }),
      ] : [svg('rect', { class: 'pivot', x: (b[0] - 7).toFixed(1), y: (b[1] - 7).toFixed(1), width: 14, height: 14,
        transform: `rotate(${((Math.atan2(-arm.along[1], arm.along[0]) * 180) / Math.PI).toFixed(1)} ${b.map((v) => v.toFixed(1)).join(' ')})` })]),
    ];
  }

  private hubs(state: DriveState): SVGElement[] {
    return (state.hub ?? []).flatMap(([fx, fy], i) => {
      const size = Math.hypot(fx, fy);
      if (!(size > 0) || !(this.scale.hub > 0)) return [];
      const [x, y] = this.px(state.centres[i]!);
      const length = (arrow * size) / this.scale.hub;
      const [ux, uy] = [fx / size, -fy / size];
      const tip: Point = [x + length * ux, y + length * uy];
      for (let k = 1; k <= 10; k++) this.covered.push([mix(x, tip[0], k / 10), mix(y, tip[1], k / 10)]);
      return [svg('g', { class: 'hub' },
        this.line([[x, y], [tip[0] - 5 * ux, tip[1] - 5 * uy]], {}),
        svg('path', { d: 'M-11,-5L0,0L-11,5Z', transform: `translate(${tip.map((v) => v.toFixed(1)).join(' ')}) rotate(${((Math.atan2(uy, ux) * 180) / Math.PI).toFixed(1)})` }))];
    });
  }

  private around([x, y]: Point, distance: number, first: number): Point[] {
    return [0, 1, -1, 2, -2, 3, -3, 4].map((k): Point => {
      const a = first + (k * Math.PI) / 4;
      return [x + distance * Math.cos(a) * 1.35, y + distance * Math.sin(a)];
    });
  }

  private labels(state: DriveState, path: BeltPath | null): Label[] {
    const hubAngle = (i: number): number => {
      const [fx, fy] = state.hub?.[i] ?? [0, 1];
      return Math.atan2(-fy, fx);
    };
    const names = this.layout.pulleys.map((p, i): Label => {
      const centre = this.px(state.centres[i]!);
      const r = p.radius / this.step;
      const away = hubAngle(i) + Math.PI;
      const inside: Point[] = r > 34 ? [0.45, 0.3].flatMap((f) => [0, 1, -1, 2, -2].map((k): Point =>
        [centre[0] + f * r * Math.cos(away + k * 0.5), centre[1] + f * r * Math.sin(away + k * 0.5)])) : [];
      return { lines: [spoken(p.name), `⌀ ${number(p.effective * 1e3, 3)} mm`], at: [...inside, ...this.around(centre, r + 26, away), ...this.around(centre, r + 44, away)], weight: 600 };
    });
    const hubs = (state.hub ?? []).flatMap(([fx, fy], i): Label[] => {
      const size = Math.hypot(fx, fy);
      if (!(size > 0)) return [];
      const [x, y] = this.px(state.centres[i]!);
      const length = (arrow * size) / this.scale.hub;
      const a = hubAngle(i);
      return [{ lines: [`${forceText(size)} N`], at: [...this.around([x + length * Math.cos(a), y + length * Math.sin(a)], 18, a), ...this.around([x + length * Math.cos(a), y + length * Math.sin(a)], 30, a)] }];
    });
    const spans = (path?.spans ?? []).flatMap((s, i): Label[] => {
      const t = state.tension?.[i];
      if (t === undefined || !Number.isFinite(t)) return [];
      const [a, b] = [this.px(s.from), this.px(s.to)];
      const [nx, ny] = [Math.sin(s.direction), Math.cos(s.direction)]; /* to the right of the travel: outside of the loop */
      const at = [0.5, 0.36, 0.64, 0.22, 0.78].flatMap((f) => [1, -1].flatMap((side) => [1, 1.4].map((d): Point =>
        [mix(a[0], b[0], f) + side * nx * d * 34, mix(a[1], b[1], f) + side * ny * d * 19])));
      return [{ lines: [`${forceText(t)} N`], at, weight: 600 }];
    });
    return [...spans, ...names, ...hubs, ...this.armLabel(state)];
  }

  private armLabel(state: DriveState): Label[] {
    const { arm, pulleys } = this.layout;
    const place = state.arm ?? arm?.start ?? NaN;
    const held = pulleys.findIndex((p) => p.onArm);
    if (!arm || !Number.isFinite(place) || held < 0) return [];
    const at = this.px(arm.part === 'arm' ? arm.pivot : state.centres[held]!);
    const away = arm.part === 'arm' ? Math.PI - place : Math.atan2(-arm.along[1], arm.along[0]);
    const text = arm.part === 'arm' ? `${((place * 180) / Math.PI).toFixed(1)}°` : `${(place * 1e3).toFixed(1)} mm`;
    return [{ lines: [arm.part, text], at: [26, 44, 62].flatMap((d) => this.around(at, d, away)), muted: true }];
  }

  /* Where a label covers nothing that was drawn, as far as there is such a place. */
  private write(label: Label): SVGElement {
    const width = (label.weight ? 7.6 : 7) * Math.max(...label.lines.map((l) => l.length)) + 4;
    const height = lineHeight * label.lines.length;
    const { size } = this;
    let best: { box: Box; cost: number } | null = null;
    label.at.forEach(([x, y], rank) => {
      const box = { x: x - width / 2, y: y - height / 2, width, height };
      const outside = box.x < margin.left || box.y < 2 || box.x + width > size.width - 2 || box.y + height > size.height - margin.bottom;
      const meets = this.taken.filter((b) => b.x < box.x + width && box.x < b.x + b.width && b.y < box.y + height && box.y < b.y + b.height).length;
      const hides = (list: Point[]): number => list.filter((p) => p[0] > box.x && p[0] < box.x + width && p[1] > box.y && p[1] < box.y + height).length;
      const cost = (outside ? 500 : 0) + 100 * meets + 6 * hides(this.covered) + 2 * hides(this.rims) + rank;
      if (!best || cost < best.cost) best = { box, cost };
    });
    const { box } = best!;
    this.taken.push(box);
    const text = svg('text', { class: label.muted ? 'label muted' : 'label', 'text-anchor': 'middle', 'font-weight': label.weight ?? 400 });
    label.lines.forEach((line, k) => text.append(svg('tspan', {
      x: (box.x + width / 2).toFixed(1), y: (box.y + 12 + k * lineHeight).toFixed(1), ...(k ? { class: 'second' } : {}) }, line)));
    return text;
  }

  draw(state: DriveState): SVGElement {
    this.taken = [];
    this.covered = [];
    this.rims = [];
    const path = beltPath(this.layout, state.centres);
    const belt = state.nodes ? this.segments(state.nodes)
      : path ? path.spans.flatMap((_s, i) => [...this.arc(path, state, i), ...this.span(path, state, i)]) : [];
    const loads = path ? path.spans.flatMap((_s, i) => this.load(path, state, i)) : [];
    const shapes = [...this.axes(), ...this.discs(state), ...loads, ...this.arm(state), ...belt, ...this.hubs(state)];
    const { width, height } = this.size;
    return svg('svg', {
      class: 'drive-drawing', viewBox: `0 0 ${width} ${height}`, style: `max-width:${width}px`, role: 'img',
      'aria-label': `Layout of the drive to scale: ${this.layout.pulleys.map((p) => spoken(p.name)).join(', ')}`,
    }, ...shapes, ...this.labels(state, path).map((l) => this.write(l)));
  }
}
