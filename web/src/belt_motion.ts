/* belt_motion.ts — a belt drive at an instant of its motion: the drawing, with a slider that the cursor of the plots moves along. */
import { centresAt, columnOf, spoken, type Layout, type Point } from './belt';
import { nearestRow, type Link } from './chart';
import { valuesOf, type Column, type Group, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { DriveDrawing, type DriveState } from './drawing';
import { driveLegend } from './belt_statics';
import { sheet, type SheetColumn } from './sheet';
import { figureList, quantity, type Figure } from './tables';
import { onThemeChange } from './theme';

/* Channels that an engineer looks at first. */
export const firstOfBelt = /^span\.[^.]+\.tension$|^arm\.angle$|^slide\.position$|^pulley\.[^.]+\.(torque|slip|impact)$|^power\./;

/* Tensions before all, then the tensioner, then torques; 9 for what comes later. */
export function beltRank(name: string): number {
  if (!firstOfBelt.test(name)) return 9;
  return /\.tension$/.test(name) ? 0 : /^(arm|slide)\./.test(name) ? 1 : /\.torque$/.test(name) ? 2 : 3;
}

const shownStates = 40; /* looked at for the limits of the drawing */

class Motion {
  private time: Values;
  private columns = new Map<string, Values | null>();
  private nodes: { x: Values; y: Values; tension: Values | null }[];

  constructor(private layout: Layout, private table: Table) {
    this.time = valuesOf(table.columns[0]!);
    this.nodes = [];
    for (let k = this.column('node.0.x') ? 0 : 1; ; k++) {
      const [x, y] = [this.column(`node.${k}.x`), this.column(`node.${k}.y`)];
      if (!x || !y) break;
      this.nodes.push({ x, y, tension: this.column(`segment.${k}.tension`) });
    }
  }

  private column(name: string): Values | null {
    let found = this.columns.get(name);
    if (found === undefined) this.columns.set(name, (found = columnOf(this.table, name)));
    return found;
  }

  private of(kind: 'pulley' | 'span', what: string, row: number): number[] {
    return this.layout.pulleys.map((p) => this.column(`${kind}.${p.name}.${what}`)?.[row] ?? NaN);
  }

  /* Line load on each pulley, in parts of its wrap. */
  private pressure(row: number): number[][] | undefined {
    const bins = this.layout.pulleys.map((p) => {
      const list: number[] = [];
      for (let k = 1; this.column(`pulley.${p.name}.pressure.${k}`); k++) list.push(this.column(`pulley.${p.name}.pressure.${k}`)![row]!);
      return list;
    });
    return bins.some((b) => b.length > 1) ? bins : undefined;
  }

  /* Whether the table has anything to draw. */
  get told(): boolean {
    return this.nodes.length > 2 || this.of('span', 'tension', 0).some(Number.isFinite);
  }

  state(row: number): DriveState {
    const { arm } = this.layout;
    const place = arm ? this.column(arm.place)?.[row] ?? arm.start : NaN;
    const [hx, hy] = [this.of('pulley', 'hub_x', row), this.of('pulley', 'hub_y', row)];
    const [x, y] = [this.of('pulley', 'x', row), this.of('pulley', 'y', row)];
    const slip = this.of('pulley', 'slip_arc', row);
    const rest = centresAt(this.layout, place);
    return {
      centres: rest.map((c, i): Point => (Number.isFinite(x[i]!) && Number.isFinite(y[i]!) ? [x[i]!, y[i]!] : c)),
      tension: this.of('span', 'tension', row),
      hub: hx.some(Number.isFinite) ? hx.map((v, i): Point => [v, hy[i]!]) : undefined,
      arm: arm ? place : undefined,
      slipArc: slip.every(Number.isFinite) ? slip : undefined,
      pressure: this.pressure(row),
      turned: this.of('pulley', 'angle', row),
      nodes: this.nodes.length > 2 ? this.nodes.map((n): { at: Point; tension: number } => ({ at: [n.x[row]!, n.y[row]!], tension: n.tension?.[row] ?? NaN })) : undefined,
    };
  }

  private range(match: RegExp): [number, number] | null {
    const stats = this.table.columns.filter((c) => match.test(c.name)).map((c) => c.stats).filter((s) => !!s);
    return stats.length ? [Math.min(...stats.map((s) => s!.min)), Math.max(...stats.map((s) => s!.max))] : null;
  }

  view(link: Link): HTMLElement {
    const n = this.time.length;
    const states = Array.from({ length: Math.min(n, shownStates) }, (_s, k) => this.state(Math.round((k * (n - 1)) / Math.max(1, Math.min(n, shownStates) - 1))));
    const range = this.range(/^span\.[^.]+\.tension$|^segment\.\d+\.tension$/) ?? [0, 1];
    const hub = Math.max(0, ...states.flatMap((s) => s.hub ?? []).map(([x, y]) => Math.hypot(x, y)).filter(Number.isFinite));
    const pressure = this.range(/^pulley\.[^.]+\.pressure\.\d+$/)?.[1] ?? 0;
    const picture = new DriveDrawing(this.layout, { tension: range, hub, pressure }, states);
    const host = el('div.drive-host');
    const id = uniqueId('instant');
    const slider = el('input', { id, type: 'range', min: 0, max: n - 1, value: 0 });
    const told = el('output', { for: id });
    const legend = driveLegend(this.layout, range, hub > 0, pressure);
    let row = 0;
    const draw = (): void => {
      slider.value = String(row);
      told.textContent = quantity(this.time[row]!, 's', 4, this.time[n - 1]!);
      host.replaceChildren(picture.draw(this.state(row)));
      legend.paint();
    };
    slider.addEventListener('input', () => {
      row = Number(slider.value);
      link.lead(this.time[row]!);
      draw();
    });
    link.onCursor((at) => {
      if (at === null) return;
      row = nearestRow(this.time, at);
      draw();
    });
    onThemeChange(draw);
    draw();
    return el('figure.drive', {}, el('div.instant', {}, el('label', { for: id }, 'Time'), slider, told), host, legend.root);
  }
}

/* The drive of a transient, or nothing when its table does not tell enough. */
export function motionView(layout: Layout, table: Table, link: Link): HTMLElement | null {
  const motion = table.rows > 1 ? new Motion(layout, table) : null;
  return motion?.told ? motion.view(link) : null;
}

/* What one wants to know first of a belt drive in motion. */
export function motionFigures(layout: Layout, table: Table): HTMLElement | null {
  const time = table.columns[0]!;
  const tensions = table.columns.filter((c) => /^span\.[^.]+\.tension$/.test(c.name) && c.stats);
  const name = (c: Column): string => spoken(c.name.split('.')[1]!);
  const when = (i: number): string => (table.thinned === 'columns' ? '' : `at ${quantity(valuesOf(time)[i]!, 's', 4, time.stats?.max ?? null)}`);
  const figures: Figure[] = [];
  const add = (title: string, value: number, unit: string, at: string): void => void figures.push({ name: title, value: quantity(value, unit), at });
  if (tensions.length) {
    const high = tensions.reduce((a, b) => (b.stats!.max > a.stats!.max ? b : a));
    const low = tensions.reduce((a, b) => (b.stats!.min < a.stats!.min ? b : a));
    const row = (c: Column, value: number): number => Math.max(0, Array.from(valuesOf(c)).findIndex((v) => Math.abs(v - value) <= 1e-6 * Math.abs(value)));
    add('largest tension', high.stats!.max, 'N', `span that leaves ${name(high)}, ${when(row(high, high.stats!.max))}`);
    add('smallest tension', low.stats!.min, 'N', `span that leaves ${name(low)}, ${when(row(low, low.stats!.min))}`);
  }
  let hub = { size: 0, at: '' };
  for (const p of layout.pulleys) {
    const [x, y] = [columnOf(table, `pulley.${p.name}.hub_x`), columnOf(table, `pulley.${p.name}.hub_y`)];
    for (let i = 0; x && y && i < x.length; i++) if (Math.hypot(x[i]!, y[i]!) > hub.size) hub = { size: Math.hypot(x[i]!, y[i]!), at: `on ${spoken(p.name)}, ${when(i)}` };
  }
  if (hub.size > 0 && table.thinned !== 'columns') add('largest hub load', hub.size, 'N', hub.at);
  const place = layout.arm && table.columns.find((c) => c.name === layout.arm!.place);
  if (place?.stats) add(`swing of the ${layout.arm!.part}`, place.stats.max - place.stats.min, place.unit, `about ${quantity(place.stats.mean, place.unit)}`);
  return figures.length ? figureList(figures.map((f) => ({ ...f, at: f.at.replace(/, $/, '') }))) : null;
}

export const isWatch = (name: string): boolean => name.startsWith('watch.');

/* Extremes over every step of the run, by pulley and by span. */
export function watchSheets(layout: Layout, group: Group): HTMLElement[] {
  const names = layout.pulleys.map((p) => spoken(p.name));
  const column = (head: string, name: string, scale?: number): SheetColumn[] => {
    const a = group.arrays.find((k) => k.name === `watch.${name}` && !k.omitted && k.dims[0] === names.length);
    return a && Array.from(valuesOf(a)).some(Number.isFinite) ? [{ head, unit: a.unit, values: valuesOf(a), scale }] : [];
  };
  const hubs = [...column('Smallest', 'hub_least'), ...column('Mean', 'hub_mean'), ...column('Largest', 'hub_most'), ...column('Cubic mean', 'hub_equivalent'),
    ...column('Static safety', 'static_safety', 10), ...column('Dynamic safety', 'dynamic_safety', 10)];
  const spans = [...column('Smallest', 'tension_least'), ...column('Mean', 'tension_mean'), ...column('Largest', 'tension_most')];
  const list = [hubs.length ? sheet('Hub loads over the run', 'Pulley', names, hubs) : null, spans.length ? sheet('Tensions over the run', 'Span that leaves', names, spans) : null];
  const slip = group.arrays.find((k) => k.name === 'watch.slipping' && !k.omitted);
  if (slip && Array.from(valuesOf(slip)).some((v) => v > 0)) list.push(sheet('Gross slip over the run', 'Pulley', names, [...column('Share of time', 'slipping'), ...column('Fastest', 'slip_most')]));
  return list.some(Boolean) ? [el('div.beside', {}, ...list)] : [];
}
