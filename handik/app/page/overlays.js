// What is drawn beside the document: other figures, faint, and lines with words. None of it is picked.

import * as THREE from './three/three.module.js';

import { Figure } from './figure.js';
import { dispose } from './scene3d.js';

export class Overlays {
  /** `view` has scene, meshes, body and draw (see view3d.js). */
  constructor(view) {
    Object.assign(this, { view, figures: new Map(), lines: new Map() });
  }

  /** Figures of one purpose: rows of {body, links, color, opacity}; an empty list takes them away. */
  setFigures(purpose, rows, shown = null) {
    const kept = this.figures.get(purpose) ?? [];
    while (kept.length > rows.length) dispose(kept.pop().root);
    rows.forEach(({ body, links, color, opacity }, k) => {
      kept[k] ??= new Figure(this.view.scene, { ghost: true, color, opacity });
      const figure = kept[k];
      figure.setBody(body);
      if (this.view.meshes.has(body.skin)) figure.setSkin(this.view.meshes.get(body.skin));
      figure.setShown(shown ?? this.view.body, this.view.draw);
      figure.setPose(links);
    });
    this.figures.set(purpose, kept);
    this.view.redraw();
  }

  /** A skin that came down since. */
  addMesh(message) {
    for (const figure of [...this.figures.values()].flat()) if (figure.body?.skin === message.key) figure.setSkin(message);
  }

  /** Lines of one purpose: rows of {points, color, dots}. */
  setLines(purpose, rows) {
    for (const old of this.lines.get(purpose) ?? []) dispose(old);
    this.lines.set(purpose, rows.filter(({ points }) => points.length > 1).map(({ points, color, dots }) => {
      const geometry = new THREE.BufferGeometry().setFromPoints(points.map((point) => new THREE.Vector3(...point)));
      const look = { color, depthTest: false, transparent: true };
      const group = new THREE.Group();
      group.add(new THREE.Line(geometry, new THREE.LineBasicMaterial(look)));
      if (dots) group.add(new THREE.Points(geometry, new THREE.PointsMaterial({ ...look, size: 7, sizeAttenuation: false })));
      for (const part of group.children) Object.assign(part, { renderOrder: 15, frustumCulled: false });
      this.view.scene.add(group);
      return group;
    }));
    this.view.redraw();
  }
}
