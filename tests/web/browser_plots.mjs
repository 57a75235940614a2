/* browser_plots.mjs — works with plots as a person would: picker, legend, zoom, spectrum, loop, response. */
import assert from 'node:assert/strict';
import { ink, open, picture, test, texts } from './support.mjs';

await test({
  async 'a report opens, has everything, and every plot has ink'() {
    const { page, trouble } = await open('full');
    assert.equal(await page.locator('h1').textContent(), 'belt and tensioner, harmonic load');
    assert.deepEqual(await texts(page.locator('h2')), ['Summary', 'Natural frequencies and mode shapes', 'Transient', 'Response', 'Energy', 'Settings', 'Model']);
    const canvases = await page.locator('figure canvas').all();
    assert.equal(canvases.length, 6); /* four units, the loop, the response; the spectrum is folded */
    for (const canvas of canvases) assert.ok((await ink(canvas)) > 200);
    assert.match(await page.locator('#transient').textContent(), /Corners of the loop.*D0\.92000?1\.0000?101\.0/s);
    assert.match(await page.locator('#transient').textContent(), /modulus.*0\.50000?/s);
    assert.match(await page.locator('#energy').textContent(), /closes within/);
    assert.equal(await page.locator('#energy .audit > .scroll tbody tr').count(), 5); /* kinetic energy and springs are stored energy */
    assert.match(await page.locator('#summary').textContent(), /largest range of the tension1000 Nforce amplitude 100 N, angular_frequency of the load 60.0 rad\/s \(9.55 Hz\)/);
    assert.match(await page.locator('#modes').textContent(), /Mode.*Frequency.*110\.?0*62\.832.*280\.?0*502\.65.*pulley0\.500/s);
    assert.match(await page.locator('#model pre').textContent(), /^capstan: 1\n/);
    await picture(page, 'full-light');
    assert.deepEqual(trouble, []);
  },

  async 'the picker finds and adds a channel, and a cleared one starts anew'() {
    const { page, trouble } = await open('full');
    const plots = page.locator('#transient .panels figure');
    const before = await plots.count();
    await page.locator('#transient input[type=search]').fill('ANGLE arm');
    assert.deepEqual(await texts(page.locator('#transient .picker-name')), ['arm.angle rad']);
    await page.locator('#transient .picker-list input').check();
    assert.equal(await plots.count(), before + 1);
    assert.ok((await ink(plots.last().locator('canvas'))) > 200);
    await page.locator('#transient button.quiet').click();
    assert.equal(await plots.count(), 0);
    await page.locator('#transient input[type=search]').fill('no such thing');
    assert.match(await page.locator('#transient .picker-more').textContent(), /No channel/);
    assert.deepEqual(trouble, []);
  },

  async 'the legend tells the values at the cursor, in all plots at once, and switches lines'() {
    const { page, trouble } = await open('full');
    const plots = page.locator('#transient .panels figure');
    const first = plots.first();
    await first.scrollIntoViewIfNeeded();
    assert.match(await first.locator('.legend-value').first().textContent(), /…/);
    const box = await first.locator('.u-over').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(100);
    /* Half of the second: 4 mm * sin(20). */
    assert.match(await first.locator('.legend-at').textContent(), /^time 0\.5\d* s$/);
    const shown = (await first.locator('.legend-value').first().textContent()).replace('−', '-');
    assert.ok(Math.abs(parseFloat(shown) - 4 * Math.sin(20)) < 0.05, shown);
    assert.match(await plots.nth(1).locator('.legend-at').textContent(), /^time 0\.5\d* s$/);

    const items = plots.nth(1).locator('.legend-item');
    assert.equal(await items.count(), 2);
    for (const item of await items.all()) await item.click();
    await page.waitForTimeout(100);
    assert.equal(await items.first().getAttribute('aria-pressed'), 'false');
    assert.equal(await ink(plots.nth(1).locator('canvas')), 0);
    assert.deepEqual(trouble, []);
  },

  async 'dragging zooms all plots of a table, a double click shows everything again'() {
    const { page, trouble } = await open('full');
    const plots = page.locator('#transient .panels figure');
    await plots.first().scrollIntoViewIfNeeded();
    const box = await plots.first().locator('.u-over').boundingBox();
    const at = async (share, plot) => {
      const area = await plot.locator('.u-over').boundingBox();
      await page.mouse.move(area.x + area.width * share, area.y + area.height / 2);
      await page.waitForTimeout(80);
      return parseFloat((await plot.locator('.legend-at').textContent()).replace('time ', ''));
    };
    await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForTimeout(150);
    for (const plot of [plots.first(), plots.nth(1)]) {
      assert.ok(Math.abs((await at(0.02, plot)) - 0.404) < 0.01);
      assert.ok(Math.abs((await at(0.98, plot)) - 0.596) < 0.01);
    }
    await plots.first().locator('.u-over').dblclick();
    await page.waitForTimeout(150);
    assert.ok((await at(0.98, plots.nth(1))) > 0.95);
    assert.deepEqual(trouble, []);
  },

  async 'the spectrum of a sine has its peak at its frequency, and follows the zoom of the plots'() {
    const { page, trouble } = await open('full');
    const fold = page.locator('#transient details.spectrum');
    await fold.locator('summary').click();
    await fold.getByLabel('Channels').selectOption({ label: 'belt.tension' });
    await fold.locator('.chip', { hasText: 'tensioner.force' }).click();
    await page.waitForTimeout(150);
    /* The tension has 40 N at 300 rad/s, 47.7 Hz, beside the slow motion at 40 rad/s: the highest point near there. */
    await fold.locator('.u-over').scrollIntoViewIfNeeded();
    const box = await fold.locator('.u-over').boundingBox();
    let best = { height: 0, at: 0 };
    for (let share = 0.4; share < 1; share += 0.004) {
      await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
      const height = parseFloat(await fold.locator('.legend-value').textContent());
      const at = parseFloat((await fold.locator('.legend-at').textContent()).replace('frequency ', ''));
      if (at > 30 && height > best.height) best = { height, at };
    }
    assert.ok(Math.abs(best.at - 47.746) < 0.6 && Math.abs(best.height - 40) < 1.5, JSON.stringify(best));
    assert.match(await fold.locator('figcaption').textContent(), /from 0 s to 1\.000 s, Hann window, lines 1\.00 Hz apart/);
    const plot = page.locator('#transient .panels figure').first();
    await plot.locator('.plot-host').focus();
    await page.keyboard.press('+');
    await page.waitForTimeout(200);
    assert.match(await fold.locator('figcaption').textContent(), /lines 2\.0\d Hz apart/);
    assert.deepEqual(trouble, []);
  },

  async 'plots answer the keyboard'() {
    const { page, trouble } = await open('full');
    const plot = page.locator('#transient .panels figure').first();
    await plot.locator('.plot-host').focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
    const first = await plot.locator('.legend-at').textContent();
    assert.match(first, /^time /);
    await page.keyboard.press('Shift+ArrowRight');
    assert.notEqual(await plot.locator('.legend-at').textContent(), first);
    await page.keyboard.press('+');
    await page.keyboard.press('0');
    await page.locator('#transient input[type=search]').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press(' ');
    assert.equal(await page.locator('#transient .picker-list input').first().isChecked(), false);
    assert.deepEqual(trouble, []);
  },

  async 'the loop is force over deflection, and other channels can be chosen'() {
    const { page, trouble } = await open('full');
    const selects = page.locator('#transient .loop select');
    const chosen = () => selects.evaluateAll((all) => all.map((s) => s.selectedOptions[0].textContent));
    assert.deepEqual(await chosen(), ['tensioner.force [N]', 'tensioner.deflection [m]', 'nothing else']);
    await selects.first().selectOption({ label: 'belt.tension [N]' });
    await page.waitForTimeout(150);
    assert.ok((await ink(page.locator('#transient .loop canvas'))) > 200);
    assert.match(await page.locator('#transient .loop .legend').textContent(), /belt\.tension over tensioner\.deflection/);
    assert.deepEqual(trouble, []);
  },

  async 'a response is a family of lines with its limit, over either axis and on logarithmic scales'() {
    const { page, trouble } = await open('full');
    const names = () => texts(page.locator('#response .legend-name'));
    assert.deepEqual(await names(), ['20 N', '40 N', '60 N', '80 N', '100 N', 'stuck']);
    await page.locator('#response .check input').nth(1).check();
    await page.waitForTimeout(150);
    assert.ok((await ink(page.locator('#response canvas'))) > 200);
    await page.locator('#response select').nth(1).selectOption({ label: 'force amplitude' });
    await page.waitForTimeout(150);
    assert.equal((await names()).length, 41);
    const shown = page.locator('#response select').first();
    assert.deepEqual(await texts(shown.locator('option')),
      ['range of the tension', 'mean tension', '1 if the orbit was found', 'linear limit, stuck']);
    await shown.selectOption({ label: 'mean tension' });
    await page.locator('#response button.quiet').click();
    await page.waitForTimeout(150);
    assert.equal(await page.locator('#response figure').count(), 2);
    assert.deepEqual(trouble, []);
  },
});
