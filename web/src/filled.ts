/* filled.ts — values over a grid as a surface that is linear in each direction within a cell: read at a point, and painted in bands
 * between given levels, as fine as the screen. */
import type { Values } from './data';

export interface GridAxis {
  values: Values; /* ascending */
  log?: boolean;
}

export interface Spot {
  i: number; /* of the cell's lower corner */
  share: number; /* on the way to the upper one */
}

/* Where a value lies between those of an axis; null outside. */
export function spotOf({ values, log }: GridAxis, at: number): Spot | null {
  const n = values.length;
  if (n < 2 || !(at >= values[0]! && at <= values[n - 1]!)) return null;
  let [low, high] = [0, n - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= at) low = middle;
    else high = middle;
  }
  const [a, b] = [values[low]!, values[high]!];
  return { i: low, share: log ? Math.log(at / a) / Math.log(b / a) : (at - a) / (b - a) };
}

/* NaN where a corner has no value; with `mixed`, the mean of those corners that have one. */
export function valueAt(columns: Values[], x: Spot, y: Spot, mixed = false): number {
  let [sum, weight] = [0, 0];
  for (const [di, wx] of [[0, 1 - x.share], [1, x.share]] as const)
    for (const [dk, wy] of [[0, 1 - y.share], [1, y.share]] as const) {
      const w = wx * wy;
      if (w === 0) continue;
      const v = columns[x.i + di]![y.i + dk]!;
      if (Number.isFinite(v)) {
        sum += w * v;
        weight += w;
      } else if (!mixed) return NaN;
    }
  return weight > 0 ? sum / weight : NaN;
}

/* One pixel for each pair of an abscissa and an ordinate (from the top down); `colour` of the number of levels that a value has passed. */
export function bandPicture(columns: Values[], x: GridAxis, y: GridAxis, across: number[], down: number[], levels: number[],
  colour: (band: number) => [number, number, number], mixed: boolean): HTMLCanvasElement {
  const image = document.createElement('canvas');
  [image.width, image.height] = [Math.max(1, across.length), Math.max(1, down.length)];
  const c = image.getContext('2d')!;
  const pixels = c.createImageData(image.width, image.height);
  const colours = Array.from({ length: levels.length + 1 }, (_v, k) => colour(k));
  const spots = across.map((v) => spotOf(x, v));
  down.forEach((at, row) => {
    const up = spotOf(y, at);
    if (!up) return;
    spots.forEach((spot, column) => {
      const value = spot ? valueAt(columns, spot, up, mixed) : NaN;
      if (!Number.isFinite(value)) return;
      let band = 0;
      while (band < levels.length && value >= levels[band]!) band++;
      const [r, g, b] = colours[band]!;
      const p = 4 * (row * image.width + column);
      [pixels.data[p], pixels.data[p + 1], pixels.data[p + 2], pixels.data[p + 3]] = [r, g, b, 255];
    });
  });
  c.putImageData(pixels, 0, 0);
  return image;
}
