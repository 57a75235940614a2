/* browser_bodies.mjs — bodies that move: paths, and what is left of constraints. */
import assert from 'node:assert/strict';
import { ink, open, picture, test, texts } from './support.mjs';

await test({
  async 'bodies that move in a plane have a path with equal scales, linked with the plots over time'() {
    const { page, trouble } = await open('rolling');
    const path = page.locator('#transient .path figure');
    assert.deepEqual(await texts(path.locator('.legend-name')), ['blade', 'start', 'end']); /* its contact runs on the same line */
    assert.ok((await ink(path.locator('canvas'))) > 500);
    /* Longer across than downhill: y runs to the right, x downward. A step of the cycloid is as long as computed. */
    const over = path.locator('.u-over');
    const { width, height } = await over.boundingBox();
    assert.ok(width > 3 * height);
    const tip = path.locator('.loop-tip');
    const time = async () => parseFloat((await page.locator('#transient .panels .legend-at').first().textContent()).replace('time ', ''));
    await path.locator('.plot-host').focus();
    const place = () => path.locator('.loop-marker').first().evaluate((m) => [parseFloat(m.style.left), parseFloat(m.style.top)]);
    const step = 1001 / 500 | 0;
    await page.keyboard.press('ArrowRight');
    const from = await place();
    for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight');
    const row = 40 * step + 1; /* the first press goes to row 1 */
    assert.match(await tip.textContent(), /^bladex [\d.]+ m, y [\d.]+ mtime [\d.]+ m?s$/);
    const to = await place();
    const at = (i) => { const phi = 0.02 * i, a = 9.81 * Math.sin(0.2) / 8; return [a * (phi - Math.sin(phi) * Math.cos(phi)), a * Math.sin(phi) ** 2]; };
    assert.ok(Math.abs((await time()) - 0.01 * row) < 0.011, `${await time()} ${row}`); /* the plots have followed */
    const now = Math.round((await time()) * 100);
    const scale = [0, 1].map((k) => (to[k] - from[k]) / (at(now)[k] - at(1)[k]));
    assert.ok(scale[0] > 0 && Math.abs(scale[1] / scale[0] - 1) < 0.02, scale.join());
    /* The other way round: the path marks where the cursor of a plot is. */
    const chart = page.locator('#transient .panels .u-over').first();
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(100);
    assert.equal(await path.locator('.loop-marker:not([hidden])').count(), 1);
    /* Zooming keeps the scales equal. */
    await path.locator('.plot-host').focus();
    for (const key of ['0', '+', '+']) await page.keyboard.press(key);
    assert.ok((await ink(path.locator('canvas'))) > 200);
    const discs = page.locator('#discs .path figure');
    assert.deepEqual(await texts(discs.locator('.legend-name')), ['disc1', 'disc2', 'disc1.contact', 'disc2.contact', 'start', 'end']);
    await page.setViewportSize({ width: 700, height: 900 });
    await page.waitForTimeout(300);
    assert.ok((await ink(discs.locator('canvas'))) > 500);
    assert.deepEqual(trouble, []);
  },

  async 'what is left of a constraint is told as such, not blown up to a signal'() {
    const { page, trouble } = await open('rolling');
    const summary = await page.locator('#summary').textContent();
    assert.match(summary, /largest velocity of a constraint[\d.]+·10⁻¹⁶ m\/sblade\.slip\.sideways/);
    assert.match(summary, /energy residual2·10⁻¹²of the energy turned over or in motion \(500\.0 mJ\)/);
    assert.match(summary, /largest slip velocity0\.100 mm\/s/); /* of the discs: a motion, not a residue */
    const plots = page.locator('#transient .panels figure');
    const residue = plots.filter({ hasText: 'blade.slip.sideways' });
    assert.match(await residue.locator('figcaption').textContent(), /logarithmic axis: at most [\d.]+·10⁻¹⁶ m\/s, .*: rounding errors of zero\.$/);
    assert.ok((await ink(residue.locator('canvas'))) > 200);
    /* A constant with errors in its last digits is a level line, and not what one looks at first. */
    assert.equal(await plots.filter({ hasText: 'blade.turn' }).count(), 0);
    await page.locator('#transient input[name="blade.turn"]').check();
    assert.match(await plots.filter({ hasText: 'blade.turn' }).locator('.legend-value').textContent(), /^2\.000 ± [\d.]+·10⁻¹⁴ rad\/s$/);
    assert.equal(await page.locator('#discs .panels figcaption').count(), 0);
    assert.match(await page.locator('#energy').textContent(), /closes within 2·10⁻¹².*No energy came in or went out/s);
    assert.equal(await page.locator('#energy .bars').count(), 0);
    assert.equal(await page.locator('#energy tbody tr').count(), 3); /* the scale is no part */
    await picture(page, 'rolling');
    assert.deepEqual(trouble, []);
  },
});
