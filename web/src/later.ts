/* later.ts — drawings that a page can do without when it opens: one after the other as the browser has time, all of them before the
 * page is printed. */

let waiting: (() => void)[] = [];
let asked = false;

function step(): void {
  const begin = performance.now();
  asked = false;
  /* Some at once, but the page must answer in between. */
  try {
    while (waiting.length && performance.now() - begin < 16) waiting.shift()!();
  } finally {
    ask(); /* what one drawing throws is not the matter of the others */
  }
}

function ask(): void {
  if (asked || !waiting.length) return;
  asked = true;
  setTimeout(step);
}

export function later(draw: () => void): void {
  waiting.push(draw);
  ask();
}

window.addEventListener('beforeprint', () => {
  const all = waiting;
  waiting = [];
  all.forEach((draw) => draw());
});
