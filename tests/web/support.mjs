/* support.mjs — what the browser tests share: pages opened from the disk in headless Chromium, and their running.
 *
 * Each browser_TOPIC.mjs is a test of its own: node browser_TOPIC.mjs PAGES_PROGRAM CAPSTAN_PROGRAM [SCREENSHOTS].
 * PAGES_PROGRAM is built from pages.c and makes pages with known contents; CAPSTAN_PROGRAM makes reports of real
 * drives. With a third argument, screenshots go to that folder. Exit code 77: Chromium or the page's packages are
 * missing, so nothing was tested.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const source = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const [pagesProgram, program, pictures] = process.argv.slice(2);
const packages = createRequire(join(source, 'web', 'package.json'));

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

export const packagePath = (name) => packages.resolve(name);

/* A package of web/; where it is missing nothing is tested. */
export function need(name) {
  try {
    return packages(name);
  } catch {
    return skip(`${name} is missing (npm ci in web/)`);
  }
}

const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!browserPath) skip('no Chromium (scripts/setup.sh test installs it)');
const { chromium } = need('playwright-core');

export const folder = mkdtempSync(join(tmpdir(), 'capstan-pages-'));
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
  executablePath: browserPath, args: flags, viewport: { width: 1360, height: 900 }, colorScheme: 'light',
});

/* A file of this test's folder as a page, with everything it complains about or asks the network for. */
export async function openFile(name) {
  const page = await context.newPage();
  const trouble = [];
  /* The advice about reading canvases is for this test, not for the page. */
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !/willReadFrequently/.test(m.text()) && trouble.push(m.text()));
  page.on('pageerror', (e) => trouble.push(e.stack));
  page.on('request', (r) => /^(file|data|blob):/.test(r.url()) || trouble.push(`request ${r.url()}`));
  await page.goto(`file://${join(folder, name)}`);
  await page.waitForSelector('html[data-ready]', { state: 'attached' });
  await page.waitForTimeout(400);
  return { page, trouble };
}

/* Two results on one page. */
function compare() {
  execFileSync(pagesProgram, [folder, 'full', 'runup'], { stdio: 'inherit' });
  execFileSync(program, ['report', join(folder, 'full.h5'), join(folder, 'runup.h5'), '-o', join(folder, 'compare.html')], { stdio: 'ignore' });
}

/* A page that pages.c makes, by its name; or "compare". */
export async function open(name) {
  if (name === 'compare') compare();
  else if (!existsSync(join(folder, `${name}.html`))) execFileSync(pagesProgram, [folder, name], { stdio: 'inherit' });
  return openFile(`${name}.html`);
}

const runs = new Map();

/* The report of a model that the program itself runs: the path of a model below the repository's top
 * ("examples/sheave.yaml") or the text of one. `set` are settings for --set, such as 'analyses.0.transient.until=0.1 s'.
 * The same model and settings are run once. The result file is `result` (in `folder`). */
export async function run(model, set = []) {
  const key = JSON.stringify([model, set]);
  if (!runs.has(key)) {
    const name = `run-${runs.size + 1}`;
    let path = join(source, model);
    if (model.includes('\n')) writeFileSync((path = join(folder, `${name}.yaml`)), model);
    const quiet = { stdio: ['ignore', 'ignore', 'inherit'] };
    const result = join(folder, `${name}.h5`);
    execFileSync(program, ['run', path, '-o', result, ...set.flatMap((s) => ['--set', s])], quiet);
    execFileSync(program, ['report', result], quiet);
    runs.set(key, name);
  }
  const name = runs.get(key);
  return { ...(await openFile(`${name}.html`)), result: join(folder, `${name}.h5`) };
}

/* Number of pixels of a plot's lines: those with a clear colour of their own, neither grid nor text. */
export const ink = (canvas) => canvas.evaluate((c) => {
  const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
  let n = 0;
  for (let i = 0; i < data.length; i += 4) {
    const spread = Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]);
    if (data[i + 3] > 100 && spread > 60) n++;
  }
  return n;
});

export const texts = (locator) => locator.allTextContents();

export async function picture(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}

/* Runs all tests of a file, {name: function}, and ends the process. Pages that a test opened are closed after it. */
export async function test(all) {
  let failed = 0;
  try {
    for (const [name, body] of Object.entries(all)) {
      const begin = Date.now();
      try {
        await body();
        console.log(`ok      ${name} (${((Date.now() - begin) / 1000).toFixed(1)} s)`);
      } catch (error) {
        failed++;
        console.log(`FAILED  ${name}\n${error.stack}`);
      }
      for (const page of context.pages().slice(1)) await page.close();
    }
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(failed ? 1 : 0);
}
