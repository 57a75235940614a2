/* marks.ts — marks in plots: their shapes, on the canvas and in legends, and labels that keep out of each other's way. */
import { theme } from './theme';

export type Shape = 'disc' | 'ring' | 'diamond' | 'cross' | 'triangle' | 'square';

export interface Mark {
  colour?: () => string; /* that of the text when not given */
  shape?: Shape; /* a disc when not given */
  curve?: number; /* hidden together with this curve */
  label: string;
  x: number; /* SI */
  y: number;
}

export const filled = (shape: Shape): boolean => shape !== 'ring' && shape !== 'cross';

/* Outline around (0, 0), as drawing commands of SVG and of Path2D alike. */
export function outline(shape: Shape, r: number): string {
  const polygon = (...points: number[]): string =>
    `M${points.map((v) => (v * r).toFixed(2)).reduce((text, v, i) => text + (i === 0 ? v : i % 2 ? `,${v}` : `L${v}`), '')}Z`;
  if (shape === 'diamond') return polygon(0, -1.35, 1.35, 0, 0, 1.35, -1.35, 0);
  if (shape === 'triangle') return polygon(0, -1.4, 1.25, 0.9, -1.25, 0.9);
  if (shape === 'square') return polygon(-1, -1, 1, -1, 1, 1, -1, 1);
  if (shape === 'cross') return `M${-r},${-r}L${r},${r}M${-r},${r}L${r},${-r}`;
  return `M${r},0A${r},${r},0,1,1,${-r},0A${r},${r},0,1,1,${r},0Z`;
}

/* With a rim in the colour of the paper, so that marks on each other and on lines stay apart. */
export function drawMark(ctx: CanvasRenderingContext2D, shape: Shape, x: number, y: number, ratio: number, colour: string): void {
  const path = new Path2D(outline(shape, 4 * ratio));
  ctx.save();
  ctx.setLineDash([]); /* that of the last curve may still be set */
  ctx.translate(x, y);
  ctx.strokeStyle = theme().paper;
  ctx.lineWidth = (filled(shape) ? 2 : 4.5) * ratio;
  ctx.stroke(path);
  ctx.fillStyle = filled(shape) ? colour : theme().paper;
  if (shape !== 'cross') ctx.fill(path);
  if (!filled(shape)) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2 * ratio;
    ctx.stroke(path);
  }
  ctx.restore();
}

/* The same for a legend, in the colour of the text. */
export function glyph(shape: Shape): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  svg.setAttribute('viewBox', '-7 -7 14 14');
  svg.setAttribute('class', 'glyph');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', outline(shape, 4));
  path.setAttribute('fill', filled(shape) ? 'currentColor' : 'none');
  path.setAttribute('stroke', filled(shape) ? 'none' : 'currentColor');
  path.setAttribute('stroke-width', '2');
  svg.append(path);
  return svg;
}

/* All lengths below in pixels of the canvas. */
export interface Place {
  x: number;
  y: number;
}

interface Box extends Place {
  width: number;
  height: number;
}

export interface Label {
  text: string;
  colour: string;
  at: Place[]; /* anchors, the best first */
}

const overlaps = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const within = (box: Box, area: Box): boolean =>
  box.x >= area.x && box.y >= area.y && box.x + box.width <= area.x + area.width && box.y + box.height <= area.y + area.height;

const inside = (p: Place, box: Box): boolean =>
  p.x >= box.x && p.x <= box.x + box.width && p.y >= box.y && p.y <= box.y + box.height;

/* Positions of a box beside an anchor, the customary one (above to the right) first. */
function beside({ x, y }: Place, width: number, height: number, gap: number): Box[] {
  const across = [x + gap, x - gap - width, x - width / 2];
  const along = [y - gap - 0.5 * height, y + gap - 0.5 * height, y - height / 2];
  const pairs: [number, number][] = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2], [1, 2]];
  const boxes = pairs.map(([i, j]) => ({ x: across[i]!, y: along[j]!, width, height }));
  return [...boxes, ...[y - gap - height, y + gap].map((top) => ({ x: across[2]!, y: top, width, height }))];
}

/* Writes each label where it covers no other, no mark, and as little of the curves as can be; what has no such place is
 * left out (the cursor and the tables tell it). */
export function drawLabels(ctx: CanvasRenderingContext2D, labels: Label[], marks: Place[], curves: Place[], area: Box, ratio: number): void {
  const taken: Box[] = marks.map(({ x, y }) => ({ x: x - 5 * ratio, y: y - 5 * ratio, width: 10 * ratio, height: 10 * ratio }));
  ctx.save();
  ctx.font = `600 ${12 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  ctx.setLineDash([]);
  ctx.lineJoin = 'round';
  ctx.lineWidth = 3 * ratio;
  ctx.strokeStyle = theme().paper;
  for (const label of labels) {
    const width = ctx.measureText(label.text).width;
    let best: Box | null = null;
    let least = Infinity;
    for (const at of label.at)
      for (const box of beside(at, width, 14 * ratio, 7 * ratio)) {
        if (least === 0 || !within(box, area) || taken.some((other) => overlaps(box, other))) continue;
        const covered = curves.filter((p) => inside(p, box)).length;
        if (covered < least) [best, least] = [box, covered];
      }
    if (!best) continue;
    taken.push(best);
    ctx.strokeText(label.text, best.x, best.y + best.height / 2);
    ctx.fillStyle = label.colour;
    ctx.fillText(label.text, best.x, best.y + best.height / 2);
  }
  ctx.restore();
}
