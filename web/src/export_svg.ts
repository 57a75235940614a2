/* export_svg.ts — plots as true vector drawings: what a plot paints on its canvas is written down instead.
 *
 * While a plot draws itself once more, the methods of its canvas that paint are covered by others that note what is
 * painted; colours, widths, fonts and transformations are kept by the canvas as ever, and read from it. So an exported
 * plot has all that the screen shows, marks and labels too. Colours are those of paper.
 */
import uPlot from 'uplot';
import { family } from './pen';
import { onPaper, theme } from './theme';

/* A drawing in SVG: what stands between its outer tags. */
export interface Drawing {
  width: number; /* CSS pixels */
  height: number;
  body: string;
}

/* An entry of a legend: a line, or marks. */
export interface Key {
  name: string;
  colour: string;
  dash?: number[] | undefined;
  dots?: boolean | undefined;
  outline?: string | undefined; /* of a mark around (0, 0), as a path */
  filled?: boolean | undefined;
}

export const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
const n2 = (v: number): string => String(Math.round(v * 100) / 100);

/* Stands for Path2D and notes its parts. */
class NotedPath {
  d = '';
  private pen = false;

  constructor(from?: NotedPath | string) {
    this.d = typeof from === 'string' ? from : from?.d ?? '';
    this.pen = this.d !== '';
  }

  moveTo(x: number, y: number): void {
    this.d += `M${n2(x)} ${n2(y)}`;
    this.pen = true;
  }

  lineTo(x: number, y: number): void {
    this.d += `${this.pen ? 'L' : 'M'}${n2(x)} ${n2(y)}`;
    this.pen = true;
  }

  bezierCurveTo(a: number, b: number, c: number, d: number, x: number, y: number): void {
    this.d += `C${[a, b, c, d, x, y].map(n2).join(' ')}`;
  }

  quadraticCurveTo(a: number, b: number, x: number, y: number): void {
    this.d += `Q${[a, b, x, y].map(n2).join(' ')}`;
  }

  rect(x: number, y: number, w: number, h: number): void {
    this.d += `M${n2(x)} ${n2(y)}H${n2(x + w)}V${n2(y + h)}H${n2(x)}Z`;
    this.pen = true;
  }

  arc(x: number, y: number, r: number, from: number, to: number, back = false): void {
    const turn = back ? -1 : 1;
    const whole = Math.abs(to - from) >= 2 * Math.PI - 1e-9;
    const sweep = whole ? 2 * Math.PI : (((to - from) * turn) % (2 * Math.PI) + 2 * Math.PI) % (2 * Math.PI);
    const at = (angle: number): string => `${n2(x + r * Math.cos(angle))} ${n2(y + r * Math.sin(angle))}`;
    this.d += `${this.pen ? 'L' : 'M'}${at(from)}`;
    for (const part of whole ? [0.5, 1] : [1])
      this.d += `A${n2(r)} ${n2(r)} 0 ${!whole && sweep > Math.PI ? 1 : 0} ${back ? 0 : 1} ${at(from + turn * sweep * part)}`;
    this.pen = true;
  }

  closePath(): void {
    this.d += 'Z';
  }

  addPath(other: NotedPath): void {
    this.d += other.d;
    this.pen = true;
  }
}

type Context = CanvasRenderingContext2D;

/* Covers the painting methods of a canvas; `end` uncovers them and returns what was painted. */
class Recorder {
  private parts: string[] = [];
  private path = new NotedPath();
  private open: number[] = [0]; /* groups opened by clipping, for each saved state */
  private clips = 0;
  private covered: string[] = [];

  constructor(private c: Context) {
    const put = (name: string, method: (...args: never[]) => void): void => {
      this.covered.push(name);
      (c as unknown as Record<string, unknown>)[name] = method;
    };
    put('beginPath', () => (this.path = new NotedPath()));
    for (const name of ['moveTo', 'lineTo', 'bezierCurveTo', 'quadraticCurveTo', 'rect', 'arc', 'closePath'] as const)
      put(name, (...args: never[]) => (this.path[name] as (...a: never[]) => void)(...args));
    put('stroke', (path?: NotedPath) => this.painted((path ?? this.path).d, this.stroked()));
    put('fill', (path?: NotedPath) => this.painted((path instanceof NotedPath ? path : this.path).d, this.filled()));
    put('fillRect', (x: number, y: number, w: number, h: number) => this.rectangle(x, y, w, h, this.filled()));
    put('strokeRect', (x: number, y: number, w: number, h: number) => this.rectangle(x, y, w, h, this.stroked()));
    put('fillText', (text: string, x: number, y: number) => this.text(text, x, y, this.filled()));
    put('strokeText', (text: string, x: number, y: number) => this.text(text, x, y, this.stroked()));
    put('drawImage', (image: HTMLCanvasElement, x: number, y: number, w: number, h: number) => this.image(image, x, y, w, h));
    put('clip', (path?: NotedPath) => this.clip(path ?? this.path));
    put('save', () => {
      this.open.push(0);
      CanvasRenderingContext2D.prototype.save.call(c);
    });
    put('restore', () => {
      this.parts.push('</g>'.repeat(this.open.pop() ?? 0));
      CanvasRenderingContext2D.prototype.restore.call(c);
    });
  }

  private moved(): string {
    const { a, b, c, d, e, f } = this.c.getTransform();
    return a === 1 && b === 0 && c === 0 && d === 1 ? (e || f ? ` transform="translate(${n2(e)} ${n2(f)})"` : '')
      : ` transform="matrix(${[a, b, c, d].map((v) => String(Math.round(v * 1e6) / 1e6)).join(' ')} ${n2(e)} ${n2(f)})"`;
  }

  private colour(style: string | CanvasGradient | CanvasPattern): string {
    return typeof style === 'string' ? style : theme().muted;
  }

  private faded(): string {
    return this.c.globalAlpha < 1 ? ` opacity="${n2(this.c.globalAlpha)}"` : '';
  }

  private filled(): string {
    return ` fill="${this.colour(this.c.fillStyle)}"${this.faded()}`;
  }

  private stroked(): string {
    const { c } = this;
    const dash = c.getLineDash();
    return ` fill="none" stroke="${this.colour(c.strokeStyle)}" stroke-width="${n2(c.lineWidth)}"${dash.length ? ` stroke-dasharray="${dash.map(n2).join(' ')}"` : ''}` +
      `${c.lineCap === 'round' ? ' stroke-linecap="round"' : ''}${c.lineJoin === 'miter' ? '' : ` stroke-linejoin="${c.lineJoin}"`}${this.faded()}`;
  }

  private painted(d: string, style: string): void {
    if (d) this.parts.push(`<path d="${d}"${style}${this.moved()}/>`);
  }

  private rectangle(x: number, y: number, w: number, h: number, style: string): void {
    this.parts.push(`<rect x="${n2(x)}" y="${n2(y)}" width="${n2(w)}" height="${n2(h)}"${style}${this.moved()}/>`);
  }

  /* Colour maps are pictures on the screen too. */
  private image(image: HTMLCanvasElement, x: number, y: number, w: number, h: number): void {
    this.parts.push(`<image x="${n2(x)}" y="${n2(y)}" width="${n2(w)}" height="${n2(h)}" preserveAspectRatio="none" ` +
      `style="image-rendering:pixelated" href="${image.toDataURL('image/png')}"${this.moved()}/>`);
  }

  private text(text: string, x: number, y: number, style: string): void {
    if (!text) return;
    const { c } = this;
    const size = Number(/([\d.]+)px/.exec(c.font)?.[1] ?? 12);
    const weight = /^(bold|[1-9]00)\b/.exec(c.font)?.[1];
    const anchor = ({ left: 'start', start: 'start', center: 'middle', right: 'end', end: 'end' } as const)[c.textAlign];
    const lift = { top: 0.8, hanging: 0.8, middle: 0.35, bottom: -0.2, ideographic: -0.2, alphabetic: 0 }[c.textBaseline];
    this.parts.push(`<text x="${n2(x)}" y="${n2(y + lift * size)}" font-size="${n2(size)}"${weight ? ` font-weight="${weight}"` : ''} ` +
      `text-anchor="${anchor}"${style}${this.moved()}>${escaped(text)}</text>`);
  }

  private clip(path: NotedPath): void {
    const id = `clip-${Recorder.made++}-${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${path.d}"${this.moved()}/></clipPath><g clip-path="url(#${id})">`);
    this.open[this.open.length - 1]!++;
  }

  private static made = 0;

  end(): string {
    for (const name of this.covered) delete (this.c as unknown as Record<string, unknown>)[name];
    while (this.open.length) this.parts.push('</g>'.repeat(this.open.pop()!));
    return this.parts.join('');
  }
}

/* Paths are made anew, as noted ones and then as real ones again. */
const forgetPaths = (plot: uPlot): void => plot.series.forEach((s) => ((s as { _paths?: unknown })._paths = null));

export function plotDrawing(plot: uPlot): Drawing {
  const RealPath = window.Path2D;
  const recorder = new Recorder(plot.ctx);
  let body = '';
  try {
    window.Path2D = NotedPath as unknown as typeof Path2D;
    onPaper(() => {
      forgetPaths(plot);
      plot.batch(() => plot.redraw(false));
    });
  } finally {
    window.Path2D = RealPath;
    body = recorder.end();
    forgetPaths(plot);
    plot.batch(() => plot.redraw(false));
  }
  const ratio = uPlot.pxRatio;
  return { width: plot.width, height: plot.height, body: ratio === 1 ? body : `<g transform="scale(${1 / ratio})">${body}</g>` };
}

const painted = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin', 'opacity',
  'font-size', 'font-weight', 'font-style', 'text-anchor', 'paint-order', 'dominant-baseline', 'visibility'];

/* Drawings that are SVG on the page: with their styles written into them, one beside the other. */
export function elementDrawing(find: () => SVGSVGElement[]): Drawing {
  return onPaper(() => {
    let width = 0;
    let height = 0;
    const bodies = find().map((root) => {
      const copy = root.cloneNode(true) as SVGSVGElement;
      const originals = [root, ...root.querySelectorAll('*')];
      [copy, ...copy.querySelectorAll('*')].forEach((node, i) => {
        if (node.tagName === 'title') return;
        const style = getComputedStyle(originals[i]!);
        for (const name of painted) {
          const value = style.getPropertyValue(name);
          if (value && i > 0) node.setAttribute(name, value);
        }
        node.removeAttribute('class');
        node.removeAttribute('style');
      });
      const box = root.getBoundingClientRect();
      copy.setAttribute('x', n2(width));
      copy.setAttribute('width', n2(box.width));
      copy.setAttribute('height', n2(box.height));
      width += box.width;
      height = Math.max(height, box.height);
      return new XMLSerializer().serializeToString(copy);
    });
    return { width, height, body: bodies.join('') };
  }, true);
}

const ruler = (): ((text: string, size: number, weight?: number) => number) => {
  const c = document.createElement('canvas').getContext('2d');
  return (text, size, weight = 400) => {
    if (!c) return 0.56 * size * text.length;
    c.font = `${weight} ${size}px ${family}`;
    return c.measureText(text).width;
  };
};

/* Words in lines of a width. */
function wrapped(text: string, width: number, measure: (text: string) => number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines[lines.length - 1];
    if (last !== undefined && measure(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function keySample(key: Key, x: number, y: number): string {
  if (key.outline)
    return `<path d="${key.outline}" transform="translate(${n2(x + 10)} ${n2(y)})" fill="${key.filled ? key.colour : 'none'}" stroke="${key.colour}" stroke-width="${key.filled ? 0 : 2}"/>`;
  if (key.dots) return [3, 10, 17].map((at) => `<circle cx="${n2(x + at)}" cy="${n2(y)}" r="2" fill="${key.colour}"/>`).join('');
  return `<path d="M${n2(x)} ${n2(y)}h20" stroke="${key.colour}" stroke-width="2.5" fill="none"${key.dash ? ` stroke-dasharray="${key.dash.join(' ')}"` : ''}/>`;
}

/* The whole file: title, what else is said, drawing, legend, on white. */
export function svgFile(title: string, drawing: Drawing, keys: Key[], caption = ''): string {
  const measure = ruler();
  const { text } = onPaper(theme);
  const margin = 12;
  const width = Math.max(300, drawing.width);
  const parts: string[] = [];
  let y = margin;
  for (const line of wrapped(title, width - 20, (t) => measure(t, 14, 600))) {
    y += 18;
    parts.push(`<text x="10" y="${n2(y - 4)}" font-size="14" font-weight="600" fill="${text}">${escaped(line)}</text>`);
  }
  for (const line of wrapped(caption, width - 20, (t) => measure(t, 12.5))) {
    y += 16;
    parts.push(`<text x="10" y="${n2(y - 3)}" font-size="12.5" fill="${text}">${escaped(line)}</text>`);
  }
  y += 6;
  parts.push(`<g transform="translate(0 ${n2(y)})">${drawing.body}</g>`);
  y += drawing.height + 8;
  let x = 60;
  if (keys.length) y += 10;
  for (const key of keys) {
    const wide = 26 + measure(key.name, 12.5) + 18;
    if (x > 60 && x + wide > width) {
      x = 60;
      y += 20;
    }
    parts.push(keySample(key, x, y), `<text x="${n2(x + 26)}" y="${n2(y + 4)}" font-size="12.5" fill="${text}">${escaped(key.name)}</text>`);
    x += wide;
  }
  const height = y + (keys.length ? 16 : 4);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${n2(width)}" height="${n2(height)}" viewBox="0 0 ${n2(width)} ${n2(height)}" ` +
    `font-family="${escaped(family)}"><title>${escaped(title)}</title><rect width="100%" height="100%" fill="#ffffff"/>${parts.join('')}</svg>\n`;
}

/* The same as pixels, `share` of them for one of CSS. */
export async function pngFile(svg: string, share = 2): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(image.width * share);
  canvas.height = Math.ceil(image.height * share);
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png'));
}
