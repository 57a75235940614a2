/* branch_table.ts — what is known of the branches of a response: a sentence, and a row a branch. */
import { confirmations, highest, highestName, periodText, quantities, specials, type Branch, type BranchSet, type Confirmation } from './branch_data';
import { nameOf } from '../channels';
import { largestOf } from '../chart';
import { valuesOf, type Column, type Group } from '../data';
import { el } from '../dom';
import { count, number, plural } from '../format';
import { roundedText } from '../tables';
import { displayUnit, withUnit, type DisplayUnit } from '../units';

const listedPositions = 6; /* of folds in one cell */
const mostRows = 200;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const withText = (v: number, unit: DisplayUnit): string => `${number(v / unit.size)}${unit.text ? ` ${unit.text}` : ''}`;

/* Ascending, with as many digits as it takes to tell them apart. */
function positions(values: number[]): string[] {
  const sorted = [...values].sort((a, b) => a - b);
  for (let digits = 4; digits < 7; digits++) {
    const texts = sorted.map((v) => number(v, digits));
    if (new Set(texts).size === texts.length) return texts;
  }
  return sorted.map((v) => number(v, 7));
}

function positionCell(values: number[]): HTMLElement {
  const texts = positions(values);
  const rest = texts.length - listedPositions;
  return el('td.at', { title: rest > 1 ? texts.join(', ') : undefined },
    ...(rest > 1 ? [...texts.slice(0, listedPositions), `and ${rest} more`] : texts)
      .flatMap((t, i, all) => (i < all.length - 1 ? [el('span.word', {}, `${t},`), ' '] : [el('span.word', {}, t)])));
}

const distanceText = (d: number): string => number(d, 2);

function confirmedText({ confirmed, asked, distance }: Confirmation): HTMLElement {
  const share = asked === null ? count(confirmed) : `${count(confirmed)} of ${count(asked)}`;
  return confirmed ? el('span', {}, el('span.word', {}, `${share},`), ' ', el('span.word', {}, `within ${distanceText(distance)}`)) : el('span', {}, share);
}

interface Part {
  head: string;
  hint?: string;
  n?: boolean; /* a number */
  cell: (b: Branch, i: number) => string | HTMLElement;
}

function parts(group: Group, set: BranchSet, y: Column): Part[] {
  const { xUnit: unit } = set;
  const x = valuesOf(set.x);
  const values = valuesOf(y);
  const yUnit = displayUnit(y.unit, largestOf([values]));
  const memberName = set.family ? nameOf(set.family) : '';
  const told = confirmations(group, set);
  const list: Part[] = [];
  if (set.family) list.push({ head: memberName, hint: set.family.name, cell: (b) => el('span.word', {}, set.members[b.member]!.text) });
  if (set.branches.some((b) => Number.isFinite(b.period))) list.push({ head: 'Period', cell: (b) => el('span.word', {}, periodText(b.period)) });
  list.push({ head: withUnit('Range', unit), hint: nameOf(set.x),
    cell: (b) => el('span.word', {}, positions([b.from / unit.size, b.to / unit.size]).join(' … ')) });
  list.push({ head: capital(highestName(y)), n: true, cell: (b) => {
    const row = highest(b, y);
    return row < 0 ? '–' : `${withText(values[row]!, yUnit)} at ${number(x[row]! / unit.size)}`;
  } });
  for (const { kind, many } of specials) {
    if (!set.branches.some((b) => b.rows.some((i) => set.kind[i] === kind))) continue;
    list.push({ head: withUnit(capital(many), unit),
      cell: (b) => positionCell(b.rows.filter((i) => set.kind[i] === kind).map((i) => x[i]! / unit.size)) });
  }
  if (set.branches.some((b) => Number.isFinite(b.stable)))
    list.push({ head: 'Stable', hint: 'share of stable points', n: true, cell: (b) => (Number.isFinite(b.stable) ? `${Math.round(100 * b.stable)} %` : '–') });
  if (told) list.push({ head: 'Confirmed', hint: 'orbits found again by shooting, and the largest distance over the extent of the orbit',
    cell: (_b, i) => confirmedText(told[i]!) });
  return list;
}

/* The table; `full` with how branches were found and why they end. */
export function branchTable(group: Group, set: BranchSet, y: Column, full: boolean): HTMLElement {
  const list = parts(group, set, y);
  const cell = (p: Part, b: Branch, i: number): HTMLElement => {
    const made = p.cell(b, i);
    if (made instanceof HTMLElement && made.tagName === 'TD') return made;
    return el(p.n ? 'td.n' : 'td', {}, made);
  };
  const shown = set.branches.slice(0, mostRows);
  const history = (b: Branch): string =>
    [b.found && `Found: ${roundedText(b.found)}.`, b.ends && `Ends: ${roundedText(b.ends)}.`].filter(Boolean).join(' ');
  const alike = shown.length > 1 && shown.every((b) => history(b) === history(shown[0]!));
  const row = (b: Branch, i: number): HTMLElement[] => {
    const more = full && !alike && history(b) !== '';
    return [el(more ? 'tr.before-aside' : 'tr', {}, el('th', { scope: 'row' }, b.name), ...list.map((p) => cell(p, b, i))),
      ...(more ? [el('tr', {}, el('td'), el('td.aside', { colspan: list.length }, history(b)))] : [])];
  };
  return el('div', {}, el('div.scroll', {}, el('table.branches', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Branch'),
      ...list.map((p) => el(p.n ? 'th.n' : 'th', { scope: 'col', title: p.hint }, p.head)))),
    el('tbody', {}, ...shown.flatMap(row)))),
    full && alike && history(shown[0]!) ? el('p.hint', {}, `All branches: ${history(shown[0]!)}`) : null,
    set.branches.length > mostRows ? el('p.hint', {}, `The first ${mostRows} of ${count(set.branches.length)} branches.`) : null);
}

/* "5 branches: 2 of the forcing's period, 3 of 2 periods." */
function countSentence(set: BranchSet): string {
  const periods = [...new Set(set.branches.map((b) => b.period))].filter((p) => !Number.isNaN(p)).sort((a, b) => a - b);
  const of = (p: number): string => {
    const n = set.branches.filter((b) => b.period === p).length;
    return `${n === set.branches.length ? (n === 1 ? '' : 'all ') : `${n} `}of ${p === 1 ? 'the forcing’s period' : `${p} periods`}`;
  };
  const among = set.family
    ? ` at ${plural(set.members.length, 'value')} of ${nameOf(set.family)} (${set.members[0]!.text} … ${set.members[set.members.length - 1]!.text})` : '';
  return `${plural(set.branches.length, 'branch', 'branches')}${among}${periods.length ? `: ${periods.map(of).join(', ')}` : ''}.`;
}

function shootingSentence(group: Group): string {
  if (!group.table!.columns.find((c) => c.name === 'harmonics')?.stats) return ''; /* shooting itself, or equilibria */
  const value = (name: string): number => group.numbers.find((n) => n.name === name)?.value ?? 0;
  const verified = value('verified');
  if (!verified) return 'Not compared with orbits by shooting.';
  const far = value('distance.largest');
  const differs = value('stability.differs');
  return `Shooting found ${value('confirmed') === verified ? `all ${count(verified)}` : `${count(value('confirmed'))} of ${count(verified)}`} ` +
    `orbits again, at most ${distanceText(far)} of their extent away${differs ? `; ${count(differs)} of them with another stability` : ''}.`;
}

/* What the analysis has to say of a member, such as why it has no branch from the last value. */
function troubles(group: Group, set: BranchSet): HTMLElement[] {
  const words: Record<string, string> = { verify: 'Not confirmed', first: 'No branch from the first value', last: 'No branch from the last value' };
  /* A member without any branch has no rows that tell its value. */
  const empty = (n: number): boolean => ['first', 'last'].every((side) => group.texts.some((t) => t.name === `family.${n}.${side}`));
  const memberText = (n: number): string => {
    const before = Array.from({ length: n - 1 }, (_v, i) => i + 1).filter((k) => !empty(k)).length;
    return (!empty(n) && set.members[before]?.text) || `member ${n}`;
  };
  return group.texts.flatMap((t) => {
    const found = /^family\.(\d+)\.(.+)$/.exec(t.name);
    if (!found) return [];
    const member = set.family ? ` (${memberText(Number(found[1]))})` : '';
    const more = found[2] === 'verify' && /^at /.test(t.value) ? ', for instance' : '';
    return [el('p.hint', { title: t.value }, `${words[found[2]!] ?? capital(found[2]!)}${member}${more}: ${roundedText(t.value)}.`)];
  });
}

/* The highest rms of each channel and where it is. */
function peakFigures(set: BranchSet): HTMLElement | null {
  const rms = quantities(set.table).filter((c) => c.name.endsWith('.rms_ac')).slice(0, 4);
  const x = valuesOf(set.x);
  const found = rms.flatMap((y) => {
    const values = valuesOf(y);
    const tops = set.branches.map((b) => ({ b, row: highest(b, y) })).filter(({ row }) => row >= 0);
    if (!tops.length) return [];
    const top = tops.reduce((a, b) => (values[b.row]! > values[a.row]! ? b : a));
    const state = set.unstable(top.row);
    const where = [withText(x[top.row]!, set.xUnit), set.members[top.b.member]!.text, top.b.name,
      set.kind[top.row] || state === null ? '' : state ? 'unstable' : 'stable'];
    return [el('div', {}, el('dt', {}, highestName(y)), el('dd', {}, withText(values[top.row]!, displayUnit(y.unit, Math.abs(values[top.row]!)))),
      el('dd.figure-at', {}, `at ${where.filter(Boolean).join(', ')}`))];
  });
  return found.length ? el('dl.figures', {}, ...found) : null;
}

/* "658 points · angular frequency from 0.1 to 1.6 rad/s · 12 harmonics" */
export function branchExtent(set: BranchSet): string {
  const harmonics = set.table.columns.find((c) => c.name === 'harmonics')?.stats;
  const parts = [plural(set.table.rows, 'point')];
  if (set.x.stats) parts.push(`${nameOf(set.x)} from ${withText(set.x.stats.min, set.xUnit)} to ${withText(set.x.stats.max, set.xUnit)}`);
  if (harmonics) parts.push(harmonics.min === harmonics.max ? plural(harmonics.max, 'harmonic') : `${harmonics.min} to ${harmonics.max} harmonics`);
  const equilibria = set.table.columns.some((c) => c.name === 'growth');
  return [...parts, harmonics ? 'harmonic balance' : equilibria ? 'equilibria' : 'shooting'].join(' · ');
}

export function branchSummary(group: Group, set: BranchSet): HTMLElement {
  return el('div', {},
    el('p.extent', {}, branchExtent(set)),
    el('p', {}, `${countSentence(set)} ${shootingSentence(group)}`),
    peakFigures(set),
    ...troubles(group, set));
}
