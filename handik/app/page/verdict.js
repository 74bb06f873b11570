// The verdict: can it be reached, why not, and the cheapest changes; a press on one shows or applies it.

import { make } from './dom.js';
import { number, own, word } from './words.js';

export class VerdictPanel {
  /** `on`: ask(name, args). */
  constructor(home, store, on) {
    Object.assign(this, { home, store, on });
  }

  draw() {
    this.now = null;
    this.body = make('div', {});
    this.home.replaceChildren(
      make('div', { className: 'row' }, make('button', {
        type: 'button', className: 'go', textContent: word('ask_verdict'), data: { ask: 'verdict' },
        on: { click: () => this.on.ask('verdict', {}) },
      })), this.body);
    this.show();
  }

  show() {
    if (!this.body) return;
    const { verdict } = this.store.document;
    const now = JSON.stringify(verdict ?? null);
    if (now === this.now) return;
    this.now = now;
    if (!verdict) {
      this.body.replaceChildren(make('p', { className: 'quiet', textContent: word('no_verdict') }));
      return;
    }
    const words = word(`verdict_${verdict.verdict}`);
    const look = { yes: 'good', no: 'bad' }[verdict.verdict] ?? '';
    const [low, high] = verdict.short ?? [];
    this.body.replaceChildren(make('div', { className: `card ${look}` },
      make('strong', { textContent: words, data: { path: 'verdict.verdict' } }),
      make('p', { textContent: verdict.sentence }),
      verdict.target ? make('p', { className: 'quiet', textContent: `${word('target')}: ${verdict.target}` }) : null,
      low > 0 ? make('p', { textContent: `${word('short_by')}: ${number(low * 1000)} … ${high === null ? '?' : number(high * 1000)} mm` }) : null),
    make('button', { type: 'button', textContent: word('show_witness'), data: { ask: 'witness' }, on: { click: () => this.on.ask('witness', {}) } }),
    this.#changes(verdict.changes ?? []));
  }

  #changes(rows) {
    if (!rows.length) return '';
    return make('section', {}, make('h3', { textContent: word('changes') }),
      make('ul', { className: 'changes' }, ...rows.map((row) => make('li', {}, row.q
        ? make('button', { type: 'button', textContent: own(row.words) || row.words, title: word('show_witness'), on: { click: () => this.on.ask('witness', {}) } })
        : make('p', { textContent: own(row.words) || row.words })))));
  }
}
