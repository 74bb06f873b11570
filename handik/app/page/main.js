// The page put together: messages in, panels drawn, hands out. Python holds the state.

import { ASKS, DIRECT, FILES, FROM_SEEN } from './asks.js';
import { Commands } from './commands.js';
import { ComparePanel, Lap } from './compare.js';
import { askArguments, askName, chooseFile, saveFile, showAbout, showKeys } from './dialog.js';
import { make, setText } from './dom.js';
import { Drags } from './drags.js';
import { DrivePanel } from './drive.js';
import { Grips } from './grips.js';
import { keep, kept } from './kept.js';
import { Keys } from './keys.js';
import { Labels } from './labels.js';
import { Lens } from './lens.js';
import { MenuBar } from './menu.js';
import { MotionPanel } from './motion.js';
import { Panes } from './panes.js';
import { PersonPanel } from './person.js';
import { Player } from './player.js';
import { Postures } from './postures.js';
import { Received } from './received.js';
import { factsLine, Solving } from './solving.js';
import { Scenery } from './scenery.js';
import { Sliders } from './sliders.js';
import { Store } from './store.js';
import { placeOn } from './handles.js';
import { Played } from './played.js';
import { Transform } from './transform.js';
import { Tree } from './tree.js';
import { VerdictPanel } from './verdict.js';
import { View3d } from './view3d.js';
import { takeToken, Wire } from './wire.js';
import { setLanguage, word } from './words.js';

const $ = (id) => document.getElementById(id);
const TOOLS = [['page.mode.select', 'page.mode.compute', 'page.mode.navigate'], ['edit.undo', 'edit.redo'], ['page.gizmo.move', 'page.gizmo.turn', 'page.gizmo.scale'], ['page.draw.solid', 'page.draw.wire', 'page.draw.points'], ['page.body.skin', 'page.body.capsules', 'page.body.skeleton']];
const SNAPS = { move: 0.05, turn: Math.PI / 12, scale: 0.1 };

class Page {
  constructor() {
    this.token = takeToken();
    this.store = new Store();
    this.ids = 0;
    this.received = new Received((words) => this.say(words));
    this.asked = new Set();
    this.pins = new Set();
    this.look = { grid: true, shadows: true, grips: true, names: false, cone: false, eyes: false, gizmo: 'move', own: false };
    this.language = kept('handik-language') ?? (navigator.language.startsWith('fr') ? 'fr' : 'en');
    setLanguage(this.language);
    this.#theme(kept('handik-theme') ?? 'auto');
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.wire = new Wire(`${scheme}://${location.host}/socket`, {
      open: () => this.wire.send({ kind: 'hello', token: this.token, protocol: 1, language: this.language }),
      text: (message) => this.#text(message),
      bytes: (message) => this.#bytes(message),
      lost: (refused) => this.say(word(refused ? 'refused_token' : 'lost')),
    });
    this.drags = new Drags(this.wire, () => this.nextId());
    this.say(word('connecting'));
    this.#picture();
    this.#panels();
    this.store.listen((what) => this.#drawn(what));
  }

  nextId() {
    this.ids += 1;
    return this.ids;
  }

  get settings() {
    return this.store.document?.settings ?? { draw: 'solid', body: 'skin' };
  }

  #picture() {
    const canvas = $('canvas');
    try {
      this.view = new View3d(canvas, {
        picked: (found, event) => this.#picked(found, event),
        drag: {
          begin: () => { this.dragged = this.held; this.drags.begin(this.dragged.action, this.dragged.extra); },
          change: ({ pose, scale }) => this.#moved(pose, scale),
          end: () => this.drags.end(),
          cancel: () => this.drags.cancel(),
        },
      });
    } catch {
      this.view = null;
      canvas.hidden = true;
      $('no-picture').hidden = false;
    }
    this.view?.before.push(() => { if (this.posed) this.#poses(false); });
    this.scenery = new Scenery(this);
    this.played = new Played(this);
    this.lens = this.view && new Lens($('lens'), $('cube'), this.view);
    this.labels = this.view && new Labels($('labels'), this.view);
    this.grips = this.view && new Grips($('grips'), this.view, {
      begin: (row) => {
        if (row.action === 'figure.drag') this.played.take();
        this.drags.begin(row.action, row.extra);
      },
      change: (row, point) => this.drags.push('place', row.number, point),
      end: () => this.drags.end(),
      cancel: () => this.drags.cancel(),
      chosen: (row) => (row.node ? this.ask('select', { paths: [row.node] }) : this.pin(row)),
      pin: (row) => this.pin(row),
    });
  }

  #moved(pose, scale) {
    const [kind, values] = this.#asFrame(this.dragged, pose, scale);
    this.drags.push(kind, this.dragged.number, values);
    this.transform.show(this.dragged, pose, scale);
  }

  #asOne(held, pose, scale) {
    const [kind, values] = this.#asFrame(held, pose, scale);
    return [kind, held.number, values];
  }

  #asFrame({ action }, pose, scale) {
    return action === 'target.move' ? ['place', pose] : ['transform', [...pose, scale]];
  }

  /** Let a part stay in its place while another is dragged, or no more. */
  pin({ frame, name }) {
    const held = !this.pins.delete(frame);
    if (held) this.pins.add(frame);
    this.#poses(true);
    this.say(`${name}: ${word(held ? 'pinned' : 'unpinned')}`);
  }

  /** What gizmo and numbers move: the selected object, or several about their middle. */
  get held() {
    const rows = this.store.selected;
    if (!rows.length) return null;
    const [{ path, name, number, kind, world, scale }] = rows;
    const locked = rows.some((row) => row.locked);
    if (rows.length === 1) {
      const action = ['target', 'via'].includes(kind) ? 'target.move' : 'node.transform';
      return { name, number, world, scale, locked, action, extra: { node: path } };
    }
    const middle = [0, 1, 2].map((k) => rows.reduce((sum, row) => sum + row.world[k], 0) / rows.length);
    const pivot = [...middle, 1, 0, 0, 0];
    return { name: `${rows.length} ${word('objects')}`, number, world: pivot, scale: 1, locked, action: 'node.transform', extra: { nodes: rows.map((row) => row.path), pivot } };
  }

  #panels() {
    const { store } = this;
    const ask = (name, args) => this.ask(name, args);
    this.commands = new Commands(store, this);
    this.menu = new MenuBar($('menubar'), () => (store.document ? this.commands.menus() : []), (id) => this.perform(id));
    this.keysHeard = new Keys(() => (store.document ? this.commands.all() : []), (id) => this.perform(id));
    this.panes = new Panes($('tabs'));
    this.tree = new Tree($('tree'), $('tree-search'), $('tree-sort'), $('tree-empty'), {
      select: (paths) => ask('select', { paths }),
      act: (name, path, paths = [path]) => (name === 'rename' ? this.rename(path) : ask(name, { path, paths })),
    });
    this.sliders = new Sliders($('sliders'), {
      begin: () => { this.played.take(); this.drags.begin('joint.set'); },
      change: (dof, value) => this.drags.push('joint', dof, [value]),
      end: () => this.drags.end(),
      cancel: () => this.drags.cancel(),
      ask,
    });
    this.postures = new Postures($('postures'), { ask, perform: (id) => this.perform(id), paste: () => this.paste() });
    this.transform = new Transform($('transform'), {
      change: (held, pose, scale) => this.drags.once(held.action, held.extra, ...this.#asOne(held, pose, scale)),
    });
    this.solving = new Solving($('solve'), store, {
      ask,
      handPlace: () => this.#handPlace(),
      moveTarget: (point) => this.drags.once('target.move', { node: store.target.path }, 'place', store.target.number, point),
    });
    this.person = new PersonPanel($('person'), store, {
      ask,
      perform: (id, given) => this.perform(id, given),
      draw: (rows) => this.view?.overlays.setFigures('beside', rows.map((row) => ({ ...row, body: store.figures[row.figure] })).filter(({ body }) => body)),
    });
    this.verdict = new VerdictPanel($('verdict'), store, { ask, perform: (id) => this.perform(id), draw: (lines) => this.view?.overlays.setLines('changes', lines) });
    this.drive = new DrivePanel($('drive'), store, {
      ask,
      begin: () => this.drags.begin('chair.drive'),
      push: (forward, turn) => this.drags.push('place', store.person.node.number, [forward, turn, 0]),
      end: () => this.drags.end(),
      eyes: (on) => this.throughEyes(on),
    });
    this.motion = new MotionPanel($('motion'), store, {
      perform: (id) => this.perform(id),
      do: (action, args) => this.do(action, args),
      open: (how) => this.#open('motion.open', how),
    });
    this.lap = new Lap(this.wire, this.drags, this.view);
    this.compare = new ComparePanel($('compare'), store, {
      ask,
      draw: (figures, lines) => this.scenery.sideBySide(figures, lines),
      lap: (solver, poses) => this.lap.run(solver, poses),
      stopLap: () => this.lap.stop(),
    });
    this.player = new Player($('player'), {
      show: () => this.played.show(),
      take: (share) => this.do('plan.take', { share }),
      skins: (rows) => this.view?.overlays.setFigures('onion', rows.map((links) => ({ links, body: store.figures[store.document.nodes[this.played.figure]?.shape.figure], color: '#0e8a7d', opacity: 0.16 })).filter(({ body }) => body)),
      canvas: () => this.view?.canvas,
      save: (kind, film) => saveFile(`${store.document.name || 'handik'}.${kind}`, film),
      say: (words) => this.say(words),
    });
    $('measured-off').addEventListener('click', () => this.do('node.measure_off', {}));
    $('tree-add').addEventListener('click', () => this.menu.show(this.commands.menus().findIndex((menu) => menu.id === 'object')));
    $('language').value = this.language;
    $('language').addEventListener('change', ({ target }) => this.speak(target.value));
    $('theme').addEventListener('change', ({ target }) => {
      this.#theme(target.value);
      if (target.value !== 'auto' && store.document) this.set('theme', target.value);
    });
    $('job-stop').addEventListener('click', () => this.wire.send({ kind: 'stop', job: this.job }));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.view?.setTheme());
    addEventListener('beforeunload', (event) => { if (this.store.document?.modified && !this.wire.open) event.preventDefault(); });
    this.panes.draw();
  }

  /** One sentence for the status line. */
  say(sentence) {
    if (sentence) setText($('status'), sentence);
  }

  #theme(name) {
    document.documentElement.dataset.theme = name;
    keep('handik-theme', name);
    $('theme').value = name;
    this.view?.setTheme();
  }

  /** The other language, at once and everywhere. */
  speak(language) {
    this.language = language;
    keep('handik-language', language);
    setLanguage(language);
    this.#words();
    this.#drawn('patch');
    if (this.store.document) this.set('language', language);
  }

  /** All that is drawn once a language, not once a patch. */
  #words() {
    if (!this.store.document) return;
    this.menu.draw();
    this.panes.draw();
    this.transform.draw();
    this.solving.draw();
    this.person.draw();
    this.verdict.draw();
    this.compare.draw();
    this.drive.draw();
    this.motion.draw();
    this.lens?.draw();
    this.#keysAgain();
    this.player.draw();
    this.tree.now = null;
    this.#tools();
  }

  /** Keys that were changed in this browser hold for the next start, too. */
  #keysAgain() {
    const known = JSON.parse(kept('handik-keys') ?? '[]');
    if (this.settings.keys?.length) return;
    for (const [action, key] of known) this.do('view.key', { action, key });
  }

  #tools() {
    const group = (ids) => make('div', { className: 'group' }, ...ids.map((id) => this.#tool(id)));
    const snap = make('label', {}, make('input', { type: 'checkbox', id: 'snap', checked: Boolean(this.settings.snap), on: { change: ({ target }) => this.set('snap', target.checked) } }), word('snap'));
    snap.title = word('snap_hint');
    const solve = [['initialise', 'avatar.initialise'], ['solve', 'solve']].map(([key, name]) => make('button', { type: 'button', className: key === 'solve' ? 'go' : '', textContent: word(key), on: { click: () => this.ask(name) } }));
    $('tools').replaceChildren(...TOOLS.map(group), snap, make('span', { className: 'space' }), ...solve);
    const views = ['front', 'left', 'top', 'corner'].map((name) => this.#tool(`page.view.${name}`));
    $('views').replaceChildren(...views, this.#tool('page.view.all'));
  }

  #tool(id) {
    const row = this.commands.row(id);
    if (!row) return '';
    const button = make('button', { type: 'button', textContent: row.words, data: { action: id }, on: { click: () => this.perform(id) } });
    if (row.key) button.setAttribute('aria-keyshortcuts', row.key);
    return button;
  }

  /** What is on and what can be done, on the buttons that stand. */
  #toolStates() {
    for (const button of document.querySelectorAll('#tools [data-action], #views [data-action]')) {
      const row = this.commands.row(button.dataset.action);
      button.disabled = row.disabled;
      if (row.checked !== undefined) button.setAttribute('aria-pressed', String(row.checked));
    }
    const snap = $('snap');
    if (snap) snap.checked = Boolean(this.settings.snap);
  }

  #drawn(what) {
    const { store } = this;
    if (what === 'pose') {
      this.posed = true; // drawn once a frame, however many came
      if (this.view) this.view.redraw();
      else this.#poses(false);
      return;
    }
    if (what === 'welcome') {
      this.asked.clear();
      this.#words();
    }
    const { document: now } = store;
    this.tree.set(store.nodes, now.selection, (kind) => word(`kind_${kind}`));
    this.#follow(now.settings);
    this.scenery.nodeMoved = {};
    this.postures.set(now.poses, store.person?.body, now.settings.mirror);
    this.sliders.setBody(store.person?.body);
    this.sliders.setHeld((now.held ?? []).filter(([path]) => path === now.figure).map(([, joint]) => joint));
    this.transform.show(this.held);
    this.#solvers();
    this.solving.show();
    this.person.show();
    this.verdict.show();
    this.compare.show();
    this.drive.show();
    this.motion.show();
    if (!now.path && this.player.path) this.player.set(null);
    else this.player.setAbout(now.path);
    setText($('document-name'), `${now.name || word('unnamed')}${now.modified ? ' •' : ''}`);
    document.title = `${now.name || word('unnamed')} – handik`;
    factsLine($('facts'), now);
    this.#toolStates();
    this.#scene();
    this.#poses(true);
    document.documentElement.dataset.ready = '1';
  }

  /** Lists of solvers anew when Python has another. */
  #solvers() {
    const now = this.store.solvers.join();
    if (now !== (this.listed ?? now)) for (const panel of [this.solving, this.compare]) panel.draw();
    this.listed = now;
  }

  /** Language and theme as Python set them since. */
  #follow({ language, theme, keys = [] }) {
    if (this.told) keep('handik-keys', JSON.stringify(keys));
    this.lens?.setCameras(this.store.document.cameras ?? {});
    const before = this.told ?? { language, theme };
    this.told = { language, theme };
    if (theme !== before.theme && theme !== document.documentElement.dataset.theme) this.#theme(theme);
    if (language === before.language || language === this.language) return;
    this.language = language;
    $('language').value = language;
    setLanguage(language);
    this.#words();
  }

  #scene() {
    const { view, store } = this;
    if (!view) return;
    const { document: now } = store;
    view.setLook(now.settings);
    view.setNodes(store.nodes, now.selection, store.figures);
    const { held } = this;
    view.gizmo.attach(held && !held.locked ? { pose: held.world, scale: held.scale } : null);
    this.scenery.words(now);
    view.gizmo.snap = now.settings.snap ? { ...SNAPS, ...(now.settings.snap_size ? { move: now.settings.snap_size } : {}) } : null;
    for (const key of [...store.nodes.map((node) => node.mesh), ...Object.values(store.figures).map((body) => body.skin)]) {
      if (key && !this.asked.has(key) && !view.meshes.has(key)) {
        this.asked.add(key);
        this.wire.send({ kind: 'mesh', key });
      }
    }
    if (!this.framed) {
      this.framed = true;
      view.setTheme();
      this.framing = Boolean(now.figure); // a figure's size is known with its pose
      if (!this.framing) view.frame();
    }
  }

  /** Figures where the last frames put them. `exact` false in a drag: the panels follow more slowly. */
  #poses(exact) {
    const { view, store } = this;
    this.posed = false;
    this.played.poses(exact);
    if (this.framing && store.poses.has(store.document.figure)) {
      this.framing = false;
      view.frame();
    }
    document.documentElement.dataset.drawn = String(Number(document.documentElement.dataset.drawn ?? 0) + 1);
  }

  throughEyes(on) {
    this.scenery.through(on);
    this.#toolStates();
  }

  #text(message) {
    const jobs = {
      welcome: () => { this.store.welcome(message); this.say(word('connected')); },
      done: () => this.#done(message),
      patch: () => { this.store.patch(message); this.say(message.said); },
      refused: () => this.#refused(message),
      say: () => this.say(message.sentence),
      progress: () => this.#progress(message),
      job: () => { $('job').hidden = true; this.say(message.sentence); },
      file: () => this.received.begin(message),
    };
    jobs[message.kind]?.();
  }

  #refused({ id, sentence, key }) {
    if (key) { // a skin of somebody who has gone meanwhile: asked for again should she come back
      this.asked.delete(key);
      return;
    }
    this.drags.refused(id);
    this.say(sentence);
    this.drive.stop();
    this.#drawn('patch');
  }

  #done(message) {
    this.store.patch(message);
    this.say(message.said);
    document.documentElement.dataset.done = String(message.id);
  }

  #progress({ job, share, sentence }) {
    this.job = job;
    $('job').hidden = false;
    $('job-share').value = share;
    setText($('job-words'), sentence ?? '');
  }

  #bytes(message) {
    if (message.kind === 'pose') {
      this.drags.answered(message);
      this.played.came(message.control);
      this.store.pose(message);
      this.lap.answered(message);
    } else if (message.kind === 'moved') {
      this.drags.answered(message);
      const node = this.store.byNumber(message.control);
      if (!node) return;
      const pose = [...message.floats.subarray(0, 7)];
      const scale = node.scale ? (message.floats[7] * node.world_scale) / node.scale : message.floats[7];
      this.scenery.nodeMoved[node.path] = pose;
      this.view?.moveNode(node.path, pose, scale);
      if (node.path === this.store.document.target) this.solving.follow(pose);
      this.grips?.move(node.path, pose);
    } else if (message.kind === 'mesh') {
      this.view?.addMesh(message.mesh);
      this.#poses(true);
    } else if (message.kind === 'path') this.#track(message);
    else if (message.kind === 'chunk') this.received.chunk(message);
  }

  /** Postures in time: a path, or what one of two solvers did. */
  #track({ outcome: slot, path }) {
    if (slot === 0) this.player.set(path, this.store.document.path);
    else this.compare.setTrack(slot, path);
  }

  async paste() {
    try {
      this.ask('paste', { q: await navigator.clipboard.readText() });
    } catch {
      this.say(word('no_clipboard'));
    }
  }

  /** A click in the picture: it selects, or puts the target there, or, while looking about, does nothing. */
  #picked({ node, point }, event) {
    const { mode } = this.settings;
    if (mode === 'navigate') return;
    if (mode === 'compute') {
      if (point) this.ask('target', { at: point });
      return;
    }
    const before = this.store.document.selection;
    const add = event.ctrlKey || event.metaKey || event.shiftKey;
    if (node && add) this.ask('select', { paths: before.includes(node) ? before.filter((path) => path !== node) : [...before, node] });
    else if (node || before.length) this.ask('select', { paths: node ? [node] : [] });
  }

  /** An action of Python by what a panel calls it. */
  ask(name, args = {}) {
    const [action, given] = ASKS[name](args);
    this.do(action, given);
  }

  do(action, args) {
    if (FROM_SEEN.includes(action)) this.played.take();
    if (!this.wire.send({ kind: 'do', id: this.nextId(), action, args })) this.say(word('lost'));
  }

  set(name, value) {
    this.ask('setting', { name, value });
  }

  /** A menu entry, a key or a button: what is not known of its arguments is asked in a dialog. */
  async perform(id, given = {}) {
    const row = this.commands.row(id);
    if (!row || row.disabled) return null;
    if (row.local) {
      row.local.do();
      return this.#toolStates();
    }
    const { action } = row;
    const flag = this.commands.flagOf(action);
    if (flag !== null) return this.do(id, { [flag]: !this.settings[flag] });
    const known = { ...given };
    const { selection } = this.store.document;
    if (id === 'view.camera') return this.keepView(); // the page knows where from
    if (FILES[id]) return this.#open(id);
    // one that is asked for beside those selected is another: it is asked for
    const beside = action.args.some((arg) => arg.type === 'nodes');
    const node = beside ? null : action.args.find((arg) => arg.type === 'node');
    if (node && selection.length) [known[node.name]] = selection;
    // objects are those selected, unless others are named
    const open = DIRECT.includes(id) ? [] : action.args.filter((arg) => !(arg.name in known) && arg.type !== 'nodes');
    const asked = open.length ? await askArguments({ ...action, args: open, beside }, this.store, known) : {};
    return asked && this.do(id, { ...known, ...asked });
  }

  async #open(id, how = {}) {
    const file = await chooseFile();
    if (file) await this.wire.sendFile(this.nextId(), file, FILES[id], how);
  }

  async rename(path) {
    const name = await askName(word('rename'), this.store.document.nodes[path].name);
    if (name !== null) this.ask('rename', { path, name });
  }

  /** Where the hand that solves is, by its handle. */
  #handPlace() {
    const { person, document: now } = this.store;
    const handle = person?.body.handles.find(({ frame }) => frame === `grip_${now.settings.hand}`) ?? person?.body.handles[0];
    const { links } = this.played;
    return handle && links ? placeOn(links, handle.link, handle.at) : null;
  }

  toggle(name) {
    this.look[name] = !this.look[name];
    if (this.view) {
      this.view.setShown({ grid: this.look.grid, shadows: this.look.shadows });
      this.view.gizmo.frame = this.look.own ? 'own' : 'world';
      this.view.redraw();
      this.scenery.words(this.store.document);
      this.scenery.eyes();
    }
    this.#poses(true);
  }

  setGizmo(mode) {
    this.look.gizmo = mode;
    this.view?.gizmo.setMode(mode);
    this.view?.redraw();
  }

  async picture() {
    if (this.view) saveFile(`${this.store.document.name || 'handik'}.png`, await this.view.picture());
  }

  keys() {
    const regions = [{ words: word('keys_regions'), key: 'F6' }, { words: word('keys_regions_back'), key: 'Shift+F6' }, { words: word('keys_escape'), key: 'Escape' }];
    const rows = this.commands.all().sort((a, b) => Number(!a.key) - Number(!b.key));
    return showKeys([...rows, ...regions], (action, key) => this.do('view.key', { action, key }));
  }

  /** This view as a camera of the scene, under a name. */
  async keepView() {
    const name = this.view && await askName(word('keep_view'), word('kind_camera'));
    if (name !== null) this.do('view.camera', { name, ...this.view.eye.asCamera() });
  }

  about() {
    return showAbout(this.store.version, this.drags.latency);
  }
}

new Page();
