// Handisim: the wheelchair driven through the scene with keys, a gamepad or a finger, seen through the driver's eyes.

import { make, setText } from './dom.js';
import { number, word } from './words.js';

const KEYS = {
  ArrowUp: [1, 0], w: [1, 0], ArrowDown: [-1, 0], s: [-1, 0],
  ArrowLeft: [0, 1], a: [0, 1], ArrowRight: [0, -1], d: [0, -1],
};
const DEAD = 0.12; // what a stick gives at rest

export class DrivePanel {
  /** `on`: begin(), push(forward, turn), end(), eyes(on), perform(id), ask(name, args). */
  constructor(home, store, on) {
    Object.assign(this, { home, store, on, running: false, held: new Set(), finger: [0, 0] });
    addEventListener('keydown', (event) => this.#key(event, true), { capture: true });
    addEventListener('keyup', (event) => this.#key(event, false), { capture: true });
    addEventListener('blur', () => this.held.clear());
  }

  draw() {
    this.go = make('button', { type: 'button', className: 'go', data: { action: 'page.drive' }, on: { click: () => this.toggle() } });
    this.eyes = make('input', { type: 'checkbox', id: 'drive-eyes', checked: true });
    this.stick = make('div', { className: 'stick', role: 'img', aria: { label: word('drive_stick') } }, this.knob = make('span', {}));
    this.#touch();
    this.told = make('div', {});
    this.home.replaceChildren(
      make('div', { className: 'form' }, make('p', { className: 'quiet', textContent: word('drive_hint') }),
        make('div', {}, this.eyes, make('label', { htmlFor: 'drive-eyes', textContent: word('drive_eyes') })),
        make('div', { className: 'row' }, this.go,
          make('button', { type: 'button', textContent: word('drive_judge'), data: { action: 'chair.judge' }, on: { click: () => this.on.ask('judge') } })),
        this.stick), this.told);
    this.now = '';
    this.show();
  }

  /** The chair of the active person. */
  get chair() {
    return this.store.person?.body?.chair ?? null;
  }

  show() {
    if (!this.go) return;
    const { drive, passing, settings } = this.store.document;
    const { chair } = this;
    setText(this.go, word(this.running ? 'drive_stop' : 'drive_go'));
    this.go.disabled = !chair;
    this.stick.hidden = !this.running;
    const now = JSON.stringify([drive, passing, chair?.kind, settings.language]);
    if (now === this.now) return;
    this.now = now;
    if (!drive) {
      this.told.replaceChildren(make('p', { className: 'quiet', textContent: word(chair ? 'drive_none' : 'drive_chair') }), this.#passing(passing));
      return;
    }
    const facts = [['drive_length', `${number(drive.length, 1)} m`], ['time', `${number(drive.duration, 0)} s`],
      ['drive_least', drive.clearance === null ? '–' : `${number(1000 * drive.clearance)} mm`], ['drive_bumps', number(drive.bumps.length)]];
    this.told.replaceChildren(make('div', { className: `card ${drive.bumps.length ? 'bad' : 'good'}` },
      make('h3', { textContent: word('drive_record') }),
      make('dl', { className: 'facts-list' }, ...facts.flatMap(([key, value]) => [make('dt', { textContent: word(key) }), make('dd', { textContent: value, data: { path: `drive.${key}` } })])),
      drive.bumps.length ? make('ol', { className: 'bumps' }, ...drive.bumps.slice(0, 20).map(([time, what]) => make('li', { textContent: `${number(time, 1)} s: ${what}` }))) : null,
      this.#passing(passing)));
  }

  #passing(passing) {
    return passing ? make('p', { textContent: word(`passing_${passing}`), data: { path: 'drive.passing' } }) : '';
  }

  toggle() {
    if (this.running) this.stop();
    else if (this.chair) this.start();
  }

  start() {
    this.running = true;
    this.on.begin();
    if (this.eyes.checked) this.on.eyes(true);
    document.getElementById('canvas').focus();
    this.show();
    this.#step();
  }

  stop(keep = true) {
    if (!this.running) return;
    this.running = false;
    this.held.clear();
    this.finger = [0, 0];
    this.on.eyes(false);
    this.on.end(keep);
    this.show();
  }

  #step() {
    if (!this.running) return;
    const [forward, turn] = this.#wanted();
    this.on.push(forward, turn);
    requestAnimationFrame(() => this.#step());
  }

  /** Keys, stick and finger together, each from -1 to 1. */
  #wanted() {
    let [forward, turn] = this.finger;
    for (const key of this.held) {
      forward += KEYS[key][0];
      turn += KEYS[key][1];
    }
    const pad = [...(navigator.getGamepads?.() ?? [])].find(Boolean);
    if (pad) {
      const [x = 0, y = 0] = pad.axes;
      if (Math.abs(y) > DEAD) forward -= y;
      if (Math.abs(x) > DEAD) turn -= x;
    }
    return [forward, turn].map((value) => Math.min(Math.max(value, -1), 1));
  }

  #key(event, down) {
    if (!this.running || event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.('input:not([type="checkbox"]), select, textarea')) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === 'Escape' && down) this.stop();
    else if (!KEYS[key]) return;
    else if (down) this.held.add(key);
    else this.held.delete(key);
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  #touch() {
    const move = (event) => {
      const box = this.stick.getBoundingClientRect();
      const at = (value, low, size) => Math.min(Math.max((2 * (value - low)) / size - 1, -1), 1);
      const [x, y] = [at(event.clientX, box.left, box.width), at(event.clientY, box.top, box.height)];
      this.finger = [-y, -x];
      this.knob.style.transform = `translate(${x * 40}px, ${y * 40}px)`;
    };
    this.stick.addEventListener('pointerdown', (event) => {
      this.stick.setPointerCapture(event.pointerId);
      move(event);
    });
    this.stick.addEventListener('pointermove', (event) => { if (this.stick.hasPointerCapture(event.pointerId)) move(event); });
    for (const end of ['pointerup', 'pointercancel']) {
      this.stick.addEventListener(end, () => {
        this.finger = [0, 0];
        this.knob.style.transform = '';
      });
    }
  }
}
