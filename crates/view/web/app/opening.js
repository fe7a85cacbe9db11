// The tab that is open at the start: the one that most likely shows why the trace was recorded.
import {panels} from "app/panels";

/** @typedef {{panel: string, profile: any}} Opening the tab, and the settings of the profile */

const THREAD = 2, MAIN = 1, FOCUS = 16;

/** Whether a thread has calls. A profile has no others. @param {any} rows */
export const hasCalls = ({kind, levels}) => kind.some((/** @type {number} */ own, /** @type {number} */ at) => own === THREAD && levels[at] > 0);

/** The main thread of the app in use. @param {any} rows the engine's answer to `rows` @returns {number | null} utid */
function mainThread({kind, flags, levels, utid}) {
  const row = kind.findIndex((/** @type {number} */ own, /** @type {number} */ at) => own === THREAD && (flags[at] & (MAIN | FOCUS)) === (MAIN | FOCUS) && levels[at] > 0);
  return row < 0 ? null : utid[row];
}

/**
 * The frames, if some were late; otherwise the profile of the main thread of the app in use; without calls, the first tab that has something to show.
 * @param {any} meta @param {any} rows @returns {Opening}
 */
export function openingOf(meta, rows) {
  const has = (/** @type {string} */ id) => panels.some(panel => panel.id === id && (!panel.when || panel.when(meta)));
  if (meta.late_frames > 0 && has("frames")) return {panel: "frames", profile: {}};
  if (hasCalls(rows) && has("profile")) {
    const thread = mainThread(rows);
    return {panel: "profile", profile: thread === null ? {} : {scope: {threads: [thread]}}};
  }
  return {panel: ["samples", "heaps", "logs", "events"].find(has) ?? "details", profile: {}};
}
