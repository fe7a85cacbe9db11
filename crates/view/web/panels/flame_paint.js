// Draws the visible frames of a flame graph, and finds the one under a point.
import {canvasColours, hueFill, mutedFill} from "ui/colours";
import {oneLine} from "ui/format";

/**
 * The engine's answer to `flame`: frames by level and from left to right, x and w in ns from the left of the whole.
 * @typedef {object} Frames
 * @property {Uint32Array} depth
 * @property {Float64Array} x
 * @property {Float64Array} w
 * @property {Float64Array} self
 * @property {Uint32Array} calls
 * @property {Uint32Array} name
 * @property {Uint32Array} node
 * @property {Uint32Array} parent index of the frame it is called from
 * @property {Uint8Array} hue
 * @property {Float64Array} [delta] ns, new minus base
 * @property {Uint8Array} [unfinished] 1: its width is time of slices that never ended; missing if every slice
 *   ended
 * @property {Record<string, string>} labels
 * @property {number} total_ns
 * @property {number} [unfinished_ns] the unfinished part of the width, at the right end
 * @property {number} depth_max
 */

/**
 * @typedef {object} Scene
 * @property {Frames} frames
 * @property {number[]} starts the first frame of each level, and the number of frames
 * @property {number} from left edge, ns
 * @property {number} to
 * @property {number} top px scrolled away
 * @property {number} width px
 * @property {number} height px
 * @property {boolean} flip callees above: grows upwards
 * @property {number} rows the number of levels that fit, for flipping
 * @property {Set<number> | null} lit names to show; the others fade
 * @property {number} picked a name to outline, or -1
 * @property {number} focus a frame, or -1
 * @property {number} hover
 * @property {(frames: Frames, at: number) => [string, string]} [colour] fill and ink
 */

export const ROW = 19;
const NONE = 0xffffffff;
const METHOD = /^[\w$-]+(\.[\w$-]+)+\.[\w$<>-]+$/;

/** The index at which each level's frames begin, and the end of the last level. @param {Frames} frames */
export function levelsOf({depth}) {
  /** @type {number[]} */
  const starts = [];
  depth.forEach((level, at) => { while (starts.length <= level) starts.push(at); });
  return [...starts, depth.length];
}

/** The first frame of a level that ends after `ns`. @param {Scene} scene @param {number} level @param {number} ns */
function firstBehind({frames: {x, w}, starts}, level, ns) {
  let low = starts[level], high = starts[level + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle] + w[middle] <= ns) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The level drawn at a height, px from the top of the canvas. @param {Scene} scene @param {number} y */
function levelAt(scene, y) {
  const row = Math.floor((y + scene.top) / ROW);
  return scene.flip ? scene.rows - 1 - row : row;
}

/** @param {Scene} scene @param {number} level */
export function topOf(scene, level) {
  return (scene.flip ? scene.rows - 1 - level : level) * ROW;
}

/** The frame at a point, or -1. @param {Scene} scene @param {number} px @param {number} py */
export function frameAt(scene, px, py) {
  const level = levelAt(scene, py);
  const {frames: {x}, starts} = scene;
  if (level < 0 || level + 1 >= starts.length) return -1;
  const scale = (scene.to - scene.from) / scene.width;
  const ns = scene.from + px * scale;
  const at = firstBehind(scene, level, ns);
  return at < starts[level + 1] && x[at] <= ns + scale ? at : -1;
}

/** The name a frame shows. @param {Frames} frames @param {number} at */
export const labelOf = (frames, at) => frames.labels[frames.name[at]] ?? "(calls too short to draw)";

/** The caller of a frame, or -1. @param {Frames} frames @param {number} at */
export function parentOf({parent, depth}, at) {
  const up = parent[at];
  return up === NONE || up >= depth.length || up === at ? -1 : up;
}

/** @type {Map<string, number>} */
const widths = new Map();

/** @param {CanvasRenderingContext2D} ctx @param {string} text */
function widthOf(ctx, text) {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    widths.set(text, width = ctx.measureText(text).width);
  }
  return width;
}

/** A method without its package. @param {string} text */
export const shortened = text => METHOD.test(text) ? text.split(".").slice(-2).join(".") : text;

/**
 * Shortens a name to fit: first without its package, then without its class, then without its middle.
 * @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} room px
 */
function fitted(ctx, text, room) {
  if (text.length > 400) text = `${text.slice(0, 200)}…${text.slice(-200)}`;
  const short = shortened(text);
  for (const form of [text, short, short === text ? text : text.slice(text.lastIndexOf(".") + 1)]) {
    text = form;
    if (widthOf(ctx, form) <= room) return form;
  }
  for (let fits = Math.floor(room / widthOf(ctx, text) * text.length); fits >= 6; fits--) {
    const cut = `${text.slice(0, Math.ceil(fits / 2))}…${text.slice(text.length - Math.floor(fits / 2) + 1)}`;
    if (widthOf(ctx, cut) <= room) return cut;
  }
  return "";
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene */
export function paintFlame(ctx, scene) {
  const {starts, width, height} = scene;
  const colours = canvasColours();
  ctx.fillStyle = colours.back;
  ctx.fillRect(0, 0, width, height);
  ctx.font = colours.font;
  ctx.textBaseline = "middle";
  const ends = [levelAt(scene, 0), levelAt(scene, height)];
  const first = Math.max(0, Math.min(...ends)), last = Math.min(starts.length - 2, Math.max(...ends));
  for (let level = first; level <= last; level++) paintLevel(ctx, scene, level);
  outline(ctx, scene, scene.hover, colours.ink, 1);
  outline(ctx, scene, scene.focus, colours.focus, 2);
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {number} level */
function paintLevel(ctx, scene, level) {
  const {frames, starts, from, to, width} = scene;
  const {x, w} = frames;
  const scale = width / (to - from);
  const y = topOf(scene, level) - scene.top;
  let drawn = -1;
  for (let at = firstBehind(scene, level, from); at < starts[level + 1]; at++) {
    if (x[at] >= to) break;
    const left = Math.max(0, (x[at] - from) * scale);
    const right = Math.min(width, (x[at] + w[at] - from) * scale);
    if (right < drawn + 1) continue;
    drawn = Math.max(right, left + 1);
    paintFrame(ctx, scene, at, left, y, drawn - left);
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {number} at @param {number} left @param {number} y @param {number} wide px */
function paintFrame(ctx, scene, at, left, y, wide) {
  const {frames, lit} = scene;
  const colours = canvasColours();
  const gap = frames.name[at] === NONE;
  const open = frames.unfinished?.[at] === 1;
  const own = () => open ? mutedFill(frames.hue[at], frames.name[at]) : hueFill(frames.hue[at], frames.name[at]);
  const [fill, ink] = gap ? [colours.line, colours.ink] : scene.colour?.(frames, at) ?? own();
  const faded = lit && !lit.has(frames.name[at]);
  ctx.globalAlpha = faded ? 0.22 : 1;
  ctx.fillStyle = fill;
  ctx.fillRect(left, y, wide > 2 ? wide - 1 : wide, ROW - 1);
  if (open && wide > 2) hatch(ctx, left, y, wide - 1);
  if (wide > 26) {
    ctx.globalAlpha = faded ? 0.7 : 1;
    ctx.fillStyle = faded ? colours.ink : ink;
    const text = fitted(ctx, oneLine(labelOf(frames, at)) || "(no name)", wide - 9);
    if (text) ctx.fillText(text, left + 4, y + ROW / 2);
  }
  ctx.globalAlpha = 1;
  if (frames.name[at] === scene.picked && wide > 2) {
    ctx.strokeStyle = colours.ink;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(left + 0.75, y + 0.75, wide - 2.5, ROW - 2.5);
  }
}

/** Slanted lines over a frame of slices that never ended. @param {CanvasRenderingContext2D} ctx @param {number} left @param {number} y @param {number} wide px */
function hatch(ctx, left, y, wide) {
  const high = ROW - 1;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, y, wide, high);
  ctx.clip();
  ctx.beginPath();
  for (let x = left - high; x < left + wide; x += 6) {
    ctx.moveTo(x, y + high);
    ctx.lineTo(x + high, y);
  }
  ctx.strokeStyle = canvasColours().ink;
  ctx.globalAlpha *= 0.22;
  ctx.lineWidth = 1;
  ctx.stroke();
  ctx.restore();
}

/** @param {CanvasRenderingContext2D} ctx @param {Scene} scene @param {number} at @param {string} colour @param {number} thick px */
function outline(ctx, scene, at, colour, thick) {
  if (at < 0) return;
  const {frames: {x, w, depth}, from, to, width} = scene;
  const scale = width / (to - from);
  const left = Math.max(0, (x[at] - from) * scale), right = Math.min(width, (x[at] + w[at] - from) * scale);
  if (right <= 0 || left >= width) return;
  ctx.strokeStyle = colour;
  ctx.lineWidth = thick;
  ctx.strokeRect(left + thick / 2, topOf(scene, depth[at]) - scene.top + thick / 2, Math.max(1, right - left - thick - 1), ROW - 1 - thick);
}
