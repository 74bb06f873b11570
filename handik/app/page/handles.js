// Which things of the scene have a grip: targets, via points, and the parts of the active figure.

import { own } from './words.js';

/** A point of a link in the world: rows of poses are x y z, w x y z. */
export function placeOn(links, row, [a, b, c]) {
  const [x, y, z, w, i, j, k] = links.subarray(7 * row, 7 * row + 7);
  // v + 2 w (u × v) + 2 u × (u × v)
  const [p, q, r] = [j * c - k * b, k * a - i * c, i * b - j * a];
  return [
    x + a + 2 * (w * p + j * r - k * q),
    y + b + 2 * (w * q + k * p - i * r),
    z + c + 2 * (w * r + i * q - j * p),
  ];
}

/** Where somebody's eyes are and how they are turned, of the rows of poses and what is known of the body. */
export function eyesOf(links, { link, at, turn }) {
  const [a, b, c, d] = links.subarray(7 * link + 3, 7 * link + 7);
  const [w, x, y, z] = turn;
  const product = [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w];
  return { at: placeOn(links, link, at), turn: product };
}

/** `pins`: parts that stay in their place while another is dragged. */
export function gripRows(store, view, pins) {
  const { document: now } = store;
  const rows = [];
  for (const node of store.nodes) {
    if (node.hidden || node.locked || !['target', 'via'].includes(node.kind)) continue;
    rows.push({
      key: node.path, node: node.path, kind: node.kind, name: node.name, number: node.number,
      position: node.world.slice(0, 3), action: 'target.move', extra: { node: node.path },
      selected: now.selection.includes(node.path),
    });
  }
  const { person } = store;
  const figure = person && view.figures.get(person.node.path);
  if (!figure?.poses || person.node.hidden) return rows;
  const held = person.body.handles.map(({ frame }) => frame).filter((frame) => pins.has(frame)); // another figure has others
  for (const { frame, link, at, words } of person.body.handles) {
    rows.push({
      key: `part ${frame}`, node: null, kind: 'part', name: own(words) || frame, number: person.node.number,
      position: placeOn(figure.poses, link, at), action: 'figure.drag', extra: { figure: person.node.path, part: frame, pins: held.filter((pin) => pin !== frame) },
      selected: pins.has(frame), frame,
    });
  }
  return rows;
}
