// Handles to move, turn and scale one thing in the picture. Hit by distance on the screen, drawn over all, of one size at any distance.

import * as THREE from './three/three.module.js';

const COLORS = ['#e5484d', '#30a46c', '#3e8ef7'];
const REACH = 12; // pixels from a handle that still take hold of it
const LENGTH = 90; // pixels of an arm
const ROUND = 48;

const unit = (k) => new THREE.Vector3().setComponent(k, 1);
const rounded = (value, step) => (step > 0 ? Math.round(value / step) * step : value);

function distanceToSegment(p, a, b) {
  const along = b.clone().sub(a);
  const share = along.lengthSq() ? p.clone().sub(a).dot(along) / along.lengthSq() : 0;
  return p.distanceTo(a.clone().addScaledVector(along, Math.min(Math.max(share, 0), 1)));
}

export class Gizmo {
  /** `on` has begin(), change({pose, scale}), end(), cancel(); a pose is x y z, w x y z. */
  constructor(scene, eye, canvas, on) {
    Object.assign(this, { eye, canvas, on, mode: 'move', frame: 'world', snap: null, held: null, used: false });
    this.root = new THREE.Group();
    this.root.visible = false;
    scene.add(this.root);
    this.at = { pose: [0, 0, 0, 1, 0, 0, 0], scale: 1 };
    this.#build();
    canvas.addEventListener('pointerdown', (event) => this.#down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#up(event));
    canvas.addEventListener('pointercancel', () => this.cancel());
    addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && this.held) {
        event.stopImmediatePropagation();
        this.cancel();
      }
    }, { capture: true });
  }

  #build() {
    this.handles = { move: [], turn: [], scale: [] };
    COLORS.forEach((color, k) => {
      const flat = { color, depthTest: false, transparent: true };
      const line = () => new THREE.LineBasicMaterial(flat);
      const solid = () => new THREE.MeshBasicMaterial(flat);
      const arm = () => {
        const ends = [unit(k).multiplyScalar(0.12), unit(k)];
        return new THREE.Line(new THREE.BufferGeometry().setFromPoints(ends), line());
      };
      const tipped = (geometry) => {
        const tip = new THREE.Mesh(geometry, solid());
        tip.position.copy(unit(k));
        tip.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), unit(k));
        const group = new THREE.Group();
        group.add(arm(), tip);
        return group;
      };
      const points = [];
      for (let i = 0; i <= ROUND; i += 1) {
        const turn = (2 * Math.PI * i) / ROUND;
        points.push(unit((k + 1) % 3).multiplyScalar(0.85 * Math.cos(turn))
          .addScaledVector(unit((k + 2) % 3), 0.85 * Math.sin(turn)));
      }
      const ring = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), line());
      ring.userData.points = points;
      this.handles.move.push(tipped(new THREE.ConeGeometry(0.06, 0.18, 16)));
      this.handles.scale.push(tipped(new THREE.BoxGeometry(0.12, 0.12, 0.12)));
      this.handles.turn.push(ring);
    });
    for (const row of Object.values(this.handles)) this.root.add(...row);
    this.root.traverse((part) => { part.renderOrder = 30; });
    this.setMode('move');
  }

  setMode(mode) {
    this.mode = mode;
    for (const [name, row] of Object.entries(this.handles)) {
      for (const handle of row) handle.visible = name === mode;
    }
  }

  /** Take hold of a thing at these values, or of nothing (null). */
  attach(at) {
    if (this.held && at) return;
    this.root.visible = Boolean(at);
    if (at) this.at = { pose: [...at.pose], scale: at.scale };
    this.update();
  }

  /** Keep the size on the screen; called before each drawing. */
  update() {
    const [px, py, pz, w, x, y, z] = this.at.pose;
    this.root.position.set(px, py, pz);
    if (this.frame === 'own' || this.mode === 'scale') this.root.quaternion.set(x, y, z, w);
    else this.root.quaternion.identity();
    const { camera } = this.eye;
    const away = this.root.position.distanceTo(camera.position);
    const tall = 2 * away * Math.tan((camera.fov * Math.PI) / 360);
    this.root.scale.setScalar((tall * LENGTH) / Math.max(this.eye.high, 1));
    this.root.updateMatrixWorld(true);
  }

  screen(point) {
    const seen = point.clone().project(this.eye.camera);
    const { wide, high } = this.eye;
    return new THREE.Vector2(((seen.x + 1) / 2) * wide, ((1 - seen.y) / 2) * high);
  }

  #pointer(event) {
    const box = this.canvas.getBoundingClientRect();
    return new THREE.Vector2(event.clientX - box.left, event.clientY - box.top);
  }

  #ray(pointer) {
    const { wide, high } = this.eye;
    const caster = new THREE.Raycaster();
    const at = new THREE.Vector2((2 * pointer.x) / wide - 1, 1 - (2 * pointer.y) / high);
    caster.setFromCamera(at, this.eye.camera);
    return caster.ray;
  }

  /** The axis under a point of the canvas, or -1. */
  hit(pointer) {
    if (!this.root.visible) return -1;
    let best = -1;
    let least = REACH;
    const world = (p) => this.screen(p.clone().applyMatrix4(this.root.matrixWorld));
    for (let k = 0; k < 3; k += 1) {
      const points = this.mode === 'turn' ? this.handles.turn[k].userData.points
        : [unit(k).multiplyScalar(0.12), unit(k).multiplyScalar(1.1)];
      for (let i = 1; i < points.length; i += 1) {
        const away = distanceToSegment(pointer, world(points[i - 1]), world(points[i]));
        if (away < least) [best, least] = [k, away];
      }
    }
    return best;
  }

  #axis(k) {
    return unit(k).applyQuaternion(this.root.quaternion);
  }

  /** Along the axis: how far from the middle the pointer is. */
  #along(pointer, axis, middle) {
    const ray = this.#ray(pointer);
    const between = ray.origin.clone().sub(middle);
    const b = axis.dot(ray.direction);
    const d = axis.dot(between);
    const e = ray.direction.dot(between);
    const below = 1 - b * b;
    return below < 1e-4 ? 0 : (d - b * e) / below;
  }

  /** About the axis: the pointer's angle, on the plane or, seen from its edge, on the screen. */
  #angle(pointer, axis, middle) {
    const ray = this.#ray(pointer);
    if (Math.abs(axis.dot(ray.direction)) < 0.1) {
      const seen = this.screen(middle);
      const side = this.screen(middle.clone().add(axis)).sub(seen).normalize();
      return ((pointer.y - seen.y) * side.x - (pointer.x - seen.x) * side.y) / LENGTH;
    }
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(axis, middle);
    const met = ray.intersectPlane(plane, new THREE.Vector3());
    if (!met) return null;
    const out = met.sub(middle);
    const first = this.held.first ?? out.clone().normalize();
    this.held.first = first;
    return Math.atan2(axis.dot(first.clone().cross(out)), first.dot(out));
  }

  #down(event) {
    if (event.button !== 0 || this.held) return;
    const pointer = this.#pointer(event);
    const k = this.hit(pointer);
    if (k < 0) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.focus();
    this.used = true;
    const middle = new THREE.Vector3(...this.at.pose.slice(0, 3));
    const axis = this.#axis(k);
    this.held = { axis, middle, before: structuredClone(this.at), turned: 0, last: 0 };
    this.held.from = this.#along(pointer, axis, middle);
    if (this.mode === 'turn') this.held.last = this.#angle(pointer, axis, middle) ?? 0;
    this.on.begin(this.mode);
  }

  #move(event) {
    const { held } = this;
    if (!held) {
      this.canvas.classList.toggle('over-handle', this.hit(this.#pointer(event)) >= 0);
      return;
    }
    const pointer = this.#pointer(event);
    const snap = this.snap && !event.ctrlKey ? this.snap[this.mode] : 0;
    const { before, axis } = held;
    const now = structuredClone(before);
    if (this.mode === 'turn') {
      const angle = this.#angle(pointer, axis, held.middle);
      if (angle === null) return;
      const step = angle - held.last;
      held.turned += step - 2 * Math.PI * Math.round(step / (2 * Math.PI));
      held.last = angle;
      const [w, x, y, z] = before.pose.slice(3);
      const turn = new THREE.Quaternion().setFromAxisAngle(axis, rounded(held.turned, snap));
      turn.multiply(new THREE.Quaternion(x, y, z, w)).normalize();
      now.pose = [...before.pose.slice(0, 3), turn.w, turn.x, turn.y, turn.z];
    } else {
      const along = this.#along(pointer, axis, held.middle);
      if (this.mode === 'move') {
        const far = rounded(along - held.from, snap);
        const to = held.middle.clone().addScaledVector(axis, far);
        now.pose = [...to.toArray(), ...before.pose.slice(3)];
      } else {
        const length = held.from || 1;
        now.scale = Math.max(rounded(before.scale * (along / length), snap), 0.01);
      }
    }
    this.at = now;
    this.update();
    this.on.change(now);
  }

  #up() {
    if (!this.held) return;
    this.held = null;
    this.on.end();
  }

  cancel() {
    if (!this.held) return;
    this.at = this.held.before;
    this.held = null;
    this.update();
    this.on.cancel();
  }
}
