// The person: sex, stature, percentile, every measure, profile and severity, chair; another person or a population beside. The figure changes at once.

import { make, numberField, setText, setValue } from './dom.js';
import { number, own, word } from './words.js';

const PERSON = [
  { name: 'sex', choices: ['female', 'male'] },
  { name: 'position', choices: ['seated', 'standing'] },
];
const CHAIRS = ['', 'manual', 'rear', 'mid', 'front', 'scooter', 'walker', 'crutches'];
const SIDES = ['right', 'left', 'none'];
const ON_FOOT = CHAIRS.slice(-2); // nobody measured their sizes: they are asked for
const BESIDE = ['stature', 'weight', 'sitting_height', 'eye_height_sitting', 'overhead_fingertip_reach_sitting', 'thumbtip_reach', 'knee_height_sitting', 'hip_breadth_sitting'];
const OTHER_UNIT = { weight: ['kg', 1, 1], age: ['', 1, 0] };
const unitOf = (name) => OTHER_UNIT[name] ?? ['mm', 1000, 0];

export class PersonPanel {
  /** `on`: ask(name, args), perform(id), draw(rows of {figure, links, color}). */
  constructor(home, store, on) {
    Object.assign(this, { home, store, on, fields: {}, wanted: '' });
  }

  draw() {
    const { fields } = this;
    const change = (name) => (value) => this.on.ask('person', { [name]: value });
    const choice = (name, rows, changed = change(name)) => {
      const select = make('select', { id: `person-${name}`, data: { path: `person.${name}` } },
        ...rows.map(([value, words]) => make('option', { value, textContent: words })));
      select.addEventListener('change', () => changed(select.value));
      fields[name] = select;
      return this.#row(name, select);
    };
    const amount = (name, unit, step, scale = 1, changed = change(name)) => {
      const field = numberField({ id: `person-${name}`, step, path: `person.${name}`, changed: (value) => changed(value / scale) });
      field.dataset.scale = String(scale);
      fields[name] = field;
      return this.#row(name, field, unit);
    };
    const profiles = [['', word('profile_none')], ...this.store.profiles.map((name) => [name, own(this.store.words[`profile.${name}`]) || name.replaceAll('_', ' ')])];
    const button = (key, click, id) => make('button', { type: 'button', textContent: word(key), data: { action: id }, on: { click } });
    this.none = make('p', { className: 'quiet', textContent: word('no_person') });
    this.severity = make('input', { type: 'range', id: 'person-severity', min: '0', max: '1', step: '0.05', data: { path: 'person.severity' } });
    this.severity.addEventListener('change', () => change('severity')(this.severity.valueAsNumber));
    this.ill = make('div', { className: 'form' }, this.#row('severity', this.severity), choice('side', ['right', 'left'].map((value) => [value, word(`hand_${value}`)])));
    this.search = make('input', { type: 'search', id: 'measure-search', placeholder: word('search'), aria: { label: `${word('search')}: ${word('measures')}` } });
    this.search.addEventListener('input', () => this.#measures(true));
    this.list = make('div', { className: 'measures' });
    this.measures = make('details', { on: { toggle: () => this.#measures(true) } }, make('summary', { textContent: word('measures') }), make('div', { className: 'row' }, this.search), this.list);
    this.others = make('div', {});
    this.free = make('button', { type: 'button', textContent: '↺', title: word('seat_free'), aria: { label: word('seat_free') }, data: { action: 'seat.free' }, on: { click: () => this.#sit({ seat_height: null }) } });
    const seat = amount('seat_height', 'cm', 1, 100, (value) => this.#sit({ seat_height: value }));
    seat.lastChild.append(this.free);
    this.seat = make('div', { className: 'form' }, seat,
      choice('joystick', SIDES.map((side) => [side, word(side === 'none' ? 'profile_none' : `hand_${side}`)]), (joystick) => this.#sit({ joystick })));
    this.form = make('div', { className: 'form' },
      ...PERSON.map(({ name, choices }) => choice(name, choices.map((value) => [value, word(`${name}_${value}`)]))),
      amount('stature', 'cm', 1, 100), amount('percentile', '%', 5), amount('weight', 'kg', 1),
      choice('profile', profiles), this.ill,
      choice('chair', CHAIRS.map((kind) => [kind, word(kind ? `chair_${kind}` : 'profile_none')]), (kind) => (ON_FOOT.includes(kind) ? this.on.perform('person.chair', { kind, percentile: 50 }).then(() => this.show()) : this.on.ask('chair', { kind }))),
      this.seat, this.measures,
      make('h3', { textContent: word('beside') }),
      make('div', { className: 'row' }, button('beside_one', () => this.on.perform('person.compare'), 'person.compare'),
        button('beside_many', () => this.on.perform('person.population'), 'person.population'),
        this.off = button('beside_off', () => this.on.ask('alone'), 'person.alone')), this.others);
    this.home.replaceChildren(this.none, this.form);
    [this.listed, this.shown] = [null, null];
    this.show();
  }

  #row(name, control, unit) {
    return make('div', { className: 'pair' }, make('label', { htmlFor: control.id, textContent: word(name) }),
      make('div', { className: 'with-unit' }, control, unit ? make('span', { textContent: unit }) : null));
  }

  show() {
    if (!this.form) return;
    const made = this.store.person?.body?.person ?? null;
    this.none.hidden = Boolean(made);
    this.form.hidden = !made;
    this.#beside();
    if (!made) return;
    const values = { ...made, chair: this.store.document.settings.chair };
    for (const [name, field] of Object.entries(this.fields)) {
      const value = values[name];
      if (field.tagName === 'SELECT') field.value = value ?? '';
      else setValue(field, value === null || value === undefined ? '' : Number((value * Number(field.dataset.scale)).toFixed(2)));
    }
    this.ill.hidden = !made.profile;
    this.seat.hidden = made.seat_height === null;
    this.free.disabled = !made.seat_given;
    setValue(this.severity, made.severity ?? 1);
    this.severity.setAttribute('aria-valuetext', `${number(100 * (made.severity ?? 1))} %`);
    this.#measures();
  }

  /** The same chair with another seat; null: as measured of people with such chairs. */
  #sit(other) {
    const { settings } = this.store.document;
    const said = { kind: settings.chair, percentile: settings.chair_percentile, width: settings.chair_width, length: settings.chair_length, seat_height: settings.seat_height, joystick: settings.joystick };
    this.on.ask('chair', { ...said, ...other });
  }

  /** Every dimension of the body; those that were given can be left to the others again. */
  #measures(anew = false) {
    const { measures = {}, given = [] } = this.store.person?.body?.person ?? {};
    if (!this.measures.open) return;
    const now = JSON.stringify([measures, given]);
    if (!anew && now === this.listed) return;
    this.listed = now;
    const wanted = this.search.value.trim().toLowerCase();
    const rows = Object.entries(measures)
      .map(([name, value]) => [name, value, own(this.store.words[`measure.${name}`]) || name.replaceAll('_', ' ')])
      .filter(([, , words]) => words.toLowerCase().includes(wanted))
      .sort((a, b) => a[2].localeCompare(b[2]));
    this.list.replaceChildren(...rows.map(([name, value, words]) => this.#measure(name, value, words, given.includes(name))));
  }

  #measure(name, value, words, given) {
    const [unit, factor, digits] = unitOf(name);
    const field = numberField({ id: `measure-${name}`, step: 1, path: `measure.${name}`, changed: (typed) => this.on.ask('measure', { name, value: typed / factor }) });
    field.value = String(Number((value * factor).toFixed(digits)));
    return make('div', { className: `measure${given ? ' given' : ''}` }, make('label', { htmlFor: field.id, textContent: words }),
      make('div', { className: 'with-unit' }, field, make('span', { textContent: unit }),
        make('button', { type: 'button', textContent: '↺', disabled: !given, title: word('measure_free'), aria: { label: `${word('measure_free')}: ${words}` }, on: { click: () => this.on.ask('measure', { name, value: null }) } })));
  }

  /** Who stands beside: one in a table, many as a count of postures found. */
  #beside() {
    const { beside = [] } = this.store.document;
    const me = this.store.person?.body?.person?.measures ?? {};
    const now = JSON.stringify([beside, me]);
    if (now === this.shown) return;
    this.shown = now;
    this.off.hidden = !beside.length;
    this.on.draw(beside.map(({ figure, links, reached }) => ({
      figure, links: Float32Array.from(links), color: reached === false ? '#c2410c' : '#0e8a7d', opacity: beside.length > 1 ? 0.22 : 0.4,
    })));
    if (!beside.length) {
      this.others.replaceChildren();
      return;
    }
    const reached = beside.filter((one) => one.reached).length;
    const asked = beside.some((one) => one.reached !== null);
    const told = make('p', { textContent: asked ? `${word('beside_reached')}: ${reached} / ${beside.length}` : '', data: { path: 'beside.reached' } });
    if (beside.length > 1) {
      this.others.replaceChildren(told, make('p', { className: 'quiet', textContent: word('beside_note') }));
      return;
    }
    const [{ measures }] = beside;
    const rows = BESIDE.filter((name) => name in measures && name in me).map((name) => {
      const [unit, factor, digits] = unitOf(name);
      const cell = (value) => make('td', { textContent: number(value * factor, digits) });
      return make('tr', {}, make('th', { scope: 'row', textContent: `${own(this.store.words[`measure.${name}`])}${unit ? `, ${unit}` : ''}` }), cell(me[name]), cell(measures[name]), cell(measures[name] - me[name]));
    });
    this.others.replaceChildren(told, make('div', { className: 'scroll', tabIndex: 0, role: 'region', aria: { label: word('beside') } },
      make('table', { className: 'small wrap', data: { path: 'beside' } }, make('thead', {}, make('tr', {}, ...['measure', 'active', 'other', 'difference'].map((key) => make('th', { scope: 'col', textContent: word(key) })))), make('tbody', {}, ...rows))));
    setText(told, told.textContent);
  }
}
