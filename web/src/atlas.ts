/* atlas.ts — the page of atlas entries: which claims hold, and the series behind them. */
import { Chart } from './chart';
import type { Atlas, AtlasEntry, Claim, SeriesAxis } from './data';
import { el, slug } from './dom';
import { number, plural, short } from './format';
import { Loop } from './loop';
import type { Section } from './report';
import { familyStyle, lineStyle } from './theme';

type Series = NonNullable<AtlasEntry['series']>[number];

const claimsOf = (entry: AtlasEntry): Claim[] => entry.claims ?? [];
const held = (claims: Claim[]): number => claims.filter((c) => c.holds).length;

const verdict = (holds: boolean): HTMLElement =>
  el(holds ? 'span.verdict.good' : 'span.verdict.bad', {}, holds ? '✓ holds' : '✗ does not hold');

function valueText(claim: Claim): string {
  if (claim.value === null || claim.value === undefined) return '–';
  const value = typeof claim.value === 'number' ? short(claim.value, 5) : claim.value;
  return claim.unit ? `${value} ${claim.unit}` : value;
}

function claimTable(claims: Claim[]): HTMLElement {
  const row = (c: Claim): HTMLElement => el('tr', {},
    el('td', {}, verdict(c.holds)),
    el('td', {}, c.text, el('span.claim-id', {}, c.id), c.note ? el('p.note', {}, c.note) : null),
    el('td', {}, c.expected === undefined ? '–' : String(c.expected)),
    el('td.n', {}, valueText(c)));
  return el('div.scroll', {}, el('table.claims', {},
    el('thead', {}, el('tr', {}, ...['Verdict', 'Claim', 'Expected'].map((t) => el('th', { scope: 'col' }, t)),
      el('th.n', { scope: 'col' }, 'Computed'))),
    el('tbody', {}, ...claims.map(row))));
}

const numbers = (axis: SeriesAxis): number[] => axis.values.map((v) => v ?? NaN);
const sameAbscissa = (list: Series[]): boolean =>
  list.every((s) => s.x.values.length === list[0]!.x.values.length &&
    s.x.values.every((v, i) => v === list[0]!.x.values[i]));
const ascends = (values: (number | null)[]): boolean =>
  values.every((v, i) => v !== null && (i === 0 || v > values[i - 1]!));

/* "masing f1=13 N", "masing f1=27 N", ...: the words before the number name a family, drawn in one plot. */
const familyOf = (name: string): string => /^(.*?)\s*\S+\s*=/.exec(name)?.[1] ?? '';

function grouped(series: Series[]): Series[][] {
  const groups = new Map<string, Series[]>();
  for (const s of series) {
    const large = series.length > 8 ? familyOf(s.name) : '';
    const key = [large, s.x.name, s.x.unit, s.y.name, s.y.unit].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), s]);
  }
  return [...groups.values()];
}

function plot(list: Series[], host: HTMLElement): void {
  const first = list[0]!;
  const ordered = list.length > 4 && list.every((s) => familyOf(s.name) === familyOf(first.name) && s.name.includes('='));
  const style = (i: number) => (ordered ? familyStyle(i, list.length) : lineStyle(i));
  const family = ordered ? familyOf(first.name) : '';
  const label = (s: Series): string => s.name.slice(family.length).trim();
  const common = { x: { name: first.x.name, unit: first.x.unit }, y: { name: first.y.name, unit: first.y.unit },
    height: 340, title: family || undefined };
  if (sameAbscissa(list) && ascends(first.x.values) && first.x.values.length > 1)
    new Chart({ ...common, x: { ...common.x, values: numbers(first.x) },
      lines: list.map((s, i) => ({ name: label(s), hint: s.name, values: numbers(s.y), style: style(i),
        plain: list.length > 4 })) }, host);
  else
    new Loop({ ...common,
      curves: list.map((s, i) => ({ name: label(s), hint: s.name, x: numbers(s.x), y: numbers(s.y), style: style(i) })) }, host);
}

function entrySection(entry: AtlasEntry, id: string): Section {
  const body: HTMLElement[] = [];
  if (entry.source) body.push(el('p.extent', {}, `Source: ${entry.source}`));
  body.push(claimsOf(entry).length ? claimTable(claimsOf(entry)) : el('p.hint', {}, 'No claims.'));
  const host = el('div.atlas-plots');
  const series = entry.series ?? [];
  if (series.length) {
    body.push(host);
    /* Entries far down the page are drawn when they come near. */
    const watch = new IntersectionObserver((seen) => {
      if (!seen.some((s) => s.isIntersecting)) return;
      watch.disconnect();
      draw();
    }, { rootMargin: '800px' });
    let drawn = false;
    const draw = (): void => {
      if (drawn) return;
      drawn = true;
      for (const list of grouped(series)) plot(list, host);
    };
    watch.observe(host);
    window.addEventListener('beforeprint', draw);
  }
  if (entry.wall_s !== undefined) body.push(el('p.hint', {}, `Computed in ${number(entry.wall_s, 3)} s.`));
  return { id, title: entry.title || entry.id, body };
}

function overview(atlas: Atlas, ids: string[]): HTMLElement {
  const row = (entry: AtlasEntry, i: number): HTMLElement => {
    const claims = claimsOf(entry);
    const all = held(claims) === claims.length;
    return el('tr', {}, el('th', { scope: 'row' }, el('a', { href: `#${ids[i]}` }, entry.title || entry.id),
      el('span.claim-id', {}, entry.id)),
      el('td', {}, entry.source ?? '–'),
      el('td.n', {}, el(all ? 'span.verdict.good' : 'span.verdict.bad', {},
        claims.length ? `${held(claims)} of ${claims.length}` : 'no claims')));
  };
  return el('div.scroll', {}, el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Entry'), el('th', { scope: 'col' }, 'Source'),
      el('th.n', { scope: 'col' }, 'Claims that hold'))),
    el('tbody', {}, ...atlas.entries.map(row))));
}

export function atlasPage(atlas: Atlas): { title: string; head: HTMLElement; sections: Section[] } {
  const claims = atlas.entries.flatMap(claimsOf);
  const single = atlas.entries.length === 1 ? atlas.entries[0]! : null;
  const all = held(claims) === claims.length;
  const ids = atlas.entries.map((e, i) => `${slug(e.id)}-${i + 1}`);
  const head = el('header', {},
    el('h1', {}, single ? single.title || single.id : 'Atlas'),
    el('p.byline', {}, el('span', {}, single ? single.id : plural(atlas.entries.length, 'entry', 'entries')),
      el('span', {}, `Capstan ${atlas.capstan_version}`),
      el(all ? 'span.badge.good' : 'span.badge.bad', {}, `${held(claims)} of ${plural(claims.length, 'claim')} hold`)));
  const sections = atlas.entries.map((e, i) => entrySection(e, ids[i]!));
  if (single) sections[0]!.title = 'Claims';
  else sections.unshift({ id: 'overview', title: 'Overview', body: [overview(atlas, ids)] });
  return { title: single ? single.title : 'Capstan atlas', head, sections };
}
