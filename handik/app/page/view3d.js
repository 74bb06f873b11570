// The picture: scene, figure, ghost, target, gizmo. It draws when something changed, and tells what was pointed at.

import * as THREE from './three/three.module.js';

import { Eye } from './camera.js';
import { Figure } from './figure.js';
import { Gizmo } from './gizmo.js';
import { Overlays } from './overlays.js';
import { asPoints, dispose, geometryOf, lamp, marker, place } from './scene3d.js';

const MOST_LOOKS = 400;
const CLICK = 5; // pixels a press may move and still be a click

export class View3d {
  /** `on`: picked({node, part, point}), drag (see gizmo.js), failed(). */
  constructor(canvas, on) {
    this.canvas = canvas;
    this.on = on;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.scene = new THREE.Scene();
    for (const name of ['objects', 'figures', 'meshes', 'rows', 'looks', 'shapes']) this[name] = new Map();
    this.bodies = {};
    this.selection = [];
    this.setLook({ draw: 'solid', body: 'skin' });
    this.shown = { grid: true, shadows: true };
    this.before = [];
    this.eye = new Eye(canvas, () => this.redraw());
    this.#furnish();
    this.ghost = new Figure(this.scene, { ghost: true });
    this.ghost.root.visible = false;
    this.overlays = new Overlays(this);
    this.gizmo = new Gizmo(this.scene, this.eye, canvas, on.drag);
    canvas.addEventListener('pointerdown', (event) => { this.pressed = [event.clientX, event.clientY]; });
    canvas.addEventListener('click', (event) => this.#click(event));
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  #furnish() {
    const sky = new THREE.HemisphereLight('#ffffff', '#8d8d99', 1.7);
    sky.position.set(0, 0, 1); // three.js has y up
    this.scene.add(sky);
    this.sun = new THREE.DirectionalLight('#ffffff', 1.9);
    this.sun.position.set(2.2, 1.6, 4.5);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    Object.assign(this.sun.shadow.camera, { left: -3, right: 3, top: 3, bottom: -3, near: 0.5, far: 12 });
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.02;
    this.floor = new THREE.Mesh(
      new THREE.PlaneGeometry(20, 20),
      new THREE.ShadowMaterial({ opacity: 0.22 }),
    );
    this.floor.receiveShadow = true;
    this.floor.position.z = -0.001;
    this.scene.add(this.sun, this.floor);
  }

  /** Colors of the paper behind: from the page's own, so that light and dark agree. */
  setTheme() {
    const probe = document.createElement('i');
    document.body.append(probe);
    const color = (name) => {
      probe.style.color = `var(${name})`; // what light-dark() comes to is known of a used color only
      return new THREE.Color(getComputedStyle(probe).color);
    };
    this.scene.background = color('--view');
    if (this.grid) dispose(this.grid);
    this.grid = new THREE.GridHelper(10, 20, color('--grid-strong'), color('--grid'));
    this.grid.rotation.x = Math.PI / 2;
    this.grid.visible = this.shown.grid;
    this.scene.add(this.grid);
    probe.remove();
    this.redraw();
  }

  resize() {
    const { clientWidth: wide, clientHeight: high } = this.canvas.parentElement;
    if (!wide || !high) return;
    this.renderer.setSize(wide, high, false);
    Object.assign(this.eye, { wide, high });
    this.eye.camera.aspect = wide / high;
    this.eye.camera.updateProjectionMatrix();
    this.redraw();
  }

  redraw() {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.gizmo?.update();
    for (const job of this.before) job();
    this.asked = null; // what the jobs asked for is in this picture
    this.renderer.render(this.scene, this.eye.camera);
  }

  /** Draw at once, and wait until the picture is there: what frames a second are counted by. */
  drawNow() {
    if (this.asked) cancelAnimationFrame(this.asked);
    this.#draw();
    const gl = this.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  /** A mesh message: kept for the nodes and figures that name it. */
  addMesh(message) {
    this.meshes.set(message.key, message);
    for (const [path, row] of this.rows) this.#node(path, row);
    this.overlays.addMesh(message);
    this.redraw();
  }

  /** The nodes of the document; only what changed is made anew. */
  setNodes(rows, selection, bodies) {
    this.rows = new Map(rows.map((row) => [row.path, row]));
    this.bodies = bodies;
    this.selection = selection;
    for (const [path, object] of this.objects) {
      if (!this.rows.has(path)) this.#drop(path, object);
    }
    for (const [path, row] of this.rows) this.#node(path, row);
    this.redraw();
  }

  #drop(path, object) {
    this.figures.delete(path);
    const { geometry } = object;
    if (geometry?.userData.key) {
      geometry.userData.users -= 1;
      if (!geometry.userData.users) {
        this.shapes.delete(geometry.userData.key);
        geometry.dispose();
      }
      object.removeFromParent();
    } else dispose(object);
    this.objects.delete(path);
  }

  #node(path, row) {
    const made = JSON.stringify([row.kind, row.shape, row.mesh && this.meshes.has(row.mesh)]);
    let object = this.objects.get(path);
    if (row.kind === 'figure') {
      this.#figure(path, row);
      return;
    }
    if (object?.userData.made !== made) {
      if (object) this.#drop(path, object);
      object = this.#make(row);
      Object.assign(object.userData, { node: path, made });
      this.objects.set(path, object);
      this.scene.add(object);
    }
    this.moveNode(path, row.world, row.world_scale);
    object.visible = this.#seen(row);
    if (!object.material) return;
    object.material = this.#look(row, this.selection.includes(path));
    asPoints(object, this.draw === 'points');
  }

  /** What objects look like; one material for all that look alike, so that the card is told once. */
  #look({ kind, color, opacity }, selected) {
    const twoSides = ['plane', 'mesh'].includes(kind);
    const key = JSON.stringify([color, opacity, selected, twoSides, this.draw]);
    let found = this.looks.get(key);
    if (!found) {
      if (this.looks.size > MOST_LOOKS) this.looks.clear(); // those in use stay with their objects
      found = new THREE.MeshStandardMaterial({ roughness: 0.85, side: twoSides ? THREE.DoubleSide : THREE.FrontSide });
      found.color.setRGB(...(color ?? [0.72, 0.7, 0.65]), THREE.SRGBColorSpace);
      found.opacity = opacity ?? 1;
      found.transparent = found.opacity < 1;
      found.wireframe = this.draw === 'wire';
      found.visible = this.draw !== 'points';
      found.emissive.set(selected ? '#1d4ed8' : '#000000');
      found.emissiveIntensity = 0.3;
      this.looks.set(key, found);
    }
    return found;
  }

  /** The geometry of a node, shared by all of its shape. */
  #geometry(row) {
    const key = JSON.stringify([row.kind, row.shape, row.mesh]);
    const known = this.shapes.get(key);
    if (known) {
      known.userData.users += 1;
      return known;
    }
    const made = geometryOf(row, this.meshes);
    if (!made) return null;
    made.userData = { users: 1, key };
    this.shapes.set(key, made);
    return made;
  }

  sees(path) {
    return this.#seen(this.rows.get(path));
  }

  /** A node is seen when neither it nor what holds it is hidden. */
  #seen(row) {
    for (let up = row; up; up = this.rows.get(up.parent)) if (up.hidden) return false;
    return true;
  }

  #make(row) {
    if (row.kind === 'target') return marker('#e5484d');
    if (row.kind === 'via') return marker('#f5a524');
    if (row.kind === 'light' && row.shape.shine) return lamp(row.shape);
    const geometry = this.#geometry(row);
    if (!geometry) return new THREE.Group();
    const mesh = new THREE.Mesh(geometry, this.#look(row, false));
    mesh.castShadow = row.kind !== 'plane';
    mesh.receiveShadow = true;
    return mesh;
  }

  #figure(path, row) {
    const body = this.bodies[row.shape.figure];
    if (!body) return;
    let figure = this.figures.get(path);
    if (!figure) {
      figure = new Figure(this.scene);
      this.figures.set(path, figure);
      this.objects.set(path, figure.root);
      figure.root.userData.node = path;
    }
    figure.setBody(body);
    if (this.meshes.has(body.skin)) figure.setSkin(this.meshes.get(body.skin));
    figure.setShown(this.body, this.draw);
    figure.root.visible = path !== this.veiled && this.#seen(row);
  }

  /** A node put elsewhere, in a drag or after one. */
  moveNode(path, pose, scale) {
    const object = this.objects.get(path);
    if (!object || this.figures.has(path)) return;
    const marked = ['target', 'via'].includes(this.rows.get(path)?.kind);
    place(object, pose, marked ? 1 : scale);
    this.redraw();
  }

  /** A figure out of the way of others that are drawn in its place, or back. */
  veil(path) {
    this.veiled = path;
    for (const [name, figure] of this.figures) figure.root.visible = name !== path && this.#seen(this.rows.get(name));
    this.redraw();
  }

  setPose(path, { links }) {
    this.figures.get(path)?.setPose(links);
    this.redraw();
  }

  /** The figure of a second answer, faint; null: none. */
  setGhost(pose) {
    this.ghost.root.visible = Boolean(pose);
    if (pose) {
      this.ghost.setBody(pose.body);
      if (this.meshes.has(pose.body.skin)) this.ghost.setSkin(this.meshes.get(pose.body.skin));
      this.ghost.setShown(this.body, this.draw);
      this.ghost.setPose(pose.links);
    }
    this.redraw();
  }

  /** How things are drawn: `draw` solid, wire or points, `body` skin, capsules or skeleton. */
  setLook({ draw, body }) {
    this.draw = draw;
    this.body = body;
    this.overlays?.drawChairs();
  }

  setShown(shown) {
    Object.assign(this.shown, shown);
    if (this.grid) this.grid.visible = this.shown.grid;
    this.sun.castShadow = this.shown.shadows;
    this.floor.visible = this.shown.shadows;
    this.redraw();
  }

  /** What is under a point of the canvas: a node, a part of the figure, or nothing. */
  pick(x, y) {
    const { wide, high } = this.eye;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * x) / wide - 1, 1 - (2 * y) / high), this.eye.camera);
    const seen = [...this.objects.values()].filter((object) => object.visible && object.material);
    const parts = [...this.figures.values()].flatMap((figure) => figure.pickable());
    const [hit] = caster.intersectObjects([...seen, ...parts], false);
    if (!hit) return { node: null, part: null, point: null };
    let holder = hit.object;
    while (holder && !holder.userData.node) holder = holder.parent;
    return { node: holder?.userData.node ?? null, part: hit.object.userData.link ?? null, point: hit.point.toArray() };
  }

  #click(event) {
    const moved = this.pressed
      ? Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]) : 0;
    const used = this.gizmo.used;
    this.gizmo.used = false;
    if (moved > CLICK || used) return; // the end of a drag
    const box = this.canvas.getBoundingClientRect();
    const found = this.pick(event.clientX - box.left, event.clientY - box.top);
    this.canvas.dataset.picked = found.part ?? found.node ?? '';
    this.on.picked(found, event);
  }

  /** Look at all there is, or at some nodes. */
  frame(paths = null) {
    const box = new THREE.Box3();
    for (const [path, object] of this.objects) {
      if (!object.visible || (paths && !paths.includes(path))) continue;
      if (this.rows.get(path)?.kind === 'plane') continue;
      if (!this.figures.has(path)) box.expandByObject(object);
      if (this.overlays?.chairs.has(path)) box.expandByObject(this.overlays.chairs.get(path));
      for (const part of this.figures.get(path)?.pickable() ?? []) {
        box.expandByPoint(part.getWorldPosition(new THREE.Vector3()));
      }
    }
    if (box.isEmpty()) return;
    const ball = box.getBoundingSphere(new THREE.Sphere());
    this.eye.frame(ball.center, Math.max(ball.radius * 1.05, 0.25));
  }

  /** The picture as a PNG. */
  picture() {
    return new Promise((keep) => { this.canvas.toBlob(keep, 'image/png'); });
  }
}
