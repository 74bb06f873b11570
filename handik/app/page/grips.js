// Real buttons over the picture: the handle of a thing for keyboard, screen reader and finger. Arrows move it, Shift ten times as far.

import * as THREE from './three/three.module.js';

const STEP = 0.01;
/** So long, milliseconds, a key goes on from the one before: an answer that comes in between is to an older one. */
const GOES_ON = 1000;
const MOVES = {
  ArrowUp: [1, 0, 0], ArrowDown: [-1, 0, 0], ArrowLeft: [0, 1, 0], ArrowRight: [0, -1, 0],
  PageUp: [0, 0, 1], PageDown: [0, 0, -1],
};

export class Grips {
  /** `on`: begin(row), change(row, position), end(row), cancel(row), chosen(row), pin(row). */
  constructor(home, view, on) {
    Object.assign(this, { home, view, on, buttons: new Map() });
    view.before.push(() => this.follow());
  }

  /** Rows of {key, name, position, kind}. */
  set(rows) {
    const kept = new Set(rows.map((row) => row.key));
    for (const [key, button] of this.buttons) {
      if (!kept.has(key)) {
        button.remove();
        this.buttons.delete(key);
      }
    }
    for (const row of rows) {
      let button = this.buttons.get(row.key);
      if (!button) {
        button = this.#make();
        this.buttons.set(row.key, button);
        this.home.append(button);
      }
      button.row = row;
      const words = `${row.kind} ${Boolean(row.selected)} ${row.name}`;
      if (button.words === words) continue;
      button.words = words;
      button.dataset.grip = row.key;
      button.dataset.kind = row.kind;
      button.title = row.name;
      button.setAttribute('aria-label', row.name);
      button.setAttribute('aria-pressed', String(Boolean(row.selected)));
    }
    this.view.redraw();
  }

  /** In a drag: one thing is elsewhere. */
  move(key, pose) {
    const row = this.buttons.get(key)?.row;
    if (row) row.position = [...pose.slice(0, 3)];
    this.view.redraw(); // they follow once a frame, before it is drawn
  }

  #make() {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'grip';
    button.setAttribute('aria-describedby', 'grip-help');
    button.addEventListener('keydown', (event) => this.#key(button, event));
    button.addEventListener('click', () => {
      if (!button.moved) this.on.chosen(button.row); // what ends a drag is no choice
      button.moved = false;
    });
    button.addEventListener('pointerdown', (event) => this.#down(button, event));
    return button;
  }

  #key(button, event) {
    if (event.key.toLowerCase() === 'p' && button.row.kind === 'part' && !event.ctrlKey) {
      event.preventDefault();
      event.stopPropagation();
      this.on.pin(button.row);
      return;
    }
    const move = MOVES[event.key];
    if (!move || event.ctrlKey || event.altKey) {
      button.last = null; // it may be undone
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const far = STEP * (event.shiftKey ? 10 : 1);
    const { last } = button;
    const from = last && event.timeStamp - last.time < GOES_ON ? last.position : button.row.position;
    const position = from.map((value, k) => value + far * move[k]);
    button.last = { position, time: event.timeStamp };
    button.row.position = position;
    this.on.begin(button.row);
    this.on.change(button.row, position);
    this.on.end(button.row);
  }

  /** Dragged in the plane through the thing that faces the eye. */
  #down(button, event) {
    if (event.button !== 0) return;
    const { row } = button;
    const { camera } = this.view.eye;
    const facing = camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, new THREE.Vector3(...row.position));
    const start = [event.clientX, event.clientY];
    const box = this.view.canvas.getBoundingClientRect();
    let moving = false;
    button.moved = false;
    button.setPointerCapture(event.pointerId);
    const move = (now) => {
      if (!moving && Math.hypot(now.clientX - start[0], now.clientY - start[1]) < 3) return;
      if (!moving) this.on.begin(row);
      moving = true;
      button.moved = true;
      const at = new THREE.Vector2(
        (2 * (now.clientX - box.left)) / box.width - 1,
        1 - (2 * (now.clientY - box.top)) / box.height,
      );
      const caster = new THREE.Raycaster();
      caster.setFromCamera(at, camera);
      const met = caster.ray.intersectPlane(plane, new THREE.Vector3());
      if (met) this.on.change(row, met.toArray());
    };
    const stop = (how) => {
      button.removeEventListener('pointermove', move);
      button.removeEventListener('pointerup', up);
      button.removeEventListener('pointercancel', cancel);
      removeEventListener('keydown', escape, { capture: true });
      if (moving) this.on[how](row);
      moving = false;
    };
    const up = () => stop('end');
    const cancel = () => stop('cancel');
    const escape = (key) => {
      if (key.key !== 'Escape') return;
      key.stopImmediatePropagation();
      stop('cancel');
    };
    button.addEventListener('pointermove', move);
    button.addEventListener('pointerup', up);
    button.addEventListener('pointercancel', cancel);
    addEventListener('keydown', escape, { capture: true });
  }

  /** Put each button where its thing is seen; one behind the eye is not seen, yet stays in the order of focus. */
  follow() {
    const { camera, wide, high } = this.view.eye;
    const point = new THREE.Vector3();
    for (const button of this.buttons.values()) {
      const { position } = button.row;
      point.set(...position).project(camera);
      const inside = point.z < 1 && Math.abs(point.x) <= 1 && Math.abs(point.y) <= 1;
      button.classList.toggle('outside', !inside);
      const x = inside ? ((point.x + 1) / 2) * wide : 12;
      const y = inside ? ((1 - point.y) / 2) * high : 12;
      button.style.transform = `translate(${x - 12}px, ${y - 12}px)`;
    }
  }
}
