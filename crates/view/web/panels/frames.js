// Frames and their deadlines: the apps, and the worst frames with their causes.
import {el} from "ui/dom";
import {columnTime, count, moment, plural, time} from "ui/format";
import {virtualTable} from "ui/virtual_table";
import {link, stateBar} from "panels/details";
import {isAbort} from "source/source";
import {processesOf, rangeBox} from "timeline/range_scope";

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
export function mountFrames(element, store, source, context) {
  element.classList.add("stack");
  /** @type {any[]} */
  let worst = [];
  /** @type {any[]} */
  let shown = [];
  /** @type {import("ui/virtual_table").Column<any>[]} */
  let columns = [];
  const sum = el("div", {class: "frames-apps", tabindex: "0", role: "region", "aria-label": "Apps"});
  const why = (/** @type {any} */ {verdict, blocked_on = [], top = []}) => [...(verdict?.late ? [verdict.jank] : []), ...blocked_on.slice(0, 2).map((/** @type {any} */ on) => `${time(on.ns)} ${on.text}${on.label ? ` (in ${on.label})` : ""}`),
    ...top.slice(0, 2).map((/** @type {any} */ {label, ns}) => `${label} ${time(ns)}`)].join(" · ");
  /** @type {import("ui/virtual_table").Column<any>} */
  const jank = {id: "jank", label: "Jank", title: "The verdict of the frame timeline", width: 130, text: true, fixed: true, key: row => row.verdict?.jank ?? "", show: row => row.verdict?.jank ?? ""};
  const table = virtualTable({label: "Worst frames", testid: "worst-frames", rowHeight: 26,
    onSort: () => fill(), onSelect: row => go(row, false), onEnter: row => go(row, true),
    columns: /** @type {import("ui/virtual_table").Column<any>[]} */ (columns = [
      {id: "dur", label: "Duration", width: 96, key: row => row.dur, show: row => columnTime(row.dur)},
      {id: "missed", label: "Missed", title: "Vsyncs missed", width: 72, key: row => row.missed, show: row => row.missed ? count(row.missed) : "–"},
      {id: "ts", label: "At", width: 110, key: row => row.ts, show: row => moment(row.ts, 1000)},
      {id: "label", label: "App", width: 150, text: true, fixed: true, key: row => row.label, show: row => row.label},
      // Without the scheduler's events, nothing is known about states.
      ...(context.meta.has?.states ? /** @type {import("ui/virtual_table").Column<any>[]} */ ([{id: "states", label: "Where the time went", width: 170, show: row => time(row.running_ns), draw: (cell, row) => cell.replaceChildren(stateBar(row, false))},
      {id: "runnable_ns", label: "CPU wait", title: "Time from wake-up to running (scheduling latency)", width: 100, key: row => row.runnable_ns ?? 0, show: row => row.runnable_ns ? columnTime(row.runnable_ns) : "–"}]) : []),
      {id: "why", label: "What held it", width: 260, text: true, show: why},
    ])});

  /** @param {any} frame @param {boolean} zoom */
  function go(frame, zoom) { context.goTo(frame.slice, zoom); }

  function fill() {
    const {column, down} = table.sorted();
    const key = (/** @type {any} */ row) => row[column];
    shown = !column ? worst : [...worst].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down ? -1 : 1));
    table.setRows(shown);
    follow();
  }

  /** Highlights the frame that is selected, also in the time line. */
  function follow() {
    const {selection} = store.get(), id = selection?.kind === "slice" ? selection.id : -1;
    table.select(shown.findIndex(({slice, render_slice}) => id >= 0 && (slice === id || render_slice === id)), true);
  }

  const range = rangeBox(store, "frames-range", () => load());
  const ofRange = el("label", {}, range, " Selected range");
  let abort = new AbortController(), waiting = 0;

  async function load() {
    abort.abort();
    const {signal} = abort = new AbortController(), {selection} = store.get();
    if (!element.firstChild) element.replaceChildren(el("p", {class: "panel-hint"}, "Looking at the frames…"));
    try {
      const {vsync_ns, vsync_source, deadline_ns, judged, apps, app_row = [], worst: frames} = await source.ask({op: "frames", limit: 200, ...(range.checked && processesOf(context.rows, selection))}, {signal});
      worst = frames;
      if (judged && !columns.includes(jank)) { columns.splice(3, 0, jank); table.setColumns(columns); }
      const about = el("p", {}, vsync_ns ? `A frame every ${time(vsync_ns)}${vsync_source ? ` (${vsync_source})` : ""}` : "", deadline_ns ? `, done within ${time(deadline_ns)} of its tick.` : ".", judged ? ` The frame timeline tells which of ${plural(judged, "frame")} were late.` : "");
      // The apps with most late frames come first.
      const list = apps.map((/** @type {any} */ app, /** @type {number} */ nth) => ({app, row: app_row[nth]})).sort((/** @type {any} */ a, /** @type {any} */ b) => b.app.janky - a.app.janky);
      sum.replaceChildren(about, ofRange, ...list.map((/** @type {any} */ {app, row}) => el("section", {class: "frames-app"}, el("h2", {}, row < context.rows.id.length ? link(app.label, () => context.showRow(row)) : app.label, app.kind !== "app" && el("span", {class: "quiet"}, ` ${app.kind}`)),
        el("p", {}, el("b", {class: app.janky ? "late" : ""}, `${count(app.janky)} late`), ` of ${plural(app.frames, "frame")}${app.missed ? `, ${plural(app.missed, "vsync")} missed` : ""}`),
        el("p", {class: "quiet"}, [["median", app.p50_ns], ["90 %", app.p90_ns], ["99 %", app.p99_ns], ["worst", app.worst_ns]].map(([what, ns]) => `${what} ${time(ns)}`.replaceAll(" ", "\u00a0")).join(" · ")))));
      if (!sum.isConnected) element.replaceChildren(el("div", {class: "frames"}, sum, el("div", {class: "frames-worst"}, table.element)));
      fill();
    } catch (error) {
      if (isAbort(error)) return;
      element.replaceChildren(el("p", {class: "panel-hint bad"}, error instanceof Error ? error.message : String(error)));
    }
  }
  store.on(["selection"], ({selection}) => {
    follow();
    if (!range.checked || selection?.kind !== "range") return;
    clearTimeout(waiting);
    waiting = setTimeout(load, 120);
  });
  load();
}
