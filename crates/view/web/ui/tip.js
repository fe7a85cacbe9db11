// A tooltip next to the pointer.
import {el} from "ui/dom";

/** @type {HTMLElement | null} */
let tip = null;

/** @param {number} x px in the window @param {number} y @param {string[]} lines the first is the title */
export function showTip(x, y, lines) {
  // Inside the landmark to which it belongs.
  tip ??= (document.querySelector("main") ?? document.body).appendChild(el("div", {class: "tip", role: "tooltip", "data-testid": "tip"}));
  tip.hidden = false;
  tip.replaceChildren(...lines.map(line => el("div", {}, line)));
  const {offsetWidth: width, offsetHeight: height} = tip;
  tip.style.left = `${Math.max(4, x + 14 + width > innerWidth ? x - width - 10 : x + 14)}px`;
  tip.style.top = `${Math.max(4, y + 16 + height > innerHeight ? y - height - 10 : y + 16)}px`;
}

export function hideTip() {
  if (tip) tip.hidden = true;
}
