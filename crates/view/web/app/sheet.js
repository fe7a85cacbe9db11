// Sheets over the page: the list of keys, and other lists.
import {el, iconButton} from "ui/dom";

/** A sheet over the page, with its heading; Escape closes it. @param {string} title @param {string} testid @param {...(Node | null | false)} content */
export function sheet(title, testid, ...content) {
  const dialog = openedSheet(title, testid, el("div", {class: "sheet-head"}, el("h2", {}, title), iconButton("close", "Close", () => dialog.close())), el("div", {class: "sheet", tabindex: "0"}, ...content));
  return dialog;
}

/** A sheet without a heading. @param {string} title for screen readers @param {string} testid also its class @param {...Node} content */
export function openedSheet(title, testid, ...content) {
  const dialog = el("dialog", {class: testid, "aria-label": title, "data-testid": testid, onclose: () => dialog.remove()}, ...content);
  dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
