/* browser_atlas.mjs — pages of the atlas of claims, and the convergence of a contact. */
import assert from 'node:assert/strict';
import { ink, open, picture, test, texts } from './support.mjs';

await test({
  async 'the atlas shows claims that hold, claims that do not, and the series'() {
    const { page, trouble } = await open('atlas');
    assert.match(await page.locator('header').textContent(), /1 of 2 claims hold/);
    assert.deepEqual(await texts(page.locator('.claims .verdict')), ['✓ holds', '✗ does not hold']);
    assert.match(await page.locator('.claims').first().textContent(), /65\.3 ± 1%.*65\.1 rad\/s.*It <b>ends<\/b>.*It goes on\./s);
    for (const canvas of await page.locator('figure canvas').all()) assert.ok((await ink(canvas)) > 50);
    assert.equal(await page.locator('figure canvas').count(), 2);
    assert.deepEqual(trouble, []);
  },

  async 'an entry of the atlas draws branches in the panels that it names, figures first'() {
    const { page, trouble } = await open('atlas-branches');
    assert.deepEqual(await texts(page.locator('main h2')), ['Figures', 'Claims']);
    assert.deepEqual(await texts(page.locator('.atlas-panels figcaption')), ['g1', 'g2']);
    const legends = page.locator('.atlas-panels .legend');
    assert.deepEqual(await texts(legends.nth(0).locator('.legend-name')), ['g1 sigma=10', 'exact']); /* one entry for all branches */
    assert.deepEqual(await texts(legends.nth(1).locator('.legend-name')), ['exact']);
    assert.match(await page.locator('main').textContent(), /Twelve harmonics\..*Solid: stable, dashed: unstable/s);
    const canvas = page.locator('.atlas-panels canvas').first();
    const all = await ink(canvas);
    assert.ok(all > 300);
    await legends.nth(0).locator('.legend-item').first().click();
    await page.waitForTimeout(150);
    assert.ok((await ink(canvas)) < all);
    assert.deepEqual(trouble, []);
  },

  async 'an entry of the atlas that tends to a limit has logarithmic axes'() {
    const { page, trouble } = await open('atlas-limit');
    const plot = page.locator('.atlas-panels figure');
    assert.ok((await ink(plot.locator('canvas'))) > 100);
    const box = await plot.locator('.u-over').boundingBox();
    await page.mouse.move(box.x + box.width * (0.03 + 1 / 3) / 1.06, box.y + box.height / 2); /* a decade from the left */
    await page.waitForTimeout(100);
    assert.equal(await plot.locator('.legend-at').textContent(), 'epsilon 0.0010000');
    assert.equal(await plot.locator('.legend-value').textContent(), '1·10⁻⁶');
    assert.deepEqual(trouble, []);
  },

  async 'the convergence of a contact is drawn over epsilon, with orders, slope and floor'() {
    const { page, trouble } = await open('convergence');
    assert.match(await page.locator('#convergence').textContent(), /at 5 values of contact\.epsilon \(1·10⁻⁵ … 0\.10\) and 2 damping ratios/);
    const rows = page.locator('#convergence table').first().locator('tbody tr');
    assert.deepEqual(await texts(rows.nth(0).locator('th, td')), ['0', '–', '–', '–', 'as predicted within 0.0010 (5 of 5)']);
    assert.deepEqual(await texts(rows.nth(1).locator('th, td')), ['1', '2.000 (5 of 5)', '2.000 (3 of 5)', '2.000 (5 of 5)', 'no oscillation']);
    const plots = page.locator('#convergence .tiles').first().locator('figure');
    assert.deepEqual(await texts(plots.locator('figcaption')), ['Position', 'Velocity', 'Contact force', 'Slip velocity, zero in ideal rolling']);
    assert.deepEqual(await texts(plots.first().locator('.legend-name')), ['damping ratio 1', 'slope 2', 'floor']);
    assert.equal(await plots.first().locator('.legend-value').first().textContent(), 'order 2.00');
    for (const canvas of await plots.locator('canvas').all()) assert.ok((await ink(canvas)) > 200);
    assert.match(await page.locator('#convergence').textContent(), /layer lasts too long compared with the run: damping ratio 0 at every epsilon\./);
    await page.locator('#convergence details summary').first().click();
    await page.waitForTimeout(200);
    assert.equal(await page.locator('#convergence .tiles').nth(1).locator('figure').count(), 2); /* of what was stored */
    await picture(page, 'convergence');
    assert.deepEqual(trouble, []);
  },
});
