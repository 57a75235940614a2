/* print.ts — on paper nothing scrolls: tables that are wider than the paper are made smaller.
 *
 * While a page is printed its root has the class "printing", under which main is as wide as an A4 page between its margins and tables
 * are narrow (base.css), so that what is measured here is what will be printed. */

const least = 0.4; /* of the size; what is still wider then is broken by its words */

function fit(table: HTMLTableElement): void {
  const host = table.parentElement;
  if (!host || !table.checkVisibility?.()) return;
  const [needed, room] = [table.scrollWidth, host.clientWidth];
  if (needed > room && room > 0) table.style.setProperty('zoom', String(Math.max(least, Math.floor((1000 * room) / needed) / 1000)));
}

window.addEventListener('beforeprint', () => {
  document.documentElement.classList.add('printing');
  document.querySelectorAll('table').forEach(fit);
});

window.addEventListener('afterprint', () => {
  document.documentElement.classList.remove('printing');
  document.querySelectorAll('table').forEach((t) => t.style.removeProperty('zoom'));
});
