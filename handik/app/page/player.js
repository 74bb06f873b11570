// A path played in the page: its poses came down once, moving along them asks Python nothing.

import { make, setText } from './dom.js';
import { number, word } from './words.js';

export class Player {
  /** `show(links)` draws one row of poses; null: the posture of the document again. */
  constructor(home, show) {
    Object.assign(this, { home, show, path: null, time: 0, running: false });
  }

  set(path) {
    this.path = path;
    this.time = 0;
    this.running = false;
    this.draw();
  }

  draw() {
    this.home.hidden = !this.path?.rows;
    if (this.home.hidden) return;
    const last = this.path.times.at(-1);
    this.button = make('button', { type: 'button', textContent: word(this.running ? 'pause' : 'play'), data: { action: 'page.play' }, on: { click: () => this.toggle() } });
    this.range = make('input', { type: 'range', min: '0', max: String(last), step: 'any', value: String(this.time), on: { input: () => this.seek(this.range.valueAsNumber) } });
    this.range.step = String(last / 200);
    this.range.setAttribute('aria-label', word('moment'));
    this.label = make('span', {});
    this.home.replaceChildren(this.button, this.range, this.label);
    this.#write();
  }

  toggle() {
    if (!this.path) return;
    this.running = !this.running;
    if (this.running && this.time >= this.path.times.at(-1)) this.time = 0;
    setText(this.button, word(this.running ? 'pause' : 'play'));
    this.last = performance.now();
    this.#step();
  }

  #step() {
    if (!this.running) return;
    const now = performance.now();
    this.time += (now - this.last) / 1000;
    this.last = now;
    if (this.time >= this.path.times.at(-1)) {
      this.time = this.path.times.at(-1);
      this.running = false;
      setText(this.button, word('play'));
    }
    this.#write();
    requestAnimationFrame(() => this.#step());
  }

  seek(time) {
    this.time = time;
    this.#write();
  }

  #write() {
    const { times, poses, stride, rows } = this.path;
    let row = times.findIndex((time) => time >= this.time);
    if (row < 0) row = rows - 1;
    this.range.value = String(this.time);
    const words = `${number(this.time, 2)} s`;
    setText(this.label, words);
    this.range.setAttribute('aria-valuetext', words);
    this.show(poses.subarray(row * stride, (row + 1) * stride));
  }
}
