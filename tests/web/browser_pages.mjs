/* browser_pages.mjs — the page as a whole: its top, its list of sections, settings; odd, long, wide and incomplete results. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentsOf, folder, ink, open, picture, pictures, run, test, texts } from './support.mjs';

await test({
  async 'the first screen has the drive, its key figures, warnings and where the power went'() {
    const { page, trouble } = await open('drive');
    for (const part of ['figure.stage canvas', '.key-figures', '.warnings', '.energy-bar .bar']) {
      const box = await page.locator(`#summary ${part}`).first().boundingBox();
      assert.ok(box && box.y + Math.min(box.height, 40) < 900, `${part} is below the first screen`);
    }
    const figures = await page.locator('#summary').textContent();
    assert.match(figures, /Motion over time.*largest tension[\d.]+ N.*Steady running vs crank speed.*smallest slip safety1\.\d+/s);
    /* Each warning leads to where it is explained. */
    for (const href of await page.locator('.warnings a').evaluateAll((all) => all.map((a) => a.getAttribute('href'))))
      assert.equal(await page.locator(`section${href}`).count(), 1, href);
    /* All shares of the bar are the whole. */
    const widths = await page.locator('.energy-bar .energy-strip').first().locator('.bar-part').evaluateAll((all) => all.map((p) => parseFloat(p.style.width)));
    assert.ok(Math.abs(widths.reduce((a, b) => a + b, 0) - 100) < 0.5);
    assert.deepEqual(trouble, []);
  },

  async 'the list of sections marks the present one, and folds many analyses'() {
    const { page, trouble } = await open('drive');
    const present = () => page.locator('nav a[aria-current]').textContent();
    assert.equal(await present(), 'Summary');
    await page.locator('nav summary').click();
    await page.locator('nav a', { hasText: 'Campbell' }).click();
    await page.waitForTimeout(300);
    assert.equal(await present(), 'Campbell');
    assert.match(await page.locator('nav summary').textContent(), /Analyses.*: Campbell/);
    assert.equal(await page.locator('nav details[open]').count(), 0);
    assert.ok((await page.locator('#campbell').boundingBox()).y < 120);
    const top = await page.locator('nav').boundingBox();
    assert.ok(top.y >= 0 && top.y < 2); /* it stays in view */
    await page.locator('nav a', { hasText: 'Model' }).click();
    await page.waitForTimeout(300);
    assert.equal(await present(), 'Model');
    assert.deepEqual(trouble, []);
  },

  async 'settings have their source, are searched, and lead to their line of the model'() {
    const { page, trouble } = await run('examples/tensioner_rig.yaml', ['tensioner.k0=3e5 N/m']);
    assert.match(await page.locator('#settings > .sheet tbody').textContent(), /^tensioner\.k0.*command line \(--set\)$/);
    assert.equal(await page.locator('#settings details').getAttribute('open'), null); /* a long list is opened by who wants it */
    await page.locator('#settings details > summary').click();
    const rows = page.locator('#settings details tbody tr');
    assert.match(await rows.first().textContent(), /tensioner\.k0.*command line/); /* what was changed comes first */
    const before = await rows.count();
    await page.locator('#settings input[type=checkbox]').check();
    assert.ok((await rows.count()) > before);
    await page.locator('#settings input[type=search]').fill('deflection.amplitude');
    assert.equal(await rows.count(), 1);
    assert.match(await rows.first().textContent(), /0\.52 mm.*0\.000520* m/);
    await rows.first().locator('a').click();
    assert.match(await page.locator('pre.model .line:target').textContent(), /amplitude: 0\.52 mm/);
    const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('#settings details button', { hasText: 'CSV' }).click()]);
    assert.match((await contentsOf(saved)).toString(), /^Setting,Value,In SI,Source\ndeflection\.amplitude,0\.52 mm/);
    assert.deepEqual(trouble, []);
  },

  async 'an identification shows parameters with intervals, refusals and the loops'() {
    const { page, trouble } = await open('identify');
    const summary = await page.locator('main').textContent();
    assert.match(summary, /dahl: the loop never slips/);
    assert.match(summary, /kstiffness8\.0125 N\/mm1 %7\.8522 N\/mm8\.1728 N\/mm/);
    assert.match(summary, /masing: the residuals are not white \(Durbin-Watson 0\.77\)/);
    assert.match(await page.locator('#identify').textContent(), /Correlation of the parameters of masing/);
    const shown = await texts(page.locator('#identify .panels .legend-name'));
    assert.deepEqual(shown, ['force', 'masing.force', 'masing.residual']);
    assert.deepEqual(await texts(page.locator('#identify .loop').first().locator('.legend-name')), ['measured', 'masing']);
    for (const canvas of await page.locator('figure canvas').all()) assert.ok((await ink(canvas)) > 100);
    await picture(page, 'identify');
    assert.deepEqual(trouble, []);
  },

  async 'a long run keeps its one peak and says that it was thinned out'() {
    const { page, trouble } = await open('long');
    assert.match(await page.locator('#summary').textContent(), /4321/);
    const legend = await texts(page.locator('#transient .legend-value'));
    assert.ok(legend.some((t) => t.includes('4321 N')), legend.join());
    assert.match(await page.locator('#transient .hint').first().textContent(), /of 300\u202f000 rows are in this page/);
    assert.ok(readFileSync(join(folder, 'long.html')).length < 2e6);
    assert.deepEqual(trouble, []);
  },

  async 'a result of many channels stays below 20 MB, with its peaks'() {
    const { page, trouble } = await open('wide');
    assert.ok(readFileSync(join(folder, 'wide.html')).length < 20e6);
    await page.locator('#transient button.quiet').click();
    await page.locator('#transient input[type=search]').fill('channel.42');
    await page.locator('#transient .picker-list input').check();
    await page.waitForTimeout(150);
    assert.match(await page.locator('#transient .panels .legend-value').textContent(), /… 17\.00/);
    assert.match(await page.locator('#transient .hint').first().textContent(), /slots of time/);
    assert.deepEqual(trouble, []);
  },

  async 'an incomplete result says so; hostile texts stay texts; no path of a machine is in the page'() {
    const { page, trouble } = await open('odd');
    assert.match(await page.locator('h1').textContent(), /^<\/script><script>document\.title='broken'<\/script>"\\ \ufffd$/);
    assert.notEqual(await page.title(), 'broken');
    assert.match(await page.locator('header').textContent(), /not complete/);
    assert.match(await page.locator('main').textContent(), /<b>Transient<\/b>/);
    assert.match(await page.locator('#model pre').textContent(), /\u2026\/loop\.csv/);
    assert.doesNotMatch(readFileSync(join(folder, 'odd.html'), 'utf8'), /somebody/);
    assert.deepEqual(trouble, []);
    const empty = await open('empty');
    assert.match(await empty.page.locator('header').textContent(), /not complete/);
    assert.match(await empty.page.locator('#summary').textContent(), /no analyses/);
    assert.deepEqual(empty.trouble, []);
  },

  async 'shapes that nothing stores today do not break a page'() {
    const { page, trouble } = await open('strange');
    assert.deepEqual(await texts(page.locator('h2')),
      ['Summary', 'Falling', 'Single', 'Same name as a part of the page', 'Cube', 'Model']);
    assert.match(await page.locator('#summary').textContent(), /values that are not finite: none/);
    assert.match(await page.locator('#falling').textContent(), /All rows/);
    assert.deepEqual(await texts(page.locator('#cube .field label')), ['Show', 'over', 'one line for each', 'at first']);
    await page.locator('#cube select').nth(2).selectOption({ label: 'first' });
    await page.waitForTimeout(150);
    assert.deepEqual(await texts(page.locator('#cube .legend-name')), ['0 N', '1 N']);
    assert.ok((await ink(page.locator('#cube canvas'))) > 100);
    await picture(page, 'strange');
    assert.deepEqual(trouble, []);
  },

  async 'dark, narrow and printed pages work'() {
    const { page, trouble } = await open('full');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(150);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(21, 24, 27)');
    assert.ok((await ink(page.locator('figure canvas').first())) > 200);
    await picture(page, 'full-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await picture(page, 'full-narrow');
    await page.setViewportSize({ width: 1360, height: 900 });
    const pdf = await page.pdf({ format: 'A4', printBackground: true, ...(pictures ? { path: join(pictures, 'full.pdf') } : {}) });
    assert.ok(pdf.length > 20000);
    assert.deepEqual(trouble, []);
  },
});
