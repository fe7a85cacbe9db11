// Android's log: a table with filters that follows the time line. A click shows a line's moment.
import {el} from "ui/dom";
import {count, exact, plural} from "ui/format";
import {MOST, PAGE, PENDING, known, pages} from "ui/pages";
import {virtualTable} from "ui/virtual_table";
import {LEVELS, LINES, LOGS, levelOf, linesOf} from "source/logs";
import {isAbort} from "source/source";
import {rangeBox, scopeOf} from "timeline/range_scope";
import {KIND, withTid} from "timeline/rows";

const WAIT = 150;

/** @type {import("app/panels").Panel} */
export const logsPanel = {id: "logs", title: "Logs", mount, when: meta => meta.records?.[LOGS] > 0};

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
function mount(element, store, source, context) {
  element.classList.add("stack");
  const {kind, utid} = context.rows, row = kind.indexOf(KIND.log);
  /** @type {Map<number, string>} */
  const threads = new Map();
  kind.forEach((/** @type {number} */ own, /** @type {number} */ at) => { if (own === KIND.thread) threads.set(utid[at], withTid(context.rows, at)); });
  const text = el("input", {type: "search", class: "control find", placeholder: "Tag or message", "aria-label": "Only lines that contain this", "data-testid": "logs-text", spellcheck: "false"});
  const level = el("select", {class: "control", "aria-label": "Minimum level", "data-testid": "logs-level"},
    ...LEVELS.map((name, nth) => el("option", {value: nth ? String(nth + 2) : ""}, nth ? `${name[0].toUpperCase()}${name.slice(1)} and above` : "All levels")).slice(0, -1));
  const range = rangeBox(store, "logs-range", () => renew());
  const title = el("span", {class: "hits", role: "status", "data-testid": "logs-title"});
  const table = virtualTable({label: "Log", testid: "logs-table", rowHeight: 22, onSelect: (line, at) => choose(line, at), onEnter: line => show(line), columns: [
    {id: "ts", label: "At", width: 120, show: known(({ts}) => exact(ts))},
    {id: "level", label: "Level", width: 76, text: true, fixed: true, show: known(({prio}) => levelOf(prio)), draw: (cell, {prio, pending}) => { cell.textContent = pending ? "" : levelOf(prio); cell.classList.toggle("log-warning", prio === 5); cell.classList.toggle("log-error", prio >= 6); }},
    {id: "tag", label: "Tag", width: 170, text: true, fixed: true, show: known(({tag}) => tag)},
    {id: "msg", label: "Message", width: 560, text: true, show: known(({msg}) => msg)},
    {id: "thread", label: "Thread", width: 150, text: true, fixed: true, show: known(({utid}) => threads.get(utid) ?? "")}]});
  element.replaceChildren(el("div", {class: "panel-bar"}, text, level, el("label", {}, range, " Selected range"), el("span", {class: "gap"}), title), el("div", {class: "tab-body"}, table.element));

  let abort = new AbortController(), waiting = 0, chosen = -1, followed = false;
  /** Pages that were requested. @type {Set<number>} */
  const asked = new Set();
  const held = pages(page => { if (!asked.has(page)) { asked.add(page); queueMicrotask(() => load(page)); } });

  function question() {
    const {selection} = store.get();
    return {...LINES, ...(text.value && {text: text.value}), ...(level.value && {at_least: Number(level.value)}),
      ...(range.checked && scopeOf(context.rows, selection))};
  }

  /** @param {number} page */
  async function load(page) {
    const mine = abort;
    try {
      const lines = linesOf(await source.ask({...question(), offset: page * PAGE, limit: PAGE}, {signal: mine.signal}));
      if (mine !== abort) return;
      held.put(page, lines);
      table.refresh();
      if (Math.floor(chosen / PAGE) === page) choose(lines[chosen % PAGE] ?? PENDING, -1);
    } catch (error) {
      if (!isAbort(error)) title.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      if (mine === abort) asked.delete(page);
    }
  }

  async function renew() {
    abort.abort();
    const mine = abort = new AbortController();
    asked.clear();
    chosen = -1;
    try {
      const answer = await source.ask({...question(), offset: 0, limit: PAGE}, {signal: mine.signal});
      if (mine !== abort) return;
      held.clear();
      held.put(0, linesOf(answer));
      table.setRows(held.rows(Math.min(answer.total, MOST)));
      title.textContent = answer.total > MOST ? `The first ${count(MOST)} of ${count(answer.total)} lines` : plural(answer.total, "line");
    } catch (error) {
      if (!isAbort(error)) title.textContent = error instanceof Error ? error.message : String(error);
    }
  }
  const later = () => { clearTimeout(waiting); waiting = setTimeout(renew, WAIT); };

  /** @param {any} line @param {number} at its row */
  function choose(line, at) {
    chosen = line.pending ? at : -1;
    show(line);
  }

  /** @param {any} line */
  function show(line) {
    if (line.pending || row < 0) return;
    const {from, to} = store.get().view, {ts, place} = line, wide = to - from;
    followed = true;
    store.set({selection: {kind: "log", row, ts, id: place}});
    context.showRow(row);
    const start = Math.max(0, Math.min(ts - wide / 2, context.meta.duration_ns - wide));
    if (ts < from || ts > to) context.zoomTo(start, start + wide);
  }

  /** Selects the line in the table that was selected in the time line. @param {import("app/state").State} state */
  async function follow({selection}) {
    if (range.checked && selection?.kind === "range") return later();
    if (selection?.kind !== "log" || followed) { followed = false; return; }
    if (text.value || level.value || range.checked) return;
    if (selection.id !== undefined && selection.id < MOST) table.select(selection.id, true);
  }

  text.oninput = later;
  level.onchange = renew;
  text.onkeydown = event => event.stopPropagation();
  store.on(["selection"], state => { follow(state).catch(() => {}); });
  renew();
}
