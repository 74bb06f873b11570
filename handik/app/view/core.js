// core.js: the WebAssembly module of handik's core, for a page. Numbers go in and come out as typed arrays that are
// copied: the module's memory grows, and every view of it made before is then void.

export const TABLES = { joints: 0, terms: 1, solvers: 2, outcomes: 3, methods: 4 };
const WHOLE = new Set(["parent", "kind", "mimic", "frame_joint", "corner_count", "knot_count"]);

/** Bytes of base64 text, unpacked if they are gzipped. */
export async function unpack(text) {
  const packed = atob(text.trim());
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The core: figures and solvers. Its one import is a clock, asked where a time limit is set. */
export class Core {
  static async open(bytes) {
    const core = new Core();
    const clock_time_get = (id, precision, at) => {
      const view = new DataView(core.memory.buffer);
      view.setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    };
    const made = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: { clock_time_get } });
    core.calls = made.instance.exports;
    core.memory = core.calls.memory;
    core.calls._initialize();
    return core;
  }

  /** Copy numbers or text into the module; to be dropped. */
  put(values) {
    if (values === null || values === undefined) return 0;
    const bytes =
      typeof values === "string"
        ? new TextEncoder().encode(`${values}\0`)
        : new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const at = this.calls.hik_room(bytes.length);
    if (!at) throw new Error("the module has no memory left");
    new Uint8Array(this.memory.buffer).set(bytes, at);
    return at;
  }

  /** Run with values copied into the module, and drop them. */
  with(values, run) {
    const at = values.map((one) => this.put(one));
    try {
      return run(...at);
    } finally {
      at.forEach((one) => one && this.calls.hik_drop(one));
    }
  }

  text(at) {
    const bytes = new Uint8Array(this.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  floats(at, count) {
    return new Float64Array(this.memory.buffer, at, count).slice();
  }

  checked(done) {
    if (!done || done < 0) throw new Error(this.text(this.calls.hik_sentence()));
    return done;
  }

  names(table) {
    const rows = this.calls.hik_rows(TABLES[table]);
    return Array.from({ length: rows }, (_, k) => this.text(this.calls.hik_name(TABLES[table], k)));
  }

  /** A figure, from the arrays of its definition by name (typed arrays). */
  figure(joints, frames, arrays) {
    const held = [];
    this.calls.hik_begin(joints, frames);
    try {
      for (const [name, values] of Object.entries(arrays)) {
        const at = this.put(values);
        held.push(at);
        const status = this.with([name], (word) => this.calls.hik_array(word, at));
        if (status < 0) this.checked(status);
      }
      return new Figure(this, this.checked(this.calls.hik_model()), frames);
    } finally {
      held.forEach((at) => at && this.calls.hik_drop(at));
    }
  }
}

/** A kinematic tree. */
export class Figure {
  constructor(core, handle, frames) {
    Object.assign(this, { core, handle, frames, nq: core.calls.hik_nq(handle) });
  }

  /** Poses of all frames, 16 numbers each, by rows. */
  poses(q) {
    const { core } = this;
    return core.with([q, new Float64Array(16 * this.frames)], (at, out) => {
      if (core.calls.hik_poses(this.handle, 1, at, out) < 0) core.checked(-1);
      return core.floats(out, 16 * this.frames);
    });
  }

  /** A configuration brought into the limits. */
  clip(q) {
    return this.core.with([q], (at) => {
      this.core.calls.hik_clip(this.handle, 1, at);
      return this.core.floats(at, this.nq);
    });
  }

  /** What a solver is to meet: terms [{kind, frame, tolerance, angle}]. */
  solver(name, terms, { maxIter = -1, restarts = -1 } = {}) {
    const { core } = this;
    core.calls.hik_terms();
    for (const term of terms) {
      const { kind, frame, tolerance = 1e-4, angle = 1e-4 } = term;
      const call = (word) => core.calls.hik_term(word, frame, -1, 1, tolerance, angle);
      if (core.with([kind], call) < 0) core.checked(-1);
    }
    const problem = core.checked(core.calls.hik_problem(this.handle));
    const plan = core.with([name], (word) => core.calls.hik_plan(problem, word, maxIter, restarts));
    if (!plan) {
      const why = core.text(core.calls.hik_sentence());
      core.calls.hik_problem_drop(problem);
      throw new Error(why);
    }
    return new Solver(this, name, problem, plan);
  }
}

/** A solver that is ready for targets of one problem. */
export class Solver {
  constructor(figure, name, problem, plan) {
    Object.assign(this, { figure, name, problem, plan });
    this.width = figure.core.calls.hik_width(problem);
  }

  /** Answers one target: {q, outcome, iterations, restarts, missed, turned}. */
  solve(target, q0 = null) {
    const { core, nq } = this.figure;
    const made = [target, q0, new Float64Array(nq), new Int32Array(3), new Float64Array(2)];
    return core.with(made, (goal, start, q, whole, errors) => {
      const { plan, problem } = this;
      const done = core.calls.hik_answer(plan, problem, 1, goal, start, q, whole, errors);
      if (done < 0) core.checked(done);
      const [outcome, iterations, restarts] = new Int32Array(core.memory.buffer, whole, 3);
      const [missed, turned] = core.floats(errors, 2);
      return { q: core.floats(q, nq), outcome, iterations, restarts, missed, turned };
    });
  }

  drop() {
    this.figure.core.calls.hik_plan_drop(this.plan);
    this.figure.core.calls.hik_problem_drop(this.problem);
  }
}

/** The typed array of a dump: {type: "int"|"float", data: base64 of little-endian bytes}. */
export async function array(name, text) {
  const bytes = await unpack(text);
  return WHOLE.has(name) ? new Int32Array(bytes.buffer) : new Float64Array(bytes.buffer);
}
