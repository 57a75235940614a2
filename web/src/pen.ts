/* pen.ts — drawing in pixels, on a canvas for the screen and as SVG for paper and for export. */
import type { Point } from './geometry';

export interface Stroke {
  stroke: string;
  width?: number; /* pixels; 1 */
  dash?: number[];
  cap?: 'butt' | 'round';
  alpha?: number;
}

export interface Fill {
  fill: string;
  alpha?: number;
}

export type Painted = Partial<Fill> & Partial<Stroke>;

export interface TextStyle {
  fill: string;
  size?: number; /* pixels; 12.5 */
  weight?: number; /* 400 */
  align?: 'left' | 'center' | 'right'; /* center */
  halo?: string; /* colour of an edge that keeps it readable on lines */
  turn?: number; /* rad, counter-clockwise */
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Pen {
  line(points: Point[], s: Stroke): void;
  polygon(points: Point[], s: Painted): void;
  circle(c: Point, r: number, s: Painted): void;
  dots(centres: Point[], r: number, fill: string): void; /* many alike */
  arc(c: Point, r: number, from: number, to: number, s: Stroke): void; /* rad, counter-clockwise on the screen when to > from */
  text(at: Point, text: string, s: TextStyle): void; /* `at`: middle of its height */
  measure(text: string, size?: number, weight?: number): number; /* width in pixels */
  clip(box: Box, draw: () => void): void;
  group(name: string, draw: () => void): void; /* a class in SVG: what it is */
}

export const family = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const fontOf = (size: number, weight: number): string => `${weight} ${size}px ${family}`;

const widths = new Map<string, number>();
let ruler: CanvasRenderingContext2D | null = null;

/* Measuring is slow, and the same texts come in every frame: digits are as wide as each other. */
function widthOf(text: string, size = 12.5, weight = 400): number {
  const key = `${size} ${weight} ${text.replace(/\d/g, '0')}`;
  let width = widths.get(key);
  if (width === undefined) {
    ruler ??= document.createElement('canvas').getContext('2d');
    if (!ruler) return 0.56 * size * text.length;
    ruler.font = fontOf(size, weight);
    if (widths.size > 4000) widths.clear();
    widths.set(key, (width = ruler.measureText(text.replace(/\d/g, '0')).width));
  }
  return width;
}

export class CanvasPen implements Pen {
  constructor(private c: CanvasRenderingContext2D) {
    c.lineJoin = 'round';
    c.textBaseline = 'middle';
  }

  private path(points: Point[]): void {
    const { c } = this;
    c.beginPath();
    for (let i = 0; i < points.length; i++) {
      const p = points[i]!;
      if (i === 0) c.moveTo(p[0], p[1]);
      else c.lineTo(p[0], p[1]);
    }
  }

  private stroked(s: Painted): void {
    const { c } = this;
    c.strokeStyle = s.stroke!;
    c.lineWidth = s.width ?? 1;
    c.lineCap = s.cap ?? 'butt';
    if (s.dash) c.setLineDash(s.dash);
    c.stroke();
    if (s.dash) c.setLineDash([]);
  }

  private paint(s: Painted): void {
    const { c } = this;
    if (s.alpha !== undefined) c.globalAlpha = s.alpha;
    if (s.fill) {
      c.fillStyle = s.fill;
      c.fill();
    }
    if (s.stroke) this.stroked(s);
    if (s.alpha !== undefined) c.globalAlpha = 1;
  }

  line(points: Point[], s: Stroke): void {
    this.path(points);
    if (s.alpha !== undefined) this.c.globalAlpha = s.alpha;
    this.stroked(s);
    if (s.alpha !== undefined) this.c.globalAlpha = 1;
  }

  polygon(points: Point[], s: Painted): void {
    this.path(points);
    this.c.closePath();
    this.paint(s);
  }

  circle(at: Point, r: number, s: Painted): void {
    if (!(r > 0)) return;
    this.c.beginPath();
    this.c.arc(at[0], at[1], r, 0, 2 * Math.PI);
    this.paint(s);
  }

  dots(centres: Point[], r: number, fill: string): void {
    const { c } = this;
    c.beginPath();
    for (const p of centres) {
      c.moveTo(p[0] + r, p[1]);
      c.arc(p[0], p[1], r, 0, 2 * Math.PI);
    }
    c.fillStyle = fill;
    c.fill();
  }

  arc(at: Point, r: number, from: number, to: number, s: Stroke): void {
    if (!(r > 0)) return;
    this.c.beginPath();
    this.c.arc(at[0], at[1], r, -from, -to, to > from);
    this.paint({ ...s, fill: undefined } as Painted);
  }

  text([x, y]: Point, text: string, s: TextStyle): void {
    const { c } = this;
    c.font = fontOf(s.size ?? 12.5, s.weight ?? 400);
    c.textAlign = s.align ?? 'center';
    if (s.turn) {
      c.save();
      c.translate(x, y);
      c.rotate(-s.turn);
      [x, y] = [0, 0];
    }
    if (s.halo) {
      c.strokeStyle = s.halo;
      c.lineWidth = 3.5;
      c.strokeText(text, x, y);
    }
    c.fillStyle = s.fill;
    c.fillText(text, x, y);
    if (s.turn) c.restore();
  }

  measure(text: string, size?: number, weight?: number): number {
    return widthOf(text, size, weight);
  }

  clip(box: Box, draw: () => void): void {
    const { c } = this;
    c.save();
    c.beginPath();
    c.rect(box.x, box.y, box.width, box.height);
    c.clip();
    draw();
    c.restore();
  }

  group(_name: string, draw: () => void): void {
    draw();
  }
}

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
const n2 = (v: number): string => (Math.round(v * 100) / 100).toString();

let clips = 0;

export class SvgPen implements Pen {
  private parts: string[] = [];

  private put(tag: string, attributes: Record<string, string | number | undefined>, content = ''): void {
    const text = Object.entries(attributes).filter(([, v]) => v !== undefined).map(([k, v]) => ` ${k}="${typeof v === 'number' ? n2(v) : escaped(v!)}"`).join('');
    this.parts.push(content ? `<${tag}${text}>${content}</${tag}>` : `<${tag}${text}/>`);
  }

  private style(s: Painted): Record<string, string | number | undefined> {
    return {
      fill: s.fill ?? 'none', stroke: s.stroke, 'stroke-width': s.stroke ? s.width ?? 1 : undefined, 'stroke-dasharray': s.dash?.join(' '),
      'stroke-linecap': s.cap === 'round' ? 'round' : undefined, 'stroke-linejoin': s.stroke ? 'round' : undefined, opacity: s.alpha,
    };
  }

  private list(points: Point[]): string {
    return points.map((p) => `${n2(p[0])},${n2(p[1])}`).join(' ');
  }

  line(points: Point[], s: Stroke): void {
    this.put('polyline', { points: this.list(points), ...this.style({ ...s, fill: undefined } as Painted) });
  }

  polygon(points: Point[], s: Painted): void {
    this.put('polygon', { points: this.list(points), ...this.style(s) });
  }

  circle(at: Point, r: number, s: Painted): void {
    if (r > 0) this.put('circle', { cx: at[0], cy: at[1], r, ...this.style(s) });
  }

  dots(centres: Point[], r: number, fill: string): void {
    for (const p of centres) this.circle(p, r, { fill });
  }

  arc(at: Point, r: number, from: number, to: number, s: Stroke): void {
    if (!(r > 0)) return;
    const n = Math.max(2, Math.ceil(Math.abs(to - from) / 0.08));
    this.line(Array.from({ length: n + 1 }, (_p, k): Point => {
      const a = from + ((to - from) * k) / n;
      return [at[0] + r * Math.cos(a), at[1] - r * Math.sin(a)];
    }), s);
  }

  text([x, y]: Point, text: string, s: TextStyle): void {
    const size = s.size ?? 12.5;
    this.put('text', {
      x, y: y + 0.35 * size, fill: s.fill, 'font-size': size, 'font-weight': s.weight, 'text-anchor': { left: 'start', center: 'middle', right: 'end' }[s.align ?? 'center'],
      ...(s.halo ? { stroke: s.halo, 'stroke-width': 3.5, 'stroke-linejoin': 'round', 'paint-order': 'stroke' } : {}),
      transform: s.turn ? `rotate(${n2((-s.turn * 180) / Math.PI)} ${n2(x)} ${n2(y)})` : undefined,
    }, escaped(text));
  }

  measure(text: string, size?: number, weight?: number): number {
    return widthOf(text, size, weight);
  }

  clip(box: Box, draw: () => void): void {
    const id = `capstan-clip-${++clips}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${n2(box.x)}" y="${n2(box.y)}" width="${n2(box.width)}" height="${n2(box.height)}"/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.parts.push('</g>');
  }

  group(name: string, draw: () => void): void {
    this.parts.push(`<g class="${escaped(name)}">`);
    draw();
    this.parts.push('</g>');
  }

  /* The whole drawing as a file. */
  file(width: number, height: number, title: string, paper: string | null): string {
    const back = paper ? `<rect width="100%" height="100%" fill="${paper}"/>` : '';
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${n2(width)}" height="${n2(height)}" viewBox="0 0 ${n2(width)} ${n2(height)}" role="img" ` +
      `font-family="${escaped(family)}"><title>${escaped(title)}</title>${back}${this.parts.join('')}</svg>`;
  }
}
