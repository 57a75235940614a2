/* warnings.ts — what a reader must know before trusting the figures, gathered from all analyses in one list. */
import { closure } from './audit';
import { layoutOf } from './drives/accessory/belt';
import { valuesOf, type Group, type Report } from './data';
import { el } from './dom';
import { isFit } from './analyses/fit';
import { columnIn, extreme, numberIn, rpm, textIn, valuesIn } from './figure';
import { count, number, plural, spoken } from './format';
import { quantity } from './tables';

export interface Warning {
  text: string;
  link?: string; /* id of the section that explains it */
  grave: boolean; /* figures are wrong or missing; otherwise something to know */
}

type Maker = (group: Group, report: Report) => Omit<Warning, 'link'>[];
const grave = (text: string): Omit<Warning, 'link'>[] => [{ text, grave: true }];
const mild = (text: string): Omit<Warning, 'link'>[] => [{ text, grave: false }];

const unfinished: Maker = (group) => (group.status && group.status !== 'complete' ? grave(`${group.title || group.name}: this analysis was not finished.`) : []);

const balance: Maker = (group) => {
  const state = closure(group);
  return state && !state.good ? grave(`The energy balance is off: it ${state.text}.`) : [];
};

const notFinite: Maker = (group) => {
  const bad = (group.table?.columns ?? []).filter((c) => c.bad > 0);
  if (!bad.length || ['statics', 'campbell', 'orders', 'convergence', 'life', 'response', 'stationary', 'backbone', 'folds', 'fit'].includes(group.kind)) return [];
  return grave(`${plural(bad.length, 'channel has', 'channels have')} values that are not finite: ${bad.slice(0, 3).map((c) => c.name).join(', ')}${bad.length > 3 ? ', …' : ''}.`);
};

const belt: Maker = (group, report) => {
  const layout = layoutOf(report.groups);
  if (!layout) return [];
  const names = layout.pulleys.map((p) => spoken(p.name));
  const list: Omit<Warning, 'link'>[] = [];
  const slack = valuesIn(group, 'watch.tension_least');
  const loose = slack ? names.filter((_n, i) => slack[i]! <= 0) : [];
  if (loose.length) list.push(...grave(`Slack belt: the span after ${loose.join(', ')} loses its tension for some of the time.`));
  const slipping = valuesIn(group, 'watch.slipping');
  const gross = slipping ? names.map((n, i) => ({ n, s: slipping[i]! })).filter((e) => e.s > 0) : [];
  if (gross.length) list.push(...grave(`The belt slips as a whole on ${gross.map((e) => `${e.n} (${number(100 * e.s, 2)} % of the time)`).join(', ')}.`));
  if (group.kind !== 'statics' || !group.table) return list;
  const speeds = valuesOf(group.table.columns[0]!);
  const none = Array.from(columnIn(group, 'belt.speed') ? valuesOf(columnIn(group, 'belt.speed')!) : []).map((v, i) => (Number.isFinite(v) ? -1 : i)).filter((i) => i >= 0);
  if (none.length) list.push(...grave(`No steady running at ${none.map((i) => rpm(speeds[i]!)).join(', ')}.`));
  for (const p of layout.pulleys) {
    const c = columnIn(group, `pulley.${p.name}.safety`);
    const least = c ? extreme(valuesOf(c), -1) : null;
    if (least && least.value < 1) list.push(...grave(`The belt slips on ${spoken(p.name)} at ${rpm(speeds[least.i]!)}: safety ${number(least.value, 3)}. Tensions are as if the friction were just enough.`));
  }
  return list;
};

const campbell: Maker = (group) => {
  const c = group.kind === 'campbell' ? columnIn(group, 'growth') : undefined;
  const n = c ? Array.from(valuesOf(c)).filter((v) => v > 1e-3).length : 0;
  return n ? grave(`At ${plural(n, 'speed')} a mode grows: the drive is unstable there.`) : [];
};

const orders: Maker = (group) => {
  if (group.kind !== 'orders' || !group.table) return [];
  const slack = group.table.columns.some((c) => /^span\..*\.tension\.min$/.test(c.name) && c.stats && c.stats.min < 0);
  return slack ? mild('The linear response to the orders takes tensions below 0 at some speeds: the belt would be slack there.') : [];
};

const life: Maker = (group) => {
  const used = group.kind === 'life' ? numberIn(group, 'duty.used') : null;
  return used !== null && used > 1 ? grave(`The belt does not reach its target: the duty cycle uses up ${number(100 * used, 3)} % of its life.`) : [];
};

const variator: Maker = (group) => {
  const n = (key: string): number => numberIn(group, `variator.${key}`) ?? NaN;
  if (group.kind === 'point' || !Number.isFinite(n('ratio'))) return [];
  const list: Omit<Warning, 'link'>[] = [];
  if (n('credible') === 0) list.push(...grave(`The power balance is off by ${number(100 * n('residual_losses'), 2)} % of the losses: losses and efficiencies are not credible.`));
  if (!Number.isFinite(n('stationary_from'))) list.push(...grave('The variator is not stationary at the end of the run: means are those of a motion that still changes.'));
  if (n('macro_slip') === 1) list.push(...grave(`Macro slip: a pulley slips under the whole belt since ${quantity(n('macro_slip_begin'), 's')}.`));
  return list;
};

const stationary: Maker = (group) => {
  const end = group.kind === 'stationary' ? valuesIn(group, 'point.end') : null;
  if (!end) return [];
  const names = textIn(group, 'points').split('\n');
  const of = (k: number): string[] => Array.from(end).map((v, i) => (v === k ? names[i] ?? String(i + 1) : '')).filter(Boolean);
  const told = (k: number, text: string): Omit<Warning, 'link'>[] => (of(k).length ? grave(`${text}: ${of(k).slice(0, 8).join(', ')}${of(k).length > 8 ? ` and ${of(k).length - 8} more` : ''}.`) : []);
  return [...told(1, 'Not stationary within the time allowed'), ...told(2, 'Macro slip'), ...told(3, 'Failed points')];
};

const solver: Maker = (group) => {
  const [missed, differs] = [numberIn(group, 'contact.missed') ?? numberIn(group, 'orbits.missed'), numberIn(group, 'stability.differs')];
  return [...(missed ? grave(`${count(missed)} ${numberIn(group, 'orbits.missed') ? 'orbits were not found' : 'steps were not solved to the tolerance'}.`) : []),
    ...(differs ? grave(`At ${plural(differs, 'point')} integration finds another stability than the branch tells.`) : [])];
};

const orbit: Maker = (group) => {
  const [re, im] = [valuesIn(group, 'multiplier.re'), valuesIn(group, 'multiplier.im')];
  const most = re && im && group.kind === 'periodic' ? extreme(Array.from(re, (v, i) => Math.hypot(v, im[i]!))) : null;
  return most && most.value > 1 + 1e-6 ? grave(`The steady orbit is unstable (largest multiplier ${number(most.value, 3)}): the drive does not stay on it.`) : [];
};

const estimates: Maker = (group) => {
  const refused = group.texts.filter((t) => t.name.endsWith('.refusal')).map((t) => ({ text: `${t.name.replace(/\.refusal$/, '')} was refused: ${t.value}`, grave: true }));
  const open = isFit(group) ? group.texts.filter((t) => t.name.endsWith('.state') && t.value !== 'identified').map((t) => t.name.replace(/\.state$/, '')) : [];
  return [...refused, ...(open.length ? grave(`The data do not tell ${open.join(', ')}: these are only where the search ended.`) : [])];
};

const thinned: Maker = (group) => (group.table && group.table.thinned !== 'no'
  ? mild(`${count(group.table.kept)} of ${count(group.table.rows)} rows of ${group.title || group.name} are in this page, with the peaks as computed.`) : []);

const makers: Maker[] = [unfinished, variator, stationary, belt, campbell, orders, life, orbit, solver, estimates, balance, notFinite, thinned];

/* Those that matter most first. `idOf` tells the section of an analysis. */
export function warningsOf(report: Report, idOf: (group: Group) => string | undefined): Warning[] {
  const list: Warning[] = report.groups.flatMap((group) => makers.flatMap((make) => make(group, report)).map((w) => ({ ...w, link: idOf(group) })));
  list.push(...report.notes.map((text) => ({ text, grave: false })));
  return [...list.filter((w) => w.grave), ...list.filter((w) => !w.grave)];
}

const shown = 5;

const entry = (w: Warning): HTMLElement => el(w.grave ? 'li.grave' : 'li', {}, w.text, ...(w.link ? [' ', el('a', { href: `#${w.link}` }, 'Details')] : []));

export function warningList(list: Warning[]): HTMLElement | null {
  if (!list.length) return null;
  const graves = list.filter((w) => w.grave).length;
  const rest = list.slice(Math.max(shown, graves <= 8 ? graves : shown));
  const first = list.slice(0, list.length - rest.length);
  return el('div.warnings', { role: 'group', 'aria-label': 'Warnings' },
    el('h3', {}, [graves ? plural(graves, 'warning') : '', list.length > graves ? plural(list.length - graves, 'note') : ''].filter(Boolean).join(', ')),
    el('ul', {}, ...first.map(entry)),
    rest.length ? el('details', {}, el('summary', {}, `${rest.length} more`), el('ul', {}, ...rest.map(entry))) : null);
}
