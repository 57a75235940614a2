/* browser_pushbelt.mjs — pages of the pushbelt family: what is told once, what arrows and scales mean, names for mechanisms. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { context, folder, ink, openFile, program, run, source, test, texts } from './support.mjs';
import { frameOf } from './stage.mjs';

const stageOf = (page) => page.locator('#summary figure.stage');
const note = (page) => stageOf(page).locator('.stage-note').textContent();
const count = (text, pattern) => [...text.matchAll(pattern)].length;
const frameTexts = async (page, stage) => texts((await frameOf(page, stage)).locator('text'));

/* Where the head of the turning arrow of a pulley is, in pixels to the right of its centre; its colour is the pulley's. */
const headOf = async (page, name, colour) => (await frameOf(page, stageOf(page))).evaluate((svg, [pulley, fill]) => {
  const centre = [...svg.querySelectorAll('text')].find((t) => t.textContent === pulley).getBBox();
  const head = [...svg.querySelectorAll('polygon')].find((p) => p.getAttribute('fill') === fill && p.points.numberOfItems === 3);
  return head.points.getItem(0).x - (centre.x + centre.width / 2);
}, [name, colour]);
const [blue, green] = ['#0067a5', '#00815f']; /* primary, secondary */

/* Texts of each canvas, as a set. */
await context.addInitScript(() => {
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
    (this.canvas.texts ??= new Set()).add(String(text));
    return fillText.call(this, text, ...more);
  };
});

await test({
  async 'the force-compression curve is the headline of a Push-Force-Tester; a quasi-static press has no power'() {
    const { page, trouble } = await run('examples/push_force_tester.yaml', ['analyses[0].quasistatic.steps=20']);
    const head = page.locator('#summary .hero-stage figure.plot');
    assert.equal(await head.count(), 1);
    assert.match(await head.textContent(), /Clamping force vs compression.*clamping force.*at the rocking edges.*at the heads/s);
    assert.ok((await ink(head.locator('canvas'))) > 500);
    assert.ok((await head.boundingBox()).height > 380);
    const summary = await page.locator('#summary').textContent();
    assert.doesNotMatch(summary, /Where the power went|Where the energy went/);
    assert.match(summary, /All of the work done, 48\d mJ, is stored/);
    /* Over the compression, not over pseudo-time, which is folded; solver statistics, too. */
    const section = page.locator('#quasistatic');
    assert.deepEqual(await texts(section.locator('.tiles figure.plot figcaption')), ['Lift of the middle vs compression', 'Heads vs compression', 'Ring tension vs compression', 'Angle of the hinges vs compression']);
    assert.equal(await section.locator('.panels').count(), 0);
    const fold = section.locator('details', { hasText: 'All channels vs pseudo-time' });
    await fold.locator('summary').first().click();
    await fold.locator('.panels canvas').first().waitFor();
    assert.equal(await section.locator('details', { hasText: 'Solver statistics' }).getAttribute('open'), null);
    assert.deepEqual(trouble, []);
  },

  async 'arc arrows are torques on the belt, with one sign on the pages of rings and variators'() {
    const ring = await run('examples/ring_pulleys.yaml', ['analyses[0].transient.until=10 ms']);
    assert.match(await note(ring.page), /Arc arrows: torque of a pulley on the ring; it points with the travel \(clockwise\) where the pulley drives, against it where it brakes/);
    const figures = await ring.page.locator('#summary .key-figures').textContent();
    assert.match(figures, /torque of the secondary−[\d.]+ N mon the ring, mean: it brakes/);
    assert.match(figures, /torque of the primary[\d.]+ N mon the ring, mean: it drives/);
    const drawn = await frameTexts(ring.page, stageOf(ring.page));
    const torque = (list, name) => Number(/^M (−?[\d.]+)/.exec(list.slice(list.indexOf(name)).find((t) => t.startsWith('M ')))[1].replace('−', '-'));
    assert.ok(torque(drawn, 'primary') > 0 && torque(drawn, 'secondary') < 0, drawn.join());
    assert.match(await ring.page.locator('#transient .panels').textContent(), /curvature/);
    const variator = await run('examples/variator.yaml', ['analyses[0].transient.until=4 ms', 'elements.simulated=120']);
    assert.match(await note(variator.page), /Arc arrows: torque of a pulley on the belt; it points with the travel \(clockwise\) where the pulley drives/);
    for (const { page } of [ring, variator]) {
      assert.ok((await headOf(page, 'primary', blue)) > 5); /* drives: clockwise above the centre */
      assert.ok((await headOf(page, 'secondary', green)) < -5);
    }
    const list = await frameTexts(variator.page, stageOf(variator.page));
    assert.ok(torque(list, 'primary') > 0 && torque(list, 'secondary') < 0, list.join());
    assert.deepEqual([...ring.trouble, ...variator.trouble], []);
  },

  async 'losses of a variator have one name each, in the bar, in the table and in the balance'() {
    const { page, trouble } = await run('examples/variator.yaml', ['analyses[0].transient.until=4 ms', 'elements.simulated=120']);
    const bar = await texts(page.locator('#summary .energy-legend li'));
    const names = bar.map((t) => t.replace(/\s*[\d.]+ (m?|k)W.*/, '')).filter((t) => /^(flanks|rings|elements)/.test(t));
    assert.ok(names.length >= 4, bar.join());
    const rows = (await texts(page.locator('#energy tbody th'))).map((t) => t.trim());
    for (const n of names) assert.ok(rows.some((r) => r.startsWith(n)), `${n} among ${rows.join()}`);
    const all = await page.locator('main').textContent();
    assert.doesNotMatch(all, /chain friction|guide longitudinal|\bPRI\b|\bSEC\b|time along the belt|the same at the head|value \[/);
    assert.deepEqual(trouble, []);
  },

  async 'a run that was interrupted has figures of its last instant'() {
    const result = join(folder, 'interrupted.h5');
    try {
      execFileSync(program, ['run', join(source, 'examples/variator.yaml'), '-o', result, '--set', 'analyses[0].transient.until=20 s', '--set', 'elements.simulated=120'], { stdio: 'ignore', timeout: 4000, killSignal: 'SIGINT' });
      assert.fail('the run was to be interrupted');
    } catch (error) {
      if (error.code === 'ERR_ASSERTION') throw error;
    }
    execFileSync(program, ['report', result], { stdio: 'ignore' });
    const { page, trouble } = await openFile('interrupted.html');
    const figures = await page.locator('#summary .hero-figures').textContent();
    assert.match(figures, /Last instant stored \([\d.]+ m?s\)speed ratio i_s.*thrust ratio i_F.*torque of the primary.*push force, upper strand.*operational endplay/s);
    assert.doesNotMatch(figures, /ring\.travel/);
    assert.deepEqual(trouble, []);
  },

  async 'the tracking force is told once; profiles go by force and position, without a player'() {
    const { page, trouble } = await run('examples/ring_tracking.yaml');
    const all = await page.locator('main').innerText();
    assert.equal(count(all, /774\.2 N/g), 1);
    const profiles = page.locator('#profiles');
    assert.deepEqual((await texts(profiles.locator('figure.plot').first().locator('.legend-name'))), ['2000 N at 0 m', '2000 N at 9.75 mm', '20.0 kN at 0 m', '20.0 kN at 9.75 mm']);
    assert.equal(await profiles.locator('figure.plot').count(), 2);
    assert.equal(await profiles.getByRole('button', { name: 'Play' }).count(), 0);
    const facts = () => profiles.locator('.stage-facts').textContent();
    const before = await facts();
    await profiles.getByLabel('Normal force and position').selectOption({ index: 0 });
    assert.notEqual(await facts(), before);
    assert.deepEqual(trouble, []);
  },

  async 'a sheave is drawn with one scale factor, and its solver is folded away'() {
    const { page, trouble } = await run('examples/sheave.yaml', ['analyses[0].transient.until=2 ms']);
    const said = await note(page);
    assert.equal(count(said, /\d+ times as large/g), 1);
    assert.match(said, /Spiral running and tilt drawn \d+ times as large/);
    const drawn = await frameTexts(page, stageOf(page));
    assert.ok(!drawn.some((t) => t.includes('×')), drawn.join());
    assert.ok(drawn.includes('movable') && drawn.includes('fixed'));
    assert.equal(await page.locator('#transient .response').count(), 0);
    const fold = page.locator('#transient details', { hasText: 'Solver statistics' });
    await fold.locator('summary').first().click();
    await fold.locator('.response').first().waitFor();
    assert.deepEqual(trouble, []);
  },

  async 'maps of a variator have torques and ratios as figures, and explain the step of the slip curve'() {
    const { page, trouble } = await run('examples/variator_map.yaml');
    const figures = await page.locator('#summary').innerText();
    assert.match(figures, /macro slip.*above torque ratio [\d.]+/s);
    assert.match(figures, /transition torque/);
    assert.doesNotMatch(figures, /0 = holds|largest torque on the secondary|\(\d\.\d+\)/);
    const all = await page.locator('main').textContent();
    assert.match(all, /The step of [\d.]+ % at the transition torque .* comes from the gaps between the elements/);
    assert.deepEqual(trouble, []);
  },

  async 'pictures of a comparison have one colour scale'() {
    const first = await run('examples/ring_pulleys.yaml', ['analyses[0].transient.until=10 ms']);
    const second = await run('examples/ring_pulleys.yaml', ['analyses[0].transient.until=10 ms', 'pulleys.clamping=8 kN']);
    await first.page.close();
    await second.page.close();
    execFileSync(program, ['report', first.result, second.result, '-o', join(folder, 'rings.html')], { stdio: 'ignore' });
    const { page, trouble } = await openFile('rings.html');
    assert.equal(await page.locator('#motion figure.stage').count(), 2);
    await page.locator('#motion').scrollIntoViewIfNeeded();
    await page.waitForTimeout(300);
    /* Numbers of four digits are at the colour bars alone. */
    const bars = await page.evaluate(() => [...document.querySelectorAll('#motion figure.stage canvas')].map((c) => [...(c.texts ?? [])].filter((t) => /^\d{4}$/.test(t)).sort()));
    assert.ok(bars[0].length > 1, JSON.stringify(bars));
    assert.deepEqual(bars[0], bars[1]);
    assert.deepEqual(trouble, []);
  },
});
