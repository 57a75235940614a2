/* settings.ts — every setting of the model with its value and its source: those of the command line in sight, the others folded; searchable. */
import type { Report, Setting } from './data';
import { el, uniqueId } from './dom';
import { plural, short } from './format';
import { withCopy } from './sheet';
import { displayUnit } from './units';

const rank = { set: 0, model: 1, default: 2 } as const;

const sourceText = (s: Setting): string => (s.source === 'set' ? 'command line (--set)' : s.source === 'model' ? (s.line ? `line ${s.line}` : 'model file') : 'default');

/* "0.001 m" where it was written as "1 mm". */
function siText(s: Setting): string {
  if (s.si === undefined || !s.unit) return '';
  const text = `${short(s.si, 6)} ${displayUnit(s.unit, 1).size === 1 ? displayUnit(s.unit, 1).text : s.unit}`;
  return s.value === `${s.si} ${s.unit}` ? '' : text;
}

const row = (s: Setting): HTMLElement => el(s.source === 'set' ? 'tr.changed' : 'tr', {},
  el('th', { scope: 'row' }, el('code', {}, s.path), s.known ? null : el('span.badge.bad', {}, 'not known to this version')), el('td', {}, s.value), el('td', {}, siText(s)),
  el('td', {}, s.source === 'model' && s.line ? el('a', { href: `#line-${s.line}` }, sourceText(s)) : sourceText(s)));

const shownAtOnce = 400;

function tableOf(list: Setting[], caption: string): HTMLElement {
  return withCopy(caption, el('table.settings', {},
    el('thead', {}, el('tr', {}, ...['Setting', 'Value', 'In SI', 'Source'].map((h) => el('th', { scope: 'col' }, h)))),
    el('tbody', {}, ...list.slice(0, shownAtOnce).map(row))));
}

export function settingsView(report: Report): HTMLElement[] {
  const all = [...(report.settings_table ?? [])].map((s, i) => ({ s, i })).sort((a, b) => rank[a.s.source] - rank[b.s.source] || a.i - b.i).map(({ s }) => s);
  if (!all.length) return [];
  const id = uniqueId('settings');
  const host = el('div');
  const search = el('input', { id, type: 'search', placeholder: 'Search settings', 'aria-label': 'Search settings', autocomplete: 'off', spellcheck: 'false' });
  const told = el('output.term', { for: id });
  const defaults = el('input', { type: 'checkbox' });
  const nset = all.filter((s) => s.source === 'set').length;
  const ndefault = all.filter((s) => s.source === 'default').length;
  const show = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((s) => (defaults.checked || s.source !== 'default' || words.length) && words.every((w) => `${s.path} ${s.value} ${sourceText(s)}`.toLowerCase().includes(w)));
    told.textContent = found.length > shownAtOnce ? `the first ${shownAtOnce} of ${found.length}` : plural(found.length, 'setting');
    host.replaceChildren(found.length ? tableOf(found, 'Settings') : el('p.hint', {}, 'No setting has this in its name or value.'));
  };
  search.addEventListener('input', show);
  defaults.addEventListener('change', show);
  show();
  const given = all.filter((s) => s.source === 'set');
  const counts = `${plural(all.length - ndefault, 'setting')}${ndefault ? ` and ${plural(ndefault, 'default')}` : ''}`;
  return [
    nset ? el('p', {}, el('span.badge.bad', {}, `${plural(nset, 'setting')} changed by --set`)) : null,
    nset ? tableOf(given, 'Settings changed on the command line') : null,
    el('details.settings-fold', {}, el('summary', {}, `${counts}, searchable`),
      el('div.toolbar', {}, search, ndefault ? el('label.check', {}, defaults, `also ${plural(ndefault, 'default')}`) : null, told), host),
  ].filter((n): n is HTMLElement => n !== null);
}

/* The model file with numbers of its lines, which the table above points to. */
export function modelText(text: string): HTMLElement {
  const lines = text.replace(/\n$/, '').split('\n');
  return el('pre.model', { tabindex: 0, 'aria-label': 'Model file' }, ...lines.map((line, i) => el('span.line', { id: `line-${i + 1}`, 'data-line': i + 1 }, `${line}\n`)));
}
