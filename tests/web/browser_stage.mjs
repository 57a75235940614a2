/* browser_stage.mjs — the moving picture: playing, scrubbing, looking, colours, saving, printing, mode shapes, and what a frame costs. */
import assert from 'node:assert/strict';
import { circles, frameOf, saved } from './stage.mjs';
import { open, picture, run, test, texts } from './support.mjs';

const moving = (page) => page.locator('#summary figure.stage').first();

/* The picture on the canvas as a number that changes with any pixel. */
const look = (stage) => stage.locator('canvas').first().evaluate((c) => {
  const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
  let sum = 0;
  for (let i = 0; i < data.length; i++) sum = (sum * 31 + data[i]) | 0;
  return sum;
});

const shown = async (stage) => parseFloat((await stage.locator('output').textContent()).replace('−', '-'));
const tool = (stage, name) => stage.getByRole('button', { name, exact: true });

/* The first pulley: centre and radius. */
const first = async (page, stage) => (await circles((await frameOf(page, stage)).locator('.pulley circle')))[0];

const segmented = (n, until) => run('examples/accessory_drive_segments.yaml', [`belt.segments=${n}`, `analyses[0].transient.until=${until} s`, 'outputs.every=0.2 ms']);

await test({
  async 'a stage shows a frame at once, plays when told, and holds when paused'() {
    const { page, trouble } = await open('drive');
    const stage = moving(page);
    await stage.scrollIntoViewIfNeeded();
    await page.waitForTimeout(200);
    const [time, before] = [await shown(stage), await look(stage)];
    await page.waitForTimeout(300);
    assert.equal(await shown(stage), time); /* nothing moves by itself */
    assert.equal(await look(stage), before);
    await tool(stage, 'Play').click();
    await page.waitForTimeout(500);
    const later = await shown(stage);
    assert.ok(later > time, `${later} > ${time}`);
    assert.notEqual(await look(stage), before);
    await tool(stage, 'Pause').click();
    await page.waitForTimeout(120);
    const [held, pixels] = [await shown(stage), await look(stage)];
    await page.waitForTimeout(300);
    assert.equal(await shown(stage), held);
    assert.equal(await look(stage), pixels);
    assert.match(await stage.locator('canvas').first().getAttribute('aria-label'), /^The belt drive at time 0\.2\d+ s$/);
    assert.deepEqual(trouble, []);
  },

  async 'playing ends at the end, or goes on from the start'() {
    const { page, trouble } = await open('drive');
    const stage = moving(page);
    await stage.locator('.stage-host').focus();
    await stage.getByLabel('Slow motion').selectOption({ index: 0 });
    await page.keyboard.press('End');
    const end = await shown(stage);
    await tool(stage, 'Repeat').click();
    await stage.locator('.stage-host').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press(' ');
    await page.waitForTimeout(600);
    assert.equal(await tool(stage, 'Pause').count(), 1); /* still playing */
    await tool(stage, 'Repeat').click();
    await page.waitForFunction(() => document.querySelector('#summary .stage-play').getAttribute('aria-label') === 'Play', null, { timeout: 5000 });
    assert.equal(await shown(stage), end);
    assert.deepEqual(trouble, []);
  },

  async 'scrubbing sets the time, here and in the plots, and so do keys'() {
    const { page, trouble } = await open('drive');
    const stage = moving(page);
    const at = () => page.locator('#transient .panels .legend-at').first().textContent();
    await stage.locator('input[type=range]').evaluate((s) => {
      s.value = s.max / 4;
      s.dispatchEvent(new Event('input'));
    });
    const quarter = await shown(stage);
    assert.ok(Math.abs(quarter - 0.2125) < 2e-4, String(quarter));
    assert.match(await at(), /^time 0\.212/);
    await stage.locator('.stage-host').focus();
    await page.keyboard.press('.');
    const next = await shown(stage);
    assert.ok(next > quarter && next - quarter < 6e-4, `${quarter} ${next}`);
    await page.keyboard.press(',');
    assert.ok((await shown(stage)) < next);
    await page.keyboard.press('ArrowRight');
    assert.ok((await shown(stage)) > quarter);
    await page.keyboard.press('Home');
    assert.equal(await shown(stage), 0.2);
    await page.keyboard.press(' ');
    await page.waitForTimeout(250);
    await page.keyboard.press(' ');
    assert.ok((await shown(stage)) > 0.2);
    assert.equal(await tool(stage, 'Play').count(), 1);
    assert.deepEqual(trouble, []);
  },

  async 'the picture is zoomed, moved and shown whole again, by buttons, keys and mouse'() {
    const { page, trouble } = await open('drive');
    const stage = moving(page);
    const start = await first(page, stage);
    await tool(stage, 'Zoom in').click();
    const near = await first(page, stage);
    assert.ok(near[2] > 1.3 * start[2], `${near} ${start}`);
    await tool(stage, 'Show everything').click();
    assert.deepEqual(await first(page, stage), start);
    await stage.locator('.stage-host').focus();
    await page.keyboard.press('+');
    assert.deepEqual(await first(page, stage), near);
    await stage.locator('.stage-host').focus();
    await page.keyboard.press('0');
    await page.keyboard.press('Shift+ArrowRight');
    assert.ok(Math.abs((await first(page, stage))[0] - start[0] + 40) < 0.1);
    await stage.locator('.stage-host').focus();
    await page.keyboard.press('0');
    const box = await stage.locator('.stage-host').boundingBox();
    await page.mouse.move(box.x + start[0], box.y + start[1]);
    await page.mouse.down();
    await page.mouse.move(box.x + start[0] + 60, box.y + start[1] - 30, { steps: 3 });
    await page.mouse.up();
    const moved = await first(page, stage);
    assert.ok(Math.abs(moved[0] - start[0] - 60) < 1.5 && Math.abs(moved[1] - start[1] + 30) < 1.5, `${moved} ${start}`);
    /* With the control key the wheel zooms about the pointer. */
    await page.mouse.dblclick(box.x + 300, box.y + 20);
    await page.mouse.move(box.x + start[0], box.y + start[1]);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForTimeout(100);
    const wheeled = await first(page, stage);
    assert.ok(wheeled[2] > 1.5 * start[2] && Math.hypot(wheeled[0] - start[0], wheeled[1] - start[1]) < 2, `${wheeled} ${start}`);
    assert.deepEqual(trouble, []);
  },

  async 'colours are chosen, with a bar and its unit; parts are switched off'() {
    const { page, trouble } = await segmented(120, 0.21);
    const stage = moving(page);
    const colour = stage.getByLabel('Colour');
    assert.deepEqual((await texts(colour.locator('option'))).slice(0, 3), ['tension', 'normal force', 'slip']);
    const strokes = async () => (await frameOf(page, stage)).locator('.belt polyline').evaluateAll((all) => all.map((l) => l.getAttribute('stroke')).join());
    const words = async () => (await frameOf(page, stage)).textContent();
    assert.match(await words(), /tension \[N\]/);
    const before = await strokes();
    await colour.selectOption({ label: 'normal force' });
    assert.match(await words(), /normal force \[N\]|normal force\[N\]/);
    assert.notEqual(await strokes(), before);
    await colour.selectOption({ label: 'none' });
    assert.doesNotMatch(await words(), /\[N\]/);
    assert.ok((await (await frameOf(page, stage)).locator('.hub').count()) === 6);
    await stage.getByLabel('hub loads').uncheck();
    assert.equal(await (await frameOf(page, stage)).locator('.hub').count(), 0);
    await stage.getByLabel('labels').uncheck();
    assert.equal(await (await frameOf(page, stage)).locator('.label').count(), 0);
    assert.deepEqual(trouble, []);
  },

  async 'a pulley on which the belt slips is marked as long as it does'() {
    const { page, trouble } = await run('examples/accessory_slip.yaml');
    const stage = moving(page);
    const at = async (place) => {
      await stage.locator('input[type=range]').evaluate((s, value) => {
        s.value = value;
        s.dispatchEvent(new Event('input'));
      }, place);
      return (await frameOf(page, stage)).locator('.label').allTextContents();
    };
    assert.match(await stage.locator('.stage-note').textContent(), /Purple rim/);
    assert.ok((await at(480)).some((t) => /^water pumpslips \d/.test(t)));
    assert.ok(!(await at(10)).some((t) => /slips/.test(t)));
    assert.deepEqual(trouble, []);
  },

  async 'a frame is saved as PNG and SVG, and printed as a drawing'() {
    const { page, trouble } = await open('drive');
    const stage = moving(page);
    await stage.scrollIntoViewIfNeeded();
    const png = await saved(page, stage, 'PNG');
    assert.match(png.name, /^belt-drive-time-.*\.png$/);
    const colours = await page.evaluate(async (data) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], { type: 'image/png' }));
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
      return { width: image.width, different: new Set(pixels).size };
    }, png.bytes.toString('base64'));
    assert.ok(colours.width > 1200 && colours.different > 500, JSON.stringify(colours));
    const svg = await frameOf(page, stage);
    assert.match(await svg.textContent(), /crank.*time 0\.2\d+ s/s);
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    assert.equal(await stage.locator('.stage-print svg .pulley').count(), 6);
    assert.ok(!(await stage.locator('canvas').first().isVisible()));
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    assert.ok(await stage.locator('canvas').first().isVisible());
    assert.deepEqual(trouble, []);
  },

  async 'a stage fills the screen, and is as sharp as the screen'() {
    const { page, trouble } = await open('drive');
    const stage = moving(page);
    await stage.scrollIntoViewIfNeeded();
    await tool(stage, 'Full screen').click();
    await page.waitForFunction(() => document.fullscreenElement?.matches('figure.stage'));
    await page.waitForTimeout(200);
    const box = await stage.locator('canvas').first().boundingBox();
    const size = await page.evaluate(() => [innerWidth, innerHeight]);
    assert.ok(box.width > 0.9 * size[0] && box.height > 0.7 * size[1], JSON.stringify([box, size]));
    await page.evaluate(() => document.exitFullscreen());
    await page.waitForTimeout(200);
    const after = await stage.locator('canvas').first().evaluate((c) => [c.width / c.clientWidth, devicePixelRatio]);
    assert.ok(Math.abs(after[0] - after[1]) < 0.01, after.join());
    assert.deepEqual(trouble, []);
  },

  async 'mode shapes swing; a click in the Campbell diagram picks the mode'() {
    const { page, trouble } = await open('drive');
    const stage = page.locator('#modes figure.stage');
    await stage.scrollIntoViewIfNeeded();
    assert.match(await stage.textContent(), /frequency [\d.]+ Hz.*damping ratio.*no size/s);
    const before = await look(stage);
    await stage.getByLabel('Mode', { exact: true }).selectOption({ index: 3 });
    await page.waitForTimeout(150);
    assert.notEqual(await look(stage), before);
    await tool(stage, 'Play').click();
    await page.waitForTimeout(250);
    assert.notEqual(await shown(stage), 0);
    await tool(stage, 'Pause').click();

    const campbell = page.locator('#campbell');
    const plot = campbell.locator('.u-over').first();
    await plot.scrollIntoViewIfNeeded();
    const speed = campbell.locator('figure.stage').getByLabel('at', { exact: true });
    const was = await speed.inputValue();
    const area = await plot.boundingBox();
    /* The lowest mode of the pulleys is a level line near the bottom. */
    for (let y = area.height - 12; y > area.height / 2; y -= 10) {
      await page.mouse.move(area.x + area.width * 0.7, area.y + y);
      if (await campbell.locator('.loop-tip').first().isVisible()) break;
    }
    const tip = await campbell.locator('.loop-tip').first().textContent();
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForTimeout(150);
    assert.notEqual(await speed.inputValue(), was);
    const text = await campbell.locator('figure.stage .stage-facts').textContent();
    const frequency = /([\d.]+) Hz/.exec(tip)[1];
    assert.ok(Math.abs(parseFloat(/frequency ([\d.]+)/.exec(text)[1]) - parseFloat(frequency)) < 0.02 * parseFloat(frequency), `${tip} ${text}`);
    await picture(page, 'stage-modes');
    assert.deepEqual(trouble, []);
  },

  async 'compliant hubs move along their axes, enlarged as told, and are a part of the modes'() {
    const { page, trouble } = await run('examples/compliant_hub.yaml');
    const axes = await page.evaluate(() => {
      const layout = capstan.page.groups.find((g) => g.kind === 'layout');
      return Array.from(capstan.values(layout.arrays.find((a) => a.name === 'pulley.hub_axis')));
    });
    assert.equal(axes.filter(Number.isFinite).length, 2); /* alternator, steering pump */
    const stage = moving(page);
    const enlarged = await circles((await frameOf(page, stage)).locator('.pulley circle'));
    await stage.getByLabel(/^shifts of hubs × \d+$/).uncheck();
    const real = await circles((await frameOf(page, stage)).locator('.pulley circle'));
    const moved = real.map(([x, y], i) => Math.hypot(x - enlarged[i][0], y - enlarged[i][1]));
    assert.ok(moved[2] > 2 && moved[4] > 1 && moved[0] < 0.1 && moved[3] < 0.1, moved.join());
    assert.match(await page.locator('#campbell').textContent(), /Hubs/);
    assert.doesNotMatch(await page.locator('#campbell .sheet').first().textContent(), /undefined/);
    assert.deepEqual(trouble, []);
  },

  async 'nodes stay on their belt between the frames of a film, and frames are cheap'() {
    const { page, trouble } = await segmented(437, 0.203);
    const stage = moving(page);
    await stage.scrollIntoViewIfNeeded();
    const middle = await stage.locator('input[type=range]').evaluate((s) => Number(s.max));
    const crank = async () => {
      const frame = await frameOf(page, stage);
      const [x, y, r] = (await circles(frame.locator('.pulley circle')))[0];
      const width = Number(await frame.locator('.belt polyline').first().getAttribute('stroke-width'));
      const lines = await frame.locator('.belt polyline').evaluateAll((all) => all.map((l) => l.getAttribute('points').split(' ')[0].split(',').map(Number)));
      /* Distance of the nodes around the crank from its centre, over its radius. */
      return lines.filter(([u, v]) => v > y && u > x && u < x + 1.1 * r).map(([u, v]) => Math.hypot(u - x, v - y) / (r + width / 2));
    };
    for (const share of [0.31, 0.3137, 0.52]) {
      await stage.locator('input[type=range]').evaluate((s, at) => {
        s.step = 'any';
        s.value = at;
        s.dispatchEvent(new Event('input'));
      }, share * middle);
      const radii = await crank();
      assert.ok(radii.length > 8 && radii.every((r) => Math.abs(r - 1) < 0.004), radii.join());
    }
    /* Processor time of scripts while playing, plots that follow included; not what the machine gave to others meanwhile. */
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'ScriptDuration').value;
    await page.evaluate(() => {
      const real = window.requestAnimationFrame.bind(window);
      window.framesDrawn = new Set();
      window.requestAnimationFrame = (act) => real((now) => (window.framesDrawn.add(now), act(now)));
    });
    await tool(stage, 'Repeat').click();
    const before = await spent();
    await tool(stage, 'Play').click();
    await page.waitForTimeout(1500);
    const cost = { ms: (1000 * ((await spent()) - before)) / (await page.evaluate(() => window.framesDrawn.size)), frames: await page.evaluate(() => window.framesDrawn.size) };
    console.log(`        437 nodes: ${cost.ms.toFixed(2)} ms of script a frame, ${cost.frames} frames in 1.5 s`);
    assert.ok(cost.frames > 5 && cost.ms < 16, JSON.stringify(cost));
    assert.deepEqual(trouble, []);
  },
});
