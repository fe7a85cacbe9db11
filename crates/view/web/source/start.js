// Starts the page in a report, where its script lies packed: the same text is a third of the bytes.
// The policy names the hash of what comes out, so that nothing else runs.

import {unpack} from "source/unpack";

const packed = /** @type {HTMLElement} */ (document.getElementById("traceloom-page"));
try {
  const bytes = Uint8Array.from(atob(packed.textContent ?? ""), (letter) => letter.charCodeAt(0));
  const script = document.createElement("script");
  script.type = "module";
  script.textContent = new TextDecoder().decode(unpack(bytes));
  packed.replaceWith(script);
} catch {
  const state = document.querySelector(".state");
  if (state) state.textContent = "The page in this report is damaged: was the file saved whole?";
}
