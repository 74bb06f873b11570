// A small chart of curves over one axis, as SVG: words and numbers stand beside it, so that it is an image to a screen reader.

import { shapes as svg } from './dom.js';
import { number } from './words.js';

const [WIDE, HIGH, LEFT, LOW] = [300, 110, 44, 16];

/** Curves {name, color, x, y}; `log`: y by its logarithm; `limit`: a line at this height. */
export function chart({ label, curves, log = false, digits = 2, limit = null }) {
  const all = curves.flatMap(({ y }) => [...y]).filter((value) => Number.isFinite(value) && (!log || value > 0));
  if (!all.length) return svg('svg', { role: 'img', 'aria-label': label, viewBox: `0 0 ${WIDE} ${HIGH}` });
  const level = (value) => (log ? Math.log10(Math.max(value, 1e-9)) : value);
  const last = Math.max(...curves.map(({ x }) => x.at(-1) ?? 0), 1e-9);
  let [low, high] = [Math.min(...all.map(level)), Math.max(...all.map(level), limit === null ? -Infinity : level(limit))];
  if (limit !== null) low = Math.min(low, level(limit));
  if (high - low < 1e-12) [low, high] = [low - 1, high + 1];
  const at = (x) => LEFT + ((WIDE - LEFT - 6) * x) / last;
  const up = (value) => 6 + ((HIGH - LOW - 6) * (high - level(value))) / (high - low);
  const text = (x, y, words, anchor) => {
    const element = svg('text', { x, y, 'text-anchor': anchor, class: 'chart-words' });
    element.textContent = words;
    return element;
  };
  const shown = (value) => number(log ? 10 ** value : value, digits);
  const lines = curves.map(({ color, x, y }) => svg('polyline', {
    class: 'chart-line', stroke: color,
    points: [...y].map((value, k) => (Number.isFinite(value) ? `${at(x[k]).toFixed(1)},${up(value).toFixed(1)}` : '')).join(' '),
  }));
  const cursor = svg('line', { class: 'chart-cursor', x1: LEFT, x2: LEFT, y1: 4, y2: HIGH - LOW });
  const parts = [
    svg('line', { class: 'chart-axis', x1: LEFT, x2: LEFT, y1: 4, y2: HIGH - LOW }),
    svg('line', { class: 'chart-axis', x1: LEFT, x2: WIDE - 6, y1: HIGH - LOW, y2: HIGH - LOW }),
    text(LEFT - 4, 13, shown(high), 'end'), text(LEFT - 4, HIGH - LOW, shown(low), 'end'),
    text(WIDE - 6, HIGH - 3, number(last, last < 10 ? 1 : 0), 'end'),
  ];
  if (limit !== null) parts.push(svg('line', { class: 'chart-limit', x1: LEFT, x2: WIDE - 6, y1: up(limit), y2: up(limit) }));
  const image = svg('svg', { role: 'img', 'aria-label': label, viewBox: `0 0 ${WIDE} ${HIGH}`, class: 'chart' }, ...parts, ...lines, cursor);
  image.moveTo = (x) => {
    cursor.setAttribute('x1', at(x).toFixed(1));
    cursor.setAttribute('x2', at(x).toFixed(1));
  };
  return image;
}
