// A wheelchair as it is drawn: of its outline and sizes, no more than that. x is ahead, z up, the axle's middle at zero.

import * as THREE from './three/three.module.js';

const SEAT = 0.46;

export function wheelchair({ kind, outline, width, length, axle, ahead }) {
  const group = new THREE.Group();
  const material = (color, more = {}) => new THREE.MeshStandardMaterial({ color, roughness: 0.7, ...more });
  const add = (geometry, color, x, y, z, more) => {
    const part = new THREE.Mesh(geometry, material(color, more));
    part.position.set(x, y, z);
    part.castShadow = true;
    group.add(part);
    return part;
  };
  const shape = new THREE.Shape(outline.map(([x, y]) => new THREE.Vector2(x, y)));
  const floor = add(new THREE.ShapeGeometry(shape), '#1b5cc0', 0, 0, 0.004, { transparent: true, opacity: 0.25 });
  floor.castShadow = false;
  const edge = new THREE.LineLoop(new THREE.BufferGeometry().setFromPoints(outline.map(([x, y]) => new THREE.Vector3(x, y, 0.006))), new THREE.LineBasicMaterial({ color: '#1b5cc0' }));
  group.add(edge);
  const manual = kind === 'manual';
  const radius = manual ? 0.3 : 0.17;
  const half = Math.min(width / 2, 0.36) - 0.04;
  const wheel = (x, size, thick) => [-1, 1].forEach((side) => add(new THREE.CylinderGeometry(size, size, thick, 32), '#26282c', x, side * half, size));
  if (kind === 'scooter') {
    wheel(0, 0.13, 0.07);
    add(new THREE.CylinderGeometry(0.13, 0.13, 0.07, 32), '#26282c', length - axle - 0.2, 0, 0.13);
    add(new THREE.BoxGeometry(0.04, 0.04, 0.75), '#55585f', length - axle - 0.25, 0, 0.5);
  } else {
    wheel(0, radius, 0.03);
    wheel(Math.min(length - axle - 0.35, 0.45), 0.09, 0.03);
  }
  const wide = 2 * half - 0.06;
  const hips = -ahead;
  add(new THREE.BoxGeometry(0.46, wide, 0.05), '#3a3d44', hips + 0.08, 0, SEAT - 0.09);
  add(new THREE.BoxGeometry(0.04, wide, 0.42), '#3a3d44', hips - 0.17, 0, SEAT + 0.15);
  add(new THREE.BoxGeometry(0.18, wide * 0.8, 0.02), '#55585f', length - axle - 0.22, 0, 0.03);
  return group;
}
