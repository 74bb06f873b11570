// The IK panel: target, hand, solver, tolerance; what came of it in words and numbers; the ghost of a second solver.

import { make, numberField, setText, setValue } from './dom.js';
import { number, own, word } from './words.js';

const AXES = ['x', 'y', 'z'];
const REACHED = ['converged', 'reached'];

export class Solving {
  /** `on`: ask(name, args), moveTarget(point), handPlace(). */
  constructor(home, store, on) {
    Object.assign(this, { home, store, on });
  }

  draw() {
    this.target = AXES.map((axis, k) => numberField({
      id: `target-${axis}`, step: 0.01, path: `target.${axis}`, label: `${word('target')} ${axis}`,
      changed: (value) => {
        const point = this.store.target.world.slice(0, 3);
        point[k] = value;
        this.on.moveTarget(point);
      },
    }));
    const set = (name) => (value) => this.on.ask('setting', { name, value });
    this.want = this.#choice('want', [['point', 'target_position'], ['axis', 'target_axis'], ['pose', 'target_pose']].map(([id, key]) => [id, word(key)]), set('want'));
    this.hand = this.#choice('hand', [['right', word('hand_right')], ['left', word('hand_left')]], set('hand'));
    this.solver = this.#choice('solver', this.store.solvers.map((name) => [name, name]), set('solver'));
    this.second = this.#choice('second', [['', word('ghost_none')], ...this.store.solvers.map((name) => [name, name])],
      (solver) => this.on.ask('ghost', { solver }));
    this.tolerance = numberField({ id: 'tolerance', step: 0.1, min: 0.001, path: 'settings.tolerance', label: `${word('tolerance')}, ${word('millimeters')}`, changed: (value) => set('tolerance')(value / 1000) });
    this.most = numberField({ id: 'max-iter', step: 1, min: 0, path: 'settings.max_iter', changed: (value) => set('max_iter')(Math.round(value)) });
    this.live = make('input', { type: 'checkbox', id: 'live', data: { path: 'settings.live' }, on: { change: () => set('live')(this.live.checked) } });
    this.result = make('div', {});
    this.ghost = make('div', {});
    this.way = make('div', {});
    const row = (key, control, unit) => make('div', { className: 'pair' }, make('label', { htmlFor: control.id, textContent: word(key) }),
      make('div', { className: 'with-unit' }, control, unit ? make('span', { textContent: unit }) : null));
    const button = (key, name, main) => make('button', {
      type: 'button', className: main ? 'go' : '', textContent: word(key), data: { ask: name }, on: { click: () => this.on.ask(name, {}) },
    });
    this.home.replaceChildren(make('div', { className: 'form' },
      make('div', { className: 'row' }, button('solve', 'solve', true), button('initialise', 'avatar.initialise')),
      make('fieldset', {}, make('legend', { textContent: `${word('target')} (m)` }),
        make('div', { className: 'triple' }, ...this.target.map((field, k) => make('label', {}, AXES[k], field)))),
      make('button', { type: 'button', textContent: word('target_to_hand'), on: { click: () => this.#here() } }),
      row('target_mode', this.want), row('hand', this.hand), row('solver', this.solver), row('tolerance', this.tolerance, 'mm'), row('most_iterations', this.most),
      make('label', { className: 'check', htmlFor: 'live' }, ''), ), this.result,
    row('ghost', this.second), this.ghost, this.way);
    const check = this.home.querySelector('.check');
    check.replaceWith(make('div', {}, this.live, make('label', { htmlFor: 'live', textContent: word('follow') })));
    this.show();
  }

  #here() {
    const at = this.on.handPlace();
    if (at) this.on.ask('target', { at });
  }

  #choice(id, rows, changed) {
    const select = make('select', { id, data: { path: `settings.${id}` } },
      ...rows.map(([value, words]) => make('option', { value, textContent: words })));
    select.addEventListener('change', () => changed(select.value));
    return select;
  }

  show(point = this.store.target?.world) {
    clearTimeout(this.waiting);
    this.waiting = null;
    if (!this.target) return;
    const { settings, solve, ghost } = this.store.document;
    this.target.forEach((field, k) => {
      field.disabled = !point;
      setValue(field, point ? Number(point[k].toFixed(4)) : '');
    });
    for (const [field, value] of [[this.want, this.store.target?.shape.want ?? 'point'], [this.hand, settings.hand], [this.solver, settings.solver], [this.second, ghost?.solver ?? '']]) {
      if (document.activeElement !== field || field.value === '') field.value = value;
    }
    setValue(this.tolerance, Number((settings.tolerance * 1000).toFixed(4)));
    setValue(this.most, settings.max_iter ?? 0);
    this.live.checked = Boolean(settings.live);
    this.#path(this.store.document.path);
    this.#card(this.result, solve, word('result'), word('not_solved'));
    this.#card(this.ghost, ghost, word('ghost_result'), '');
  }

  /** Where the target is in a drag: at most ten times a second. */
  follow(point) {
    this.point = point;
    this.waiting ??= setTimeout(() => this.show(this.point), 100);
  }

  /** A path that was found, or why none was. */
  #path(path) {
    const now = JSON.stringify(path ?? null);
    if (this.way.dataset.now === now) return;
    this.way.dataset.now = now;
    if (!path) {
      this.way.replaceChildren();
      return;
    }
    const found = path.rows > 0;
    this.way.replaceChildren(make('div', { className: `card ${found ? 'good' : 'bad'}` }, make('h3', { textContent: word('path_player') }),
      make('strong', { textContent: found ? `${word('path_found')}: ${number(path.duration, 1)} s` : word('path_none'), data: { path: 'path.outcome' } }),
      own(path.sentence) ? make('p', { textContent: own(path.sentence) }) : null));
  }

  #card(home, solve, title, none) {
    const now = JSON.stringify([solve, title]);
    if (home.dataset.now === now) return;
    home.dataset.now = now;
    if (!solve) {
      home.replaceChildren(make('p', { className: 'quiet', textContent: none }));
      return;
    }
    const reached = REACHED.includes(solve.outcome);
    const outcome = reached ? word('outcome_reached') : `${word('outcome_missed')} (${word(`outcome_${solve.outcome}`)})`;
    const facts = [
      ['solver', solve.solver],
      ['iterations', number(solve.iterations)],
      ['time', `${number(solve.seconds * 1e6, solve.seconds < 1e-4 ? 1 : 0)} µs`],
      ['error', `${number(solve.error * 1000, 2)} mm`],
    ];
    home.replaceChildren(make('div', { className: `card ${reached ? 'good' : 'bad'}` },
      make('h3', { textContent: title }),
      make('strong', { textContent: outcome, data: { path: 'solve.outcome' } }),
      solve.sentence ? make('p', { textContent: solve.sentence }) : null,
      make('dl', { className: 'facts-list' }, ...facts.flatMap(([key, value]) => [
        make('dt', { textContent: word(key) }), make('dd', { textContent: value, data: { path: `solve.${key}` } })]))));
  }
}

/** The line at the right of the status: solver and time. */
export function factsLine(element, { solve, settings }) {
  setText(element, solve ? `${solve.solver} · ${number(solve.seconds * 1e6)} µs · ${number(solve.error * 1000, 2)} mm` : settings.solver);
}
