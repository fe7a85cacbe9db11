// The text of the tooltip next to the pointer.
import {amount, elide, moment, time} from "ui/format";
import {pointsOf, valueText} from "timeline/counters";
import {above} from "timeline/paint_states";
import {KIND} from "timeline/rows";

export const STATES = ["unknown", "running", "runnable", "runnable (preempted)", "sleeping", "uninterruptible", "waiting for I/O", "stopped", "dead"];

/** @type {(import("timeline/tiles").Piece | null)[]} */
const found = [null, null];

/** The value of a row's counter. @param {import("timeline/rows").RowModel} model @param {import("timeline/tiles").Tiles} tiles @param {number} row @param {any} data @param {number} at */
function counterText(model, tiles, row, data, at) {
  const {mode} = model.counter(row), nth = data.first_point.findLastIndex((/** @type {number} */ first) => first <= at);
  return valueText(pointsOf(/** @type {any} */ ({batch: {data}, at: nth}), mode).last[at], model.rows.notes[row] ?? "", mode);
}

/** The names, and the values of the other counters in a row. @param {import("timeline/rows").RowModel} model @param {import("timeline/tiles").Tiles} tiles @param {number} row @param {number} ts @returns {string[]} */
function counterTexts(model, tiles, row, ts) {
  const {mode} = model.counter(row), {names, notes} = model.rows;
  return [names[row], ...model.also(row).map(other => {
    tiles.find(other, ts, ts + 1, 1, found);
    if (!found[0]) return `${names[other]}: …`;
    const points = pointsOf(found[0], mode), at = above(points.ts, points.first, points.end, ts) - 1;
    return `${names[other]}: ${at < points.first ? "–" : valueText(points.last[at], notes[other] ?? "", mode)}`;
  })];
}

/**
 * @param {import("timeline/rows").RowModel} model @param {import("timeline/tiles").Tiles} tiles @param {import("timeline/hit").Hit} hit
 * @returns {string[] | null}
 */
export function tipLines(model, tiles, {row, what, at, data}) {
  if (what === "slice") {
    const flags = data.s_flags[at];
    const late = model.rows.kind[row] === KIND.frames && flags & 8 ? "missed its deadline" : "";
    const drawn = model.rows.kind[row] === KIND.frames ? " until drawn" : "";
    const text = tiles.nameOf(data.s_name[at]);
    if (text === undefined) tiles.askNames();
    return [elide(text ?? "…", 240), flags & 2 ? "several calls shorter than a pixel: zoom in" : `${time(data.s_end[at] - data.s_ts[at])}${drawn}${flags & 1 ? ", never ended" : ""}`,
      `at ${moment(data.s_ts[at], 1000)}`, late, flags & 4 ? "repaired" : ""].filter(Boolean);
  }
  if (what === "state" || what === "sched") {
    const long = time(data.t_end[at] - data.t_ts[at]);
    if (what === "sched") return [model.threadTitle(data.t_who[at]), long];
    const cpu = data.t_state[at] === 1 && data.t_who[at] !== 0xffffffff ? ` on CPU ${data.t_who[at]}` : "";
    return [STATES[data.t_state[at]] + cpu, long];
  }
  if (what === "counter") return [counterText(model, tiles, row, data, at), ...counterTexts(model, tiles, row, data.p_ts[at]), `since ${moment(data.p_ts[at], 1000)}`];
  if (what === "instant") return [elide(tiles.nameOf(data.i_name[at]) ?? "…", 240), `at ${moment(data.i_ts[at], 1000)}`];
  if (what === "event") {
    const text = tiles.nameOf(data.e_name[at]), count = data.e_count[at];
    if (text === undefined) tiles.askNames();
    return [elide(text ?? "…", 240), count > 1 ? `${amount(count)} events here: zoom in` : "", `at ${moment(data.e_ts[at], 1000)}`].filter(Boolean);
  }
  return null;
}
