/* browser_access.mjs — pages of every kind by the rules of axe-core, light and dark; the way through a page by keys. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folder, looped, need, open, openFile, packagePath, test } from './support.mjs';

need('axe-core');
const axe = readFileSync(join(dirname(packagePath('axe-core/package.json')), 'axe.min.js'), 'utf8');

/* What is serious, each told in a line. */
async function findings(page, rules) {
  await page.evaluate(axe);
  return page.evaluate(async (only) => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'], ...(only ? { runOnly: { type: 'rule', values: only } } : {}) });
    return violations.filter((v) => ['serious', 'critical'].includes(v.impact))
      .flatMap((v) => v.nodes.slice(0, 4).map((n) => `${v.id} (${v.nodes.length}): ${n.html.slice(0, 160)} ${n.any[0]?.message ?? ''}`));
  }, rules);
}

/* Folds that are closed hide half of a page; plots of all channels are the same in each. */
const unfold = (page) => page.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = !/^Plots of all/.test(d.textContent))));

/* A hundred alike: the first of them stand for all. */
const alike = 'table.cases tbody tr:nth-child(n+4), svg.vector-svg circle:nth-of-type(n+8), details tbody tr:nth-child(n+6), .picker-list li:nth-child(n+12), select option:nth-child(n+12)';

const kinds = looped(['full', 'drive', 'variator', 'stationary', 'atlas-branches', 'branches', 'steady', 'identify', 'runup', 'study', 'study-tolerance', 'compare', 'odd'],
  ['full', 'drive', 'variator', 'branches', 'study-tolerance', 'odd']);

/* Colours are those of one palette: the dark ones are looked at where all of them are in use. */
const dark = new Set(looped(['full', 'variator', 'atlas-branches', 'study-tolerance', 'compare'], ['full', 'study-tolerance']));

const tests = {};
for (const kind of kinds)
  tests[`no serious findings: ${kind}`] = async () => {
    const { page, trouble } = await open(kind);
    await unfold(page);
    await page.waitForTimeout(500);
    await page.evaluate((alike) => document.querySelectorAll(alike).forEach((e) => e.remove()), alike);
    assert.deepEqual(await findings(page), [], `${kind}, light`);
    if (dark.has(kind)) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.waitForTimeout(150);
      assert.deepEqual(await findings(page, ['color-contrast', 'link-in-text-block']), [], `${kind}, dark`); /* what colours change */
    }
    assert.deepEqual(trouble, []);
  };

tests['no serious findings: a page that is cut short'] = async () => {
  const { page } = await open('full');
  await page.close();
  const text = readFileSync(join(folder, 'full.html'), 'utf8');
  writeFileSync(join(folder, 'cut.html'), text.slice(0, text.lastIndexOf('</script>') - 2000));
  const cut = await openFile('cut.html');
  assert.deepEqual(await findings(cut.page), []);
};

tests['the keys reach every control of a report, in the order of the page, and each shows that it has the focus'] = async () => {
  const { page, trouble } = await open('full');
  const seen = [];
  for (let i = 0; i < 400; i++) {
    await page.keyboard.press('Tab');
    const now = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return null;
      const style = getComputedStyle(e);
      const box = e.getBoundingClientRect();
      const rim = style.outlineStyle !== 'none' || style.boxShadow !== 'none' || e.matches('input[type=checkbox], input[type=radio], input[type=range], select, .choice input');
      return { what: `${e.tagName}.${e.className} ${(e.getAttribute('aria-label') ?? e.textContent ?? '').slice(0, 30)}`, rim, seen: box.width > 0 && box.height > 0, top: box.top + scrollY,
        mark: e.dataset.tabbed ? 'again' : ((e.dataset.tabbed = '1'), 'new') };
    });
    if (!now || now.mark === 'again') break;
    seen.push(now);
  }
  assert.ok(seen.length > 30, String(seen.length));
  assert.deepEqual(seen.filter((s) => !s.rim || !s.seen).map((s) => s.what), []);
  const missed = await page.evaluate(() => [...document.querySelectorAll('button, a[href], input, select, summary, [tabindex="0"]')]
    .filter((e) => !e.dataset.tabbed && !e.disabled && e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && e.tabIndex >= 0 && !(e.type === 'radio' && !e.checked)).map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`));
  assert.deepEqual(missed, []);
  assert.deepEqual(trouble, []);
};

await test(tests);
