/* menu.ts — a button that unfolds a short list of actions; arrows go through it, Escape or a click elsewhere folds it. */
import { el, uniqueId } from './dom';

export interface Entry {
  text: string;
  act: () => void | Promise<void>;
  stays?: boolean; /* the list stays unfolded, and `told` can say what was done */
}

export interface Menu {
  root: HTMLElement;
  told: HTMLElement; /* a line below the entries */
}

/* `entries` are asked for each time the list is unfolded. */
export function popMenu(kind: string, face: Node | string, label: string, entries: () => Entry[]): Menu {
  const told = el('span.menu-told', { role: 'status' });
  const id = uniqueId('menu');
  const list = el('div.menu-list', { id, hidden: true });
  const button = el('button.menu-button', { type: 'button', title: label.replace(/:.*/, ''), 'aria-label': label, 'aria-expanded': 'false', 'aria-controls': id }, face);
  const root = el('div.menu', {}, button, list);
  root.classList.add(kind);
  const away = ({ target }: Event): void => {
    if (target instanceof Element && (root.contains(target) || target.matches('textarea[aria-hidden]'))) return;
    show(false);
  };
  const show = (open: boolean): void => {
    if (open) list.replaceChildren(...entries().map(made), told);
    list.hidden = !open;
    button.setAttribute('aria-expanded', String(open));
    told.textContent = '';
    for (const event of ['pointerdown', 'focusin'])
      if (open) document.addEventListener(event, away);
      else document.removeEventListener(event, away);
    if (open) list.classList.toggle('below', root.getBoundingClientRect().top < list.offsetHeight + 60);
  };
  const made = (entry: Entry): HTMLElement => el('button', { type: 'button', click: () => {
    if (!entry.stays) (show(false), button.focus());
    void Promise.resolve(entry.act()).catch(() => (told.textContent = 'This browser does not allow it.'));
  } }, entry.text);
  button.addEventListener('click', () => show(list.hidden));
  root.addEventListener('keydown', (event) => {
    if (list.hidden) return;
    const all = [...list.querySelectorAll('button')];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'Escape') (show(false), button.focus());
    else if (event.key === 'ArrowDown') all[(at + 1) % all.length]?.focus();
    else if (event.key === 'ArrowUp') all[(at + all.length - (at < 0 ? 0 : 1)) % all.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { root, told };
}
