/* palette.ts — one colour for one thing: a pulley, a body, a kind of loss has the same colour in all plots, bars and legends of a page.
 *
 * Things are known by their names as people read them. Those that a page names (nameThings) have their colours in all plots; whatever else is
 * drawn as an area takes the colours behind them as it comes. Beyond the colours of the theme lines are dashed, and areas take lighter shades. */
import { spoken } from './format';
import { partsOf } from './names';
import { lineStyle, theme, type LineStyle } from './theme';

const order = new Map<string, number>();

function placeOf(thing: string): number {
  const name = spoken(thing).toLowerCase();
  let place = order.get(name);
  if (place === undefined) order.set(name, (place = order.size));
  return place;
}

const named = new Set<string>();

export function nameThings(names: string[]): void {
  for (const n of names) {
    placeOf(n);
    named.add(spoken(n).toLowerCase());
  }
}

const isNamed = (thing: string): boolean => named.has(spoken(thing).toLowerCase());

/* Of a line. */
export const styleOf = (thing: string): LineStyle => lineStyle(placeOf(thing));

const channels = (colour: string): number[] => (colour.startsWith('#') ? [0, 1, 2].map((k) => parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16)) : (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number));

function luminance(colour: string): number {
  const [r, g, b] = channels(colour).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/* The colour of the page in which a word on an area can be read. */
export function inkOn(area: string): string {
  const { text, paper } = theme();
  const contrast = (a: string): number => {
    const [x, y] = [luminance(a), luminance(area)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  return contrast(text) > contrast(paper) ? text : paper;
}

const mixed = (a: string, b: string, share: number): string => {
  const [p, q] = [channels(a), channels(b)];
  return `rgb(${p.map((v, k) => Math.round(v + share * (q[k]! - v))).join(',')})`;
};

/* Of an area, which has no dashes. */
export function areaOf(thing: string): () => string {
  const place = placeOf(thing);
  return () => {
    const { lines, paper } = theme();
    const round = Math.floor(place / lines.length);
    const plain = lines[place % lines.length]!;
    return round === 0 ? plain : mixed(plain, paper, [0.5, 0.25, 0.7][(round - 1) % 3]!);
  };
}

/* What a channel belongs to: "span.crank.tension" to crank, "arm.angle" to arm; "" where the name does not say. */
export function thingOf(channel: string): string {
  const parts = partsOf(channel);
  return parts.length > 2 ? parts[1]! : parts.length === 2 ? parts[0]! : '';
}

/* Styles of channels in one plot: by what they belong to where that has a colour; of one thing, or of others, one colour each. */
export function channelStyles(names: string[]): LineStyle[] {
  const things = names.map(thingOf);
  const several = new Set(things).size > 1 || names.length === 1;
  if (!several || !things.every(isNamed)) return names.map((_n, i) => lineStyle(i));
  const used = new Map<string, number>();
  return things.map((thing) => {
    const style = styleOf(thing);
    const again = used.get(thing) ?? 0;
    used.set(thing, again + 1);
    return again ? { colour: style.colour, dash: [[6, 4], [2, 3], [9, 3, 2, 3]][(again - 1) % 3] } : style;
  });
}

/* Names of channels that several things have alike give these things: "span.crank.tension", "span.alternator.tension"; "rod.x", "slider.x". */
export function thingsOf(channels: string[]): string[] {
  const families = new Map<string, Set<string>>();
  for (const name of channels) {
    const parts = partsOf(name);
    if (parts.length < 2) continue;
    const family = parts.length > 2 ? `${parts[0]}..${parts.slice(2).join('.')}` : `.${parts[1]}`;
    families.set(family, (families.get(family) ?? new Set()).add(thingOf(name)));
  }
  const large = [...families].filter(([, members]) => members.size > 1).sort(([a], [b]) => Number(b.includes('..')) - Number(a.includes('..')));
  return [...new Set(large.flatMap(([, members]) => [...members]))];
}
