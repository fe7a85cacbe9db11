// Trees of weights other than time, for flame graphs: samples of a profiler, objects of a heap.
import {hueOf} from "panels/numbers";

/** @typedef {import("panels/flame_paint").Frames} Frames */
/**
 * @typedef {object} Tree node 0 is the root, which is not drawn; a node comes after its parent
 * @property {number[]} parent
 * @property {number[]} name
 * @property {number[]} self weight of the node without its children
 * @property {number[]} count how many samples or objects end here
 * @property {Float64Array} total
 * @property {Float64Array} counts including its children
 * @property {Uint32Array} first its children in `order` are from `first[node]` to `first[node + 1]`, the heaviest first
 * @property {Uint32Array} order
 * @property {(name: number) => string} label
 */

const NONE = 0xffffffff;
/** Bars narrower than this are drawn as one, px. */
const THIN = 0.5;

/** Grows a tree; equal names below the same node are one node. @param {number} names how many names there are */
export function treeBuilder(names) {
  const parent = [-1], name = [-1], self = [0], count = [0];
  /** @type {Map<number, number>} */
  const known = new Map();
  return {
    /** @param {number} up @param {number} id a name @returns {number} the node */
    child(up, id) {
      const key = up * names + id;
      let node = known.get(key);
      if (node === undefined) {
        known.set(key, node = parent.length);
        parent.push(up); name.push(id); self.push(0); count.push(0);
      }
      return node;
    },
    /** @param {number} node @param {number} weight @param {number} times */
    add(node, weight, times) { self[node] += weight; count[node] += times; },
    /** @param {(name: number) => string} label @returns {Tree} */
    finish: label => ({parent, name, self, count, label, ...summed(parent, self, count)}),
  };
}

/** @param {number[]} parent @param {number[]} self @param {number[]} count */
function summed(parent, self, count) {
  const total = Float64Array.from(self), counts = Float64Array.from(count), nodes = parent.length;
  for (let node = nodes - 1; node > 0; node--) {
    total[parent[node]] += total[node];
    counts[parent[node]] += counts[node];
  }
  const first = new Uint32Array(nodes + 2), order = new Uint32Array(nodes - 1);
  for (let node = 1; node < nodes; node++) first[parent[node] + 2]++;
  for (let node = 1; node < nodes + 2; node++) first[node] += first[node - 1];
  for (let node = 1; node < nodes; node++) order[first[parent[node] + 1]++] = node;
  for (let node = 0; node < nodes; node++) if (first[node + 1] - first[node] > 1) order.subarray(first[node], first[node + 1]).sort((a, b) => total[b] - total[a] || a - b);
  return {total, counts, first, order};
}

/**
 * The bars of a tree that are visible: those in the view, and wide enough to see.
 * @param {Tree} tree @param {import("panels/flame").Span} span @returns {Frames}
 */
export function framesOf(tree, {width_px, from_share, to_share}) {
  const whole = tree.total[0], least = whole * (to_share - from_share) / width_px * THIN, from = whole * from_share, to = whole * to_share;
  /** @type {Record<"depth" | "x" | "w" | "self" | "calls" | "name" | "node" | "parent" | "hue", number[]>} */
  const out = {depth: [], x: [], w: [], self: [], calls: [], name: [], node: [], parent: [], hue: []};
  /** @type {Record<string, string>} */
  const labels = {};
  const push = (/** @type {number} */ depth, /** @type {number} */ x, /** @type {number} */ w, /** @type {number} */ node, /** @type {number} */ up) => {
    const name = node < 0 ? NONE : tree.name[node], known = node >= 0;
    out.depth.push(depth); out.x.push(x); out.w.push(w); out.parent.push(up); out.name.push(name); out.node.push(known ? node : NONE);
    out.self.push(known ? tree.self[node] : 0); out.calls.push(known ? tree.counts[node] : 0);
    if (known) labels[name] ??= tree.label(name);
    out.hue.push(known ? hueOf(labels[name]) : 0);
  };
  /** @type {{node: number, x: number, at: number}[]} */
  let level = [{node: 0, x: 0, at: NONE}];
  for (let depth = 0; level.length; depth++) {
    const next = [];
    for (const {node, x: start, at} of level) {
      let x = start, place = tree.first[node];
      const end = tree.first[node + 1];
      for (; place < end; place++) {
        const child = tree.order[place], w = tree.total[child];
        if (w < least || w <= 0) break;
        if (x + w >= from && x <= to) { next.push({node: child, x, at: out.x.length}); push(depth, x, w, child, at); }
        x += w;
      }
      let rest = 0;
      for (; place < end; place++) rest += Math.max(0, tree.total[tree.order[place]]);
      if (rest >= least && x + rest >= from && x <= to && rest > 0) push(depth, x, rest, -1, at);
    }
    level = next;
  }
  const u32 = (/** @type {number[]} */ list) => Uint32Array.from(list), f64 = (/** @type {number[]} */ list) => Float64Array.from(list);
  return {depth: u32(out.depth), x: f64(out.x), w: f64(out.w), self: f64(out.self), calls: u32(out.calls), name: u32(out.name), node: u32(out.node), parent: u32(out.parent),
    hue: Uint8Array.from(out.hue), labels, total_ns: whole, depth_max: out.depth.at(-1) ?? 0};
}

/**
 * Merges stacks into a tree: from the outermost function down, or from the innermost up to its callers.
 * @param {import("source/stacks").Stacks} stacks @param {Map<number, [number, number]>} weights of callsites: weight and count @param {boolean} up
 */
export function stackTree({parent, name, names}, weights, up) {
  const grow = treeBuilder(names.length);
  /** The node of each callsite. */
  const nodes = new Int32Array(parent.length).fill(-1);
  const nodeOf = (/** @type {number} */ callsite) => {
    const open = [];
    let at = callsite;
    for (; at >= 0 && nodes[at] < 0; at = parent[at] < at ? parent[at] : -1) open.push(at);
    let node = at < 0 ? 0 : nodes[at];
    while (open.length) {
      const own = /** @type {number} */ (open.pop());
      nodes[own] = node = grow.child(node, name[own]);
    }
    return node;
  };
  for (const [callsite, [weight, times]] of weights) {
    let node = 0;
    if (!up) node = nodeOf(callsite);
    else for (let at = callsite; at >= 0; at = parent[at] < at ? parent[at] : -1) node = grow.child(node, name[at]);
    grow.add(node, weight, times);
  }
  return grow.finish(id => names[id]);
}

/**
 * The weight of each function, alone and with its callees. A recursive function counts once.
 * @param {import("source/stacks").Stacks} stacks @param {Map<number, [number, number]>} weights
 */
export function functionSums({parent, name, names}, weights) {
  const self = new Float64Array(names.length), total = new Float64Array(names.length), seen = new Int32Array(names.length).fill(-1);
  for (const [callsite, [weight]] of weights) {
    if (callsite < 0) continue;
    self[name[callsite]] += weight;
    for (let at = callsite; at >= 0; at = parent[at] < at ? parent[at] : -1) {
      if (seen[name[at]] === callsite) continue;
      seen[name[at]] = callsite;
      total[name[at]] += weight;
    }
  }
  return names.map((label, id) => ({id, label, self: self[id], total: total[id]})).filter(row => row.total !== 0);
}
