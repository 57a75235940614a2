/* vector.ts — figures that are drawn as SVG at the width that they have, with the colours of the moment, and saved as other plots. */
import { el, svg } from './dom';
import { exportMenu, type CsvTable } from './export';
import { elementDrawing } from './export_svg';
import { later } from './later';
import { onThemeChange, theme } from './theme';

export interface Vector {
  title: string; /* what it shows: also the name of saved files */
  caption?: string;
  foot?: (HTMLElement | string)[]; /* legend, and what there is to know */
  draw: (width: number) => SVGElement;
  table?: () => CsvTable;
  height?: number; /* about, before it is drawn */
}

const least = 260;

export function vectorFigure(v: Vector): HTMLElement {
  const host = el('div.vector-host', { style: `min-height:${v.height ?? 120}px` });
  let width = 0;
  const draw = (): void => {
    width = Math.max(least, Math.round(host.clientWidth));
    host.style.minHeight = '';
    host.replaceChildren(v.draw(width));
  };
  later(() => {
    draw();
    /* Redrawn when there is more or less room, not by what is drawn itself. */
    new ResizeObserver(() => Math.abs(host.clientWidth - width) > 2 && host.clientWidth > 0 && draw()).observe(host);
    const stop = onThemeChange(() => (host.isConnected ? draw() : stop()));
  });
  return el('figure.vector', {}, el('figcaption', {}, el('b', {}, v.title), v.caption ? ` ${v.caption}` : ''), host,
    el('div.figure-foot', {}, el('div.vector-foot', {}, ...(v.foot ?? [])),
      exportMenu({ title: () => v.title, keys: () => [], drawing: () => elementDrawing(() => [...host.querySelectorAll<SVGSVGElement>('svg')]), ...(v.table ? { table: v.table } : {}) })));
}

export const canvas = (width: number, height: number, told: string, parts: SVGElement[]): SVGElement =>
  svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': told, class: 'vector-svg' }, ...parts);

export const line = (x1: number, y1: number, x2: number, y2: number, stroke: string, width = 1, dash = ''): SVGElement =>
  svg('line', { x1, y1, x2, y2, stroke, 'stroke-width': width, ...(dash ? { 'stroke-dasharray': dash } : {}) });

export type Anchor = 'start' | 'middle' | 'end';

export const words = (x: number, y: number, text: string, anchor: Anchor = 'start', muted = true, size = 12): SVGElement =>
  svg('text', { x, y, 'text-anchor': anchor, fill: muted ? theme().muted : theme().text, 'font-size': size }, text);

/* With what a pointer reads on it. */
export function told(node: SVGElement, text: string): SVGElement {
  node.append(svg('title', {}, text));
  return node;
}

export const polyline = (points: [number, number][], stroke: string, width: number): SVGElement =>
  svg('polyline', { points: points.map((p) => p.map((c) => c.toFixed(1)).join(',')).join(' '), fill: 'none', stroke, 'stroke-width': width, 'stroke-linejoin': 'round' });

export const polygon = (points: [number, number][], fill: string, opacity: number): SVGElement =>
  svg('polygon', { points: points.map((p) => p.map((c) => c.toFixed(1)).join(',')).join(' '), fill, 'fill-opacity': opacity });

/* As many letters as about fit into so many pixels. */
export const cut = (text: string, pixels: number, size = 12): string => {
  const most = Math.max(2, Math.floor(pixels / (0.56 * size)));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
};
