// Dialogs: the fields of an action, the list of keys, about. The browser's own <dialog> keeps focus inside and gives it back.

import { make } from './dom.js';
import { keyWords } from './menu.js';
import { namesOf, startsOf } from './starts.js';
import { own, word } from './words.js';

const DEGREES = 180 / Math.PI;

/** Show a dialog; resolves to true on OK, false on Cancel or Escape. */
export function ask(title, body, { ok = 'ok', cancel = 'cancel' } = {}) {
  const heading = make('h2', { id: 'dialog-title', textContent: title });
  const confirm = make('button', { type: 'submit', className: 'go', textContent: word(ok), value: 'ok' });
  const buttons = make('div', { className: 'buttons' });
  if (cancel) buttons.append(make('button', { type: 'button', textContent: word(cancel), on: { click: () => dialog.close('') } }));
  buttons.append(confirm);
  const form = make('form', { method: 'dialog' }, heading, body, buttons);
  form.addEventListener('keydown', (event) => { // as in a text field: a list alone would keep the key
    if (event.key !== 'Enter' || !event.target.matches('select, input[type="checkbox"]')) return;
    event.preventDefault();
    confirm.click();
  });
  const dialog = make('dialog', { aria: { labelledby: 'dialog-title' } }, form);
  document.body.append(dialog);
  return new Promise((answer) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      answer(dialog.returnValue === 'ok');
    });
    dialog.showModal();
    (body.querySelector?.('input, select, button') ?? confirm).focus();
  });
}

/** Ask for a name; null when given up. */
export async function askName(title, value) {
  const field = make('input', { type: 'text', id: 'new-name', value, required: true });
  const body = make('div', { className: 'pair' }, make('label', { htmlFor: 'new-name', textContent: title }), field);
  return (await ask(title, body)) ? field.value : null;
}

const UNIT = { m: ['m', 1, 0.01], rad: ['°', DEGREES, 1] };

/** One field of an action: the element to show and a function that reads its value. */
function fieldOf(arg, store, known, but, names) {
  const label = own(arg.words) || arg.name;
  const id = `arg-${arg.name}`;
  const value = known ?? arg.default;
  const row = (control, unit = '') => make('div', { className: 'pair' }, make('label', { htmlFor: id, textContent: label }),
    make('div', { className: 'with-unit' }, control, unit));
  const blank = arg.default === null ? [['', '–']] : [];
  const select = (given) => pick(given.some(([key]) => key === '') ? given : [...blank, ...given]);
  const pick = (rows) => make('select', { id, name: arg.name }, ...rows.map(([key, text]) => make('option', { value: key, textContent: text, selected: key === value })));
  const number = (start, step, at = id, name = label) => {
    const field = make('input', { type: 'number', id: at, step: 'any', required: true, value: start ?? '' });
    field.setAttribute('aria-label', name);
    field.dataset.step = step;
    return field;
  };
  if (names) {
    const list = select(names);
    return { element: row(list), read: () => list.value };
  }
  switch (arg.type) {
    case 'flag': {
      const box = make('input', { type: 'checkbox', id, checked: Boolean(value) });
      return { element: row(box), read: () => box.checked };
    }
    case 'choice': {
      const words = (one) => own(store.words[`${arg.name}.${one}`]) || own(store.words[one]) || String(one) || '–';
      const list = select((arg.choices ?? []).map((one) => [String(one), words(one)]));
      const plain = new Map((arg.choices ?? []).map((one) => [String(one), one]));
      return { element: row(list), read: () => plain.get(list.value) };
    }
    case 'node': {
      const free = store.nodes.filter(({ path }) => !but.some((one) => path === one || path.startsWith(`${one}/`)));
      const list = select(free.map((node) => [node.path, node.path]));
      return { element: row(list), read: () => list.value || undefined };
    }
    case 'number':
    case 'integer': {
      const [unit, factor, step] = UNIT[arg.unit] ?? [arg.unit ?? '', 1, 1];
      const field = number(typeof value === 'number' ? Number((value * factor).toFixed(6)) : '', step);
      if (arg.default !== undefined) field.required = false;
      return { element: row(field, unit), read: () => (field.value === '' ? undefined : field.valueAsNumber / factor) };
    }
    case 'point':
    case 'pose': {
      const names = ['x', 'y', 'z'];
      const start = value ?? [0, 0, 0];
      const fields = names.map((axis, k) => number(start[k], 0.01, k ? `${id}-${axis}` : id, `${label} ${axis}`));
      const turn = (value ?? [0, 0, 0, 1, 0, 0, 0]).slice(3);
      const element = make('fieldset', {}, make('legend', { textContent: `${label} (m)` }),
        make('div', { className: 'triple' }, ...fields.map((field, k) => make('label', {}, names[k], field))));
      const read = () => [...fields.map((field) => field.valueAsNumber), ...(arg.type === 'pose' ? turn : [])];
      return { element, read };
    }
    default: {
      const field = make('input', { type: 'text', id, value: value ?? '' });
      field.required = arg.default === undefined;
      return { element: row(field), read: () => (field.value === '' && !field.required ? undefined : field.value) };
    }
  }
}

/** Ask for the arguments of an action that are not known yet; null when given up. */
export async function askArguments(action, store, known) {
  // another than those selected, where it is asked for beside them
  const but = action.beside ? store.document.selection : [];
  const starts = startsOf(action.id, store, action.args);
  const fields = action.args.map((arg) => [arg.name, fieldOf(arg, store, known[arg.name] ?? starts[arg.name] ?? undefined, but, namesOf(action.id, arg.name, store))]);
  if (!fields.length) return known;
  const body = make('div', { className: 'form' }, ...fields.map(([, field]) => field.element));
  if (!(await ask(own(action.words), body))) return null;
  const given = {};
  for (const [name, field] of fields) {
    const value = field.read();
    if (value !== undefined) given[name] = value;
  }
  return given;
}

const ALONE = ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph'];

/** A press as it is written: "Control+Shift+B". */
function pressed(event) {
  const parts = [['Control', event.ctrlKey || event.metaKey], ['Alt', event.altKey], ['Shift', event.shiftKey]].filter(([, on]) => on).map(([name]) => name);
  return [...parts, event.key.length === 1 ? event.key.toUpperCase() : event.key].join('+');
}

/** The one list of all keys; `change(id, key)` gives a command another, '' its own again. */
export function showKeys(rows, change) {
  const note = make('p', { role: 'status' });
  const cell = (row) => {
    const { id, words, key } = row;
    if (!id) return make('kbd', { textContent: keyWords(key) });
    const button = make('button', { type: 'button', className: 'key', textContent: keyWords(key) || '–', data: { key: id }, aria: { label: `${words}: ${keyWords(key) || word('no_key')}. ${word('key_change')}` } });
    const stop = () => {
      button.textContent = keyWords(button.dataset.now ?? key) || '–';
      button.classList.remove('waiting');
    };
    button.addEventListener('click', () => {
      button.textContent = word('key_press');
      button.classList.add('waiting');
    });
    button.addEventListener('blur', stop);
    button.addEventListener('keydown', (event) => {
      if (!button.classList.contains('waiting') || ALONE.includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key !== 'Escape') {
        const given = event.key === 'Delete' || event.key === 'Backspace' ? '' : pressed(event);
        const taken = rows.find((one) => one.id !== id && given && (one.now ?? one.key) === given);
        note.textContent = taken ? `${keyWords(given)} : ${taken.words}. ${word('key_taken')}` : '';
        if (!taken) {
          row.now = given || row.own || '';
          button.dataset.now = row.now;
          change(id, given);
        }
      }
      stop();
    });
    return button;
  };
  const body = make('tbody', {}, ...rows.map((row) => make('tr', {}, make('td', { textContent: row.words }), make('td', {}, cell(row)))));
  const table = make('table', {}, make('thead', {}, make('tr', {},
    make('th', { scope: 'col', textContent: word('keys_action') }), make('th', { scope: 'col', textContent: word('keys_key') }))), body);
  return ask(word('keys_title'), make('div', {}, make('p', { className: 'quiet', textContent: word('keys_hint') }), note, table), { ok: 'close', cancel: null });
}

export function showAbout(version, latency) {
  const body = make('div', { className: 'form' }, make('p', { textContent: `handik ${version ?? ''}` }),
    make('p', { textContent: word('about_text') }),
    make('p', { className: 'quiet', textContent: latency === null ? '' : `${word('about_latency')} ${latency.toFixed(1)} ms` }));
  return ask(word('about_title'), body, { ok: 'close', cancel: null });
}

/** The browser's own dialog for a file; null when given up. */
export function chooseFile(accept = '') {
  const input = make('input', { type: 'file', accept, hidden: true });
  input.setAttribute('aria-label', word('choose_file'));
  document.body.append(input);
  return new Promise((answer) => {
    input.addEventListener('change', () => answer(input.files[0] ?? null));
    input.addEventListener('cancel', () => answer(null));
    input.click();
  }).finally(() => input.remove());
}

export function saveFile(name, blob) {
  const link = make('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
