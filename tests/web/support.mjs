/* support.mjs — what the browser tests share: pages opened from the disk in headless Chromium, and their running.
 *
 * Each browser_TOPIC.mjs is a test of its own: node browser_TOPIC.mjs [BUILD_DIR [SCREENSHOTS]], with build/release as BUILD_DIR
 * where none is given; run.mjs runs all of them in one Chromium. BUILD_DIR has web_pages, built from pages.c, which makes pages with
 * known contents, and capstan, which makes reports of real drives. With SCREENSHOTS, pictures go to that folder. Exit code 77:
 * Chromium or the page's packages are missing, so nothing was tested.
 *
 * CAPSTAN_LEVEL=all runs long loops in full; otherwise (quick, test) over what stands for the rest: see looped().
 * CAPSTAN_BROWSER is the address of a Chromium that runs already (run.mjs); without it the test starts its own.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { source, startOrJoin } from './chromium.mjs';

export { need, packagePath, source } from './chromium.mjs';

const [build = join(source, 'build', 'release'), screenshots] = process.argv.slice(2);
export const pagesProgram = resolve(build, 'web_pages');
export const program = resolve(build, 'capstan');
export const pictures = screenshots;

/* What a long loop goes over: `all` of it at CAPSTAN_LEVEL=all, otherwise those of them that stand for the rest. */
export function looped(all, short) {
  if (process.env.CAPSTAN_LEVEL === 'all') return all;
  console.log(`        short loop: ${short.length} of ${all.length}, without ${all.filter((n) => !short.includes(n)).join(', ')}`);
  return short;
}

export const folder = mkdtempSync(join(tmpdir(), 'capstan-pages-'));

const browser = await startOrJoin(process.env.CAPSTAN_BROWSER);
export const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, colorScheme: 'light' });

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

/* What a download has. */
export async function contentsOf(download) {
  const path = join(folder, `download-${Math.random().toString(36).slice(2)}`);
  await download.saveAs(path);
  return readFileSync(path);
}

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
      for (const page of context.pages()) await page.close();
    }
  } finally {
    await browser.close().catch(() => {}); /* of a shared one: what this test opened in it */
    rmSync(folder, { recursive: true, force: true });
  }
  process.exit(failed ? 1 : 0);
}
