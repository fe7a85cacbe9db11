// Draws nested slices: rectangles, names, the outline of the selection, and unknown ends.
import {RANKED, colourIndex} from "ui/colours";
import {time} from "ui/format";
import {rect} from "timeline/batch";
import {prepare} from "timeline/tiles";
import {LANE} from "timeline/rows";

/**
 * The data for drawing one frame. The object is reused.
 * @typedef {object} Scene
 * @property {CanvasRenderingContext2D} ctx
 * @property {number} from ns
 * @property {number} to
 * @property {number} scale px per ns
 * @property {number} width px
 * @property {number} dots device pixels per px
 * @property {number} lit the name of the highlighted slices, or -1
 * @property {Set<number> | null} hits names found by the search
 * @property {import("timeline/tiles").Tiles} tiles
 * @property {import("timeline/points").Points} points
 * @property {Labels} labels
 * @property {number[]} brackets x0, x1, y of the slices of the selected name
 * @property {number[]} open x0, x1, y of slices that never ended
 * @property {number} bottom px below which nothing is visible
 */
/** @typedef {{count: number, name: number[], x: number[], y: number[], room: number[], ink: number[], text: string[]}} Labels texts to draw: a name, or another text */

/** Indices of styles: palette, faded palette, then the rest. */
export const PALETTE = RANKED + 16;
export const STYLE = {states: PALETTE * 2, missed: PALETTE * 2 + 9, ontime: PALETTE * 2 + 10, hit: PALETTE * 2 + 11};
const LABEL = 28;
export const BAR = LANE - 1;

/**
 * The index of a lane's first slice that ends after `ns`.
 * @param {import("timeline/tiles").Piece} piece @param {number} low @param {number} high @param {number} ns
 */
export function firstBehind({batch: {data: {s_end}}, order}, low, high, ns) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (s_end[order ? order[middle] : middle] <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @param {Scene} scene @param {import("timeline/tiles").Piece} piece @param {number} y top of the first lane @param {number} lanes
 * @param {number} pitch px from lane to lane
 * @param {number} left px @param {number} right px: only between these @param {"" | "times" | "names"} frames whether colours show which frames were late, and what is written on them
 */
export function paintSlices(scene, piece, y, lanes, pitch, left, right, frames) {
  const {lanes: starts} = piece.lanes ? piece : prepare(piece);
  if (!starts) return;
  const most = Math.min(lanes, starts.length - 1);
  const first = Math.max(0, Math.floor(-y / pitch));
  for (let level = first; level < most; level++) {
    const top = y + level * pitch;
    if (top > scene.bottom) break;
    paintLane(scene, piece, starts[level], starts[level + 1], top, pitch - 1, left, right, frames);
  }
}

/**
 * @param {Scene} scene @param {import("timeline/tiles").Piece} piece @param {number} start @param {number} end @param {number} top
 * @param {number} bar px high @param {number} left @param {number} right @param {"" | "times" | "names"} frames
 */
function paintLane(scene, piece, start, end, top, bar, left, right, frames) {
  const {data: {s_ts, s_end, s_name, s_hue, s_flags}} = piece.batch;
  const {order} = piece;
  const {from, scale, dots, lit, hits, labels} = scene;
  const dot = 1 / dots, fades = lit >= 0 || hits !== null;
  let drawn = left - dot;
  for (let place = firstBehind(piece, start, end, from + left / scale - 2 * dot / scale); place < end; place++) {
    const at = order ? order[place] : place;
    let x0 = (s_ts[at] - from) * scale;
    if (x0 >= right) break;
    let x1 = (s_end[at] - from) * scale;
    if (x1 <= drawn && s_name[at] !== lit) continue;
    x0 = x0 < left ? left : Math.round(x0 * dots) / dots;
    x1 = x1 > right ? right : Math.round(x1 * dots) / dots;
    let wide = x1 - x0;
    if (wide < 1) { if (x0 < drawn && s_name[at] !== lit) continue; wide = 1; }
    if (x0 + wide > right) x0 = Math.max(left, right - wide);
    drawn = x0 + wide;
    const name = s_name[at], flags = s_flags[at];
    const bright = !fades || name === lit || (hits !== null && hits.has(name));
    const colour = frames ? (flags & 8 ? STYLE.missed : STYLE.ontime) : colourIndex(s_hue[at], name);
    rect(bright || frames ? colour : colour + PALETTE, x0, top, wide > 3 ? wide - dot : wide, bar);
    if (bar < BAR) continue;
    if (bright && fades) scene.brackets.push(x0, drawn, top);
    if (flags & 1 && wide > 3) scene.open.push(x0, drawn, top);
    if (wide < LABEL) continue;
    const nth = labels.count++;
    labels.name[nth] = name;
    labels.text[nth] = frames === "times" ? time(s_end[at] - s_ts[at]) : "";
    labels.x[nth] = x0 + 5;
    labels.y[nth] = top;
    labels.room[nth] = wide - (flags & 1 ? 26 : 9);
    labels.ink[nth] = bright || frames ? colour : colour >= RANKED ? -2 : -1;
  }
}

/** Traceview's brackets: the extent of each call of the selected name. @param {Scene} scene @param {string} colour */
export function paintBrackets({ctx, brackets, dots}, colour) {
  if (!brackets.length) return;
  ctx.fillStyle = colour;
  for (let at = 0; at < brackets.length; at += 3) {
    const x0 = brackets[at], wide = brackets[at + 1] - x0, y = brackets[at + 2];
    ctx.fillRect(x0, y - 1, Math.max(wide, 1), 2);
    if (wide < 4) continue;
    ctx.fillRect(x0, y - 1, 1.5, 7);
    ctx.fillRect(x0 + wide - 1.5 - 1 / dots, y - 1, 1.5, 7);
  }
}

/** Slices without an end fade out. @param {Scene} scene @param {string} back */
export function paintOpenEnds({ctx, open}, back) {
  for (let at = 0; at < open.length; at += 3) {
    const x0 = Math.max(open[at], open[at + 1] - 48), x1 = open[at + 1], y = open[at + 2];
    const fade = ctx.createLinearGradient(x0, 0, x1, 0);
    fade.addColorStop(0, `${back}00`);
    fade.addColorStop(1, back);
    ctx.fillStyle = fade;
    ctx.fillRect(x0, y, x1 - x0 + 1, BAR);
  }
}
