// Finds what is under a point of the timeline.
import {firstBehind} from "timeline/paint_slices";
import {above} from "timeline/paint_states";
import {prepare} from "timeline/tiles";
import {KIND, placeAt} from "timeline/rows";

/**
 * A row on the screen.
 * @typedef {{row: number, y: number, height: number}} Placed
 */
/**
 * @typedef {object} Hit
 * @property {number} row
 * @property {number} ts ns under the pointer
 * @property {"slice" | "state" | "sched" | "counter" | "instant" | "event" | "log" | "sample" | ""} what
 * @property {number} at index in the batch's columns
 * @property {number} level
 * @property {any} data columns; of a log's line and a sample: its mark
 */

const NEAR = 3;
/** How far the pointer may be from an event, px. */
const NEAR_EVENT = 4;

/** The index of the slice of a piece at a time and level, or -1. @param {import("timeline/tiles").Piece} piece @param {number} level @param {number} ns @param {number} slack */
export function sliceAt(piece, level, ns, slack) {
  const {lanes, order, batch: {data}} = piece.lanes ? piece : prepare(piece);
  if (!lanes || level < 0 || level + 1 >= lanes.length) return -1;
  let best = -1, distance = slack;
  for (let place = firstBehind(piece, lanes[level], lanes[level + 1], ns - slack); place < lanes[level + 1]; place++) {
    const at = order ? order[place] : place;
    if (data.s_ts[at] > ns + slack) break;
    const away = Math.max(0, data.s_ts[at] - ns, ns - data.s_end[at]);
    if (away === 0) return at;
    if (away <= distance) { best = at; distance = away; }
  }
  return best;
}

/** @param {Float64Array} starts @param {Float64Array} ends @param {number} first @param {number} end @param {number} ns */
function covering(starts, ends, first, end, ns) {
  const at = above(ends, first, end, ns);
  return at < end && starts[at] <= ns ? at : -1;
}

/** The index of the value nearest to `ns` in a sorted column, or -1. @param {Float64Array} column @param {number} first @param {number} end @param {number} ns */
function nearest(column, first, end, ns) {
  const after = above(column, first, end, ns);
  if (after <= first) return after < end ? after : -1;
  return after < end && column[after] - ns < ns - column[after - 1] ? after : after - 1;
}

/**
 * @param {import("timeline/rows").RowModel} model @param {Placed} placed @param {number} y px in the canvas @param {number} ns
 * @param {number} ns_px @param {import("timeline/tiles").Piece[]} pieces best first @param {import("timeline/points").Points} [points]
 * @returns {Hit}
 */
export function hitRow(model, {row, y: top}, y, ns, ns_px, pieces, points) {
  /** @type {Hit} */
  const none = {row, ts: ns, what: "", at: -1, level: -1, data: null};
  const kind = model.rows.kind[row], strip = model.strip(row);
  const marks = model.eventBand(row, top), mark = marks && y >= marks.y - 1 && y <= marks.y + marks.high + 1 ? points?.at(row, ns, ns_px) : null;
  if (mark) return {...none, what: mark.kind, at: mark.id, data: mark};
  for (const piece of pieces) {
    const {batch: {data}, at: nth} = piece;
    if (ns < piece.batch.from || ns > piece.batch.to) continue;
    const hit = (/** @type {Hit["what"]} */ what, /** @type {number} */ at, level = -1) => ({...none, what, at, level, data});
    if (data.i_ts && data.first_instant[nth + 1] > data.first_instant[nth]) {
      const at = above(data.i_ts, data.first_instant[nth], data.first_instant[nth + 1], ns - 4 * ns_px);
      if (at < data.first_instant[nth + 1] && data.i_ts[at] < ns + 4 * ns_px && (y < top + 12 || kind === KIND.instants)) return hit("instant", at);
    }
    const band = model.eventBand(row, top);
    if (band && data.e_ts && y >= band.y - 1 && y <= band.y + band.high + 1) {
      const at = nearest(data.e_ts, data.first_event[nth], data.first_event[nth + 1], ns);
      if (at >= 0 && Math.abs(data.e_ts[at] - ns) <= NEAR_EVENT * ns_px) return hit("event", at);
    }
    if (kind === KIND.counter) {
      const at = above(data.p_ts, data.first_point[nth], data.first_point[nth + 1], ns) - 1;
      if (at >= data.first_point[nth]) return hit("counter", at);
      continue;
    }
    const cpu = kind === KIND.cpu, alone = cpu || model.rows.levels[row] === 0;
    if (data.t_ts && (alone || y < top + 3 + strip)) {
      const at = covering(data.t_ts, data.t_end, data.first_state[nth], data.first_state[nth + 1], ns);
      if (at >= 0) return hit(cpu ? "sched" : "state", at);
    }
    const level = Math.floor((y - top - 2 - strip) / model.pitch(row));
    if (level >= model.lanes(row)) continue;
    const at = sliceAt(piece, level, ns, NEAR * ns_px);
    if (at >= 0) return hit("slice", at, level);
  }
  return none;
}

/**
 * The row at a height.
 * @param {import("timeline/rows").RowModel} model @param {number} y px below the ruler @param {number} pinnedHeight @param {number} top scrolled away
 * @returns {Placed | null}
 */
export function rowAt(model, y, pinnedHeight, top) {
  const fixed = y < pinnedHeight;
  const stack = fixed ? model.pinned() : model.main();
  const inside = fixed ? y : y - pinnedHeight + top;
  const place = placeAt(stack, inside);
  if (place < 0) return null;
  const start = stack.tops[place];
  return {row: stack.list[place], y: start - inside + y, height: stack.tops[place + 1] - start};
}
