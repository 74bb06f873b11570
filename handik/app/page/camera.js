// The eye: turned about a point, moved and brought nearer by mouse, fingers or keys; z is up.

import * as THREE from './three/three.module.js';

const LOW = 0.02;
const VIEWS = {
  front: [0, Math.PI / 2],
  back: [Math.PI, Math.PI / 2],
  left: [Math.PI / 2, Math.PI / 2],
  right: [-Math.PI / 2, Math.PI / 2],
  top: [0, LOW],
  bottom: [0, Math.PI - LOW],
  corner: [2.45, 1.2],
};
export const VIEW_NAMES = Object.keys(VIEWS);

export class Eye {
  /** @param {HTMLCanvasElement} canvas  @param {() => void} redraw */
  constructor(canvas, redraw) {
    this.canvas = canvas;
    this.redraw = redraw;
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.02, 200);
    this.camera.up.set(0, 0, 1);
    this.about = new THREE.Vector3(0.1, 0, 0.95);
    this.distance = 3.4;
    [this.turn, this.tilt] = VIEWS.corner;
    [this.wide, this.high] = [1, 1]; // pixels of the picture: asked of the page only when it changed
    this.enabled = true;
    this.fingers = new Map();
    this.#listen();
    this.apply();
  }

  /** Look through somebody's eyes: a place and a turn (x ahead, z up), again at each pose; null: from outside. */
  ride(eyes) {
    if (!eyes) this.aside = [0, 0];
    if (eyes && !this.eyes) [this.outside, this.camera.fov] = [this.camera.fov, 75];
    else if (!eyes && this.eyes) this.camera.fov = this.outside;
    this.eyes = eyes;
    this.camera.near = eyes ? 0.1 : 0.02; // not the inside of the head
    this.camera.updateProjectionMatrix();
    this.apply();
  }

  #through({ at, turn }) {
    const [w, x, y, z] = turn;
    const own = new THREE.Quaternion(x, y, z, w);
    const [left, up] = this.aside ?? [0, 0];
    own.multiply(new THREE.Quaternion().setFromEuler(new THREE.Euler(0, up, left, 'ZYX')));
    this.camera.position.set(...at);
    this.camera.up.set(0, 0, 1).applyQuaternion(own);
    this.camera.lookAt(new THREE.Vector3(1, 0, 0).applyQuaternion(own).add(this.camera.position));
    this.camera.up.set(0, 0, 1);
    this.camera.updateMatrixWorld();
    this.redraw();
  }

  apply() {
    if (this.eyes) {
      this.#through(this.eyes);
      return;
    }
    const across = Math.sin(this.tilt) * this.distance;
    this.camera.position.set(
      this.about.x + across * Math.cos(this.turn),
      this.about.y + across * Math.sin(this.turn),
      this.about.z + Math.cos(this.tilt) * this.distance,
    );
    this.camera.lookAt(this.about);
    this.camera.updateMatrixWorld();
    this.redraw();
  }

  /** Go to a named view; eased unless the reader asked for less motion. */
  view(name) {
    if (this.eyes) this.ride(null);
    const [turn, tilt] = VIEWS[name];
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.flight = null;
    if (still) {
      [this.turn, this.tilt] = [turn, tilt];
      this.apply();
      return;
    }
    const round = Math.round((this.turn - turn) / (2 * Math.PI)) * 2 * Math.PI;
    this.flight = { from: [this.turn, this.tilt], to: [turn + round, tilt], start: performance.now() };
    this.#fly();
  }

  #fly() {
    const { flight } = this;
    if (!flight) return;
    const share = Math.min((performance.now() - flight.start) / 250, 1);
    const eased = share * share * (3 - 2 * share);
    this.turn = flight.from[0] + (flight.to[0] - flight.from[0]) * eased;
    this.tilt = flight.from[1] + (flight.to[1] - flight.from[1]) * eased;
    if (share === 1) this.flight = null;
    this.apply();
    if (share < 1) requestAnimationFrame(() => this.#fly());
  }

  /** Go to a camera of the scene: its pose (it looks along its -z) and its angle of view. */
  lookFrom(pose, angle) {
    if (this.eyes) this.ride(null);
    const [x, y, z, w, i, j, k] = pose;
    const back = new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion(i, j, k, w));
    this.about.set(x, y, z).addScaledVector(back, -this.distance);
    this.tilt = Math.min(Math.max(Math.acos(Math.min(Math.max(back.z, -1), 1)), LOW), Math.PI - LOW);
    this.turn = Math.atan2(back.y, back.x);
    this.camera.fov = (angle * 180) / Math.PI;
    this.camera.updateProjectionMatrix();
    this.apply();
  }

  /** What it sees now, as a camera of the scene. */
  asCamera() {
    const { position: at, quaternion: turn, fov } = this.camera;
    return { pose: [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z], view: (fov * Math.PI) / 180 };
  }

  /** Look at a ball of this middle and radius, whole. */
  frame(middle, radius) {
    this.about.copy(middle);
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    this.distance = Math.max(radius / Math.sin(half) / narrow, 0.3);
    this.apply();
  }

  orbit(right, down) {
    if (this.eyes) {
      const [left, up] = this.aside ?? [0, 0];
      this.aside = [Math.min(Math.max(left + right, -1.4), 1.4), Math.min(Math.max(up - down, -1.2), 1.2)];
      this.apply();
      return;
    }
    this.flight = null;
    this.turn -= right;
    this.tilt = Math.min(Math.max(this.tilt - down, LOW), Math.PI - LOW);
    this.apply();
  }

  /** Move by shares of the picture's height. */
  pan(right, up) {
    const tall = 2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360);
    const axes = this.camera.matrixWorld.elements;
    this.about.addScaledVector(new THREE.Vector3(axes[0], axes[1], axes[2]), -right * tall);
    this.about.addScaledVector(new THREE.Vector3(axes[4], axes[5], axes[6]), -up * tall);
    this.apply();
  }

  zoom(factor) {
    this.distance = Math.min(Math.max(this.distance * factor, 0.15), 60);
    this.apply();
  }

  #listen() {
    const { canvas } = this;
    canvas.addEventListener('pointerdown', (event) => this.#down(event));
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    for (const end of ['pointerup', 'pointercancel']) {
      canvas.addEventListener(end, (event) => this.fingers.delete(event.pointerId));
    }
    const wheel = (event) => {
      event.preventDefault();
      this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) * 0.0015));
    };
    canvas.addEventListener('wheel', wheel, { passive: false });
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('keydown', (event) => this.#key(event));
  }

  #down(event) {
    if (!this.enabled) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY, button: event.button });
  }

  #move(event) {
    const last = this.fingers.get(event.pointerId);
    if (!last || !this.enabled) return;
    const height = this.high;
    const right = (event.clientX - last.x) / height;
    const down = (event.clientY - last.y) / height;
    if (this.fingers.size === 2) {
      const [other] = [...this.fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (before > 0 && after > 0) this.zoom(before / after);
      this.pan(right / 2, -down / 2);
    } else if (last.button === 0 && !event.shiftKey) {
      this.orbit(right * Math.PI, down * Math.PI);
    } else {
      this.pan(right, -down);
    }
    last.x = event.clientX;
    last.y = event.clientY;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (step && event.shiftKey) this.pan(-step[0] * 0.05, -step[1] * 0.05);
    else if (step) this.orbit(-step[0] * 0.1, step[1] * 0.1);
    else if (event.key === '+' || event.key === '=') this.zoom(0.9);
    else if (event.key === '-') this.zoom(1.1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
