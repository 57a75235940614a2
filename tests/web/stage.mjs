/* stage.mjs — what tests of moving pictures share. */
import { contentsOf } from './support.mjs';

/* Clicks a button of a stage that saves a file, and reads it. */
export async function saved(page, stage, name) {
  const [file] = await Promise.all([page.waitForEvent('download'), stage.getByRole('button', { name: new RegExp(`as ${name}$`) }).click()]);
  return { name: file.suggestedFilename(), bytes: await contentsOf(file) };
}

/* The frame that a stage shows, saved as SVG and put into the page: a locator of the drawing. */
export async function frameOf(page, stage) {
  const { bytes } = await saved(page, stage, 'SVG');
  await page.evaluate((text) => {
    const drawing = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    if (drawing.nodeName !== 'svg') throw new Error('the saved picture is not SVG');
    document.getElementById('saved-frame')?.remove();
    const host = document.body.appendChild(document.createElement('div'));
    host.id = 'saved-frame';
    host.style.cssText = 'position:absolute;left:0;top:0;z-index:-1';
    host.append(document.importNode(drawing, true));
  }, bytes.toString());
  return page.locator('#saved-frame svg');
}

/* Centres and radii of circles, in pixels of the drawing. */
export const circles = (locator) => locator.evaluateAll((all) => all.map((c) => ['cx', 'cy', 'r'].map((k) => Number(c.getAttribute(k)))));

/* Corners of lines and outlines. */
export const corners = (locator) => locator.evaluateAll((all) => all.map((l) => l.getAttribute('points').split(' ').map((p) => p.split(',').map(Number))));
