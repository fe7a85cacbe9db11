// Two ranges side by side: their calls, or their profile, with the differences.
import {el} from "ui/dom";
import {span, time} from "ui/format";
import {virtualTable} from "ui/virtual_table";
import {changeColumns} from "panels/diff_columns";
import {nameOf} from "panels/saved";
import {saveText} from "panels/save";
import {isAbort} from "source/source";
import {threadsOf} from "timeline/range_scope";

/** @typedef {import("panels/diff_columns").DiffRow} DiffRow */

const LIMIT = 5000;

/** @param {number} base @param {number} now @returns {import("panels/diff_columns").Change} */
const change = (base, now) => ({base, new: now, delta: now - base, percent: base ? (now - base) * 100 / base : null});

/**
 * Joins the rows of two answers by name.
 * @param {any[]} before @param {any[]} after @param {(row: any) => [number, number, number]} numbers calls, inclusive, exclusive
 * @returns {DiffRow[]} the largest differences first
 */
function joined(before, after, numbers) {
  const key = (/** @type {any} */ row) => row.label + (row.signature ?? "");
  const old = new Map(before.map(row => [key(row), row])), now = new Map(after.map(row => [key(row), row]));
  const rows = [...new Map([...old, ...now]).entries()].map(([name, {label, signature}]) => {
    const [a, b] = [old.get(name), now.get(name)], was = a ? numbers(a) : [0, 0, 0], is = b ? numbers(b) : [0, 0, 0];
    return /** @type {DiffRow} */ ({label, signature, presence: a && b ? "both" : a ? "gone" : "new", calls: change(was[0], is[0]), inclusive: change(was[1], is[1]), exclusive: change(was[2], is[2])});
  });
  return rows.sort((a, b) => Math.abs(b.exclusive.delta) - Math.abs(a.exclusive.delta));
}

/** @param {import("app/panels").Source} source @param {import("app/panels").Context} context */
export function comparison(source, context) {
  /** @type {DiffRow[]} */
  let rows = [];
  const table = virtualTable(/** @type {import("ui/virtual_table").TableOptions<DiffRow>} */ ({label: "Two ranges", testid: "compared", columns: changeColumns(), classOf: row => `line ${row.presence}`, onSort: sort}));
  const total = el("span", {class: "quiet", role: "status", "data-testid": "compared-total"});
  const what = el("select", {class: "control", "aria-label": "What is compared", "data-testid": "compared-what", onchange: () => load()}, el("option", {value: "range"}, "Calls within the ranges"), el("option", {value: "profile"}, "Profile of the ranges"));
  const element = el("div", {class: "profile"}, el("div", {class: "panel-bar"}, what, total, el("span", {class: "gap"}),
    el("button", {type: "button", class: "button", onclick: () => saveText("ranges.csv", "text/csv", table.csv())}, "CSV")), el("div", {class: "tab-body"}, table.element));
  /** @type {[any, any] | null} the base, and the selected range */
  let sides = null;
  let abort = new AbortController();

  /** @param {string} id @param {boolean} down */
  function sort(id, down) {
    const key = changeColumns().find(column => column.id === id)?.key, sign = down ? -1 : 1;
    if (key) rows.sort((a, b) => { const x = key(a), y = key(b); return x < y ? -sign : x > y ? sign : 0; });
    table.setRows(rows);
  }

  async function load() {
    if (!sides) return;
    abort.abort();
    const {signal} = abort = new AbortController();
    const ask = (/** @type {any} */ {from, to, rows}) => source.ask({op: what.value, from, to, ...threadsOf(context.rows, rows), limit: LIMIT}, {signal});
    try {
      const [before, after] = await Promise.all(sides.map(ask));
      const clock = `${after.clock}_ns`;
      rows = what.value === "range" ? joined(before.by_name, after.by_name, row => [row.count, row.total_ns, row.self_ns])
        : joined(before.rows, after.rows, row => [row.calls + row.recursive_calls, row.inclusive[clock] ?? 0, row.exclusive[clock] ?? 0]);
      const [a, b] = sides.map(({from, to}) => to - from), hidden = (before.names_hidden ?? before.hidden ?? 0) + (after.names_hidden ?? after.hidden ?? 0);
      total.textContent = `${nameOf(sides[0])} (${time(a)}) → ${span(sides[1].from, sides[1].to)}${hidden ? ` · without ${hidden} small names` : ""}`;
      total.title = `${time(b - a)} longer`;
      const {column, down} = table.sorted();
      table.sort(column || "exclusive-delta", column ? down : true);
    } catch (error) {
      if (!isAbort(error)) total.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  return {element, table,
    /** @param {any} base @param {any} now */
    show(base, now) { sides = [base, now]; load(); }};
}
