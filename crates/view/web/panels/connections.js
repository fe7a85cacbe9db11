// Connections of the selected call or state, as links: its waker, the threads that it woke, the other end of binder calls, the owner of a lock.
import {el} from "ui/dom";
import {elide, moment} from "ui/format";
import {KIND, withTid} from "timeline/rows";

/** The most links of a kind. */
const MOST = 12;
/** How ART and Android's futex marks name the owner of a lock: its thread's number. */
const OWNER = /(?:contention with owner .*?\((\d+)\)|owner tid: (\d+))/;

/** The row of the thread that owns the lock that a slice waits for, or -1. @param {string} label of the slice @param {any} rows */
export function ownerRow(label, {kind, notes}) {
  const found = OWNER.exec(label), tid = found?.[1] ?? found?.[2];
  return tid ? notes.findIndex((/** @type {string} */ note, /** @type {number} */ row) => kind[row] === KIND.thread && note.split(" · ")[0] === `tid ${tid}`) : -1;
}

/** Goes to an end of an arrow: its call, or the state of its thread. @param {import("app/state").Store} store @param {import("app/panels").Context} context @param {any} end */
function goToEnd(store, context, {slice, row, ts}) {
  if (slice != null) return context.goTo(slice);
  if (row == null) return;
  store.set({selection: {kind: "state", row, ts}});
  context.showRow(row);
}

/**
 * @param {any[]} flows the engine's answer to `flows` @param {number} row of the selection @param {import("app/state").Store} store @param {import("app/panels").Context} context
 * @returns {HTMLElement | null}
 */
export function connections(flows, row, store, context) {
  const {names} = context.rows;
  const groups = /** @type {[string, any[]][]} */ ([["Woken by", []], ["Wakes", []], ["Arrows from", []], ["Arrows to", []]]);
  for (const flow of flows) {
    const {kind, from, to} = flow;
    if (!from || !to) continue;
    const here = to.row === row, wakes = kind === "wakeup";
    groups[(wakes ? 0 : 2) + (here ? 0 : 1)][1].push(here ? from : to);
  }
  const shown = groups.filter(([, ends]) => ends.length);
  if (!shown.length) return null;
  const line = (/** @type {any} */ end) => el("li", {}, el("button", {type: "button", class: "link", onclick: () => goToEnd(store, context, end)}, elide(end.row === null ? end.label : names[end.row] === end.label ? withTid(context.rows, end.row) : `${end.label} · ${withTid(context.rows, end.row)}`, 160)), el("span", {class: "num"}, `at ${moment(end.ts, 1000)}`));
  return el("section", {class: "block", "data-testid": "connections"}, ...shown.flatMap(([title, ends]) => [el("h3", {}, title), el("ul", {class: "calls"}, ...ends.slice(0, MOST).map(line))]));
}
