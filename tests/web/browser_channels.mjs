/* browser_channels.mjs — plots of channels: groups of the picker, a second axis, moving channels, zoom of both axes, statistics. */
import assert from 'node:assert/strict';
import { ink, open, picture, test, texts } from './support.mjs';

const first = async () => {
  const { page, trouble } = await open('full');
  return { page, trouble, body: page.locator('#transient'), plots: page.locator('#transient .panels figure') };
};

/* Does an action of a channel's menu. */
async function act(plot, channel, action) {
  const pair = plot.locator('.legend-pair', { hasText: channel });
  await pair.locator('.menu-button').click();
  await pair.locator('.menu-list button', { hasText: action }).first().click();
}

const names = (plot) => texts(plot.locator('.legend-name'));

await test({
  async 'the picker has its channels by parts or quantities, and Enter takes the first that was found'() {
    const { page, trouble, body, plots } = await first();
    const heads = await texts(body.locator('.picker-group span'));
    assert.ok(heads.includes('tensioner') && heads.includes('arm'), heads.join());
    await body.getByLabel('Group by').selectOption('unit');
    const kinds = await texts(body.locator('.picker-group span'));
    assert.ok(kinds.includes('force, N') && kinds.includes('angle, rad'), kinds.join());
    const before = await plots.count();
    await body.locator('input[type=search]').fill('angle');
    await page.keyboard.press('Enter');
    assert.equal(await plots.count(), before + 1);
    assert.deepEqual(await names(plots.last()), ['arm.angle']);
    assert.deepEqual(trouble, []);
  },

  async 'a channel is added to a chosen plot, on the right axis when its unit is another'() {
    const { trouble, body, plots } = await first();
    const target = body.getByLabel('Add to');
    const option = (await target.locator('option').allTextContents()).find((t) => t.includes('tensioner.deflection'));
    await target.selectOption({ label: option });
    await body.locator('input[type=search]').fill('arm.angle');
    await body.locator('.picker-list input').check();
    assert.deepEqual(await names(plots.first()), ['tensioner.deflection', 'arm.angle']);
    assert.equal(await plots.first().locator('.legend-side').count(), 1);
    assert.equal(await plots.first().locator('.u-axis').count(), 3);
    assert.match((await texts(plots.first().locator('.legend-value')))[1], /°$/);
    assert.ok((await ink(plots.first().locator('canvas'))) > 300);
    assert.deepEqual(trouble, []);
  },

  async 'a channel is moved by its menu, to a plot of its own and back, and taken away'() {
    const { trouble, body, plots } = await first();
    const before = await plots.count();
    const shown = await names(plots.nth(1));
    assert.equal(shown.length, 2);
    await act(plots.nth(1), shown[1], 'plot of its own');
    assert.equal(await plots.count(), before + 1);
    assert.deepEqual(await names(plots.nth(1)), [shown[0]]);
    assert.deepEqual(await names(plots.last()), [shown[1]]);
    await act(plots.last(), shown[1], `Move to ${shown[0]}`);
    assert.deepEqual(await names(plots.nth(1)), shown);
    await act(plots.nth(1), shown[1], 'to the right axis');
    assert.equal(await plots.nth(1).locator('.legend-side').count(), 1);
    await act(plots.nth(1), shown[1], 'to the left axis');
    assert.equal(await plots.nth(1).locator('.legend-side').count(), 0);
    await act(plots.nth(1), shown[1], 'Take away');
    assert.deepEqual(await names(plots.nth(1)), [shown[0]]);
    await body.locator('input[type=search]').fill(shown[1]);
    assert.equal(await body.locator('.picker-list input').first().isChecked(), false);
    assert.deepEqual(trouble, []);
  },

  async 'a name is dragged into another plot'() {
    const { trouble, plots } = await first();
    const [moved] = await names(plots.first());
    const before = await plots.count();
    await plots.first().locator('.legend-item').dragTo(plots.nth(1).locator('.plot-host'));
    assert.equal(await plots.count(), before - 1);
    assert.ok((await names(plots.first())).includes(moved));
    assert.equal(await plots.first().locator('.legend-side').count(), 1);
    assert.deepEqual(trouble, []);
  },

  async 'a plot is zoomed by a box and by the wheel, and moved with Shift; all plots go along'() {
    const { page, trouble, plots } = await first();
    await plots.first().scrollIntoViewIfNeeded();
    const box = await plots.first().locator('.u-over').boundingBox();
    const at = async (share, plot) => {
      const area = await plot.locator('.u-over').boundingBox();
      await page.mouse.move(area.x + area.width * share, area.y + area.height / 2);
      await page.waitForTimeout(60);
      return parseFloat((await plot.locator('.legend-at').textContent()).replace('time ', ''));
    };
    const drag = async (from, to) => {
      await page.mouse.move(box.x + box.width * from[0], box.y + box.height * from[1]);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * to[0], box.y + box.height * to[1], { steps: 6 });
      await page.mouse.up();
      await page.waitForTimeout(100);
    };
    const whole = await ink(plots.first().locator('canvas'));
    await drag([0.3, 0.3], [0.7, 0.7]);
    assert.ok(Math.abs((await at(0.01, plots.nth(1))) - 0.304) < 0.01);
    assert.notEqual(await ink(plots.first().locator('canvas')), whole);
    await page.keyboard.down('Shift');
    await drag([0.5, 0.5], [0.25, 0.5]);
    await page.keyboard.up('Shift');
    assert.ok(Math.abs((await at(0.01, plots.nth(1))) - 0.404) < 0.01, 'moved by a quarter');
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    await page.waitForTimeout(100);
    const [left, right] = [await at(0.01, plots.first()), await at(0.99, plots.first())];
    assert.ok(right - left < 0.35 && Math.abs((left + right) / 2 - 0.6) < 0.02, `${left} ${right}`);
    await plots.first().locator('.plot-host').focus();
    await page.keyboard.press(']');
    await page.waitForTimeout(80);
    assert.ok((await at(0.01, plots.first())) > left + 0.05);
    await page.keyboard.press('0');
    await page.waitForTimeout(80);
    assert.ok((await at(0.99, plots.first())) > 0.95);
    assert.deepEqual(trouble, []);
  },

  async 'statistics are those of the window'() {
    const { page, trouble, body, plots } = await first();
    await body.locator('.panel-tools input').check();
    const stats = plots.first().locator('.window-stats');
    const cells = async () => (await texts(stats.locator('tbody tr').first().locator('td'))).map((t) => t.replace('−', '-'));
    const [unit, low, high, range, , rms] = await cells();
    assert.equal(unit, 'mm');
    assert.ok(Math.abs(high - low - range) < 2e-3 && rms > 0 && rms < Math.max(-low, +high));
    assert.match(await stats.locator('.sheet-caption').textContent(), /^From 0 s to 1\.0000? s$/);
    await plots.first().locator('.plot-host').focus();
    await page.keyboard.press('+');
    await page.waitForTimeout(150);
    assert.notEqual(await stats.locator('.sheet-caption').textContent(), 'From 0 s to 1.0000 s');
    await picture(page, 'channels');
    const thin = await open('long');
    await thin.page.locator('#transient .panel-tools input').check();
    assert.match(await thin.page.locator('#transient .window-stats').first().textContent(), /Mean and RMS need all rows/);
    assert.deepEqual([...trouble, ...thin.trouble], []);
  },
});
