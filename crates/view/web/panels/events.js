// Events without a table of their own: a list with their fields, and filters. A click shows an event in the timeline.
import {el} from "ui/dom";
import {count, elide, exact, plural} from "ui/format";
import {MOST, PAGE, PENDING, known, pages} from "ui/pages";
import {virtualTable} from "ui/virtual_table";
import {isAbort} from "source/source";
import {rangeBox, scopeOf} from "timeline/range_scope";
import {KIND} from "timeline/rows";

/** @typedef {import("ui/virtual_table").Column<any>} Column */

const WAIT = 150;
const ROW_HEIGHT = 22;

/** @type {import("app/panels").Panel} */
export const eventsPanel = {id: "events", title: "Events", mount, when: meta => meta.counts?.ftrace_events > 0};

/** @type {Column[]} */
const FIXED = [
  {id: "ts", label: "At", width: 120, show: known(({ts}) => exact(ts))},
  {id: "label", label: "Event", width: 200, text: true, fixed: true, show: known(({label}) => label)},
  {id: "thread", label: "Thread", width: 170, text: true, fixed: true, show: known(({thread, tid}) => tid >= 0 ? `${thread} (${tid})` : thread)},
  {id: "cpu", label: "CPU", width: 56, show: known(({cpu}) => cpu === null ? "" : String(cpu))},
];

/** The maximum number of fields with a column, as in the engine. */
const MOST_KEYS = 40;

/** The columns of the fields, and one for all other fields. @param {string[]} keys @param {any[]} events the first ones @returns {Column[]} */
const columnsOf = (keys, events) => [...FIXED,
  ...keys.map((key, nth) => ({id: `field-${nth}`, label: elide(key, 40), title: `The field ${elide(key, 200)}`, width: Math.max(70, Math.min(180, key.length * 8 + 20)), text: true, show: known(({values}) => values[nth] ?? "")})),
  ...(keys.length === 0 || keys.length >= MOST_KEYS || events.some(({more}) => more) ? [{id: "more", label: "Other fields", width: 140, text: true, show: known(({more}) => more)}] : [])];

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
function mount(element, store, source, context) {
  element.classList.add("stack");
  const {kind, cpu, utid, names, notes} = context.rows;
  const name = el("input", {type: "search", class: "control find", placeholder: "Event", "aria-label": "Only events whose name contains this", list: "event-names", "data-testid": "events-name", spellcheck: "false"});
  const list = el("datalist", {id: "event-names"});
  const thread = el("input", {type: "search", class: "control find", placeholder: "Thread", "aria-label": "Only threads whose name or tid contains this", "data-testid": "events-thread", spellcheck: "false"});
  const cpus = el("select", {class: "control", "aria-label": "Only one CPU", "data-testid": "events-cpu"}, el("option", {value: ""}, "All CPUs"));
  for (let row = 0; row < kind.length; row++) if (kind[row] === KIND.cpu && context.rows.flags[row] & 32) cpus.append(el("option", {value: String(cpu[row])}, names[row]));
  const range = rangeBox(store, "events-range", () => renew());
  const title = el("span", {class: "hits", role: "status", "data-testid": "events-title"});
  const bar = el("div", {class: "panel-bar"}, name, list, thread, cpus, el("label", {}, range, " Selected range"), el("span", {class: "gap"}), title);
  const table = virtualTable({label: "Events", testid: "events-table", rowHeight: ROW_HEIGHT, columns: columnsOf([], []),
    onSelect: (event, at) => choose(event, at), onEnter: event => show(event)});
  element.replaceChildren(bar, el("div", {class: "tab-body"}, table.element));

  /** @type {AbortController} */
  let abort = new AbortController();
  let waiting = 0, fields = "", followed = false;
  /** A selected row that has not arrived yet, or -1. */
  let chosen = -1;
  /** Pages that were requested. @type {Set<number>} */
  const asked = new Set();
  const held = pages(page => { if (!asked.has(page)) { asked.add(page); queueMicrotask(() => load(page)); } });

  /** The threads that match the filter. */
  function threads() {
    const text = thread.value.trim().toLowerCase();
    if (!text) return {};
    const found = new Set();
    for (let row = 0; row < kind.length; row++) if (kind[row] === KIND.thread && (names[row].toLowerCase().includes(text) || (notes[row] ?? "").toLowerCase().includes(text))) found.add(utid[row]);
    return {threads: [...found]};
  }

  /** The question, without the page. */
  function question() {
    const {selection} = store.get();
    return {op: "events", ...(name.value && {text: name.value}), ...(cpus.value && {cpu: Number(cpus.value)}),
      ...(range.checked && scopeOf(context.rows, selection)), ...threads()};
  }

  /** @param {number} page */
  async function load(page) {
    const mine = abort;
    try {
      const answer = await source.ask({...question(), offset: page * PAGE, limit: PAGE}, {signal: mine.signal});
      if (mine !== abort) return;
      held.put(page, answer.events);
      table.refresh();
      if (Math.floor(chosen / PAGE) === page) choose(answer.events[chosen % PAGE] ?? PENDING, -1);
    } catch (error) {
      if (!isAbort(error)) title.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      if (mine === abort) asked.delete(page);
    }
  }

  /** Requests the events again after the filter changed. */
  async function renew() {
    waiting = 0;
    abort.abort();
    const mine = abort = new AbortController();
    asked.clear();
    chosen = -1;
    const {selection} = store.get(), id = selection?.kind === "event" ? selection.id : undefined;
    try {
      const {total, keys, events, place} = await source.ask({...question(), limit: PAGE, ...(id !== undefined && {id})}, {signal: mine.signal});
      if (mine !== abort) return;
      held.clear();
      held.put(0, events);
      if (fields !== keys.join("\n")) table.setColumns(columnsOf(keys, events));
      fields = keys.join("\n");
      table.setRows(held.rows(Math.min(total, MOST)));
      table.select(place ?? -1, true);
      title.textContent = total > MOST ? `The first ${count(MOST)} of ${count(total)} events` : plural(total, "event");
    } catch (error) {
      if (!isAbort(error)) title.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  const later = () => { clearTimeout(waiting); waiting = setTimeout(renew, WAIT); };

  /** @param {any} event @param {number} at its row */
  function choose(event, at) {
    chosen = event.pending ? at : -1;
    show(event);
  }

  /** Shows an event in the timeline without changing the zoom. @param {any} event */
  function show(event) {
    if (event.pending || event.row >= kind.length) return;
    const {from, to} = store.get().view, {row, ts, id} = event;
    followed = true;
    store.set({selection: {kind: "event", row, ts, id}});
    context.showRow(row);
    const wide = to - from, start = Math.max(0, Math.min(ts - wide / 2, context.meta.duration_ns - wide));
    if (ts < from || ts > to) context.zoomTo(start, start + wide);
  }

  /** Selects the event in the table that was selected in the timeline. @param {import("app/state").State} state */
  async function follow({selection}) {
    if (range.checked && selection?.kind === "range") return later();
    if (selection?.kind !== "event" || followed) { followed = false; return; }
    const mine = abort;
    const {place} = await source.ask({...question(), limit: 0, id: selection.id}, {signal: mine.signal}).catch(() => ({}));
    if (mine === abort && place != null && place < MOST) table.select(place, true);
  }

  name.oninput = thread.oninput = later;
  cpus.onchange = renew;
  for (const input of [name, thread]) input.onkeydown = event => event.stopPropagation();
  store.on(["selection"], state => { follow(state).catch(() => {}); });
  source.ask({op: "event_names"}).then(({names}) => list.append(...names.slice(0, 500).map((/** @type {any} */ {label, count: times}) => el("option", {value: label, label: `${label} (${count(times)})`}))), () => {});
  renew();
}
