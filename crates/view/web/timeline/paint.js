// Draws one frame of the timeline.
import {canvasColours, colourPalette, inkFor} from "ui/colours";
import {flush} from "timeline/batch";
import {bounds, logOf, pointsOf} from "timeline/counters";
import {paintFlows} from "timeline/flows";
import {RULER, badgesOf, extentOf, paintBadges, paintCursor, paintMarks, paintRange, paintRuler} from "timeline/ruler";
import {PALETTE, BAR, paintBrackets, paintOpenEnds, paintSlices} from "timeline/paint_slices";
import {paintCounter, paintEvents, paintInstants, paintStates} from "timeline/paint_states";
import {KIND, LANE} from "timeline/rows";
import {fitted, setFont} from "timeline/text";

/** @typedef {import("timeline/paint_slices").Scene} Scene */
/** @typedef {import("timeline/hit").Placed} Placed */

/** @type {string[]} */
let styles = [];
/** @type {string[]} */
let inks = [];
/** @type {unknown} */
let stylesOf = null;

/** All styles by index, made again when the theme changes. */
function styleTable() {
  const colours = canvasColours();
  if (stylesOf === colours) return styles;
  stylesOf = colours;
  const {fill, faded} = colourPalette();
  styles = [...fill, ...faded, ...colours.states, colours.missed, colours.ontime, colours.hit];
  inks = styles.map((style, at) => at < PALETTE ? colourPalette().ink[at] : inkFor(style));
  return styles;
}

/** @type {(import("timeline/tiles").Piece | null)[]} */
const found = [null, null];

/**
 * Draws the rows between two heights, clipped to them.
 * @param {Scene} scene @param {import("timeline/rows").RowModel} model @param {Placed[]} placed @param {number} top px @param {number} bottom
 */
export function paintRows(scene, model, placed, top, bottom) {
  const {ctx, width, from, to, scale, labels, tiles} = scene;
  const colours = canvasColours();
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, top, width, bottom - top);
  ctx.clip();
  labels.count = scene.brackets.length = scene.open.length = 0;
  scene.bottom = bottom;
  for (const {row, y, height} of placed) {
    const head = model.rows.kind[row] <= KIND.process;
    ctx.fillStyle = head ? colours.row : colours.back;
    ctx.fillRect(0, y, width, height - 1);
    ctx.fillStyle = colours.line;
    ctx.fillRect(0, y + height - 1, width, 1);
  }
  for (const place of placed) {
    if (!model.draws(place.row)) continue;
    const band = scene.points.has(place.row) && model.eventBand(place.row, place.y);
    if (band) scene.points.paint(scene, place.row, band);
    tiles.find(place.row, from, to, 1 / scale, found);
    const [best, rest] = found;
    if (!best) continue;
    const left = Math.max(0, (best.batch.from - from) * scale), right = Math.min(width, (best.batch.to - from) * scale);
    const whole = best.batch.from <= 0 && best.batch.to >= to;
    paintRow(scene, model, place, best, whole ? 0 : left, right < width && best.batch.to >= scene.tiles.end ? width : right);
    if (!rest) continue;
    if (left > 0) paintRow(scene, model, place, rest, 0, left);
    if (right < width) paintRow(scene, model, place, rest, right, width);
  }
  flush(ctx, styleTable());
  paintOpenEnds(scene, colours.back);
  paintLabels(scene, model);
  paintBrackets(scene, colours.ink);
  ctx.restore();
}

/**
 * @param {Scene} scene @param {import("timeline/rows").RowModel} model @param {Placed} place
 * @param {import("timeline/tiles").Piece} piece @param {number} left @param {number} right
 */
function paintRow(scene, model, {row, y, height}, piece, left, right) {
  const {kind, names} = model.rows;
  const {data} = piece.batch, nth = piece.at;
  const any = (/** @type {Uint32Array} */ first) => first[nth + 1] > first[nth];
  if (right <= left) return;
  if (any(data.first_point)) {
    paintCounters(scene, model, row, piece, y + 4, height - 8, left, right);
  }
  const strip = model.strip(row);
  const lanes = model.lanes(row);
  const band = model.eventBand(row, y);
  if (any(data.first_state)) {
    const cpu = kind[row] === KIND.cpu;
    if (cpu) paintStates(scene, piece, y + 3, BAR, left, right, cpuName);
    else if (band || (lanes && any(data.first_slice))) paintStates(scene, piece, y + 3, model.stateStrip(row) - 2, left, right, null);
    else paintStates(scene, piece, y + Math.min(8, height / 2 - 5), height - 2 * Math.min(8, height / 2 - 5), left, right, null);
  }
  if (any(data.first_slice)) paintSlices(scene, piece, y + 3 + strip, lanes, model.pitch(row), left, right, kind[row] === KIND.frames ? "times" : names[row] === "Actual Timeline" ? "names" : "");
  if (band && any(data.first_event)) paintEvents(scene, piece, band.y, band.high, left, right);
  if (any(data.first_instant)) paintInstants(scene, piece, kind[row] === KIND.instants ? y + 8 : y + 1, left, right, canvasColours().ink2);
}

/** @type {(import("timeline/tiles").Piece | null)[]} */
const another = [null, null];

/** Draws the counter of a row, and those that the user put into it. @param {Scene} scene @param {import("timeline/rows").RowModel} model @param {number} row @param {import("timeline/tiles").Piece} piece @param {number} y @param {number} high @param {number} left @param {number} right */
function paintCounters(scene, model, row, piece, y, high, left, right) {
  const {min, max} = model.rows, setting = model.counter(row), also = model.also(row), {from, to, scale, tiles} = scene;
  const shown = [{row, points: pointsOf(piece, setting.mode)}];
  for (const other of also) {
    tiles.find(other, from, to, 1 / scale, another);
    if (another[0]) shown.push({row: other, points: pointsOf(another[0], setting.mode)});
  }
  const rows = [row, ...also], whole = /** @type {[number, number]} */ ([Math.min(...rows.map(one => min[one])), Math.max(...rows.map(one => max[one]))]);
  const limits = bounds(setting, shown.map(({points}) => points), whole, from, to), scaled = setting.scale === "log" ? logOf : (/** @type {number} */ value) => value;
  for (const one of shown) paintCounter(scene, one.points, y, high, left, right, limits, counterColour(rows.indexOf(one.row)), scaled, !also.length);
}

/** The colour of the nth counter in a row. @param {number} nth */
export function counterColour(nth) {
  const {accent, missed, hit, states} = canvasColours();
  return [accent, missed, states[1], states[5], states[6], hit, states[2], states[7]][nth % 8];
}

/** Threads' names have negative numbers: -1 - utid. */
const cpuName = (/** @type {number} */ who) => -1 - who;

/** @param {Scene} scene @param {import("timeline/rows").RowModel} model */
function paintLabels({ctx, labels, tiles}, model) {
  const {font, ink, ink2} = canvasColours();
  setFont(ctx, font);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  let last = "";
  for (let at = 0; at < labels.count; at++) {
    const name = labels.name[at], colour = labels.ink[at];
    const text = labels.text[at] || (name < 0 ? model.threadName(-1 - name) : tiles.nameOf(name));
    if (!text) continue;
    const fit = fitted(ctx, labels.text[at] || name, text, labels.room[at]);
    if (!fit) continue;
    const style = colour === -2 ? ink : colour < 0 ? ink2 : inks[colour];
    if (style !== last) ctx.fillStyle = last = style;
    ctx.fillText(fit, labels.x[at], labels.y[at] + BAR / 2 + 0.5);
  }
}

/**
 * @typedef {object} Overlay things drawn over the rows
 * @property {import("app/state").State} state
 * @property {number} height px
 * @property {number | null} cursor ns
 * @property {{x0: number, x1: number, y: number, high: number}[]} outlines
 * @property {{y: number, high: number}[] | null} shaded where a selected range is shaded
 * @property {any[]} flows
 * @property {(row: number, level: number) => number | null} yOf middle of a lane
 */

/** @param {Scene} scene @param {Overlay} over */
export function paintOverlay(scene, {state, height, cursor, outlines, shaded, flows, yOf}) {
  const {ctx, width} = scene;
  const colours = canvasColours();
  paintFlows(scene, flows, yOf);
  ctx.lineWidth = 2;
  ctx.strokeStyle = colours.ink;
  for (const {x0, x1, y, high} of outlines) ctx.strokeRect(Math.max(-4, x0), y, Math.min(width + 4, Math.max(x1, x0 + 2)) - Math.max(-4, x0), high);
  ctx.fillStyle = colours.row;
  ctx.fillRect(0, 0, width, RULER);
  ctx.fillStyle = colours.line;
  ctx.fillRect(0, RULER - 1, width, 1);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, 0, width, RULER);
  ctx.clip();
  const badges = badgesOf(scene, state, cursor);
  paintRuler(scene, RULER, badges);
  ctx.restore();
  paintMarks(scene, state.marks, height);
  const extent = extentOf(state.selection);
  if (extent) paintRange(scene, ...extent, height, shaded);
  if (cursor !== null) paintCursor(scene, cursor, height);
  paintBadges(scene, badges);
}

/** The top of a lane in a row. */
export const laneTop = (/** @type {number} */ y, /** @type {number} */ strip, /** @type {number} */ level) => y + 3 + strip + level * LANE;
