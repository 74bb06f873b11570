// A drag: values as often as the screen is drawn, at most three unanswered, the newest waits; one entry of undo when it ends.

import { pack } from './wire.js';

const UNANSWERED = 3;

export class Drags {
  constructor(wire, nextId) {
    Object.assign(this, { wire, nextId, sequence: 0, running: null, latency: null });
  }

  begin(action, extra = {}) {
    if (this.running) this.cancel();
    const drag = this.nextId();
    this.running = { drag, waiting: new Map(), sent: [] };
    this.wire.send({ kind: 'begin', drag, action, ...extra });
  }

  /** The newest value of one control; an older one that was not sent is dropped. */
  push(kind, control, values) {
    if (!this.running) return;
    this.running.waiting.set(`${kind} ${control}`, [kind, control, values]);
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.#flush();
    });
  }

  #flush(all = false) {
    const { running } = this;
    if (!running) return;
    for (const [key, [kind, control, values]] of running.waiting) {
      if (!all && running.sent.length >= UNANSWERED) return;
      this.sequence += 1;
      running.sent.push({ control, sequence: this.sequence });
      this.wire.send(pack(kind, control, this.sequence, performance.now() / 1000, values));
      running.waiting.delete(key);
    }
  }

  /** An answer frees the place of all that it answers. */
  answered({ sequence, time }) {
    if (time > 0) this.latency = performance.now() - 1000 * time;
    if (!this.running) return;
    this.running.sent = this.running.sent.filter((row) => row.sequence > sequence);
    if (this.running.waiting.size) this.#flush();
  }

  /** A value sent at once, whatever waits; its sequence, by which its answer is known. */
  now(kind, control, values) {
    this.sequence += 1;
    this.wire.send(pack(kind, control, this.sequence, performance.now() / 1000, values));
    return this.sequence;
  }

  end(more = {}) {
    if (!this.running) return;
    this.#flush(true);
    this.wire.send({ kind: 'end', drag: this.running.drag, ...more });
    this.running = null;
  }

  /** Python did not begin it: there is nothing to end. */
  refused(id) {
    if (this.running?.drag === id) this.running = null;
  }

  cancel() {
    if (!this.running) return;
    this.wire.send({ kind: 'cancel', drag: this.running.drag });
    this.running = null;
  }

  /** A drag of one value: for keys and number fields. */
  once(action, extra, kind, control, values) {
    this.begin(action, extra);
    this.push(kind, control, values);
    this.end();
  }
}
