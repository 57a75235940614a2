/* browser_data.mjs — the numbers in a page are those of the result file, whatever way they went; comparisons open; a page
 * that is cut short says so. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { context, folder, open, openFile, program, run, test } from './support.mjs';

const capstan = (...words) => execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/* The result's own words for its values: capstan export writes every digit. */
function exported(result) {
  const target = join(folder, 'csv');
  capstan('export', result, '--csv', target);
  const files = new Map();
  for (const name of readdirSync(target)) {
    const lines = readFileSync(join(target, name), 'utf8').trim().split('\n').filter((l) => !l.startsWith('#'));
    files.set(name, lines);
  }
  return files;
}

/* The column of a quantity, by its heading. */
const place = (lines, name) => lines[0].split(',').findIndex((head) => head.replace(/ \[[^\]]*\]$/, '') === name);

const numbers = (line) => line.split(',').map(Number);

await test({
  async 'tables and arrays of a page equal the result file bit by bit'() {
    const { page, trouble, result } = await run('examples/two_pulley.yaml');
    const files = exported(result);
    const groups = await page.evaluate(() => capstan.page.groups.map((g) => ({
      name: g.name,
      columns: (g.table?.columns ?? []).map((c) => ({ name: c.name, values: [...capstan.values(c)] })),
      arrays: g.arrays.filter((a) => a.dims.length === 1 && !a.name.startsWith('film.')).map((a) => ({ name: a.name, values: [...capstan.values(a)] })),
    })));
    let compared = 0;
    for (const g of groups) {
      const lines = files.get(`${g.name}.csv`);
      if (g.columns.length) {
        const rows = lines.slice(1).map(numbers);
        g.columns.forEach((c, k) => {
          assert.equal(c.values.length, rows.length);
          c.values.forEach((v, i) => assert.ok(Object.is(v, rows[i][k]), `${g.name}.${c.name}[${i}]: ${v}, not ${rows[i][k]}`));
          compared += rows.length;
        });
      }
      for (const a of g.arrays) {
        const own = [...files].find(([file, lines]) => file.startsWith(`${g.name}.`) && place(lines, a.name) >= 0)?.[1];
        if (!own || own.length - 1 !== a.values.length) continue; /* an axis of a table of two dimensions */
        const column = own.slice(1).map((l) => Number(l.split(',')[place(own, a.name)]));
        if (column.some((v, i) => Number.isNaN(v) && !Number.isNaN(a.values[i]))) continue; /* names in place of codes */
        a.values.forEach((v, i) => assert.ok(Object.is(v, column[i]), `${g.name}.${a.name}[${i}]: ${v}, not ${column[i]}`));
        compared += column.length;
      }
    }
    assert.ok(compared > 500, `${compared} values`);
    assert.deepEqual(trouble, []);
  },

  async 'a film has the places of its frames'() {
    const { page, trouble } = await run('examples/two_pulley.yaml');
    const found = await page.evaluate(() => {
      const g = capstan.page.groups.find((k) => k.arrays.some((a) => a.name === 'film.time'));
      const values = (name) => capstan.values(g.arrays.find((a) => a.name === name));
      const column = (name) => capstan.values(g.table.columns.find((c) => c.name === name));
      const time = values('film.time');
      const tension = g.arrays.find((a) => a.name === 'film.span.*.tension');
      const rows = column('time');
      return { frames: time.length, last: [time.at(-1), rows.at(-1)], dims: tension.dims,
        first: [capstan.values(tension)[0], column('span.driver.tension')[0]] };
    });
    assert.equal(found.dims[0], found.frames);
    assert.equal(found.last[0], found.last[1]);
    assert.ok(Math.abs(found.first[0] / found.first[1] - 1) < 1e-6, String(found.first));
    assert.deepEqual(trouble, []);
  },

  async 'a long table keeps its extremes, and says what was left out'() {
    const { page, trouble } = await open('long');
    const { notes, most, stats } = await page.evaluate(() => {
      const { notes, groups } = capstan.page;
      const c = groups[0].table.columns[1];
      return { notes, most: Math.max(...capstan.values(c)), stats: c.stats };
    });
    assert.equal(most, 4321);
    assert.equal(stats.max, 4321);
    assert.match(notes.join('\n'), /of 300000 rows the page contains \d+/);
    assert.deepEqual(trouble, []);
  },

  async 'keys of the model have their sources'() {
    const { page } = await run('examples/two_pulley.yaml', ['crank.speed=13 rad/s']);
    const row = await page.evaluate(() => capstan.page.settings_table.find((s) => s.path === 'crank.speed'));
    assert.deepEqual(row, { path: 'crank.speed', value: '13 rad/s', unit: 'rad/s', si: 13, source: 'set', known: true });
  },

  async 'only the page\'s own program runs, no script that something brings along'() {
    const { result } = await run('examples/two_pulley.yaml');
    const page = result.replace(/\.h5$/, '.intruder.html');
    capstan('report', result, '-o', page);
    writeFileSync(page, readFileSync(page, 'utf8').replace('</body>', '<script>window.intruder = 1</script><img src="data:," onerror="window.intruder = 2"></body>'));
    const opened = await openFile(page.split('/').at(-1));
    assert.equal(await opened.page.evaluate(() => window.intruder), undefined);
    assert.ok(await opened.page.evaluate(() => capstan.page.groups.length) > 0);
  },

  async 'a comparison opens with all its results'() {
    const one = (await run('examples/two_pulley.yaml')).result;
    const other = (await run('examples/two_pulley.yaml', ['crank.speed=13 rad/s'])).result;
    capstan('report', one, other, one, '-o', join(folder, 'both.html'));
    const { page, trouble } = await openFile('both.html');
    const files = await page.evaluate(() => capstan.page.reports.map((r) => r.file));
    assert.equal(files.length, 3);
    assert.equal(new Set(files).size, 3);
    const speeds = await page.evaluate(() => capstan.page.reports.map((r) =>
      capstan.values(r.groups.find((g) => g.kind === 'transient').table.columns.find((c) => c.name === 'pulley.driver.speed'))[0]));
    assert.ok(Math.abs(speeds[1] / speeds[0] - 13 / 12) < 1e-9 && speeds[2] === speeds[0], String(speeds));
    for (const f of files) assert.ok((await page.locator('#page').textContent()).includes(f));
    assert.deepEqual(trouble, []);
  },

  async 'a page that is cut short says so, wherever it is cut'() {
    const { result } = await run('examples/two_pulley.yaml');
    const text = readFileSync(result.replace(/h5$/, 'html'), 'utf8');
    const data = text.indexOf('<script id="capstan-data"');
    const block = text.indexOf('class="capstan-block"');
    assert.ok(data > 0 && block > data);
    const places = { head: 300, program: Math.floor(data / 2), 'before the data': data, data: data + 5000, 'before the blocks': block - 30, block: block + 300 };
    for (const [where, place] of Object.entries(places)) {
      writeFileSync(join(folder, 'cut.html'), text.slice(0, place));
      const page = await context.newPage();
      await page.goto(`file://${join(folder, 'cut.html')}`);
      await page.waitForTimeout(200);
      const shown = (await page.locator('body').textContent()).trim();
      /* Without its body there is nothing to be said with. */
      if (where !== 'head') assert.match(await page.locator('#page').innerText(), /cut short/, where);
      else assert.equal(shown, '');
      await page.close();
    }
  },
});
