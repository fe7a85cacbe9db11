// Leads from a row of a result to the time line: to a slice, a state, a run on a CPU, a counter, or a range.
import {momentOf, numberOf, placesOf} from "query/cells";
import {KIND} from "timeline/rows";

/** The maximum width of a question about the slices of a moment, px. */
const PIXELS = 60000;

/** @typedef {{ts: number, end: number, row: any[]}} Spot a row of a result with its time, in the page's time */

/**
 * The targets of a result's rows.
 * @param {import("query/server").Result} result
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
export function jumping({columns, origin_ns}, store, source, context) {
  const at = placesOf(columns), {rows, meta} = context;
  const cell = (/** @type {any[]} */ row, /** @type {string} */ name) => name in at ? numberOf(row[at[name]]) : NaN;
  let asked = 0;

  /** @param {any[]} row @returns {Spot} */
  function spotOf(row) {
    const ts = "ts" in at ? momentOf(row[at.ts], origin_ns) : NaN, dur = cell(row, "dur");
    // -1: it never ended.
    return {ts, end: Number.isNaN(ts) ? NaN : dur >= 0 ? ts + dur : dur === -1 ? meta.duration_ns : ts, row};
  }

  /** The slice of a row, or null: by its id if a slice has that id, otherwise by track and time. @param {Spot} spot @returns {Promise<number | null>} */
  async function sliceOf({ts, end, row}) {
    for (const id of [cell(row, "slice_id"), cell(row, "id")]) {
      if (!(id >= 0 && id < meta.counts.slices)) continue;
      if (Number.isNaN(ts)) return id;
      const found = await source.ask({op: "locate", id}, {priority: 1}).catch(() => null);
      // Other tables have ids too: `thread_state`, `sched`, `counter`.
      const same = found?.ts === ts && (cell(row, "track_id") >= 0 || cell(row, "dur") === found.dur || !("dur" in at));
      if (same) return id;
    }
    return sliceAt(ts, end, cell(row, "track_id"));
  }

  /** @param {number} ts @param {number} end @param {number} track @returns {Promise<number | null>} */
  async function sliceAt(ts, end, track) {
    const line = track >= 0 ? rows.track.indexOf(track) : -1;
    if (line < 0 || Number.isNaN(ts) || rows.kind[line] === KIND.counter) return null;
    const to = Math.max(ts + 1, end);
    const {s_ts, s_end, s_id} = await source.ask({op: "window", rows: [line], from: ts, to, px_ns: Math.max(1, (to - ts) / PIXELS)}, {priority: 1});
    let best = -1;
    s_ts.forEach((/** @type {number} */ start, /** @type {number} */ nth) => { if (start === ts && (best < 0 || s_end[nth] === end)) best = nth; });
    return best < 0 ? null : s_id[best];
  }

  /** The row of the time line for a state, a run on a CPU or a counter. @param {any[]} row @returns {{kind: "state" | "sched" | "counter", row: number} | null} */
  function lineOf(row) {
    const of = (/** @type {number} */ kind, /** @type {any} */ column, /** @type {number} */ id) => id >= 0 ? column.findIndex((/** @type {number} */ value, /** @type {number} */ nth) => value === id && rows.kind[nth] === kind) : -1;
    const counter = of(KIND.counter, rows.track, cell(row, "track_id"));
    if (counter >= 0) return {kind: "counter", row: counter};
    const thread = of(KIND.thread, rows.utid, cell(row, "utid"));
    if (thread >= 0 && rows.flags[thread] & 4) return {kind: "state", row: thread};
    const cpu = of(KIND.cpu, rows.cpu, "cpu" in at ? cell(row, "cpu") : cell(row, "ucpu"));
    return cpu >= 0 ? {kind: "sched", row: cpu} : null;
  }

  /** @param {number} from @param {number} to @param {boolean} zoom */
  function show(from, to, zoom) {
    const {view} = store.get(), wide = view.to - view.from, long = Math.max(to - from, 1);
    if (zoom || long > wide) context.zoomTo(from - long * 0.5, to + long * 0.5);
    else if (from < view.from || to > view.to) context.zoomTo((from + to - wide) / 2, (from + to + wide) / 2);
  }

  return {
    /** Whether rows of this result lead anywhere. */
    leads: "ts" in at || "slice_id" in at || "id" in at,
    spotOf,
    /** Shows a row of the result in the time line, and selects the object that it stands for. @param {any[]} row @param {boolean} [zoom] */
    async go(row, zoom = false) {
      const mine = ++asked, spot = spotOf(row), {ts, end} = spot;
      const slice = await sliceOf(spot);
      if (mine !== asked) return;
      if (slice !== null) return context.goTo(slice, zoom);
      if (Number.isNaN(ts)) return;
      const line = lineOf(row);
      store.set({selection: line ? {...line, ts, end} : {kind: "range", from: ts, to: Math.max(end, ts + 1)}});
      if (line) context.showRow(line.row);
      show(ts, end, zoom);
    },
  };
}
