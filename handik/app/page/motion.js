// Motions: opened from files, recorded by dragging, kept in a library with a search, played, changed, saved.

import { make, setText } from './dom.js';
import { number, word } from './words.js';

const UNITS = [['1', 'm'], ['0.01', 'cm'], ['0.001', 'mm'], ['0.0254', 'in']];
const EDITS = [['motion_smooth', 'motion.smooth'], ['motion_mirror', 'motion.mirror'], ['motion_pace', 'motion.pace'], ['motion_lead', 'motion.lead']];

export class MotionPanel {
  /** `on`: perform(id), do(action, args), open(how). */
  constructor(home, store, on) {
    Object.assign(this, { home, store, on, scale: '0.01', up: 'y' });
  }

  draw() {
    const button = (key, id, go = '') => make('button', { type: 'button', className: go, textContent: word(key), data: { action: id }, on: { click: () => this.on.perform(id) } });
    const pair = (key, control) => make('div', { className: 'pair' }, make('label', { htmlFor: control.id, textContent: word(key) }), control);
    const list = (id, rows, value, changed) => {
      const select = make('select', { id }, ...rows.map(([one, words]) => make('option', { value: one, textContent: words, selected: one === value })));
      select.addEventListener('change', () => changed(select.value));
      return select;
    };
    const unit = list('motion-unit', UNITS, this.scale, (value) => { this.scale = value; });
    const up = list('motion-up', [['y', 'y'], ['z', 'z']], this.up, (value) => { this.up = value; });
    this.record = make('button', { type: 'button', data: { action: 'motion.record' }, on: { click: () => this.on.do('motion.record', {}) } });
    this.edits = EDITS.map(([key, id]) => button(key, id));
    this.save = button('motion_save', 'motion.save');
    this.keep = button('motion_keep', 'motion.keep');
    this.find = button('motion_find', 'motion.find');
    this.search = make('input', { type: 'search', id: 'motion-search', placeholder: word('search'), aria: { label: `${word('search')}: ${word('motion_library')}` } });
    this.search.addEventListener('input', () => this.#list(true));
    this.list = make('ul', { className: 'changes' });
    this.home.replaceChildren(make('div', { className: 'form' },
      make('div', { className: 'row' }, make('button', { type: 'button', className: 'go', textContent: word('motion_open'), data: { action: 'motion.open' }, on: { click: () => this.on.open({ scale: Number(this.scale), up: this.up }) } }), this.record),
      pair('motion_unit', unit), pair('motion_up', up),
      make('h3', { textContent: word('motion_shown') }), make('div', { className: 'row' }, ...this.edits, this.keep, this.save),
      make('h3', { textContent: word('motion_library') }), make('div', { className: 'row' }, this.search, this.find), this.list));
    this.now = null;
    this.show();
  }

  show() {
    if (!this.list) return;
    const { recording, disabled } = this.store.document;
    setText(this.record, word(recording ? 'motion_record_end' : 'motion_record'));
    this.record.setAttribute('aria-pressed', String(Boolean(recording)));
    for (const one of [...this.edits, this.save, this.keep, this.find, this.record]) one.disabled = disabled.includes(one.dataset.action);
    this.#list();
  }

  #list(anew = false) {
    const { motions = {} } = this.store.document;
    const now = JSON.stringify(motions);
    if (!anew && now === this.now) return;
    this.now = now;
    const wanted = this.search.value.trim().toLowerCase();
    const rows = Object.entries(motions).filter(([name]) => name.toLowerCase().includes(wanted));
    this.list.replaceChildren(...rows.map(([name, { duration, rows: count }]) => make('li', { className: 'with-off' },
      make('button', { type: 'button', data: { motion: name }, textContent: `${name}, ${number(duration, 1)} s, ${number(count)}`, on: { click: () => this.on.do('motion.use', { name }) } }),
      make('button', { type: 'button', className: 'off', textContent: '×', title: word('forget'), aria: { label: `${word('forget')}: ${name}` }, on: { click: () => this.on.do('motion.forget', { name }) } }))),
    rows.length ? '' : make('li', { className: 'quiet', textContent: word(Object.keys(motions).length ? 'nothing_found' : 'empty') }));
  }
}
