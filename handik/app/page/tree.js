// The scene as a tree: one stop of Tab, arrows walk and fold, Enter and Space choose, letters jump; marks hide and lock.

import { make } from './dom.js';
import { word } from './words.js';

/** Which kinds a choice lists; what is drawn as an outline and pulled up is a 2D object. */
const SORTS = {
  solids: ['box', 'sphere', 'capsule', 'cylinder', 'plane', 'mesh'],
  outlines: ['floorplan', 'prism'],
  lights: ['light'],
  cameras: ['camera'],
  figures: ['figure'],
  targets: ['target'],
  paths: ['via'],
};

export class Tree {
  /** `sort`: a choice of SORTS; `on`: select(paths), act(action, path). */
  constructor(home, search, sort, empty, on) {
    Object.assign(this, { home, search, sort, empty, on, folded: new Set(), at: null, rows: [] });
    search.addEventListener('input', () => this.draw());
    sort.addEventListener('change', () => this.draw());
    home.addEventListener('keydown', (event) => this.#key(event));
    home.addEventListener('click', (event) => this.#click(event));
    home.addEventListener('dblclick', (event) => {
      const item = event.target.closest('[role="treeitem"]');
      if (item) on.act('rename', item.dataset.path);
    });
    home.addEventListener('focusin', (event) => this.#rove(event.target.closest('[role="treeitem"]')));
  }

  /** `kindWords(kind)` names what a node is. */
  set(rows, selection, kindWords) {
    const now = JSON.stringify(rows.map(({ path, name, parent, hidden, locked }) => [path, name, parent, hidden, locked]));
    const same = now === this.now && JSON.stringify(selection) === JSON.stringify(this.selection);
    Object.assign(this, { rows, selection, kindWords, now });
    if (!same) this.draw();
  }

  draw() {
    const focused = this.home.contains(document.activeElement) ? document.activeElement.dataset.path : null;
    const wanted = this.search.value.trim().toLowerCase();
    const kinds = SORTS[this.sort.value];
    const kept = new Set();
    const byPath = new Map(this.rows.map((row) => [row.path, row]));
    for (const row of this.rows) {
      const matches = (!kinds || kinds.includes(row.kind))
        && `${row.name} ${this.kindWords(row.kind)}`.toLowerCase().includes(wanted);
      for (let up = matches ? row : null; up; up = byPath.get(up.parent)) kept.add(up.path);
    }
    const below = new Map();
    for (const row of this.rows.filter(({ path }) => kept.has(path))) {
      const parent = byPath.has(row.parent) ? row.parent : null;
      below.set(parent, [...(below.get(parent) ?? []), row]);
    }
    this.home.replaceChildren(...(below.get(null) ?? []).map((row) => this.#item(row, below, 1, Boolean(wanted || kinds))));
    this.empty.hidden = kept.size > 0;
    this.empty.textContent = word(this.rows.length ? 'nothing_found' : 'empty');
    const items = this.items();
    const at = items.find((item) => item.dataset.path === (focused ?? this.at ?? this.selection[0])) ?? items[0];
    this.#rove(at);
    if (focused && at) at.focus();
  }

  #item(row, below, level, open) {
    const children = below.get(row.path) ?? [];
    const folded = !open && this.folded.has(row.path);
    const marks = ['hidden', 'locked'].filter((name) => row[name]).map((name) => word(name));
    const label = make('span', { className: 'label', textContent: row.name, title: this.kindWords(row.kind) });
    const mark = (name, on, sign) => make('span', {
      className: 'mark', textContent: sign, data: { act: name }, aria: { hidden: 'true' }, title: word(name), hidden: !on,
    });
    const branch = make('div', { className: `branch${row.hidden ? ' off' : ''}` },
      make('span', { className: 'fold', textContent: children.length ? (folded ? '▸' : '▾') : '', aria: { hidden: 'true' } }),
      label, mark('unlock', row.locked, '🔒'), mark(row.hidden ? 'show' : 'hide', true, row.hidden ? '○' : '●'));
    const name = [row.name, this.kindWords(row.kind), ...marks].join(', ');
    const item = make('div', {
      role: 'treeitem', tabIndex: -1, data: { path: row.path },
      aria: { level: String(level), selected: String(this.selection.includes(row.path)), label: name },
    }, branch);
    if (children.length) {
      item.setAttribute('aria-expanded', String(!folded));
      if (!folded) {
        item.append(make('div', { role: 'group', className: 'twigs' },
          ...children.map((child) => this.#item(child, below, level + 1, open))));
      }
    }
    return item;
  }

  items() {
    return [...this.home.querySelectorAll('[role="treeitem"]')];
  }

  #rove(item) {
    if (!item) return;
    for (const other of this.items()) other.tabIndex = other === item ? 0 : -1;
    this.at = item.dataset.path;
  }

  #fold(item, folded) {
    if (!item.hasAttribute('aria-expanded')) return false;
    if ((item.getAttribute('aria-expanded') === 'false') === folded) return false;
    if (folded) this.folded.add(item.dataset.path);
    else this.folded.delete(item.dataset.path);
    this.draw();
    return true;
  }

  #select(path, add) {
    if (!add) this.on.select([path]);
    else if (this.selection.includes(path)) this.on.select(this.selection.filter((other) => other !== path));
    else this.on.select([...this.selection, path]);
  }

  #click(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (!item) return;
    const act = event.target.closest('[data-act]');
    if (act) this.on.act(act.dataset.act, item.dataset.path);
    else if (event.target.closest('.fold')) this.#fold(item, item.getAttribute('aria-expanded') === 'true');
    else {
      item.focus();
      this.#select(item.dataset.path, event.ctrlKey || event.metaKey || event.shiftKey);
    }
  }

  #key(event) {
    const item = event.target.closest('[role="treeitem"]');
    if (!item || event.altKey || event.metaKey) return;
    const items = this.items();
    const k = items.indexOf(item);
    const up = item.parentElement.closest('[role="treeitem"]');
    const jobs = {
      ArrowDown: () => items[k + 1]?.focus(),
      ArrowUp: () => items[k - 1]?.focus(),
      Home: () => items[0].focus(),
      End: () => items.at(-1).focus(),
      ArrowRight: () => this.#fold(item, false) || item.querySelector('[role="treeitem"]')?.focus(),
      ArrowLeft: () => this.#fold(item, true) || up?.focus(),
      Enter: () => this.#select(item.dataset.path, event.ctrlKey || event.shiftKey),
      ' ': () => this.#select(item.dataset.path, event.ctrlKey || event.shiftKey),
      F2: () => this.on.act('rename', item.dataset.path),
      Delete: () => this.on.act('delete', item.dataset.path, this.selection.includes(item.dataset.path) ? [...this.selection] : [item.dataset.path]),
    };
    const letter = event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.shiftKey;
    if (!jobs[event.key] && !letter) return;
    event.preventDefault();
    event.stopPropagation();
    if (jobs[event.key]) jobs[event.key]();
    else {
      const turn = [...items.slice(k + 1), ...items.slice(0, k + 1)];
      turn.find((other) => other.getAttribute('aria-label').toLowerCase().startsWith(event.key.toLowerCase()))?.focus();
    }
  }
}
