// Above the sliders: the whole posture, kept ones with a small picture, the clipboard, and the hand moved by steps.

import { make, numberField, shapes } from './dom.js';
import { word } from './words.js';

const DEGREES = 180 / Math.PI;
const JOGS = ['x', 'y', 'z', 'turn x', 'turn y', 'turn z'];

/** A kept posture seen from the front: strokes y, z, y, z, width in meters. */
function sketch(lines) {
  if (!lines.length) return make('span', { className: 'sketch', textContent: '?' });
  const across = lines.flatMap(([a, , b, , wide]) => [a - wide / 2, a + wide / 2, b - wide / 2, b + wide / 2]);
  const up = lines.flatMap(([, a, , b, wide]) => [-a - wide / 2, -a + wide / 2, -b - wide / 2, -b + wide / 2]);
  const [left, top] = [Math.min(...across), Math.min(...up)];
  const box = [left, top, Math.max(...across) - left, Math.max(...up) - top].map((value) => value.toFixed(3)).join(' ');
  return shapes('svg', { class: 'sketch', viewBox: box, 'aria-hidden': 'true' },
    ...lines.map(([a, b, c, d, wide]) => shapes('line', { x1: a, y1: -b, x2: c + 1e-4, y2: -d, 'stroke-width': wide })));
}

export class Postures {
  /** `on`: ask(name, args), perform(id), paste(). */
  constructor(home, on) {
    Object.assign(this, { home, on, step: 10, turn: 5, frame: 'world' });
  }

  /** Made anew when the kept postures or the language change. */
  set(poses, person, mirror) {
    if (this.both) this.both.checked = Boolean(mirror);
    const now = `${JSON.stringify(poses)} ${document.documentElement.lang} ${Boolean(person)}`;
    if (now === this.now) return;
    this.now = now;
    if (!person) {
      this.home.replaceChildren(
        make('p', { className: 'quiet', textContent: word('no_figure') }),
        make('button', { type: 'button', textContent: word('add_person'), data: { action: 'person.add' }, on: { click: () => this.on.perform('person.add') } }));
      return;
    }
    const ask = (key, name, args = {}) => make('button', { type: 'button', textContent: word(key), data: { ask: name }, on: { click: () => this.on.ask(name, args) } });
    const kept = Object.entries(poses);
    this.home.replaceChildren(
      make('div', { className: 'row' }, ask('reset', 'pose.reset'), ask('mirror', 'pose.mirror'),
        make('button', { type: 'button', textContent: word('keep'), data: { action: 'pose.save' }, on: { click: () => this.on.perform('pose.save') } }),
        make('button', { type: 'button', textContent: word('copy'), data: { action: 'pose.copy' }, on: { click: () => this.on.perform('pose.copy') } }),
        make('button', { type: 'button', textContent: word('paste'), data: { action: 'page.paste' }, on: { click: () => this.on.paste() } })),
      this.#bothSides(mirror),
      ...(kept.length ? [make('div', {}, make('h3', { textContent: word('kept') }), make('ul', { className: 'kept' }, ...kept.map(([name, { lines }]) => this.#card(name, lines))))] : []),
      this.#jog(person));
  }

  /** Whether a slider moves its partner of the other side, too. */
  #bothSides(mirror) {
    this.both = make('input', { type: 'checkbox', id: 'both-sides', checked: Boolean(mirror), data: { path: 'settings.mirror' }, on: { change: ({ target }) => this.on.ask('setting', { name: 'mirror', value: target.checked }) } });
    return make('div', {}, this.both, make('label', { htmlFor: 'both-sides', textContent: word('both_sides') }));
  }

  #card(name, lines) {
    return make('li', {},
      make('button', { type: 'button', data: { pose: name }, on: { click: () => this.on.ask('pose.apply', { name }) } }, sketch(lines ?? []), make('span', { textContent: name })),
      make('button', { type: 'button', className: 'off', textContent: '×', title: word('forget'), aria: { label: `${word('forget')}: ${name}` }, on: { click: () => this.on.ask('pose.forget', { name }) } }));
  }

  #jog({ handles }) {
    const step = numberField({ id: 'jog-step', step: 1, min: 0.1, path: 'jog.step', changed: (value) => { this.step = value; } });
    const turn = numberField({ id: 'jog-turn', step: 1, min: 0.1, path: 'jog.turn', changed: (value) => { this.turn = value; } });
    [step.value, turn.value] = [String(this.step), String(this.turn)];
    const frame = make('select', { id: 'jog-frame', data: { path: 'jog.frame' } },
      ...['world', 'hand'].map((value) => make('option', { value, textContent: word(`jog_${value}`), selected: value === this.frame })));
    frame.addEventListener('change', () => { this.frame = frame.value; });
    const button = (axis, sign) => make('button', {
      type: 'button', textContent: `${sign > 0 ? '+' : '−'}${axis.replace('turn ', '↻')}`, data: { jog: `${axis}${sign}` },
      aria: { label: `${word('jog_title')}: ${axis.startsWith('turn') ? `${word('turn_about')} ${axis.at(-1)}` : axis} ${sign > 0 ? '+' : '−'}` },
      on: { click: () => this.on.ask('jog', { axis, by: sign * (axis.startsWith('turn') ? this.turn / DEGREES : this.step / 1000), frame: this.frame }) },
    });
    const elbow = handles.some(({ frame }) => frame.startsWith('elbow')) ? [-1, 1].map((sign) => make('button', {
      type: 'button', textContent: `${sign > 0 ? '+' : '−'}${word('elbow')}`, data: { jog: `elbow${sign}` },
      aria: { label: `${word('jog_elbow')} ${sign > 0 ? '+' : '−'}` },
      on: { click: () => this.on.ask('swivel', { by: (sign * this.turn) / DEGREES }) },
    })) : [];
    const pair = (key, control, unit) => make('div', { className: 'pair' }, make('label', { htmlFor: control.id, textContent: word(key) }),
      make('div', { className: 'with-unit' }, control, unit ? make('span', { textContent: unit }) : null));
    return make('details', { open: this.open ?? false, on: { toggle: ({ target }) => { this.open = target.open; } } },
      make('summary', { textContent: word('jog_title') }),
      make('div', { className: 'jogs' }, ...JOGS.flatMap((axis) => [button(axis, -1), button(axis, 1)]), ...elbow),
      make('div', { className: 'form' }, pair('jog_step', step, 'mm'), pair('jog_turn', turn, '°'), pair('jog_frame', frame)));
  }
}
