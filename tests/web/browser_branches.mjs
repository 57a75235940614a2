/* browser_branches.mjs — branches of a response, basins, labels in plots, surfaces. */
import assert from 'node:assert/strict';
import { ink, open, picture, test, texts } from './support.mjs';

await test({
  async 'basins are a map with legend and table, branches have names and a list'() {
    const { page, trouble } = await open('steady');
    const map = page.locator('#basins figure canvas');
    const whole = await ink(map);
    assert.ok(whole > 20000); /* all of the plane is coloured */
    assert.deepEqual(await texts(page.locator('#basins .legend-name')), ['1: the forcing’s period', '2: 2 periods']);
    await page.locator('#basins .plot-host').focus();
    await page.keyboard.press('ArrowRight');
    const cell = await page.locator('#basins .legend-at').textContent();
    await page.keyboard.press('ArrowUp');
    assert.notEqual(await page.locator('#basins .legend-at').textContent(), cell);
    assert.deepEqual(await texts(page.locator('#basins tbody tr').nth(1).locator('th, td')), ['share', '0.6667', '0.3333']);
    await page.locator('#basins .u-over').hover({ position: { x: 100, y: 200 } });
    assert.equal(await page.locator('#basins .legend-value').first().textContent(), 'reached');
    await page.locator('#basins .legend-item').first().click();
    await page.waitForTimeout(100);
    const rest = await ink(map);
    assert.ok(rest < 0.45 * whole && rest > 0.2 * whole); /* the second attractor has a third */
    assert.match(await page.locator('main').textContent(),
      /2 attractors, reached from 6 × 4 states\. Periods, and the share of the states: the forcing’s period \(66\.7 %\), 2 periods \(33\.3 %\)\./);
    const names = await texts(page.locator('#response .legend-name'));
    assert.ok(names.includes('main') && names.includes('period-2-1'));
    assert.match(await page.locator('#response').textContent(), /period-2-1.*random state 17 at 0\.62/s);
    await picture(page, 'steady');
    assert.deepEqual(trouble, []);
  },

  async 'branches of a response are told in a sentence and a table'() {
    const { page, trouble } = await open('branches');
    const summary = await page.locator('#response').textContent();
    assert.match(summary, /3 branches: 2 of the forcing’s period, 1 of 2 periods\./);
    assert.match(summary, /Shooting found 47 of 49 orbits again, at most 0\.00030 of their extent away; 1 of them with another stability/);
    assert.match(summary, /highest rms about the mean of position480\.0 mmat 1\.330 rad\/s, period-2-1, unstable/);
    assert.match(summary, /Not confirmed, for instance: at 0\.65: no orbit found\.Search: chaotic at 1 of 30 values\./);
    assert.doesNotMatch(summary, /branch\.1|family parameter/);
    const heads = ['Branch', 'Period', 'Range [rad/s]', 'Highest rms about the mean of position', 'Folds [rad/s]',
      'Period doublings [rad/s]', 'Neimark-Sacker points [rad/s]', 'Stable', 'Confirmed'];
    assert.deepEqual(await texts(page.locator('#response thead th')), heads);
    const rows = page.locator('#response tbody tr:has(th)');
    assert.deepEqual(await texts(rows.nth(0).locator('th, td')), ['main', 'the forcing’s', '0.5000 … 1.500', '400.0 mm at 1.500',
      '0.7000, 1.000', '1.220', '', '67 %', '31 of 32, within 0.00010']);
    assert.deepEqual(await texts(rows.nth(1).locator('th, td')), ['period-2-1', '2 periods', '1.220 … 1.330', '480.0 mm at 1.330',
      '', '', '1.270', '50 %', '7 of 7, within 0.00020']);
    /* As many digits as it takes to tell them apart. */
    assert.equal(await rows.nth(2).locator('td').nth(3).textContent(), '0.59998, 0.60002');
    assert.match(await page.locator('#response tbody').textContent(), /Found: period doubling of main at 1\.2200\./);
    assert.equal(await page.locator('#response canvas').count(), 1); /* nothing is plotted over the numbers of branches */
    await page.locator('#response select').selectOption({ label: 'mean position' });
    await page.waitForTimeout(150);
    assert.match(await rows.nth(0).textContent(), /120\.0 mm at 1\.500/);
    await picture(page, 'branches');
    assert.deepEqual(trouble, []);
  },

  async 'the plot of branches names them, marks special points, and tells what is under the cursor'() {
    const { page, trouble } = await open('branches');
    const plot = page.locator('#response figure.plot');
    assert.deepEqual(await texts(plot.locator('.legend-name')),
      ['main', 'period-2-1', 'detached-1', 'fold', 'period doubling', 'Neimark-Sacker point']); /* no branch point */
    assert.equal(await plot.locator('.legend svg.glyph').count(), 3);
    assert.match(await plot.locator('figcaption').textContent(), /Solid: stable\. Dashed: unstable\./);
    const tip = plot.locator('.loop-tip');
    const over = plot.locator('.u-over');
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    /* Limits are those of the data and a margin of a twentieth. */
    const at = async (x, y) => {
      await page.mouse.move(box.x + box.width * (x - 0.45) / 1.1, box.y + box.height * (0.499 - y) / 0.418);
      await page.waitForTimeout(80);
      return tip.textContent();
    };
    assert.equal(await at(0.85, 0.25), 'main0.8500 rad/s (0.135 Hz), 250.0 mmunstable');
    assert.equal(await at(1.3, 0.375), 'main1.300 rad/s (0.207 Hz), 375.0 mmstable');
    assert.equal(await at(0.7, 0.3), 'main0.7000 rad/s (0.111 Hz), 300.0 mmfold');
    assert.equal(await at(1.27, 0.42), 'period-2-11.270 rad/s (0.202 Hz), 420.0 mmNeimark-Sacker point');
    await page.mouse.move(0, 0);
    const whole = await ink(plot.locator('canvas'));
    await plot.locator('.legend-item').first().click();
    await page.waitForTimeout(100);
    assert.ok((await ink(plot.locator('canvas'))) < 0.6 * whole); /* curve and marks of main are gone */
    for (const i of [0, 3, 4, 5]) await plot.locator('.legend-item').nth(i).click();
    await page.waitForTimeout(100);
    const bare = await ink(plot.locator('canvas'));
    assert.ok(bare < whole && bare > 0.6 * whole, `${bare} of ${whole}`); /* the marks alone are gone */

    await plot.locator('.plot-host').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.equal(await tip.textContent(), 'main0.5250 rad/s (0.0836 Hz), 105.0 mmstable');
    await page.keyboard.press('ArrowDown');
    assert.match(await tip.textContent(), /^period-2-1/);
    await page.keyboard.press('ArrowUp');
    assert.match(await tip.textContent(), /^main/);
    await page.locator('#response .check input').check(); /* logarithmic */
    await page.waitForTimeout(150);
    assert.ok((await ink(plot.locator('canvas'))) > 200);
    assert.deepEqual(trouble, []);
  },

  async 'labels in a plot cover neither each other nor the border, at any width'() {
    const { page, trouble } = await open('branches');
    await page.evaluate(() => {
      const { fillText } = CanvasRenderingContext2D.prototype;
      window.written = [];
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
        if (this.font.startsWith('600')) window.written.push({ text, x, y, width: this.measureText(text).width, right: this.canvas.width });
        fillText.call(this, text, x, y);
      };
    });
    for (const width of [1360, 700, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(300);
      await page.evaluate(() => void (window.written.length = 0));
      await page.emulateMedia({ colorScheme: width === 700 ? 'light' : 'dark' }); /* drawn anew */
      await page.waitForTimeout(200);
      const labels = await page.evaluate(() => window.written);
      assert.ok(labels.length >= 4, `${labels.length} labels at ${width}`);
      for (const a of labels) {
        assert.ok(a.x >= 0 && a.x + a.width <= a.right, a.text);
        for (const b of labels)
          assert.ok(a === b || a.x + a.width <= b.x || b.x + b.width <= a.x || Math.abs(a.y - b.y) >= 12, `${a.text} on ${b.text} at ${width}`);
      }
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
    assert.deepEqual(trouble, []);
  },

  async 'a family of responses is a surface, with folds and backbone'() {
    const { page, trouble } = await open('surface');
    const surface = page.locator('#response svg.surface');
    assert.equal(await surface.count(), 1);
    assert.match(await surface.textContent(), /angular_frequency \[rad\/s\].*rms of the position \[mm\]|rms of the position \[mm\].*angular_frequency \[rad\/s\]/s);
    assert.match(await surface.textContent(), /force amplitude \[mN\]/);
    assert.equal(await surface.locator('polyline[stroke-dasharray]').count(), 3); /* one unstable flank each */
    assert.equal(await surface.locator('circle[fill=none]').count(), 6); /* two folds each */
    assert.equal(await surface.locator('circle:not([fill=none])').count(), 1); /* the cusp */
    assert.deepEqual(await texts(page.locator('#response .legend-name')), ['10 mN', '20 mN', '30 mN', 'backbone', 'fold']);
    assert.match(await page.locator('#response figcaption').first().textContent(), /^Colour: force amplitude\./);
    const summary = await page.locator('main').textContent();
    assert.match(summary, /3 branches at 3 values of force amplitude \(10 mN … 30 mN\)/);
    assert.match(summary, /1 curve over angular_frequency and force amplitude: 1 of folds; 1 cusp\./);
    assert.match(summary, /1 mode of free vibration.*1\.001 → 1\.060/s);
    assert.deepEqual(await texts(page.locator('#folds .legend-name')), ['1: folds', 'cusp']);
    assert.match(await page.locator('#folds tbody').textContent(), /1\.025, 10\.00/); /* where the cusp is */
    assert.ok((await ink(page.locator('#folds canvas'))) > 200);
    assert.ok((await ink(page.locator('#backbone canvas'))) > 200);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(150);
    await picture(page, 'surface-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    assert.deepEqual(trouble, []);
  },
});
