// A wheelchair as Python describes it, in the place of who sits in it: boxes, rods and wheels, a mesh of each color, and its outline on the floor. x is ahead, z up.

import * as THREE from './three/three.module.js';

const FLOOR = '#1b5cc0';
const UP = new THREE.Vector3(0, 1, 0);

/** The geometry of a part in its place: a box, a rod from end to end, or a wheel whose axis is across. */
function shapeOf({ size, radius, width, ends, at }) {
  if (size) return new THREE.BoxGeometry(...size).translate(...at);
  if (!ends) return new THREE.CylinderGeometry(radius, radius, width, 32).translate(...at);
  const [a, b] = ends.map((end) => new THREE.Vector3(...end));
  const along = b.clone().sub(a);
  const made = new THREE.CapsuleGeometry(radius, along.length(), 4, 10);
  if (along.lengthSq() > 0) made.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(UP, along.normalize()));
  return made.translate(...a.add(b).multiplyScalar(0.5));
}

/** One geometry of several. */
function joined(shapes) {
  const flat = shapes.map((shape) => shape.toNonIndexed());
  const made = new THREE.BufferGeometry();
  for (const name of ['position', 'normal']) {
    const rows = flat.map((shape) => shape.attributes[name].array);
    const all = new Float32Array(rows.reduce((sum, row) => sum + row.length, 0));
    rows.reduce((start, row) => (all.set(row, start), start + row.length), 0);
    made.setAttribute(name, new THREE.BufferAttribute(all, 3));
  }
  [...shapes, ...flat].forEach((shape) => shape.dispose());
  return made;
}

export function wheelchair({ outline, ahead, parts }) {
  const group = new THREE.Group();
  const add = (geometry, color, more = {}) => {
    const part = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color, roughness: 0.7, ...more }));
    part.castShadow = true;
    group.add(part);
    return part;
  };
  const corners = outline.map(([x, y]) => new THREE.Vector2(x + ahead, y));
  const floor = new THREE.ShapeGeometry(new THREE.Shape(corners)).translate(0, 0, 0.004);
  add(floor, FLOOR, { transparent: true, opacity: 0.25 }).castShadow = false;
  const edge = new THREE.BufferGeometry().setFromPoints(corners.map(({ x, y }) => new THREE.Vector3(x, y, 0.006)));
  group.add(new THREE.LineLoop(edge, new THREE.LineBasicMaterial({ color: FLOOR })));
  for (const color of new Set(parts.map((part) => part.color))) {
    add(joined(parts.filter((part) => part.color === color).map(shapeOf)), color);
  }
  return group;
}
