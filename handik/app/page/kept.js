// What this browser keeps from one start to the next, or this tab from one load to the next; in a frame of another site it
// may not, and the page does without.

const STORES = { browser: 'localStorage', tab: 'sessionStorage' };

export function kept(name, store = 'browser') {
  try {
    return window[STORES[store]].getItem(name);
  } catch {
    return null;
  }
}

/** Keep a text; tell whether it is kept. */
export function keep(name, value, store = 'browser') {
  try {
    window[STORES[store]].setItem(name, value);
    return true;
  } catch {
    return false;
  }
}
