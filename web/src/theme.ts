/* theme.ts — colours of the plots for light, dark and print.
 *
 * Lines: the colours of Okabe and Ito, which people with any form of colour blindness tell apart, darkened for
 * paper and lightened for dark screens; lines beyond them repeat with dashes. Ordered families (one line per
 * amplitude) take steps of a map that runs from dark to light and survives grey printing.
 */
import { el } from './dom';

export interface Theme {
  paper: string;
  text: string;
  muted: string;
  grid: string;
  axis: string;
  lines: string[];
  ramp: [number, number, number][];
}

const light: Theme = {
  paper: '#ffffff',
  text: '#1c2126',
  muted: '#59626c',
  grid: '#e8ebee',
  axis: '#b9c0c7',
  lines: ['#0067a5', '#c8500a', '#00815f', '#a8458a', '#9a6a00', '#3a97cf', '#4a4f55'],
  ramp: [[68, 1, 84], [59, 82, 139], [33, 135, 140], [70, 170, 90], [180, 170, 20]],
};

const dark: Theme = {
  paper: '#15181b',
  text: '#e3e7ea',
  muted: '#9ca6b0',
  grid: '#2a2f35',
  axis: '#4b535b',
  lines: ['#5fb4f0', '#f08a4b', '#3cc49a', '#df8fc2', '#e6b33c', '#a5d3f0', '#c4cad0'],
  ramp: [[150, 105, 215], [95, 140, 225], [55, 175, 185], [110, 205, 110], [245, 225, 70]],
};

export type Choice = 'auto' | 'light' | 'dark';

const darkScreen = window.matchMedia('(prefers-color-scheme: dark)');
const key = 'capstan-theme';
let printing = false;
let paper = false; /* drawn for a file that others look at */
let choice: Choice = remembered();
const listeners = new Set<() => void>();

/* A page opened from the disk may have no memory, or share it with others: then the choice holds as long as the page. */
function remembered(): Choice {
  try {
    const text = window.localStorage.getItem(key);
    return text === 'light' || text === 'dark' ? text : 'auto';
  } catch {
    return 'auto';
  }
}

function remember(): void {
  try {
    if (choice === 'auto') window.localStorage.removeItem(key);
    else window.localStorage.setItem(key, choice);
  } catch { /* see remembered() */ }
}

const isDark = (): boolean => (choice === 'auto' ? darkScreen.matches : choice === 'dark');

/* The style sheet goes by this attribute. */
function announce(): void {
  document.documentElement.dataset['theme'] = isDark() && !paper && !printing ? 'dark' : 'light';
  listeners.forEach((listener) => listener());
}

export const theme = (): Theme => (isDark() && !printing && !paper ? dark : light);
export const isPrinting = (): boolean => printing;
export const themeChoice = (): Choice => choice;

export function chooseTheme(wanted: Choice): void {
  choice = wanted;
  remember();
  announce();
}

/* Draws in the colours of paper, whatever the screen has; with `all`, the page itself is redrawn so and back. */
export function onPaper<T>(draw: () => T, all = false): T {
  const before = paper;
  const away = all && isDark();
  paper = true;
  if (away) announce();
  try {
    return draw();
  } finally {
    paper = before;
    if (away) announce();
  }
}

/* Called when colours or the width of the medium have changed. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

darkScreen.addEventListener('change', announce);
window.addEventListener('beforeprint', () => ((printing = true), announce()));
window.addEventListener('afterprint', () => ((printing = false), announce()));
announce();

const dashes: (number[] | undefined)[] = [undefined, [7, 4], [2, 3], [9, 3, 2, 3]];

export interface LineStyle {
  colour: () => string;
  dash: number[] | undefined;
}

/* The i-th of several unordered lines. */
export const lineStyle = (i: number): LineStyle => ({
  colour: () => theme().lines[i % theme().lines.length]!,
  dash: dashes[Math.floor(i / light.lines.length) % dashes.length],
});

/* A place on the map from dark to light, between 0 and 1. */
export function rampColour(share: number): string {
  const ramp = theme().ramp;
  const at = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
  const k = Math.min(ramp.length - 2, Math.floor(at));
  const mix = ramp[k]!.map((c, j) => Math.round(c + (at - k) * (ramp[k + 1]![j]! - c)));
  return `rgb(${mix.join(',')})`;
}

/* The map "viridis": as light as large on paper and screen alike, for pictures of many values. */
const viridis = [[68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142], [31, 158, 137], [53, 183, 121], [110, 206, 88], [181, 222, 43], [253, 231, 37]];
const fine = Array.from({ length: 256 }, (_v, i): [number, number, number] => {
  const at = (i / 255) * (viridis.length - 1);
  const k = Math.min(viridis.length - 2, Math.floor(at));
  return viridis[k]!.map((c, j) => Math.round(c + (at - k) * (viridis[k + 1]![j]! - c))) as [number, number, number];
});
export const mapColour = (share: number): [number, number, number] => fine[Math.round(255 * Math.min(1, Math.max(0, share || 0)))]!;

/* The i-th of n lines whose order means something. */
export const rampStyle = (i: number, n: number): LineStyle => ({
  colour: () => rampColour(n < 2 ? 0 : i / (n - 1)),
  dash: undefined,
});

export const familyStyle = (i: number, n: number): LineStyle => (n <= 4 ? lineStyle(i) : rampStyle(i, n));

/* Three buttons of which one is pressed: the system's colours, light, dark. */
export function themeSwitch(): HTMLElement {
  const names: [Choice, string][] = [['auto', 'Auto'], ['light', 'Light'], ['dark', 'Dark']];
  const box = el('div.theme-switch', { role: 'group', 'aria-label': 'Colours of the page' });
  const paint = (): void => [...box.children].forEach((b, i) => b.setAttribute('aria-pressed', String(names[i]![0] === choice)));
  box.append(...names.map(([value, text]) => el('button', { type: 'button', click: () => (chooseTheme(value), paint()) }, text)));
  paint();
  return box;
}
