// widget.js: the page of hk.view in a frame of a notebook. Page and kernel tell each other q and target of the first
// figure: the page by messages of its window, the kernel through the model of the widget.

/** What a page has said last of a model, or that with which it opened. */
const said = new WeakMap();

const numbers = (given, count) => Array.isArray(given) && given.length === count && given.every(Number.isFinite);
const same = (a, b) => a.length === b.length && a.every((x, k) => x === b[k]);
const alike = (a, b) => same(a.q, b.q) && same(a.target, b.target);
const stateOf = (model) => ({ q: model.get('q'), target: model.get('target') });

function render({ model, el }) {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts'); // it sees nothing of the notebook
  frame.title = model.get('_title');
  Object.assign(frame.style, { width: '100%', height: `${model.get('_height')}px`, border: '0' });
  let shown = null; // what the page was sent or has said last; null while it opens
  let turn = 0; // of what was sent: what the page said before it heard the latest is out of date

  const send = (message) => {
    turn += 1;
    frame.contentWindow?.postMessage({ handik: 'set', turn, ...message }, '*'); // a frame without an origin of its own
  };

  const changed = () => {
    if (!shown) return;
    const now = stateOf(model);
    const last = shown;
    if (alike(now, last)) return;
    shown = now;
    const message = {};
    const whole = alike(now, said.get(model)); // another frame of this widget said it: it is shown as it is
    if (whole || !same(now.q, last.q)) message.q = now.q;
    if (whole || !same(now.target, last.target)) message.target = now.target;
    send(message);
  };

  const hear = (event) => {
    const given = event.data;
    if (!event.source || event.source !== frame.contentWindow || given === null || typeof given !== 'object') return;
    const now = stateOf(model);
    if (!numbers(given.q, now.q.length) || !numbers(given.target, now.target.length)) return;
    const state = { q: given.q, target: given.target };
    if (given.handik === 'open') {
      if (!said.has(model)) said.set(model, state);
      else if (alike(now, said.get(model))) { // shown before, or a second time
        shown = now;
        send(now);
        return;
      }
      shown = state;
      if (alike(now, state)) send({});
      else changed();
    } else if (given.handik === 'state' && shown && given.turn === turn) {
      shown = state;
      said.set(model, state);
      model.set('q', state.q);
      model.set('target', state.target);
      model.save_changes();
    }
  };

  // q and target set at once come as two changes in one go
  let waits = false;
  const soon = () => {
    if (waits) return;
    waits = true;
    queueMicrotask(() => {
      waits = false;
      changed();
    });
  };
  const events = ['change:q', 'change:target'];
  for (const name of events) model.on(name, soon);
  window.addEventListener('message', hear);
  frame.srcdoc = model.get('_page');
  el.append(frame);
  return () => {
    for (const name of events) model.off(name, soon);
    window.removeEventListener('message', hear);
    frame.remove();
  };
}

export default { render };
