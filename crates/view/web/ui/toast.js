// A short message at the edge of the page, also announced to screen readers.
import {el} from "ui/dom";

const box = el("div", {class: "toasts", role: "status", "data-testid": "toasts"});

/** @param {string} text @param {boolean} [bad] stays longer */
export function toast(text, bad) {
  if (!box.isConnected) document.body.append(box);
  const note = el("div", {class: bad ? "toast bad" : "toast"}, text);
  box.append(note);
  if (box.children.length > 3) box.children[0].remove();
  setTimeout(() => note.remove(), bad ? 9000 : 3500);
}

/** Copies text to the clipboard and shows a message. @param {string} text @param {string} what */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied`);
  } catch {
    toast("The browser did not allow copying", true);
  }
}
