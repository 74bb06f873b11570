// The panels: beside the picture where there is room, tabs below it where there is not.

import { make } from './dom.js';
import { word } from './words.js';

const ALWAYS = ['scene', 'object'];
const PANES = [...ALWAYS, 'posture', 'solve', 'compare', 'person', 'verdict', 'drive', 'motion'];
const NARROW = matchMedia('(max-width: 56.19em)');

export class Panes {
  constructor(tabs) {
    this.tabs = tabs;
    this.chosen = 'posture';
    NARROW.addEventListener('change', () => this.draw());
    tabs.addEventListener('keydown', (event) => this.#key(event));
  }

  #names() {
    return NARROW.matches ? PANES : PANES.slice(ALWAYS.length);
  }

  draw() {
    const names = this.#names();
    if (!names.includes(this.chosen)) this.chosen = 'posture';
    const had = this.tabs.contains(document.activeElement);
    this.tabs.replaceChildren(...names.map((name) => make('button', {
      type: 'button', role: 'tab', id: `tab-${name}`, textContent: word(`region_${name}`), tabIndex: name === this.chosen ? 0 : -1,
      aria: { selected: String(name === this.chosen), controls: `pane-${name}` }, on: { click: () => this.show(name) },
    })));
    for (const name of PANES) {
      const pane = document.getElementById(`pane-${name}`);
      const tabbed = names.includes(name);
      pane.hidden = tabbed && name !== this.chosen;
      pane.setAttribute('role', tabbed ? 'tabpanel' : 'region');
      if (tabbed) {
        pane.tabIndex = 0;
        pane.removeAttribute('aria-label');
        pane.setAttribute('aria-labelledby', `tab-${name}`);
      } else {
        pane.removeAttribute('tabindex');
        pane.removeAttribute('aria-labelledby');
        pane.setAttribute('aria-label', word(`region_${name}`));
      }
    }
    if (had) document.getElementById(`tab-${this.chosen}`).focus();
  }

  show(name) {
    this.chosen = name;
    this.draw();
  }

  #key(event) {
    const names = this.#names();
    const at = names.indexOf(this.chosen);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.show(names[(to + names.length) % names.length]);
  }
}
