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

const APART = 0.06; // meters between points
const MOST_POINTS = 32; // along an edge
const DOTS = new WeakMap(); // materials of points, by those of the triangles

/** Have a material draw points of a size: it is lit as triangles are, and moves with bones, as PointsMaterial does not. */
export function sized(material) {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace('#include <project_vertex>', `#include <project_vertex>\n\tgl_PointSize = ${Math.max(1, Math.round(2 * devicePixelRatio)).toFixed(1)};`);
  };
  return material;
}

/** Points all over the triangles of a geometry: corners alone would not show what it is. */
function pointsOf(geometry) {
  const { position } = geometry.attributes;
  const index = geometry.index ?? { count: position.count, getX: (k) => k };
  const [places, normals] = [[], []];
  for (let face = 0; face < index.count; face += 3) {
    const corners = [0, 1, 2].map((k) => new THREE.Vector3().fromBufferAttribute(position, index.getX(face + k)));
    const normal = new THREE.Triangle(...corners).getNormal(new THREE.Vector3()).toArray();
    const long = [0, 1, 2].map((k) => corners[(k + 1) % 3].distanceTo(corners[(k + 2) % 3]));
    const k = long.indexOf(Math.max(...long)); // the corner before the longest edge
    const [from, ...ends] = [k, (k + 1) % 3, (k + 2) % 3].map((at) => corners[at]);
    const [u, v] = ends.map((end) => end.sub(from));
    const [m, n] = [u, v].map((edge) => Math.min(Math.max(Math.ceil(edge.length() / APART), 1), MOST_POINTS));
    for (let i = 0; i <= m; i += 1) {
      for (let j = 0; i / m + j / n <= 1 + 1e-9; j += 1) {
        places.push(...from.clone().addScaledVector(u, i / m).addScaledVector(v, j / n).toArray());
        normals.push(...normal);
      }
    }
  }
  const made = new THREE.BufferGeometry();
  for (const [name, all] of [['position', places], ['normal', normals]]) made.setAttribute(name, new THREE.Float32BufferAttribute(all, 3));
  return made;
}

/** Draw a mesh as points or not; its triangles are picked all the same. Those of one geometry share theirs. */
export function asPoints(mesh, on) {
  const { userData, geometry, material } = mesh;
  if (on && !userData.points) {
    if (!geometry.userData.points) {
      geometry.userData.points = pointsOf(geometry);
      geometry.addEventListener('dispose', () => geometry.userData.points.dispose());
    }
    userData.points = new THREE.Points(geometry.userData.points);
    mesh.add(userData.points);
  }
  if (!userData.points) return;
  userData.points.visible = on;
  if (!on) return;
  if (!DOTS.has(material)) DOTS.set(material, Object.assign(sized(material.clone()), { visible: true, wireframe: false }));
  userData.points.material = DOTS.get(material);
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
