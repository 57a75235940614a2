/* plane.ts — plots whose both axes are places: what they show, zoom, and the cursor by keys. */
import type uPlot from 'uplot';

export type Span = [number, number];

/* Whether values are evenly spaced, with `log` by their logarithms. */
export function evenly(values: ArrayLike<number>, log = false): boolean {
  const of = (v: number): number => (log ? Math.log(v) : v);
  const n = values.length;
  if (n < 2) return true;
  const all = of(values[n - 1]!) - of(values[0]!);
  for (let i = 1; i < n; i++) if (!(Math.abs(of(values[i]!) - of(values[0]!) - (all * i) / (n - 1)) <= 1e-3 * Math.abs(all))) return false;
  return true;
}

export function showPlane(plot: uPlot, x: Span, y: Span): void {
  plot.batch(() => {
    plot.setScale('x', { min: x[0], max: x[1] });
    plot.setScale('y', { min: y[0], max: y[1] });
  });
}

/* What an axis shows, `factor` times as much about its middle. */
export function zoomed(plot: uPlot, key: 'x' | 'y', factor: number): Span {
  const { min, max } = plot.scales[key]!;
  const [centre, half] = [(min! + max!) / 2, (factor * (max! - min!)) / 2];
  return [centre - half, centre + half];
}

/* The cursor by so many pixels, from the middle when it is nowhere. */
export function moveCursor(plot: uPlot, dx: number, dy: number): void {
  const { left = -1, top = -1 } = plot.cursor;
  const { clientWidth: w, clientHeight: h } = plot.over;
  const [x, y] = left < 0 ? [w / 2, h / 2] : [left, top];
  plot.setCursor({ left: Math.min(w - 1, Math.max(0, x + dx)), top: Math.min(h - 1, Math.max(0, y + dy)) });
}

/* Values that were meant to be read on a logarithmic axis. */
export const isLogarithmic = (values: ArrayLike<number>): boolean => values.length > 3 && values[0]! > 0 && !evenly(values) && evenly(values, true);
