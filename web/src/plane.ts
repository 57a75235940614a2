/* plane.ts — plots whose both axes are places: what they show, zoom, and the cursor by keys. */
import type uPlot from 'uplot';

export type Span = [number, number];

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
