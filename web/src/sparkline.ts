/* sparkline.ts — the course of a channel in the height of a line of text. */
import { constant, type Values } from './data';

const width = 240;
const height = 22;

export function sparkline(values: Values): SVGElement {
  const slots = Math.min(width, Math.ceil(values.length / 2));
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const v = values[i]!;
    if (!Number.isFinite(v)) continue;
    low = Math.min(low, v);
    high = Math.max(high, v);
  }
  const y = (v: number): string => (constant(low, high) ? height / 2 : height - 1.5 - ((height - 3) * (v - low)) / (high - low)).toFixed(1);
  const points: string[] = [];
  for (let s = 0; s < slots; s++) {
    const begin = Math.floor((s * values.length) / slots);
    const end = Math.floor(((s + 1) * values.length) / slots);
    let a = -1;
    let b = -1;
    for (let i = begin; i < end; i++) {
      if (!Number.isFinite(values[i]!)) continue;
      if (a < 0 || values[i]! < values[a]!) a = i;
      if (b < 0 || values[i]! > values[b]!) b = i;
    }
    if (a < 0) continue;
    const x = (i: number): string => ((i / Math.max(1, values.length - 1)) * width).toFixed(1);
    const [first, second] = a < b ? [a, b] : [b, a];
    points.push(`${x(first)},${y(values[first]!)}`);
    if (second !== first) points.push(`${x(second)},${y(values[second]!)}`);
  }
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'sparkline');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline');
  line.setAttribute('vector-effect', 'non-scaling-stroke');
  line.setAttribute('points', points.join(' '));
  svg.append(line);
  return svg;
}
