// The menu bar, as readers of screens know it: one stop of Tab, arrows along and into the menus, letters jump, Escape leaves.

import { make } from './dom.js';
import { currentLanguage } from './words.js';

/** Keys as people read them: "Control+Shift+Z" -> "Ctrl+Shift+Z". */
const KEYS = { Control: 'Ctrl', Meta: 'Cmd', Escape: 'Esc' };
const FRENCH = { Control: 'Ctrl', Meta: 'Cmd', Escape: 'Échap', Shift: 'Maj', Delete: 'Suppr', Insert: 'Inser', Enter: 'Entrée', Home: 'Début', End: 'Fin', PageUp: 'Page haut', PageDown: 'Page bas', Backspace: 'Retour arrière', ' ': 'Espace' };
export const keyWords = (key) => (key ?? '').split('+').map((part) => (currentLanguage() === 'fr' ? FRENCH : KEYS)[part] ?? part).join('+');

export class MenuBar {
  /** `rows()` gives [{id, words, items: [{id, words, key, disabled, checked} or null]}]; `perform(id)`. */
  constructor(bar, rows, perform) {
    Object.assign(this, { bar, rows, perform, open: null });
    addEventListener('pointerdown', (event) => { if (!bar.contains(event.target)) this.close(); });
    bar.addEventListener('focusout', (event) => {
      if (event.relatedTarget && !bar.contains(event.relatedTarget)) this.close();
    });
  }

  /** Titles anew: at the start and when the language changes. Their entries are made when a menu opens. */
  draw() {
    const at = this.titles?.indexOf(document.activeElement) ?? -1;
    this.open = null;
    this.titles = this.rows().map((row, k) => {
      const title = make('button', {
        type: 'button', className: 'menu-title', role: 'menuitem', textContent: row.words, tabIndex: k ? -1 : 0,
        aria: { haspopup: 'menu', expanded: 'false' }, data: { menu: row.id },
        on: {
          click: () => (this.open === k ? this.close() : this.show(k)),
          keydown: (event) => this.#titleKey(event, k),
          pointerenter: () => { if (this.open !== null && this.open !== k) this.show(k); },
        },
      });
      return title;
    });
    this.bar.replaceChildren(...this.titles.map((title) => make('li', { role: 'none' }, title)));
    if (at >= 0) this.titles[at]?.focus();
  }

  show(k, last = false) {
    this.close();
    const row = this.rows()[k];
    const title = this.titles[k];
    const list = make('ul', { role: 'menu', className: 'menu', aria: { label: row.words } });
    for (const item of row.items) {
      if (item === null) list.append(make('li', { role: 'separator' }));
      else list.append(this.#entry(item, k));
    }
    title.parentElement.append(list);
    title.setAttribute('aria-expanded', 'true');
    this.open = k;
    this.#rove(k);
    const entries = this.#entries();
    entries[last ? entries.length - 1 : 0]?.focus();
  }

  #entry(item, k) {
    const kind = item.checked === undefined ? 'menuitem' : 'menuitemcheckbox';
    const entry = make('li', {
      role: kind, tabIndex: 0, data: { action: item.id },
      on: { click: () => this.#choose(item), keydown: (event) => this.#entryKey(event, k, item) },
    }, make('span', { textContent: item.words }), item.key ? make('kbd', { textContent: keyWords(item.key) }) : null);
    if (item.key) entry.setAttribute('aria-keyshortcuts', item.key);
    if (item.checked !== undefined) entry.setAttribute('aria-checked', String(item.checked));
    if (item.disabled) entry.setAttribute('aria-disabled', 'true');
    return entry;
  }

  #entries() {
    return [...this.bar.querySelectorAll('.menu [role^="menuitem"]')];
  }

  close(focus = false) {
    if (this.open === null) return;
    const title = this.titles[this.open];
    this.open = null;
    title.setAttribute('aria-expanded', 'false');
    if (focus) title.focus();
    title.parentElement.querySelector('.menu')?.remove();
  }

  #choose(item) {
    if (item.disabled) return;
    this.close(true);
    this.perform(item.id);
  }

  #rove(k) {
    this.titles.forEach((title, row) => { title.tabIndex = row === k ? 0 : -1; });
  }

  #beside(k, step, open) {
    const next = (k + step + this.titles.length) % this.titles.length;
    this.#rove(next);
    if (open) this.show(next);
    else this.titles[next].focus();
  }

  #titleKey(event, k) {
    const jobs = {
      ArrowRight: () => this.#beside(k, 1, false),
      ArrowLeft: () => this.#beside(k, -1, false),
      ArrowDown: () => this.show(k),
      ArrowUp: () => this.show(k, true),
      Home: () => this.#beside(0, 0, false),
      End: () => this.#beside(-1, 0, false),
    };
    if (!jobs[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    jobs[event.key]();
  }

  #entryKey(event, k, item) {
    const entries = this.#entries();
    const at = entries.indexOf(event.currentTarget);
    const to = (row) => entries[(row + entries.length) % entries.length].focus();
    const jobs = {
      ArrowDown: () => to(at + 1),
      ArrowUp: () => to(at - 1),
      Home: () => to(0),
      End: () => to(-1),
      ArrowRight: () => this.#beside(k, 1, true),
      ArrowLeft: () => this.#beside(k, -1, true),
      Escape: () => this.close(true),
      Enter: () => this.#choose(item),
      ' ': () => this.#choose(item),
    };
    if (event.key === 'Tab') this.close();
    else if (jobs[event.key]) {
      event.preventDefault();
      event.stopPropagation();
      jobs[event.key]();
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      event.stopPropagation();
      const letter = event.key.toLowerCase();
      const turn = [...entries.slice(at + 1), ...entries.slice(0, at + 1)];
      turn.find((entry) => entry.textContent.toLowerCase().startsWith(letter))?.focus();
    }
  }
}
