// The messages: JSON for what is rare, little-endian bytes for what is fast.

import { keep, kept } from './kept.js';

const HEAD = 16;
export const KINDS = { joint: 1, place: 2, transform: 3, pose: 16, mesh: 17, path: 18, moved: 19, chunk: 32 };
const REFUSED = [4003, 4008, 4009]; // closed for good: asking again would not help

/** One of the frames that go up: values as float64 behind the header. */
export function pack(kind, control, sequence, time, values) {
  const buffer = new ArrayBuffer(HEAD + 8 * values.length);
  const look = new DataView(buffer);
  look.setUint8(0, KINDS[kind]);
  look.setUint16(2, control, true);
  look.setUint32(4, sequence, true);
  look.setFloat64(8, time, true);
  values.forEach((value, k) => look.setFloat64(HEAD + 8 * k, value, true));
  return buffer;
}

/** A frame of file bytes. */
export function packChunk(file, bytes) {
  const whole = new Uint8Array(HEAD + bytes.byteLength);
  whole[0] = KINDS.chunk;
  new DataView(whole.buffer).setUint32(4, file, true);
  whole.set(bytes, HEAD);
  return whole.buffer;
}

function meshOf(buffer) {
  const [vertices, triangles, links, keyLength] = new Uint32Array(buffer, HEAD, 4);
  let at = HEAD + 16;
  const key = new TextDecoder().decode(new Uint8Array(buffer, at, keyLength));
  at += Math.ceil(keyLength / 4) * 4;
  const take = (Type, count) => {
    const found = new Type(buffer, at, count);
    at += Math.ceil(found.byteLength / 4) * 4;
    return found;
  };
  const mesh = {
    key,
    positions: take(Float32Array, 3 * vertices),
    normals: take(Float32Array, 3 * vertices),
    index: take(Uint32Array, 3 * triangles),
    colors: take(Float32Array, 3 * vertices),
  };
  if (links === 0) return mesh;
  const skin = { joints: take(Uint16Array, 4 * vertices), weights: take(Float32Array, 4 * vertices) };
  return { ...mesh, skin: { ...skin, bind: take(Float32Array, 7 * links) } };
}

function pathOf(buffer) {
  const [rows, nq, nv, links] = new Uint32Array(buffer, HEAD, 4);
  let at = HEAD + 16;
  const take = (width) => {
    const found = new Float32Array(buffer, at, rows * width);
    at += found.byteLength;
    return found;
  };
  const stride = 7 * links;
  return { rows, nq, nv, stride, times: take(1), q: take(nq), angles: take(nv), poses: take(stride) };
}

/** One binary frame that came down; null where the kind is not known. */
export function unpack(buffer) {
  if (buffer.byteLength < HEAD) return null;
  const look = new DataView(buffer);
  const kind = Object.keys(KINDS).find((name) => KINDS[name] === look.getUint8(0));
  const head = {
    kind,
    outcome: look.getUint8(1),
    control: look.getUint16(2, true),
    sequence: look.getUint32(4, true),
    time: look.getFloat64(8, true),
  };
  if (kind === 'pose' || kind === 'moved') return { ...head, floats: new Float32Array(buffer, HEAD) };
  if (kind === 'mesh') return { ...head, mesh: meshOf(buffer) };
  if (kind === 'path') return { ...head, path: pathOf(buffer) };
  if (kind === 'chunk') return { ...head, bytes: buffer.slice(HEAD) };
  return null;
}

/** A socket that comes back: `on` has open(), text(message), bytes(message), lost(refused). */
export class Wire {
  constructor(address, on) {
    Object.assign(this, { address, on, tries: 0, file: 0, counts: { sent: 0, heard: 0 } });
    this.#open();
  }

  /** How many messages of this connection went and came, for whoever watches the page from outside. */
  #count(what, more = 1) {
    this.counts[what] = more && this.counts[what] + more;
    document.documentElement.dataset[what] = String(this.counts[what]);
  }

  #open() {
    this.socket = new WebSocket(this.address);
    this.socket.binaryType = 'arraybuffer';
    for (const what of ['sent', 'heard']) this.#count(what, 0);
    this.socket.addEventListener('open', () => this.on.open());
    this.socket.addEventListener('message', ({ data }) => {
      this.tries = 0;
      if (typeof data === 'string') this.on.text(JSON.parse(data));
      else {
        const message = unpack(data);
        if (message) this.on.bytes(message);
      }
      this.#count('heard');
    });
    this.socket.addEventListener('close', ({ code }) => {
      const refused = REFUSED.includes(code);
      this.on.lost(refused);
      if (refused) return;
      this.tries += 1;
      setTimeout(() => this.#open(), Math.min(250 * 2 ** this.tries, 8000));
    });
  }

  get open() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  send(message) {
    if (!this.open) return false;
    this.socket.send(message instanceof ArrayBuffer ? message : JSON.stringify(message));
    this.#count('sent');
    return true;
  }

  /** A file up: announced with its size, then its bytes in order. */
  async sendFile(id, file, purpose, more = {}) {
    this.send({ kind: 'file', file: id, name: file.name, size: file.size, purpose, ...more });
    for (let at = 0; at < file.size; at += 2 ** 20) {
      this.send(packChunk(id, new Uint8Array(await file.slice(at, at + 2 ** 20).arrayBuffer())));
    }
  }
}

/** The token is the address's fragment: taken once and wiped from the bar, where a reload finds it in this tab's own memory. */
export function takeToken() {
  const given = location.hash.slice(1);
  if (given && keep('handik-token', given, 'tab')) history.replaceState(null, '', location.pathname + location.search);
  return given || kept('handik-token', 'tab') || '';
}
