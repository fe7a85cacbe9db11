// Transforms of stacks: which functions to keep, and which to leave out. The engine does the same with the profile.

/** @typedef {import("panels/transforms").Transform} Transform */
/** @typedef {import("source/stacks").Stacks} Stacks */

/**
 * A stack after a transform, the outermost function first; null if it is left out.
 * @param {number[]} stack names @param {Transform} transform @param {(text: unknown) => number} idOf the name, or -1
 */
function changed(stack, transform, idOf) {
  if (transform.kind === "focus_subtree") {
    const path = Array.isArray(transform.path) ? transform.path.map(idOf) : [];
    return path.length && path.every((name, at) => stack[at] === name) ? stack.slice(path.length - 1) : null;
  }
  const name = idOf(transform.name), first = stack.indexOf(name);
  if (transform.kind === "focus") return first < 0 ? null : stack.slice(first);
  if (transform.kind === "drop") return first < 0 ? stack : null;
  if (first < 0) return stack;
  if (transform.kind === "merge") return stack.filter(own => own !== name);
  // Calls within itself are part of the outermost call.
  return transform.kind === "collapse_recursion" ? [...stack.slice(0, first + 1), ...stack.slice(stack.lastIndexOf(name) + 1)] : stack;
}

/**
 * Stacks and the weights of their callsites after transforms. Samples without a stack stay under -1, unless a transform focuses on a function.
 * @param {Stacks} stacks @param {Map<number, [number, number]>} weights @param {Transform[]} transforms
 * @returns {{stacks: Stacks, weights: Map<number, [number, number]>}}
 */
export function transformed(stacks, weights, transforms) {
  if (!transforms.length) return {stacks, weights};
  const {parent, name, names} = stacks, ids = new Map(names.map((text, id) => [text, id])), idOf = (/** @type {unknown} */ text) => ids.get(/** @type {string} */ (text)) ?? -1;
  /** @type {number[]} */
  const parents = [];
  /** @type {number[]} */
  const own = [];
  /** @type {Map<number, number>} */
  const known = new Map();
  /** @type {Map<number, [number, number]>} */
  const sums = new Map();
  const child = (/** @type {number} */ up, /** @type {number} */ id) => {
    const key = (up + 1) * names.length + id;
    let at = known.get(key);
    if (at === undefined) { known.set(key, at = own.length); parents.push(up); own.push(id); }
    return at;
  };
  for (const [callsite, [weight, times]] of weights) {
    /** @type {number[] | null} */
    let stack = [];
    for (let at = callsite; at >= 0; at = parent[at] < at ? parent[at] : -1) stack.push(name[at]);
    stack.reverse();
    for (const transform of transforms) stack &&= changed(stack, transform, idOf);
    if (!stack) continue;
    const to = stack.reduce(child, -1), sum = sums.get(to);
    if (sum) { sum[0] += weight; sum[1] += times; } else sums.set(to, [weight, times]);
  }
  return {stacks: {parent: Int32Array.from(parents), name: Int32Array.from(own), names}, weights: sums};
}
