/* build.mjs — bundles src/ and template.html into one HTML file without references to anything outside.
 *
 * Usage: node build.mjs [OUT.html]     (default dist/report.html)
 * The program that embeds the file replaces the comments "capstan:data" and "capstan:blocks" by the data of a report.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

const bundle = async (entry, loader, plugins = []) => {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: loader === 'js' ? 'iife' : undefined,
    target: ['chrome90', 'firefox90', 'safari15'],
    charset: 'ascii',
    legalComments: 'none',
    absWorkingDir: here,
    plugins,
  });
  return result.outputFiles[0].text;
};

/* A function as replacement: "$" in the bundle must not be taken for a pattern. */
const put = (text, mark, value) => {
  if (text.split(mark).length !== 2) throw new Error(`template.html must contain ${mark} exactly once`);
  return text.replace(mark, () => value);
};

/* The page without data. Tests bundle it with plugins. */
export async function makePage(plugins = []) {
  const style = await bundle('style.css', 'css');
  const program = (await bundle('main.ts', 'js', plugins)).replace(/<\/script/gi, '<\\/script');
  let page = await readFile(join(here, 'template.html'), 'utf8');
  const licence = await readFile(join(here, 'node_modules', 'uplot', 'LICENSE'), 'utf8');
  page = put(page, '<!--capstan:licence-->', `<!--\nPlots: uPlot\n\n${licence.replace(/--+/g, '-').trim()}\n-->`);
  page = put(page, '/*capstan:style*/', style);
  /* the page's own program runs, and no script that a text of the model might bring along */
  page = put(page, 'capstan:hash', `sha256-${createHash('sha256').update(program).digest('base64')}`);
  return put(page, '/*capstan:program*/', program);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const out = process.argv[2] ?? join(here, 'dist', 'report.html');
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, await makePage());
}
