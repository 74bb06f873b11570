// Place, turn and size of what is selected, by numbers; degrees about x, y and z of the world, in this order.

import { make, numberField, setText, setValue } from './dom.js';
import { word } from './words.js';

const DEGREES = 180 / Math.PI;
const AXES = ['x', 'y', 'z'];

/** Angles about x, then y, then z of the world, in degrees, of a quaternion w x y z. */
export function anglesOf([w, x, y, z]) {
  const sine = 2 * (w * y - x * z);
  if (Math.abs(sine) > 1 - 1e-9) {
    return [0, Math.sign(sine) * 90, -Math.sign(sine) * 2 * Math.atan2(x, w) * DEGREES];
  }
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) * DEGREES,
    Math.asin(sine) * DEGREES,
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * DEGREES,
  ];
}

/** The quaternion w x y z of such angles. */
export function quaternionOf(angles) {
  const [a, b, c] = angles.map((angle) => angle / DEGREES / 2);
  const [ca, cb, cc, sa, sb, sc] = [Math.cos(a), Math.cos(b), Math.cos(c), Math.sin(a), Math.sin(b), Math.sin(c)];
  return [
    cc * cb * ca + sc * sb * sa,
    cc * cb * sa - sc * sb * ca,
    cc * sb * ca + sc * cb * sa,
    sc * cb * ca - cc * sb * sa,
  ];
}

export class Transform {
  /** `on`: change(node, pose, scale), ask(name, args). */
  constructor(home, on) {
    Object.assign(this, { home, on });
  }

  draw() {
    this.none = make('p', { className: 'quiet', textContent: word('nothing_selected') });
    this.title = make('p', {});
    this.fields = {};
    const triple = (name, key, unit, step) => make('fieldset', {}, make('legend', { textContent: `${word(key)} (${unit})` }),
      make('div', { className: 'triple' }, ...AXES.map((axis, k) => {
        const field = numberField({
          id: `${name}-${axis}`, step, path: `${name}.${axis}`, label: `${word(key)} ${axis}`, changed: () => this.#send(),
        });
        this.fields[`${name}${k}`] = field;
        return make('label', {}, axis, field);
      })));
    this.fields.scale = numberField({ id: 'scale', step: 0.1, min: 0.01, path: 'scale', label: word('scale'), changed: () => this.#send() });
    this.form = make('div', {}, this.title, triple('position', 'position', 'm', 0.01), triple('rotation', 'rotation', '°', 5),
      make('fieldset', {}, make('legend', { textContent: word('scale') }), make('div', { className: 'triple' }, this.fields.scale)));
    this.home.replaceChildren(this.none, this.form);
    this.show(this.node);
  }

  /** Fields from a node, or several as one (see `held` of main.js), or from where a drag has it. */
  show(node, pose = node?.world, scale = node?.scale) {
    this.node = node;
    if (!this.form) return;
    this.none.hidden = Boolean(node);
    this.form.hidden = !node;
    if (!node) return;
    setText(this.title, node.name);
    const angles = anglesOf(pose.slice(3));
    for (let k = 0; k < 3; k += 1) {
      setValue(this.fields[`position${k}`], tidy(pose[k], 4));
      setValue(this.fields[`rotation${k}`], tidy(angles[k], 2));
    }
    setValue(this.fields.scale, tidy(scale, 4));
    for (const field of Object.values(this.fields)) field.disabled = Boolean(node.locked);
    this.shown = { pose, angles };
  }

  #send() {
    const read = (name, before, digits) => before.map((value, k) => {
      const field = this.fields[`${name}${k}`];
      // a number that was not touched keeps the digits that are not shown
      return field.value === String(tidy(value, digits)) || field.value === '' ? value : field.valueAsNumber;
    });
    const { pose, angles } = this.shown;
    const position = read('position', pose.slice(0, 3), 4);
    const turned = read('rotation', angles, 2);
    const same = turned.every((value, k) => value === angles[k]);
    const quaternion = same ? pose.slice(3) : quaternionOf(turned);
    this.on.change(this.node, [...position, ...quaternion], this.fields.scale.valueAsNumber || this.node.scale);
  }
}

const tidy = (value, digits) => Number(value.toFixed(digits)) + 0;
