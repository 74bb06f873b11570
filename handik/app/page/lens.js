// How the picture is looked at: field of view, a section plane, the view cube.

import * as THREE from './three/three.module.js';

import { make, numberField } from './dom.js';
import { word } from './words.js';

const AXES = { x: [-1, 0, 0], y: [0, -1, 0], z: [0, 0, -1] };
const FACES = [['front', ''], ['back', 'rotateY(180deg)'], ['left', 'rotateY(90deg)'], ['right', 'rotateY(-90deg)'], ['top', 'rotateX(90deg)'], ['bottom', 'rotateX(-90deg)']];

export class Lens {
  constructor(home, cube, view) {
    Object.assign(this, { home, cube, view, axis: '', at: 0.5, other: false, cameras: {} });
    view.before.push(() => this.#turn());
  }

  draw() {
    const fov = numberField({ id: 'fov', step: 5, min: 10, max: 120, path: 'view.fov', changed: (value) => this.#fov(value) });
    fov.value = String(Math.round(this.view.eye.camera.fov));
    this.list = make('select', { id: 'camera', data: { path: 'view.camera' } });
    this.list.addEventListener('change', () => {
      const { pose, view } = this.cameras[this.list.value] ?? {};
      if (pose) this.view.eye.lookFrom(pose, view);
      this.list.value = '';
    });
    const axis = make('select', { id: 'section', data: { path: 'view.section' } },
      make('option', { value: '', textContent: word('section_none') }), ...Object.keys(AXES).map((name) => make('option', { value: name, textContent: name, selected: name === this.axis })));
    const at = make('input', { type: 'range', id: 'section-at', min: '-3', max: '3', step: '0.01', value: String(this.at), data: { path: 'view.section.at' } });
    at.setAttribute('aria-label', word('section_at'));
    const other = make('input', { type: 'checkbox', id: 'section-other', checked: this.other });
    const set = () => {
      Object.assign(this, { axis: axis.value, at: at.valueAsNumber, other: other.checked });
      at.setAttribute('aria-valuetext', `${this.at.toFixed(2)} m`);
      this.cut();
    };
    for (const control of [axis, other]) control.addEventListener('change', set);
    at.addEventListener('input', set);
    this.home.replaceChildren(make('summary', { textContent: word('lens') }), make('div', { className: 'form' },
      make('div', { className: 'pair' }, make('label', { htmlFor: 'camera', textContent: word('camera_of') }), this.list),
      make('div', { className: 'pair' }, make('label', { htmlFor: 'fov', textContent: word('fov') }), make('div', { className: 'with-unit' }, fov, '°')),
      make('div', { className: 'pair' }, make('label', { htmlFor: 'section', textContent: word('section') }), axis), at,
      make('div', {}, other, make('label', { htmlFor: 'section-other', textContent: word('section_other') }))));
    this.faces = FACES.map(([name, turn]) => {
      const face = make('button', { type: 'button', className: 'face', textContent: word(`view_${name}`), tabIndex: -1, data: { face: name }, on: { click: () => this.view.eye.view(name) } });
      face.style.transform = `${turn} translateZ(32px)`;
      return face;
    });
    this.block = make('div', { className: 'block' }, ...this.faces);
    this.cube.replaceChildren(this.block);
    this.#turn();
    this.setCameras(this.cameras, true);
  }

  /** The cameras of the scene, to look from. */
  setCameras(cameras, anew = false) {
    if (!anew && JSON.stringify(cameras) === JSON.stringify(this.cameras)) return;
    this.cameras = cameras;
    this.list?.replaceChildren(...['', ...Object.keys(cameras)].map((value) => make('option', { value, textContent: value || word('section_none') })));
  }

  #fov(value) {
    this.view.eye.camera.fov = Math.min(Math.max(value, 10), 120);
    this.view.eye.camera.updateProjectionMatrix();
    this.view.redraw();
  }

  /** What lies beyond the plane is not drawn. */
  cut() {
    const normal = AXES[this.axis];
    const sign = this.other ? -1 : 1;
    this.view.renderer.clippingPlanes = normal
      ? [new THREE.Plane(new THREE.Vector3(...normal).multiplyScalar(sign), sign * this.at)] : [];
    this.view.canvas.dataset.section = normal ? `${this.axis} ${this.at}` : '';
    this.view.redraw();
  }

  /** The cube stands as the scene does. */
  #turn() {
    if (!this.block) return;
    const { turn, tilt } = this.view.eye;
    this.block.style.transform = `rotateX(${(tilt - Math.PI / 2).toFixed(3)}rad) rotateY(${(-turn).toFixed(3)}rad)`;
  }
}
