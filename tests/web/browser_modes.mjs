/* browser_modes.mjs — modes of a drive in the plane swing on the stage about where it rests. */
import assert from 'node:assert/strict';
import { run, test, texts } from './support.mjs';
import { circles, frameOf } from './stage.mjs';

const ring = `capstan: 1
name: ring
drive: ring
ring: {model: rcm, nodes: 40, length: 667.0139 mm, section: {layers: 9, packs: 2, thickness: 0.185 mm, width: 9.75 mm, modulus: 1.8e11 N/m2, density: 8000 kg/m3}}
centre_distance: 155 mm
start: {theta: 0.4}
analyses: [{modes: {}}]
`;

await test({
  async 'a mode of a ring swings about its rest, another one is chosen'() {
    const { page, trouble } = await run(ring);
    const stage = page.locator('#summary .stage');
    assert.equal(await stage.count(), 1);
    const choice = stage.getByLabel('Mode', { exact: true });
    const options = await texts(choice.locator('option'));
    assert.match(options[0], /^4: [\d.]+ Hz$/); /* the first three move the ring as a whole, or turn it */
    /* The points of the ring at a phase. */
    const points = async (phase) => {
      await stage.locator('input[type=range]').evaluate((input, share) => {
        input.value = String(Number(input.min) + share * (Number(input.max) - Number(input.min)));
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }, phase / 360);
      await page.waitForTimeout(60);
      return (await circles((await frameOf(page, stage)).locator('circle'))).map(([x, y]) => [x, y]).flat();
    };
    const between = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));
    const shapes = [];
    for (const mode of [0, 3]) {
      await choice.selectOption({ index: mode });
      const [rest, out, back] = [await points(0), await points(90), await points(270)];
      assert.equal(rest.length, 80); /* 40 nodes */
      assert.equal(out.length, 80);
      assert.ok(between(rest, out) > 8, `moves ${between(rest, out)} px`);
      assert.ok(between(rest, out.map((v, i) => 0.5 * (v + back[i]))) < 0.5); /* as far to one side as to the other */
      shapes.push(out);
    }
    assert.ok(between(shapes[0], shapes[1]) > 8);
    assert.equal(await page.locator('#modes').getByText('swing.').count(), 0); /* what it is drawn from is not told as a result */
    assert.deepEqual(trouble, []);
  },
});
