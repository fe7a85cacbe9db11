// Draws thread states, CPUs, counters, events and instants.
import {colourIndex} from "ui/colours";
import {rect} from "timeline/batch";
import {PALETTE, STYLE, BAR} from "timeline/paint_slices";

/** @typedef {import("timeline/paint_slices").Scene} Scene */
/** @typedef {import("timeline/tiles").Piece} Piece */

/** The index of the first value above `ns` in a sorted column. @param {Float64Array} column @param {number} low @param {number} high @param {number} ns */
export function above(column, low, high, ns) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @param {Scene} scene @param {Piece} piece @param {number} y @param {number} high @param {number} left @param {number} right
 * @param {((who: number) => number) | null} cpu for a CPU row: coloured by thread; returns the name to draw
 */
export function paintStates(scene, {batch: {data}, at: nth}, y, high, left, right, cpu) {
  const {t_ts, t_end, t_state, t_hue, t_who} = data;
  const {from, scale, dots, labels} = scene;
  const end = data.first_state[nth + 1];
  const dot = 1 / dots;
  let drawn = left - dot;
  for (let at = above(t_end, data.first_state[nth], end, from + left / scale - 2 * dot / scale); at < end; at++) {
    let x0 = (t_ts[at] - from) * scale;
    if (x0 >= right) break;
    let x1 = (t_end[at] - from) * scale;
    if (x1 <= drawn) continue;
    x0 = Math.max(x0, left, drawn);
    x1 = Math.min(right, Math.max(x1, x0 + dot));
    drawn = x1;
    const wide = x1 - x0;
    if (!cpu) {
      const state = t_state[at];
      if (state === 4) rect(STYLE.states + 4, x0, y + high / 2 - 1, wide, 2);
      else rect(STYLE.states + state, x0, y, wide, high);
      continue;
    }
    rect(t_hue[at], x0, y, wide > 3 ? wide - dot : wide, high);
    if (wide < 36) continue;
    const place = labels.count++;
    labels.name[place] = cpu(t_who[at]);
    labels.text[place] = "";
    labels.x[place] = x0 + 5;
    labels.y[place] = y;
    labels.room[place] = wide - 9;
    labels.ink[place] = t_hue[at];
  }
}

/**
 * Draws an area in steps: a value holds until the next one.
 * @param {Scene} scene @param {import("timeline/counters").Points} points @param {number} y @param {number} high @param {number} left @param {number} right
 * @param {[number, number]} bounds the least and the largest value @param {string} colour @param {(value: number) => number} scaled @param {boolean} fill whether the area is filled
 */
export function paintCounter({ctx, from, scale}, {ts, min, max, last, first, end}, y, high, left, right, bounds, colour, scaled, fill) {
  const low = scaled(bounds[0]), span = scaled(bounds[1]) - low || 1;
  const yOf = (/** @type {number} */ value) => y + high - Math.max(0, Math.min(1, (scaled(value) - low) / span)) * (high - 1);
  const start = Math.max(first, above(ts, first, end, from + left / scale) - 1);
  if (start >= end) return;
  const x0 = Math.max(left, (ts[start] - from) * scale);
  if (x0 >= right) return;
  const base = yOf(Math.max(bounds[0], Math.min(0, bounds[1])));
  ctx.beginPath();
  let x = x0, level = yOf(last[start]);
  if (fill) ctx.moveTo(x0, base);
  ctx.lineTo(x, level);
  for (let at = start + 1; at < end; at++) {
    x = Math.min(right, (ts[at] - from) * scale);
    ctx.lineTo(x, level);
    if (x >= right) break;
    if (min[at] !== max[at]) {
      ctx.lineTo(x, yOf(max[at]));
      ctx.lineTo(x, yOf(min[at]));
    }
    level = yOf(last[at]);
    ctx.lineTo(x, level);
  }
  if (x < right) ctx.lineTo(right, level);
  ctx.fillStyle = ctx.strokeStyle = colour;
  if (fill) {
    ctx.lineTo(right, base);
    ctx.closePath();
    ctx.globalAlpha = 0.28;
    ctx.fill();
  }
  ctx.globalAlpha = 0.9;
  ctx.lineWidth = fill ? 1 : 1.5;
  ctx.stroke();
  ctx.globalAlpha = 1;
}

/** The minimum space for an event's name next to it, px. */
const ROOM = 44;

/**
 * Draws events as thin marks in the colours of their names.
 * @param {Scene} scene @param {Piece} piece @param {number} y @param {number} high @param {number} left @param {number} right
 */
export function paintEvents({from, scale, dots, lit, hits, labels}, {batch: {data}, at: nth}, y, high, left, right) {
  const {e_ts, e_name, e_hue} = data;
  const end = data.first_event[nth + 1], fades = lit >= 0 || hits !== null;
  const xOf = (/** @type {number} */ at) => at < end ? Math.round((e_ts[at] - from) * scale * dots) / dots : right;
  let drawn = left - 1;
  for (let at = above(e_ts, data.first_event[nth], end, from + (left - 2) / scale); at < end; at++) {
    const x = xOf(at);
    if (x >= right) break;
    const name = e_name[at];
    if (x < drawn + 1 / dots && name !== lit) continue;
    drawn = x;
    const room = xOf(at + 1) - x, bright = !fades || name === lit || (hits !== null && hits.has(name));
    const colour = colourIndex(e_hue[at], name);
    rect(bright ? colour : colour + PALETTE, Math.max(left, x), y, Math.max(1, Math.min(3, room - 1)), high);
    if (room < ROOM || high < 12) continue;
    const place = labels.count++;
    labels.name[place] = name;
    labels.text[place] = "";
    labels.x[place] = x + 6;
    labels.y[place] = y + (high - BAR) / 2;
    labels.room[place] = room - 9;
    labels.ink[place] = bright ? -2 : -1;
  }
}

/** @param {Scene} scene @param {Piece} piece @param {number} y @param {number} left @param {number} right @param {string} colour */
export function paintInstants({ctx, from, scale}, {batch: {data}, at: nth}, y, left, right, colour) {
  const {i_ts} = data;
  const end = data.first_instant[nth + 1];
  ctx.fillStyle = colour;
  ctx.beginPath();
  let drawn = -9;
  for (let at = above(i_ts, data.first_instant[nth], end, from + (left - 4) / scale); at < end; at++) {
    const x = (i_ts[at] - from) * scale;
    if (x > right + 4) break;
    if (x < drawn + 2) continue;
    drawn = x;
    ctx.moveTo(x - 4, y);
    ctx.lineTo(x + 4, y);
    ctx.lineTo(x, y + BAR - 9);
  }
  ctx.fill();
}
