// The columns of a comparison: each number before and after, and its change.
import {el} from "ui/dom";
import {elided, fullName, signature} from "panels/cells";
import {count, ms} from "panels/numbers";

/** @typedef {{base: number, new: number, delta: number, percent: number | null}} Change */

/**
 * @typedef {object} DiffRow
 * @property {string} label
 * @property {string} [signature]
 * @property {"both" | "new" | "gone"} presence
 * @property {Change} calls
 * @property {Change} inclusive times, ns; of samples percent of all samples
 * @property {Change} exclusive
 * @property {Change} [unfinished] missing if every slice ended
 */
/** @typedef {import("ui/virtual_table").Column<DiffRow>} Column */
/** @typedef {"calls" | "inclusive" | "exclusive" | "unfinished"} Kind */

/** @param {number} value @param {(value: number) => string} show */
export const signed = (value, show) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${show(Math.abs(value))}`;

/** @param {Change} change */
export const percentOf = ({percent, base}) => percent === null ? (base ? "" : "new") : `${signed(percent, value => value.toFixed(1))}`;

/** @param {number} share percent */
export const hundredths = share => share.toFixed(2);

const NOTHING = {base: 0, new: 0, delta: 0, percent: 0};

/** @param {HTMLElement} cell @param {Change} change @param {string} text */
function tint(cell, {delta}, text) {
  cell.textContent = text;
  cell.classList.add(delta > 0 ? "more" : delta < 0 ? "less" : "same");
}

/** The number before and after, and the difference. @param {Kind} which @param {string} label @param {string} unit @param {(value: number) => string} show @param {string} [change] the unit of the difference @returns {Column[]} */
function sides(which, label, unit, show, change = unit) {
  const of = (/** @type {DiffRow} */ row) => row[which] ?? NOTHING;
  return [
    {id: `${which}-base`, label: `${label}\nbefore${unit}`, width: 92, key: row => of(row).base, show: row => show(of(row).base)},
    {id: `${which}-new`, label: `${label}\nafter${unit}`, width: 84, key: row => of(row).new, show: row => show(of(row).new)},
    {id: `${which}-delta`, label: `${label}\nchange${change}`, width: 102, key: row => Math.abs(of(row).delta), show: row => signed(of(row).delta, show),
      draw: (cell, row) => tint(cell, of(row), signed(of(row).delta, show)), title: "After minus before, sorted by absolute value"},
  ];
}

/** @param {Kind} which @param {string} label @returns {Column[]} */
function group(which, label) {
  const of = (/** @type {DiffRow} */ row) => row[which] ?? NOTHING;
  return [...which === "calls" ? sides(which, label, "", count) : sides(which, label, " (ms)", ms),
    {id: `${which}-percent`, label: `${label}\nchange %`, width: 80, key: row => Math.abs(of(row).percent ?? (of(row).delta ? Infinity : 0)), show: row => percentOf(of(row)), csv: [[`${label} change %`, row => of(row).percent?.toFixed(1) ?? ""]],
      draw: (cell, row) => tint(cell, of(row), percentOf(of(row)))}];
}

/** @type {Column} */
const NAME = {id: "name", label: "Name", width: 280, text: true, key: row => row.label, show: row => `${row.label}${row.signature ?? ""}`,
  csv: [["Name", row => row.label], ["Signature", row => row.signature ?? ""], ["Presence", row => row.presence]], draw(cell, row) {
    const tag = row.presence === "both" ? [] : [el("span", {class: `tag ${row.presence}`}, row.presence)];
    cell.title = fullName(row);
    cell.replaceChildren(...tag, elided(row.label), signature(row));
  }};

/** The columns of times and calls. @param {boolean} [unfinished] whether a slice never ended @returns {Column[]} */
export const changeColumns = unfinished => [NAME, ...group("exclusive", "Excl"), ...group("inclusive", "Incl"), ...group("calls", "Calls"), ...(unfinished ? group("unfinished", "Unfinished") : [])];

/** The columns of shares of samples. @type {Column[]} */
export const SHARES = [NAME, ...sides("exclusive", "Self", " (%)", hundredths, " (pp)"), ...sides("inclusive", "Total", " (%)", hundredths, " (pp)")];
