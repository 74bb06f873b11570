// What is drawn around the document's own things: two runs in a figure's place, names, a distance, eyes and wheelchair.

import { setText } from './dom.js';
import { eyesOf } from './handles.js';
import { number } from './words.js';

export class Scenery {
  /** `page` has view, store, look and labels; `nodeMoved`: places of nodes in a drag. */
  constructor(page) {
    Object.assign(this, { page, nodeMoved: {} });
  }

  /** Two runs drawn in the place of the figure; null: the figure again. */
  sideBySide(figures, lines) {
    const { view, store } = this.page;
    if (!view) return;
    const rows = (figures ?? []).map((row) => ({ ...row, body: store.figures[store.document.nodes[row.path]?.shape.figure] }));
    view.overlays.setFigures('steps', rows.filter(({ body }) => body));
    view.overlays.setLines('passes', lines);
    view.veil(figures ? (figures[0]?.path ?? null) : null);
  }

  /** Names of what can be selected, and the measured distance. */
  words({ measured }) {
    if (!this.page.view) return;
    const { view, store, look, labels } = this.page;
    labels.set('name', look.names ? store.nodes.filter(({ kind, hidden }) => !hidden && !['group', 'plane'].includes(kind)).map(({ name, world }) => ({ text: name, position: world.slice(0, 3) })) : []);
    const said = measured ? `${number(1000 * measured.distance, 1)} mm` : '';
    const middle = measured && [0, 1, 2].map((k) => (measured.points[0][k] + measured.points[1][k]) / 2);
    view.overlays.setLines('measured', measured ? [{ points: measured.points, color: '#c2410c', dots: true }] : []);
    labels.set('measured', measured ? [{ text: said, position: middle }] : []);
    document.getElementById('measured').hidden = !measured;
    if (measured) setText(document.getElementById('measured').firstElementChild, `${measured.nodes.join(' – ')}: ${said}`);
  }

  /** The eyes of the active person: seen through, or their cone drawn; the wheelchairs under people. */
  eyes() {
    const { view, store, look } = this.page;
    const { person, document: now } = store;
    if (!view) return;
    const links = view.figures.get(now.figure)?.poses;
    const eyes = person?.body?.eye && links ? eyesOf(links, person.body.eye) : null;
    view.overlays.setCone(look.cone && !look.eyes ? eyes : null, person?.body?.eye?.cone);
    const rows = [...view.figures.keys()].filter((path) => now.nodes[path] && view.sees(path));
    view.overlays.setChairs(rows.map((path) => ({ path, chair: store.figures[now.nodes[path].shape.figure]?.chair, pose: this.nodeMoved?.[path] ?? now.nodes[path].world })).filter(({ chair }) => chair));
    if (look.eyes && eyes) view.eye.ride(eyes);
    else if (view.eye.eyes) view.eye.ride(null);
  }

  through(on) {
    const { look, store, view } = this.page;
    look.eyes = on && Boolean(store.person?.body?.eye);
    if (look.eyes && view) view.eye.aside = [0, 0];
    this.eyes();
  }
}
