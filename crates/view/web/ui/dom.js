// Makes elements from text, never from HTML, so that nothing in a trace can become markup.

/** @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute */

/**
 * An element with attributes and children. A function becomes a property (`onclick`), `true` an empty attribute.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, Attribute>} [attributes]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") /** @type {any} */ (element)[name] = value;
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : String(value));
  }
  // Text of the trace must not change the direction of the text around it.
  for (const child of children) if (child || child === "") element.append(typeof child === "string" ? child.replace(/[\u202a-\u202e\u2066-\u2069]/g, " ") : child);
  return element;
}

/** @type {Record<string, string>} */
const ICONS = {
  search: "M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2Zm4 9 3.5 3.5",
  up: "m3.5 10 4.5-4.5 4.5 4.5", down: "m3.5 6 4.5 4.5L12.5 6", right: "m6 3.5 4.5 4.5L6 12.5",
  close: "m4 4 8 8m0-8-8 8", pin: "M5.5 2h5M6 2v5L4 9.5h8L10 7V2M8 9.5V14", hide: "M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4Zm.5 5.500L13.500 2.500",
  theme: "M8 2a6 6 0 1 0 0 12Zm0 0a6 6 0 0 1 0 12", help: "M5.800 6A2.200 2.200 0 1 1 8 8.400V9.500m0 2.300v.2",
  info: "M8 1.800a6.200 6.200 0 1 0 0 12.400A6.200 6.200 0 0 0 8 1.800Zm0 5.400v4M8 4.600v.3",
  rows: "M2 4h12M4 8h8m-6 4h4", colours: "M8 2C5 6 3.500 7.500 3.500 10a4.500 4.500 0 0 0 9 0C12.500 7.500 11 6 8 2Z", all: "M2 5V2h3m6 0h3v3m0 6v3h-3m-6 0H2v-3",
  settings: "M2 4.500h7m4 0h1M2 11.500h1m4 0h7M11 2.800a1.700 1.700 0 1 0 0 3.400 1.700 1.700 0 0 0 0-3.400ZM5 9.800a1.700 1.700 0 1 0 0 3.400 1.700 1.700 0 0 0 0-3.400Z",
  undo: "M6 3 2.500 6.500 6 10M2.500 6.500H10a3.300 3.300 0 0 1 0 6.600H7", redo: "m10 3 3.500 3.500L10 10m3.500-3.500H6a3.300 3.300 0 0 0 0 6.600h3",
  edit: "m3 13 .7-3L11 2.800l2.200 2.200L6 12.300Z",
  copy: "M5.500 5.500h8v8h-8zM3.500 10.500h-1v-8h8v1", warn: "M8 2 1.500 13.500h13ZM8 6.500v3.300m0 1.700v.3",
};

/** @param {string} name */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg"), path = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/**
 * A button that is an icon, with its meaning in words.
 * @param {string} name of the icon
 * @param {string} label
 * @param {(event: MouseEvent) => void} onclick
 * @param {Record<string, Attribute>} [more]
 */
export function iconButton(name, label, onclick, more) {
  return el("button", {type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...more}, icon(name));
}
