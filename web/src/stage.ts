/* stage.ts — one player for all drives: an actor draws the drive at an instant, the stage lets time pass, and lets the user look.
 *
 * Space plays and pauses, comma and point step, the arrows scrub; plus, minus and 0 zoom. The cursor of the plots (`link`) and
 * the instant shown are one; so are the instants of all stages of one link. Nothing is drawn that cannot be seen. */
import { nearestRow, type Link } from './chart';
import type { Group, Report, Values } from './data';
import { el, slug, uniqueId } from './dom';
import { aligned, number } from './format';
import type { Point } from './geometry';
import { CanvasPen, SvgPen, type Box, type Pen } from './pen';
import { barRoom, colourBar, type Coloured } from './stage_colour';
import { button, icons, paces, paceText, save } from './stage_parts';
import { axesRoom, drawAxes, viewOf, type Camera, type View } from './stage_view';
import { isPrinting, onThemeChange, theme } from './theme';
import { displayUnit, type DisplayUnit } from './units';

export type { Coloured } from './stage_colour';
export { shade } from './stage_colour';
export { seen, type View } from './stage_view';
export type { Fill, Pen, Stroke, TextStyle } from './pen';

export interface Show {
  colour: string | null;
  on: (key: string) => boolean;
}

export interface Actor {
  what: string; /* "belt drive" */
  abscissa: { name: string; unit: string; values: Values };
  bounds: { low: Point; high: Point }; /* m: all that is ever shown */
  axes?: boolean; /* around the drawing */
  space?: boolean; /* 3D: dragging turns the camera; the actor projects by seen(view, ...) */
  camera?: { azimuth: number; elevation: number };
  colours?: Coloured[];
  switches?: { key: string; label: string; on: boolean }[];
  draw(pen: Pen, view: View, at: number, show: Show): void;
  readouts?(at: number): [string, string][];
  pace?: number; /* of the abscissa per s */
  steps?: boolean; /* nothing between the values of the abscissa */
  start?: number; /* the instant first shown; else the middle */
  note?: string; /* said below: "motion 200 times as large" */
  repeat?: boolean; /* one period: it goes on from the start */
  choices?: Choice[]; /* picked beside the colour */
  pinned?: () => number; /* the instant is chosen elsewhere: no transport */
  changed?: (again: () => void) => void; /* the actor calls `again` when it must be drawn anew */
}

/* The actor of an analysis, or null where it has nothing to show of it. */
export type ActorMaker = (report: Report, group: Group) => Actor | null;

/* One of several things that an actor can show. */
export interface Choice {
  label: string;
  options: string[];
  chosen: () => number;
  pick: (index: number) => void;
}

export interface StageOptions {
  height?: number; /* pixels of the picture at most; a flat drawing takes less */
  compact?: boolean; /* fewer controls */
}

const printWidth = 660;
const pad = 14;
const slots = 1000; /* of the slider */
const longList = 80; /* values: more are scrubbed continuously */

/* Pixels of the screen per pixel of the page; more than three nobody sees. */
const sharpness = (): number => Math.min(3, window.devicePixelRatio || 1);

/* Stages of one link show the same instant. */
const clocks = new WeakMap<Link, Set<Stage>>();

class Stage {
  readonly root: HTMLElement;
  private canvas = el('canvas', { role: 'img' });
  private host = el('div.stage-host', { tabindex: 0, role: 'group' });
  private frame = el('div.stage-frame');
  private paper = el('div.stage-print');
  private slider: HTMLInputElement;
  private told = el('output.stage-at', { 'aria-live': 'off' });
  private facts = el('span.stage-facts');
  private factsKey = '';
  private play: HTMLButtonElement;
  private loop: HTMLButtonElement;
  private camera: Camera;
  private at: number;
  private first: number;
  private last: number;
  private unit: DisplayUnit;
  private pace: number;
  private playing = false;
  private before = 0;
  private led = 0;
  private visible = false;
  private asked = false;
  private colour: string | null;
  private switched = new Map<string, boolean>();
  private size = { width: 0, height: 0 };
  private peers: Set<Stage>;

  constructor(private actor: Actor, private link: Link, private options: StageOptions) {
    const { values, unit } = actor.abscissa;
    const n = values.length;
    [this.first, this.last] = [values[0]!, values[n - 1]!];
    this.at = actor.start ?? values[n >> 1]!;
    this.unit = displayUnit(unit, Math.max(Math.abs(this.first), Math.abs(this.last)));
    this.pace = actor.pace ?? (this.last - this.first) / 8;
    this.colour = actor.colours?.[0]?.key ?? null;
    for (const s of actor.switches ?? []) this.switched.set(s.key, s.on);
    this.camera = this.home();
    this.peers = clocks.get(link) ?? new Set();
    clocks.set(link, this.peers.add(this));
    this.play = button(icons.play, 'Play', () => this.toggle(), 'stage-play');
    this.loop = button(icons.loop, 'Repeat', () => this.loop.setAttribute('aria-pressed', String(this.loop.getAttribute('aria-pressed') !== 'true')));
    this.loop.setAttribute('aria-pressed', String(actor.repeat ?? false));
    this.slider = el('input.stage-slider', { type: 'range', min: 0, max: this.indexed ? n - 1 : slots, step: 1, 'aria-label': actor.abscissa.name });
    this.slider.addEventListener('input', () => this.scrub(this.fromSlider(Number(this.slider.value))));
    this.host.append(this.canvas);
    this.host.setAttribute('aria-label', `Picture of the ${actor.what}. Space plays and pauses, left and right move in ${actor.abscissa.name}, ` +
      `comma and point step, plus and minus zoom, shift with arrows ${actor.space ? 'turns' : 'moves'} the picture, 0 shows everything, F fills the screen.`);
    this.frame.append(this.host);
    this.root = el('figure.stage', {}, this.frame, this.paper, this.transport(), this.tools(), this.foot());
    this.listen();
    this.tell();
  }

  private home(): Camera {
    return { zoom: 1, move: [0, 0], azimuth: this.actor.camera?.azimuth ?? -0.6, elevation: this.actor.camera?.elevation ?? 0.45 };
  }

  /* Few values are picked one by one. */
  private get indexed(): boolean {
    return (this.actor.steps ?? false) || this.actor.abscissa.values.length <= longList;
  }

  private fromSlider(place: number): number {
    return this.indexed ? this.actor.abscissa.values[place]! : this.first + ((this.last - this.first) * place) / slots;
  }

  private toSlider(at: number): number {
    return this.indexed ? nearestRow(this.actor.abscissa.values, at) : ((at - this.first) / (this.last - this.first || 1)) * slots;
  }

  /* ---- controls ---- */

  private transport(): HTMLElement {
    const still = this.actor.abscissa.values.length < 2 || this.actor.pinned !== undefined;
    const stepper = (text: string, by: number, icon: string): HTMLElement => button(icon, text, () => this.step(by));
    return el('div.stage-bar', { hidden: still }, this.play,
      this.options.compact ? null : stepper('Step back', -1, icons.back), this.options.compact ? null : stepper('Step on', 1, icons.on),
      this.slider, this.told, this.paceBox(), this.loop);
  }

  private paceBox(): HTMLElement | null {
    const list = paces(this.pace, this.last - this.first, this.actor.abscissa.unit);
    if (list.length < 2) return null;
    const box = el('select', { 'aria-label': this.actor.abscissa.unit === 's' ? 'Slow motion' : 'Speed of playing', title: 'Time shown : time that passes' },
      ...list.map((p, i) => el('option', { value: i }, paceText(p, this.actor.abscissa.unit, this.pace))));
    const near = list.reduce((best, p, i) => (Math.abs(Math.log(p / this.pace)) < Math.abs(Math.log(list[best]! / this.pace)) ? i : best), 0);
    box.value = String(near);
    if (this.actor.abscissa.unit === 's') this.pace = list[near]!;
    box.addEventListener('change', () => (this.pace = list[Number(box.value)]!));
    return box;
  }

  private tools(): HTMLElement {
    const { colours = [], switches = [] } = this.actor;
    const whole = document.fullscreenEnabled ? [button(icons.whole, 'Full screen', () => this.fill())] : [];
    const view = el('span.stage-group.stage-view', {}, button(icons.less, 'Zoom out', () => this.zoom(1 / 1.4)), button(icons.more, 'Zoom in', () => this.zoom(1.4)),
      button(icons.all, 'Show everything', () => this.reset()), ...whole);
    this.frame.append(view);
    return el('div.stage-tools', {}, ...(this.actor.choices ?? []).map((c) => this.choiceBox(c)), this.colourBox(colours), ...switches.map((s) => this.switchBox(s)), this.facts, this.options.compact || this.actor.note ? null : this.files());
  }

  private files(): HTMLElement {
    const { what } = this.actor;
    return el('span.stage-group.stage-end', {}, button('', 'PNG', () => void this.savePng(), 'stage-word', `Save the picture of the ${what} as PNG`),
      button('', 'SVG', () => this.saveSvg(), 'stage-word', `Save the picture of the ${what} as SVG`));
  }

  /* What is to be said of the picture, and its files beside it. */
  private foot(): HTMLElement | null {
    const { note } = this.actor;
    return note ? el('figcaption.stage-note', {}, el('span', {}, note), this.options.compact ? null : this.files()) : null;
  }

  private colourBox(colours: Coloured[]): HTMLElement | null {
    if (!colours.length) return null;
    const id = uniqueId('colour');
    const box = el('select', { id }, ...colours.map((c) => el('option', { value: c.key }, c.label)), el('option', { value: '' }, 'none'));
    box.addEventListener('change', () => {
      this.colour = box.value || null;
      this.draw();
    });
    return el('span.field', {}, el('label', { for: id }, 'Colour'), box);
  }

  private choiceBox(choice: Choice): HTMLElement {
    const id = uniqueId('choice');
    const box = el('select', { id }, ...choice.options.map((text, i) => el('option', { value: i }, text)));
    box.value = String(choice.chosen());
    box.addEventListener('change', () => {
      choice.pick(Number(box.value));
      this.tell();
      this.draw();
    });
    this.actor.changed?.(() => (box.value = String(choice.chosen())));
    return el('span.field', {}, el('label', { for: id }, choice.label), box);
  }

  private switchBox(s: { key: string; label: string; on: boolean }): HTMLElement {
    const box = el('input', { type: 'checkbox', checked: s.on, name: s.key });
    box.addEventListener('change', () => {
      this.switched.set(s.key, box.checked);
      this.draw();
    });
    return el('label.check', {}, box, s.label);
  }

  /* ---- time ---- */

  private clamp(at: number): number {
    return Math.min(this.last, Math.max(this.first, at));
  }

  /* Shown here and in whatever is linked. */
  private scrub(at: number, quick = false): void {
    this.show(at);
    for (const peer of this.peers) if (peer !== this) peer.show(this.at);
    const now = performance.now();
    if (quick && now - this.led < 100) return; /* plots need not follow every frame */
    this.led = now;
    this.link.lead(this.at);
  }

  private show(at: number): void {
    const { values } = this.actor.abscissa;
    this.at = this.actor.steps && !this.playing ? values[nearestRow(values, at)]! : this.clamp(at);
    this.tell();
    this.draw();
  }

  private text(at: number): string {
    const span = (this.last - this.first) / this.unit.size;
    const size = Math.max(Math.abs(this.first), Math.abs(this.last)) / this.unit.size;
    const value = span > 0 ? aligned(at / this.unit.size, size, Math.max(4, Math.ceil(Math.log10(size / span) + 4))) : number(at / this.unit.size, 4);
    return this.unit.text === '°' ? `${value}°` : this.unit.text ? `${value} ${this.unit.text}` : value;
  }

  private get shown(): number {
    const { values } = this.actor.abscissa;
    if (this.actor.pinned) return this.actor.pinned();
    return this.actor.steps ? values[nearestRow(values, this.at)]! : this.at;
  }

  private tell(): void {
    const text = this.text(this.shown);
    this.told.textContent = text;
    this.slider.value = String(this.toSlider(this.at));
    this.slider.setAttribute('aria-valuetext', text);
    if (!this.playing) this.canvas.setAttribute('aria-label', `The ${this.actor.what} at ${this.actor.abscissa.name} ${text}`);
    const facts = this.actor.readouts?.(this.shown) ?? [];
    const key = facts.flat().join();
    if (key === this.factsKey) return;
    this.factsKey = key;
    this.facts.replaceChildren(...facts.map(([name, value]) => el('span', {}, `${name} `, el('b', {}, value))));
  }

  private step(by: number): void {
    this.pause();
    const { values } = this.actor.abscissa;
    const near = nearestRow(values, this.at);
    const past = by > 0 ? values[near]! > this.at + 1e-12 : values[near]! < this.at - 1e-12; /* the nearest is already a step */
    this.scrub(values[Math.min(values.length - 1, Math.max(0, near + (past ? by - Math.sign(by) : by)))]!);
  }

  private toggle(): void {
    if (this.playing) return this.pause();
    if (this.at >= this.last) this.at = this.first;
    this.playing = true;
    this.mark(icons.pause, 'Pause');
    this.before = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  private pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.mark(icons.play, 'Play');
    this.scrub(this.at);
  }

  private mark(icon: string, text: string): void {
    this.play.innerHTML = icon;
    this.play.setAttribute('aria-label', text);
    this.play.title = `${text} (space)`;
  }

  private tick(now: number): void {
    if (!this.playing) return;
    if (!this.root.isConnected) return this.pause();
    let at = this.at + (this.pace * Math.min(100, Math.max(0, now - this.before))) / 1000;
    this.before = now;
    const ends = at >= this.last;
    if (ends && this.loop.getAttribute('aria-pressed') === 'true') at = this.first + ((at - this.first) % (this.last - this.first || 1));
    this.scrub(at, true);
    if (ends && at >= this.last) return this.pause();
    requestAnimationFrame((next) => this.tick(next));
  }

  /* ---- looking ---- */

  private zoom(factor: number, around?: Point): void {
    const view = this.view(this.size.width, this.size.height);
    const middle: Point = [view.box.x + view.box.width / 2, view.box.y + view.box.height / 2];
    const [x, y] = around ?? middle;
    const next = Math.min(400, Math.max(0.2, this.camera.zoom * factor));
    const ratio = next / this.camera.zoom;
    /* What is under the pointer stays there. */
    this.camera.move = [this.camera.move[0] + ((x - middle[0]) / view.scale) * (1 - 1 / ratio), this.camera.move[1] - ((y - middle[1]) / view.scale) * (1 - 1 / ratio)];
    this.camera.zoom = next;
    this.draw();
  }

  private pan(dx: number, dy: number): void {
    const { scale } = this.view(this.size.width, this.size.height);
    this.camera.move = [this.camera.move[0] - dx / scale, this.camera.move[1] + dy / scale];
    this.draw();
  }

  private turn(dx: number, dy: number): void {
    this.camera.azimuth -= dx * 0.008;
    this.camera.elevation = Math.min(Math.PI / 2, Math.max(-Math.PI / 2, this.camera.elevation + dy * 0.008));
    this.draw();
  }

  private reset(): void {
    this.camera = this.home();
    this.draw();
  }

  private fill(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else if (document.fullscreenEnabled) void this.root.requestFullscreen();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const look = (dx: number, dy: number): void => (this.actor.space ? this.turn(dx, dy) : this.pan(dx, dy));
    const near = (by: number): void => (this.indexed ? this.step(by) : (this.pause(), this.scrub(this.at + (by * (this.last - this.first)) / 200)));
    const plain: Record<string, () => void> = {
      ' ': () => this.toggle(), ',': () => this.step(-1), '.': () => this.step(1), ArrowLeft: () => near(-1), ArrowRight: () => near(1),
      Home: () => this.scrub(this.first), End: () => this.scrub(this.last), '+': () => this.zoom(1.4), '=': () => this.zoom(1.4), '-': () => this.zoom(1 / 1.4),
      '0': () => this.reset(), f: () => this.fill(), F: () => this.fill(),
    };
    const shifted: Record<string, () => void> = { ArrowLeft: () => look(40, 0), ArrowRight: () => look(-40, 0), ArrowUp: () => look(0, 40), ArrowDown: () => look(0, -40) };
    const action = (event.shiftKey ? shifted[event.key] : undefined) ?? plain[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private listen(): void {
    const { host } = this;
    host.addEventListener('keydown', (event) => this.key(event));
    host.addEventListener('dblclick', () => this.reset());
    host.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && document.fullscreenElement !== this.root) return; /* the page scrolls */
      event.preventDefault();
      const box = host.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), [event.clientX - box.left, event.clientY - box.top]);
    }, { passive: false });
    host.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      host.setPointerCapture(event.pointerId);
      host.classList.add('held');
    });
    host.addEventListener('pointermove', (event) => {
      if (!host.hasPointerCapture(event.pointerId)) return;
      if (this.actor.space && !event.shiftKey) this.turn(event.movementX, event.movementY);
      else this.pan(event.movementX, event.movementY);
    });
    for (const end of ['pointerup', 'pointercancel'] as const) host.addEventListener(end, () => host.classList.remove('held'));
    this.link.onCursor((at) => at !== null && !this.playing && this.show(at));
    onThemeChange(() => (isPrinting() ? this.print() : this.unprint()));
    this.actor.changed?.(() => (this.tell(), this.draw()));
    new ResizeObserver(() => this.fit()).observe(host);
    new IntersectionObserver(([entry]) => {
      this.visible = entry?.isIntersecting ?? true;
      if (this.visible) this.draw();
    }, { rootMargin: '200px' }).observe(host);
  }

  /* ---- drawing ---- */

  private get chosen(): Coloured | undefined {
    return this.actor.colours?.find((c) => c.key === this.colour);
  }

  private heightFor(width: number): number {
    const { low, high } = this.actor.bounds;
    const aspect = (high[1] - low[1]) / (high[0] - low[0] || 1);
    const wanted = width * Math.min(aspect, 1.2) + 2 * pad;
    const most = this.options.height ?? 600;
    /* A drawing in space is turned, a small one has texts: neither is made flat. */
    const least = this.options.height ? Math.min(most, this.actor.space ? most : 380) : 240;
    return Math.round(Math.min(most, Math.max(least, wanted)));
  }

  private fit(): void {
    const whole = document.fullscreenElement === this.root;
    const width = this.host.clientWidth;
    if (!width) return;
    const height = whole ? this.host.clientHeight : this.heightFor(width);
    if (!whole) this.canvas.style.height = `${height}px`;
    else this.canvas.style.height = '';
    const share = sharpness();
    this.size = { width, height };
    this.canvas.width = Math.round(width * share);
    this.canvas.height = Math.round(height * share);
    this.canvas.style.width = `${width}px`;
    if (whole) this.canvas.style.height = `${height}px`;
    this.paint();
  }

  private upright(width: number): boolean {
    return width >= 480;
  }

  private view(width: number, height: number, share = window.devicePixelRatio || 1): View {
    const bar = this.chosen !== undefined;
    const left = this.actor.axes ? axesRoom.left : pad;
    const right = bar && this.upright(width) ? barRoom.right : pad;
    const bottom = (this.actor.axes ? axesRoom.bottom : pad) + (bar && !this.upright(width) ? barRoom.bottom : 0);
    const box: Box = { x: left, y: pad, width: Math.max(40, width - left - right), height: Math.max(40, height - pad - bottom) };
    return viewOf(this.actor.bounds, this.camera, width, height, box, share);
  }

  private compose(pen: Pen, width: number, height: number, share: number, caption?: string): void {
    const view = this.view(width, height, share);
    const { box } = view;
    if (this.actor.axes) drawAxes(pen, view);
    const area = this.actor.axes ? box : { x: 0, y: 0, width: box.x + box.width + (this.chosen && this.upright(width) ? 0 : pad), height: box.y + box.height + (this.chosen && !this.upright(width) ? 0 : pad) };
    pen.clip(area, () => this.actor.draw(pen, view, this.shown, { colour: this.colour, on: (key) => this.switched.get(key) ?? false }));
    if (this.chosen)
      colourBar(pen, this.chosen, this.upright(width) ? { x: width - barRoom.right, y: pad, width: barRoom.right, height: box.height }
        : { x: 0, y: height - barRoom.bottom, width, height: barRoom.bottom }, this.upright(width));
    if (caption) pen.text([box.x + 8, box.y + 8], caption, { fill: theme().text, size: 12.5, align: 'left', halo: theme().paper });
  }

  /* Soon, and once for all changes until then. */
  private draw(): void {
    if (this.asked || !this.visible) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.paint();
    });
  }

  private paint(): void {
    const context = this.canvas.getContext('2d');
    if (!context || !this.size.width) return;
    if (this.canvas.width !== Math.round(this.size.width * sharpness())) return this.fit(); /* now on another screen */
    const share = this.canvas.width / this.size.width;
    context.setTransform(share, 0, 0, share, 0, 0);
    context.clearRect(0, 0, this.size.width, this.size.height);
    this.compose(new CanvasPen(context), this.size.width, this.size.height, share);
  }

  private get caption(): string {
    return `${this.actor.abscissa.name} ${this.text(this.shown)}`;
  }

  private svg(width: number, height: number, paper: string | null): string {
    const pen = new SvgPen();
    this.compose(pen, width, height, 2, this.caption);
    return pen.file(width, height, `${this.actor.what}, ${this.caption}`, paper);
  }

  private print(): void {
    this.root.classList.add('printed');
    this.paper.innerHTML = this.svg(printWidth, Math.min(560, this.heightFor(printWidth)), null);
  }

  private unprint(): void {
    this.root.classList.remove('printed');
    this.paper.replaceChildren();
    this.draw();
  }

  private get fileName(): string {
    return `${slug(this.actor.what)}-${slug(this.caption)}`;
  }

  private saveSvg(): void {
    save(`${this.fileName}.svg`, new Blob([this.svg(this.size.width, this.size.height, theme().paper)], { type: 'image/svg+xml' }));
  }

  private savePng(): void {
    const share = 2;
    const { width, height } = this.size;
    const canvas = el('canvas', { width: width * share, height: height * share });
    const context = canvas.getContext('2d');
    if (!context) return;
    context.scale(share, share);
    context.fillStyle = theme().paper;
    context.fillRect(0, 0, width, height);
    this.compose(new CanvasPen(context), width, height, share, this.caption);
    canvas.toBlob((blob) => blob && save(`${this.fileName}.png`, blob), 'image/png');
  }
}

export function stage(actor: Actor, link: Link, options: StageOptions = {}): HTMLElement {
  return new Stage(actor, link, options).root;
}
