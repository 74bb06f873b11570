// Two solvers side by side: iteration by iteration on one target, and along a figure of eight with drawing.

import { chart } from './chart.js';
import { make, setText } from './dom.js';
import { number, word } from './words.js';

export const COLORS = ['#0e8a7d', '#8e4ec6'];
const PASSES = ['#e5484d', '#30a46c'];

/** The thesis's figures for its chain of nine joints (Published in handik.study): iterations a pose, frames a second. */
const THESIS = { fabrik: [13.2, 55], ccd: [17.6, 16] };

export class ComparePanel {
  /** `on`: ask(name, args), draw(figures, lines) where null takes them away, lap(solver, poses), stopLap(). */
  constructor(home, store, on) {
    Object.assign(this, { home, store, on, tracks: [null, null], row: 0, running: null, now: '' });
    this.chosen = ['fabrik', 'ccd'];
    this.poses = 100;
  }

  /** The postures of one of the two runs. */
  setTrack(slot, path) {
    this.tracks[slot - 1] = path;
    this.show();
  }

  draw() {
    const list = (k) => {
      const select = make('select', { id: `compare-${k}`, data: { path: `compare.${k}` } },
        ...this.store.solvers.map((name) => make('option', { value: name, textContent: name, selected: name === this.chosen[k] })));
      select.addEventListener('change', () => { this.chosen[k] = select.value; });
      return make('div', { className: 'pair' }, make('label', { htmlFor: select.id, textContent: word(k ? 'second_solver' : 'first_solver') }), select);
    };
    const button = (key, click, go = '') => make('button', { type: 'button', className: go, textContent: word(key), data: { compare: key }, on: { click } });
    this.steps = make('section', { hidden: true });
    this.laps = make('section', {});
    this.count = make('input', { type: 'number', id: 'lap-poses', min: '10', max: '2000', step: '10', value: String(this.poses) });
    this.count.addEventListener('change', () => { this.poses = Math.min(Math.max(this.count.valueAsNumber || 100, 10), 2000); });
    this.home.replaceChildren(make('div', { className: 'form' }, list(0), list(1)),
      make('h3', { textContent: word('steps_title') }),
      make('div', { className: 'row' }, button('steps_run', () => this.on.ask('steps', { first: this.chosen[0], second: this.chosen[1] }), 'go'),
        this.off = button('steps_off', () => this.on.ask('steps_off'))),
      this.steps,
      make('h3', { textContent: word('eight_title') }),
      make('div', { className: 'pair' }, make('label', { htmlFor: 'lap-poses', textContent: word('poses') }), this.count),
      make('div', { className: 'row' }, this.run = button('eight_run', () => this.#laps(), 'go'), this.stop = button('stop', () => this.on.stopLap())),
      this.laps);
    this.stop.hidden = true;
    this.now = '';
    this.show();
  }

  show() {
    if (!this.steps) return;
    const { steps = [], laps = [] } = this.store.document;
    const ready = steps.length === 2 && this.tracks.every((track, k) => track?.rows === steps[k].rows);
    this.off.hidden = !steps.length;
    const now = JSON.stringify([ready && steps.map(({ solver, rows, errors }) => [solver, rows, errors]), laps]);
    if (now === this.now) return;
    this.now = now;
    this.#drawLaps(laps);
    this.pause();
    this.steps.hidden = !ready;
    if (!ready) {
      this.on.draw(null, []);
      return;
    }
    this.#drawSteps(steps);
    this.seek(0);
  }

  #drawSteps(steps) {
    this.most = Math.max(...steps.map(({ rows }) => rows)) - 1;
    this.range = make('input', { type: 'range', id: 'step', min: '0', max: String(this.most), step: '1', value: '0', data: { path: 'compare.step' }, on: { input: () => this.seek(this.range.valueAsNumber) } });
    const move = (key, by) => make('button', { type: 'button', textContent: word(key), data: { compare: key }, on: { click: () => this.seek(this.row + by) } });
    this.play = make('button', { type: 'button', textContent: word('play'), on: { click: () => this.#toggle() } });
    this.label = make('span', { data: { path: 'compare.row' } });
    const curves = steps.map(({ errors }, k) => ({ color: COLORS[k], x: errors.map((_, row) => row), y: errors.map((value) => 1000 * value) }));
    this.chart = chart({ label: word('steps_chart'), curves, log: true, limit: 1000 * this.store.document.settings.tolerance });
    this.cells = steps.map(() => make('td', {}));
    const rows = steps.map(({ solver, iterations, seconds, outcome }, k) => make('tr', {},
      make('th', { scope: 'row' }, make('span', { className: `swatch swatch-${k}`, aria: { hidden: 'true' } }), solver),
      make('td', { textContent: number(iterations) }), make('td', { textContent: number(seconds * 1e6) }),
      this.cells[k], make('td', { textContent: outcome === 'converged' ? '✓' : word(`outcome_${outcome}`) })));
    const heads = ['solver', 'iterations', 'time_us', 'away_mm', 'result'].map((key) => make('th', { scope: 'col', textContent: word(key) }));
    const keys = steps.some(({ passes }) => passes.length) ? [make('p', { className: 'quiet' },
      make('span', { className: 'swatch pass-0', aria: { hidden: 'true' } }), `${word('pass_back')} · `,
      make('span', { className: 'swatch pass-1', aria: { hidden: 'true' } }), word('pass_forth'))] : [];
    this.steps.replaceChildren(
      make('div', { className: 'row' }, move('step_back', -1), this.play, move('step_on', 1), this.label),
      make('label', { className: 'unseen', htmlFor: 'step', textContent: word('step') }), this.range,
      make('div', { className: 'scroll', tabIndex: 0, role: 'region', aria: { label: word('steps_title') } },
        make('table', { className: 'small' }, make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...rows))),
      this.chart, ...keys);
  }

  /** One row of both runs; a run that is over stays where it ended. */
  seek(row) {
    const { steps = [], figure } = this.store.document;
    if (!this.range || this.steps.hidden) return;
    this.row = Math.min(Math.max(row, 0), this.most);
    this.range.value = String(this.row);
    const words = `${word('step')} ${this.row} / ${this.most}`;
    this.range.setAttribute('aria-valuetext', words);
    setText(this.label, words);
    this.chart.moveTo(this.row);
    const figures = steps.map(({ rows, figure: path }, k) => {
      const at = Math.min(this.row, rows - 1);
      const { poses, stride } = this.tracks[k];
      return { path: path ?? figure, links: poses.subarray(at * stride, (at + 1) * stride), color: COLORS[k], opacity: 0.7 };
    });
    steps.forEach(({ errors, rows }, k) => setText(this.cells[k], number(1000 * errors[Math.min(this.row, rows - 1)], 2)));
    const passes = steps.flatMap(({ passes: all }) => (all[this.row] ?? []).map((points, k) => ({ points, color: PASSES[k], dots: true })));
    this.on.draw(figures, passes);
  }

  #toggle() {
    if (this.running) {
      this.pause();
      return;
    }
    if (this.row === this.most) this.row = -1;
    setText(this.play, word('pause'));
    this.running = setInterval(() => {
      this.seek(this.row + 1);
      if (this.row === this.most) this.pause();
    }, 700);
  }

  pause() {
    clearInterval(this.running);
    this.running = null;
    if (this.play) setText(this.play, word('play'));
  }

  async #laps() {
    [this.run.disabled, this.stop.hidden] = [true, false];
    this.on.draw(null, []);
    for (const solver of new Set(this.chosen)) if (!(await this.on.lap(solver, this.poses))) break;
    [this.run.disabled, this.stop.hidden] = [false, true];
    this.now = '';
    this.show();
  }

  #drawLaps(laps) {
    if (!laps.length) {
      this.laps.replaceChildren(make('p', { className: 'quiet', textContent: word('eight_hint') }));
      return;
    }
    const heads = ['solver', 'iterations', 'time_us', 'frames_rate', 'reached_share'].map((key) => make('th', { scope: 'col', textContent: word(key) }));
    const row = (name, ...cells) => make('tr', {}, make('th', { scope: 'row', textContent: name }), ...cells.map((textContent) => make('td', { textContent })));
    const rows = laps.map((lap) => row(lap.solver, number(lap.iterations, 1), number(lap.microseconds, 1),
      lap.frames_per_second === null ? '–' : number(lap.frames_per_second, 0), `${lap.reached} / ${lap.poses}`));
    const theirs = Object.entries(THESIS).map(([name, [iterations, rate]]) => row(`${name}, ${word('thesis')}`, number(iterations, 1), '–', number(rate), '–'));
    this.laps.replaceChildren(make('div', { className: 'scroll', tabIndex: 0, role: 'region', aria: { label: word('eight_title') } },
      make('table', { className: 'small', data: { path: 'laps' } }, make('thead', {}, make('tr', {}, ...heads)), make('tbody', {}, ...rows, ...theirs))),
    make('p', { className: 'quiet', textContent: word('thesis_note') }));
  }
}

/** A lap with drawing: each pose is asked for when the one before is on the screen. */
export class Lap {
  constructor(wire, drags, view) {
    Object.assign(this, { wire, drags, view, waiting: null });
  }

  /** True where it came to its end. */
  async run(solver, poses) {
    this.drags.begin('solve.eight', { solver, poses });
    this.stopped = false;
    const start = performance.now();
    for (let k = 0; k < poses && !this.stopped; k += 1) {
      const drawn = await this.#pose(k);
      if (!drawn) this.stopped = true;
      else this.view?.drawNow();
      if (k % 10 === 9) await new Promise((go) => { setTimeout(go); }); // keys and the stop button are heard
    }
    if (this.stopped) {
      this.drags.cancel();
      return false;
    }
    this.drags.end({ frames_per_second: (1000 * poses) / (performance.now() - start) });
    return true;
  }

  #pose(k) {
    return new Promise((answer) => {
      const timer = setTimeout(() => answer(false), 5000);
      this.waiting = { sequence: this.drags.now('joint', 0, [k]), answer: (drawn) => { clearTimeout(timer); answer(drawn); } };
    });
  }

  answered({ sequence }) {
    if (this.waiting?.sequence !== sequence) return;
    this.waiting.answer(true);
    this.waiting = null;
  }

  stop() {
    this.stopped = true;
    this.waiting?.answer(false);
  }
}
