/* browser_layout.mjs — nothing on a page lies over something else, is cut, or makes the browser complain: light, dark, and on a phone. The
 * pictures of the gallery are held to the same by scripts/screenshots.mjs. */
import assert from 'node:assert/strict';
import { layoutTrouble, unroll, watchTexts } from './layout.mjs';
import { context, looped, open, test } from './support.mjs';

await watchTexts(context);

const kinds = looped(['full', 'drive', 'variator', 'stationary', 'branches', 'surface', 'steady', 'runup', 'identify', 'study', 'study-tolerance', 'study-grid', 'compare', 'atlas-branches'],
  ['full', 'drive', 'variator', 'branches', 'identify', 'study-tolerance', 'compare']);

/* Colours move nothing; that the dark page is drawn whole is seen where all kinds of figures are. */
const dark = new Set(looped(kinds, ['full', 'drive']));

const tests = {};
for (const kind of kinds)
  tests[`nothing is covered or cut: ${kind}`] = async () => {
    const { page, trouble } = await open(kind);
    await unroll(page);
    assert.deepEqual(await layoutTrouble(page), [], `${kind}, light`);
    if (dark.has(kind)) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForTimeout(150);
      assert.deepEqual(await layoutTrouble(page), [], `${kind}, dark`);
    }
    await page.setViewportSize({ width: 420, height: 900 });
    await unroll(page);
    assert.deepEqual(await layoutTrouble(page), [], `${kind}, 420 px wide`);
    assert.deepEqual(trouble, []);
  };

/* What must be found. */
const faults = {
  'two texts of the page': () => (document.querySelector('h1').style.marginBottom = '-22px'),
  'two texts in a plot': () => {
    const c = document.querySelector('figure.plot canvas').getContext('2d');
    c.font = '14px sans-serif';
    for (const shift of [0, 6]) c.fillText('peak', 200 + shift, 60);
  },
  'a text at the rim of a plot': () => {
    const { canvas } = document.querySelector('figure.plot canvas').getContext('2d');
    const c = canvas.getContext('2d');
    c.textAlign = 'left';
    c.fillText('beyond the rim', canvas.width - 12, 60);
  },
  'a text that its box cuts': () => {
    const p = document.querySelector('#transient p.extent');
    p.style.cssText = 'width: 60px; overflow: hidden; white-space: nowrap';
  },
  'a page that is too wide': () => (document.querySelector('h2').style.width = '3000px'),
};
for (const [name, make] of Object.entries(faults))
  tests[`found: ${name}`] = async () => {
    const { page } = await open('full');
    await page.evaluate(make);
    const found = await layoutTrouble(page);
    const expected = { 'two texts in a plot': /"peak" and "peak" lie over each other/, 'a text at the rim of a plot': /"beyond the rim" is cut by \d+ px at the rim/,
      'two texts of the page': /lie over each other/, 'a text that its box cuts': /#transient: p\.extent is cut by/, 'a page that is too wide': /the page is \d+ px wider than the window/ }[name];
    assert.ok(found.some((f) => expected.test(f)), JSON.stringify(found));
  };

await test(tests);
