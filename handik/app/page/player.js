// A path played in the page: its poses came down once, moving along them asks Python nothing. Speed, onion skin, curves, film.

import { chart } from './chart.js';
import { make, setText } from './dom.js';
import { number, word } from './words.js';

const SPEEDS = [0.25, 0.5, 1, 2, 4];
const SKINS = 7;
const CURVES = { clearance: ['#0e8a7d', 1000, 'mm', 0], discomfort: ['#c2410c', 1, '', 3] };

export class Player {
  /** `on`: show() draws the posture; take(share) puts the figure there; skins(rows of links); film(canvas stream wanted) gives the canvas; say(words). */
  constructor(home, on) {
    Object.assign(this, { home, on, path: null, time: 0, row: 0, running: false, seen: false, speed: 1, skins: false });
  }

  set(path, about = null) {
    Object.assign(this, { path, about, time: 0, running: false, seen: Boolean(path) });
    this.draw();
  }

  /** The posture that is seen of the path's figure; null where it is the document's. */
  get posture() {
    if (!this.seen || !this.path?.rows) return null;
    const { row, path: { rows, q, nq, angles, nv, poses, stride } } = this;
    const of = (all, width) => all.subarray(row * width, (row + 1) * width);
    return { q: of(q, nq), angles: of(angles, nv), links: of(poses, stride), share: rows > 1 ? row / (rows - 1) : 0 };
  }

  /** The document's posture is seen again: another one came, or what is seen was taken. */
  leave() {
    this.seen = false;
    if (!this.running) return;
    this.running = false;
    setText(this.button, word('play'));
  }

  /** What is seen becomes the document's posture, before it is changed from there; `now`: the coordinates that it has. */
  take(now) {
    const { posture } = this;
    if (!posture) return;
    this.leave();
    if (!now || posture.q.some((x, k) => Math.abs(x - now[k]) > 1e-6)) this.on.take(posture.share);
  }

  /** What is said of the path in the document: its curves. */
  setAbout(about) {
    if (!this.path || JSON.stringify(about?.moments) === JSON.stringify(this.about?.moments)) return;
    this.about = about;
    this.draw();
  }

  draw() {
    this.home.hidden = !this.path?.rows;
    this.on.skins([]);
    if (this.home.hidden) return;
    const last = this.path.times.at(-1);
    this.button = make('button', { type: 'button', textContent: word(this.running ? 'pause' : 'play'), data: { action: 'page.play' }, on: { click: () => this.toggle() } });
    this.range = make('input', { type: 'range', min: '0', max: String(last), step: 'any', value: String(this.time), on: { input: () => this.seek(this.range.valueAsNumber) } });
    this.range.step = String(last / 200 || 'any');
    this.range.setAttribute('aria-label', word('moment'));
    this.label = make('span', {});
    const speed = make('select', { id: 'play-speed', aria: { label: word('play_speed') } },
      ...SPEEDS.map((value) => make('option', { value: String(value), textContent: `× ${number(value, value < 1 ? 2 : 0)}`, selected: value === this.speed })));
    speed.addEventListener('change', () => { this.speed = Number(speed.value); });
    const skins = make('button', { type: 'button', textContent: word('onion'), aria: { pressed: String(this.skins) }, data: { action: 'page.onion' }, on: { click: () => {
      this.skins = !this.skins;
      skins.setAttribute('aria-pressed', String(this.skins));
      this.#skins();
    } } });
    this.record = make('button', { type: 'button', textContent: word('film'), data: { action: 'page.film' }, on: { click: () => this.film() } });
    this.home.replaceChildren(make('div', { className: 'play' }, this.button, this.range, this.label, speed, skins, this.record), this.#curves());
    this.#skins();
    this.#write();
  }

  #curves() {
    this.charts = [];
    const { curves = {}, moments = [] } = this.about ?? {};
    const shown = Object.entries(curves).filter(([name, y]) => CURVES[name] && y.length > 1);
    return make('div', { className: 'curves', hidden: !shown.length }, ...shown.map(([name, y]) => {
      const [color, factor, unit, digits] = CURVES[name];
      const title = word(`curve_${name}`) + (unit ? `, ${unit}` : '');
      const image = chart({ label: title, curves: [{ color, x: moments, y: y.map((value) => value * factor) }], digits });
      const value = make('span', { data: { path: `path.${name}` } });
      this.charts.push({ image, value, y, factor, digits, unit });
      return make('figure', {}, make('figcaption', {}, `${title}: `, value), image);
    }));
  }

  /** Faint figures along the way. */
  #skins() {
    const { rows, stride, poses } = this.path;
    const count = Math.min(SKINS, rows);
    this.on.skins(!this.skins ? [] : Array.from({ length: count }, (_, k) => {
      const row = Math.round((k * (rows - 1)) / Math.max(count - 1, 1));
      return poses.subarray(row * stride, (row + 1) * stride);
    }));
  }

  toggle() {
    if (!this.path?.rows) return;
    this.running = !this.running;
    this.seen = true;
    if (this.running && this.time >= this.path.times.at(-1)) this.time = 0;
    setText(this.button, word(this.running ? 'pause' : 'play'));
    this.last = performance.now();
    this.#step();
  }

  #step() {
    if (!this.running) return;
    const now = performance.now();
    this.time += ((now - this.last) / 1000) * this.speed;
    this.last = now;
    if (this.time >= this.path.times.at(-1)) {
      this.time = this.path.times.at(-1);
      this.running = false;
      setText(this.button, word('play'));
      this.over?.();
    }
    this.#write();
    if (this.running) requestAnimationFrame(() => this.#step());
  }

  seek(time) {
    this.time = time;
    this.seen = true;
    this.#write();
  }

  /** The picture recorded while the path is played once; a file when it is over. */
  film() {
    const canvas = this.on.canvas();
    const type = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'].find((name) => globalThis.MediaRecorder?.isTypeSupported(name));
    if (!canvas || !type) {
      this.on.say(word('no_film'));
      return;
    }
    const parts = [];
    const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 6e6 });
    recorder.addEventListener('dataavailable', ({ data }) => parts.push(data));
    recorder.addEventListener('stop', () => {
      this.record.disabled = false;
      this.on.save(type.startsWith('video/mp4') ? 'mp4' : 'webm', new Blob(parts, { type }));
    });
    this.record.disabled = true;
    this.over = () => {
      this.over = null;
      setTimeout(() => recorder.stop(), 200); // the last picture is in it
    };
    recorder.start();
    this.running = false;
    this.seek(0);
    this.toggle();
  }

  #write() {
    const { times, rows } = this.path;
    let row = times.findIndex((time) => time >= this.time);
    if (row < 0) row = rows - 1;
    this.range.value = String(this.time);
    const words = `${number(this.time, 2)} s`;
    setText(this.label, words);
    this.range.setAttribute('aria-valuetext', words);
    const { moments = [] } = this.about ?? {};
    let k = moments.findIndex((moment) => moment >= this.time - 1e-4);
    if (k < 0) k = moments.length - 1;
    for (const { image, value, y, factor, digits, unit } of this.charts) {
      image.moveTo(this.time);
      setText(value, number(y[k] * factor, digits)); // its unit is in the title
    }
    this.row = row;
    if (this.seen) this.on.show();
  }
}
