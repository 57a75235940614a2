/* browser_export.mjs — what plots give away: SVG, PNG and CSV, the last with the very numbers of the result file. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentsOf, folder, open, pictures, program, test } from './support.mjs';

/* The file that an entry of a plot's menu saves. */
async function saved(page, figure, entry) {
  await figure.locator('.export .menu-button').click();
  const [download] = await Promise.all([page.waitForEvent('download'), figure.locator('.export .menu-list button', { hasText: entry }).click()]);
  const bytes = await contentsOf(download);
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    writeFileSync(join(pictures, download.suggestedFilename()), bytes);
  }
  return { name: download.suggestedFilename(), bytes };
}

/* Notes, heads and rows of numbers. */
function parsed(text) {
  const lines = text.trimEnd().split('\n');
  const notes = lines.filter((l) => l.startsWith('#'));
  const [heads, ...rows] = lines.filter((l) => !l.startsWith('#')).map((l) => l.split(','));
  return { notes, heads, rows };
}

const numbers = (table, head) => table.rows.map((r) => Number(r[table.heads.indexOf(head)]));

/* All tables of a result as the program itself writes them. */
function exported(result) {
  const target = join(folder, `csv-${Math.random().toString(36).slice(2)}`);
  execFileSync(program, ['export', result, '--csv', target], { stdio: 'ignore' });
  return (name) => parsed(readFileSync(join(target, `${name}.csv`), 'utf8'));
}

/* The same bits, of 32 where the page has 32. */
function same(own, truth, single, what) {
  assert.equal(own.length, truth.length);
  own.forEach((v, i) => assert.ok(Object.is(single ? Math.fround(v) : v, single ? Math.fround(truth[i]) : truth[i]), `${what}, row ${i}: ${v} for ${truth[i]}`));
}

await test({
  async 'the CSV of a plot has the numbers of the result file, to the last bit'() {
    const { page, trouble } = await open('full');
    const truth = exported(join(folder, 'full.h5'))('transient');
    const figure = page.locator('#transient .panels figure').nth(1);
    const { name, bytes } = await saved(page, figure, 'CSV of');
    const table = parsed(bytes.toString());
    assert.match(name, /^belt-and-tensioner-harmonic-load-transient-[a-z-]+-over-time\.csv$/);
    assert.equal(table.heads.length, 3);
    assert.equal(table.heads[0], 'time [s]');
    assert.equal(table.rows.length, truth.rows.length);
    assert.doesNotMatch(table.notes.join(), /32 bits/);
    for (const head of table.heads) same(numbers(table, head), numbers(truth, head), false, head);
    assert.match(table.notes.join('\n'), /# belt and tensioner, harmonic load\n.*\n# all 2001 rows of the plot\n# units are SI/);
    assert.deepEqual(trouble, []);
  },

  async 'a hidden line and what is outside of the window are not in the CSV, which says so'() {
    const { page, trouble } = await open('full');
    const figure = page.locator('#transient .panels figure').nth(1);
    await figure.locator('.legend-item').first().click();
    await figure.locator('.plot-host').focus();
    await page.keyboard.press('+');
    const table = parsed((await saved(page, figure, 'CSV of')).bytes.toString());
    assert.equal(table.heads.length, 2);
    assert.ok(table.rows.length > 900 && table.rows.length < 1100, String(table.rows.length));
    assert.match(table.notes.join(), /of the 2001 of the plot: those in its window/);
    assert.deepEqual(trouble, []);
  },

  async 'the CSV of a thinned run says how many rows of how many it has, and they are rows of the result'() {
    const { page, trouble } = await open('long');
    const truth = exported(join(folder, 'long.h5'))('transient');
    const table = parsed((await saved(page, page.locator('#transient .panels figure').first(), 'CSV of')).bytes.toString());
    assert.match(table.notes.join(), /\d+ of 300000 rows/);
    const rows = new Map(numbers(truth, table.heads[0]).map((t, i) => [t, i]));
    for (const head of table.heads.slice(1)) {
      const [own, all] = [numbers(table, head), numbers(truth, head)];
      same(own, numbers(table, table.heads[0]).map((t) => all[rows.get(t)]), /32 bits/.test(table.notes.join()), head);
    }
    assert.deepEqual(trouble, []);
  },

  async 'a plot becomes a vector drawing with axes, units, legend and title, in the colours of paper'() {
    const { page, trouble } = await open('full');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(100);
    const figure = page.locator('#transient .panels figure').nth(1);
    const { name, bytes } = await saved(page, figure, 'SVG');
    assert.match(name, /\.svg$/);
    const text = bytes.toString();
    const found = await page.evaluate((source) => {
      const doc = new DOMParser().parseFromString(source, 'image/svg+xml');
      const all = [...doc.querySelectorAll('text')].map((t) => t.textContent);
      const longest = Math.max(...[...doc.querySelectorAll('path')].map((p) => (p.getAttribute('d').match(/[ML]/g) ?? []).length));
      return { error: !!doc.querySelector('parsererror'), all, longest, images: doc.querySelectorAll('image').length,
        colours: [...new Set([...doc.querySelectorAll('[stroke]')].map((n) => n.getAttribute('stroke')))] };
    }, text);
    assert.equal(found.error, false);
    assert.equal(found.images, 0);
    assert.ok(found.longest > 500, String(found.longest)); /* the curve itself */
    assert.ok(found.all.includes('time [s]'), found.all.join());
    assert.ok(found.all.some((t) => /\[N\]/.test(t)), found.all.join());
    assert.ok(found.all.includes('0.4') || found.all.includes('0.40'), found.all.join());
    for (const line of await figure.locator('.legend-name').allTextContents()) assert.ok(found.all.includes(line), line);
    assert.ok(found.colours.includes('#0067a5'), found.colours.join());
    assert.deepEqual(trouble, []);
  },

  async 'a plot becomes a picture of twice its size'() {
    const { page, trouble } = await open('full');
    const figure = page.locator('#transient .panels figure').first();
    const { bytes } = await saved(page, figure, 'PNG');
    assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
    const width = await figure.locator('canvas').evaluate((c) => c.clientWidth);
    assert.ok(Math.abs(bytes.readUInt32BE(16) - 2 * width) <= 2);
    assert.deepEqual(trouble, []);
  },

  async 'the CSV can be copied, and the menu is worked by keys'() {
    const { page, trouble } = await open('full');
    await page.evaluate(() => document.addEventListener('copy', () => (window.copied = document.activeElement.value)));
    const menu = page.locator('#transient .panels figure').first().locator('.export');
    await menu.locator('.menu-button').focus();
    await page.keyboard.press('Enter');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal(await menu.locator('.menu-told').textContent(), 'Copied');
    assert.match((await page.evaluate(() => window.copied)).slice(0, 400), /^# .*\n# .*\ntime \[s\],[\w.]+ \[m\]\n0,0\n/s);
    await page.keyboard.press('Escape');
    assert.equal(await menu.locator('.menu-list').isVisible(), false);
    assert.equal(await page.evaluate(() => document.activeElement.className), 'menu-button');
    assert.deepEqual(trouble, []);
  },

  async 'maps, surfaces and diagrams have drawings and values too'() {
    for (const [name, where, heads] of [
      ['steady', '#basins figure', /^[^,]+,[^,]+,attractor \[1\]$/],
      ['surface', 'figure.surface-frame', /,branch \[1\],multiplier \[1\],kind \[1\]$/],
      ['branches', 'figure.plot', /^curve,/],
      ['drive', '#campbell figure.plot', /^curve,[^,]+\[rad\/s\],frequency \[Hz\]$/],
    ]) {
      const { page, trouble } = await open(name);
      const figure = page.locator(where).first();
      const table = parsed((await saved(page, figure, 'CSV of')).bytes.toString());
      assert.match(table.heads.join(), heads);
      assert.ok(table.rows.length > 20, `${name} ${table.rows.length}`);
      const svg = (await saved(page, figure, 'SVG')).bytes.toString();
      assert.match(svg, /<svg [^>]*>.*<\/svg>/s);
      assert.ok((svg.match(/<(path|polyline|rect)/g) ?? []).length > 20, name);
      assert.deepEqual(trouble, []);
    }
  },
});
