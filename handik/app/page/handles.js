// Which things of the scene have a grip: targets, via points, and the parts of the active figure.

import { own } from './words.js';

export function gripRows(store, view) {
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
  for (const { frame, link, at, words } of person.body.handles) {
    rows.push({
      key: `part ${frame}`, node: null, kind: 'part', name: own(words) || frame, number: person.node.number,
      position: figure.pointOf(link, at), action: 'figure.drag', extra: { figure: person.node.path, part: frame },
    });
  }
  return rows;
}
