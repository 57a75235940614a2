/* scene.ts — planar bodies at an instant of their motion, as the group "scene" of a result describes them: discs, outlines, lines
 * and links, placed by the channels BODY.x, BODY.y and BODY.angle. */
import { columnOf, type Point } from './belt';
import { nearestRow, type Link } from './chart';
import { valuesOf, type Group, type Table, type Values } from './data';
import { el, svg, uniqueId } from './dom';
import { roundValues } from './format';
import { quantity } from './tables';
import { lineStyle, onThemeChange, theme } from './theme';

interface Shape {
  body: string; /* "-" = the ground */
  to: string; /* '' = no link */
  at: Point;
  end: Point;
  radius: number;
  corners: Point[]; /* two: a line without ends, bodies on its left */
}

export type Scene = Shape[];

const corners = 8; /* room in the result */
const size = { width: 780, height: 460 };
const margin = { left: 58, right: 14, top: 10, bottom: 42 };
const shownStates = 60; /* looked at for the limits of the drawing */

const array = (group: Group, name: string): Values => {
  const found = group.arrays.find((a) => a.name === name && !a.omitted);
  return found ? valuesOf(found) : [];
};

export function sceneOf(groups: Group[]): Scene | null {
  const group = groups.find((g) => g.kind === 'scene');
  if (!group?.arrays.some((a) => a.name === 'shape.x')) return null;
  const text = (name: string): string[] => (group.texts.find((t) => t.name === name)?.value ?? '').split(',');
  const [bodies, to] = [text('bodies'), text('to')];
  const [x, y, radius, toX, toY, count, places] = ['x', 'y', 'radius', 'to_x', 'to_y', 'count', 'corners'].map((n) => array(group, `shape.${n}`));
  return bodies.map((body, i) => ({
    body, to: to[i] ?? '', at: [x![i]!, y![i]!], end: [toX![i]!, toY![i]!], radius: radius![i]!,
    corners: Array.from({ length: count![i] ?? 0 }, (_c, k): Point => [places![2 * (corners * i + k)]!, places![2 * (corners * i + k) + 1]!]),
  }));
}

interface Place {
  x: number;
  y: number;
  angle: number;
}

const held: Place = { x: 0, y: 0, angle: 0 };

class SceneView {
  private time: Values;
  private names: string[];
  private columns = new Map<string, [Values | null, Values | null, Values | null]>();
  private low: Point = [0, 0];
  private step = 1; /* m per pixel */

  constructor(private scene: Scene, table: Table) {
    this.time = valuesOf(table.columns[0]!);
    this.names = [...new Set(scene.map((s) => s.body).filter((b) => b !== '-'))];
    for (const name of this.names)
      this.columns.set(name, [columnOf(table, `${name}.x`), columnOf(table, `${name}.y`), columnOf(table, `${name}.angle`)]);
    this.frame();
  }

  /* Whether the table tells where the bodies are. */
  get told(): boolean {
    return this.names.length > 0 && this.names.every((n) => this.columns.get(n)![0] && this.columns.get(n)![1]);
  }

  private place(body: string, row: number): Place {
    const c = this.columns.get(body);
    return c ? { x: c[0]?.[row] ?? 0, y: c[1]?.[row] ?? 0, angle: c[2]?.[row] ?? 0 } : held;
  }

  private world({ x, y, angle }: Place, [a, b]: Point): Point {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [x + c * a - s * b, y + s * a + c * b];
  }

  /* Limits: all that is ever shown, without lines, which have no ends. */
  private frame(): void {
    const points: Point[] = [];
    const n = this.time.length;
    for (let k = 0; k < Math.min(n, shownStates); k++) {
      const row = Math.round((k * (n - 1)) / Math.max(1, Math.min(n, shownStates) - 1));
      for (const s of this.scene) {
        const place = this.place(s.body, row);
        const [x, y] = this.world(place, s.at);
        if (s.corners.length !== 2) points.push([x - s.radius, y - s.radius], [x + s.radius, y + s.radius]);
        if (s.corners.length > 2) points.push(...s.corners.map((c) => this.world(place, c)));
        if (s.to) points.push(this.world(this.place(s.to, row), s.end));
      }
    }
    const [xs, ys] = [points.map((p) => p[0]), points.map((p) => p[1])];
    const least = (list: number[]): number => list.reduce((a, b) => Math.min(a, b), Infinity);
    const most = (list: number[]): number => list.reduce((a, b) => Math.max(a, b), -Infinity);
    const [left, right, down, up] = [least(xs), most(xs), least(ys), most(ys)];
    const room: Point = [size.width - margin.left - margin.right, size.height - margin.top - margin.bottom];
    this.step = (1.12 * Math.max((right - left) / room[0], (up - down) / room[1])) || 1e-3;
    this.low = [(left + right - room[0] * this.step) / 2, (down + up - room[1] * this.step) / 2];
  }

  private px([x, y]: Point): Point {
    return [margin.left + (x - this.low[0]) / this.step, size.height - margin.bottom - (y - this.low[1]) / this.step];
  }

  private path(points: Point[], attributes: Record<string, string | number>, tag = 'polyline'): SVGElement {
    return svg(tag, { points: points.map((p) => this.px(p).map((v) => v.toFixed(1)).join(',')).join(' '), fill: 'none', ...attributes });
  }

  /* A line without ends: as far as the drawing, hatched on the side of its material. */
  private line(s: Shape, row: number): SVGElement[] {
    const place = this.place(s.body, row);
    const [a, b] = s.corners.map((c) => this.world(place, c)) as [Point, Point];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const middle: Point = [this.low[0] + (size.width * this.step) / 2, this.low[1] + (size.height * this.step) / 2];
    const from = (middle[0] - a[0]) * dx + (middle[1] - a[1]) * dy;
    const reach = (size.width + size.height) * this.step;
    const at = (u: number): Point => [a[0] + u * dx, a[1] + u * dy];
    const deep = 7 * this.step;
    const hatch: SVGElement[] = [];
    for (let u = from - reach; u < from + reach; u += 14 * this.step) {
      const p = at(u);
      hatch.push(this.path([p, [p[0] + deep * (dy - dx), p[1] - deep * (dx + dy)]], { stroke: theme().grid, 'stroke-width': 1.25 }));
    }
    return [...hatch, this.path([at(from - reach), at(from + reach)], { stroke: theme().axis, 'stroke-width': 1.75 })];
  }

  private disc(s: Shape, row: number, colour: string): SVGElement[] {
    const place = this.place(s.body, row);
    const [cx, cy] = this.px(this.world(place, s.at));
    const rim = this.world(place, [s.at[0] + s.radius, s.at[1]]);
    return [
      svg('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: (s.radius / this.step).toFixed(1), fill: `${colour}22`, stroke: colour, 'stroke-width': 1.5 }),
      this.path([this.world(place, s.at), rim], { stroke: colour, 'stroke-width': 1.25 }),
    ];
  }

  private shape(s: Shape, row: number): SVGElement[] {
    const colour = s.body === '-' ? theme().muted : lineStyle(this.names.indexOf(s.body)).colour();
    if (s.corners.length === 2) return this.line(s, row);
    if (s.to) {
      const ends = [this.world(this.place(s.body, row), s.at), this.world(this.place(s.to, row), s.end)];
      const [cx, cy] = this.px(ends[1]!);
      return [this.path(ends, { stroke: theme().muted, 'stroke-width': 1.5 }), svg('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 2.6, fill: theme().muted })];
    }
    if (s.corners.length) return [this.path(s.corners.map((c) => this.world(this.place(s.body, row), c)), { fill: `${colour}22`, stroke: colour, 'stroke-width': 1.5 }, 'polygon')];
    if (s.radius > 0) return this.disc(s, row, colour);
    const [cx, cy] = this.px(this.world(this.place(s.body, row), s.at));
    return [svg('circle', { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 4, fill: colour })];
  }

  private axes(): SVGElement[] {
    const { grid, axis, muted } = theme();
    const [right, bottom] = [size.width - margin.right, size.height - margin.bottom];
    const high: Point = [this.low[0] + (right - margin.left) * this.step, this.low[1] + (bottom - margin.top) * this.step];
    const text = (x: number, y: number, content: string, more: Record<string, string | number> = {}): SVGElement =>
      svg('text', { x: x.toFixed(1), y: y.toFixed(1), fill: muted, 'font-size': 12, 'text-anchor': 'middle', ...more }, content);
    const written = (v: number): string => String(v).replace('-', '−');
    return [
      ...roundValues(this.low[0], high[0], 8).flatMap((v) => {
        const x = this.px([v, 0])[0];
        return [svg('line', { x1: x, x2: x, y1: margin.top, y2: bottom, stroke: grid, opacity: 0.5 }), text(x, bottom + 17, written(v))];
      }),
      ...roundValues(this.low[1], high[1], 6).flatMap((v) => {
        const y = this.px([0, v])[1];
        return [svg('line', { x1: margin.left, x2: right, y1: y, y2: y, stroke: grid, opacity: 0.5 }), text(margin.left - 7, y + 4, written(v), { 'text-anchor': 'end' })];
      }),
      svg('polyline', { points: `${margin.left},${margin.top} ${margin.left},${bottom} ${right},${bottom}`, fill: 'none', stroke: axis }),
      text((margin.left + right) / 2, size.height - 8, 'x [m]'),
      text(14, (margin.top + bottom) / 2, 'y [m]', { transform: `rotate(-90 14 ${(margin.top + bottom) / 2})` }),
    ];
  }

  private draw(row: number, clip: string): SVGElement {
    const { width, height } = size;
    return svg('svg', { class: 'drive-drawing', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'the bodies at this instant' },
      svg('clipPath', { id: clip }, svg('rect', { x: margin.left, y: margin.top, width: width - margin.left - margin.right, height: height - margin.top - margin.bottom })),
      ...this.axes(),
      svg('g', { 'clip-path': `url(#${clip})` }, ...this.scene.filter((s) => s.corners.length === 2).flatMap((s) => this.shape(s, row)),
        ...this.scene.filter((s) => s.corners.length !== 2).flatMap((s) => this.shape(s, row))));
  }

  view(link: Link): HTMLElement {
    const n = this.time.length;
    const [id, clip] = [uniqueId('instant'), uniqueId('clip')];
    const host = el('div.drive-host');
    const slider = el('input', { id, type: 'range', min: 0, max: n - 1, value: 0 });
    const told = el('output', { for: id });
    let row = 0;
    const draw = (): void => {
      slider.value = String(row);
      told.textContent = quantity(this.time[row]!, 's', 4, this.time[n - 1]!);
      host.replaceChildren(this.draw(row, clip));
    };
    slider.addEventListener('input', () => {
      row = Number(slider.value);
      link.lead(this.time[row]!);
      draw();
    });
    link.onCursor((at) => {
      if (at === null) return;
      row = nearestRow(this.time, at);
      draw();
    });
    onThemeChange(draw);
    draw();
    return el('figure.drive', {}, el('div.instant', {}, this.player(() => row, (next) => ((row = next), draw())), el('label', { for: id }, 'Time'), slider, told), host);
  }

  /* Plays the motion in its own time, at least 4 and at most 20 seconds long. */
  private player(get: () => number, set: (row: number) => void): HTMLElement {
    const n = this.time.length;
    const [first, last] = [this.time[0]!, this.time[n - 1]!];
    const pace = (last - first) / Math.min(20, Math.max(4, last - first));
    const button = el('button', { type: 'button' }, 'Play');
    let playing = false;
    let before = 0;
    let at = first;
    const frame = (now: number): void => {
      if (!playing) return;
      at += (pace * (now - before)) / 1000;
      before = now;
      set(nearestRow(this.time, Math.min(at, last)));
      if (at < last) requestAnimationFrame(frame);
      else stop();
    };
    const stop = (): void => {
      playing = false;
      button.textContent = 'Play';
    };
    button.addEventListener('click', () => {
      if (playing) return stop();
      playing = true;
      button.textContent = 'Stop';
      at = get() >= n - 1 ? first : this.time[get()]!;
      before = performance.now();
      requestAnimationFrame(frame);
    });
    return button;
  }
}

/* The bodies of a table that tells where they are. */
export function sceneView(scene: Scene, table: Table, link: Link): HTMLElement | null {
  const view = new SceneView(scene, table);
  return view.told && table.rows > 1 ? view.view(link) : null;
}
