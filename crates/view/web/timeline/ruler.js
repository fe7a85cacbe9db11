// The ruler: steps of 1, 2 or 5 in the unit that suits them, the cursor's time, the length of the range, marks.
import {canvasColours} from "ui/colours";
import {moment, time} from "ui/format";

export const RULER = 30;
/** @typedef {import("timeline/paint_slices").Scene} Scene */

/** The ns between two steps for labels of about `room` px. @param {number} ns_px @param {number} room */
export function stepOf(ns_px, room) {
  const least = Math.max(1, ns_px * room);
  const ten = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(by => by * ten).find(step => step >= least) ?? ten * 10;
}

/** Steps and their labels; far from the start they count from a round time at the left. @param {Scene} scene @param {number} height */
export function paintRuler({ctx, from, to, scale}, height) {
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
    if (x > room) ctx.fillText(text, x + 4, 13);
  }
  ctx.fillStyle = line;
  const fine = step / 5;
  for (let nth = Math.ceil((from - origin) / fine); origin + nth * fine <= to; nth++) {
    ctx.fillRect(Math.round((origin + nth * fine - from) * scale), 24, 1, 6);
  }
  ctx.fillStyle = ink2;
  ctx.fillText(base, 6, 13);
}

/** A word on the ruler, kept on the screen. @param {Scene} scene @param {number} x its middle @param {string} text @param {string} back @param {string} ink */
export function badge({ctx, width}, x, text, back, ink) {
  ctx.font = canvasColours().small;
  ctx.textBaseline = "middle";
  const wide = ctx.measureText(text).width + 12;
  const left = Math.max(2, Math.min(width - wide - 2, x - wide / 2));
  ctx.fillStyle = back;
  ctx.beginPath();
  ctx.roundRect(left, 3, wide, 17, 4);
  ctx.fill();
  ctx.fillStyle = ink;
  ctx.fillText(text, left + 6, 12);
}

/** The stretch that is selected. @param {Scene} scene @param {number} a ns @param {number} b @param {number} height @param {boolean} shade */
export function paintRange(scene, a, b, height, shade) {
  const {ctx, from, scale, width} = scene;
  const {accent, range, back} = canvasColours();
  const x0 = Math.max(-2, (a - from) * scale), x1 = Math.min(width + 2, (b - from) * scale);
  if (x1 < 0 || x0 > width) return;
  if (shade) {
    ctx.fillStyle = range;
    ctx.fillRect(x0, 0, Math.max(1, x1 - x0), height);
    ctx.fillStyle = accent;
    ctx.fillRect(Math.round(x0), 0, 1, height);
    ctx.fillRect(Math.round(x1), 0, 1, height);
  }
  ctx.fillStyle = accent;
  ctx.fillRect(x0, RULER - 4, Math.max(1, x1 - x0), 3);
  badge(scene, (Math.max(0, x0) + Math.min(width, x1)) / 2, time(b - a), accent, back);
}

/** @param {Scene} scene @param {import("app/state").State["marks"]} marks @param {number} height */
export function paintMarks(scene, marks, height) {
  const {ctx, from, scale, width} = scene;
  const {hit, back} = canvasColours();
  marks.forEach(({ts, label}, nth) => {
    const x = Math.round((ts - from) * scale);
    if (x < -40 || x > width + 40) return;
    ctx.fillStyle = hit;
    for (let y = RULER; y < height; y += 6) ctx.fillRect(x, y, 1, 3);
    badge(scene, x, label || String(nth + 1), hit, back);
    ctx.fillRect(x, 20, 1, 10);
  });
}

/** The line under the pointer and its time. @param {Scene} scene @param {number} ns @param {number} height */
export function paintCursor(scene, ns, height) {
  const {ctx, from, scale} = scene;
  const {ink, ink2, back} = canvasColours();
  const x = Math.round((ns - from) * scale);
  ctx.globalAlpha = 0.45;
  ctx.fillStyle = ink2;
  ctx.fillRect(x, RULER, 1, height);
  ctx.globalAlpha = 1;
  badge(scene, x, moment(ns, Math.max(1, 10 ** Math.floor(Math.log10(1 / scale)))), ink, back);
}
