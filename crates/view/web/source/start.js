// Starts the page in a report, where its style and script lie packed: the same text is a third of the bytes.
// The policy names the hashes of what comes out, so that nothing else counts.

import {unpack} from "source/unpack";

const packed = /** @type {HTMLElement} */ (document.getElementById("traceloom-page"));
try {
  const bytes = Uint8Array.from(atob(packed.textContent ?? ""), (letter) => letter.charCodeAt(0));
  const style = document.createElement("style"), script = document.createElement("script");
  [style.textContent, script.textContent] = new TextDecoder().decode(unpack(bytes)).split("\0");
  script.type = "module";
  document.head.append(style);
  packed.replaceWith(script);
} catch {
  const state = document.querySelector(".state");
  if (state) state.textContent = "The page in this report is damaged: was the file saved whole?";
}
