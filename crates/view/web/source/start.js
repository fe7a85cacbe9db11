// Starts the page in a report, where its style, script and engine lie packed: they are a quarter of the bytes.
// The policy names the hashes of what comes out, so that nothing else runs.

import {unpack, unpackBeside} from "source/unpack";

/** What an element holds, which leaves the document: nobody needs it twice. @param {string} name */
function taken(name) {
  const element = /** @type {HTMLElement} */ (document.getElementById(`traceloom-${name}`));
  element.remove();
  return Uint8Array.from(atob(element.textContent ?? ""), (letter) => letter.charCodeAt(0));
}

/** @param {"style" | "script"} kind @param {string} text */
function add(kind, text) {
  const element = document.createElement(kind);
  if (kind === "script") element.setAttribute("type", "module");
  element.textContent = text;
  document.head.append(element);
}

function damaged() {
  const state = document.querySelector(".state");
  if (state) state.textContent = "The page in this report is damaged: was the file saved whole?";
}

// What comes out of damaged bytes is another text, which the policy stops.
addEventListener("securitypolicyviolation", damaged);
try {
  const inflated = new Response(taken("unpacker")).body?.pipeThrough(new DecompressionStream("gzip"));
  const unpacker = await new Response(inflated).arrayBuffer();
  const engine = unpackBeside(unpacker, taken("engine"));
  // Who asks the engine hears of damage.
  engine.catch(() => {});
  Object.assign(globalThis, {traceloomEngine: engine});
  const page = new TextDecoder().decode(await unpack(unpacker, taken("page")));
  const [style, script] = page.split("\0");
  add("style", style);
  add("script", script);
} catch {
  damaged();
}
