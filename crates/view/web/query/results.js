// The table of a result, with links from its rows to the time line.
import {el} from "ui/dom";
import {count, elide, oneLine, plural} from "ui/format";
import {virtualTable} from "ui/virtual_table";
import {saveText} from "panels/save";
import {csvOf, isNumber, numberOf, textOf} from "query/cells";
import {jumping} from "query/jump";
import {trackOf} from "query/track";

/** The most letters of a cell. The rest is in the saved file. */
const LONG = 500;
/** The rows from which the widths of columns are measured. */
const LOOKED_AT = 50;

/** @param {import("query/server").Result} result @param {number} nth @returns {import("ui/virtual_table").Column<any>} */
function columnOf({columns, rows}, nth) {
  const some = rows.slice(0, LOOKED_AT), numbers = some.some(row => isNumber(row[nth])) && some.every(row => row[nth] === null || isNumber(row[nth]));
  const letters = Math.max(columns[nth].length, ...some.map(row => Math.min(60, textOf(row[nth]).length)));
  return {id: `q${nth}`, label: elide(columns[nth], 60), width: Math.max(56, Math.min(420, letters * (numbers ? 7.9 : 7.2) + 22)), text: !numbers, fixed: !numbers && nth < columns.length - 1,
    key: row => numbers ? numberOf(row[nth]) : textOf(row[nth]), show: row => elide(textOf(row[nth]), LONG),
    draw: (cell, row) => {
      cell.textContent = row[nth] === null ? "NULL" : oneLine(elide(textOf(row[nth]), LONG));
      cell.classList.toggle("null", row[nth] === null);
      if (!numbers) cell.title = cell.textContent;
    }};
}

/** @param {any} a @param {any} b */
const order = (a, b) => Number.isNaN(a) ? (Number.isNaN(b) ? 0 : -1) : Number.isNaN(b) ? 1 : a < b ? -1 : a > b ? 1 : 0;

/** How many rows there are, and how many are shown. @param {import("query/server").Result} result */
export function summary({rows, total, ms, notes}) {
  const took = [ms === undefined ? "" : `${count(ms)} ms`, ...notes ?? []].filter(Boolean).map(part => ` · ${part}`).join("");
  if (rows.length < total) return `The first ${count(rows.length)} of ${plural(total, "row")}${took}`;
  return plural(total, "row") + took;
}

/**
 * @param {import("query/server").Result} result @param {string} name of a track and of a saved file
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
export function results(result, name, store, source, context) {
  const jump = jumping(result, store, source, context);
  const columns = result.columns.map((_, nth) => columnOf(result, nth));
  const table = virtualTable({label: `Result: ${elide(name, 100)}`, testid: "query-table", rowHeight: 22, columns,
    onSelect: row => void jump.go(row), onEnter: row => void jump.go(row, true), onSort: sort});
  function sort() {
    const {column, down} = table.sorted(), key = columns.find(({id}) => id === column)?.key;
    if (key) table.setRows([...result.rows].sort((a, b) => order(key(a), key(b)) * (down ? -1 : 1)));
  }
  table.setRows(result.rows);
  const track = trackOf(result, name, jump);
  const toTrack = el("button", {type: "button", class: "button", "data-testid": "query-track", title: "Show these rows on the timeline",
    onclick: () => track && store.set({tracks: [...store.get().tracks.filter(({title}) => title !== track.title), track]})}, "Show as track");
  toTrack.hidden = !track;
  const save = el("button", {type: "button", class: "button", "data-testid": "query-save", onclick: () => saveText("result.csv", "text/csv", csvOf(result))}, "Save CSV");
  save.hidden = !result.columns.length;
  return {element: table.element, tools: [toTrack, save]};
}
