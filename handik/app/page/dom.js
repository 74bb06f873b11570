// Small makers of elements.

/** An element with properties (`data` for the dataset, `aria` for aria-*, `on` for listeners) and children. */
export function make(tag, { data, aria, on, role, ...properties } = {}, ...children) {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  Object.assign(element.dataset, data ?? {});
  if (role) element.setAttribute('role', role);
  for (const [name, value] of Object.entries(aria ?? {})) element.setAttribute(`aria-${name}`, value);
  for (const [name, listener] of Object.entries(on ?? {})) element.addEventListener(name, listener);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The same children again only where they are others: what has the focus keeps it. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A field's value, unless the reader is at it. */
export function setValue(field, value) {
  if (document.activeElement === field && field.dataset.typing) return;
  const text = String(value);
  if (field.value !== text) field.value = text;
}

/** A number field: `changed(value)` when a whole number was given, by Enter, by leaving or by its arrows. */
export function numberField({ id, label, step, min, max, path, changed }) {
  const field = make('input', { type: 'number', id, step: String(step), data: path ? { path } : {} });
  if (label) field.setAttribute('aria-label', label);
  if (min !== undefined) field.min = String(min);
  if (max !== undefined) field.max = String(max);
  field.addEventListener('input', () => { field.dataset.typing = '1'; });
  field.addEventListener('blur', () => { delete field.dataset.typing; });
  field.addEventListener('change', () => {
    delete field.dataset.typing;
    if (field.value !== '' && Number.isFinite(field.valueAsNumber)) changed(field.valueAsNumber);
  });
  return field;
}

/** An element of SVG with attributes and children; the namespace is that of the page's own empty <svg>. */
export function shapes(tag, attributes, ...children) {
  const element = document.createElementNS(document.getElementById('chart-home').namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
