// The stacks that profilers recorded, and the samples that have them.
import {demangled} from "source/demangle";
import {once, recordsOf} from "source/records";

export const SAMPLES = "__intrinsic_profiler_sample";
const NONE = 0xffffffff;
/** The maximum number of functions of a frame. The outermost ones beyond it are not shown. */
const MOST_INLINED = 64;

/**
 * @typedef {object} Stacks each function of a stack is a callsite, even an inlined one. A caller has a smaller number
 *   than its callees
 * @property {Int32Array} parent the callsite it was called from, or -1
 * @property {Int32Array} name its function, as an index into `names`
 * @property {string[]} names
 */
/** @typedef {Stacks & {innermost: Int32Array}} TraceStacks `innermost` has, for each callsite in the trace, the callsite of its innermost function */
/**
 * @typedef {object} Samples in order of time
 * @property {Float64Array} ts ns
 * @property {Int32Array} callsite -1 without a stack
 * @property {Int32Array} utid -1 if unknown
 * @property {Int32Array} event the event it was taken at, as an index into `events`; -1 if unknown
 * @property {string[]} events such as `cycles:u`, in order of their names
 */

/** @param {Float64Array} column rows of another table, or NaN */
const places = column => Int32Array.from(column, value => Number.isNaN(value) ? -1 : value);

/** The functions of each frame, the outermost first. Uses the name before obfuscation, else the symbols, else the name, else the place in a file. Symbols and names of C++ and Rust are demangled. @param {any} frames @param {any} symbols @param {any} mappings @returns {string[][]} */
function frameNames(frames, symbols, mappings) {
  const text = (/** @type {any} */ table, /** @type {string} */ column, /** @type {number} */ at) => table[column][at] === NONE ? "" : table.strings[table[column][at]] ?? "";
  /** The first symbol of each set is the innermost function. @type {Map<number, string[]>} */
  const bySet = new Map();
  symbols.symbol_set_id.forEach((/** @type {number} */ set, /** @type {number} */ at) => {
    const own = bySet.get(set) ?? [];
    bySet.set(set, own);
    if (own.length < MOST_INLINED) own.unshift(demangled(text(symbols, "name", at)) || "unknown");
  });
  const place = (/** @type {number} */ at) => `${text(mappings, "name", frames.mapping[at]).split("/").pop() || "unknown"} +0x${BigInt.asUintN(64, BigInt(frames.rel_pc[at] || 0)).toString(16)}`;
  return Array.from(frames.ts, (_, at) => {
    const original = text(frames, "deobfuscated_name", at);
    return original ? [original] : bySet.get(frames.symbol_set_id[at]) ?? [demangled(text(frames, "name", at)) || place(at)];
  });
}

/** The stacks of a trace. @type {(source: import("app/panels").Source) => Promise<TraceStacks>} */
export const stacksOf = once(async source => {
  const [callsites, frames, symbols, mappings] = await Promise.all([
    recordsOf(source, "stack_profile_callsite", {numbers: ["parent_id", "frame_id"]}),
    recordsOf(source, "stack_profile_frame", {numbers: ["mapping", "rel_pc", "symbol_set_id"], texts: ["name", "deobfuscated_name"]}),
    recordsOf(source, "stack_profile_symbol", {numbers: ["symbol_set_id"], texts: ["name"]}),
    recordsOf(source, "stack_profile_mapping", {texts: ["name"]})]);
  /** @type {Map<string, number>} */
  const known = new Map();
  const ids = frameNames(frames, symbols, mappings).map(functions => functions.map(text => {
    const id = known.get(text) ?? known.size;
    known.set(text, id);
    return id;
  }));
  if (!known.size) known.set("unknown", 0);
  const parent = /** @type {number[]} */ ([]), name = /** @type {number[]} */ ([]), innermost = new Int32Array(callsites.ts.length);
  innermost.forEach((_, at) => {
    let last = callsites.parent_id[at] < at ? innermost[callsites.parent_id[at]] : -1;
    for (const id of ids[callsites.frame_id[at]] ?? [0]) {
      parent.push(last);
      last = name.push(id) - 1;
    }
    innermost[at] = last;
  });
  return {parent: Int32Array.from(parent), name: Int32Array.from(name), names: [...known.keys()], innermost};
});

/** The samples of a trace. @type {(source: import("app/panels").Source) => Promise<Samples>} */
export const samplesOf = once(async source => {
  const [samples, tasks, sessions, {innermost}] = await Promise.all([recordsOf(source, SAMPLES, {numbers: ["task_context_id", "callsite_id", "session_id"]}),
    recordsOf(source, "__intrinsic_profiler_task_context", {numbers: ["utid"]}),
    recordsOf(source, "__intrinsic_profiler_session", {texts: ["event"]}), stacksOf(source)]);
  const utids = places(tasks.utid);
  /** The name of each session's event. @type {string[]} */
  const names = Array.from(sessions.event, text => text === NONE ? "" : sessions.strings[text] ?? "");
  const session = places(samples.session_id), used = new Set(Array.from(session, at => names[at] ?? ""));
  used.delete("");
  const events = [...used].sort(), indexes = names.map(name => events.indexOf(name));
  return {ts: samples.ts, callsite: places(samples.callsite_id).map(callsite => innermost[callsite] ?? -1), utid: places(samples.task_context_id).map(task => utids[task] ?? -1),
    event: session.map(at => indexes[at] ?? -1), events};
});

/** The functions of a stack, the innermost first. @param {Stacks} stacks @param {number} callsite @returns {string[]} */
export function functionsOf({parent, name, names}, callsite) {
  const out = [];
  for (let at = callsite; at >= 0 && out.length < 4096; at = parent[at] < at ? parent[at] : -1) out.push(names[name[at]]);
  return out;
}
