// Shapes of the scene as three.js geometries: one maker for each kind of node.

import * as THREE from './three/three.module.js';

/** A polygon in the ground's plane, drawn up to a height. */
function raised(polygon, height) {
  const shape = new THREE.Shape(polygon.map(([x, y]) => new THREE.Vector2(x, y)));
  return new THREE.ExtrudeGeometry(shape, { depth: height, bevelEnabled: false });
}

/** Several geometries without index of their own as one. */
function joined(parts) {
  const flat = parts.map((part) => part.toNonIndexed());
  const whole = new THREE.BufferGeometry();
  for (const name of ['position', 'normal']) {
    const all = flat.flatMap((part) => [...part.attributes[name].array]);
    whole.setAttribute(name, new THREE.Float32BufferAttribute(all, 3));
  }
  return whole;
}

const MAKERS = {
  box: ({ size }) => new THREE.BoxGeometry(...size),
  sphere: ({ radius }) => new THREE.SphereGeometry(radius, 32, 20),
  cylinder: ({ length, radius }) =>
    new THREE.CylinderGeometry(radius, radius, length, 40).rotateX(Math.PI / 2),
  capsule: ({ length, radius }) =>
    new THREE.CapsuleGeometry(radius, length, 8, 24).rotateX(Math.PI / 2),
  plane: () => new THREE.PlaneGeometry(10, 10),
  prism: ({ polygon, height }) => raised(polygon, height),
  floorplan: ({ walls, height }) =>
    (walls.length ? joined(walls.map((wall) => raised(wall, height))) : null),
};

/** A geometry for a node; null where nothing of it is seen (a group, a light). */
export function geometryOf(node, meshes) {
  if (node.mesh) return meshes.has(node.mesh) ? meshGeometry(meshes.get(node.mesh)) : null;
  return MAKERS[node.kind]?.(node.shape) ?? null;
}

/** A pose (x y z, w x y z) and a scale put on a three.js object. */
export function place(object, pose, scale = 1) {
  object.position.set(pose[0], pose[1], pose[2]);
  object.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
  object.scale.setScalar(scale);
}

/** Free what the graphics card holds of an object and of all below it. */
export function dispose(object) {
  object.traverse((part) => {
    part.geometry?.dispose();
    for (const material of [part.material].flat()) material?.dispose();
  });
  object.removeFromParent();
}

/** The triangles of a mesh message, with its skin where it has one. */
export function meshGeometry({ positions, normals, index, colors, skin }) {
  const geometry = new THREE.BufferGeometry();
  const set = (name, array, items) =>
    geometry.setAttribute(name, new THREE.BufferAttribute(array, items));
  set('position', positions, 3);
  set('normal', normals, 3);
  set('color', linear(colors), 3);
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  if (skin) {
    set('skinIndex', skin.joints, 4);
    set('skinWeight', skin.weights, 4);
  }
  return geometry;
}

/** Vertex colors are mixed by the card in linear light; those of the message are as a screen shows them. */
function linear(colors) {
  return colors.map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
}

/** Three axes from a point, x red, y green, z blue: a target, or a frame. */
export function axes(length) {
  const group = new THREE.Group();
  ['#e5484d', '#30a46c', '#3e8ef7'].forEach((color, k) => {
    const end = new THREE.Vector3().setComponent(k, length);
    const line = new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), end]);
    const material = new THREE.LineBasicMaterial({ color, depthTest: false, transparent: true });
    const axis = new THREE.Line(line, material);
    axis.renderOrder = 20;
    group.add(axis);
  });
  return group;
}

/** A light of the scene, beside the one of the picture: along its -z, or all around. */
export function lamp({ shine, color, power, spread }) {
  const made = new THREE.Color(...color);
  const light = {
    sun: () => new THREE.DirectionalLight(made, 0.6 * power),
    spot: () => new THREE.SpotLight(made, 3 * power, 0, spread / 2, 0.4),
    point: () => new THREE.PointLight(made, 2 * power),
  }[shine]();
  if (light.target) {
    light.target.position.set(0, 0, -1);
    light.add(light.target);
    light.position.set(0, 0, 0);
  }
  const group = new THREE.Group();
  group.add(light);
  return group;
}

/** What marks a target or a via point: a ball with its axes. */
export function marker(color) {
  const material = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true });
  const ball = new THREE.Mesh(new THREE.SphereGeometry(0.022, 20, 14), material);
  ball.renderOrder = 19;
  const group = new THREE.Group();
  group.add(ball, axes(0.14));
  return group;
}
