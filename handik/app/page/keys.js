// Keys: each press finds its action. In a field that is typed in, only those with Control, Alt or a function key count;
// a single character counts in the picture only, so that speech input and slips of the hand do nothing elsewhere.

const NAMED = { Del: 'Delete', Esc: 'Escape', Space: ' ', Plus: '+' };

/** "Control+Shift+Z" as a record to compare presses with. */
export function parseKey(text) {
  const parts = text.split('+').filter(Boolean);
  const key = parts.pop() ?? '+';
  const has = (name) => parts.includes(name);
  return { key: (NAMED[key] ?? key).toLowerCase(), control: has('Control') || has('Ctrl'), shift: has('Shift'), alt: has('Alt') };
}

export function matches(parsed, event) {
  const letter = parsed.key.length > 1 || /[a-z0-9]/.test(parsed.key);
  return event.key.toLowerCase() === parsed.key && (event.ctrlKey || event.metaKey) === parsed.control
    && event.altKey === parsed.alt && (!letter || event.shiftKey === parsed.shift);
}

const typing = (target) => target.matches?.('input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select');

export class Keys {
  /** `rows()` gives [{id, key}]; `perform(id)`. */
  constructor(rows, perform) {
    addEventListener('keydown', (event) => {
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      if (event.key === 'F6') {
        event.preventDefault();
        nextRegion(event.shiftKey ? -1 : 1);
        return;
      }
      const special = event.ctrlKey || event.metaKey || event.altKey || /^F\d/.test(event.key);
      if (typing(event.target) && (!special || /^[acvxzy]$/i.test(event.key))) return;
      if (!special && event.key.length === 1 && !event.target.closest?.('#view')) return;
      const held = event.target.closest?.('[role="slider"], input[type="range"], [role="menubar"], [role="tablist"]');
      if (held && !special) return;
      if (event.target.closest?.('button, a') && [' ', 'Enter'].includes(event.key)) return;
      const row = rows().find(({ key }) => key && matches(parseKey(key), event));
      if (!row) return;
      event.preventDefault();
      perform(row.id);
    });
  }
}

const STOPS = ['#menubar', '#tools', '#pane-scene', '#pane-object', '#canvas', '#tabs', '.pane[role="tabpanel"]:not([hidden])'];
const FOCUSABLE = '[tabindex="0"], button:not(:disabled):not([tabindex="-1"]), input:not(:disabled), select:not(:disabled)';

/** F6 walks between the regions of the window. */
export function nextRegion(step) {
  const regions = STOPS.flatMap((stop) => [...document.querySelectorAll(stop)]).filter((region) => region.getClientRects().length);
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  for (let k = 1; k <= regions.length; k += 1) {
    const region = regions[(at + step * k + regions.length * 2) % regions.length];
    const stops = region.matches('canvas') ? [region] : [...region.querySelectorAll(FOCUSABLE)];
    const stop = stops.find((one) => one.getClientRects().length);
    if (stop) {
      stop.focus();
      return;
    }
  }
}
