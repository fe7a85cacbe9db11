// How counters are drawn: as values, changes or rates, and with which scale. One row can show several counters.
import {amount} from "ui/format";

/** @typedef {import("app/state").CounterSetting} CounterSetting */
/** @typedef {import("timeline/tiles").Piece} Piece */
/** @typedef {{ts: Float64Array, min: Float64Array, max: Float64Array, last: Float64Array, first: number, end: number}} Points */

/** @type {CounterSetting} */
const USUAL = {mode: "value", scale: "zero", also: []}, POWER = {...USUAL, mode: "rate"};

/** The units of counters that have them in their names only: power rails, which count energy, and batteries. @type {[RegExp, string][]} */
const UNITS = [[/^power\.rails\.|^power\..*_uws$/, "µWs"], [/^batt\..*_uah$/, "µAh"], [/^batt\..*_pct$/, "%"], [/^batt\..*_ua$/, "µA"], [/^batt\..*_uv$/, "µV"], [/^batt\..*_mw$/, "mW"], [/^mem\./, "bytes"]];
const ENERGY = "µWs";

/** Adds missing units to the notes of counters. @param {any} rows the engine's answer to `rows` */
export function addUnits({kind, names, notes}) {
  names.forEach((/** @type {string} */ name, /** @type {number} */ row) => { if (kind[row] === 4 && !notes[row]) notes[row] = UNITS.find(([test]) => test.test(name))?.[1] ?? ""; });
}

/** How a row is drawn. A counter of energy shows power. @param {import("app/state").State} state @param {any} rows @param {number} row @returns {CounterSetting} */
export const settingOf = ({counters}, rows, row) => counters[rows.id[row]] ?? (rows.notes[row] === ENERGY ? POWER : USUAL);

/** @type {WeakMap<object, Map<string, Points>>} changes and rates of the points of an answer */
const made = new WeakMap();

/** The points of a row in a mode. @param {Piece} piece @param {CounterSetting["mode"]} mode @returns {Points} */
export function pointsOf({batch: {data}, at: nth}, mode) {
  const {p_ts: ts, p_min, p_max, p_last} = data, first = data.first_point[nth], end = data.first_point[nth + 1];
  if (mode === "value") return {ts, min: p_min, max: p_max, last: p_last, first, end};
  const known = made.get(data) ?? made.set(data, new Map()).get(data), key = `${nth}${mode}`;
  let points = known?.get(key);
  if (points) return points;
  const last = new Float64Array(ts.length);
  for (let at = first; at < end; at++) last[at] = change(p_last, ts, at, first, end, mode);
  points = {ts, min: last, max: last, last, first, end};
  known?.set(key, points);
  return points;
}

/** The change at a point, or the change per second until the next one. @param {Float64Array} last @param {Float64Array} ts @param {number} at @param {number} first @param {number} end @param {"delta" | "rate"} mode */
function change(last, ts, at, first, end, mode) {
  if (mode === "delta") return at > first ? last[at] - last[at - 1] : 0;
  const long = at + 1 < end ? ts[at + 1] - ts[at] : 0;
  return long > 0 ? (last[at + 1] - last[at]) * 1e9 / long : 0;
}

/** The logarithm of a value, with its sign; small values stay as they are. @param {number} value */
export const logOf = value => Math.sign(value) * Math.log1p(Math.abs(value));

/**
 * The least and the largest value to draw.
 * @param {CounterSetting} setting @param {Points[]} all @param {[number, number]} whole of the counters @param {number} from ns @param {number} to @returns {[number, number]}
 */
export function bounds({mode, scale}, all, whole, from, to) {
  if (mode === "value" && scale !== "fit") return [Math.min(0, whole[0]), Math.max(0, whole[1])];
  let low = Infinity, high = -Infinity;
  for (const {ts, min, max, last, first, end} of all) for (let at = first; at < end && ts[at] <= to; at++) {
    if (at + 1 < end && ts[at + 1] <= from) continue;
    low = Math.min(low, ts[at] < from ? last[at] : min[at]);
    high = Math.max(high, ts[at] < from ? last[at] : max[at]);
  }
  if (low > high) return [0, 1];
  if (scale === "fit") return low === high ? [low - 1, high + 1] : [low, high];
  return [Math.min(0, low), Math.max(0, high)];
}

/** The unit of a row's values in a mode. @param {string} unit @param {CounterSetting["mode"]} mode */
export function unitOf(unit, mode) {
  if (mode !== "rate") return unit;
  // An energy per time is a power.
  return unit === ENERGY ? "mW" : unit ? `${unit}/s` : "per second";
}

/** @param {number} value @param {string} unit @param {CounterSetting["mode"]} mode */
export const valueText = (value, unit, mode) => `${mode === "delta" && value > 0 ? "+" : ""}${amount(mode === "rate" && unit === ENERGY ? value / 1000 : value)} ${unitOf(unit, mode)}`.trim();
