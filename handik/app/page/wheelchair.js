// A wheelchair as Python describes it: its outline on the floor, boxes, and wheels whose axes are across. x is ahead, z up.

import * as THREE from './three/three.module.js';

const FLOOR = '#1b5cc0';

export function wheelchair({ outline, parts }) {
  const group = new THREE.Group();
  const add = (geometry, color, at, more = {}) => {
    const part = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color, roughness: 0.7, ...more }));
    part.position.set(...at);
    part.castShadow = true;
    group.add(part);
    return part;
  };
  const shape = new THREE.Shape(outline.map(([x, y]) => new THREE.Vector2(x, y)));
  add(new THREE.ShapeGeometry(shape), FLOOR, [0, 0, 0.004], { transparent: true, opacity: 0.25 }).castShadow = false;
  const edge = new THREE.BufferGeometry().setFromPoints(outline.map(([x, y]) => new THREE.Vector3(x, y, 0.006)));
  group.add(new THREE.LineLoop(edge, new THREE.LineBasicMaterial({ color: FLOOR })));
  for (const { size, radius, width, at, color } of parts) {
    add(size ? new THREE.BoxGeometry(...size) : new THREE.CylinderGeometry(radius, radius, width, 32), color, at);
  }
  return group;
}
