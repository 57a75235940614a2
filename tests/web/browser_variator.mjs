/* browser_variator.mjs — variators and stationary points. */
import assert from 'node:assert/strict';
import { ink, open, picture, test } from './support.mjs';

await test({
  async 'a variator: key figures, curves with marks of the sections, losses, polar plots'() {
    const { page, trouble } = await open('variator');
    assert.match(await page.locator('#summary').textContent(), /thrust ratio i_F1\.000.*smallest safety against slip6\.75.*torque of the primary13\.2/s);
    assert.equal(await page.locator('#transient .tiles canvas').count(), 11);
    for (const canvas of await page.locator('#transient .tiles canvas').all()) assert.ok((await ink(canvas)) > 100);
    assert.match(await page.locator('#transient .losses').textContent(), /longitudinal100(\.0)? W/);
    assert.equal(await page.locator('#transient svg.polar').count(), 2);
    const before = await page.locator('#transient svg.polar polyline').first().getAttribute('points');
    await page.locator('#transient .polar-figure select').first().selectOption('push.sum');
    assert.notEqual(await page.locator('#transient svg.polar polyline').first().getAttribute('points'), before);
    await picture(page, 'variator');
    const off = await open('variator-off');
    assert.match(await off.page.locator('#summary').textContent(), /power balance is off by.*not credible/s);
    assert.match(await off.page.locator('#transient').textContent(), /no curves along the belt/);
    assert.deepEqual([...trouble, ...off.trouble], []);
  },

  async 'stationary points: figures over a torque and over cases, slip, and the course of one point'() {
    const { page, trouble } = await open('stationary');
    const along = page.locator('#stationary');
    const text = await along.textContent();
    /* 2.464/2.44 - 1: the point that slips as a whole is not among the values */
    assert.match(text, /Slip.*slip0 … 1\.23.*Thrust ratio.*Speed ratio.*Push force in the strands/s);
    assert.match(text, /Bars: 95 % intervals.*Not drawn, because of macro slip: torque = -200 N m/s);
    assert.match(text, /over\.secondary\.torque/);
    for (const canvas of (await along.locator('canvas').all()).slice(0, 4)) assert.ok((await ink(canvas)) > 100);
    const ranges = () => along.locator('.panels .legend').first().textContent();
    const before = await ranges();
    assert.match(before, /ratio\.thrust0\.7000 … 0\.7060/);
    await along.locator('select').first().selectOption('3');
    assert.match(await ranges(), /ratio\.thrust1\.000 … 1\.006/);
    const cases = await page.locator('#stationary-2').textContent();
    assert.match(cases, /Thrust ratio/);
    assert.doesNotMatch(cases, /Slip/);
    await picture(page, 'stationary');
    assert.deepEqual(trouble, []);
  },
});
