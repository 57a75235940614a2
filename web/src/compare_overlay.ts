/* compare_overlay.ts — curves of several results over each other: channels of tables over their abscissa, branches of responses,
 * stationary points over their parameter. A colour is a result, a dash is a channel. */
import { analyses, analysesOf, kindHas } from './analyses/registry';
import { nameOf, plottable } from './channels';
import { Chart, Link, type Line } from './chart';
import { valuesOf, type Column, type Report } from './data';
import { el, uniqueId } from './dom';
import type { Section } from './nav';
import { common, styleIn, type Member } from './overlay';
import { storedUnit } from './units';

/* What a person would look at first in any analysis. */
const anyFirst = /(^|\.)(tension|force|position|push|ratio\.thrust|ratio\.speed|torque|x)$/;

function firstChannels(columns: Column[], kind: string): Column[] {
  const known = analyses.find((a) => a.kind === kind && a.compared)?.compared;
  const wanted = columns.filter((c) => known?.first.test(c.name));
  if (wanted.length) return wanted.slice(0, known?.most ?? 2);
  const moving = columns.filter((c) => c.stats && c.stats.max > c.stats.min);
  return (moving.find((c) => anyFirst.test(c.name)) ? [moving.find((c) => anyFirst.test(c.name))!] : moving.slice(0, 1));
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
        return own ? [{ name: group.length > 1 ? `${c.name}, ${m.file}` : m.file, hint: `${nameOf(c)}: ${m.file}`, values: valuesOf(own), x: valuesOf(m.group.table!.columns[0]!), style: styleIn(m.index, k) }] : [];
      }));
      const x = members[0]!.group.table!.columns[0]!;
      return new Chart({ x: { name: nameOf(x), unit: x.unit, values: valuesOf(x) }, y: { name: group.length === 1 ? nameOf(group[0]!) : '', unit }, lines, height: 340, title: group.map((c) => c.name).slice(0, 3).join(', ') + (group.length > 3 ? ', …' : ''), link }, host);
    });
    host.classList.toggle('empty', !charts.length);
  };
  requestAnimationFrame(draw);
  return [el('div.channels-body', {}, chooser(columns.map((c) => ({ name: c.name, unit: c.unit, long: c.long_name })), chosen, draw), host)];
}

function overlayOf(members: Member[]): HTMLElement[] {
  const own = analyses.find((a) => a.overlay && members.every((m) => analysesOf(m.report, m.group).includes(a)));
  if (own) return own.overlay!(members);
  return members.every((m) => plottable(m.group.table)) ? channelOverlay(members) : [];
}

/* Analyses of the same name and kind that two results or more have. */
export function overlays(reports: Report[]): Section[] {
  const names = [...new Set(reports.flatMap((r) => r.groups.map((g) => `${g.name}\n${g.kind}`)))];
  return names.flatMap((key) => {
    const members = reports.flatMap((r, index): Member[] => r.groups.filter((g) => `${g.name}\n${g.kind}` === key && !kindHas(g.kind, (a) => a.role === 'scenery')).map((group) => ({ report: r, file: r.file, index, group })));
    if (members.length < 2) return [];
    const body = overlayOf(members);
    const g = members[0]!.group;
    return body.length ? [{ id: `overlay-${g.name}`, title: `${g.title || g.name}`.replace(/^./, (c) => c.toUpperCase()), link: g.name.replace(/^./, (c) => c.toUpperCase()), group: 'Curves', body }] : [];
  });
}
