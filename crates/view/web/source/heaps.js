// The recorded memory of processes: Java heaps, and the allocations of native heaps.
import {once, recordsOf} from "source/records";
import {stacksOf} from "source/stacks";

const NONE = 0xffffffff;
/** Instances of classes of a kind that matches WEAK, except NO_WEAK, do not keep the object in their field REFERENT alive. */
const WEAK = /REFERENCE$/, NO_WEAK = "KIND_NOREFERENCES", REFERENT = /java\.lang\.ref\.Reference\.referent$/;

/**
 * @typedef {{kind: "java" | "native", ts: number, upid: number, heap: string}} Dump
 */
/**
 * @typedef {object} Heap objects by their number within the dump
 * @property {Uint32Array} type class of each object, an index into `classes`
 * @property {Float64Array} size bytes, including native memory that the object manages
 * @property {number[]} roots
 * @property {Uint32Array} first the references of an object are from `first[object]` to `first[object + 1]`
 * @property {Uint32Array} edges
 * @property {string[]} classes
 */

/** @param {any} table @param {string} column @param {number} at */
const text = (table, column, at) => table[column][at] === NONE ? "" : table.strings[table[column][at]] ?? "";

/** The allocations of native heaps. */
export const allocationsOf = once(source => recordsOf(source, "heap_profile_allocation", {numbers: ["upid", "callsite_id", "count", "size"], texts: ["heap_name"]}));

/** All dumps, in order of time. @type {(source: import("app/panels").Source) => Promise<Dump[]>} */
export const dumpsOf = once(async source => {
  const [graphs, allocations] = await Promise.all([recordsOf(source, "heap_graph", {numbers: ["upid"]}), allocationsOf(source)]);
  /** @type {Map<string, Dump>} */
  const dumps = new Map();
  graphs.ts.forEach((/** @type {number} */ ts, /** @type {number} */ at) => dumps.set(`java ${ts} ${graphs.upid[at]}`, {kind: "java", ts, upid: graphs.upid[at], heap: ""}));
  allocations.ts.forEach((/** @type {number} */ ts, /** @type {number} */ at) => {
    const heap = text(allocations, "heap_name", at), upid = allocations.upid[at];
    dumps.set(`native ${ts} ${upid} ${heap}`, {kind: "native", ts, upid, heap});
  });
  return [...dumps.values()].sort((a, b) => a.ts - b.ts);
});

/** The tables of all Java heaps. */
const graphTables = once(async source => {
  const [objects, classes, references, fields] = await Promise.all([
    recordsOf(source, "heap_graph_object", {numbers: ["upid", "self_size", "native_size", "type_id"], texts: ["root_type"]}),
    recordsOf(source, "heap_graph_class", {texts: ["name", "deobfuscated_name", "kind"]}),
    recordsOf(source, "_heap_graph_references", {numbers: ["owner_id"], references: true}),
    recordsOf(source, "_heap_graph_field", {texts: ["key", "name"]})]);
  return {objects, classes, references, fields};
});

/** A Java heap. @param {import("app/panels").Source} source @param {Dump} dump @returns {Promise<Heap>} */
export async function heapOf(source, dump) {
  const {objects, classes, references, fields} = await graphTables(source);
  /** The number of each object within the dump. */
  const places = new Int32Array(objects.ts.length).fill(-1);
  const rows = /** @type {number[]} */ ([]);
  objects.ts.forEach((/** @type {number} */ ts, /** @type {number} */ at) => { if (ts === dump.ts && objects.upid[at] === dump.upid) { places[at] = rows.length; rows.push(at); } });
  /** @type {Map<string, number>} */
  const names = new Map();
  const ids = classes.ts.map((/** @type {number} */ _, /** @type {number} */ at) => {
    const name = text(classes, "deobfuscated_name", at) || text(classes, "name", at) || "unknown";
    const id = names.get(name) ?? names.size;
    names.set(name, id);
    return id;
  });
  if (!names.size) names.set("unknown", 0);
  const weak = (/** @type {number} */ row) => { const kind = text(classes, "kind", objects.type_id[row]); return WEAK.test(kind) && kind !== NO_WEAK; };
  const referents = new Set(fields.ts.map((/** @type {number} */ _, /** @type {number} */ at) => REFERENT.test(text(fields, "name", at)) ? text(fields, "key", at) : ""));
  const drops = references.keys.map((/** @type {string} */ key) => REFERENT.test(key) || referents.has(key));
  const owner = references.keys.indexOf("owner_id");
  const from = /** @type {number[]} */ ([]), to = /** @type {number[]} */ ([]);
  references.of.forEach((/** @type {number} */ set, /** @type {number} */ at) => {
    const key = references.key[at], own = references.owner_id[set], target = places[references.to[at]] ?? -1;
    if (key === owner || !(places[own] >= 0) || target < 0 || (drops[key] && weak(own))) return;
    from.push(places[own]);
    to.push(target);
  });
  return {type: Uint32Array.from(rows, row => ids[objects.type_id[row]] ?? 0), size: Float64Array.from(rows, row => (objects.self_size[row] || 0) + (objects.native_size[row] || 0)),
    roots: rows.flatMap((row, at) => objects.root_type[row] === NONE ? [] : [at]), ...edgesOf(rows.length, from, to), classes: [...names.keys()]};
}

/** @param {number} count @param {number[]} from @param {number[]} to */
function edgesOf(count, from, to) {
  const first = new Uint32Array(count + 2), edges = new Uint32Array(to.length);
  for (const node of from) first[node + 2]++;
  for (let node = 1; node < first.length; node++) first[node] += first[node - 1];
  from.forEach((node, at) => { edges[first[node + 1]++] = to[at]; });
  return {first, edges};
}

/** The allocations of a native heap up to a dump, by callsite. @param {import("app/panels").Source} source @param {Dump} dump @param {boolean} freed also those that were freed */
export async function nativeWeights(source, dump, freed) {
  const [all, {innermost}] = await Promise.all([allocationsOf(source), stacksOf(source)]);
  /** @type {Map<number, [number, number]>} */
  const weights = new Map();
  for (let at = 0; at < all.ts.length && all.ts[at] <= dump.ts; at++) {
    const callsite = innermost[all.callsite_id[at]];
    if (all.upid[at] !== dump.upid || text(all, "heap_name", at) !== dump.heap || callsite === undefined || (freed && all.size[at] <= 0)) continue;
    const own = weights.get(callsite) ?? [0, 0];
    weights.set(callsite, [own[0] + all.size[at], own[1] + all.count[at]]);
  }
  return new Map([...weights].filter(([, [bytes]]) => bytes > 0));
}
