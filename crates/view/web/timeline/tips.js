// The text of the tooltip next to the pointer.
import {amount, elide, moment, time} from "ui/format";
import {KIND} from "timeline/rows";

export const STATES = ["unknown", "running", "runnable", "runnable (preempted)", "sleeping", "uninterruptible", "waiting for I/O", "stopped", "dead"];

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
    if (what === "sched") return [model.threadName(data.t_who[at]), long];
    const cpu = data.t_state[at] === 1 && data.t_who[at] !== 0xffffffff ? ` on CPU ${data.t_who[at]}` : "";
    return [STATES[data.t_state[at]] + cpu, long];
  }
  if (what === "counter") return [amount(data.p_last[at]), model.rows.names[row], `since ${moment(data.p_ts[at], 1000)}`];
  if (what === "instant") return [elide(tiles.nameOf(data.i_name[at]) ?? "…", 240), `at ${moment(data.i_ts[at], 1000)}`];
  if (what === "event") {
    const text = tiles.nameOf(data.e_name[at]), count = data.e_count[at];
    if (text === undefined) tiles.askNames();
    return [elide(text ?? "…", 240), count > 1 ? `${amount(count)} events here: zoom in` : "", `at ${moment(data.e_ts[at], 1000)}`].filter(Boolean);
  }
  return null;
}
