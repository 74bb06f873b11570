// What Python last said: the document with every patch laid over it, and the tables. Nothing here is decided by the page.

export class Store {
  constructor() {
    Object.assign(this, { document: null, figures: {}, actions: new Map(), menus: [], words: {} });
    Object.assign(this, { known: [], gallery: [], profiles: [], revision: -1, poses: new Map() });
    this.listeners = [];
  }

  /** `listener(what)`: 'welcome', 'patch' or 'pose'. */
  listen(listener) {
    this.listeners.push(listener);
  }

  tell(what) {
    for (const listener of this.listeners) listener(what);
    document.documentElement.dataset.revision = String(this.revision);
  }

  welcome(message) {
    Object.assign(this, {
      document: message.document,
      figures: message.figures ?? {},
      actions: new Map(message.actions.map((row) => [row.id, row])),
      menus: message.menus,
      words: message.words ?? {},
      known: message.solvers ?? [],
      gallery: message.gallery ?? [],
      profiles: message.profiles ?? [],
      version: message.version,
      revision: message.revision,
    });
    this.tell('welcome');
  }

  patch({ revision, patch }) {
    if (patch) {
      Object.assign(this.figures, patch.figures ?? {});
      Object.assign(this.document, patch.document ?? {});
      for (const [path, node] of Object.entries(patch.nodes ?? {})) {
        if (node === null) delete this.document.nodes[path];
        else this.document.nodes[path] = node;
      }
      if (patch.order) this.document.order = patch.order;
    }
    this.revision = revision;
    this.tell('patch');
  }

  /** Names of the solvers; one that was made in Python since is among them with the next patch. */
  get solvers() {
    return this.document?.solvers ?? this.known;
  }

  get nodes() {
    return this.document.order.map((path) => this.document.nodes[path]).filter(Boolean);
  }

  byNumber(number) {
    return Object.values(this.document?.nodes ?? {}).find((node) => node.number === number) ?? null;
  }

  get selected() {
    return this.document.selection.map((path) => this.document.nodes[path]).filter(Boolean);
  }

  /** The node of the active figure, and what is known of its body. */
  get person() {
    const node = this.document.nodes[this.document.figure] ?? null;
    return node && { node, body: this.figures[node.shape.figure] ?? null };
  }

  get target() {
    return this.document.nodes[this.document.target] ?? null;
  }

  /** A pose frame: kept apart from the document, which is patched at the end of a drag. */
  pose(message) {
    const ghost = message.control === 65535;
    const node = ghost ? this.document?.nodes[this.document.ghost?.figure] : this.byNumber(message.control);
    const body = this.figures[node?.shape.figure];
    if (!body) return;
    const { nq, nv } = body;
    this.poses.set(ghost ? 'ghost' : node.path, {
      body,
      outcome: message.outcome,
      q: message.floats.subarray(0, nq),
      angles: message.floats.subarray(nq, nq + nv),
      links: message.floats.subarray(nq + nv),
    });
    this.tell('pose');
  }
}
