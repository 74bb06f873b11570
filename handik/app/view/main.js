// main.js: the page of hk.view: a target is dragged, one solver or two follow it in the core itself, without Python.

import { Core, array, unpack } from './core.js';
import { Picture, ball, grid } from './picture.js';

const WORDS = {
  en: {
    figure: 'Figure', solver: 'Solver', beside: 'Beside it', reset: 'Start again', outcome: 'Outcome',
    iterations: 'Iterations', missed: 'Missed by', time: 'Time', none: 'none',
    hint: 'Drag the ball, or press the arrow keys and Page Up and Down on the picture. Drag elsewhere, or press Shift and the arrow keys, to turn the view; scroll, pinch, or press + and - to come nearer.',
    look: 'Drag, or press the arrow keys on the picture, to turn the view; scroll, pinch, or press + and - to come nearer.',
    language: 'Language', shown: 'A figure reaching for a target', scene: 'A scene', failed: 'This page cannot run here: ',
    refused: 'cannot take this figure', body: 'Body', skin: 'skin', capsules: 'capsules',
    converged: 'converged', unreachable: 'out of reach', stalled: 'no further progress', max_iter: 'all iterations used',
    time_limit: 'out of time', diverged: 'went astray', cancelled: 'given up', least_squares: 'as near as it can be', invalid: 'not a number',
  },
  fr: {
    figure: 'Figure', solver: 'Solveur', beside: 'À côté', reset: 'Recommencer', outcome: 'Issue',
    iterations: 'Itérations', missed: 'Écart', time: 'Temps', none: 'aucun',
    hint: "Tirez la boule, ou utilisez les flèches et Page haut et bas sur l'image. Tirez ailleurs, ou appuyez sur Maj et les flèches, pour tourner la vue ; défilez, pincez, ou appuyez sur + et - pour approcher.",
    look: "Tirez, ou utilisez les flèches sur l'image, pour tourner la vue ; défilez, pincez, ou appuyez sur + et - pour approcher.",
    language: 'Langue', shown: 'Une figure qui se tend vers une cible', scene: 'Une scène', failed: 'Cette page ne peut pas fonctionner ici : ',
    refused: 'ne prend pas cette figure', body: 'Corps', skin: 'peau', capsules: 'capsules',
    converged: 'convergé', unreachable: 'hors de portée', stalled: 'plus de progrès', max_iter: 'toutes les itérations faites',
    time_limit: 'temps écoulé', diverged: 'a divergé', cancelled: 'abandonné', least_squares: 'aussi près que possible', invalid: 'pas un nombre',
  },
};
const COLORS = [[0.4, 0.61, 0.88], [0.96, 0.54, 0.2]];
const byId = (id) => document.getElementById(id);
const given = JSON.parse(byId('given').textContent);
let words = WORDS[given.lang];

/** A figure of the page: the core's, its triangles and its skin, its goal. */
async function figureOf(core, picture, shapes, one) {
  const names = Object.keys(one.arrays);
  const arrays = await Promise.all(names.map((name) => array(name, one.arrays[name])));
  const known = Object.fromEntries(names.map((name, k) => [name, arrays[k]]));
  const figure = core.figure(one.joints, one.frames, known);
  const skin = one.skin && (await skinOf(picture, one.skin));
  return { ...one, figure, skin, pieces: one.pieces.map((piece) => ({ ...piece, shape: shapes[piece.mesh] })), target: Float64Array.from(one.target), lanes: [], bones: [], chair: sceneryOf(one.chair, shapes) };
}

/** What stands in the world and does not move. */
const sceneryOf = (rows, shapes) => rows.map((row) => ({ ...row, shape: shapes[row.mesh], rough: 0.85 }));

/** Rows of whole numbers that were packed by columns, each number less the one above it. */
async function rows(text, Kind, width) {
  const given = new Kind((await unpack(text)).buffer);
  const count = given.length / width;
  const out = new Kind(given.length);
  for (let k = 0; k < out.length; k += 1) out[k] = given[(k % width) * count + Math.floor(k / width)] + (k < width ? 0 : out[k - width]);
  return out;
}

/** Vertices and faces of a mesh. */
async function triangles({ step, middle, vertices, faces, wide }) {
  const places = await rows(vertices, Int16Array, 3);
  return [Float32Array.from(places, (x, k) => middle[k % 3] + x * step), Uint32Array.from(await rows(faces, wide ? Uint32Array : Uint16Array, 3))];
}

async function skinOf(picture, { mesh, parts, links, inverses, joints, weights }) {
  const [on, by, from] = await Promise.all([joints, weights, inverses].map(unpack));
  const [vertices, faces] = await triangles(mesh);
  const shape = picture.shape(vertices, faces, true, { joints: on, weights: by });
  return { shape, parts, links, inverses: new Float32Array(from.buffer), rows: new Float32Array(12 * links.length) };
}

/** What moves the skin from its rest to where the links are: poses times the inverse of those at rest. */
function bonesOf({ links, inverses, rows: out }, poses) {
  links.forEach((frame, k) => {
    for (let r = 0; r < 3; r += 1)
      for (let c = 0; c < 4; c += 1) {
        let sum = c === 3 ? poses[16 * frame + 4 * r + 3] : 0;
        for (let j = 0; j < 3; j += 1) sum += poses[16 * frame + 4 * r + j] * inverses[12 * k + 4 * j + c];
        out[12 * k + 4 * r + c] = sum;
      }
  });
  return out;
}

/** The page's own words in a language. */
function speak(lang) {
  words = WORDS[lang];
  document.documentElement.lang = lang;
  for (const node of document.querySelectorAll('[data-word]')) node.textContent = words[node.dataset.word];
  const some = given.figures.length > 0;
  byId('hint').textContent = some ? words.hint : words.look;
  byId('picture').setAttribute('aria-label', some ? words.shown : words.scene);
}

const number = (value, digits) => (words === WORDS.fr ? value.toFixed(digits).replace('.', ',') : value.toFixed(digits));

/** Links that follow each other differ a little, so that joints are seen. */
const shade = (color, frame) => (frame % 2 ? color.map((x) => 0.82 * x) : color);

class Page {
  constructor(core, picture, figures, scene) {
    Object.assign(this, { core, picture, figures, scene, asked: 0 });
    this.outcomes = core.names('outcomes');
    this.solvers = core.names('solvers');
    this.dot = picture.shape(...ball(1), true);
    const small = figures.length && figures.every((one) => one.size < 0.3);
    this.grid = picture.shape(grid(small ? 0.5 : 5, small ? 0.05 : 0.5), null);
    this.floor = picture.shape(Float32Array.of(-10, -10, -1e-3, 10, -10, -1e-3, 10, 10, -1e-3, -10, 10, -1e-3), Uint32Array.of(0, 1, 2, 0, 2, 3), false);
    this.#choices();
    this.#words();
    this.#pointer();
    new ResizeObserver(() => this.redraw()).observe(picture.place);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw());
    this.#keep();
    this.choose(0);
  }

  /** The picture comes again, where it is looked at, when the browser took it away. */
  #keep() {
    const { picture } = this;
    let seen = true;
    const again = () => {
      if (!seen || !picture.lost) return;
      try {
        picture.open();
        this.draw();
      } catch (error) {
        byId('said').textContent = `${words.failed}${error.message}`;
      }
    };
    picture.onlost = () => setTimeout(again, 200);
    new IntersectionObserver((entries) => {
      seen = entries.at(-1).isIntersecting;
      again();
    }).observe(picture.place);
  }

  #choices() {
    this.figures.forEach((one, k) => byId('figure').append(new Option(one.name, k)));
    byId('figure').parentElement.hidden = this.figures.length < 2;
    for (const name of this.solvers) byId('solver').append(new Option(name));
    byId('beside').append(new Option('', ''));
    for (const name of this.solvers) byId('beside').append(new Option(name));
    byId('solver').value = given.solver;
    byId('beside').value = given.beside;
    byId('figure').addEventListener('change', (event) => this.choose(Number(event.target.value)));
    for (const id of ['solver', 'beside']) byId(id).addEventListener('change', () => this.lanes());
    byId('body').append(...['skin', 'capsules'].map((name) => new Option('', name)));
    byId('body').addEventListener('change', () => this.redraw());
    byId('reset').addEventListener('click', () => this.choose(Number(byId('figure').value), true));
    byId('language').addEventListener('change', ({ target }) => {
      speak(target.value);
      this.#words();
      this.tell();
      this.redraw();
    });
  }

  /** What the choices are called. */
  #words() {
    byId('beside').options[0].text = words.none;
    for (const option of byId('body').options) option.text = words[option.value];
  }

  outcome({ answer }) {
    const name = this.outcomes[answer.outcome];
    return words[name] ?? name;
  }

  choose(k, again = false) {
    this.one = this.figures[k] ?? { ...given.stage, lanes: [], target: given.stage.middle, first: given.stage.middle, floor: true };
    for (const id of ['choices', 'answers-table']) byId(id).hidden = !this.one.figure;
    byId('body').parentElement.hidden = !this.one.skin;
    byId('answers').className = this.one.skin ? 'skinned' : '';
    if (again) this.one.target = Float64Array.from(this.one.first);
    const { eye } = this.picture;
    const { stage } = given; // seen whole, unless it is so large that the figure would not be, or smaller than that
    const whole = given.scene.length && stage.size > this.one.size && stage.size < 4 * this.one.size;
    const { size, middle, turn, lift } = whole || !this.one.figure ? stage : this.one;
    Object.assign(eye, { middle, far: (size === this.one.size ? 3.1 : 2.7) * size, turn, lift });
    this.lanes();
  }

  /** The solvers that follow the target, each from its own last answer. */
  lanes() {
    for (const lane of this.one.lanes) lane.solver?.drop();
    const names = this.one.figure ? [byId('solver').value, byId('beside').value].filter(Boolean) : [];
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
    this.report();
  }

  /** Tells who has the page in a frame what the first figure does, once that has spoken. */
  report() {
    const [lane] = this.one.lanes;
    if (this.heard === undefined || !lane || this.one !== this.figures[0]) return;
    window.parent.postMessage({ handik: 'state', turn: this.heard, q: [...lane.q], target: [...this.one.target] }, '*');
  }

  /** What who has the page in a frame sets: a place of the first figure, a target for it, or both as they are. */
  hear({ turn, q, target }) {
    const [first] = this.figures;
    if (first && this.one !== first && (q || target)) {
      byId('figure').value = '0';
      this.choose(0);
    }
    this.heard = turn; // now: what it did when it was chosen is out of date
    const { lanes } = this.one;
    if (q) {
      for (const lane of lanes) Object.assign(lane, { q: Float64Array.from(q), answer: null });
      const at = 16 * first.goal + 3;
      const poses = first.figure.poses(lanes[0].q);
      first.target = Float64Array.of(poses[at], poses[at + 4], poses[at + 8]);
    }
    if (target) first.target = Float64Array.from(target);
    if (target && !q) {
      this.solve();
      this.tell();
    } else {
      this.redraw();
      if (!target) this.report();
    }
  }

  redraw() {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
    });
  }

  /** Rows of the picture for a figure with these coordinates; `k` is that of its lane. */
  body(one, lane, k) {
    const { picture } = this;
    const poses = one.figure.poses(lane.q);
    const look = { opacity: k ? 0.45 : 1, casts: !k };
    if (one.skin && byId('body').value === 'skin') {
      one.bones[k] = picture.bones(bonesOf(one.skin, poses), one.bones[k]);
      return [{ ...look, shape: one.skin.shape, bones: one.bones[k], color: COLORS[k], parts: k ? null : one.skin.parts }];
    }
    return one.pieces.map(({ shape, frame }) => ({ ...look, shape, place: poses.subarray(16 * frame, 16 * frame + 16), color: shade(COLORS[k], frame) }));
  }

  draw() {
    const { one, picture } = this;
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    picture.resize();
    const rows = [...this.scene, ...this.figures.flatMap((other) => (other === one || other.stands ? other.chair : []))];
    if (one.floor) {
      rows.push({ shape: this.grid, color: dark ? [0.2, 0.22, 0.25] : [0.83, 0.84, 0.86], opacity: 1, kind: 1 });
      rows.push({ shape: this.floor, color: [0, 0, 0], opacity: 0.22, kind: 2 });
    }
    for (const other of this.figures) if (other.stands && other !== one) rows.push(...this.body(other, other.lanes[0] ?? { q: Float64Array.from(other.q) }, 0));
    one.lanes.forEach((lane, k) => rows.push(...(lane.solver ? this.body(one, lane, k) : [])));
    const stage = { middle: one.middle, reach: Math.max(2.2 * one.size, given.scene.length ? 3 : 0) };
    const paper = dark ? [0.145, 0.157, 0.176] : [0.914, 0.922, 0.933];
    if (!one.figure) {
      picture.draw(rows, paper, stage);
      return;
    }
    const [x, y, z] = one.target;
    const r = (one.skin ? 0.025 : 0.045) * one.size; // twice as thick as a bone: the tip does not hide it
    const dot = { shape: this.dot, place: [r, 0, 0, x, 0, r, 0, y, 0, 0, r, z, 0, 0, 0, 1], color: [0.85, 0.15, 0.2] };
    rows.push({ ...dot, opacity: 1, kind: 1 }, { ...dot, opacity: 0.4, kind: 1, through: true }); // seen inside of what it is in, too
    picture.draw(rows, paper, stage);
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
      const cells = lane.solver && !lane.answer ? ['', '', '', ''] : lane.solver
        ? [this.outcome(lane), answer.iterations, `${number(1000 * answer.missed, 2)} mm`, `${number(middle, 1)} ms`]
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
      .filter(({ solver, answer }) => answer || !solver) // none: it was put where it is
      .map((lane) => `${lane.name}: ${lane.solver ? this.outcome(lane) : words === WORDS.en ? lane.refused : words.refused}`)
      .join('. ');
  }

  move(right, up, back = 0) {
    const axes = this.picture.eye.axes();
    const shift = [0, 1, 2].map((k) => right * axes.right[k] + up * axes.up[k] + back * axes.back[k]);
    this.one.target = this.one.target.map((x, k) => (this.one.flat && k === 2 ? x : x + shift[k]));
    this.solve();
  }

  turn(right, up) {
    const { eye } = this.picture;
    eye.turn += right;
    eye.lift = Math.max(-1.55, Math.min(1.55, eye.lift + up));
    this.redraw();
  }

  nearer(by) {
    const { eye } = this.picture;
    eye.far = Math.max(0.05 * this.one.size, Math.min(50 * this.one.size, eye.far / by));
    this.redraw();
  }

  #pointer() {
    const { place, eye } = this.picture;
    const fingers = new Map();
    let near = false; // the ball is held
    const apart = () => {
      const [a, b] = [...fingers.values()];
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    place.addEventListener('pointerdown', (event) => {
      if (near || fingers.size > 1) return;
      const at = eye.seen(this.one.target);
      near = !fingers.size && Boolean(this.one.figure) && Math.hypot(event.offsetX - at.x, event.offsetY - at.y) < 24;
      fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY, off: [event.offsetX - at.x, event.offsetY - at.y] });
      place.setPointerCapture(event.pointerId);
    });
    place.addEventListener('pointermove', (event) => {
      const held = fingers.get(event.pointerId);
      if (!held) return;
      const before = fingers.size > 1 && apart();
      const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
      Object.assign(held, { x: event.offsetX, y: event.offsetY });
      if (near) {
        const { x, y, scale } = eye.seen(this.one.target); // another may have moved the ball meanwhile
        this.move(scale * (event.offsetX - held.off[0] - x), -scale * (event.offsetY - held.off[1] - y));
      } else if (before) {
        this.nearer(apart() / Math.max(before, 1));
      } else {
        this.turn(-0.008 * dx, 0.008 * dy);
      }
    });
    for (const name of ['pointerup', 'pointercancel'])
      place.addEventListener(name, (event) => {
        if (!fingers.delete(event.pointerId)) return;
        if (near) this.tell();
        near = false;
      });
    place.addEventListener('wheel', (event) => {
      event.preventDefault();
      this.nearer(Math.exp(-0.001 * event.deltaY));
    }, { passive: false });
    const steps = {
      ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
      PageUp: [0, 0, -1], PageDown: [0, 0, 1],
    };
    const scales = { '+': 1.2, '=': 1.2, '-': 1 / 1.2 };
    place.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const [step, scale] = [steps[event.key], scales[event.key]];
      const turns = step?.length === 2 && (event.shiftKey || !this.one.figure);
      if (!scale && !turns && !(step && this.one.figure)) return;
      event.preventDefault();
      if (scale) this.nearer(scale);
      else if (turns) this.turn(0.1 * step[0], 0.1 * step[1]);
      else {
        this.move(...step.map((x) => 0.02 * this.one.size * x));
        this.tell();
      }
    });
  }
}

/** The page in a frame of a notebook: only its parent is heard, and only finite numbers, as many as there are. */
function listen(page) {
  if (window.parent === window) return;
  const [first] = given.figures;
  const fits = (list, count) => list === undefined || (Array.isArray(list) && list.length === count && list.every(Number.isFinite));
  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || data === null || typeof data !== 'object' || data.handik !== 'set') return;
    const { turn, q, target } = data;
    if (!Number.isInteger(turn) || !fits(q, first?.q.length ?? 0) || !fits(target, first ? 3 : 0)) return;
    page.hear(first ? { turn, q, target } : { turn });
  });
  window.parent.postMessage({ handik: 'open', q: first?.q ?? [], target: first?.first ?? [] }, '*');
}

speak(given.lang);
byId('language').value = given.lang;
try {
  const core = await Core.open(await unpack(byId('core').textContent));
  const picture = new Picture(byId('picture'), given.lamps);
  const shapes = await Promise.all(given.meshes.map(async (mesh) => picture.shape(...(await triangles(mesh)), mesh.smooth)));
  const scene = sceneryOf(given.scene, shapes);
  const figures = [];
  for (const one of given.figures) figures.push(await figureOf(core, picture, shapes, one));
  window.page = new Page(core, picture, figures, scene);
  listen(window.page);
} catch (error) {
  byId('said').textContent = `${words.failed}${error.message}`;
}
