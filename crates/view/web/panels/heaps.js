// The memory of processes: a flame graph of the objects that keep a Java heap alive, or of the functions that allocated a native heap.
import {el} from "ui/dom";
import {bytes, count, elide, moment, plural} from "ui/format";
import {virtualTable} from "ui/virtual_table";
import {dumpsOf, heapOf, nativeWeights} from "source/heaps";
import {stacksOf} from "source/stacks";
import {KIND} from "timeline/rows";
import {dominators} from "panels/dominators";
import {flameView} from "panels/flame";
import {share, smartCase} from "panels/numbers";
import {framesOf, stackTree, treeBuilder} from "panels/weights";

/** @typedef {{id: number, label: string, self: number, total: number, times: number}} Sum */

/** @type {import("app/panels").Panel} */
export const heapsPanel = {id: "heaps", title: "Heaps", mount, when: meta => meta.records?.heap_graph_object > 0 || meta.records?.heap_profile_allocation > 0};

/**
 * The tree of classes in a Java heap: below each class are the objects that only its instances keep alive. Objects of
 * a class with the same owner are one node.
 * @param {import("source/heaps").Heap} heap
 */
export function heapTree({type, size, roots, first, edges, classes}) {
  const owner = dominators(type.length, roots, first, edges), grow = treeBuilder(classes.length);
  const nodes = new Int32Array(type.length).fill(-1);
  for (let object = 0; object < type.length; object++) {
    const open = [];
    let at = object;
    for (; at >= 0 && owner[at] !== -2 && nodes[at] < 0; at = owner[at]) open.push(at);
    let node = at >= 0 ? nodes[at] : 0;
    while (open.length) {
      const own = /** @type {number} */ (open.pop());
      nodes[own] = node = grow.child(node, type[own]);
      grow.add(node, size[own], 1);
    }
  }
  return grow.finish(id => classes[id]);
}

/** The sums for each name in a tree. A node inside another node of the same name is not counted again. @param {import("panels/weights").Tree} tree @returns {Sum[]} */
export function nameSums({parent, name, self, count: times, total, label}) {
  /** @type {Map<number, Sum>} */
  const sums = new Map();
  for (let node = 1; node < parent.length; node++) {
    const sum = sums.get(name[node]) ?? {id: name[node], label: label(name[node]), self: 0, total: 0, times: 0};
    sums.set(name[node], sum);
    sum.self += self[node];
    sum.times += times[node];
    let up = parent[node];
    while (up > 0 && name[up] !== name[node]) up = parent[up];
    if (up <= 0) sum.total += total[node];
  }
  return [...sums.values()];
}

/** @param {import("source/heaps").Dump} dump @param {any} rows */
function labelOf({kind, ts, upid, heap}, {kind: kinds, upid: upids, names}) {
  const row = kinds.findIndex((/** @type {number} */ own, /** @type {number} */ at) => own === KIND.process && upids[at] === upid);
  return `${names[row] ?? "a process"} · ${kind === "java" ? "Java heap" : heap || "native heap"} at ${moment(ts, 1e6)}`;
}

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
async function mount(element, store, source, context) {
  element.classList.add("stack");
  element.replaceChildren(el("p", {class: "panel-hint"}, "Reading the heaps…"));
  const dumps = await dumpsOf(source);
  /** @type {import("panels/weights").Tree | null} */
  let tree = null;
  /** @type {Sum[]} */
  let sums = [];
  /** @type {Sum[]} */
  let shown = [];
  let total = 0, asked = 0;
  const choice = el("select", {class: "control", "aria-label": "Heap", "data-testid": "heaps-dump"}, ...dumps.map((dump, at) => el("option", {value: String(at)}, elide(labelOf(dump, context.rows), 90))));
  const freed = el("input", {type: "checkbox", "data-testid": "heaps-freed"}), freedLabel = el("label", {}, freed, " Also what was freed");
  const find = el("input", {type: "search", class: "control find", placeholder: "Class or function", "aria-label": "Highlight names that contain this", "data-testid": "heaps-find", spellcheck: "false"});
  const title = el("span", {class: "hits", role: "status", "data-testid": "heaps-title"});
  const java = () => dumps[Number(choice.value)]?.kind === "java";
  const what = (/** @type {number} */ times) => plural(Math.round(times), java() ? "object" : "allocation");
  const flame = flameView({label: "Flame graph of the heap", testid: "heaps-flame", empty: "This heap is empty.", counts: false, ask: async view => framesOf(/** @type {any} */ (tree), view),
    lines: ({w, self, calls}, at) => [`${java() ? "keeps alive" : "allocated"} ${bytes(w[at])} (${share(w[at], total)})`, `itself ${bytes(self[at])}`, what(calls[at])],
    onPick: name => { flame.pick(name); const at = shown.findIndex(({id}) => id === name); if (at >= 0) table.select(at, true); }});
  const table = virtualTable({label: "Classes", testid: "heaps-table", rowHeight: 22, onSort: () => fill(), onSelect: row => flame.pick(row.id), columns: [
    {id: "label", label: "Name", width: 200, text: true, fixed: true, key: row => row.label, show: row => elide(row.label, 300)},
    {id: "times", label: "Count", title: "Objects or allocations", width: 64, key: row => row.times, show: row => count(row.times)},
    {id: "self", label: "Size", title: "Size of the objects alone", width: 80, key: row => row.self, show: row => bytes(row.self)},
    {id: "total", label: "Retained", title: "Including objects that only they keep alive, or allocations by callees", width: 84, key: row => row.total, show: row => bytes(row.total)}]});

  function fill() {
    const {column, down} = table.sorted(), passes = smartCase(find.value);
    const key = (/** @type {any} */ row) => row[column || "total"];
    const order = (/** @type {any} */ a, /** @type {any} */ b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down || !column ? -1 : 1);
    shown = sums.filter(({label}) => !passes || passes(label)).sort((a, b) => order(a, b) || b.total - a.total || a.id - b.id);
    table.setRows(shown);
    flame.highlight(passes);
  }

  async function load() {
    const mine = ++asked, dump = dumps[Number(choice.value)];
    freedLabel.hidden = java();
    if (!dump) return;
    title.textContent = "…";
    const made = dump.kind === "java" ? heapTree(await heapOf(source, dump)) : stackTree(await stacksOf(source), await nativeWeights(source, dump, freed.checked), false);
    if (mine !== asked) return;
    tree = made;
    total = tree.total[0];
    sums = nameSums(tree);
    title.textContent = `${bytes(total)} in ${what(tree.counts[0])}`;
    fill();
    flame.load(true);
  }
  const start = () => load().catch(error => { title.textContent = error instanceof Error ? error.message : String(error); });

  table.sort("total", true);
  choice.onchange = freed.onchange = start;
  find.oninput = fill;
  find.onkeydown = event => event.stopPropagation();
  store.on(["theme"], flame.repaint);
  element.replaceChildren(el("div", {class: "panel-bar"}, choice, freedLabel, find, el("span", {class: "gap"}), title),
    el("div", {class: "weights"}, el("div", {class: "weights-table"}, table.element), el("div", {class: "weights-flame"}, flame.element)));
  start();
}
