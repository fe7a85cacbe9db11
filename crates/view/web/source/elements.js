// The elements of a report: the engine, the trace, and the answers of the first picture.

import {decode} from "source/source";

/** @typedef {import("source/worker").Packed} Packed */
/** An answer that came with the report, and its question, also as text. @typedef {{question: import("source/source").Question, text: string, answer: ArrayBuffer}} Kept */

/** Whether this page is a report. */
export function isReport() {
  return document.querySelector('meta[name="traceloom-report"]') !== null;
}

/** The base64 of an element, decoded if the browser can do that at once. The element is removed, because nothing else needs it. @param {Element} element @returns {Packed} */
function taken(element) {
  element.remove();
  const text = (element.textContent ?? "").trim(), quick = /** @type {any} */ (Uint8Array).fromBase64;
  // The text is as long as the file, and the browser may keep the element for a while.
  if (element.firstChild instanceof Text) element.firstChild.data = "";
  try {
    return quick ? quick.call(Uint8Array, text).buffer : text;
  } catch {
    // The worker reports what is damaged.
    return text;
  }
}

/** The engine and the trace in this report; throws if the browser or the file lacks something. @returns {import("source/worker").Order} */
export function data() {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old for reports: it has no DecompressionStream");
  const engine = document.getElementById("traceloom-engine");
  if (!engine || !document.getElementById("traceloom-end")) throw new Error("the end of this report is missing: was the file saved completely?");
  const columns = [...document.querySelectorAll("script.traceloom-columns")];
  const parts = columns.map((element) => ({bytes: Number(element.getAttribute("data-bytes")), packed: taken(element)}));
  return {op: "load", engine: taken(engine), parts};
}

/** The answers in the report's preview; none if it is damaged, because the engine has them, too. @returns {Promise<Kept[]>} */
export async function readPreview() {
  const element = document.getElementById("traceloom-preview");
  if (!element || typeof DecompressionStream === "undefined") return [];
  try {
    const packed = taken(element), bytes = typeof packed === "string" ? Uint8Array.from(atob(packed), letter => letter.charCodeAt(0)) : new Uint8Array(packed);
    const {json, columns} = decode(await unpacked(bytes));
    return json.questions.map((/** @type {Kept["question"]} */ question, /** @type {number} */ at) => ({question, text: JSON.stringify(question), answer: columns[at].slice().buffer}));
  } catch {
    return [];
  }
}

/** @param {Uint8Array<ArrayBuffer>} bytes gzip */
function unpacked(bytes) {
  const {readable, writable} = new DecompressionStream("gzip"), writer = writable.getWriter();
  // Errors are reported by the reader.
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  return new Response(readable).arrayBuffer();
}

/** Resolves once the browser has read the whole file. The script runs earlier. */
export function whole() {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise(resolve => document.addEventListener("DOMContentLoaded", resolve, {once: true}));
}
