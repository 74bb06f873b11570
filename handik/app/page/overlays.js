// What is drawn beside the document: other figures, faint, and lines with words. None of it is picked.

import * as THREE from './three/three.module.js';

import { Figure } from './figure.js';
import { asPoints, dispose, place } from './scene3d.js';
import { wheelchair } from './wheelchair.js';

export class Overlays {
  /** `view` has scene, meshes, body and draw (see view3d.js). */
  constructor(view) {
    Object.assign(this, { view, figures: new Map(), lines: new Map(), chairs: new Map() });
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

  /** The cone of vision from somebody's eyes, half its angle in radians; null: none. */
  setCone(eyes, half) {
    if (this.cone && (!eyes || this.cone.userData.half !== half)) {
      dispose(this.cone);
      this.cone = null;
    }
    if (eyes && !this.cone) {
      const long = 1.6;
      const geometry = new THREE.ConeGeometry(long * Math.tan(half), long, 40, 1, true).translate(0, -long / 2, 0).rotateZ(Math.PI / 2);
      this.cone = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: '#f5a524', transparent: true, opacity: 0.16, side: THREE.DoubleSide, depthWrite: false }));
      this.cone.userData.half = half;
      this.view.scene.add(this.cone);
    }
    if (eyes) place(this.cone, [...eyes.at, ...eyes.turn]);
    this.view.redraw();
  }

  /** The wheelchairs of people: rows of {path, chair, pose}, by the pose of the person's node. */
  setChairs(rows) {
    const seen = new Map(rows.map((row) => [row.path, row]));
    for (const [path, made] of this.chairs) {
      if (seen.get(path)?.chair === made.userData.chair) continue;
      dispose(made);
      this.chairs.delete(path);
    }
    for (const { path, chair, pose } of rows) {
      if (!this.chairs.has(path)) {
        const made = wheelchair(chair);
        made.userData.chair = chair;
        this.chairs.set(path, made);
        this.view.scene.add(made);
        this.drawChairs();
      }
      place(this.chairs.get(path), pose);
    }
    this.view.redraw();
  }

  /** Wheelchairs as everything else is drawn; their outlines on the floor stay. */
  drawChairs() {
    const { draw } = this.view;
    for (const made of this.chairs.values()) made.traverse((part) => {
      if (!part.isMesh || part.material.transparent) return;
      Object.assign(part.material, { wireframe: draw === 'wire', visible: draw !== 'points' });
      asPoints(part, draw === 'points');
    });
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
