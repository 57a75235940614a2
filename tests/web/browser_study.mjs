/* browser_study.mjs — the page of a study: sorting, filtering, commands that show runs, failures, sensitivities, export. */
import assert from 'node:assert/strict';
import { contentsOf, ink, open, picture, test, texts } from './support.mjs';

await test({
  async 'a study has its factors, responses, sensitivities and failures'() {
    const { page, trouble } = await open('study');
    assert.deepEqual(await texts(page.locator('h2')), ['life over speed, tension and load', 'Responses vs factors', 'Sensitivities', 'Cases', 'Failed and missing cases', 'Settings', 'Model']);
    assert.match(await page.locator('#study').textContent(), /cases12full factorial, 2 x 3 x 2complete10failed1/);
    assert.match(await page.locator('#failed').textContent(), /5failedthe belt slips at the start/);
    /* The first-order index of the speed with its interval: the bar ends at 0.9, whiskers at 0.85 and 0.95. */
    const svg = page.locator('#sensitivities svg').first();
    assert.match(await svg.getAttribute('aria-label'), /speed first 0\.900, total 0\.910/);
    const bar = await svg.locator('rect').first().evaluate((r) => ({ x: r.x.baseVal.value, width: r.width.baseVal.value }));
    const whisker = await svg.locator('line').nth(1).evaluate((l) => [l.x1.baseVal.value, l.x2.baseVal.value]);
    const px = bar.width / 0.9;
    assert.ok(Math.abs(whisker[0] - (bar.x + 0.85 * px)) < 0.5 && Math.abs(whisker[1] - (bar.x + 0.95 * px)) < 0.5);
    await picture(page, 'study');
    assert.deepEqual(trouble, []);
  },

  async 'cases are sorted by any column, filtered, and have the command that shows their run'() {
    const { page, trouble } = await open('study');
    const first = () => page.locator('#cases tbody tr').first().locator('th').textContent();
    assert.equal(await first(), '1');
    const life = page.locator('#cases th', { hasText: 'life' });
    await life.locator('button').click();
    assert.equal(await life.getAttribute('aria-sort'), 'ascending');
    assert.equal(await first(), '7'); /* 10 * 100 + 3 * 200 - 10 */
    await life.locator('button').click();
    assert.equal(await first(), '6'); /* 10 * 200 + 3 * 400 - 5 */
    assert.equal(await page.locator('#cases tbody tr').last().locator('td.n').nth(3).textContent(), '–'); /* unknown ones last */
    await page.locator('#cases input[type=search]').fill('tension > 250, load < 7');
    assert.deepEqual((await texts(page.locator('#cases tbody th'))).sort(), ['3', '4', '5', '6']);
    await page.locator('#cases input[type=search]').fill('slips');
    assert.deepEqual(await texts(page.locator('#cases tbody th')), ['5']);
    await page.locator('#cases input[type=search]').fill('not run');
    assert.equal(await page.locator('#cases tbody button').count(), 0); /* there is nothing to look at */
    await page.locator('#cases input[type=search]').fill('life = 3195');
    assert.deepEqual(await texts(page.locator('#cases tbody th')), ['6']);
    await page.locator('#cases tbody button').click();
    assert.equal(await page.locator('#cases tbody button').textContent(), 'Copied');
    await page.locator('#cases input[type=search]').fill('');
    await page.keyboard.press('Control+V');
    assert.equal(await page.locator('#cases input[type=search]').inputValue(), "capstan report 'runs/case 6.h5'");
    assert.equal(await page.locator('main a[href*=".html"], main a[href*=".h5"]').count(), 0); /* nothing leads where there may be no page */
    assert.deepEqual(trouble, []);
  },

  async 'axes are picked, points have ink, and all cases are saved as CSV'() {
    const { page, trouble } = await open('study');
    const canvas = page.locator('#responses canvas').first();
    assert.ok((await ink(canvas)) > 60);
    await page.locator('#responses select').first().selectOption({ label: 'hub' });
    await page.waitForTimeout(200);
    assert.ok((await ink(page.locator('#responses canvas').first())) > 60);
    const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('#cases button', { hasText: 'CSV' }).click()]);
    const lines = (await contentsOf(saved)).toString().split('\n').filter((l) => l && !l.startsWith('#'));
    assert.equal(lines[0], 'case,speed [rad/s],tension [N],load [N m],life [s],hub [N],steps [1],iterations [1],state,run');
    assert.equal(lines[6], '6,200,400,5,3195,805,1000,3000,fine,runs/case 6.h5');
    assert.deepEqual(trouble, []);
  },
});
