/* browser_drive.mjs — belt drives: drawing, tables, Campbell diagram, orders, life, motion, segments. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { circles, corners, frameOf } from './stage.mjs';
import { ink, open, picture, pictures, test, texts } from './support.mjs';

await test({
  async 'a belt drive is drawn to scale, its spans where statics has them, at each speed'() {
    const { page, trouble } = await open('drive');
    assert.deepEqual(await texts(page.locator('h2')), ['Summary', 'Steady running of the belt drive vs crank speed', 'Natural frequencies, friction stuck',
      'Modes of the belt drive vs crank speed', 'Forced response to the crank orders',
      'Indicators of life and noise over a duty cycle, from fits and guidelines; for ranking designs, not a durability proof', 'Motion over time', 'Energy', 'Settings', 'Model']);
    const stage = page.locator('#statics figure.stage', { hasText: 'Arrows' }).first();
    let drawing = await frameOf(page, stage);
    const width = Number(await drawing.locator('.belt polyline').first().getAttribute('stroke-width'));
    /* Pulleys end where the belt begins. */
    const pulleys = (await circles(drawing.locator('.pulley circle'))).map(([x, y, r]) => [x, y, r + width / 2]);
    assert.equal(pulleys.length, 6);
    const [crank, , , pump, steering] = pulleys;
    const scale = (crank[0] - steering[0]) / 0.205; /* pixels per m */
    assert.ok(Math.abs((crank[1] - steering[1]) / 0.425 / scale - 1) < 2e-3);
    assert.ok(Math.abs(crank[2] / 0.0837 / scale - 1) < 2e-3 && Math.abs(pump[2] / 0.0611 / scale - 1) < 2e-3);
    /* The ends of the straight spans are the tangent points of the result. */
    const points = await page.evaluate(() => {
      const columns = capstan.page.groups.find((g) => g.kind === 'statics').table.columns;
      const value = (name) => capstan.values(columns.find((c) => c.name === name))[2]; /* 4000 rpm */
      return ['crank', 'tensioner', 'alternator', 'water_pump', 'steering_pump', 'compressor'].map((name) => ['from_x', 'from_y', 'to_x', 'to_y'].map((k) => value(`span.${name}.${k}`)));
    });
    assert.match(await drawing.textContent(), /812 N/);
    await page.locator('#statics .choice label', { hasText: '4000 rpm' }).click();
    drawing = await frameOf(page, stage);
    assert.match(await drawing.textContent(), /694 N/);
    assert.doesNotMatch(await drawing.textContent(), /812 N/);
    const spans = (await corners(drawing.locator('.belt polyline'))).filter((l) => l.length === 2);
    for (const [fx, fy, tx, ty] of points) {
      const at = (x, y) => [crank[0] + x * scale, crank[1] - y * scale];
      const near = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]) < 1;
      assert.ok(spans.some((l) => near(l[0], at(fx, fy)) && near(l[1], at(tx, ty))), `${fx} ${fy}`);
    }
    assert.equal(await drawing.locator('.hub').count(), 6);
    const names = await texts(drawing.locator('.label text'));
    for (const part of ['crank', 'water pump', 'arm']) assert.ok(names.some((n) => n.startsWith(part)), names.join());
    /* The tables below have followed, and the figures. */
    assert.match(await page.locator('#statics').textContent(), /Pulleys at 4000 rpm/);
    assert.match(await page.locator('#statics .drive-figures').textContent(), /crank19\.35 N m.*smallest slip safety3\.09crank/s);
    await picture(page, 'drive');
    assert.deepEqual(trouble, []);
  },

  async 'labels of a belt drive lie inside of the drawing and not on each other'() {
    const { page, trouble } = await open('drive');
    for (const speed of ['750 rpm', '6000 rpm']) {
      await page.locator('#statics .choice label', { hasText: speed }).click();
      const drawing = await frameOf(page, page.locator('#statics figure.stage').first());
      const area = await drawing.evaluate((s) => [Number(s.getAttribute('width')), Number(s.getAttribute('height'))]);
      const boxes = await drawing.locator('.label').evaluateAll((all) => all.map((t) => { const b = t.getBBox(); return [t.textContent, b.x, b.y, b.width, b.height]; }));
      assert.ok(boxes.length >= 18, String(boxes.length));
      /* The tension of a span is not taken for a load of a pulley: it is in none of them. */
      const discs = await circles(drawing.locator('.pulley circle'));
      const spans = boxes.filter(([text]) => / N$/.test(text)).slice(0, 6);
      assert.equal(spans.length, 6);
      for (const [text, x, y, w, h] of spans)
        for (const [cx, cy, r] of discs) assert.ok(Math.hypot(Math.max(x - cx, 0, cx - x - w), Math.max(y - cy, 0, cy - y - h)) > 0.9 * r, `${text} at ${speed} in a pulley`);
      for (const [text, x, y, w, h] of boxes) assert.ok(x >= 0 && x + w <= area[0] && y >= 0 && y + h <= area[1], text);
      boxes.forEach(([a, x, y, w, h], i) => boxes.slice(i + 1).forEach(([b, u, v, s, t]) =>
        assert.ok(x + w <= u + 2 || u + s <= x + 2 || y + h <= v + 4 || v + t <= y + 4, `${a} on ${b}`)));
    }
    assert.deepEqual(trouble, []);
  },

  async 'tables of a belt drive have units and can be copied'() {
    const { page, trouble } = await open('drive');
    const statics = await page.locator('#statics').textContent();
    for (const head of ['Speed [rpm]', 'Torque [N m]', 'Hub load [N]', 'Wrap [°]', 'Take-up [mm/°]', 'Creep [%]', 'Arm angle [°]']) assert.ok(statics.includes(head), head);
    const sheet = page.locator('#statics .sheet', { hasText: 'Tension of the spans [N]' });
    await page.locator('#statics summary', { hasText: 'Tables over all crank speeds' }).click();
    await page.evaluate(() => document.addEventListener('copy', () => (window.copied = document.activeElement.value)));
    await sheet.locator('button.copy').first().click();
    assert.equal(await sheet.locator('button.copy').first().textContent(), 'Copied');
    const rows = (await page.evaluate(() => window.copied)).split('\n').map((r) => r.split('\t'));
    assert.deepEqual(rows[0], ['Span after', '750 rpm', '2000 rpm', '4000 rpm', '6000 rpm']);
    assert.deepEqual(rows[6], ['compressor', '811.7', '683.8', '694.5', '821.0']);
    const torque = page.locator('#statics .sheet', { hasText: 'Torque from the belt [N m]' });
    await torque.locator('button.copy').first().click();
    assert.match(await page.evaluate(() => window.copied), /^crank\t-40\.11\t/m); /* a sign that spreadsheets read */
    assert.match(await page.locator('#statics .sheet', { hasText: 'Where the arm is without loads' }).textContent(), /without a belt, on its low stop225\.0[\d.]+–.*nominal belt253\.1[\d.]+350/);
    assert.deepEqual(trouble, []);
  },

  async 'hub loads and slip safeties are plotted vs crank speed, and a pulley has one colour on the whole page'() {
    const { page, trouble } = await open('drive');
    const plots = page.locator('#statics .tiles figure.plot');
    assert.deepEqual(await texts(plots.locator('figcaption')), ['Hub load vs crank speed', 'Slip safety vs crank speed', 'Tension of the spans vs crank speed', 'Torque from the belt vs crank speed']);
    for (const canvas of await plots.locator('canvas').all()) assert.ok((await ink(canvas)) > 200);
    assert.match(await plots.nth(1).locator('.legend').textContent(), /crank1\.831 … 3\.353.*limit1/);
    const swatch = (figure, name) => figure.locator('.legend-item', { hasText: name }).first().locator('.swatch').evaluate((s) => getComputedStyle(s).borderTopColor);
    const part = (box, name) => box.evaluate((e, n) => getComputedStyle([...e.querySelectorAll('.key')].find((k) => k.parentElement.textContent.startsWith(n))).backgroundColor, name);
    for (const name of ['compressor', 'alternator', 'steering pump']) {
      const seen = [await swatch(plots.nth(0), name), await swatch(plots.nth(1), name), await swatch(plots.nth(2), name), await part(page.locator('.energy-bar'), name), await part(page.locator('#energy .audit table').first(), name)];
      assert.equal(new Set(seen).size, 1, `${name}: ${seen}`);
    }
    assert.notEqual(await swatch(plots.nth(0), 'compressor'), await swatch(plots.nth(0), 'alternator'));
    assert.deepEqual(trouble, []);
  },

  async 'an extreme of the start is no headline, and is told with its instant'() {
    const { page, trouble } = await open('drive');
    const told = await page.locator('#summary .key-figures div', { hasText: 'largest tension' }).first().textContent();
    const [, value, start] = /^largest tension([\d.]+) N.*without the first 5 ms \(([\d.]+) N after 2 ms, start-up\)$/.exec(told) ?? assert.fail(told);
    const [head, whole] = await page.evaluate(() => {
      const { table } = capstan.page.groups.find((g) => g.kind === 'transient');
      const time = capstan.values(table.columns[0]);
      const spans = table.columns.filter((c) => /^span.*tension$/.test(c.name)).map((c) => Array.from(capstan.values(c)));
      const most = (from) => Math.max(...spans.flatMap((v) => v.filter((_x, i) => time[i] >= from)));
      return [most(time[0] + 0.1 * (time[time.length - 1] - time[0])), most(-1)];
    });
    assert.ok(Math.abs(Number(value) - head) < 0.06 && Math.abs(Number(start) - whole) < 0.06 && whole > head, `${told} ${head} ${whole}`);
    assert.deepEqual(trouble, []);
  },

  async 'a Campbell diagram has modes by their parts, orders, crossings and their list'() {
    const { page, trouble } = await open('drive');
    const plot = page.locator('#campbell figure').first();
    assert.ok((await ink(plot.locator('canvas'))) > 500);
    const legend = await texts(plot.locator('.legend-name'));
    assert.deepEqual(legend.slice(0, 3), ['Pulleys', 'Arm', 'crank → tensioner']);
    assert.deepEqual(legend.slice(-2), ['engine orders', 'crossing']);
    const second = page.locator('#campbell .sheet', { hasText: 'Order 2 meets' });
    assert.deepEqual(await texts(second.locator('tbody tr').first().locator('th, td')), ['Pulleys', '1', '789', '26.3']);
    assert.equal(await page.locator('#campbell .sheet', { hasText: 'meets' }).count(), 3);
    await plot.locator('.plot-host').focus();
    await page.keyboard.press('ArrowRight');
    assert.match(await plot.locator('.loop-tip').textContent(), /^mode 1[\d. ]+rpm, [\d.]+ Hzpulleys \d+ %.*damping ratio/);
    assert.match(await page.locator('#campbell').textContent(), /lowest order meets the pulleys789\.\d rpm/);
    await page.locator('#campbell details summary').first().click();
    assert.match(await page.locator('#campbell details').first().textContent(), /Frequency at 600 rpm \[Hz\]/);
    await page.locator('#campbell details summary').nth(1).click();
    await page.waitForTimeout(200);
    assert.ok((await page.locator('#campbell .panels figure').count()) > 0);
    assert.deepEqual(trouble, []);
  },

  async 'the response to the orders of the crank is drawn by channel, with a warning where the belt would be slack'() {
    const { page, trouble } = await open('drive');
    const plots = page.locator('#orders figure');
    assert.equal(await plots.count(), 2);
    for (const canvas of await plots.locator('canvas').all()) assert.ok((await ink(canvas)) > 200);
    assert.deepEqual(await texts(plots.first().locator('.legend-name')), ['order 2']);
    assert.match(await plots.first().locator('figcaption').textContent(), /^Amplitude: tension of the span after crank$/);
    const summary = await page.locator('#orders').textContent();
    assert.match(summary, /largest amplitude of a tension1\d{3} Norder 2 at 3[78]\d\d rpm, tension of the span after compressor/);
    assert.match(summary, /the linear response takes tensions below 0/);
    await page.locator('#orders select').selectOption({ label: 'angle of the tensioner arm' });
    await page.waitForTimeout(150);
    assert.match(await plots.first().locator('.legend-value').textContent(), /°$/);
    await page.locator('#orders details summary').first().click();
    assert.match(await page.locator('#orders details').first().textContent(), /span\.compressor\.tension1\d{3}3[78]\d\d/);
    assert.deepEqual(trouble, []);
  },

  async 'indicators of life are told as such, with shares, safeties and resonances'() {
    const { page, trouble } = await open('drive');
    const card = page.locator('#life');
    const text = await card.textContent();
    assert.match(text, /not a durability proof/);
    assert.match(text, /life of the belt\d{4} hthe target uses up [\d.]+ %/);
    assert.match(text, /most of the damage[\d.]+ %alternator/);
    const bars = page.locator('#life .share-row');
    assert.equal(await bars.count(), 6);
    const widths = await bars.locator('.share-fill').evaluateAll((all) => all.map((b) => b.getBoundingClientRect().width));
    assert.equal(Math.max(...widths), widths[2]); /* the alternator, the smallest */
    const life = await page.locator('#life').textContent();
    for (const head of ['Bearing L10 [h]', 'Time [%]', 'Static safety', 'Entry angle [°]', 'First frequency of the spans [Hz]', 'Orders that meet a span']) assert.ok(life.includes(head), head);
    await picture(page, 'drive');
    assert.deepEqual(trouble, []);
  },

  async 'a belt drive in motion is drawn at an instant, which slider and plots share'() {
    const { page, trouble } = await open('drive');
    const drive = page.locator('#summary figure.stage');
    const host = drive.locator('.stage-host');
    const before = await (await frameOf(page, drive)).innerHTML();
    await host.focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 12; i++) await page.keyboard.press('.');
    assert.match(await drive.locator('output').textContent(), /^0\.20600? s$/);
    assert.notEqual(await (await frameOf(page, drive)).innerHTML(), before);
    assert.match(await page.locator('#transient .panels .legend-at').first().textContent(), /^time 0\.206/);
    const chart = page.locator('#transient .panels .u-over').first();
    await chart.scrollIntoViewIfNeeded();
    const box = await chart.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForTimeout(100);
    assert.match(await drive.locator('output').textContent(), /^0\.22[45]\d+ s$/);
    assert.match(await page.locator('#transient .panels').textContent(), /speed \[rpm\]|span\.crank\.tension/);
    const energy = await page.locator('#energy').textContent();
    assert.match(energy, /taken by the load/);
    assert.match(energy, /parts below 0\.1 %/);
    assert.deepEqual(trouble, []);
  },

  async 'a belt of segments is drawn node by node, with the line load on its pulleys, and its spectra'() {
    const { page, trouble } = await open('segments');
    const drive = page.locator('#summary figure.stage');
    const drawing = await frameOf(page, drive);
    const dots = async () => circles((await frameOf(page, drive)).locator('.belt circle'));
    const before = await dots();
    assert.equal(before.length, 60);
    const [left] = await circles(drawing.locator('.pulley circle'));
    const pitch = left[2] + Number(await drawing.locator('.belt polyline').first().getAttribute('stroke-width')) / 2;
    /* Nodes around the left pulley lie on its pitch line. */
    const around = before.filter((p) => p[0] < left[0] - 10).map((p) => Math.hypot(p[0] - left[0], p[1] - left[1]) / pitch);
    assert.ok(around.length > 8 && around.every((r) => Math.abs(r - 1) < 0.02), around.join());
    assert.ok((await drawing.locator('.loads polygon').count()) >= 12);
    assert.match(await drive.locator('.stage-note').textContent(), /Bars: .*, at most [\d.]+ N/);
    /* 1000 rpm move the belt by 10.5 mm in a millisecond. */
    await drive.locator('.stage-host').focus();
    for (let i = 0; i < 10; i++) await page.keyboard.press('.');
    const after = await dots();
    const k = before.findIndex((p) => p[0] > left[0] + 40 && p[0] < left[0] + 120);
    const moved = Math.hypot(after[k][0] - before[k][0], after[k][1] - before[k][1]) / (pitch / 100);
    assert.ok(Math.abs(moved - 10.47) < 0.4, String(moved)); /* mm */
    assert.match(await page.locator('#summary').textContent(), /largest tension[\d.]+ Nspan after driven/);
    await page.locator('#transient summary', { hasText: 'Statistics of the channels' }).click();
    assert.match(await page.locator('#transient details[data-made] tbody tr').first().textContent(), /^span\.driver\.tensionN/);
    assert.match(await page.locator('#transient .sheet', { hasText: 'Hub loads in the run' }).textContent(), /driver[\d.]+/);
    assert.match(await page.locator('#transient .sheet', { hasText: 'Tensions in the run' }).textContent(), /Largest \[N\]Largest at, after the start/);
    assert.match(await page.locator('#transient .spectra').textContent(), /Spectra, window: hann.*span\.driver\.tension/s);
    assert.ok((await ink(page.locator('#transient .spectra canvas').first())) > 100);
    await picture(page, 'segments');
    assert.deepEqual(trouble, []);
  },

  async 'a belt drive on dark, narrow and printed pages'() {
    const { page, trouble } = await open('drive');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForTimeout(150);
    await picture(page, 'drive-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await picture(page, 'drive-narrow');
    await page.setViewportSize({ width: 1360, height: 900 });
    const pdf = await page.pdf({ format: 'A4', printBackground: true, ...(pictures ? { path: join(pictures, 'drive.pdf') } : {}) });
    assert.ok(pdf.length > 20000);
    assert.deepEqual(trouble, []);
  },
});
