// The person: sex, stature, percentile, profile, seat. The figure changes at once.

import { make, numberField, setValue } from './dom.js';
import { own, word } from './words.js';

const PERSON = [
  { name: 'sex', choices: ['female', 'male'] },
  { name: 'position', choices: ['seated', 'standing'] },
];

export class PersonPanel {
  /** `on`: ask(name, args). */
  constructor(home, store, on) {
    Object.assign(this, { home, store, on, fields: {} });
  }

  draw() {
    const { fields } = this;
    const change = (name) => (value) => this.on.ask('person', { [name]: value });
    const choice = (name, rows) => {
      const select = make('select', { id: `person-${name}`, data: { path: `person.${name}` } },
        ...rows.map(([value, words]) => make('option', { value, textContent: words })));
      select.addEventListener('change', () => change(name)(select.value));
      fields[name] = select;
      return this.#row(name, select);
    };
    const amount = (name, unit, step, scale = 1) => {
      const field = numberField({ id: `person-${name}`, step, path: `person.${name}`, changed: (value) => change(name)(value / scale) });
      field.dataset.scale = String(scale);
      fields[name] = field;
      return this.#row(name, field, unit);
    };
    const profiles = [['', word('profile_none')], ...this.store.profiles.map((name) => [name, own(this.store.words[`profile.${name}`]) || name.replaceAll('_', ' ')])];
    this.none = make('p', { className: 'quiet', textContent: word('no_person') });
    this.form = make('div', { className: 'form' },
      ...PERSON.map(({ name, choices }) => choice(name, choices.map((value) => [value, word(`${name}_${value}`)]))),
      amount('stature', 'cm', 1, 100), amount('percentile', '%', 5), amount('weight', 'kg', 1),
      choice('profile', profiles));
    this.home.replaceChildren(this.none, this.form);
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
    if (!made) return;
    for (const [name, field] of Object.entries(this.fields)) {
      const value = made[name];
      if (field.tagName === 'SELECT') field.value = value ?? '';
      else setValue(field, value === null || value === undefined ? '' : Number((value * Number(field.dataset.scale)).toFixed(2)));
    }
  }
}

