/* browser_toy.mjs — a drive costs the page one file and two lines: the toy of web/test is registered and shown. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder, need, openFile, run, source, test, texts } from './support.mjs';

need('esbuild');
const { makePage } = await import(join(source, 'web', 'build.mjs'));

/* What one writes into the registry: an import, and a place in the list; tests/toy/test_toys.sh counts these lines. */
const path = ['web', 'src', 'drives', 'registry.ts'];
const registry = join(source, ...path);
const rows = readFileSync(join(source, 'tests', 'toy', 'drive', 'lines'), 'utf8').split('\n').map((row) => row.split('\t'));
const lines = rows.filter(([file]) => file === path.join('/'));

function registered(text) {
  const all = text.split('\n');
  for (const [, where, anchor, added] of lines) {
    const at = all.findIndex((l) => l.includes(anchor));
    assert.ok(at >= 0 && all.findLastIndex((l) => l.includes(anchor)) === at, `one line of the registry has ${anchor}`);
    all.splice(where === 'before' ? at : at + 1, 0, added);
  }
  return all.join('\n');
}

const known = readFileSync(registry, 'utf8');
const withToy = { name: 'toy', setup: (build) => build.onLoad({ filter: /drives\/registry\.ts$/ }, () => ({ contents: registered(known), loader: 'ts' })) };

/* A report of this page for that one: the program and the style of a page stand before its data. */
function swapped(report, page, drive) {
  const data = '<script id="capstan-data"';
  const [rest, ...again] = report.slice(report.indexOf(data)).split('"drive":"tensioner-rig"');
  assert.equal(again.length, 1, 'the report names its drive once');
  return page.slice(0, page.indexOf(data)) + [rest, ...again].join(`"drive":"${drive}"`);
}

const rig = async () => {
  const { page, result } = await run('examples/tensioner_rig.yaml', ['analyses[0].transient.until=2.4 s']);
  await page.close();
  return readFileSync(result.replace(/h5$/, 'html'), 'utf8');
};

await test({
  async 'two lines of the registry bring its title, key figure, picture and section'() {
    assert.equal(lines.length, 2);
    assert.equal(registered(known).split('\n').length, known.split('\n').length + 2);
    writeFileSync(join(folder, 'toy.html'), swapped(await rig(), await makePage([withToy]), 'toy'));
    const { page, trouble } = await openFile('toy.html');
    assert.match(await page.locator('.byline').first().textContent(), /Toy for tests/);
    const figure = page.locator('.key-figures div', { hasText: 'largest force of the toy' });
    assert.match(await figure.first().textContent(), /\d k?N/);
    const stage = page.locator('#summary figure.stage');
    assert.match(await stage.locator('canvas').first().getAttribute('aria-label'), /^The toy at time/);
    assert.match(await stage.textContent(), /force of the toy/);
    assert.deepEqual((await texts(page.locator('#transient h3'))).filter((t) => /toy/.test(t)), ['What the toy says']);
    assert.deepEqual(trouble, []);
  },

  async 'without them nobody knows it, and its report is shown as that of any drive'() {
    const page0 = await makePage();
    assert.doesNotMatch(page0, /Toy for tests/); /* not shipped */
    writeFileSync(join(folder, 'unknown.html'), swapped(await rig(), page0, 'toy'));
    const { page, trouble } = await openFile('unknown.html');
    assert.equal(await page.locator('#summary figure.stage').count(), 0);
    assert.doesNotMatch(await page.locator('body').textContent(), /of the toy/);
    assert.ok((await page.locator('#transient canvas').count()) > 0);
    assert.deepEqual(trouble, []);
  },
});
