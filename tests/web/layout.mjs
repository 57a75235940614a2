/* layout.mjs — what a reader of a page cannot read: texts that lie over each other, texts that are cut, and pages wider than the window.
 *
 * Texts of the page itself are measured by their lines, texts on canvases (plots, stages, maps) by what is drawn: watchTexts() must
 * be given to the context before its pages are opened. Both kinds are compared with each other, so that buttons over a picture and
 * labels in it count, too.
 *
 *     const context = await browser.newContext(...);
 *     await watchTexts(context);
 *     ...
 *     await unroll(page);                      // all of the page is drawn, whether it was seen or not
 *     const found = await layoutTrouble(page); // [] or one sentence for each place
 */

/* Keeps, for each canvas, the boxes of the texts that it shows, in its own pixels. */
function recordTexts() {
  const shown = new WeakMap();
  const clips = new WeakMap();
  const own = CanvasRenderingContext2D.prototype;
  const { fillText, clearRect, rect, clip, save, restore, beginPath } = own;
  const textsOf = (canvas) => shown.get(canvas) ?? (shown.set(canvas, []), shown.get(canvas));
  const stateOf = (c) => clips.get(c) ?? (clips.set(c, { now: null, stack: [], path: null }), clips.get(c));
  /* The upright box around a box of the context. */
  const around = (c, x, y, w, h) => {
    const m = c.getTransform();
    const corners = [[x, y], [x + w, y], [x, y + h], [x + w, y + h]].map(([a, b]) => [m.a * a + m.c * b + m.e, m.b * a + m.d * b + m.f]);
    const [xs, ys] = [corners.map((p) => p[0]), corners.map((p) => p[1])];
    return { x: Math.min(...xs), y: Math.min(...ys), width: Math.max(...xs) - Math.min(...xs), height: Math.max(...ys) - Math.min(...ys) };
  };
  const common = (a, b) => {
    const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
    return { x, y, width: Math.max(0, Math.min(a.x + a.width, b.x + b.width) - x), height: Math.max(0, Math.min(a.y + a.height, b.y + b.height) - y) };
  };
  own.fillText = function (text, x, y, ...more) {
    fillText.call(this, text, x, y, ...more);
    const said = String(text).trim();
    if (!said || this.globalAlpha < 0.05) return;
    const m = this.measureText(text);
    const [left, wide] = [x - m.actualBoundingBoxLeft, m.actualBoundingBoxLeft + m.actualBoundingBoxRight];
    const whole = { x: 0, y: 0, width: this.canvas.width, height: this.canvas.height };
    const { now } = stateOf(this);
    const { a, b } = this.getTransform();
    const n = Math.min(Math.abs(a), Math.abs(b)) > 0.02 * Math.hypot(a, b) ? said.length : 1; /* letter by letter where it is oblique */
    for (let k = 0; k < n; k++) {
      const box = around(this, left + (k * wide) / n, y - m.actualBoundingBoxAscent, wide / n, m.actualBoundingBoxAscent + m.actualBoundingBoxDescent);
      textsOf(this.canvas).push({ text: said, box, seen: common(box, now ? common(now, whole) : whole), of: n > 1 ? `${said} ${x} ${y}` : undefined });
    }
  };
  own.clearRect = function (x, y, w, h) {
    clearRect.call(this, x, y, w, h);
    const gone = around(this, x, y, w, h);
    shown.set(this.canvas, textsOf(this.canvas).filter(({ seen }) => seen.x < gone.x || seen.y < gone.y || seen.x + seen.width > gone.x + gone.width || seen.y + seen.height > gone.y + gone.height));
  };
  own.beginPath = function () {
    stateOf(this).path = null;
    beginPath.call(this);
  };
  own.rect = function (x, y, w, h) {
    stateOf(this).path = around(this, x, y, w, h);
    rect.call(this, x, y, w, h);
  };
  own.clip = function (...args) {
    const state = stateOf(this);
    if (state.path && !(args[0] instanceof Path2D)) state.now = state.now ? common(state.now, state.path) : state.path;
    clip.apply(this, args);
  };
  own.save = function () {
    const state = stateOf(this);
    state.stack.push(state.now);
    save.call(this);
  };
  own.restore = function () {
    const state = stateOf(this);
    if (state.stack.length) state.now = state.stack.pop();
    restore.call(this);
  };
  for (const side of ['width', 'height']) {
    const given = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, side);
    Object.defineProperty(HTMLCanvasElement.prototype, side, {
      ...given,
      set(value) {
        given.set.call(this, value); /* which empties it */
        shown.set(this, []);
      },
    });
  }
  window.capstanTexts = (canvas) => shown.get(canvas) ?? [];
}

export const watchTexts = (context) => context.addInitScript(recordTexts);

/* Everything is drawn as if it had been scrolled to; folds that are open stay open, and no other is opened unless asked for. */
export async function unroll(page, { folds = false } = {}) {
  if (folds) await page.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = true)));
  const { width, height } = page.viewportSize();
  let [before, now] = [0, await page.evaluate(() => document.documentElement.scrollHeight)];
  for (let k = 0; k < 3 && now !== before; k++) {
    await page.setViewportSize({ width, height: Math.min(30000, Math.max(height, now)) });
    await page.waitForTimeout(500);
    [before, now] = [now, await page.evaluate(() => document.documentElement.scrollHeight)];
  }
}

/* Texts over texts, cut texts, and a page that is wider than its window; one sentence each. */
export const layoutTrouble = (page) => page.evaluate(() => {
  const found = [];
  const place = (e) => `${e.closest('section[id]') ? `#${e.closest('section[id]').id}` : e.closest('header, nav')?.tagName.toLowerCase() ?? 'page'}`;
  const said = (text) => `"${text.replace(/\s+/g, ' ').trim().slice(0, 60)}"`;
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) found.push(`the page is ${wide} px wider than the window`);

  /* What of an element is inside all boxes around it that hide what reaches over them. */
  const windowOf = (e) => {
    let [x, y, right, bottom] = [-Infinity, -Infinity, Infinity, Infinity];
    for (let p = e; p && p !== document.documentElement; p = p.parentElement) {
      const style = getComputedStyle(p);
      if (style.position === 'fixed') break;
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const box = p.getBoundingClientRect();
      [x, right] = [Math.max(x, box.left), Math.min(right, box.right)];
      [y, bottom] = [Math.max(y, box.top), Math.min(bottom, box.bottom)];
    }
    return { x, y, right, bottom };
  };
  const boxes = []; /* {text, where, x, y, right, bottom, owner} */
  const put = (text, owner, box, of) => box.right - box.x > 1 && box.bottom - box.y > 1 && boxes.push({ text, owner, of, ...box });

  /* Texts of drawings that are neither level nor upright, letter by letter. */
  const oblique = (e) => {
    const m = e.getScreenCTM();
    return m && Math.min(Math.abs(m.a), Math.abs(m.b)) > 0.02 * Math.hypot(m.a, m.b);
  };
  const letters = (e, take) => {
    const m = e.getScreenCTM();
    for (let k = 0; k < e.getNumberOfChars(); k++) {
      const r = e.getExtentOfChar(k);
      const corners = [[r.x, r.y + 0.2 * r.height], [r.x + r.width, r.y + 0.2 * r.height], [r.x, r.y + 0.8 * r.height], [r.x + r.width, r.y + 0.8 * r.height]].map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
      const [xs, ys] = [corners.map((p) => p[0]), corners.map((p) => p[1])];
      take({ x: Math.min(...xs), y: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) });
    }
  };

  const visible = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }) && !e.closest('.unseen, [hidden]');
  /* Choices of a closed list are in nobody's way. */
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (n) => (!n.data.trim() || !n.parentElement || n.parentElement.closest('script, style, option, select, title, desc')
    ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  const range = document.createRange();
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!visible(e)) continue;
    const frame = windowOf(e);
    if (e instanceof SVGTextContentElement && oblique(e)) {
      letters(e, (box) => put(node.data, e, box));
      continue;
    }
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      if (r.width < 1 || r.height < 1) continue;
      const trim = e instanceof SVGElement ? 0.2 * r.height : 0.22 * r.height; /* the letters themselves */
      const box = { x: Math.max(frame.x, r.left), y: Math.max(frame.y, r.top + trim), right: Math.min(frame.right, r.right), bottom: Math.min(frame.bottom, r.bottom - trim) };
      put(node.data, e, box);
    }
  }
  for (const e of document.querySelectorAll('button, select, input:not([type=radio]):not([type=checkbox])')) {
    if (!visible(e) || (e.textContent.trim() && e.tagName === 'BUTTON')) continue;
    const r = e.getBoundingClientRect();
    const frame = windowOf(e);
    put(`[${e.getAttribute('aria-label') ?? e.title ?? e.tagName}]`, e, { x: Math.max(frame.x, r.left + 1), y: Math.max(frame.y, r.top + 1), right: Math.min(frame.right, r.right - 1), bottom: Math.min(frame.bottom, r.bottom - 1) });
  }
  for (const canvas of document.querySelectorAll('canvas')) {
    if (!visible(canvas)) continue;
    const r = canvas.getBoundingClientRect();
    const share = r.width / canvas.width;
    const down = r.height / canvas.height;
    for (const { text, box, seen, of } of window.capstanTexts?.(canvas) ?? []) {
      if (seen.width < 1 || seen.height < 1) continue;
      const lost = Math.max((box.width - seen.width) * share, (box.height - seen.height) * down);
      if (lost > 1) found.push(`${place(canvas)}: ${said(text)} is cut by ${lost.toFixed(0)} px at the rim of its picture`);
      put(text, canvas, { x: r.left + seen.x * share, y: r.top + seen.y * down, right: r.left + (seen.x + seen.width) * share, bottom: r.top + (seen.y + seen.height) * down }, of);
    }
  }

  boxes.sort((a, b) => a.y - b.y);
  const seenPairs = new Set();
  for (let i = 0; i < boxes.length; i++)
    for (let k = i + 1; k < boxes.length && boxes[k].y < boxes[i].bottom; k++) {
      const [a, b] = [boxes[i], boxes[k]];
      const [across, along] = [Math.min(a.right, b.right) - Math.max(a.x, b.x), Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y)];
      if (across < 1.5 || along < 1.5 || (a.of && a.of === b.of) || (a.owner === b.owner && a.owner instanceof SVGElement)) continue; /* letters of one text */
      if (a.owner.tagName !== 'CANVAS' && (a.owner.contains(b.owner) || b.owner.contains(a.owner)) && a.owner !== b.owner) continue; /* a control and what is in it */
      if (a.owner.closest('nav') || b.owner.closest('nav')) continue; /* stays in view, over the page */
      const what = `${place(a.owner)}: ${said(a.text)} and ${said(b.text)} lie over each other, ${across.toFixed(0)} x ${along.toFixed(0)} px`;
      if (!seenPairs.has(what)) found.push(what);
      seenPairs.add(what);
    }

  /* Texts that their boxes cut, and boxes that must be scrolled to be read. */
  for (const e of document.querySelectorAll('body *')) {
    const style = getComputedStyle(e);
    if (e.closest('canvas, svg, .u-wrap, select, pre, nav, .stage-host') || !/auto|scroll|hidden|clip/.test(`${style.overflowX} ${style.overflowY}`) || !visible(e)) continue;
    const scrolls = /auto|scroll/.test(style.overflowX);
    const over = e.scrollWidth - e.clientWidth;
    if (over > 1 && e.textContent.trim() && !(scrolls && window.innerWidth < 900)) found.push(`${place(e)}: ${e.tagName.toLowerCase()}.${e.className} ${scrolls ? 'must be scrolled' : 'is cut'} by ${over} px: ${said(e.textContent)}`);
    const below = e.scrollHeight - e.clientHeight;
    if (below > 2 && !/auto|scroll/.test(style.overflowY) && e.textContent.trim() && style.overflowY !== 'visible') found.push(`${place(e)}: ${e.tagName.toLowerCase()}.${e.className} is cut below by ${below} px: ${said(e.textContent)}`);
  }
  return found;
});
