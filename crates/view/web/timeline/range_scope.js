// The scope to which a selected range limits questions. All tabs use it, so that they agree.
import {el} from "ui/dom";
import {KIND} from "timeline/rows";

/** @typedef {{from?: number, to?: number, threads?: number[]}} Scope */

/** The threads of some rows, including all threads of a process row or of an app that draws frames. Rows without a thread, such as a CPU's, set no limit. @param {any} rows the engine's answer to `rows` @param {number[] | undefined} chosen @returns {{threads?: number[]}} */
export function threadsOf({kind, utid, upid}, chosen) {
  if (!chosen) return {};
  /** @type {Set<number>} */
  const list = new Set(chosen.filter(row => kind[row] === KIND.thread).map(row => utid[row]));
  const processes = new Set(chosen.filter(row => kind[row] === KIND.process || kind[row] === KIND.frames).map(row => upid[row]));
  if (processes.size) kind.forEach((/** @type {number} */ of, /** @type {number} */ at) => { if (of === KIND.thread && processes.has(upid[at])) list.add(utid[at]); });
  return {threads: [...list]};
}

/** Whether a row is one of the chosen rows, or below one of them. @param {any} rows @param {number[] | undefined} chosen @returns {(row: number) => boolean} */
export function among({parent}, chosen) {
  if (!chosen) return () => true;
  const list = new Set(chosen);
  return row => { for (; row < parent.length; row = parent[row]) if (list.has(row)) return true; return false; };
}

/** The scope of a selected range; empty if no range is selected. @param {any} rows @param {import("app/state").Selection} selection @returns {Scope} */
export const scopeOf = (rows, selection) => selection?.kind === "range" ? {from: selection.from, to: selection.to, ...threadsOf(rows, selection.rows)} : {};

/** The scope of a selected range, with all threads of the processes: an app's frames are made by several of them. @param {any} rows @param {import("app/state").Selection} selection @returns {Scope} */
export function processesOf(rows, selection) {
  if (selection?.kind !== "range" || !selection.rows) return scopeOf(rows, selection);
  const {kind, parent} = rows, up = (/** @type {number} */ row) => kind[row] === KIND.thread && kind[parent[row]] === KIND.process ? parent[row] : row;
  return scopeOf(rows, {...selection, rows: [...selection.rows, ...selection.rows.map(up)]});
}

/**
 * A box that limits a tab to the selected range. A range over some rows turns it on by itself.
 * @param {import("app/state").Store} store @param {string} testid @param {() => void} changed
 */
export function rangeBox(store, testid, changed) {
  const box = el("input", {type: "checkbox", "aria-label": "Only the selected range", "data-testid": testid, onchange: changed});
  const limit = () => { const {selection} = store.get(); if (selection?.kind === "range" && selection.rows) box.checked = true; };
  store.on(["selection"], limit);
  limit();
  return box;
}
