// The lines of Android's log.

/** The table of its records. */
export const LOGS = "__intrinsic_logs";
const NONE = 0xffffffff;

/** The levels by their priority, from 2 on, as in `adb logcat`. */
export const LEVELS = ["verbose", "debug", "info", "warning", "error", "fatal"];

/** @param {number} priority */
export const levelOf = priority => LEVELS[priority - 2] ?? "unknown";

/**
 * @typedef {{place: number, ts: number, prio: number, utid: number, tag: string, msg: string}} Line `utid`: -1 if unknown
 */

/** Some lines. @param {any} answer the engine's answer to `records` @returns {Line[]} */
export function linesOf({ts, place, prio, utid, tag, msg, strings}) {
  const text = (/** @type {number} */ id) => id === NONE ? "" : strings[id] ?? "";
  return Array.from(ts, (at, nth) => ({place: place[nth], ts: Number(at), prio: prio[nth], utid: Number.isNaN(utid[nth]) ? -1 : utid[nth], tag: text(tag[nth]), msg: text(msg[nth])}));
}

/** The question for lines. The level is first, because `at_least` is about the first column. */
export const LINES = {op: "records", table: LOGS, numbers: ["prio", "utid"], texts: ["tag", "msg"]};

/** @param {import("app/panels").Source} source @param {{offset: number, limit: number}} which */
export const messagesOf = async (source, which) => linesOf(await source.ask({...LINES, ...which}));
