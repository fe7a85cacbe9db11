// The dominators of a heap, after Lengauer and Tarjan (1979): which objects keep which others alive.

/**
 * The immediate dominator of each node: the last node that all paths from the roots to it share. -1 means that
 * no node dominates it: it is a root, or several roots lead to it. -2 means that no root leads to it.
 * @param {number} count of nodes @param {ArrayLike<number>} roots @param {Uint32Array} first the edges of a node are from `first[node]` to `first[node + 1]`
 * @param {Uint32Array} edges
 * @returns {Int32Array}
 */
export function dominators(count, roots, first, edges) {
  const ROOT = count, nodes = count + 1;
  const number = new Int32Array(nodes).fill(-1), vertex = new Int32Array(nodes), parent = new Int32Array(nodes).fill(-1);
  const found = walk(ROOT, roots, first, edges, number, vertex, parent);
  const semi = number.slice(), label = Int32Array.from({length: nodes}, (_, node) => node), ancestor = new Int32Array(nodes).fill(-1);
  const dom = new Int32Array(nodes).fill(-1), next = new Int32Array(nodes).fill(-1), bucket = new Int32Array(nodes).fill(-1);
  const before = callers(ROOT, roots, first, edges, number);
  const path = /** @type {number[]} */ ([]);
  /** The node with the least semidominator on the way up. @param {number} node */
  function best(node) {
    if (ancestor[node] < 0) return label[node];
    for (let at = node; ancestor[ancestor[at]] >= 0; at = ancestor[at]) path.push(at);
    while (path.length) {
      const at = /** @type {number} */ (path.pop()), up = ancestor[at];
      if (semi[label[up]] < semi[label[at]]) label[at] = label[up];
      ancestor[at] = ancestor[up];
    }
    return label[node];
  }
  for (let nth = found - 1; nth > 0; nth--) {
    const node = vertex[nth];
    for (let at = before.first[node]; at < before.first[node + 1]; at++) {
      const least = semi[best(before.edges[at])];
      if (least < semi[node]) semi[node] = least;
    }
    const of = vertex[semi[node]], up = parent[node];
    next[node] = bucket[of];
    bucket[of] = node;
    ancestor[node] = up;
    for (let own = bucket[up]; own >= 0; own = next[own]) {
      const least = best(own);
      dom[own] = semi[least] < semi[own] ? least : up;
    }
    bucket[up] = -1;
  }
  for (let nth = 1; nth < found; nth++) {
    const node = vertex[nth];
    if (dom[node] !== vertex[semi[node]]) dom[node] = dom[dom[node]];
  }
  return dom.subarray(0, count).map((up, node) => number[node] < 0 ? -2 : up === ROOT ? -1 : up);
}

/**
 * Numbers the nodes in the order in which a depth-first search reaches them.
 * @param {number} root @param {ArrayLike<number>} roots @param {Uint32Array} first @param {Uint32Array} edges
 * @param {Int32Array} number @param {Int32Array} vertex @param {Int32Array} parent
 */
function walk(root, roots, first, edges, number, vertex, parent) {
  let found = 0;
  const visit = (/** @type {number} */ node, /** @type {number} */ up) => { number[node] = found; vertex[found++] = node; parent[node] = up; };
  visit(root, -1);
  const place = first.slice();
  for (let at = 0; at < roots.length; at++) {
    if (number[roots[at]] >= 0) continue;
    visit(roots[at], root);
    for (let node = roots[at]; node !== root;) {
      if (place[node] >= first[node + 1]) { node = parent[node]; continue; }
      const to = edges[place[node]++];
      if (number[to] < 0) { visit(to, node); node = to; }
    }
  }
  return found;
}

/** The edges in the other direction, of nodes that were reached. @param {number} root @param {ArrayLike<number>} roots @param {Uint32Array} first @param {Uint32Array} edges @param {Int32Array} number */
function callers(root, roots, first, edges, number) {
  const starts = new Uint32Array(root + 3);
  const each = (/** @type {(from: number, to: number) => void} */ see) => {
    for (let at = 0; at < roots.length; at++) see(root, roots[at]);
    for (let node = 0; node < root; node++) if (number[node] >= 0) for (let at = first[node]; at < first[node + 1]; at++) see(node, edges[at]);
  };
  each((_, to) => { starts[to + 2]++; });
  for (let node = 2; node < starts.length; node++) starts[node] += starts[node - 1];
  const out = new Uint32Array(starts[root + 2]);
  each((from, to) => { out[starts[to + 1]++] = from; });
  return {first: starts, edges: out};
}
