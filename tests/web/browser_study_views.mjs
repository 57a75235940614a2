/* browser_study_views.mjs — studies of every kind: what is drawn is what the file has, and what the page computes itself (percentiles,
 * surfaces) is what the formulas of study_pages.c give. */
import assert from 'node:assert/strict';
import { contentsOf, ink, open, picture, test, texts } from './support.mjs';

async function saved(page, figure, entry = 'CSV of') {
  await figure.locator('.export .menu-button').click();
  const [download] = await Promise.all([page.waitForEvent('download'), figure.locator('.export .menu-list button', { hasText: entry }).click()]);
  return (await contentsOf(download)).toString();
}

const rowsOf = (csv) => csv.trimEnd().split('\n').filter((l) => !l.startsWith('#')).map((l) => l.split(','));
const near = (a, b, tolerance = 1e-12) => assert.ok(Math.abs(a - b) <= tolerance * Math.max(1e-9, Math.abs(b)), `${a} is not ${b}`);

/* Columns and arrays of a study by their names, as the file has them. */
const stored = (page, only = '') => page.evaluate((wanted) => {
  const group = window.capstan.page.groups.find((g) => g.kind === 'study');
  return Object.fromEntries([...group.table.columns, ...group.arrays].filter((c) => c.name.includes(wanted)).map((c) => [c.name, Array.from(window.capstan.values(c))]));
}, only);

/* See make_study_tolerance(). */
const peak = ([length, rate, friction], dahl) => {
  const z = [(length - 1.94) / 1e-3, (rate - 20) / 2, (friction - 0.4) / 0.1];
  return 0.01 + 0.003 * z[0] - 0.002 * z[1] + 0.001 * z[0] ** 2 + 0.0005 * z[0] * z[2] + 0.0015 * dahl;
};
const degree = Math.PI / 180;

await test({
  async 'a tolerance study has percentiles, histograms, effects and what the linear view explains'() {
    const { page, trouble } = await open('study-tolerance');
    const data = await stored(page);
    const good = data['response.force'].filter(Number.isFinite).sort((a, b) => a - b);
    assert.equal(good.length, 1021);
    const at = (p) => {
      const k = Math.floor(p * (good.length - 1));
      return good[k] + (p * (good.length - 1) - k) * (good[k + 1] - good[k]);
    };
    const row = page.locator('#study table[aria-label="Responses"] tbody tr', { hasText: 'force' });
    assert.deepEqual((await texts(row.locator('td'))).slice(4, 7).map(parseFloat), [0.01, 0.5, 0.99].map((p) => Number(at(p).toFixed(1))));
    const histogram = page.locator('#study figure.vector').nth(1);
    const classes = rowsOf(await saved(page, histogram)).slice(1).map((r) => r.map(Number));
    assert.equal(classes.reduce((n, r) => n + r[2], 0), 1021);
    for (const [from, to, n] of [classes[0], classes[5]]) assert.equal(good.filter((v) => v >= from && v < to).length, n);
    /* The bars stand as high as their counts. */
    const bars = await histogram.locator('rect').evaluateAll((all) => all.map((r) => r.height.baseVal.value));
    const most = Math.max(...bars);
    const counts = classes.map((r) => r[2]).filter((n) => n);
    bars.forEach((h, i) => near(h / most, counts[i] / Math.max(...counts), 1e-3));
    /* The cases of a plot are filtered, and a point leads to its case in the table. */
    await page.locator('#responses input[type=search]').fill('law = masing, peak > 1.2');
    const cloud = page.locator('#responses figure').first();
    const few = rowsOf(await saved(page, cloud)).slice(1);
    const kept = data['response.peak'].map((v, i) => [v / degree, data['factor.law'][i], data['factor.length'][i]]).filter(([v, law]) => Number(v.toFixed(4)) > 1.2 && law === 1);
    assert.equal(few.length, kept.length);
    assert.deepEqual(few.map((r) => Number(r[1])).sort(), kept.map((k) => k[2]).sort());
    await cloud.locator('.plot-host').focus();
    await page.keyboard.press('ArrowRight');
    const name = /case (\d+)/.exec(await cloud.locator('.loop-tip').textContent())[1];
    await page.keyboard.press('Enter');
    assert.deepEqual(await texts(page.locator('#cases tbody th')), [name]);
    /* Main effects: means as they are in the file. */
    const effects = rowsOf(await saved(page, page.locator('#effects figure').first()));
    const mean = effects.filter((r) => r[0] === 'rate').map((r) => Number(r[2]));
    assert.deepEqual(mean, data['effect.peak.rate']);
    assert.deepEqual(effects.filter((r) => r[0] === 'law').map((r) => r[1]), ['masing', 'dahl']);
    /* Signs, and words for how much the linear view explains. */
    const blocks = page.locator('#sensitivities .sensitivity-block');
    assert.match(await blocks.first().textContent(), /Straight lines in all factors explain 93 % of the variance \(R² 0\.930\): the coefficients say nearly all/);
    assert.match(await blocks.nth(1).textContent(), /explain 20 % of the variance .*too little to go by the coefficients/);
    const svg = blocks.first().locator('svg.vector-svg').nth(1);
    assert.match(await svg.getAttribute('aria-label'), /length coefficient 0\.810; rate coefficient −0\.340/);
    const zero = await svg.locator('line').first().evaluate((l) => l.x1.baseVal.value);
    const bar = await svg.locator('rect').nth(1).evaluate((r) => [r.x.baseVal.value, r.width.baseVal.value]);
    near(bar[0] + bar[1], zero, 1e-3); /* to the left */
    assert.match(await page.locator('#study .answers').textContent(), /peak varies with length \(71 %\), law \(13 %\) and rate \(11 %\)/);
    assert.match(await page.locator('#failed').textContent(), /300failedno equilibrium: the belt is too longmasing|300failedno equilibrium: the belt is too long/);
    await picture(page, 'study-tolerance');
    assert.deepEqual(trouble, []);
  },

  async 'a response surface is what its polynomial gives, at every place of the sliders, and says when it is not to be trusted'() {
    const { page, trouble } = await open('study-tolerance');
    const data = await stored(page);
    const section = page.locator('#surface');
    const predicted = async () => parseFloat(await section.locator('dd').filter({ hasText: '±' }).textContent()) * degree;
    near(await predicted(), peak([1.94, 20, 0.4], 0), 1e-4);
    const grid = async () => rowsOf(await saved(page, section.locator('figure', { has: page.locator('canvas') }).first()));
    const check = (rows, friction, dahl) => {
      for (const i of [1, 30, 61]) for (const k of [1, 20, 61]) near(Number(rows[k][i]), peak([Number(rows[0][i].split(' ')[0]), Number(rows[k][0]), friction], dahl), 1e-9);
    };
    check(await grid(), 0.4, 0);
    await section.getByLabel('law', { exact: true }).selectOption({ label: 'dahl' });
    near(await predicted(), peak([1.94, 20, 0.4], 1), 1e-4);
    const slider = section.getByLabel('friction', { exact: true });
    await slider.fill('200');
    const highest = Math.max(...data['factor.friction']);
    near(parseFloat(await section.locator('.slider output').textContent()), highest, 1e-3);
    check(await grid(), highest, 1);
    /* Another pair of factors. */
    await section.getByLabel('and', { exact: true }).selectOption({ label: 'friction' });
    assert.equal(await section.getByLabel('rate', { exact: true }).count(), 1);
    /* Predicted over computed: one point a case, and those that were left out. */
    const points = rowsOf(await saved(page, section.locator('.surface-check figure')));
    assert.equal(points.filter((r) => r[0] === 'left out').length, 1021);
    near(Number(points[1][1]), data['response.peak'][0]);
    near(Number(points[1][2]), data['surface.peak.predicted'][0]);
    assert.match(await section.textContent(), /Q²0\.99860?.*cross-validated rms error0\.008193°/);
    await section.getByLabel('Response', { exact: true }).selectOption({ label: 'force' });
    assert.match(await section.locator('.notice').textContent(), /explains 17\.0 % of the variance of cases left out of the fit .*do not use it/);
    assert.deepEqual(trouble, []);
  },

  async 'a full grid is curves and a map, one for each label, with a hole where a case failed'() {
    const { page, trouble } = await open('study-grid');
    const swing = (a, w, law) => {
      const [own, d] = [(law === 1 ? 90 : 80) - 0.12 * a, 8 / (1 + a / 200)];
      return (1e-3 * a) / Math.sqrt((own * own - w * w) ** 2 / 1e4 + (d * d * w * w) / 1e2);
    };
    const figures = page.locator('#responses figure');
    const curves = async () => rowsOf(await saved(page, figures.first())).slice(1);
    const map = async () => rowsOf(await saved(page, figures.nth(1)));
    const one = await curves();
    assert.equal(one.length, 16 * 116);
    for (const i of [0, 500, 1855]) near(Number(one[i][2]), swing(10 * Math.floor(i / 116) + 10, Number(one[i][1]), 1));
    const all = await map();
    assert.equal(all.length, 17);
    assert.equal(all[0].length, 117);
    near(Number(all[3][50]), swing(30, 69, 1));
    assert.equal(all[1][3], 'nan'); /* case 5: amplitude 10 N, angular frequency 22 rad/s, masing */
    assert.ok((await ink(figures.nth(1).locator('canvas'))) > 50000);
    await page.locator('#responses label', { hasText: 'dahl' }).click();
    await page.waitForTimeout(100);
    near(Number((await map())[3][50]), swing(30, 69, 2));
    await page.locator('#responses .choice label', { hasText: 'all' }).click();
    await page.waitForTimeout(100);
    assert.equal((await curves()).length, 2 * 16 * 116);
    assert.equal(await figures.count(), 3); /* a map for each law */
    await page.locator('#responses').getByLabel('over', { exact: true }).first().selectOption({ label: 'amplitude' });
    assert.equal(await page.locator('#responses').getByLabel('coloured by', { exact: true }).first().evaluate((s) => s.selectedOptions[0].text), 'angular_frequency');
    await page.locator('#cases input[type=search]').fill('law = dahl, angular_frequency = 69');
    assert.equal(await page.locator('#cases tbody tr').count(), 16);
    await picture(page, 'study-grid');
    assert.deepEqual(trouble, []);
  },

  async 'one factor at a time is a tornado, the factor that matters most on top'() {
    const { page, trouble } = await open('study-one');
    const svg = page.locator('#effects svg').first();
    const bars = await svg.locator('rect').evaluateAll((all) => all.map((r) => ({ factor: r.dataset.factor, end: r.dataset.end, x: r.x.baseVal.value, width: r.width.baseVal.value })));
    assert.deepEqual([...new Set(bars.map((b) => b.factor))], ['preload', 'rate', 'gap', 'inertia']);
    const of = (factor, end) => bars.find((b) => b.factor === factor && b.end === end);
    const px = of('preload', 'lowest').width / 0.004;
    near(of('preload', 'highest').width, 0.0035 * px, 1e-6);
    near(of('rate', 'lowest').width, 0.002 * px, 1e-6);
    assert.ok(of('rate', 'lowest').x > of('rate', 'highest').x); /* it falls as the rate grows */
    assert.match(await svg.textContent(), /350 N.*450 N.*nominal 10\.00 mm/);
    assert.match(await page.locator('#study .answers').textContent(), /peak changes most with preload \(by 7\.50 mm\), rate \(by 4\.00 mm\) and gap \(by 1\.00 mm\)/);
    /* Over a factor the others are nominal. */
    const points = rowsOf(await saved(page, page.locator('#responses figure').first())).slice(1);
    assert.deepEqual([...new Set(points.map((r) => `${r[1]} ${Number(r[2]).toFixed(4)}`))], ['350 0.0060', '375 0.0080', '400 0.0100', '425 0.0120', '450 0.0135']);
    assert.deepEqual(trouble, []);
  },

  async 'the front has the cases that no other improves on; the optimum keeps its bound and says which of its factors are at theirs'() {
    const { page, trouble } = await open('study-pareto');
    const data = await stored(page);
    const [a, b] = [data['response.swing'], data['response.load']];
    const front = a.map((_v, i) => i).filter((i) => !a.some((_w, j) => a[j] <= a[i] && b[j] <= b[i] && (a[j] < a[i] || b[j] < b[i])));
    const cases = await texts(page.locator('#pareto tbody th'));
    assert.deepEqual(cases.map(Number).sort((x, y) => x - y), front.map((i) => i + 1));
    assert.deepEqual(cases.map((c) => a[c - 1]), front.map((i) => a[i]).sort((x, y) => x - y)); /* sorted by the first response */
    const drawn = rowsOf(await saved(page, page.locator('#pareto figure'))).slice(1);
    assert.equal(drawn.filter((r) => r[0] === 'dominated').length, 200 - front.length);
    assert.equal(drawn.filter((r) => r[0] === 'front').length, 2 * front.length); /* line and points */
    assert.match(await page.locator('#study .answers').textContent(), new RegExp(`Smallest swing found by the optimiser, with load at most 400\\.0 N: .*Smallest swing of all cases: .*it violates the bound load at most 400\\.0 N\\..*${front.length} cases of 200 are Pareto-optimal in swing and load`, 's'));
    const rows = await page.evaluate(() => {
      const { columns } = window.capstan.page.groups.find((g) => g.kind === 'optimise').table;
      return Object.fromEntries(columns.map((c) => [c.name, Array.from(window.capstan.values(c))]));
    });
    const kept = rows.objective.filter((_v, i) => rows.feasible[i] === 1);
    const section = page.locator('#optimum');
    near(parseFloat(await section.locator('.figures dd').first().textContent()), Math.min(...kept) / degree, 1e-3);
    assert.match(await section.textContent(), new RegExp(`${40 - kept.length} points violate a bound.*BOBYQA.*The steps became smaller than the tolerance\\.`));
    assert.match(await section.locator('table').first().textContent(), /rate.*free.*friction.*at its lower bound/);
    assert.match(await section.locator('table').nth(1).textContent(), /at most 400\.0 N/);
    const history = rowsOf(await saved(page, section.locator('figure'))).slice(1);
    near(Number(history.filter((r) => r[0] === 'best so far').at(-1)[2]), Math.min(...kept));
    await picture(page, 'study-pareto');
    assert.deepEqual(trouble, []);
  },

  async 'a study of which nothing came says so, and how to go on'() {
    const { page, trouble } = await open('study-failed');
    assert.match(await page.locator('header').textContent(), /This study is not complete: cases are missing\. capstan study --resume continues the study/);
    assert.match(await page.locator('#study').textContent(), /complete0.*failed2.*missing1.*2 cases failed and 1 case missing of 3/);
    assert.match(await page.locator('#failed').textContent(), /no equilibrium: <b>the belt<\/b> is too long.*masing.*3missingnot run/);
    assert.match(await page.locator('#surface').textContent(), /swing has no surface: 0 points are too few for 2 terms/);
    assert.deepEqual(await texts(page.locator('#cases tbody button')), ['Copy command', 'Copy command']); /* what failed has a file, what is missing none */
    assert.deepEqual(trouble, []);
  },

  async '10 000 cases are all there, open soon, and are filtered and sorted at once'() {
    const { page, trouble } = await open('study-many');
    /* In the time of its own thread, which other work on the machine does not lengthen; half a second. */
    const counter = await page.context().newCDPSession(page);
    await counter.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => (await counter.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value;
    const before = await spent();
    await page.reload();
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    const ready = (await spent()) - before;
    assert.ok(ready > 0.05 && ready < 1.5, `ready after ${ready} s`);
    assert.equal(await page.evaluate(() => window.capstan.page.groups[0].table.thinned), 'no');
    assert.match(await page.locator('#cases .toolbar').textContent(), /10.000 of 10.000 cases/);
    assert.match(await page.locator('#cases').textContent(), /The first 100 of 10.000\./);
    const answer = (act) => page.evaluate(async (source) => {
      const begin = performance.now();
      new Function(source)();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return performance.now() - begin;
    }, act);
    const filtered = await answer("const box = document.querySelector('#cases input[type=search]'); box.value = 'response1 > 2.5'; box.dispatchEvent(new Event('input'));");
    const sorted = await answer("document.querySelectorAll('#cases th.sortable button')[13].click();");
    assert.ok(filtered < 1000 && sorted < 1000, `${filtered} ms, ${sorted} ms`);
    const data = await stored(page, 'response.response1');
    const large = data['response.response1'].filter((v) => Number((v * 1e3).toFixed(4)) > 2.5);
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#cases button', { hasText: 'CSV' }).click()]);
    const rows = rowsOf((await contentsOf(download)).toString());
    assert.equal(rows.length, large.length + 1);
    near(Number(rows[1][13]), Math.min(...large));
    await page.locator('#cases button', { hasText: 'Show more' }).click();
    assert.ok((await page.locator('#cases tbody tr').count()) > 100);
    /* Three responses: the third by colour, in five parts. */
    assert.ok((await texts(page.locator('#pareto .legend-name'))).filter((t) => /^response3 /.test(t)).length >= 3);
    assert.deepEqual(trouble, []);
  },
});
