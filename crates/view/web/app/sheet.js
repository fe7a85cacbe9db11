// Sheets over the page: the list of keys, and other lists.
import {el, iconButton} from "ui/dom";

/** A sheet over the page; Escape closes it. @param {string} title @param {string} testid @param {...(Node | null | false)} content */
export function sheet(title, testid, ...content) {
  const close = () => dialog.close();
  const dialog = el("dialog", {"aria-label": title, "data-testid": testid, onclose: () => dialog.remove()},
    el("div", {class: "sheet-head"}, el("h2", {}, title), iconButton("close", "Close", close)), el("div", {class: "sheet", tabindex: "0"}, ...content));
  dialog.addEventListener("click", event => { if (event.target === dialog) close(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
