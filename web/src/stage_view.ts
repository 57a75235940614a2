/* stage_view.ts — from metres to pixels: what part of a drive is seen, the axes around it, and the camera of a drive in space. */
import { roundValues } from './format';
import type { Point } from './geometry';
import type { Box, Pen } from './pen';
import { theme } from './theme';
import { displayUnit } from './units';

export interface View {
  px(p: Point): Point;
  scale: number; /* pixels per m */
  width: number;
  height: number;
  azimuth: number; /* rad: from where a drive in space is looked at */
  elevation: number;
  share: number; /* pixels of the screen per pixel */
  box: Box; /* where the drive is drawn */
}

export interface Bounds {
  low: Point;
  high: Point;
}

/* What the user has made of it: `zoom` times as large, the middle moved by so many m. */
export interface Camera {
  zoom: number;
  move: Point;
  azimuth: number;
  elevation: number;
}

export const axesRoom = { left: 54, bottom: 42 };

export function viewOf(bounds: Bounds, camera: Camera, width: number, height: number, box: Box, share: number): View {
  const [w, h] = [bounds.high[0] - bounds.low[0] || 1e-3, bounds.high[1] - bounds.low[1] || 1e-3];
  const scale = camera.zoom * Math.min(box.width / w, box.height / h);
  const middle: Point = [(bounds.low[0] + bounds.high[0]) / 2 + camera.move[0], (bounds.low[1] + bounds.high[1]) / 2 + camera.move[1]];
  const [cx, cy] = [box.x + box.width / 2, box.y + box.height / 2];
  return {
    px: ([x, y]) => [cx + (x - middle[0]) * scale, cy - (y - middle[1]) * scale],
    scale, width, height, azimuth: camera.azimuth, elevation: camera.elevation, share, box,
  };
}

/* A place in space (z upwards) as the camera sees it: to the right, upwards, and towards it, in m. */
export function seen({ azimuth, elevation }: { azimuth: number; elevation: number }, [x, y, z]: [number, number, number]): [number, number, number] {
  const [ca, sa, ce, se] = [Math.cos(azimuth), Math.sin(azimuth), Math.cos(elevation), Math.sin(elevation)];
  return [-sa * x + ca * y, -se * (ca * x + sa * y) + ce * z, ce * (ca * x + sa * y) + se * z];
}

const minus = (v: number): string => String(v).replace('-', '−');

/* Grid and numbers around the box. */
export function drawAxes(pen: Pen, view: View): void {
  const { box, scale } = view;
  const { grid, axis, muted } = theme();
  const [right, bottom] = [box.x + box.width, box.y + box.height];
  const [ox, oy] = view.px([0, 0]);
  const unit = displayUnit('m', box.width / scale / 2);
  const [left, far] = [(box.x - ox) / scale / unit.size, (right - ox) / scale / unit.size];
  const [down, up] = [(oy - bottom) / scale / unit.size, (oy - box.y) / scale / unit.size];
  const most = Math.max(4, Math.round(box.width / 90));
  const step = (values: number[]): number => (values.length > 1 ? values[1]! - values[0]! : 1);
  const xs = roundValues(left, far, most);
  const ys = roundValues(down, up, Math.max(4, Math.round((most * box.height) / box.width)));
  for (const v of xs) {
    const x = Math.round(ox + v * unit.size * scale) + 0.5;
    pen.line([[x, box.y], [x, bottom]], { stroke: grid });
    pen.text([x, bottom + 12], minus(Number(v.toPrecision(6))), { fill: muted, size: 12 });
  }
  for (const v of ys) {
    const y = Math.round(oy - v * unit.size * scale) + 0.5;
    pen.line([[box.x, y], [right, y]], { stroke: grid });
    pen.text([box.x - 7, y], minus(Number(v.toPrecision(6))), { fill: muted, size: 12, align: 'right' });
  }
  if (!(step(xs) > 0)) return;
  pen.line([[box.x + 0.5, box.y], [box.x + 0.5, bottom + 0.5], [right, bottom + 0.5]], { stroke: axis });
  pen.text([box.x + box.width / 2, bottom + 30], `x [${unit.text}]`, { fill: muted, size: 12 });
  pen.text([13, box.y + box.height / 2], `y [${unit.text}]`, { fill: muted, size: 12, turn: Math.PI / 2 });
}
