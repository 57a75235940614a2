/* labels.ts — texts in a drawing that cover neither each other nor what was drawn, and that stay where they are as long as they can. */
import type { Point } from './geometry';
import type { Box, Pen } from './pen';
import { theme } from './theme';

export interface Label {
  key: string; /* the same from frame to frame */
  lines: string[];
  at: Point[]; /* middles of where it may stand, in pixels, the best first */
  weight?: number;
  muted?: boolean;
  of?: Point; /* what it belongs to: a thin line leads there from far */
  reach?: number; /* pixels around `of` that belong to it as well */
  home?: string; /* the disc in which it may be */
}

/* Something round that has labels of its own: others in it would be taken for these. */
interface Disc {
  name: string;
  at: Point;
  radius: number;
}

const cell = 6; /* pixels of the grid in which covered places are counted */
const lineHeight = 15;
const size = 12.5;
const far = 24; /* pixels */
const alien = 600; /* worth of a place within a disc of others */
const straddling = 150;
const calm = 40; /* worth of the place that a label had before */

export class Labels {
  private columns = 1;
  private rows = 1;
  private counts = new Uint16Array(1);
  private area: Box = { x: 0, y: 0, width: 1, height: 1 };
  private taken: Box[] = [];
  private discs: Disc[] = [];
  private before = new Map<string, number>(); /* which of its places each label had */

  /* A new frame. */
  begin(area: Box): void {
    this.area = area;
    this.columns = Math.ceil(area.width / cell) + 1;
    this.rows = Math.ceil(area.height / cell) + 1;
    if (this.counts.length !== this.columns * this.rows) {
      this.counts = new Uint16Array(this.columns * this.rows);
      this.before.clear();
    } else this.counts.fill(0);
    this.taken = [];
    this.discs = [];
  }

  disc(name: string, at: Point, radius: number): void {
    this.discs.push({ name, at, radius });
  }

  /* In a disc of others, or over a rim. */
  private misplaced(box: Box, home: string | undefined): number {
    let sum = 0;
    for (const { name, at: [x, y], radius } of this.discs) {
      const [dx, dy] = [Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height)];
      if (Math.hypot(dx, dy) >= radius) continue;
      const far = Math.hypot(Math.max(x - box.x, box.x + box.width - x), Math.max(y - box.y, box.y + box.height - y));
      sum += name !== home ? alien : far > radius ? straddling : 0;
    }
    return sum;
  }

  /* A place that labels should not cover. */
  cover([x, y]: Point, weight = 6): void {
    const [i, k] = [Math.floor((x - this.area.x) / cell), Math.floor((y - this.area.y) / cell)];
    if (i >= 0 && k >= 0 && i < this.columns && k < this.rows) this.counts[k * this.columns + i]! += weight;
  }

  coverLine(a: Point, b: Point, weight = 6): void {
    const n = Math.min(400, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / cell));
    for (let k = 0; k <= n; k++) this.cover([a[0] + ((b[0] - a[0]) * k) / (n || 1), a[1] + ((b[1] - a[1]) * k) / (n || 1)], weight);
  }

  private hidden(box: Box): number {
    let sum = 0;
    const [left, right] = [Math.max(0, Math.floor((box.x - this.area.x) / cell)), Math.min(this.columns - 1, Math.floor((box.x + box.width - this.area.x) / cell))];
    const [top, bottom] = [Math.max(0, Math.floor((box.y - this.area.y) / cell)), Math.min(this.rows - 1, Math.floor((box.y + box.height - this.area.y) / cell))];
    for (let k = top; k <= bottom; k++) for (let i = left; i <= right; i++) sum += this.counts[k * this.columns + i]!;
    return sum;
  }

  private outside(box: Box): boolean {
    const { area } = this;
    return box.x < area.x + 2 || box.y < area.y + 2 || box.x + box.width > area.x + area.width - 2 || box.y + box.height > area.y + area.height - 2;
  }

  private lead(pen: Pen, box: Box, of: Point, reach = 0): void {
    const edge: Point = [Math.min(box.x + box.width, Math.max(box.x, of[0])), Math.min(box.y + box.height, Math.max(box.y, of[1]))];
    if (Math.hypot(edge[0] - of[0], edge[1] - of[1]) > far + reach) pen.line([edge, of], { stroke: theme().muted, width: 0.75 });
  }

  write(pen: Pen, label: Label): void {
    const width = Math.max(...label.lines.map((l, k) => pen.measure(l, size, k ? 400 : label.weight ?? 400))) + 4;
    const height = lineHeight * label.lines.length;
    const had = this.before.get(label.key);
    let best: { box: Box; cost: number; rank: number } | null = null;
    label.at.forEach(([x, y], rank) => {
      const box = { x: x - width / 2, y: y - height / 2, width, height };
      const meets = this.taken.filter((b) => b.x < box.x + width && box.x < b.x + b.width && b.y < box.y + height && box.y < b.y + b.height).length;
      const cost = (this.outside(box) ? 3000 : 0) + 2000 * meets + this.hidden(box) + this.misplaced(box, label.home) + 2 * rank - (rank === had ? calm : 0);
      if (!best || cost < best.cost) best = { box, cost, rank };
    });
    if (!best) return;
    const { box, cost, rank } = best as { box: Box; cost: number; rank: number };
    this.before.set(label.key, rank);
    if (cost > 1500) return; /* zoomed away, or no room: one label less is better than two that nobody can read */
    this.taken.push(box);
    const { text, muted, paper } = theme();
    if (label.of) this.lead(pen, box, label.of, label.reach);
    pen.group('label', () => label.lines.forEach((line, k) => pen.text([box.x + width / 2, box.y + (k + 0.5) * lineHeight], line,
      { fill: k || label.muted ? muted : text, size, weight: k ? 400 : label.weight ?? 400, halo: paper })));
  }
}
