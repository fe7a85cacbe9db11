// Totals of the selected range: names, threads, CPUs, counters.
import {el} from "ui/dom";
import {amount, columnTime, count, plural, span, time} from "ui/format";
import {tabs} from "ui/tabs";
import {copy} from "ui/toast";
import {virtualTable} from "ui/virtual_table";
import {isAbort} from "source/source";
import {SAMPLES} from "source/stacks";
import {comparison} from "panels/compare";
import {baseOf, savedRanges} from "panels/saved";
import {among, threadsOf} from "timeline/range_scope";
import {KIND, threadRow, tidOf, withTid} from "timeline/rows";

/** @typedef {import("ui/virtual_table").Column<any>} Column */

const LIMIT = 5000;

/** A column of times. @param {string} id @param {string} label @param {string} [title] @returns {Column} */
const ns = (id, label, title) => ({id, label, title, width: Math.max(92, label.length * 8), key: row => row[id] ?? -1, show: row => row[id] == null ? "" : row[id] ? columnTime(row[id]) : "0"});
/** @param {string} id @param {string} label @param {number} [width] @returns {Column} */
const text = (id, label, width = 220) => ({id, label, width, text: true, key: row => String(row[id]), show: row => String(row[id])});
/** @param {string} id @param {string} label @param {(value: number) => string} show @returns {Column} */
const figure = (id, label, show, width = 80) => ({id, label, width, key: row => row[id], show: row => show(row[id])});

/** The process of a row, with its number: `com.app · pid 7`. @param {import("app/panels").Context["rows"]} rows @param {number} row */
function processOf({kind, names, notes, parent}, row) {
  const up = parent[row];
  if (kind[up] !== KIND.process) return "";
  return [names[up], (notes[up] ?? "").split(" · ")[0]].filter(Boolean).join(" · ");
}

/** Adds the facts that tell rows of the same name apart. @param {import("app/panels").Context["rows"]} rows @param {any[]} list */
function identify(rows, list) {
  for (const found of list) {
    found.process = processOf(rows, found.row);
    found.tid = tidOf(rows, found.row);
  }
}

/** @type {Column} */
const PROCESS = {...text("process", "Process"), fixed: true};
/** @type {Column} */
const TID = {id: "tid", label: "TID", title: "The thread's number", width: 70, key: row => row.tid || -1, show: row => row.tid >= 0 ? String(row.tid) : ""};

/** A column of durations, which only slices that ended have. @param {string} id @param {string} label @returns {Column} */
const ended = (id, label) => {
  const column = ns(id, label), show = column.show;
  return {...column, show: row => row.unfinished === row.count ? "" : show(row)};
};

/** Shown where a slice never ended. @type {Column} */
const UNFINISHED = ns("unfinished_ns", "Unfinished", "Time of unfinished slices, without the finished slices inside them. Not in any other column");

/** @type {Record<string, {title: string, columns: Column[], sort: string}>} */
const VIEWS = {
  by_name: {title: "Calls", sort: "total_ns", columns: [text("label", "Name", 260), figure("count", "Count", count), ns("total_ns", "Total", "Time within the range, nested calls of the same name once"), ns("self_ns", "Self"),
    ended("min_ns", "Min"), ended("median_ns", "Median"), ended("p95_ns", "95 %"), ended("max_ns", "Max")]},
  threads: {title: "Threads", sort: "running_ns", columns: [text("label", "Thread"), TID, PROCESS, ns("running_ns", "Running"), ns("runnable_ns", "Runnable"), ns("sleeping_ns", "Sleeping"), ns("uninterruptible_ns", "Uninterruptible"), ns("io_ns", "I/O"), ns("other_ns", "Other")]},
  cpus: {title: "CPUs", sort: "", columns: [{id: "cpu", label: "CPU", width: 60, key: row => row.cpu, show: row => String(row.cpu)}, ns("busy_ns", "Busy"), figure("percent", "Share", value => `${value.toFixed(1)} %`),
    {id: "top", label: "Most on it", width: 300, text: true, show: row => row.top.map((/** @type {any} */ {label, ns}) => `${label} ${time(ns)}`).join(" · ")}]},
  counters: {title: "Counters", sort: "", columns: [text("label", "Counter"), PROCESS, figure("min", "Min", amount, 130), figure("max", "Max", amount, 130), figure("mean", "Mean", amount, 130), figure("last", "Last", amount, 130)]},
};

/** @param {any[]} rows @param {Column | undefined} column @param {boolean} down */
function sortRows(rows, column, down) {
  const {key} = column ?? {};
  if (!key) return rows;
  return [...rows].sort((a, b) => {
    const x = key(a), y = key(b);
    return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
  });
}

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
export function mountRange(element, store, source, context) {
  element.classList.add("stack");
  const title = el("span", {class: "range-title", role: "status", "data-testid": "range-title"});
  const views = tabs({label: "Sums of the range"}), saved = savedRanges(store, context), compared = comparison(source, context);
  views.list.classList.add("small-tabs");
  const hint = el("p", {class: "panel-hint"}, "Drag over the timeline to select a range, or press ", el("kbd", {}, "R"), " to take what is on the screen.");
  const zoom = el("button", {type: "button", class: "button", onclick: () => answerRange && context.zoomTo(answerRange.from, answerRange.to)}, "Zoom to it");
  const flame = el("button", {type: "button", class: "button", "data-testid": "range-flame", onclick: () => {
    const {selection, profile} = store.get();
    // A trace without calls has a flame graph of its samples.
    if (selection?.kind === "range" && !context.meta.counts.slices && context.meta.records?.[SAMPLES]) store.set({panel: "samples", chosen: true});
    else if (selection?.kind === "range") store.set({panel: "profile", profile: {...profile, tab: "flame", scope: {from: selection.from, to: selection.to, ...threadsOf(context.rows, selection.rows)}}});
  }}, "Flame graph");
  const csv = el("button", {type: "button", class: "button", onclick: () => copy((tables[views.current()] ?? compared.table).text("\t"), "Table")}, "Copy table");
  const bar = el("div", {class: "panel-bar"}, title, views.list, el("span", {class: "gap"}), saved.save, flame, zoom, csv);
  /** @type {Record<string, ReturnType<typeof virtualTable<any>>>} */
  const tables = {};
  /** @type {any} */
  let answer = null;
  /** @type {{from: number, to: number} | null} */
  let answerRange = null;
  /** @type {AbortController | null} */
  let abort = null;

  for (const [id, {title, columns, sort}] of Object.entries(VIEWS)) {
    const table = tables[id] = virtualTable({label: title, testid: `range-${id}`, columns,
      onSort: () => fill(id),
      onEnter: row => row.row !== undefined ? context.showRow(row.row) : show(id, row),
      onSelect: row => { if (id === "by_name") show(id, row); }});
    views.add(id, title, panel => panel.append(table.element));
    if (sort) table.sort(sort, true);
  }
  views.add("compared", "Compared", panel => panel.append(compared.element));
  views.show("compared", false);
  views.select("by_name");

  /** @param {string} id @param {any} row */
  function show(id, row) {
    if (id === "threads") {
      const at = threadRow(context.rows, row.utid);
      if (at >= 0) context.showRow(at);
    } else if (id === "by_name") source.ask({op: "same", name: row.name, ...answerRange, limit: 1}).then(({slice}) => { if (slice.length) context.goTo(slice[0]); }, () => {});
  }

  /** @param {string} id */
  function fill(id) {
    if (!answer || !tables[id]) return;
    const {column, down} = tables[id].sorted();
    tables[id].setRows(sortRows(answer[id] ?? [], VIEWS[id].columns.find(({id}) => id === column), down));
  }

  /** Shows the column of unfinished time if there is any. */
  function arrange() {
    const {columns} = VIEWS.by_name, has = columns.includes(UNFINISHED);
    if (has === answer.by_name.some((/** @type {any} */ row) => row.unfinished_ns > 0)) return;
    if (has) columns.splice(columns.indexOf(UNFINISHED), 1);
    else columns.splice(4, 0, UNFINISHED);
    tables.by_name.setColumns(columns);
  }

  /** Limits CPUs and counters to the chosen rows. A thread's row has no CPUs or counters. @param {any} found @param {number[]} rows @param {{from: number, to: number}} range @param {AbortSignal} signal */
  async function ofRows(found, rows, range, signal) {
    const all = rows.some(row => context.rows.kind[row] !== KIND.thread) ? await source.ask({op: "range", ...range, limit: 0}, {signal}) : found, has = among(context.rows, rows);
    found.cpus = all.cpus?.filter((/** @type {any} */ {row}) => has(row));
    found.counters = all.counters?.filter((/** @type {any} */ {row}) => has(row));
  }

  /** Shows the comparison with the saved range that is marked as its base. @param {boolean} [open] */
  function compare(open) {
    const base = baseOf(store.get());
    views.show("compared", !!base);
    if (base) compared.show(base, store.get().selection);
    if (base && open) views.select("compared");
    if (!base && views.current() === "compared") views.select("by_name");
  }

  async function follow() {
    const {selection} = store.get();
    if (selection?.kind !== "range") {
      // The totals stay while one of their rows is selected.
      if (!answer || !selection) {
        abort?.abort();
        element.replaceChildren(saved.list, hint);
      }
      return;
    }
    if (element.firstChild !== bar) element.replaceChildren(bar, saved.list, views.body);
    const {from, to, rows} = selection;
    title.textContent = `${span(from, to)}${rows ? ` · ${plural(rows.length, "row")}` : ""}`;
    abort?.abort();
    const mine = abort = new AbortController();
    // While the range is still being drawn, only its last state is worth an answer.
    await new Promise(resolve => setTimeout(resolve, 80));
    if (mine.signal.aborted) return;
    try {
      answer = await source.ask({op: "range", from, to, ...threadsOf(context.rows, rows), limit: LIMIT}, {signal: mine.signal});
      answerRange = {from, to};
      if (rows) await ofRows(answer, rows, {from, to}, mine.signal);
      for (const id of ["threads", "counters"]) identify(context.rows, answer[id] ?? []);
      for (const {top} of answer.cpus ?? []) for (const used of top) used.label = withTid(context.rows, threadRow(context.rows, used.utid), used.label);
      arrange();
      for (const id of Object.keys(VIEWS)) {
        views.show(id, id === "by_name" || answer[id]?.length > 0);
        fill(id);
      }
      compare();
      if (!answer.by_name.length) title.append(" · no calls");
      const filled = Object.keys(VIEWS).find(id => answer[id]?.length);
      if (!context.meta.counts.slices && filled && views.current() === "by_name") views.select(filled);
      if (views.current() !== "by_name" && views.current() !== "compared" && !answer[views.current()]?.length) views.select("by_name");
    } catch (error) {
      if (!isAbort(error)) title.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  let base = "";
  const chosen = () => JSON.stringify(store.get().ranges.find(range => range.base) ?? "");
  store.on(["selection"], follow);
  store.on(["ranges"], () => { if (chosen() !== base) { base = chosen(); compare(true); } });
  base = chosen();
  follow();
}
