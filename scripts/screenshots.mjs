/* screenshots.mjs FOLDER PAGE.html[+]... — what a laptop shows of each page at first, as FOLDER/PAGE.png; with "+" the whole
 * page too, as FOLDER/PAGE_page.png. Pictures are 1000 pixels wide (whole pages 700) and have 256 colours, which keeps them
 * small. Fails, after all pictures, when a page complains to the console, or when in its light or dark form a text lies over another or is cut
 * (tests/web/layout.mjs). */
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layoutTrouble, unroll, watchTexts } from '../tests/web/layout.mjs';
import { paletted } from './palette_png.mjs';

const [folder, ...pages] = process.argv.slice(2);
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/chromium-headless-shell'].find(existsSync);
if (!browserPath) throw new Error('no Chromium (scripts/setup.sh test installs it)');
const { chromium } = createRequire(join(dirname(fileURLToPath(import.meta.url)), '..', 'web', 'package.json'))('playwright-core');
const view = { width: 1360, height: 900 };
const longest = 5000; /* CSS pixels of a whole page */

const browser = await chromium.launch({ executablePath: browserPath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'] });

const wrong = [];

/* The page as it is opened, with what it says to the console. */
async function opened(path, colorScheme, scale) {
  const context = await browser.newContext({ viewport: view, deviceScaleFactor: scale, colorScheme, reducedMotion: 'reduce' });
  await watchTexts(context);
  const page = await context.newPage();
  page.on('console', (m) => /willReadFrequently/.test(m.text()) || wrong.push(`${path}, ${colorScheme}: console: ${m.text()}`));
  page.on('pageerror', (e) => wrong.push(`${path}, ${colorScheme}: ${e}`));
  await page.goto(`file://${resolve(path)}`);
  await page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
  await page.waitForTimeout(600);
  return { context, page };
}

async function shoot(path, name, width, whole) {
  const { context, page } = await opened(path, 'light', width / view.width);
  let clip;
  if (whole) {
    /* Tall enough that whatever is drawn when it is seen is seen. */
    const height = Math.min(longest, await page.evaluate(() => document.documentElement.scrollHeight));
    await page.setViewportSize({ width: view.width, height });
    await page.waitForTimeout(1200);
    clip = { x: 0, y: 0, width: view.width, height };
  }
  const png = paletted(await page.screenshot(clip ? { clip } : {}));
  writeFileSync(join(folder, `${name}.png`), png);
  await context.close();
  console.log(`${join(folder, name)}.png  ${Math.round(png.length / 1000)} kB`);
}

/* All of the page, light and dark. */
async function look(path) {
  for (const scheme of ['light', 'dark']) {
    const { context, page } = await opened(path, scheme, 1);
    await unroll(page);
    wrong.push(...(await layoutTrouble(page)).map((t) => `${path}, ${scheme}: ${t}`));
    await context.close();
  }
}

try {
  for (const word of pages) {
    const path = word.replace(/\+$/, ''), name = basename(path, '.html');
    await shoot(path, name, 1000, false);
    if (word !== path) await shoot(path, `${name}_page`, 700, true);
    await look(path);
  }
} finally {
  await browser.close();
}
if (wrong.length) {
  console.error(`screenshots: ${wrong.length} ${wrong.length === 1 ? 'fault' : 'faults'}:\n${wrong.join('\n')}`);
  process.exit(1);
}
console.log(`${pages.length} pages, light and dark: no text covered or cut, nothing on the console`);
