/* belt_motion.ts — a belt drive at an instant of its motion: the drawing, with a slider that the cursor of the plots moves along. */
import { centresAt, columnOf, type Layout, type Point } from './belt';
import { nearestRow, type Link } from './chart';
import { valuesOf, type Table, type Values } from './data';
import { el, uniqueId } from './dom';
import { DriveDrawing, type DriveState } from './drawing';
import { driveLegend } from './belt_statics';
import { quantity } from './tables';
import { onThemeChange } from './theme';

/* Channels that an engineer looks at first. */
export const firstOfBelt = /^span\.[^.]+\.tension$|^arm\.angle$|^slide\.position$|^pulley\.[^.]+\.(torque|slip|impact)$|^power\./;

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

  /* Whether the table has anything to draw. */
  get told(): boolean {
    return this.nodes.length > 2 || this.of('span', 'tension', 0).some(Number.isFinite);
  }

  /* The tension of a node's segment, or else that of the span of its pulley is not known: plain. */
  state(row: number): DriveState {
    const { arm } = this.layout;
    const place = arm ? this.column(arm.place)?.[row] ?? arm.start : NaN;
    const [hx, hy] = [this.of('pulley', 'hub_x', row), this.of('pulley', 'hub_y', row)];
    const [x, y] = [this.of('pulley', 'x', row), this.of('pulley', 'y', row)];
    const rest = centresAt(this.layout, place);
    return {
      centres: rest.map((c, i): Point => (Number.isFinite(x[i]!) && Number.isFinite(y[i]!) ? [x[i]!, y[i]!] : c)),
      tension: this.of('span', 'tension', row),
      hub: hx.some(Number.isFinite) ? hx.map((v, i): Point => [v, hy[i]!]) : undefined,
      arm: arm ? place : undefined,
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
    const picture = new DriveDrawing(this.layout, { tension: range, hub }, states);
    const host = el('div.drive-host');
    const id = uniqueId('instant');
    const slider = el('input', { id, type: 'range', min: 0, max: n - 1, value: 0 });
    const told = el('output', { for: id });
    const legend = driveLegend(this.layout, range, hub > 0);
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
