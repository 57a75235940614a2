/* browser_bodies.mjs — bodies that move: on the stage, in space and in the plane, with their loops and paths, and what is left
 * of constraints. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { circles, corners, frameOf } from './stage.mjs';
import { folder, ink, open, openFile, picture, program, run, source, test, texts } from './support.mjs';

/* The stage of an analysis, in view. */
async function stageOf(page, id = 'transient') {
  const stage = page.locator(`#${id} figure.stage, #summary figure.stage`).last(); /* that of the main analysis is at the top */
  await stage.scrollIntoViewIfNeeded();
  await page.waitForTimeout(150);
  return stage;
}

/* Scrubs to a share of the time; the time shown, s. */
async function scrub(page, stage, share) {
  await stage.locator('.stage-slider').evaluate((s, at) => {
    s.value = String(at * Number(s.max));
    s.dispatchEvent(new Event('input', { bubbles: true }));
  }, share);
  await page.waitForTimeout(60);
  return shown(stage);
}

const sizes = { s: 1, ms: 1e-3, h: 3600 };
async function shown(stage) {
  const [value, unit] = (await stage.locator('.stage-at').textContent()).split(' ');
  return parseFloat(value) * sizes[unit];
}

/* A number for what the canvas shows. */
const pixels = (stage) => stage.locator('canvas').evaluate((c) => {
  const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum = (sum * 31 + data[i] + 256 * data[i + 3]) % 1000000007;
  return sum;
});

const reach = (points) => [0, 1].map((k) => Math.max(...points.map((p) => p[k])) - Math.min(...points.map((p) => p[k])));

await test({
  async 'bodies that move in a plane have a path with equal scales, linked with the plots over time'() {
    const { page, trouble } = await open('rolling');
    const path = page.locator('#transient .path figure');
    assert.deepEqual(await texts(path.locator('.legend-name')), ['blade', 'start', 'end']); /* its contact runs on the same line */
    assert.ok((await ink(path.locator('canvas'))) > 500);
    /* Longer across than downhill: y runs to the right, x downward. A step of the cycloid is as long as computed. */
    const over = path.locator('.u-over');
    const { width, height } = await over.boundingBox();
    assert.ok(width > 3 * height);
    const tip = path.locator('.loop-tip');
    const time = async () => parseFloat((await page.locator('#transient .panels .legend-at').first().textContent()).replace('time ', ''));
    await path.locator('.plot-host').focus();
    const place = () => path.locator('.loop-marker').first().evaluate((m) => [parseFloat(m.style.left), parseFloat(m.style.top)]);
    const step = 1001 / 500 | 0;
    await page.keyboard.press('ArrowRight');
    const from = await place();
    for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight');
    const row = 40 * step + 1; /* the first press goes to row 1 */
    assert.match(await tip.textContent(), /^bladex [\d.]+ m, y [\d.]+ mtime [\d.]+ m?s$/);
    const to = await place();
    const at = (i) => { const phi = 0.02 * i, a = 9.81 * Math.sin(0.2) / 8; return [a * (phi - Math.sin(phi) * Math.cos(phi)), a * Math.sin(phi) ** 2]; };
    assert.ok(Math.abs((await time()) - 0.01 * row) < 0.011, `${await time()} ${row}`); /* the plots have followed */
    const now = Math.round((await time()) * 100);
    const scale = [0, 1].map((k) => (to[k] - from[k]) / (at(now)[k] - at(1)[k]));
    assert.ok(scale[0] > 0 && Math.abs(scale[1] / scale[0] - 1) < 0.02, scale.join());
    /* The other way round: the path marks where the cursor of a plot is. */
    const chart = page.locator('#transient .panels .u-over').first();
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(100);
    assert.equal(await path.locator('.loop-marker:not([hidden])').count(), 1);
    /* Zooming keeps the scales equal. */
    await path.locator('.plot-host').focus();
    for (const key of ['0', '+', '+']) await page.keyboard.press(key);
    assert.ok((await ink(path.locator('canvas'))) > 200);
    const discs = page.locator('#discs .path figure');
    assert.deepEqual(await texts(discs.locator('.legend-name')), ['disc1', 'disc2', 'disc1.contact', 'disc2.contact', 'start', 'end']);
    await page.setViewportSize({ width: 700, height: 900 });
    await page.waitForTimeout(300);
    assert.ok((await ink(discs.locator('canvas'))) > 500);
    assert.deepEqual(trouble, []);
  },

  async 'what is left of a constraint is told as such, not blown up to a signal'() {
    const { page, trouble } = await open('rolling');
    const summary = await page.locator('main').textContent();
    assert.match(summary, /rollswithout slipconstraints within [\d.]+·10⁻¹⁶ m\/s/);
    assert.match(summary, /Energy is kept: the balance closes within 2·10⁻¹² of the energy converted or in motion \(500\.0 mJ\)/);
    assert.match(summary, /largest slip velocity0\.100 mm\/s/); /* of the discs: a motion, not a residue */
    const plots = page.locator('#transient .panels figure');
    const residue = plots.filter({ hasText: 'blade.slip.sideways' });
    assert.match(await residue.locator('figcaption').textContent(), /logarithmic axis: at most [\d.]+·10⁻¹⁶ m\/s, .*: rounding errors of zero\.$/);
    assert.ok((await ink(residue.locator('canvas'))) > 200);
    /* A constant with errors in its last digits is a level line, and not what one looks at first. */
    assert.equal(await plots.filter({ hasText: 'blade.angular_velocity' }).count(), 0);
    await page.locator('#transient input[name="blade.angular_velocity"]').check();
    assert.match(await plots.filter({ hasText: 'blade.angular_velocity' }).locator('.legend-value').textContent(), /^2\.000 ± [\d.]+·10⁻¹⁴ rad\/s$/);
    assert.equal(await page.locator('#discs .panels figcaption').count(), 0);
    assert.match(await page.locator('#energy').textContent(), /closes within 2·10⁻¹².*No energy came in or went out/s);
    assert.equal(await page.locator('#energy .bars').count(), 0);
    assert.equal(await page.locator('#energy tbody tr').count(), 3); /* the scale is no part */
    await picture(page, 'rolling');
    assert.deepEqual(trouble, []);
  },

  async 'a disc rolls in space: it plays, the camera turns, the path is a circle seen from above'() {
    const { page, trouble } = await run('examples/rolling_disc.yaml', ['analyses[0].transient.until=4 s']);
    const stage = await stageOf(page);
    assert.ok((await ink(stage.locator('canvas'))) > 500);
    const before = [await shown(stage), await pixels(stage)];
    await stage.locator('.stage-play').click();
    await page.waitForTimeout(500);
    await stage.locator('.stage-play').click();
    const after = [await shown(stage), await pixels(stage)];
    assert.ok(after[0] > before[0] + 0.2 && after[1] !== before[1], `${before} ${after}`);
    /* Whole rounds of the contact, 0.534 m from the middle: an ellipse as wide as the circle, flattened by the elevation. */
    await scrub(page, stage, 1);
    const ellipse = async () => reach((await corners((await frameOf(page, stage)).locator('.paths polyline')))[0]);
    const [wide, high] = await ellipse();
    assert.ok(Math.abs(high / wide - Math.sin(0.5)) < 0.01, `${wide} ${high}`);
    /* Dragging turns the camera, not time: seen from higher up the circle is rounder. */
    const time = await shown(stage);
    const box = await stage.locator('canvas').boundingBox();
    await page.mouse.move(box.x + 300, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 340, box.y + 225, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(60);
    const turned = await ellipse();
    assert.ok(turned[1] / turned[0] > high / wide + 0.1, turned.join());
    assert.equal(await shown(stage), time);
    /* m g upwards and the centripetal force inwards. */
    assert.ok((await texts((await frameOf(page, stage)).locator('.forces text'))).includes('5.04 N'));
    const far = await pixels(stage);
    await stage.locator('input[name=follow]').check();
    await page.waitForTimeout(60);
    assert.notEqual(await pixels(stage), far);
    assert.deepEqual(trouble, []);
  },

  async 'a ball falls and bounces to scale, a pin flies in its hole'() {
    const { page, trouble } = await run('examples/bouncing_ball.yaml', ['analyses[0].transient.until=1 s']);
    const stage = await stageOf(page);
    const ball = async (share) => {
      const t = await scrub(page, stage, share);
      const [disc] = await circles((await frameOf(page, stage)).locator('.bodies circle'));
      return { t, y: disc[1], r: disc[2] };
    };
    const [a, b] = [await ball(0.1), await ball(0.3)];
    const fallen = (0.05 * (b.y - a.y)) / b.r; /* the ball's radius is 50 mm */
    assert.ok(Math.abs(fallen - 4.905 * (b.t ** 2 - a.t ** 2)) < 0.002, String(fallen));
    assert.equal(await (await frameOf(page, stage)).locator('.forces polygon').count(), 0); /* in the air */
    assert.deepEqual(trouble, []);
    const crank = await run('examples/slider_crank.yaml', ['analyses[0].transient.until=12 ms']);
    const picture = await stageOf(crank.page);
    await scrub(crank.page, picture, 0.99);
    const inset = (await frameOf(crank.page, picture)).locator('.clearance');
    const [, hole, pin, play] = [null, ...(await circles(inset.locator('circle')))];
    assert.ok(Math.abs(hole[2] - pin[2] - play[2]) < 0.1); /* the middle of the pin stays within the play */
    assert.ok(Math.hypot(pin[0] - hole[0], pin[1] - hole[1]) <= play[2] + 0.2);
    assert.match(await inset.textContent(), /clearance 500 µm.*clearance drawn × 6\.4/);
    assert.deepEqual(crank.trouble, []);
  },

  async 'blocks push each other where they touch'() {
    const { page, trouble } = await run('examples/stacked_blocks.yaml', ['analyses[0].transient.until=0.1 s']);
    const stage = await stageOf(page);
    await scrub(page, stage, 0.5);
    const frame = await frameOf(page, stage);
    assert.equal(await frame.locator('.forces polygon').count(), 8); /* two corners of each block */
    const blocks = await corners(frame.locator('.bodies polygon'));
    const feet = await circles(frame.locator('.forces circle'));
    const floor = Math.max(...blocks[0].map((p) => p[1]));
    assert.equal(feet.filter((f) => Math.abs(f[1] - floor) < 1).length, 2);
    assert.deepEqual(trouble, []);
  },

  async 'a mass moves in its clearance, its stops give way'() {
    const { page, trouble } = await run('examples/clearance_oscillator.yaml', ['analyses[1].transient.until=60 s']);
    const stage = await stageOf(page);
    await scrub(page, stage, 0.7);
    const frame = await frameOf(page, stage);
    assert.match(await frame.textContent(), /clearance 349 mm/);
    const boxes = await corners(frame.locator('.mass polygon'));
    const mass = boxes[0].map((p) => p[0]);
    const plates = boxes.slice(1).filter((b) => b.length === 4 && reach(b)[0] < 12 && reach(b)[1] > 20).map((b) => b.map((p) => p[0]));
    /* The mean load presses the mass against the stop on the right, and that one only. */
    const nearest = (x) => Math.min(...plates.flatMap((p) => p.map((v) => Math.abs(v - x))));
    assert.ok(nearest(Math.max(...mass)) < 0.6, boxes.join(' | '));
    assert.ok(nearest(Math.min(...mass)) > 40);
    const orbit = await stageOf(page, 'periodic');
    const before = await pixels(orbit);
    await orbit.locator('.stage-host').focus();
    await page.keyboard.press(' ');
    await page.waitForTimeout(400);
    await page.keyboard.press(' ');
    assert.notEqual(await pixels(orbit), before);
    assert.deepEqual(trouble, []);
  },

  async 'the loop of a rig grows as it plays, tells what it encloses, and shares its cursor'() {
    const { page, trouble } = await run('examples/tensioner_rig.yaml', ['analyses[0].transient.until=2.4 s']);
    const stage = await stageOf(page, 'periodic');
    const drawn = async () => {
      const lines = await corners((await frameOf(page, stage)).locator('.loop polyline'));
      const last = lines[lines.length - 1];
      return last.slice(1).reduce((s, p, i) => s + Math.hypot(p[0] - last[i][0], p[1] - last[i][1]), 0);
    };
    await scrub(page, stage, 0.05);
    const short = await drawn();
    await stage.locator('.stage-host').focus();
    await page.keyboard.press(' ');
    await page.waitForTimeout(700);
    await page.keyboard.press(' ');
    assert.ok((await drawn()) > short + 30, `${short} ${await drawn()}`);
    assert.deepEqual((await texts((await frameOf(page, stage)).locator('.corners text'))).sort(), ['A', 'B', 'C', 'D']);
    /* A closed cycle loses what damper and sliders take. */
    const lost = await page.evaluate(() => capstan.page.groups.find((g) => g.kind === 'periodic').audit.lines.filter((l) => l.kind === 'dissipated').reduce((s, l) => s + l.energy, 0));
    const told = async (locator) => parseFloat(/([\d.]+) mJ/.exec(await locator.textContent())[1]) / 1000;
    assert.ok(Math.abs((await told(stage.locator('.stage-facts'))) / lost - 1) < 0.01, String(lost));
    assert.ok(Math.abs((await told(page.locator('#transient .loop-area'))) / lost - 1) < 0.01, await page.locator('#transient .loop-area').textContent());
    /* Cycle by cycle: one curve each. */
    const loop = page.locator('#transient .loop');
    await loop.getByLabel('cycle by cycle').check();
    assert.deepEqual(await texts(loop.locator('.legend-name')), ['cycle 1', 'cycle 2', 'cycle 3']);
    await loop.getByLabel('cycle by cycle').uncheck();
    /* The stage marks its instant on the loop; a point of the loop moves the stage. */
    const transient = await stageOf(page);
    await scrub(page, transient, 0.4);
    assert.equal(await loop.locator('.loop-marker:not([hidden])').count(), 1);
    const time = await shown(transient);
    await loop.locator('.plot-host').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(80);
    assert.notEqual(await shown(transient), time);
    assert.deepEqual(trouble, []);
  },

  async 'a mass hangs in the belt of a tensioner; the belt has the colour of its tension'() {
    const { page, trouble } = await run('examples/belt_tensioner_mass.yaml', ['analyses[3].transient.until=0.5 s']);
    const stage = await stageOf(page);
    const belt = async (share) => {
      await scrub(page, stage, share);
      const line = (await frameOf(page, stage)).locator('.belt polyline');
      return { colour: await line.getAttribute('stroke'), end: (await corners(line))[0][0][1] };
    };
    const all = [];
    for (const share of [0.5, 0.6, 0.7, 0.8]) all.push(await belt(share));
    assert.ok(new Set(all.map((b) => b.colour)).size > 1 && reach(all.map((b) => [b.end, 0]))[0] > 3, JSON.stringify(all));
    assert.deepEqual(trouble, []);
  },

  async 'an arch snaps through: the stage goes along the branch of its equilibria'() {
    const { page, trouble } = await run('examples/snap_through.yaml');
    const stage = await stageOf(page, 'summary');
    const told = async (share) => {
      await scrub(page, stage, share);
      return (await frameOf(page, stage)).locator('.mass').textContent();
    };
    assert.match(await told(0.1), /[^n]stable/);
    assert.match(await told(0.5), /unstable/); /* u = 1, between the folds */
    assert.match(await stage.locator('.stage-facts').textContent(), /position [01]\.\d+ m/);
    assert.deepEqual(trouble, []);
  },

  async 'a measured loop and the laws that were fitted are drawn together'() {
    const result = join(folder, 'identified.h5');
    execFileSync(program, ['identify', join(source, 'examples', 'tensioner_loop.csv'), '-o', result], { stdio: 'ignore' });
    execFileSync(program, ['report', result], { stdio: 'ignore' });
    const { page, trouble } = await openFile('identified.html');
    const stage = await stageOf(page, 'summary');
    await scrub(page, stage, 0.6);
    const frame = await frameOf(page, stage);
    assert.equal(await frame.locator('.rivals polyline').count(), 2);
    /* The laws are near what was measured. */
    const [measured, dahl, masing] = (await texts(stage.locator('.stage-facts b'))).map((t) => parseFloat(t));
    assert.ok(Math.abs(dahl - measured) < 40 && Math.abs(masing - measured) < 60, `${measured} ${dahl} ${masing}`);
    assert.deepEqual(trouble, []);
  },
});
