// Files that Python gives: put together of their chunks, then saved by the browser; a pose goes into the clipboard.

import { saveFile } from './dialog.js';
import { word } from './words.js';

export class Received {
  /** `say(words)` tells what came. */
  constructor(say) {
    Object.assign(this, { say, files: new Map() });
  }

  begin(message) {
    this.files.set(message.file, { ...message, parts: [], got: 0 });
  }

  chunk({ sequence, bytes }) {
    const file = this.files.get(sequence);
    if (!file) return;
    file.parts.push(bytes);
    file.got += bytes.byteLength;
    if (file.got < file.size) return;
    this.files.delete(sequence);
    const whole = new Blob(file.parts, { type: file.type });
    if (file.name === 'pose.toml') this.#copy(whole);
    else saveFile(file.name, whole);
  }

  /** A pose as text: into the clipboard, or a file where the browser does not let. */
  async #copy(whole) {
    try {
      await navigator.clipboard.writeText(await whole.text());
      this.say(word('copied'));
    } catch {
      saveFile('pose.toml', whole);
    }
  }
}
