/* paths.ts — bodies that move in a plane: wherever a table has channels NAME.x and NAME.y, their path with the same scale on
 * both axes. NAME.contact.x and NAME.contact.y belong to the body NAME. */
import { nearestRow, type Link } from './chart';
import { isRow } from './contacts';
import { valuesOf, type Column, type Table, type Values } from './data';
import { el } from './dom';
import { plural } from './format';
import { Loop, type Curve, type LoopOptions } from './loop';
import type { Mark } from './marks';
import { quantity } from './tables';
import { lineStyle } from './theme';

export interface Path {
  name: string;
  body: string; /* that it belongs to: itself, or that of a contact */
  x: Column;
  y: Column;
}

const most = 12; /* bodies drawn */
const contact = /\.contact$/;

const extent = (c: Column): number => (c.stats ? c.stats.max - c.stats.min : 0);
const reach = (p: Path): number => Math.max(extent(p.x), extent(p.y));

/* Whether two paths are the same line, as those of a centre and of the contact below it. */
function same(a: Path, b: Path): boolean {
  const slack = 1e-6 * reach(a);
  const close = (p: Column, q: Column): boolean => {
    const [u, v] = [valuesOf(p), valuesOf(q)];
    for (let i = 0; i < u.length; i++) if (Math.abs(u[i]! - v[i]!) > slack) return false;
    return true;
  };
  return close(a.x, b.x) && close(a.y, b.y);
}

/* Positions NAME.x and NAME.y; what a contact does has such names, too. */
function pairsOf(table: Table): Path[] {
  const named = new Map(table.columns.map((c) => [c.name, c]));
  return table.columns.flatMap((x) => {
    const name = x.unit === 'm' && !isRow(x) && /^(.+)\.x$/.exec(x.name)?.[1];
    const y = name && named.get(`${name}.y`);
    return y && y.unit === 'm' && x.stats && y.stats ? [{ name, body: name, x, y }] : [];
  });
}

export const coordinates = (table: Table): Column[] => pairsOf(table).flatMap((p) => [p.x, p.y]);

/* All paths of a table, the bodies' own before those of their contacts; motions along one axis are none. */
export function pathsOf(table: Table): Path[] {
  const all = pairsOf(table);
  const bodies = all.filter((p) => !contact.test(p.name));
  const within = (p: Path, b: Path): boolean => p.name.startsWith(`${b.name}.`);
  const owner = (p: Path): Path | undefined => bodies.filter((b) => within(p, b)).sort((a, b) => b.name.length - a.name.length)[0];
  const contacts = all.filter((p) => contact.test(p.name)).flatMap((p) => {
    const body = owner(p);
    return body && same(body, p) ? [] : [{ ...p, body: body?.name ?? p.name }];
  });
  const widest = Math.max(0, ...all.map(reach));
  const plane = all.some((p) => Math.min(extent(p.x), extent(p.y)) > 1e-9 * widest);
  return plane ? [...bodies, ...contacts] : [];
}

/* "x, downhill": what the channels of an axis agree on. */
function axisName(letter: 'x' | 'y', paths: Path[]): string {
  const ends = paths.map((p) => {
    const text = p[letter].long_name;
    const owner = ` of ${p.name.replace(contact, '')}`;
    return /, ([^,]+)$/.exec(text.endsWith(owner) ? text.slice(0, -owner.length) : text)?.[1] ?? '';
  });
  return ends[0] && ends.every((e) => e === ends[0]) ? `${letter}, ${ends[0]}` : letter;
}

/* Turned by a quarter: y to the right, x downward. Seen from above it is the same plane. */
const quarter = <T extends { x: unknown; y: unknown }>(p: T): T => ({ ...p, x: p.y, y: p.x });

function extentOf(lists: Values[]): number {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists)
    for (let i = 0; i < list.length; i++) {
      if (list[i]! < low) low = list[i]!;
      if (list[i]! > high) high = list[i]!;
    }
  return high - low;
}

/* Whether curves fit better into a wide plot when they are turned. */
export const isUpright = (curves: { x: Values; y: Values }[]): boolean =>
  extentOf(curves.map((c) => c.y)) > 1.25 * extentOf(curves.map((c) => c.x));

/* A plot of x and y as a plane with one scale, turned by a quarter or not. */
export const planeOptions = (options: LoopOptions, turned: boolean): LoopOptions => ({
  ...(turned ? { ...quarter(options), curves: options.curves.map(quarter), marks: options.marks?.map(quarter) } : options),
  equal: true,
  downward: turned,
  pointText: (a, b) => (turned ? `x ${b}, y ${a}` : `x ${a}, y ${b}`),
});

/* One curve a path; follows time window and cursor of the charts. */
class PathView {
  readonly root: HTMLElement;
  private host = el('div');
  private loop: Loop | null = null;
  private paths: Path[];
  private bodies: string[];
  private turned: boolean;
  private time: Values;
  private first = 0;
  private leads = false;

  constructor(private table: Table, all: Path[], private link: Link) {
    const names = [...new Set(all.map((p) => p.body))];
    this.bodies = names.slice(0, most);
    this.paths = all.filter((p) => this.bodies.includes(p.body));
    this.time = valuesOf(table.columns[0]!);
    this.turned = isUpright(this.paths.map((p) => ({ x: valuesOf(p.x), y: valuesOf(p.y) })));
    this.root = el('div.path', {}, this.host,
      names.length > most ? el('p.hint', {}, `The first ${most} of ${plural(names.length, 'body', 'bodies')}.`) : null);
    link.onRange(() => this.loop?.setCurves(this.turned ? this.curves().map(quarter) : this.curves()));
    link.onCursor((at) => !this.leads && this.loop?.follow(at === null ? null : nearestRow(this.time, at) - this.first));
    requestAnimationFrame(() => this.draw());
  }

  private curves(): Curve[] {
    const [first, last] = this.link.rows(this.time);
    this.first = first;
    const part = (c: Column): Values => Array.prototype.slice.call(valuesOf(c), first, last) as number[];
    const t = this.table.columns[0]!;
    return this.paths.map((p) => {
      const colour = lineStyle(this.bodies.indexOf(p.body)).colour;
      const own = p.name === p.body;
      return {
        name: p.name,
        hint: own ? `path of ${p.name}` : `path of the contact of ${p.body}`,
        x: part(p.x),
        y: part(p.y),
        style: { colour: own ? colour : () => `${colour()}80`, dash: undefined },
        width: own ? 1.75 : 1.5,
        note: (i: number) => `${t.name} ${quantity(this.time[this.first + i]!, t.unit)}`,
      };
    });
  }

  private ends(): Mark[] {
    return this.paths.flatMap((p, curve) => {
      if (p.name !== p.body) return [];
      const [xs, ys] = [valuesOf(p.x), valuesOf(p.y)];
      const mark = (i: number, shape: Mark['shape']): Mark => ({
        label: '', shape, curve, x: xs[i]!, y: ys[i]!, colour: lineStyle(this.bodies.indexOf(p.body)).colour,
      });
      return [mark(xs.length - 1, 'square'), mark(0, 'ring')]; /* of a closed path both are seen */
    });
  }

  private draw(): void {
    this.loop = new Loop(planeOptions({
      x: { name: axisName('x', this.paths), unit: 'm' },
      y: { name: axisName('y', this.paths), unit: 'm' },
      curves: this.curves(),
      marks: this.ends(),
      legend: [{ shape: 'ring', name: 'start' }, { shape: 'square', name: 'end' }],
      height: 560,
      title: `Path in the plane, the same scale on both axes${this.paths.some((p) => p.name !== p.body) ? '; lighter: the point of contact' : ''}`,
      onNear: (i) => {
        this.leads = true;
        this.link.lead(i === null ? null : this.time[this.first + i]!);
        this.leads = false;
      },
    }, this.turned), this.host);
  }
}

/* The paths of a table, when it has some. */
export function pathView(table: Table, link: Link): HTMLElement | null {
  const paths = table.rows > 1 ? pathsOf(table) : [];
  return paths.length ? new PathView(table, paths, link).root : null;
}
