// Words in the picture: names of objects, a distance. They follow what they name; screen readers have the tree instead.

import * as THREE from './three/three.module.js';

import { make, setText } from './dom.js';

export class Labels {
  constructor(home, view) {
    Object.assign(this, { home, view, rows: new Map() });
    view.before.push(() => this.follow());
  }

  /** Labels of one purpose: rows of {text, position}. */
  set(purpose, rows) {
    const kept = this.rows.get(purpose) ?? [];
    while (kept.length > rows.length) kept.pop().remove();
    rows.forEach(({ text, position }, k) => {
      if (!kept[k]) this.home.append(kept[k] = make('span', { className: `label-${purpose}` }));
      setText(kept[k], text);
      kept[k].position = position;
    });
    this.rows.set(purpose, kept);
    this.view.redraw();
  }

  follow() {
    const { wide, high } = this.view.eye;
    const point = new THREE.Vector3();
    for (const label of [...this.rows.values()].flat()) {
      point.set(...label.position).project(this.view.eye.camera);
      label.hidden = point.z > 1 || Math.abs(point.x) > 1 || Math.abs(point.y) > 1;
      label.style.transform = `translate(${((point.x + 1) / 2) * wide}px, ${((1 - point.y) / 2) * high}px)`;
    }
  }
}
