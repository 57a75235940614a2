/* browser_spectra.mjs — spectra of channels with windows, peaks and orders, and the waterfall of a run-up. */
import assert from 'node:assert/strict';
import { contentsOf, ink, open, picture, test, texts } from './support.mjs';

async function saved(page, figure, entry) {
  await figure.locator('.export .menu-button').click();
  const [download] = await Promise.all([page.waitForEvent('download'), figure.locator('.export .menu-list button', { hasText: entry }).click()]);
  return (await contentsOf(download)).toString();
}

const rowsOf = (csv) => csv.trimEnd().split('\n').filter((l) => !l.startsWith('#')).slice(1).map((l) => l.split(',').map(Number));
const highest = (rows, from, column = 1) => rows.filter((r) => r[0] > from).reduce((a, b) => (b[column] > a[column] ? b : a));

await test({
  async 'spectra lie over each other, peaks carry their frequency, and a flat window has the height of a sine'() {
    const { page, trouble } = await open('full');
    const fold = page.locator('#transient details.spectrum');
    await fold.locator('summary').click();
    await fold.getByLabel('Channels').selectOption({ label: 'belt.tension' });
    const figure = fold.locator('figure');
    assert.deepEqual(await texts(figure.locator('.legend-name')), ['tensioner.force', 'belt.tension']);
    const svg = await saved(page, figure, 'SVG');
    assert.match(svg, />47\.7\d Hz</); /* 300 rad/s */
    assert.match(svg, />6\.\d+ Hz</); /* 40 rad/s */
    await fold.getByLabel('Window', { exact: true }).selectOption('flat');
    await page.waitForTimeout(100);
    const [at] = highest(rowsOf(await saved(page, fold.locator('figure'), 'CSV of')), 40, 2);
    assert.ok(Math.abs(at - 47.746) < 0.5, `${at}`);
    /* The gap is a single sine of 2 um at 90 rad/s, between two lines of the spectrum: a flat top tells its height. */
    await fold.getByLabel('Channels').selectOption({ label: 'contact.gap' });
    await page.waitForTimeout(100);
    const [sine, height] = highest(rowsOf(await saved(page, fold.locator('figure').last(), 'CSV of')), 8);
    assert.ok(Math.abs(sine - 90 / (2 * Math.PI)) < 0.5 && Math.abs(height - 2e-6) < 4e-9, `${sine} ${height}`);
    await fold.getByLabel('logarithmic y').check();
    await page.waitForTimeout(100);
    assert.ok((await ink(fold.locator('canvas').first())) > 200);
    assert.deepEqual(trouble, []);
  },

  async 'a thinned run has no spectrum of rows that are not there, and says why'() {
    const { page, trouble } = await open('long');
    const fold = page.locator('#transient details.spectrum');
    await fold.locator('summary').click();
    assert.match(await fold.textContent(), /of 300.000 rows, those with peaks; spectra need every row/);
    assert.equal(await page.locator('#transient details.waterfall').count(), 0);
    const wide = await open('wide');
    const other = wide.page.locator('#transient details.spectrum');
    await other.locator('summary').click();
    assert.match(await other.textContent(), /From the last .* rows, which this page has in full|needs evenly spaced rows|spectra need every row/);
    assert.deepEqual([...trouble, ...wide.trouble], []);
  },

  async 'the waterfall of a run-up has its ridges on the orders of the shaft'() {
    const { page, trouble } = await open('runup');
    const fold = page.locator('#transient details.waterfall');
    assert.equal(await fold.getAttribute('open'), ''); /* the speed changes: it is shown */
    const figure = fold.locator('figure');
    assert.ok((await ink(figure.locator('canvas'))) > 50000);
    const csv = await saved(page, figure, 'CSV of');
    const heads = csv.split('\n').find((l) => l.startsWith('frequency')).split(',').slice(1).map((h) => parseFloat(h));
    assert.ok(heads.length > 100 && heads.every((v, i) => i === 0 || v > heads[i - 1]));
    const rows = rowsOf(csv);
    for (const share of [0.2, 0.5, 0.8]) {
      const i = Math.floor(share * heads.length);
      const [at] = highest(rows, 5, i + 1);
      const order = (2 * Math.PI * at) / heads[i];
      assert.ok(Math.abs(order - 2) < 0.08, `order ${order} at ${heads[i]} rad/s`);
    }
    const svg = await saved(page, figure, 'SVG');
    for (const text of ['order 2', 'order 4', 'amplitude [N]', 'frequency [Hz]', 'speed of the crank [rpm]']) assert.ok(svg.includes(`>${text}<`), text);
    const box = await figure.locator('.u-over').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(80);
    assert.match(await figure.locator('.legend-at').textContent(), /^speed of the crank \d+\.?\d* rpm, [\d.]+ Hz \(order [\d.]+\): [\d.·⁻⁰-⁹ ]+ .?N$/);
    await fold.getByLabel('Over', { exact: true }).selectOption('time');
    await fold.getByLabel('Orders', { exact: true }).fill('2, 4');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(150);
    assert.match(await fold.locator('.legend').textContent(), /orders2, 4/);
    await picture(page, 'runup');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(150);
    await picture(page, 'runup-dark');
    assert.deepEqual(trouble, []);
  },

  async 'the spectrum of a shaft that turns evenly has orders'() {
    const { page, trouble } = await open('runup');
    const fold = page.locator('#transient details.spectrum');
    await fold.locator('summary').click();
    await fold.getByLabel('Over', { exact: true }).selectOption({ label: 'orders of crank.speed' });
    await page.waitForTimeout(100);
    assert.match(await fold.locator('figcaption').first().textContent(), /order 1 is crank\.speed at 1800 rpm, which strays by 67 % in the window/);
    assert.deepEqual(trouble, []);
  },
});
