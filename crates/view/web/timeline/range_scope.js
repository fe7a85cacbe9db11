// What a selected range limits questions to. Every tab uses it, so that all agree.
import {KIND} from "timeline/rows";

/** @typedef {{from?: number, to?: number, threads?: number[]}} Scope */

/** The threads of some rows, with those of processes; none if the rows have no threads. @param {any} rows the engine's answer to `rows` @param {number[] | undefined} chosen @returns {{threads?: number[]}} */
export function threadsOf({kind, utid, upid}, chosen) {
  if (!chosen) return {};
  /** @type {Set<number>} */
  const list = new Set(chosen.filter(row => kind[row] === KIND.thread).map(row => utid[row]));
  const processes = new Set(chosen.filter(row => kind[row] === KIND.process).map(row => upid[row]));
  if (processes.size) kind.forEach((/** @type {number} */ of, /** @type {number} */ at) => { if (of === KIND.thread && processes.has(upid[at])) list.add(utid[at]); });
  return list.size ? {threads: [...list]} : {};
}

/** The scope of a selected range; empty if no range is selected. @param {any} rows @param {import("app/state").Selection} selection @returns {Scope} */
export const scopeOf = (rows, selection) => selection?.kind === "range" ? {from: selection.from, to: selection.to, ...threadsOf(rows, selection.rows)} : {};
