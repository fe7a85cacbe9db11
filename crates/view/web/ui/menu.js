// A menu below a button, with arrow keys and Escape. Closing it returns the focus.
import {el} from "ui/dom";

/** @typedef {{label: string, checked?: boolean, run: () => void}} Item */

let close = () => {};

/** @param {HTMLElement} button the button that opens it @param {Item[]} items */
export function openMenu(button, items) {
  close();
  const menu = el("div", {class: "menu", role: "menu", "aria-label": button.getAttribute("aria-label") ?? button.textContent});
  for (const {label, checked, run} of items) {
    menu.append(el("button", {type: "button", role: checked === undefined ? "menuitem" : "menuitemradio", class: "menu-item", tabindex: "-1",
      "aria-checked": checked === undefined ? null : String(checked), onclick: () => { close(); run(); }}, label));
  }
  const outside = (/** @type {Event} */ event) => { if (!menu.contains(/** @type {Node} */ (event.target))) close(); };
  close = () => {
    close = () => {};
    const back = menu.contains(document.activeElement);
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    removeEventListener("pointerdown", outside, true);
    if (back) button.focus();
  };
  menu.onkeydown = event => {
    const all = /** @type {HTMLElement[]} */ ([...menu.children]);
    const at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1}[event.key];
    event.stopPropagation();
    if (event.key === "Escape" || event.key === "Tab") close();
    if (to === undefined) return;
    event.preventDefault();
    all.at(to % all.length)?.focus();
  };
  (button.closest("header, section") ?? document.body).append(menu);
  const box = button.getBoundingClientRect();
  menu.style.top = `${Math.min(box.bottom + 4, innerHeight - menu.offsetHeight - 8)}px`;
  menu.style.left = `${Math.max(8, Math.min(box.left, innerWidth - menu.offsetWidth - 8))}px`;
  button.setAttribute("aria-expanded", "true");
  addEventListener("pointerdown", outside, true);
  /** @type {HTMLElement | null} */ (menu.querySelector("[aria-checked=true]") ?? menu.firstElementChild)?.focus();
}
