/* compare_overlay.ts — curves of several results over each other: channels of tables over their abscissa, branches of responses,
 * stationary points over their parameter. A colour is a result, a dash is a channel. */
import { isBranches, quantities, readBranches } from './analyses/branch_data';
import { nameOf, plottable } from './channels';
import { Chart, Link, type Line } from './chart';
import { valuesOf, type Column, type Group, type Report, type Values } from './data';
import { el, uniqueId } from './dom';
import { arrayIn, textIn } from './figure';
import { Loop, type Curve } from './loop';
import type { Section } from './nav';
import { isStationary } from './drives/pushbelt/stationary';
import { isStudy } from './study_data';
import { lineStyle, type LineStyle } from './theme';
import { storedUnit } from './units';

interface Member {
  file: string;
  index: number; /* of the result on the page: its colour */
  group: Group;
}

const dashes: (number[] | undefined)[] = [undefined, [8, 4], [2, 3], [10, 3, 2, 3]];
const styleOf = (result: number, channel: number): LineStyle => ({ colour: lineStyle(result).colour, dash: dashes[channel % dashes.length] });

/* What a person would look at first in this kind of analysis. */
const firstOf: Record<string, RegExp> = {
  campbell: /^mode\.[1-6]\.frequency$/,
  orders: /^span\.[^.]+\.tension\.sum$/,
  statics: /^pulley\.[^.]+\.(hub|safety)$/,
  life: /^(life|damage)$/,
};
const anyFirst = /(^|\.)(tension|force|position|push|ratio\.thrust|ratio\.speed|torque|x)$/;

function firstChannels(columns: Column[], kind: string): Column[] {
  const wanted = columns.filter((c) => firstOf[kind]?.test(c.name));
  if (wanted.length) return wanted.slice(0, kind === 'campbell' ? 6 : 2);
  const moving = columns.filter((c) => c.stats && c.stats.max > c.stats.min);
  return (moving.find((c) => anyFirst.test(c.name)) ? [moving.find((c) => anyFirst.test(c.name))!] : moving.slice(0, 1));
}

/* Channels with the same name and unit that at least two results have. */
function common(members: Member[]): Column[] {
  const [first, ...others] = members;
  const all = [first!, ...others].flatMap((m) => m.group.table!.columns.slice(1));
  const seen = new Map<string, { c: Column; n: number }>();
  for (const c of all) seen.set(`${c.name} ${c.unit}`, { c: seen.get(`${c.name} ${c.unit}`)?.c ?? c, n: (seen.get(`${c.name} ${c.unit}`)?.n ?? 0) + 1 });
  return [...seen.values()].filter((e) => e.n > 1).map((e) => e.c);
}

/* A list of names to choose from: search, several at once. */
function chooser(names: { name: string; unit: string; long: string }[], chosen: Set<number>, changed: () => void): HTMLElement {
  const id = uniqueId('channel');
  const search = el('input', { id, type: 'search', placeholder: 'Search channels', 'aria-label': 'Search channels', autocomplete: 'off', spellcheck: 'false' });
  const list = el('ul.picker-list.short');
  const fill = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = names.map((n, i) => ({ n, i })).filter(({ n }) => words.every((w) => `${n.name} ${n.long} ${n.unit}`.toLowerCase().includes(w)));
    list.replaceChildren(...found.slice(0, 200).map(({ n, i }) => {
      const box = el('input', { type: 'checkbox', name: n.name });
      box.checked = chosen.has(i);
      box.addEventListener('change', () => {
        if (box.checked) chosen.add(i);
        else chosen.delete(i);
        changed();
      });
      return el('li', {}, el('label', {}, box, el('span.picker-name', {}, n.name, n.unit ? el('span.picker-unit', {}, ` ${storedUnit(n.unit)}`) : null)));
    }));
  };
  search.addEventListener('input', fill);
  fill();
  return el('details.picker-fold', { open: window.innerWidth >= 900 }, el('summary', {}, `${names.length} channels`), el('div.picker', {}, search, list));
}

/* One plot for each unit among what is chosen. */
function channelOverlay(members: Member[]): HTMLElement[] {
  const columns = common(members);
  if (!columns.length) return [];
  const first = firstChannels(columns, members[0]!.group.kind);
  const chosen = new Set(first.map((c) => columns.indexOf(c)));
  const host = el('div.panels');
  const link = new Link();
  let charts: Chart[] = [];
  const draw = (): void => {
    charts.forEach((c) => c.destroy());
    host.replaceChildren();
    const picked = [...chosen].sort((a, b) => a - b).map((i) => columns[i]!);
    charts = [...new Set(picked.map((c) => c.unit))].map((unit) => {
      const group = picked.filter((c) => c.unit === unit);
      const lines: Line[] = group.flatMap((c, k) => members.flatMap((m): Line[] => {
        const own = m.group.table!.columns.find((o) => o.name === c.name && o.unit === c.unit);
        return own ? [{ name: group.length > 1 ? `${c.name}, ${m.file}` : m.file, hint: `${nameOf(c)}: ${m.file}`, values: valuesOf(own), x: valuesOf(m.group.table!.columns[0]!), style: styleOf(m.index, k) }] : [];
      }));
      const x = members[0]!.group.table!.columns[0]!;
      return new Chart({ x: { name: nameOf(x), unit: x.unit, values: valuesOf(x) }, y: { name: group.length === 1 ? nameOf(group[0]!) : '', unit }, lines, height: 340, title: group.map((c) => c.name).slice(0, 3).join(', ') + (group.length > 3 ? ', …' : ''), link }, host);
    });
    host.classList.toggle('empty', !charts.length);
  };
  requestAnimationFrame(draw);
  return [el('div.channels-body', {}, chooser(columns.map((c) => ({ name: c.name, unit: c.unit, long: c.long_name })), chosen, draw), host)];
}

interface Choice {
  name: string;
  curves: () => Curve[];
  x: { name: string; unit: string };
  y: { name: string; unit: string };
}

/* One quantity of several, drawn as curves. */
function curveOverlay(choices: Choice[]): HTMLElement[] {
  if (!choices.length) return [];
  const host = el('div');
  const id = uniqueId('quantity');
  const list = el('select', { id }, ...choices.map((c, i) => el('option', { value: i }, c.name)));
  let shown: Loop | null = null;
  const draw = (): void => {
    shown?.destroy();
    const c = choices[Number(list.value)]!;
    shown = new Loop({ x: c.x, y: c.y, curves: c.curves(), height: 420 }, host);
  };
  list.addEventListener('change', draw);
  requestAnimationFrame(draw);
  return [el('div.response', {}, el('div.toolbar', {}, el('span.field', {}, el('label', { for: id }, 'Show'), list)), host)];
}

function branchOverlay(members: Member[]): HTMLElement[] {
  const sets = members.map((m) => ({ m, set: readBranches(m.group) }));
  const names = [...new Set(sets.flatMap(({ set }) => quantities(set.table).map((c) => c.name)))];
  return curveOverlay(names.flatMap((name): Choice[] => {
    const own = sets.map((s) => ({ ...s, y: quantities(s.set.table).find((c) => c.name === name) })).filter((s) => s.y);
    if (own.length < 2) return [];
    const y = own[0]!.y!;
    return [{ name: nameOf(y), x: { name: nameOf(own[0]!.set.x), unit: own[0]!.set.x.unit }, y: { name: nameOf(y), unit: y.unit }, curves: () => own.flatMap(({ m, set, y: c }) =>
      set.branches.map((b) => ({ name: `${m.file}, ${b.name}`, group: m.file, hint: m.file, x: b.rows.map((r) => valuesOf(set.x)[r]!), y: b.rows.map((r) => valuesOf(c!)[r]!),
        style: styleOf(m.index, 0), dashed: b.rows.map((r) => set.unstable(r) === true) }))) }];
  }));
}

/* Over the parameter that all have, or over the number of the point. */
function stationaryOverlay(members: Member[]): HTMLElement[] {
  const over = members.map((m) => m.group.arrays.find((a) => a.name.startsWith('over.') && !a.omitted));
  const same = over.every((a) => a && a.name === over[0]?.name);
  const x = (i: number, n: number): Values => (same ? valuesOf(over[i]!) : Array.from({ length: n }, (_v, k) => k + 1));
  const names = members[0]!.group.arrays.filter((a) => /^(mean|figure)\./.test(a.name) && !a.omitted).map((a) => a.name);
  const interest = (n: string): number => (/^mean\.ratio\.|^figure\./.test(n) ? 0 : 1);
  return curveOverlay(names.sort((a, b) => interest(a) - interest(b)).flatMap((name): Choice[] => {
    const own = members.map((m, i) => ({ m, i, a: arrayIn(m.group, name) })).filter((e) => e.a);
    if (own.length < 2) return [];
    const a = own[0]!.a!;
    return [{ name: nameOf(a), x: { name: same ? over[0]!.name.slice(5) : 'point', unit: same ? over[0]!.unit : '' }, y: { name: nameOf(a), unit: a.unit }, curves: () => own.map(({ m, i, a: array }) => {
      const xs = Array.from(x(i, array!.dims[0]!));
      const order = xs.map((_v, k) => k).sort((p, q) => xs[p]! - xs[q]!);
      const points = textIn(m.group, 'points').split('\n');
      return { name: m.file, hint: m.file, x: order.map((k) => xs[k]!), y: order.map((k) => valuesOf(array!)[k]!), style: styleOf(m.index, 0), dots: !same, note: (k: number) => points[order[k]!] ?? '' };
    }) }];
  }));
}

/* What part of the cases of each study lies below a value. */
function studyOverlay(members: Member[]): HTMLElement[] {
  const columns = common(members).filter((c) => c.name.startsWith('response.'));
  return curveOverlay(columns.map((c): Choice => {
    const name = c.name.replace('response.', '');
    return { name, x: { name: c.long_name && c.long_name !== name ? `${name}: ${c.long_name}` : name, unit: c.unit }, y: { name: 'part of the cases below', unit: '' },
      curves: () => members.flatMap((m) => {
        const own = m.group.table!.columns.find((k) => k.name === c.name && k.unit === c.unit);
        const values = own ? Array.from(valuesOf(own)).filter(Number.isFinite).sort((a, b) => a - b) : [];
        return values.length ? [{ name: m.file, hint: m.file, x: values, y: values.map((_v, i) => (i + 0.5) / values.length), style: styleOf(m.index, 0) }] : [];
      }) };
  }));
}

function overlayOf(members: Member[]): HTMLElement[] {
  if (members.every((m) => isStudy(m.group))) return studyOverlay(members);
  if (members.some((m) => ['case', 'optimise'].includes(m.group.kind))) return [];
  if (members.every((m) => isBranches(m.group))) return branchOverlay(members);
  if (members.every((m) => isStationary(m.group))) return stationaryOverlay(members);
  return members.every((m) => plottable(m.group.table)) ? channelOverlay(members) : [];
}

/* Analyses of the same name and kind that two results or more have. */
export function overlays(reports: Report[]): Section[] {
  const names = [...new Set(reports.flatMap((r) => r.groups.map((g) => `${g.name}\n${g.kind}`)))];
  return names.flatMap((key) => {
    const members = reports.flatMap((r, index): Member[] => r.groups.filter((g) => `${g.name}\n${g.kind}` === key && !['layout', 'scene'].includes(g.kind)).map((group) => ({ file: r.file, index, group })));
    if (members.length < 2) return [];
    const body = overlayOf(members);
    const g = members[0]!.group;
    return body.length ? [{ id: `overlay-${g.name}`, title: `${g.title || g.name}`.replace(/^./, (c) => c.toUpperCase()), link: g.name.replace(/^./, (c) => c.toUpperCase()), group: 'Curves', body }] : [];
  });
}
