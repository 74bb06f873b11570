// main.js: the page of hk.view: a target is dragged, one solver or two follow it in the core itself, without Python.

import { Core, array, unpack } from './core.js';
import { Picture, ball } from './picture.js';

const WORDS = {
  en: {
    figure: 'Figure', solver: 'Solver', beside: 'Beside it', reset: 'Start again', outcome: 'Outcome',
    iterations: 'Iterations', missed: 'Missed by', time: 'Time', none: 'none',
    hint: 'Drag the ball, or press the arrow keys and Page Up and Down on the picture. Drag elsewhere to turn the view, and scroll to come nearer.',
    shown: 'A figure reaching for a target', failed: 'This page cannot run here: ',
    refused: 'cannot take this figure',
  },
  fr: {
    figure: 'Figure', solver: 'Solveur', beside: 'À côté', reset: 'Recommencer', outcome: 'Issue',
    iterations: 'Itérations', missed: 'Écart', time: 'Temps', none: 'aucun',
    hint: "Tirez la boule, ou utilisez les flèches et Page haut et bas sur l'image. Tirez ailleurs pour tourner la vue, défilez pour approcher.",
    shown: 'Une figure qui se tend vers une cible', failed: 'Cette page ne peut pas fonctionner ici : ',
    refused: 'ne prend pas cette figure',
  },
};
const COLORS = [[0.24, 0.49, 0.76], [0.8, 0.42, 0.16]];
const byId = (id) => document.getElementById(id);
const given = JSON.parse(byId('given').textContent);
const words = WORDS[given.lang];

/** A figure of the page: the core's, its triangles, its goal. */
async function figureOf(core, picture, one) {
  const names = Object.keys(one.arrays);
  const arrays = await Promise.all(names.map((name) => array(name, one.arrays[name])));
  const known = Object.fromEntries(names.map((name, k) => [name, arrays[k]]));
  const figure = core.figure(one.joints, one.frames, known);
  const pieces = await Promise.all(one.pieces.map((piece) => shapeOf(picture, piece)));
  return { ...one, figure, pieces, target: Float64Array.from(one.target), lanes: [] };
}

async function shapeOf(picture, piece) {
  const [places, faces] = await Promise.all([piece.vertices, piece.faces].map(unpack));
  const vertices = Float32Array.from(new Int16Array(places.buffer), (x) => x * piece.step);
  return { ...piece, shape: picture.shape(vertices, new Uint32Array(faces.buffer), piece.smooth) };
}

/** Links that follow each other differ a little, so that joints are seen. */
const shade = (color, frame) => (frame % 2 ? color.map((x) => 0.82 * x) : color);

class Page {
  constructor(core, picture, figures, scene) {
    Object.assign(this, { core, picture, figures, scene, asked: 0 });
    this.outcomes = core.names('outcomes');
    this.solvers = core.names('solvers');
    this.dot = picture.shape(...ball(1), true);
    this.#choices();
    this.#pointer();
    new ResizeObserver(() => this.redraw()).observe(picture.canvas);
    this.choose(0);
  }

  #choices() {
    this.figures.forEach((one, k) => byId('figure').append(new Option(one.name, k)));
    byId('figure').parentElement.hidden = this.figures.length < 2;
    for (const name of this.solvers) byId('solver').append(new Option(name));
    byId('beside').append(new Option(words.none, ''));
    for (const name of this.solvers) byId('beside').append(new Option(name));
    byId('solver').value = given.solver;
    byId('beside').value = given.beside;
    byId('figure').addEventListener('change', (event) => this.choose(Number(event.target.value)));
    for (const id of ['solver', 'beside']) byId(id).addEventListener('change', () => this.lanes());
    byId('reset').addEventListener('click', () => this.choose(Number(byId('figure').value), true));
  }

  choose(k, again = false) {
    this.one = this.figures[k];
    if (again) this.one.target = Float64Array.from(this.one.first);
    const { eye } = this.picture;
    Object.assign(eye, { middle: this.one.middle, far: 3.1 * this.one.size, turn: this.one.turn, lift: this.one.lift });
    this.lanes();
  }

  /** The solvers that follow the target, each from its own last answer. */
  lanes() {
    for (const lane of this.one.lanes) lane.solver?.drop();
    const names = [byId('solver').value, byId('beside').value].filter(Boolean);
    this.one.lanes = names.map((name) => {
      const lane = { name, q: Float64Array.from(this.one.q), times: [] };
      const goal = [{ kind: 'position', frame: this.one.goal, tolerance: this.one.tolerance }];
      try {
        lane.solver = this.one.figure.solver(name, goal);
      } catch (error) {
        lane.refused = error.message;
      }
      return lane;
    });
    this.solve();
    this.tell();
  }

  solve() {
    for (const lane of this.one.lanes) {
      if (!lane.solver) continue;
      const began = performance.now();
      lane.answer = lane.solver.solve(this.one.target, lane.q);
      lane.times = [...lane.times.slice(-30), performance.now() - began];
      if (lane.answer.q.every(Number.isFinite)) lane.q = lane.answer.q;
    }
    this.redraw();
  }

  redraw() {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
    });
  }

  draw() {
    const { one, picture } = this;
    picture.resize();
    const rows = this.scene.map((row) => ({ ...row, place: null }));
    one.lanes.forEach((lane, k) => {
      if (!lane.solver) return;
      const poses = one.figure.poses(lane.q);
      for (const { shape, frame } of one.pieces)
        rows.push({ shape, place: poses.subarray(16 * frame, 16 * frame + 16), color: shade(COLORS[k], frame), opacity: k ? 0.5 : 1 });
    });
    const [x, y, z] = one.target;
    const r = 0.045 * one.size; // twice as thick as a bone: the tip does not hide it
    const dot = { shape: this.dot, place: [r, 0, 0, x, 0, r, 0, y, 0, 0, r, z, 0, 0, 0, 1], color: [0.85, 0.15, 0.2] };
    rows.push({ ...dot, opacity: 1 }, { ...dot, opacity: 0.4, through: true }); // seen inside of what it is in, too
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    picture.draw(rows, dark ? [0.12, 0.13, 0.15] : [0.96, 0.965, 0.97]);
    this.table();
  }

  table() {
    const body = byId('answers');
    while (body.rows.length > this.one.lanes.length) body.deleteRow(-1);
    this.one.lanes.forEach((lane, k) => {
      const row = body.rows[k] ?? body.insertRow();
      row.className = k ? 'second' : 'first';
      const { answer, times } = lane;
      const middle = [...times].sort((a, b) => a - b)[times.length >> 1];
      const cells = lane.solver
        ? [this.outcomes[answer.outcome], answer.iterations, `${(1000 * answer.missed).toFixed(2)} mm`, `${middle.toFixed(1)} ms`]
        : [words.refused, '', '', ''];
      row.replaceChildren(...[lane.name, ...cells].map((text, c) => {
        const cell = document.createElement(c ? 'td' : 'th');
        if (!c) cell.scope = 'row';
        cell.textContent = text;
        return cell;
      }));
    });
  }

  /** Once a gesture, for who does not see the picture. */
  tell() {
    byId('said').textContent = this.one.lanes
      .map((lane) => `${lane.name}: ${lane.solver ? this.outcomes[lane.answer.outcome] : lane.refused}`)
      .join('. ');
  }

  move(right, up, back = 0) {
    const axes = this.picture.eye.axes();
    const shift = [0, 1, 2].map((k) => right * axes.right[k] + up * axes.up[k] + back * axes.back[k]);
    this.one.target = this.one.target.map((x, k) => (this.one.flat && k === 2 ? x : x + shift[k]));
    this.solve();
  }

  #pointer() {
    const { canvas, eye } = this.picture;
    let held = null;
    canvas.addEventListener('pointerdown', (event) => {
      const at = eye.seen(this.one.target);
      const near = Math.hypot(event.offsetX - at.x, event.offsetY - at.y) < 24;
      held = { near, x: event.offsetX, y: event.offsetY };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return;
      const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
      [held.x, held.y] = [event.offsetX, event.offsetY];
      if (held.near) {
        const { scale } = eye.seen(this.one.target);
        this.move(scale * dx, -scale * dy);
        return;
      }
      eye.turn -= 0.008 * dx;
      eye.lift = Math.max(-1.55, Math.min(1.55, eye.lift + 0.008 * dy));
      this.redraw();
    });
    for (const name of ['pointerup', 'pointercancel'])
      canvas.addEventListener(name, () => {
        if (held?.near) this.tell();
        held = null;
      });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      eye.far *= Math.exp(0.001 * event.deltaY);
      this.redraw();
    }, { passive: false });
    const steps = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
      PageUp: [0, 0, -1], PageDown: [0, 0, 1],
    };
    canvas.addEventListener('keydown', (event) => {
      const step = steps[event.key];
      if (!step) return;
      event.preventDefault();
      this.move(...step.map((x) => 0.02 * this.one.size * x));
      this.tell();
    });
  }
}

for (const node of document.querySelectorAll('[data-word]')) node.textContent = words[node.dataset.word];
document.documentElement.lang = given.lang;
byId('hint').textContent = words.hint;
byId('picture').setAttribute('aria-label', words.shown);
try {
  const core = await Core.open(await unpack(byId('core').textContent));
  const picture = new Picture(byId('picture'));
  const scene = await Promise.all(given.scene.map((piece) => shapeOf(picture, piece)));
  const figures = [];
  for (const one of given.figures) figures.push(await figureOf(core, picture, one));
  window.page = new Page(core, picture, figures, scene);
} catch (error) {
  byId('said').textContent = `${words.failed}${error.message}`;
}
