// What a thread waited for: the chain of threads, one after the other, as a row and a table.
import {el} from "ui/dom";
import {columnTime, elide, moment, time} from "ui/format";
import {virtualTable} from "ui/virtual_table";
import {isAbort} from "source/source";

/** @type {import("app/panels").Panel} */
export const whyPanel = {id: "why", title: "Why", mount, when: meta => meta.has?.states};

/** The question about a selection; null if the selection has no thread and time. @param {import("app/state").Selection} selection @param {any} rows */
export function questionOf(selection, rows) {
  if (selection?.kind === "slice") return {slice: selection.id};
  return selection?.kind === "state" && selection.end !== undefined ? {utid: rows.utid[selection.row], from: selection.ts, to: selection.end} : null;
}

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
function mount(element, store, source, context) {
  element.classList.add("stack");
  /** @type {any[]} */
  let parts = [];
  /** The question that was asked last. @type {any} */
  let asked = null;
  let abort = new AbortController();
  const title = el("span", {class: "range-title", role: "status", "data-testid": "why-title"});
  const row = el("div", {class: "why-row", "data-testid": "why-row"});
  const table = virtualTable({label: "What it waited for", testid: "why-table", rowHeight: 22, onSelect: part => show(part), onEnter: part => show(part), columns: [
    {id: "ts", label: "At", width: 110, show: ({ts}) => moment(ts, 1000)},
    {id: "dur", label: "Time", width: 90, show: ({ts, end}) => columnTime(end - ts)},
    {id: "thread", label: "Thread", width: 230, text: true, fixed: true, show: ({thread, depth}) => `${"\u2003".repeat(Math.min(depth, 12))}${elide(thread, 160)}`},
    {id: "state", label: "State", width: 165, text: true, fixed: true, show: ({state}) => state, draw: (cell, {state, colour}) => cell.replaceChildren(el("i", {class: `state-dot s-${colour}`}), state)},
    {id: "name", label: "In", width: 200, text: true, fixed: true, show: ({name}) => elide(name, 200)},
    {id: "why", label: "Why", width: 240, text: true, show: ({why}) => elide(why, 300)}]});
  const hint = el("p", {class: "panel-hint"});

  /** The hint without a path: explain the selection, or select something. */
  function invite() {
    const question = questionOf(store.get().selection, context.rows);
    hint.replaceChildren(...question
      ? ["What did the selection wait for? ", el("button", {type: "button", class: "button", "data-testid": "why-ask", onclick: () => store.set({why: question})}, "Why did it wait?")]
      : ["Select a call or a state of a thread."]);
  }

  /** Shows a part in the time line; the path stays. @param {any} part */
  function show({row, ts, end}) {
    if (row === null) return;
    store.set({selection: {kind: "state", row, ts, end}});
    context.showRow(row);
    const {from, to} = store.get().view;
    if (ts < from || end > to) context.zoomTo(Math.max(0, ts - (end - ts)), end + (end - ts));
  }

  function draw() {
    row.replaceChildren(...parts.map((part, at) => {
      const box = el("button", {type: "button", tabindex: "-1", class: `why-part s-${part.colour}`, title: `${part.thread}: ${part.why || part.state}, ${time(part.end - part.ts)}`, "aria-hidden": "true", onclick: () => { table.select(at, true); show(part); }});
      box.style.flexGrow = String(part.end - part.ts);
      box.style.marginTop = `${Math.min(part.depth, 3) * 7}px`;
      return box;
    }));
  }

  async function load() {
    const {why} = store.get();
    asked = why;
    if (!why) {
      invite();
      return element.replaceChildren(hint);
    }
    abort.abort();
    const mine = abort = new AbortController();
    element.replaceChildren(el("div", {class: "panel-bar"}, title), row, el("div", {class: "tab-body"}, table.element));
    try {
      const answer = await source.ask({op: "why", ...why}, {signal: mine.signal});
      ({parts} = answer);
      title.textContent = `${elide(answer.thread, 120)}: ${time(answer.to - answer.from)}${answer.cut ? ", the first part of it" : ""}`;
      table.setRows(parts);
      draw();
    } catch (error) {
      if (isAbort(error)) return;
      parts = [];
      table.setRows(parts);
      draw();
      title.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** While the tab is open, it answers for the selection. A part of the path, and a question that was just asked, keep the answer. */
  function follow() {
    const {panel, why, selection} = store.get(), question = panel === "why" && why === asked ? questionOf(selection, context.rows) : null;
    const part = selection?.kind === "state" && parts.some(({row, ts, end}) => row === selection.row && ts === selection.ts && end === selection.end);
    if (question && !part && JSON.stringify(question) !== JSON.stringify(why)) store.set({why: question});
    else if (!why) invite();
  }
  store.on(["panel", "selection"], follow);
  store.on(["why"], load);
  load();
  if (!store.get().why) follow();
}
