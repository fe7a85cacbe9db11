// Scheduling latency: how long a thread that was ready waited for a CPU, and which threads had that CPU during the wait.
import {el} from "ui/dom";
import {count, elide, moment, time} from "ui/format";
import {KIND, threadRow} from "timeline/rows";

/** Longer ranges are not examined, because states shorter than a pixel would be missing. */
const LONGEST = 2e9;
/** The maximum number of pixels of a question. */
const PIXELS = 60_000;
const RUNNING = 1, RUNNABLE = 2, PREEMPTED = 3;

/**
 * @typedef {{from: number, to: number, cpu: number, held: Map<number, number>}} Wait from the wake-up to running;
 *   `cpu`: where it ran afterwards; `held`: ns per thread (utid) that ran there during the wait
 */

/** The entries of one row of an answer to `window`. @param {any} data @param {number} nth */
function* statesOf(data, nth) {
  for (let at = data.first_state[nth]; at < data.first_state[nth + 1]; at++) yield {ts: data.t_ts[at], end: data.t_end[at], state: data.t_state[at], who: data.t_who[at]};
}

/**
 * The waits for a CPU of a thread's row that overlap a time.
 * @param {import("app/panels").Source} source @param {import("app/panels").Context} context @param {number} row @param {number} from ns @param {number} to @returns {Promise<Wait[]>}
 */
export async function waitsOf(source, {rows}, row, from, to) {
  const cpus = /** @type {number[]} */ ([]);
  rows.kind.forEach((/** @type {number} */ kind, /** @type {number} */ at) => { if (kind === KIND.cpu) cpus.push(at); });
  const px = Math.max(1, (to - from) / PIXELS);
  // The range ends slightly after the wait, because the next state has the CPU on which the thread then ran.
  const data = await source.ask({op: "window", rows: [row, ...cpus], from, to: to + 100 * px, px_ns: px, min_level: 0, max_level: 0}, {priority: 1});
  const states = [...statesOf(data, 0)];
  return states.flatMap(({ts, end, state}, at) => {
    if (state !== RUNNABLE && state !== PREEMPTED) return [];
    // The state after it is on the CPU that it waited for.
    const next = states[at + 1], cpu = next?.state === RUNNING ? next.who : -1, nth = cpus.findIndex(one => rows.cpu[one] === cpu);
    /** @type {Map<number, number>} */
    const held = new Map();
    if (nth >= 0) for (const run of statesOf(data, nth + 1)) {
      const shared = Math.min(run.end, end) - Math.max(run.ts, ts);
      if (shared > 0) held.set(run.who, (held.get(run.who) ?? 0) + shared);
    }
    return [{from: ts, to: end, cpu, held}];
  });
}

/** The thread's row, the time and the subject of the question, for a selection. @param {import("app/panels").Source} source @param {import("app/panels").Context} context @param {import("app/state").Selection} selection */
async function question(source, {rows}, selection) {
  if (selection?.kind === "slice") return {row: selection.row, from: selection.ts, to: selection.end};
  if (selection?.kind !== "state" && selection?.kind !== "sched") return null;
  const {ts, end = ts} = selection;
  let {row} = selection;
  if (selection.kind === "sched") {
    const {thread} = await source.ask({op: "at", row, ts, what: "sched"});
    row = thread ? threadRow(rows, thread.utid) : -1;
    if (row < 0) return null;
  }
  const here = await source.ask({op: "at", row, ts, what: "state"});
  // A thread that runs: the wait before it ran.
  if (here.state !== RUNNING) return {row, from: ts, to: Math.max(end, here.end ?? end) + 1};
  const before = here.ts > 0 ? await source.ask({op: "at", row, ts: here.ts - 1, what: "state"}) : null;
  return before && (before.state === RUNNABLE || before.state === PREEMPTED) ? {row, from: before.ts, to: here.ts + 1} : null;
}

/**
 * @param {import("app/panels").Source} source @param {import("app/panels").Context} context @param {import("app/state").Store} store
 * @returns {Promise<HTMLElement | null>} a part of the details; null if the selection never waited for a CPU
 */
export async function latencyOf(source, context, store) {
  const {selection} = store.get();
  if (!context.meta.has?.sched) return null;
  const about = await question(source, context, selection);
  if (!about || about.to - about.from > LONGEST || about.row >= context.rows.id.length || context.rows.kind[about.row] !== KIND.thread) return null;
  const {row, from, to} = about, single = selection?.kind !== "slice";
  const all = (await waitsOf(source, context, row, from, to)).filter(wait => Math.min(wait.to, to) > Math.max(wait.from, from));
  const waits = single ? all.slice(0, 1) : all.map(wait => ({...wait, from: Math.max(wait.from, from), to: Math.min(wait.to, to)}));
  if (!waits.length) return null;
  const length = (/** @type {Wait} */ wait) => wait.to - wait.from, sum = waits.reduce((sum, wait) => sum + length(wait), 0);
  const longest = waits.reduce((a, b) => length(b) > length(a) ? b : a);
  /** @type {Map<number, number>} */
  const held = new Map();
  for (const wait of waits) for (const [utid, ns] of wait.held) held.set(utid, (held.get(utid) ?? 0) + ns);
  const go = (/** @type {Wait} */ {from, to}) => { store.set({selection: {kind: "state", row, ts: from, end: to}}); context.showRow(row); context.zoomTo(from - (to - from), to + (to - from)); };
  const name = (/** @type {number} */ utid) => { const at = threadRow(context.rows, utid); return at < 0 ? `thread ${utid}` : `${context.rows.names[at]} · ${context.rows.notes[at]}`; };
  const facts = /** @type {[string, Node | string][]} */ (single ? [["Wake-up to running", time(sum)], ["On CPU", longest.cpu < 0 ? "it did not run" : String(longest.cpu)]]
    : [["Waits", `${count(waits.length)} × · ${time(sum)}`], ["Longest", el("button", {type: "button", class: "link", onclick: () => go(longest)}, `${time(length(longest))} at ${moment(longest.from, 1000)}`)]]);
  const list = [...held].sort((a, b) => b[1] - a[1]), idle = sum - list.reduce((sum, [, ns]) => sum + ns, 0);
  return el("section", {class: "block", "data-testid": "latency"}, el("h3", {}, "Scheduling latency"), el("dl", {class: "facts"}, ...facts.flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, value)])),
    el("h3", {class: "sub"}, "Who had the CPU meanwhile"), el("ul", {class: "calls"}, ...list.slice(0, 8).map(([utid, ns]) => el("li", {}, el("button", {type: "button", class: "link", onclick: () => { const at = threadRow(context.rows, utid); if (at >= 0) context.showRow(at); }}, elide(name(utid), 120)), el("span", {class: "num"}, time(ns)))),
      list.length > 8 && el("li", {class: "quiet"}, `${list.length - 8} more`), idle > Math.max(1000, sum / 1000) && el("li", {class: "quiet"}, el("span", {}, "Nobody: the CPU was idle or had not chosen yet"), el("span", {class: "num"}, time(idle)))));
}
