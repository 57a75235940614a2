/* browser_compare.mjs — several results on one page: differences of models and figures, curves over each other, one clock. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { folder, ink, open, openFile, picture, program, run, test, texts } from './support.mjs';

const rig = 'examples/tensioner_rig.yaml';

/* Two runs of the rig, of which one moves further. */
async function compared() {
  const first = await run(rig);
  const second = await run(rig, ['deflection.amplitude=0.8 mm']);
  await first.page.close();
  await second.page.close();
  execFileSync(program, ['report', first.result, second.result, '-o', join(folder, 'compare.html')], { stdio: 'ignore' });
  return openFile('compare.html');
}

await test({
  async 'a comparison tells what differs in the models and in the key figures'() {
    const { page, trouble } = await compared();
    assert.equal(await page.locator('h1').textContent(), 'Comparison');
    const models = page.locator('#models table.settings').first();
    assert.match(await models.textContent(), /deflection\.amplitude.*0\.52 mm.*0\.8 mm/s);
    assert.equal(await models.locator('tbody tr').count(), 1); /* the only one: nothing else was changed */
    const row = page.locator('table.compared tr', { hasText: 'range of the deflection' }).first();
    const cells = await texts(row.locator('td'));
    assert.match(cells[0], /1\.040 mm/);
    assert.match(cells[1], /1\.6\d* mm/);
    assert.match(cells[2], /^\+560\.? ?0?.*µm \(\+53\.8 %\)$/);
    await picture(page, 'compare');
    assert.deepEqual(trouble, []);
  },

  async 'curves lie over each other, a channel is added by its name, stages share one clock'() {
    const { page, trouble } = await compared();
    const section = page.locator('#overlay-transient');
    await section.scrollIntoViewIfNeeded();
    await page.waitForTimeout(300);
    assert.equal(await section.locator('.panels figure').count(), 1);
    assert.equal(await section.locator('.panels .legend-item').count(), 2); /* a line of each result */
    await section.locator('input[type=search]').fill('velocity');
    await section.locator('.picker-list input').first().check();
    await page.waitForTimeout(200);
    assert.equal(await section.locator('.panels figure').count(), 2);
    for (const canvas of await section.locator('canvas').all()) assert.ok((await ink(canvas)) > 200);
    const stages = page.locator('#motion figure.stage');
    assert.equal(await stages.count(), 2);
    await stages.first().scrollIntoViewIfNeeded();
    const start = await texts(stages.locator('.stage-at'));
    assert.equal(start[0], start[1]); /* from the beginning */
    const slider = stages.first().locator('input[type=range]');
    await slider.focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(200);
    const shown = await texts(stages.locator('.stage-at'));
    assert.equal(shown[0], shown[1]);
    assert.deepEqual(trouble, []);
  },

  async 'different drives are told, and what they have in common is shown'() {
    const other = await open('full');
    const first = await run(rig);
    execFileSync(program, ['report', first.result, join(folder, 'full.h5'), '-o', join(folder, 'mixed.html')], { stdio: 'ignore' });
    await other.page.close();
    const { page, trouble } = await openFile('mixed.html');
    assert.match(await page.locator('.warnings').first().textContent(), /different drives/);
    assert.ok((await page.locator('table.compared tbody tr').count()) > 4);
    assert.deepEqual(trouble, []);
  },
});
