// One figure: its skin on bones, its capsules, its skeleton. All are put where Python says; nothing of the posture is computed here.

import * as THREE from './three/three.module.js';

import { asPoints, dispose, meshGeometry, sized } from './scene3d.js';

const ONE = new THREE.Vector3(1, 1, 1);
const GHOST = '#8e4ec6';

/** A capsule with two radii along z, from the first center at zero to the second at `length`. */
function taperedCapsule(length, [first, second], rounds = 8) {
  const points = [];
  // where the straight side touches both spheres
  const lean = length > Math.abs(first - second) ? Math.asin((first - second) / length) : 0;
  for (let k = 0; k <= rounds; k += 1) {
    const turn = -Math.PI / 2 + ((Math.PI / 2 + lean) * k) / rounds;
    points.push(new THREE.Vector2(Math.max(first * Math.cos(turn), 0), first * Math.sin(turn)));
  }
  for (let k = 0; k <= rounds; k += 1) {
    const turn = lean + ((Math.PI / 2 - lean) * k) / rounds;
    const across = Math.max(second * Math.cos(turn), 0);
    points.push(new THREE.Vector2(across, length + second * Math.sin(turn)));
  }
  return new THREE.LatheGeometry(points, 16).rotateX(Math.PI / 2);
}

export class Figure {
  /** @param {THREE.Object3D} parent  @param {{ghost?: boolean, color?: string, opacity?: number}} how */
  constructor(parent, { ghost = false, color = GHOST, opacity = 0.3 } = {}) {
    this.root = new THREE.Group();
    parent.add(this.root);
    Object.assign(this, { ghost, color, opacity });
    this.links = [];
    this.shown = 'skin';
    this.draw = 'solid';
  }

  /** Links, their parents and the capsules: once for each body. */
  setBody(body) {
    if (this.body?.key === body.key) return;
    this.root.children.slice().forEach(dispose);
    Object.assign(this, { body, skin: null, bones: null, poses: null });
    this.links = body.links.map(() => {
      const link = new THREE.Group();
      link.matrixAutoUpdate = false;
      this.root.add(link);
      return link;
    });
    this.capsules = body.capsules.map((row) => this.#capsule(row));
    this.#skeleton();
    this.#show();
  }

  #material(color, extra = {}) {
    const faint = this.ghost ? { transparent: true, opacity: this.opacity, depthWrite: this.opacity > 0.5 } : {};
    return sized(new THREE.MeshStandardMaterial({ color, roughness: 0.75, ...faint, ...extra }));
  }

  #capsule({ link, start, end, radii, name }) {
    const from = new THREE.Vector3(...start);
    const along = new THREE.Vector3(...end).sub(from);
    const geometry = taperedCapsule(along.length(), radii);
    const mesh = new THREE.Mesh(geometry, this.#material(this.ghost ? this.color : '#7fa7d9'));
    mesh.position.copy(from);
    if (along.lengthSq() > 0) {
      mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), along.normalize());
    }
    mesh.userData = { link: this.body.links[link], capsule: name };
    mesh.castShadow = !this.ghost;
    this.links[link].add(mesh);
    return mesh;
  }

  #skeleton() {
    const geometry = new THREE.BufferGeometry();
    this.ends = new THREE.BufferAttribute(new Float32Array(this.links.length * 6), 3);
    geometry.setAttribute('position', this.ends);
    const look = { color: this.ghost ? this.color : '#f5a524', depthTest: false, transparent: true };
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial(look));
    const dots = { ...look, size: 6, sizeAttenuation: false };
    const points = new THREE.Points(geometry, new THREE.PointsMaterial(dots));
    for (const part of [lines, points]) {
      part.frustumCulled = false;
      part.renderOrder = 10;
    }
    this.skeleton = new THREE.Group();
    this.skeleton.add(lines, points);
    this.root.add(this.skeleton);
  }

  /** The skin: a mesh message whose joints count the body's links. */
  setSkin(message) {
    if (this.skin?.userData.key === message.key || !this.body) return;
    if (this.skin) dispose(this.skin);
    const material = this.ghost ? this.#material(this.color) : this.#material('#ffffff', { vertexColors: true });
    this.skin = new THREE.SkinnedMesh(meshGeometry(message), material);
    this.skin.userData.key = message.key;
    const { bind } = message.skin;
    const inverses = this.links.map((_, k) => matrixOf(bind, k).invert());
    this.bones = this.links.map(() => {
      const bone = new THREE.Bone();
      bone.matrixAutoUpdate = false;
      bone.matrixWorldAutoUpdate = false;
      return bone;
    });
    this.skin.bindMode = 'detached';
    this.skin.bind(new THREE.Skeleton(this.bones, inverses), new THREE.Matrix4());
    this.skin.frustumCulled = false;
    this.skin.castShadow = !this.ghost;
    this.root.add(this.skin);
    if (this.poses) this.setPose(this.poses);
    this.#show();
  }

  /** Places of the links in the world: seven numbers each. */
  setPose(poses) {
    this.poses = poses;
    this.links.forEach((link, k) => {
      link.matrix.copy(matrixOf(poses, k));
      link.matrixWorldNeedsUpdate = true;
    });
    this.links.forEach((link, k) => {
      const parent = this.body.parents[k];
      const from = parent < 0 ? k : parent;
      this.ends.array.set(poses.subarray(7 * from, 7 * from + 3), 6 * k);
      this.ends.array.set(poses.subarray(7 * k, 7 * k + 3), 6 * k + 3);
    });
    this.ends.needsUpdate = true;
    this.bones?.forEach((bone, k) => bone.matrixWorld.copy(this.links[k].matrix));
  }

  setShown(shown, draw) {
    this.shown = shown;
    this.draw = draw;
    this.#show();
  }

  #show() {
    const wireframe = this.draw === 'wire';
    const skin = this.shown === 'skin' && this.skin;
    const points = this.draw === 'points';
    if (this.skin) {
      Object.assign(this.skin, { isMesh: !points, isPoints: points });
      this.skin.visible = Boolean(skin);
      this.skin.material.wireframe = wireframe;
    }
    for (const mesh of this.capsules ?? []) {
      const visible = this.shown === 'capsules' || (this.shown === 'skin' && !skin);
      mesh.material.visible = visible && !points;
      asPoints(mesh, visible && points);
      mesh.material.wireframe = wireframe;
    }
    if (this.skeleton) this.skeleton.visible = this.shown === 'skeleton' || this.draw === 'wire';
  }

  /** Meshes to pick: the capsules, seen or not. */
  pickable() {
    return this.ghost || !this.root.visible ? [] : (this.capsules ?? []);
  }
}

function matrixOf(poses, k) {
  const [x, y, z, w, i, j, l] = poses.subarray(7 * k, 7 * k + 7);
  return new THREE.Matrix4().compose(new THREE.Vector3(x, y, z), new THREE.Quaternion(i, j, l, w), ONE);
}
