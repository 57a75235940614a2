/* browser_print.mjs — reports on paper: nothing is cut, no figure is split between pages, no controls are printed. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { looped, open, pictures, test } from './support.mjs';

/* A4 less its margins, in CSS pixels. */
const width = Math.round(((210 - 2 * 16) / 25.4) * 96);

/* The page as it is laid out on paper. */
async function onPaper(page) {
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.setViewportSize({ width, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  await page.waitForTimeout(400);
}

/* What reaches beyond the paper, or is cut by a box that scrolls. */
const cut = (page, most) => page.evaluate((limit) => {
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const style = getComputedStyle(e);
    if (!e.checkVisibility() || style.position === 'absolute' || e.closest('svg, canvas, .u-wrap, [hidden], details:not([open])')) continue;
    const box = e.getBoundingClientRect();
    const what = `${e.tagName}.${e.className} "${(e.textContent ?? '').slice(0, 40)}" in #${e.closest('section[id]')?.id}`;
    if (box.width > 0 && box.right > limit + 1) found.push(`beyond the paper by ${Math.round(box.right - limit)}: ${what}`);
    else if (/auto|scroll|hidden/.test(style.overflowX) && e.scrollWidth > e.clientWidth + 1 && !e.closest('.bar, .stage-host')) found.push(`cut by ${e.scrollWidth - e.clientWidth}: ${what}`);
    else if (/auto|scroll|hidden/.test(style.overflowY) && e.scrollHeight > e.clientHeight + 2 && !e.closest('.bar, .stage-host')) found.push(`cut below by ${e.scrollHeight - e.clientHeight}: ${what}`);
  }
  return found.slice(0, 12);
}, most);

const tests = {};
const kinds = looped(['full', 'drive', 'variator', 'stationary', 'branches', 'surface', 'runup', 'identify', 'study', 'study-tolerance', 'study-grid', 'atlas-branches', 'compare'],
  ['full', 'drive', 'study-tolerance', 'compare']);
for (const name of kinds)
  tests[`nothing is cut: ${name}`] = async () => {
    const { page, trouble } = await open(name);
    await onPaper(page);
    assert.deepEqual(await cut(page, width), [], name);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width + 1);
    const split = await page.evaluate(() => [...document.querySelectorAll('figure')].filter((f) => f.checkVisibility() && f.offsetHeight < 900 && getComputedStyle(f).breakInside !== 'avoid').map((f) => f.className));
    assert.deepEqual([...new Set(split)], []);
    const controls = await page.evaluate(() => [...document.querySelectorAll('nav, select, input:not([type=radio]), .menu, .theme-switch, button:not(.legend-item, .sort)')]
      .filter((e) => e.checkVisibility({ opacityProperty: true }) && !(e.tagName === 'SELECT' && getComputedStyle(e).appearance === 'none')).map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 20)}`));
    assert.deepEqual([...new Set(controls)], []);
    const colours = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(colours, 'rgb(255, 255, 255)');
    if (pictures) {
      mkdirSync(pictures, { recursive: true });
      await page.pdf({ format: 'A4', printBackground: true, path: join(pictures, `${name}.pdf`) });
    }
    assert.deepEqual(trouble, []);
  };

tests['a dark page is printed light'] = async () => {
  const { page, trouble } = await open('full');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForTimeout(100);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.deepEqual(trouble, []);
};

await test(tests);
