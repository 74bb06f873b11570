// The verdict: can it be reached, why not, and the cheapest changes, drawn as arrows; a press on one applies it.

import { make } from './dom.js';
import { currentLanguage, number, own, word } from './words.js';

export class VerdictPanel {
  /** `on`: ask(name, args), draw(lines), perform(id). */
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
      })), this.body, this.#asked());
    this.show();
  }

  /** Rules of a code, a share of people, a report: each asks first. */
  #asked() {
    const button = (key, id) => make('button', { type: 'button', textContent: word(key), data: { action: id }, on: { click: () => this.on.perform(id) } });
    this.rules = make('div', {});
    this.told = '';
    return make('section', {}, make('h3', { textContent: word('more_verdicts') }),
      make('div', { className: 'row' }, button('rules_ask', 'access.rules'), button('share_ask', 'access.share'), button('report_ask', 'access.report')), this.rules);
  }

  /** A row of a rule: a press selects the place that it speaks of. */
  #finding({ place, rule, verdict, words }) {
    const { what, found, asked, note } = words[currentLanguage()];
    const there = place in this.store.document.nodes;
    const head = `${place || '–'}: ${what}`;
    return make('li', { className: `card ${{ pass: 'good', fail: 'bad' }[verdict] ?? ''}`, data: { verdict } },
      there ? make('button', { type: 'button', textContent: head, on: { click: () => this.on.ask('select', { paths: [place] }) } }) : make('p', { textContent: head }),
      make('p', { textContent: `${word(`rule_${verdict.replace(/\W+/g, '_')}`)}${found ? `: ${found}` : ''} (${asked}, ${rule})` }),
      note ? make('p', { className: 'quiet', textContent: note }) : null);
  }

  #more() {
    const { findings = [], sharing = null } = this.store.document;
    const now = JSON.stringify([findings, sharing, currentLanguage()]);
    if (now === this.told) return;
    this.told = now;
    const parts = [];
    if (sharing) {
      const per = (value) => `${number(100 * value)} %`;
      parts.push(make('div', { className: 'card' }, make('strong', { textContent: `${word('share_of')}: ${per(sharing.share)}`, data: { path: 'sharing.share' } }),
        make('p', { textContent: `${per(sharing.low)} … ${per(sharing.high)} (95 %), ${number(sharing.count)} ${word('people')}, ${word('verdict_undecided')}: ${per(sharing.undecided)}` })));
    }
    if (findings.length) parts.push(make('ul', { className: 'changes', data: { path: 'findings' } }, ...findings.map((one) => this.#finding(one))));
    this.rules.replaceChildren(...parts);
  }

  show() {
    if (!this.body) return;
    this.#more();
    const { verdict, nodes } = this.store.document;
    const now = JSON.stringify(verdict ?? null);
    if (now === this.now) return;
    this.now = now;
    const from = nodes[verdict?.target]?.world.slice(0, 3);
    const places = (verdict?.offers ?? []).filter(({ place }) => place && from);
    this.on.draw(places.map(({ place }, k) => ({ points: [from, place], color: k ? '#8a8d93' : '#1a6b3c', dots: true })));
    if (!verdict) {
      this.body.replaceChildren(make('p', { className: 'quiet', textContent: word('no_verdict') }));
      return;
    }
    const words = word(`verdict_${verdict.verdict}`);
    const look = { yes: 'good', no: 'bad' }[verdict.verdict] ?? '';
    const [low, high] = verdict.short ?? [];
    const witness = () => this.on.ask('witness', {});
    // The whole row is pressed by who has a mouse, unless he marks its words; the button below is for all.
    this.body.replaceChildren(make('div', { className: `card row-of-verdict ${look}`, title: word('show_witness'), on: { click: () => getSelection().isCollapsed && witness() } },
      make('strong', { textContent: words, data: { path: 'verdict.verdict' } }),
      make('p', { textContent: own(verdict.sentence), data: { path: 'verdict.sentence' } }),
      verdict.target ? make('p', { className: 'quiet', textContent: `${word('target')}: ${verdict.target}` }) : null,
      low > 0 ? make('p', { textContent: `${word('short_by')}: ${number(low * 1000)} … ${high === null ? '?' : number(high * 1000)} mm` }) : null),
    make('button', { type: 'button', textContent: word('show_witness'), data: { ask: 'witness' }, on: { click: witness } }),
    this.#changes(verdict.offers ?? []));
  }

  #changes(rows) {
    if (!rows.length) return '';
    return make('section', {}, make('h3', { textContent: word('changes') }),
      make('ul', { className: 'changes' }, ...rows.map((row, change) => make('li', {}, row.place
        ? make('button', { type: 'button', textContent: `${own(row.words)} – ${word('apply')}`, data: { ask: 'apply' }, on: { click: () => this.on.ask('apply', { change }) } })
        : make('p', { textContent: own(row.words) })))));
  }
}
