// The posture: one slider and one number for each degree of freedom, in degrees, with its limits. Drawn at most ten times a second in a drag.

import { make, numberField, setValue } from './dom.js';
import { number, own, word } from './words.js';

const DEGREES = 180 / Math.PI;
const GROUPS = ['trunk', 'head', 'right', 'left', 'legs', 'other'];

function groupOf({ name }) {
  if (/(hip|knee|ankle|thigh|foot|toe).*/.test(name)) return 'legs';
  if (/_right(?![a-z])/.test(name)) return 'right';
  if (/_left(?![a-z])/.test(name)) return 'left';
  if (/neck|head|eye/.test(name)) return 'head';
  if (/trunk|pelvis|spine|lumbar|thorax/.test(name)) return 'trunk';
  return 'other';
}

export class Sliders {
  /** `on`: begin(), change(dof, radians), end(), cancel(), ask(name, args). */
  constructor(home, on) {
    Object.assign(this, { home, on, rows: [] });
  }

  /** The body's freedoms: made anew for another body or another language. */
  setBody(body) {
    const now = `${body?.key} ${document.documentElement.lang}`;
    if (now === this.now) return;
    this.now = now;
    const open = new Set([...this.home.querySelectorAll('details:not([open])')].map((d) => d.dataset.group));
    this.home.replaceChildren();
    this.rows = [];
    if (!body) return;
    const human = body.dofs.some((dof) => groupOf(dof) !== 'other');
    for (const group of GROUPS) {
      const rows = body.dofs.map((dof, k) => [dof, k]).filter(([dof]) => groupOf(dof) === group);
      if (!rows.length) continue;
      const sliders = rows.map(([dof, k]) => this.#slider(dof, k));
      if (!human) this.home.append(...sliders);
      else {
        this.home.append(make('details', { open: !open.has(group), data: { group } },
          make('summary', { textContent: word(`group_${group}`) }), ...sliders));
      }
    }
  }

  #slider(dof, k) {
    const turns = dof.kind !== 'slide';
    const unit = turns ? DEGREES : 1000;
    const words = own(dof.words) || dof.name;
    const sign = turns ? '°' : ' mm';
    const lower = dof.lower === null ? -180 : dof.lower * unit;
    const upper = dof.upper === null ? 180 : dof.upper * unit;
    const limits = `${number(lower)}${sign} … ${number(upper)}${sign}`;
    const id = `dof-${dof.name}`;
    const range = make('input', {
      type: 'range', id, min: String(lower), max: String(upper), step: '0.1', data: { path: `dof.${dof.name}` },
      aria: { describedby: `${id}-limits` },
    });
    const field = numberField({
      label: `${words}, ${word(turns ? 'degrees' : 'millimeters')}`, step: 1, min: lower.toFixed(2), max: upper.toFixed(2),
      path: `dof.${dof.name}.number`,
      changed: (value) => this.#once(k, Math.min(Math.max(value, lower), upper) / unit),
    });
    const back = make('button', {
      type: 'button', textContent: '↺', title: word('reset_one'), aria: { label: `${word('reset_one')}: ${words}` },
      on: { click: () => this.on.ask('joint', { dof: dof.name, value: Math.min(Math.max(0, lower), upper) / unit }) },
    });
    const hold = make('button', {
      type: 'button', className: 'hold', textContent: '⊡', title: word('hold'), aria: { label: `${word('hold')}: ${words}`, pressed: 'false' },
      on: { click: () => this.on.ask('hold', { dof: dof.name }) },
    });
    this.#listen(range, k, unit);
    this.rows.push({ k, unit, range, field, turns, hold, joint: dof.joint });
    return make('div', { className: 'slider' },
      make('div', { className: 'words' }, make('label', { htmlFor: id, textContent: words }),
        make('span', { className: 'limits', id: `${id}-limits`, textContent: limits })),
      range, field, hold, back);
  }

  /** A drag of the knob is one entry; a run of keys, too, until half a second without one. */
  #listen(range, k, unit) {
    let held = false;
    let rest = null;
    const stop = (how) => {
      clearTimeout(rest);
      rest = null;
      if (held) this.on[how]();
      held = false;
      this.holding = false;
    };
    range.addEventListener('pointerdown', () => { this.pressed = true; });
    range.addEventListener('input', () => {
      if (!held) this.on.begin();
      held = true;
      this.holding = true;
      this.on.change(k, range.valueAsNumber / unit);
      clearTimeout(rest);
      if (!this.pressed) rest = setTimeout(() => stop('end'), 500);
    });
    range.addEventListener('change', () => { if (this.pressed) stop('end'); this.pressed = false; });
    range.addEventListener('pointerup', () => { this.pressed = false; });
    range.addEventListener('blur', () => stop('end'));
    range.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && held) {
        event.stopPropagation();
        stop('cancel');
      }
    });
  }

  #once(k, value) {
    this.on.begin();
    this.on.change(k, value);
    this.on.end();
  }

  /** Which joints are held still: their sliders, too. */
  setHeld(joints) {
    for (const { joint, hold, range, field } of this.rows) {
      const held = joints.includes(joint);
      hold.setAttribute('aria-pressed', String(held));
      range.disabled = held;
      field.disabled = held;
    }
  }

  /** The values of a posture, in radians. `now` false: at most ten times a second. */
  setAngles(angles, now = true) {
    this.angles = angles;
    if (!now) {
      this.waiting ??= setTimeout(() => this.#write(), 100);
      return;
    }
    this.#write();
  }

  #write() {
    clearTimeout(this.waiting);
    this.waiting = null;
    for (const { k, unit, range, field, turns } of this.rows) {
      const value = this.angles[k] * unit;
      if (!(this.holding && document.activeElement === range)) setValue(range, value.toFixed(1));
      setValue(field, value.toFixed(1));
      range.setAttribute('aria-valuetext', `${number(value, 1)} ${word(turns ? 'degrees' : 'millimeters')}`);
    }
  }
}

