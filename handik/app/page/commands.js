// Actions of Python and the page's own commands in one list: menus, keys and buttons all go through `perform`.

import { own, word } from './words.js';
import { VIEW_NAMES } from './camera.js';

const VIEW_KEYS = { front: '1', back: 'Control+1', left: '3', right: 'Control+3', top: '7', bottom: 'Control+7', corner: '0' };
const GIZMO_KEYS = { move: 'G', turn: 'R', scale: 'S' };

/** The page's own: what concerns only this window. Rows like Python's, with `do` and, where it is on or off, `on`. */
export function pageCommands(page) {
  const { view, look } = page;
  const toggle = (name) => ({
    id: `page.${name}`, menu: 'view', word: `show_${name}`, on: () => look[name], do: () => page.toggle(name),
  });
  return [
    ...VIEW_NAMES.map((name) => ({ id: `page.view.${name}`, menu: 'view', word: `view_${name}`, key: VIEW_KEYS[name], do: () => view?.eye.view(name) })),
    { id: 'page.view.all', menu: 'view', word: 'view_all', key: 'Home', do: () => view?.frame() },
    { id: 'page.picture', menu: 'view', word: 'view_picture', key: 'F9', do: () => page.picture() },
    null,
    null,
    ...['solid', 'wire', 'points'].map((draw) => ({ id: `page.draw.${draw}`, menu: 'view', word: `draw_${draw}`, on: () => page.settings.draw === draw, do: () => page.set('draw', draw) })),
    ...['skin', 'capsules', 'skeleton'].map((body) => ({ id: `page.body.${body}`, menu: 'view', word: `show_${body}`, on: () => page.settings.body === body, do: () => page.set('body', body) })),
    null,
    ...['select', 'compute', 'navigate'].map((mode) => ({ id: `page.mode.${mode}`, menu: 'view', word: `mode_${mode}`, on: () => page.settings.mode === mode, do: () => page.set('mode', mode) })),
    null,
    ...['grid', 'shadows', 'grips', 'names', 'cone'].map(toggle),
    { id: 'page.eyes', menu: 'view', word: 'view_eyes', key: 'E', on: () => look.eyes, do: () => page.throughEyes(!look.eyes) },
    null,
    ...['move', 'turn', 'scale'].map((mode) => ({ id: `page.gizmo.${mode}`, menu: 'object', word: `gizmo_${mode}`, key: GIZMO_KEYS[mode], on: () => look.gizmo === mode, do: () => page.setGizmo(mode) })),
    { id: 'page.frame', menu: 'object', word: 'frame_own_axes', key: 'X', on: () => look.own, do: () => page.toggle('own') },
    { id: 'page.paste', menu: 'person', word: 'paste_pose', key: 'Control+Shift+V', do: () => page.paste() },
    { id: 'page.play', menu: 'solve', word: 'play_path', key: 'K', do: () => (page.player.path?.rows ? page.player.toggle() : page.say(word('no_path_yet'))) },
    { id: 'page.drive', menu: 'person', word: 'drive_go', key: 'V', do: () => page.drive.toggle() },
    { id: 'page.film', menu: 'file', word: 'film', do: () => (page.player.path ? page.player.film() : page.say(word('no_path_yet'))) },
    { id: 'page.print', menu: 'file', word: 'print', key: 'Control+Alt+P', do: () => print() },
    { id: 'page.keys', menu: 'help', word: 'help_keys', key: 'F1', do: () => page.keys() },
    { id: 'page.about', menu: 'help', word: 'help_about', do: () => page.about() },
  ];
}

export class Commands {
  constructor(store, page) {
    Object.assign(this, { store, page, own: pageCommands(page) });
  }

  /** Every command with words, key and whether it can be done now. */
  row(id) {
    const local = this.own.find((row) => row?.id === id);
    const changed = (this.store.document?.settings.keys ?? []).find(([name]) => name === id)?.[1];
    if (local) return { id, words: word(local.word), key: changed ?? local.key, own: local.key, checked: local.on?.(), disabled: false, local };
    const action = this.store.actions.get(id);
    if (!action) return null;
    const flag = this.flagOf(action);
    const checked = flag === null ? undefined : this.store.document.settings[flag];
    return { id, words: own(action.words), key: changed ?? action.key, own: action.key, checked, disabled: this.store.document.disabled.includes(id), action };
  }

  /** The setting that an action turns on and off, if that is all it does. */
  flagOf({ args }) {
    const [arg] = args;
    return args.length === 1 && arg.type === 'flag' && typeof this.store.document.settings[arg.name] === 'boolean' ? arg.name : null;
  }

  all() {
    const ids = [...this.store.actions.keys(), ...this.own.filter(Boolean).map((row) => row.id)];
    return ids.map((id) => this.row(id));
  }

  /** Python's menus with the page's own commands at their end. */
  menus() {
    const known = this.store.menus.map((menu) => ({ ...menu, words: own(menu.words) }));
    for (const id of ['file', 'object', 'person', 'solve', 'view', 'help']) {
      if (!known.some((menu) => menu.id === id)) known.push({ id, words: word(`menu_${id}`), items: [] });
    }
    return known.map((menu) => {
      const items = menu.items.map((id) => (id ? this.#item(id) : null)).filter((item) => item !== undefined);
      const mine = this.#mine(menu.id).map((row) => row && this.row(row.id));
      return { ...menu, items: items.length && mine.length ? [...items, null, ...mine] : [...items, ...mine] };
    });
  }

  #item(id) {
    return this.row(id) ?? undefined;
  }

  /** The page's own of one menu, with the lines between them. */
  #mine(menu) {
    const rows = [];
    for (const row of this.own) {
      if (row === null ? rows.length && rows.at(-1) : row.menu === menu) rows.push(row);
    }
    while (rows.length && rows.at(-1) === null) rows.pop();
    return rows;
  }
}
