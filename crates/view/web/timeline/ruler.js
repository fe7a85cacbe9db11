// The ruler: steps of 1, 2 or 5 in a suitable unit, the time under the cursor, the length of the range, marks.
import {canvasColours} from "ui/colours";
import {elide, moment, time} from "ui/format";

export const RULER = 30;
/** The maximum length of a mark's name. The middle of longer names is omitted. */
const MARK_CHARS = 32;
/** @typedef {import("timeline/paint_slices").Scene} Scene */

/** The ns between two steps for labels of about `room` px. @param {number} ns_px @param {number} room */
export function stepOf(ns_px, room) {
  const least = Math.max(1, ns_px * room);
  const ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(by => by * ten).find(step => step >= least) ?? ten * 10;
}

/** Steps and their labels, except under badges. Far from the start, labels are relative to a round time at the left. @param {Scene} scene @param {number} height @param {Badge[]} badges */
export function paintRuler({ctx, from, to, scale, width}, height, badges) {
  const {line, ink2, small} = canvasColours();
  const step = stepOf(1 / scale, 105);
  ctx.font = small;
  const origin = Math.abs(from) / step > 2000 ? Math.floor(from / (step * 100)) * step * 100 : 0;
  const base = origin ? `${moment(origin, step * 100)} +` : "", room = base ? ctx.measureText(base).width + 14 : 0;
  ctx.textBaseline = "alphabetic";
  ctx.textAlign = "left";
  for (let nth = Math.ceil((from - origin) / step); origin + nth * step <= to; nth++) {
    const x = Math.round((origin + nth * step - from) * scale) + 0.5;
    ctx.fillStyle = line;
    ctx.fillRect(x - 0.5, 18, 1, height);
    ctx.fillStyle = ink2;
    const text = origin ? `+${moment(nth * step, step)}` : moment(nth * step, step);
    if (x <= room) continue;
    const wide = ctx.measureText(text).width;
    // The rest of a label that is cut off is another time.
    if (x + 4 + wide <= width && !badges.some(({left, wide: other}) => x + 4 < left + other + 3 && x + 4 + wide > left - 3)) ctx.fillText(text, x + 4, 13);
  }
  ctx.fillStyle = line;
  const fine = step / 5;
  for (let nth = Math.ceil((from - origin) / fine); origin + nth * fine <= to; nth++) {
    ctx.fillRect(Math.round((origin + nth * fine - from) * scale), 24, 1, 6);
  }
  ctx.fillStyle = ink2;
  ctx.fillText(base, 6, 13);
}

/** @typedef {{left: number, wide: number, text: string, back: string, ink: string}} Badge a label on the ruler, px */

/** A label on the ruler, kept on the screen. @param {Scene} scene @param {number} x its middle @param {string} text @param {string} back @returns {Badge} */
function badge({ctx, width}, x, text, back) {
  const {small, back: ink} = canvasColours();
  ctx.font = small;
  const wide = ctx.measureText(text).width + 12;
  return {left: Math.max(2, Math.min(width - wide - 2, x - wide / 2)), wide, text, back, ink};
}

/** The labels of the ruler: the length of the selection, marks, the time under the pointer. @param {Scene} scene @param {import("app/state").State} state @param {number | null} cursor ns */
export function badgesOf(scene, {marks, selection}, cursor) {
  const {from, scale, width} = scene, {accent, hit, ink} = canvasColours();
  const out = [], [a, b] = extentOf(selection) ?? [0, -1];
  const x0 = Math.max(-2, (a - from) * scale), x1 = Math.min(width + 2, (b - from) * scale);
  if (b >= a && x1 >= 0 && x0 <= width) out.push(badge(scene, (Math.max(0, x0) + Math.min(width, x1)) / 2, time(b - a), accent));
  marks.forEach(({ts, label}, nth) => {
    const x = Math.round((ts - from) * scale);
    if (x >= -40 && x <= width + 40) out.push(badge(scene, x, label ? elide(label, MARK_CHARS) : String(nth + 1), hit));
  });
  if (cursor !== null) out.push(badge(scene, Math.round((cursor - from) * scale), moment(cursor, Math.max(1, 10 ** Math.floor(Math.log10(1 / scale)))), ink));
  return out;
}

/** The time range of the selection, if it has one. @param {import("app/state").Selection} selection @returns {[number, number] | null} ns */
export function extentOf(selection) {
  if (selection?.kind === "range") return [selection.from, selection.to];
  return selection && "ts" in selection && selection.end !== undefined ? [selection.ts, selection.end] : null;
}

/** @param {Scene} scene @param {Badge[]} badges */
export function paintBadges({ctx}, badges) {
  ctx.font = canvasColours().small;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  for (const {left, wide, text, back, ink} of badges) {
    ctx.fillStyle = back;
    ctx.beginPath();
    ctx.roundRect(left, 3, wide, 17, 4);
    ctx.fill();
    ctx.fillStyle = ink;
    ctx.fillText(text, left + 6, 12);
  }
}

/**
 * Draws the selected range.
 * @param {Scene} scene @param {number} a ns @param {number} b @param {number} height px
 * @param {{y: number, high: number}[] | null} shaded the rows that it is limited to, or everything; null: only on the ruler
 */
export function paintRange(scene, a, b, height, shaded) {
  const {ctx, from, scale, width} = scene;
  const {accent, range} = canvasColours();
  const x0 = Math.max(-2, (a - from) * scale), x1 = Math.min(width + 2, (b - from) * scale);
  if (x1 < 0 || x0 > width) return;
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, RULER, width, height);
  ctx.clip();
  for (const {y, high} of shaded ?? []) {
    ctx.fillStyle = range;
    ctx.fillRect(x0, y, Math.max(1, x1 - x0), high);
    ctx.fillStyle = accent;
    ctx.fillRect(Math.round(x0), y, 1, high);
    ctx.fillRect(Math.round(x1), y, 1, high);
  }
  ctx.restore();
  ctx.fillStyle = accent;
  ctx.fillRect(x0, RULER - 4, Math.max(1, x1 - x0), 3);
}

/** @param {Scene} scene @param {import("app/state").State["marks"]} marks @param {number} height */
export function paintMarks({ctx, from, scale, width}, marks, height) {
  ctx.fillStyle = canvasColours().hit;
  for (const {ts} of marks) {
    const x = Math.round((ts - from) * scale);
    if (x < 0 || x > width) continue;
    for (let y = RULER; y < height; y += 6) ctx.fillRect(x, y, 1, 3);
    ctx.fillRect(x, 20, 1, 10);
  }
}

/** Draws the line under the pointer. @param {Scene} scene @param {number} ns @param {number} height */
export function paintCursor({ctx, from, scale}, ns, height) {
  ctx.globalAlpha = 0.45;
  ctx.fillStyle = canvasColours().ink2;
  ctx.fillRect(Math.round((ns - from) * scale), RULER, 1, height);
  ctx.globalAlpha = 1;
}
