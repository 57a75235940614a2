/* run.mjs BUILD_DIR [NAME...] — the browser tests in one Chromium, each in a process and a context of its own.
 *
 * One line for each script: its outcome, its time, and how many tests it has; of those that fail, all that they printed. NAME is
 * browser_stage or stage. Scripts share nothing but the browser, so that the fall of one does not hide the others: when Chromium
 * itself dies, those that were in it run again, one at a time, each in a Chromium of its own. CAPSTAN_JOBS scripts run at a time,
 * or one more than there are cores. CAPSTAN_LEVEL: see support.mjs.
 * Exit code 0: all passed; 1: some failed; 77: nothing could be tested.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { source, startShared } from './chromium.mjs';

const here = join(source, 'tests', 'web');
const patience = 240; /* s for a script */

/* Scripts that take longest begin, so that none is left alone at the end. */
const longest = ['browser_access', 'browser_stage', 'browser_bodies', 'browser_elements'];

function scriptsOf(names) {
  const all = readdirSync(here).filter((f) => /^browser_.*\.mjs$/.test(f)).map((f) => f.replace(/\.mjs$/, '')).sort();
  const wanted = names.map((n) => n.replace(/^.*\//, '').replace(/\.mjs$/, '').replace(/^(?!browser_)/, 'browser_'));
  const unknown = wanted.filter((n) => !all.includes(n));
  if (unknown.length) throw new Error(`no such test: ${unknown.join(', ')}`);
  const list = wanted.length ? wanted : all;
  return [...longest.filter((n) => list.includes(n)), ...list.filter((n) => !longest.includes(n))];
}

/* Runs one script to its end, whatever that is. */
function runScript(name, build, address) {
  return new Promise((done) => {
    const begin = Date.now();
    const child = spawn(process.execPath, [join(here, `${name}.mjs`), build], { env: { ...process.env, CAPSTAN_BROWSER: address }, stdio: ['ignore', 'pipe', 'pipe'] });
    let [output, late] = ['', false];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    const timer = setTimeout(() => ((late = true), child.kill('SIGKILL')), 1000 * patience);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const why = late ? `not done after ${patience} s` : signal ? `ended by ${signal}` : '';
      done({ name, code: code ?? 1, why, output, seconds: (Date.now() - begin) / 1000 });
    });
  });
}

function report({ name, code, why, output, seconds }) {
  const tests = (output.match(/^ok {6}/gm) ?? []).length;
  const word = code === 0 ? 'ok     ' : code === 77 ? 'skipped' : 'FAILED ';
  const more = code === 0 ? `${tests} tests` : code === 77 ? output.trim().split('\n').pop() : [`${tests} tests passed`, why].filter(Boolean).join(', ');
  console.log(`${word} ${name.padEnd(22)} ${seconds.toFixed(1).padStart(6)} s  ${more}`);
  if (code !== 0 && code !== 77) console.log(output.replace(/^/gm, '    '));
}

/* Runs scripts in one browser; those that were in it when it died. */
async function runAll(names, build, jobs, results) {
  const queue = [...names];
  const server = await startShared();
  let alive = true;
  server.on('close', () => (alive = false));
  const hit = [];
  const worker = async () => {
    while (queue.length && alive) {
      const result = await runScript(queue.shift(), build, server.wsEndpoint());
      await new Promise((r) => setTimeout(r, 50)); /* the news of a browser that died may come after those of its script */
      if (!alive && result.code !== 0) hit.push(result.name);
      else report(results[results.push(result) - 1]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  await server.close();
  return [...hit, ...queue];
}

const [build, ...names] = process.argv.slice(2);
if (!build || build.startsWith('-')) {
  console.error('usage: node tests/web/run.mjs BUILD_DIR [NAME...]');
  process.exit(2);
}
for (const program of ['web_pages', 'capstan'])
  if (!existsSync(join(build, program))) {
    console.error(`run.mjs: ${join(build, program)} is missing: build it first`);
    process.exit(2);
  }

const begin = Date.now();
const jobs = Number(process.env.CAPSTAN_JOBS) || availableParallelism() + 1; // they wait for much of their time
const results = [];
const scripts = scriptsOf(names);
const again = await runAll(scripts, resolve(build), jobs, results);
if (again.length) console.log(`Chromium died: ${again.join(', ')} in a Chromium of their own`);
for (const name of again) {
  const left = await runAll([name], resolve(build), 1, results);
  if (left.length) report(results[results.push({ name, code: 1, why: 'Chromium died again', output: '', seconds: 0 }) - 1]);
}
const of = (code) => results.filter((r) => r.code === code).length;
const failed = results.length - of(0) - of(77);
console.log(`${of(0)} of ${scripts.length} scripts passed${of(77) ? `, ${of(77)} skipped` : ''}${failed ? `, ${failed} failed` : ''}, ${((Date.now() - begin) / 1000).toFixed(0)} s`);
process.exit(failed ? 1 : of(77) === results.length ? 77 : 0);
