/* browser_elements.mjs — moving pictures of pushbelt drives: variators with their elements, rings, the Push-Force-Tester, a sheave. */
import assert from 'node:assert/strict';
import { ink, open, picture, run, test } from './support.mjs';
import { corners, frameOf } from './stage.mjs';

const variator = (analysis) => `capstan: 1
name: few elements
drive: variator
ratio: 1.0
elements: {simulated: 40}
ring: {free_length: 669 mm} # room for a few thick elements
primary: {speed: 2000 rpm}
secondary: {torque: -48 N m, clamping: 6446 N}
analyses:
  - ${analysis}
`;

const pixels = (canvas) => canvas.evaluate((c) => {
  const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum = (sum * 31 + data[i] * 65536 + data[i + 1] * 256 + data[i + 2]) % 1000000007;
  return sum;
});

const settle = (page) => page.waitForTimeout(150);
const choose = async (page, stage, label, option) => (await stage.getByLabel(label, { exact: true }).selectOption(option), settle(page));
const scrub = async (page, stage, place) => {
  await stage.locator('.stage-slider').evaluate((s, value) => ((s.value = String(value)), s.dispatchEvent(new Event('input'))), place);
  await settle(page);
};

/* Middles of the elements that a frame shows. */
async function elementsOf(page, stage) {
  const frame = await frameOf(page, stage);
  const outlines = await corners(frame.locator('.elements polygon'));
  return outlines.map((o) => [0, 1].map((k) => o.reduce((sum, p) => sum + p[k], 0) / o.length));
}

/* How far the closed belt reaches over the paper: right less left, over bottom less top. */
const aspect = (places) => {
  const [xs, ys] = [0, 1].map((k) => places.map((p) => p[k]));
  return (Math.max(...xs) - Math.min(...xs)) / (Math.max(...ys) - Math.min(...ys));
};

await test({
  async 'a variator: every element is drawn where it is, coloured by what is chosen'() {
    const { page, trouble } = await run(variator('transient: {until: 4 ms}'));
    const stage = page.locator('#summary figure.stage');
    const canvas = stage.locator('canvas');
    assert.ok((await ink(canvas)) > 3000);
    const places = await elementsOf(page, stage);
    assert.equal(places.length, 40);
    /* two arcs of 55 mm at 155 mm from each other */
    assert.ok(Math.abs(aspect(places) - (155 + 2 * 56) / (2 * 56)) < 0.1, `${aspect(places)}`);
    const frame = await frameOf(page, stage);
    assert.ok((await frame.locator('.ring polyline').count()) > 100);
    assert.match(await frame.textContent(), /primary.*secondary.*upper strand.*lower strand/s);
    const seen = new Set([await pixels(canvas)]);
    for (const key of ['normal', 'slide', 'saddle', 'ringSlide']) {
      await choose(page, stage, 'Colour', key);
      seen.add(await pixels(canvas));
    }
    assert.equal(seen.size, 5);
    await scrub(page, stage, 0);
    const first = await elementsOf(page, stage);
    const moved = first.map((p, k) => Math.hypot(p[0] - places[k][0], p[1] - places[k][1]));
    assert.ok(Math.min(...moved) > 20, 'all elements run on');
    /* under the lens: the element that is followed and its neighbours */
    const before = await pixels(canvas);
    await choose(page, stage, 'Follow element', '20');
    assert.notEqual(await pixels(canvas), before);
    assert.match(await (await frameOf(page, stage)).locator('.lens').textContent(), /element 20/);
    await picture(page, 'elements');
    assert.deepEqual(trouble, []);
  },

  async 'stationary points: one frame each, elements run through a pattern that stands still'() {
    const { page, trouble } = await run(variator('stationary: {until: 0.6, lead: 0.25, average: 0.2, cases: [{name: even, set: [ratio=1.0]}, {name: low, set: [ratio=1.6]}]}').replace('simulated: 40', 'simulated: 30'));
    const stage = page.locator('#summary figure.stage').first();
    await stage.scrollIntoViewIfNeeded();
    await settle(page);
    const at = (places) => places.map((p) => p[1]).reduce((a, b) => Math.min(a, b));
    await choose(page, stage, 'Point', { index: 0 });
    const one = await elementsOf(page, stage);
    assert.equal(one.length, 30);
    await scrub(page, stage, 100); /* half a turn: others are in the same places */
    const half = await elementsOf(page, stage);
    const nearest = one.map((p) => Math.min(...half.map((q) => Math.hypot(p[0] - q[0], p[1] - q[1]))));
    assert.ok(Math.max(...nearest) < 2, `${Math.max(...nearest)} px`);
    assert.ok(Math.hypot(one[0][0] - half[0][0], one[0][1] - half[0][1]) > 100, 'each element has run on by half a turn');
    await choose(page, stage, 'Point', { index: 1 });
    const two = await elementsOf(page, stage);
    assert.ok(at(two) < at(one) - 10, 'a larger arc at the secondary');
    assert.deepEqual(trouble, []);
  },

  async 'around the pulleys: values by pointing and by keys'() {
    const { page, trouble } = await open('variator');
    const figure = page.locator('#transient .polar-figure');
    await figure.scrollIntoViewIfNeeded();
    const told = () => figure.locator('.polar-told').textContent();
    assert.match(await told(), /clockwise/);
    await figure.locator('svg.polar').first().press('ArrowRight');
    const first = await told();
    assert.match(first, /Primary, .*° after the entry: normal force on a flank .*N/);
    await figure.locator('svg.polar').first().press('ArrowRight');
    assert.notEqual(await told(), first);
    await figure.locator('select').nth(1).selectOption('push.sum');
    assert.match(await told(), /normal force on a flank .*push force/);
    assert.deepEqual(trouble, []);
  },

  async 'the stack of a Push-Force-Tester bends, rings lie on their pulleys, a sheave shows its elements'() {
    const tester = await run('examples/push_force_tester.yaml', ['analyses[0].quasistatic.steps=20']);
    const stack = tester.page.locator('#summary figure.stage');
    assert.equal((await elementsOf(tester.page, stack)).length, 31);
    const rise = async () => {
      const places = await elementsOf(tester.page, stack);
      return places[0][1] - places[15][1];
    };
    const loaded = await rise();
    await scrub(tester.page, stack, 0);
    assert.ok(loaded > 10 && Math.abs(await rise()) < 1, `${loaded}`);
    await picture(tester.page, 'tester');
    const ring = await run('examples/ring_pulleys.yaml', ['analyses[0].transient.until=2 ms']);
    assert.ok((await ink(ring.page.locator('#summary figure.stage canvas'))) > 3000);
    const sheave = await run('examples/sheave.yaml', ['analyses[0].transient.until=2 ms']);
    const drawn = await elementsOf(sheave.page, sheave.page.locator('#summary figure.stage'));
    assert.ok(drawn.length > 186, `${drawn.length}`);
    await picture(sheave.page, 'sheave');
    const tracking = await run('examples/ring_tracking.yaml');
    const saddle = tracking.page.locator('#summary figure.stage');
    const heavy = await saddle.locator('.stage-facts').textContent();
    await choose(tracking.page, saddle, 'Normal force', { index: 5 });
    assert.notEqual(await saddle.locator('.stage-facts').textContent(), heavy);
    assert.deepEqual([...tester.trouble, ...ring.trouble, ...sheave.trouble, ...tracking.trouble], []);
  },
});
