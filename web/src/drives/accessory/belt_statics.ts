/* belt_statics.ts — steady running of a belt drive: the drawing at one speed of the crank, key figures, and tables to paste. */
import type { Analysis } from '../../analyses/analysis';
import { centresAt, layoutOf, type Layout } from './belt';
import { steadyFigures } from './belt_figures';
import { Chart, largestOf, Link, nearestRow, type Line } from '../../chart';
import { columnOf, valuesOf, type Group, type Report, type Values } from '../../data';
import { el, uniqueId } from '../../dom';
import { driveBounds, DriveDrawing, type DriveState } from './drawing';
import { number, short, spoken } from '../../format';
import type { Point } from '../../geometry';
import { later } from '../../later';
import { styleOf } from '../../palette';
import { sheet, type SheetColumn } from '../../sheet';
import { stage, type Actor, type Coloured } from '../../stage';
import { notes } from './stage_belt';
import { figureList, quantity, type Figure } from '../../tables';
import { theme } from '../../theme';
import { shaftSpeed } from '../../units';

const mostButtons = 9; /* speeds beside each other; more make a list */

const isBeltStatics = (group: Group, layout: Layout | null): layout is Layout =>
  !!layout && group.kind === 'statics' && !!columnOf(group.table, 'belt.speed') && group.table!.thinned === 'no';

/* The speed that is looked at, in all views of one analysis at once. */
class Choice {
  private listeners: (() => void)[] = [];
  constructor(public at: number) {}
  set(at: number): void {
    this.at = at;
    for (const listener of this.listeners) listener();
  }
  on(listener: () => void): void {
    this.listeners.push(listener);
    listener();
  }
}

export class BeltStatics {
  private speeds: Values;
  private names: string[];
  private choice: Choice;

  constructor(private group: Group, private layout: Layout) {
    this.speeds = valuesOf(group.table!.columns[0]!);
    this.names = layout.pulleys.map((p) => spoken(p.name));
    const found = Array.from(this.speeds, (_s, i) => i).filter((i) => this.found(i));
    this.choice = new Choice(found[0] ?? 0);
  }

  private found(row: number): boolean {
    return Number.isFinite(columnOf(this.group.table, 'belt.speed')![row]!);
  }

  private value(name: string, row: number): number {
    return columnOf(this.group.table, name)?.[row] ?? NaN;
  }

  /* One value a pulley, or a span. */
  private of(kind: 'pulley' | 'span', what: string, row: number): number[] {
    return this.layout.pulleys.map((p) => this.value(`${kind}.${p.name}.${what}`, row));
  }

  /* Of the tensioner. */
  private place(row: number): number {
    return this.layout.arm ? this.value(this.layout.arm.place, row) : NaN;
  }

  private speedText(row: number): string {
    return `${short((this.speeds[row]! * 30) / Math.PI, 5)} rpm`;
  }

  private state(row: number): DriveState {
    const [x, y, hx, hy] = ['x', 'y', 'hub_x', 'hub_y'].map((w) => this.of('pulley', w, row)) as [number[], number[], number[], number[]];
    const place = this.place(row);
    return {
      centres: x.every(Number.isFinite) ? x.map((v, i): Point => [v, y[i]!]) : centresAt(this.layout, place),
      tension: this.of('span', 'tension', row),
      slipArc: this.of('pulley', 'slip_arc', row),
      hub: hx.map((v, i): Point => [v, hy[i]!]),
      arm: this.layout.arm ? place : undefined,
    };
  }

  private selector(): HTMLElement | null {
    const n = this.speeds.length;
    if (n < 2) return el('p.extent', {}, `Crank at ${this.speedText(0)}`);
    if (n > mostButtons) {
      const id = uniqueId('speed');
      const box = el('select', { id }, ...Array.from(this.speeds, (_s, i) => el('option', { value: i }, this.speedText(i))));
      box.addEventListener('change', () => this.choice.set(Number(box.value)));
      this.choice.on(() => (box.value = String(this.choice.at)));
      return el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Crank speed'), box));
    }
    const name = uniqueId('speed');
    const boxes = Array.from(this.speeds, (_s, i) => {
      const box = el('input', { type: 'radio', name, value: i });
      box.addEventListener('change', () => this.choice.set(i));
      return box;
    });
    this.choice.on(() => boxes.forEach((b, i) => (b.checked = i === this.choice.at)));
    return el('fieldset.choice', {}, el('legend', {}, 'Crank speed'),
      ...boxes.map((b, i) => el('label', {}, b, el('span', {}, this.speedText(i)))));
  }

  /* At the speed that is chosen elsewhere, or over all speeds. */
  actor(pinned: boolean): Actor | null {
    const rows = Array.from(this.speeds, (_s, i) => i).filter((i) => this.found(i));
    if (!rows.length) return null;
    const states = rows.map((i) => this.state(i));
    const finite = (list: number[]): number[] => list.filter(Number.isFinite);
    const tensions = finite(states.flatMap((s) => s.tension!));
    const coloured: Coloured = { key: 'tension', label: 'tension', unit: 'N', range: [Math.min(...tensions), Math.max(...tensions)] };
    const hub = Math.max(0, ...finite(states.flatMap((s) => s.hub!.map(([x, y]) => Math.hypot(x, y)))));
    const picture = new DriveDrawing(this.layout, { hub });
    const values = rows.map((i) => this.speeds[i]!);
    return {
      what: 'belt drive', abscissa: { name: 'crank at', unit: shaftSpeed, values }, bounds: driveBounds(this.layout, states), axes: true, colours: [coloured], steps: true, start: values[0],
      switches: [...(hub > 0 ? [{ key: 'hubs', label: 'hub loads', on: true }] : []), { key: 'labels', label: 'labels', on: true }],
      draw: (pen, view, at, show) => picture.draw(pen, view, states[nearestRow(values, at)]!,
        { coloured: show.colour ? coloured : undefined, hubs: show.on('hubs'), loads: false, labels: show.on('labels') }),
      note: notes(this.layout, hub > 0),
      ...(pinned ? { pinned: () => this.speeds[this.choice.at]!, changed: (again: () => void) => this.choice.on(again) } : {}),
    };
  }

  private drawing(): HTMLElement {
    const actor = this.actor(true);
    const picture = actor ? stage(actor, new Link()) : null;
    const none = el('p.notice');
    this.choice.on(() => {
      none.textContent = `The drive has no steady running at ${this.speedText(this.choice.at)}.`;
      none.hidden = this.found(this.choice.at);
      if (picture) picture.hidden = !none.hidden;
    });
    return el('div.drive', {}, none, picture);
  }

  /* The pulley with the least finite slip safety. */
  private least(row: number): { name: string; safety: number } | null {
    const all = this.of('pulley', 'safety', row).map((safety, i) => ({ name: this.names[i]!, safety })).filter((s) => Number.isFinite(s.safety));
    return all.length ? all.reduce((a, b) => (b.safety < a.safety ? b : a)) : null;
  }

  private keyFigures(): HTMLElement {
    const host = el('div.drive-figures');
    this.choice.on(() => {
      const row = this.choice.at;
      const most = (kind: 'pulley' | 'span', what: string, name: string, of: string): Figure[] => {
        const values = this.of(kind, what, row);
        const i = values.indexOf(Math.max(...values.filter(Number.isFinite)));
        return i < 0 ? [] : [{ name, value: quantity(values[i]!, 'N'), at: `${of} ${this.names[i]}` }];
      };
      const { arm } = this.layout;
      const least = this.least(row);
      const lost = this.of('pulley', 'loss', row).reduce((a, b) => a + (Number.isFinite(b) ? b : 0), 0);
      const list: Figure[] = !this.found(row) ? [] : [
        { name: 'belt speed', value: quantity(this.value('belt.speed', row), 'm/s'), at: `centrifugal tension ${quantity(this.value('belt.centrifugal', row), 'N', 3)}` },
        { name: 'crank', value: quantity(this.value('crank.torque', row), 'N m'), at: quantity(this.value('crank.power', row), 'W') },
        ...most('span', 'tension', 'largest tension', 'span after'),
        ...most('pulley', 'hub', 'largest hub load', 'on'),
        ...(least ? [{ name: 'smallest slip safety', value: number(least.safety, 3), at: least.name }] : []),
        ...(arm ? [{ name: arm.part, value: quantity(this.place(row), arm.unit), at: `take-up ${quantity(this.value(`${arm.part}.take_up`, row), arm.unit === 'rad' ? 'm/rad' : '')}` }] : []),
        { name: 'lost by creep', value: quantity(lost, 'W', 3), at: `${number((100 * lost) / this.value('crank.power', row), 2)} % of the crank power` },
      ];
      host.replaceChildren(figureList(list));
    });
    return host;
  }

  private warnings(): HTMLElement[] {
    const slip = Array.from(this.speeds, (_s, i) => ({ i, least: this.least(i) })).filter((s) => s.least && s.least.safety < 1);
    const none = Array.from(this.speeds, (_s, i) => i).filter((i) => !this.found(i));
    return [
      ...(slip.length ? [el('p.hint.warn', {}, `The belt slips: ${slip.map((s) => `on ${s.least!.name} at ${this.speedText(s.i)} (safety ${number(s.least!.safety, 2)})`).join(', ')}. Tensions there are as if the friction were just enough.`)] : []),
      ...(none.length ? [el('p.hint.warn', {}, `No steady running at ${none.map((i) => this.speedText(i)).join(', ')}.`)] : []),
    ];
  }

  summary(): HTMLElement {
    return el('div', {}, ...this.warnings(), this.selector(), el('div.drive-beside', {}, this.drawing(), this.keyFigures()));
  }

  private pulleySheet(row: number): HTMLElement {
    const column = (head: string, unit: string, what: string, more: Partial<SheetColumn> = {}): SheetColumn =>
      ({ head, unit, values: this.of('pulley', what, row), ...more });
    return sheet(`Pulleys at ${this.speedText(row)}`, 'Pulley', this.names, [
      column('Speed', shaftSpeed, 'speed'), column('Torque', 'N m', 'torque'), column('Power', 'W', 'power'),
      column('Hub load', 'N', 'hub'), column('along x', 'N', 'hub_x'), column('along y', 'N', 'hub_y'), column('Direction', 'rad', 'hub_direction'),
      column('Slip safety', '', 'safety', { scale: 10 }), column('Slip arc', 'rad', 'slip_arc', { digits: 3 }),
      column('Creep', '', 'creep', { percent: true, digits: 3 }),
    ]);
  }

  private layoutSheet(row: number): HTMLElement {
    const { pulleys } = this.layout;
    return sheet(`Layout at ${this.speedText(row)}`, 'Pulley', this.names, [
      { head: 'Belt', unit: '', texts: pulleys.map((p) => (p.side < 0 ? 'back' : 'grooves')) },
      { head: 'Effective ⌀', unit: 'm', values: pulleys.map((p) => p.effective) },
      ...(['x', 'y'] as const).map((k) => ({ head: k, unit: 'm', values: this.of('pulley', k, row), digits: 5 })),
      { head: 'Wrap', unit: 'rad', values: this.of('pulley', 'wrap', row) },
      { head: 'Span after it', unit: 'm', values: this.of('span', 'length', row), digits: 5 },
      { head: 'Its direction', unit: 'rad', values: this.of('span', 'direction', row) },
    ]);
  }

  private spanSheet(row: number): HTMLElement {
    const column = (head: string, unit: string, what: string): SheetColumn => ({ head, unit, values: this.of('span', what, row) });
    return sheet(`Spans at ${this.speedText(row)}`, 'From', this.names, [
      { head: 'To', unit: '', texts: this.names.map((_n, i) => this.names[(i + 1) % this.names.length]!) },
      column('Tension', 'N', 'tension'), column('Without centrifugal part', 'N', 'effective_tension'),
    ]);
  }

  /* One quantity over all speeds. */
  private overSpeeds(caption: string, first: string, kind: 'pulley' | 'span', what: string, size?: number): HTMLElement {
    const columns = Array.from(this.speeds, (_s, i) => this.of(kind, what, i));
    const scale = size ?? largestOf(columns);
    return sheet(caption, first, this.names, columns.map((values, i) => ({ head: this.speedText(i), unit: '', values, scale })));
  }

  private driveSheet(): HTMLElement {
    const columns: [string, string, string][] = [['Belt speed', 'm/s', 'belt.speed'], ['Centrifugal tension', 'N', 'belt.centrifugal'],
      ['Crank torque', 'N m', 'crank.torque'], ['Crank power', 'W', 'crank.power'], ['Arm angle', 'rad', 'arm.angle'], ['Take-up', 'm/rad', 'arm.take_up'],
      ['Slide position', 'm', 'slide.position'], ['Take-up', '', 'slide.take_up']];
    return sheet('The drive vs crank speed', 'Crank speed', Array.from(this.speeds, (_s, i) => this.speedText(i)),
      columns.filter(([, , name]) => columnOf(this.group.table, name)).map(([head, unit, name]) => ({ head, unit, values: columnOf(this.group.table, name)! })));
  }

  private positions(): HTMLElement | null {
    const names = (this.group.texts.find((t) => t.name === 'positions')?.value ?? '').split(',').filter(Boolean);
    const column = (head: string, name: string): SheetColumn[] => {
      const a = this.group.arrays.find((k) => k.name === `position.${name}`);
      return a ? [{ head, unit: a.unit, values: valuesOf(a), digits: a.unit === 'm' ? 6 : 4 }] : [];
    };
    if (!names.length) return null;
    const part = this.layout.arm?.part === 'slide' ? 'slide' : 'arm';
    const place = this.group.arrays.find((k) => k.name === (part === 'slide' ? 'position.position' : 'position.angle'));
    const places = place ? valuesOf(place) : [];
    /* The arm without a belt may lie on its stop: then it stands in two rows. */
    const stop = (name: string): string => {
      const i = names.indexOf(name);
      const other = ['low stop', 'high stop'].find((k) => names.includes(k) && Math.abs(places[names.indexOf(k)]! - places[i]!) < 1e-9);
      return other ? `, on its ${other}` : '';
    };
    const words: Record<string, string> = { free: `without a belt${stop('free')}`, replace: 'belt due for replacement', longest: 'longest belt', nominal: 'nominal belt', shortest: 'shortest belt',
      'low stop': 'on its low stop', 'high stop': 'on its high stop' };
    const bare = (list: SheetColumn[]): SheetColumn[] => list.map((c) => ({ ...c, values: Array.from(c.values ?? [], (v, i) => (names[i] === 'free' ? NaN : v)) }));
    return el('div', {}, sheet(`Where the ${part} is without loads, drive at rest`, part === 'slide' ? 'Slide' : 'Arm', names.map((n) => words[n] ?? n), [
      ...column('Angle', 'angle'), ...column('Position', 'position'), ...column('Spring torque', 'torque'), ...column('Spring force', 'force'),
      ...bare([...column('Belt tension', 'tension'), ...column('Belt path', 'path'), ...column('Unstretched belt', 'length'), ...column('Take-up', 'take_up')])]),
    names.some((n) => /stop$/.test(n)) ? el('p.hint', {}, `On a stop: the belt that would just hold the ${part} there.`) : null);
  }

  /* Hub loads and safeties over all speeds as lines; one colour a pulley, as everywhere on the page. */
  private courses(): HTMLElement {
    const host = el('div.tiles');
    const plot = (title: string, kind: 'pulley' | 'span', what: string, unit: string, more: { logY?: boolean; limit?: number } = {}): void => {
      const columns = this.layout.pulleys.map((_p, k) => Array.from(this.speeds, (_s, i) => this.of(kind, what, i)[k]!));
      const lines: Line[] = columns.flatMap((values, k) => (values.some(Number.isFinite) ? [{ name: kind === 'span' ? `after ${this.names[k]}` : this.names[k]!, hint: `${title}: ${this.names[k]}`, values, style: styleOf(this.names[k]!), width: 2 }] : []));
      if (!lines.length) return;
      if (more.limit !== undefined) lines.push({ name: 'limit', hint: 'below it the belt slips', values: Array.from(this.speeds, () => more.limit!), style: { colour: () => theme().text, dash: [3, 3] }, note: String(more.limit), width: 1.25 });
      const cell = el('div');
      host.append(cell);
      void new Chart({ x: { name: 'crank speed', unit: shaftSpeed, values: this.speeds }, y: { name: title, unit }, lines, height: 300, title: `${title.charAt(0).toUpperCase()}${title.slice(1)} vs crank speed`, logY: more.logY ?? false }, cell);
    };
    later(() => {
      plot('hub load', 'pulley', 'hub', 'N');
      plot('slip safety', 'pulley', 'safety', '', { logY: true, limit: 1 });
      plot('tension of the spans', 'span', 'tension', 'N');
      plot('torque from the belt', 'pulley', 'torque', 'N m');
    });
    return host;
  }

  tables(): HTMLElement[] {
    const now = el('div');
    this.choice.on(() => now.replaceChildren(
      this.pulleySheet(this.choice.at), el('div.beside', {}, this.layoutSheet(this.choice.at), this.spanSheet(this.choice.at))));
    if (this.speeds.length < 2) return [now, this.positions()].filter((n): n is HTMLElement => n !== null);
    return [
      this.courses(), now, this.driveSheet(),
      el('details', {}, el('summary', {}, 'Tables over all crank speeds'), el('div.beside', {},
        this.overSpeeds('Tension of the spans [N]', 'Span after', 'span', 'tension'),
        this.overSpeeds('Hub load [N]', 'Pulley', 'pulley', 'hub'),
        this.overSpeeds('Torque from the belt [N m]', 'Pulley', 'pulley', 'torque'),
        this.overSpeeds('Slip safety', 'Pulley', 'pulley', 'safety', 10))),
      this.positions(),
    ].filter((n): n is HTMLElement => n !== null);
  }
}

export const shownByStatics = (name: string): boolean => /^positions?$|^position\./.test(name);

/* Summary and tables of one analysis share the speed that is looked at. */
const made = new WeakMap<Group, BeltStatics>();
function beltStatics(group: Group, layout: Layout): BeltStatics {
  let view = made.get(group);
  if (!view) made.set(group, (view = new BeltStatics(group, layout)));
  return view;
}

/* Steady running over the speeds of the crank, for whoever has no choice of the speed beside it. */
export function staticsActor(report: Report, group: Group): Actor | null {
  const layout = layoutOf(report.groups);
  return isBeltStatics(group, layout) ? beltStatics(group, layout).actor(false) : null;
}

export const steadyRunning: Analysis = {
  kind: 'statics', recognise: (group, report) => isBeltStatics(group, layoutOf(report.groups)), compared: { first: /^pulley\.[^.]+\.(hub|safety)$/ }, figures: [steadyFigures],
  view: (report, group) => {
    const view = beltStatics(group, layoutOf(report.groups)!);
    return [view.summary(), ...view.tables()];
  },
  channels: true,
};
