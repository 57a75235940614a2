/* screenshots.mjs FOLDER PAGE.html[+]... — what a laptop shows of each page at first, as FOLDER/PAGE.png; with "+" the whole
 * page too, as FOLDER/PAGE_page.png. Pictures are 1000 pixels wide (whole pages 700) and have 256 colours, which keeps them
 * small. Fails when a page complains or is not laid out. */
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { paletted } from './palette_png.mjs';

const [folder, ...pages] = process.argv.slice(2);
const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!browserPath) throw new Error('no Chromium (scripts/setup.sh test installs it)');
const { chromium } = createRequire(join(dirname(fileURLToPath(import.meta.url)), '..', 'web', 'package.json'))('playwright-core');
const view = { width: 1360, height: 900 };
const longest = 5000; /* CSS pixels of a whole page */

const browser = await chromium.launch({ executablePath: browserPath, args: ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'] });

async function shoot(path, name, width, whole) {
  const context = await browser.newContext({ viewport: view, deviceScaleFactor: width / view.width, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (m) => m.type() === 'error' && trouble.push(m.text()));
  page.on('pageerror', (e) => trouble.push(String(e)));
  await page.goto(`file://${resolve(path)}`);
  await page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
  await page.waitForTimeout(600);
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
  if (trouble.length) throw new Error(`${path}: ${trouble.join('\n')}`);
  console.log(`${join(folder, name)}.png  ${Math.round(png.length / 1000)} kB`);
}

try {
  for (const word of pages) {
    const path = word.replace(/\+$/, ''), name = basename(path, '.html');
    await shoot(path, name, 1000, false);
    if (word !== path) await shoot(path, `${name}_page`, 700, true);
  }
} finally {
  await browser.close();
}
