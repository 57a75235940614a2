/* contours.ts — lines of equal value over a grid: marching squares, their pieces joined. */
import type { Values } from './data';

export interface Point {
  x: number;
  y: number;
}

/* Pieces of one cell between points on its sides, which are numbered so that neighbours share them. */
function cellPieces(v: [number, number, number, number], level: number): [number, number][] {
  /* Corners: 0 below left, 1 below right, 2 above right, 3 above left; side k lies between corners k and k + 1. */
  const up = v.map((c) => c >= level);
  const crossed = [0, 1, 2, 3].filter((k) => up[k] !== up[(k + 1) % 4]);
  if (crossed.length === 2) return [[crossed[0]!, crossed[1]!]];
  if (crossed.length < 4) return [];
  /* A saddle: the middle decides which corners belong together. */
  const middle = (v[0] + v[1] + v[2] + v[3]) / 4 >= level;
  return middle === up[0] ? [[0, 1], [2, 3]] : [[3, 0], [1, 2]];
}

/* `columns`: for each x, values at each y. Cells with a value that is not finite have no lines. */
export function contourLines(xs: Values, ys: Values, columns: Values[], level: number): Point[][] {
  const [nx, ny] = [xs.length, ys.length];
  const place = new Map<number, Point>(); /* of a crossed side, by its number */
  const next = new Map<number, number[]>();
  /* Sides along x have even numbers, those along y odd ones. */
  const side = (i: number, k: number, which: number): number =>
    which === 0 ? 2 * (k * nx + i) : which === 2 ? 2 * ((k + 1) * nx + i) : which === 3 ? 2 * (k * nx + i) + 1 : 2 * (k * nx + i + 1) + 1;
  const cross = (id: number): void => {
    if (place.has(id)) return;
    const at = id >> 1;
    const [i, k, along] = [at % nx, Math.floor(at / nx), id % 2 === 0];
    const [a, b] = [columns[i]![k]!, along ? columns[i + 1]![k]! : columns[i]![k + 1]!];
    const share = (level - a) / (b - a);
    place.set(id, along ? { x: xs[i]! + share * (xs[i + 1]! - xs[i]!), y: ys[k]! } : { x: xs[i]!, y: ys[k]! + share * (ys[k + 1]! - ys[k]!) });
  };
  for (let i = 0; i + 1 < nx; i++)
    for (let k = 0; k + 1 < ny; k++) {
      const v: [number, number, number, number] = [columns[i]![k]!, columns[i + 1]![k]!, columns[i + 1]![k + 1]!, columns[i]![k + 1]!];
      if (!v.every(Number.isFinite)) continue;
      for (const [a, b] of cellPieces(v, level)) {
        const [p, q] = [side(i, k, a), side(i, k, b)];
        cross(p);
        cross(q);
        next.set(p, [...(next.get(p) ?? []), q]);
        next.set(q, [...(next.get(q) ?? []), p]);
      }
    }
  return joined(place, next);
}

/* Open lines from their ends first, then closed ones. */
function joined(place: Map<number, Point>, next: Map<number, number[]>): Point[][] {
  const lines: Point[][] = [];
  const take = (start: number): void => {
    const line = [place.get(start)!];
    let at = start;
    for (;;) {
      const to = next.get(at)?.pop();
      if (to === undefined) break;
      const back = next.get(to)!;
      back.splice(back.indexOf(at), 1);
      line.push(place.get(to)!);
      at = to;
    }
    if (line.length > 1) lines.push(line);
  };
  for (const [id, list] of next) if (list.length === 1) take(id);
  for (const [id, list] of next) if (list.length > 0) take(id);
  return lines;
}
