// What a dialog begins with: how things are now, not zeros, and lists of what can be named.

import { own } from './words.js';

const DEGREES = 180 / Math.PI;
const tidy = (value) => Number(value.toFixed(6));

/** The angle about z of a quaternion w x y z, in radians. */
const heading = ([w, x, y, z]) => Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));

/** Values of an action's arguments as they are now, by name; those without one begin as Python says. */
export function startsOf(id, store, args) {
  const { settings } = store.document;
  const chosen = store.selected[0];
  const { target, person } = store;
  const place = (node) => node && node.world.slice(0, 3).map(tidy);
  const own = {
    'node.transform': () => chosen && { pose: chosen.world.map(tidy), scale: chosen.scale },
    'target.set': () => ({ at: place(target) }),
    'target.want': () => ({ want: target?.shape.want }),
    'avatar.place': () => person && { at: place(person.node), heading: tidy(heading(person.node.world.slice(3)) * DEGREES) / DEGREES },
    'node.color': () => chosen?.color && { color: `#${chosen.color.slice(0, 3).map((part) => Math.round(255 * part).toString(16).padStart(2, '0')).join('')}` },
    'file.rename': () => ({ name: store.document.name }),
    'file.save_as': () => ({ name: store.document.name }),
    'node.rename': () => chosen && { name: chosen.name },
    'person.chair': () => ({ kind: settings.chair || undefined, percentile: settings.chair_percentile, width: settings.chair_width ?? undefined, length: settings.chair_length ?? undefined, seat_height: settings.seat_height ?? undefined, joystick: settings.joystick ?? undefined }),
  }[id];
  if (own) return own() ?? {};
  if (!/^(solve|joint|view)\./.test(id)) return {};
  return Object.fromEntries(args.filter(({ name }) => name in settings).map(({ name }) => [name, settings[name]]));
}

/** What a text may name, as [value, words] of a list; null where it is free. */
export function namesOf(id, name, store) {
  const { document: now, person } = store;
  const body = person?.body;
  const plain = (names) => names.map((one) => [one, one]);
  const lists = {
    'joint.set dof': () => body?.dofs.map((dof) => [dof.name, own(dof.words) || dof.name]),
    'joint.lock dof': () => body?.dofs.map((dof) => [dof.name, own(dof.words) || dof.name]),
    'pose.apply name': () => plain(Object.keys(now.poses)),
    'pose.forget name': () => plain(Object.keys(now.poses)),
    'motion.use name': () => plain(Object.keys(now.motions ?? {})),
    'motion.forget name': () => plain(Object.keys(now.motions ?? {})),
    'person.measure name': () => body?.person && Object.keys(body.person.measures).map((one) => [one, own(store.words[`measure.${one}`]) || one.replaceAll('_', ' ')]),
    'solve.solver solver': () => plain(store.solvers),
    'solve.steps first': () => plain(store.solvers),
    'solve.steps second': () => plain(store.solvers),
    'solve.eight solver': () => plain(store.solvers),
    'solve.ghost solver': () => plain(['', ...store.solvers]),
    'view.key action': () => [...store.actions.values()].map((row) => [row.id, own(row.words)]),
  };
  const found = lists[`${id} ${name}`]?.();
  return found?.length ? found : null;
}
