// The call tree, from threads down or from methods up. Each level is fetched when it is opened.
import {el} from "ui/dom";
import {toast} from "ui/toast";
import {virtualTable} from "ui/virtual_table";
import {keyOf} from "panels/model";
import {chip, elided, fullName, shareBar, unfinishedColumn} from "panels/cells";
import {CLOCKS, count, ms, msWidth, percent, wholeOf} from "panels/numbers";

/**
 * @typedef {object} Node
 * @property {any} row the engine's row
 * @property {number[]} path
 * @property {Node[] | null} below null: not requested
 * @property {boolean} open
 * @property {number} [more] the number of rows left out here
 */

/** @param {number} level from 1 */
const indent = level => Math.min(level - 1, 100) * 14;
/** The number of rows of one level per request. */
const PAGE = 500;

/**
 * @param {object} options
 * @param {import("panels/model").Model} options.model
 * @param {"top_down" | "bottom_up"} options.direction
 * @param {(row: import("panels/model").Row) => void} options.onPick
 * @param {(key: string) => boolean} options.onType
 */
export function callTree({model, direction, onPick, onType}) {
  /** @type {import("panels/model").Profile | null} */
  let profile = null;
  /** @type {Node[]} */
  let roots = [];
  let deepest = 1;

  const table = virtualTable(/** @type {import("ui/virtual_table").TableOptions<Node>} */ ({
    label: direction === "top_down" ? "Call tree, top down" : "Call tree, bottom up", testid: `tree-${direction}`, columns: [], follow: ".name",
    levelOf: ({path}) => path.length,
    isOpen: node => node.more || !(node.row.hidden || node.below?.length) ? undefined : node.open,
    classOf: node => node.more ? "line more" : "line",
    onToggle: toggle, onKey: key => (key === "*" ? (heaviest(), true) : onType(key)),
    onSelect: ({row}) => { const method = methodOf(row); if (method) onPick(method); },
    onEnter: node => node.more ? moreOf(node) : toggle(node, !node.open),
  }));

  /** The method of a row; none for a thread. @param {any} row */
  const methodOf = row => profile?.byLabel.get(keyOf(row));

  /** @returns {import("ui/virtual_table").Column<Node>[]} */
  function columns() {
    const [name, unit] = CLOCKS.find(([clock]) => clock === profile?.clock) ?? CLOCKS[0];
    const clock = `${name}_ns`, total = profile?.total[`${name}_ns`], all = profile ? wholeOf(profile, `${name}_ns`) : 0;
    return [
      {id: "incl-%", label: `Incl ${unit}\nTime %`, width: 68, show: ({row}) => percent(row.inclusive?.[clock], total), 
        draw: (cell, {row}) => shareBar(cell, row.inclusive?.[clock], total)},
      {id: "incl", label: `Incl ${unit}\nTime (ms)`, width: msWidth(all), show: ({row}) => ms(row.inclusive?.[clock], all)},
      {id: "self", label: `Self ${unit}\nTime (ms)`, width: msWidth(all), show: ({row}) => ms(row.exclusive?.[clock], all)},
      ...(profile?.unfinished ? [unfinishedColumn(profile, ({row}) => row)] : []),
      {id: "calls", label: "Calls", width: 66, show: ({row}) => row.calls === undefined ? "" : count(row.calls)},
      {id: "name", label: "Name", width: 220 + indent(deepest), text: true, draw, show: ({row, path, more}) => "  ".repeat(path.length - 1) + (more ? `${more} more` : row.label)},
    ];
  }

  /** @param {HTMLElement} cell @param {Node} node */
  function draw(cell, {row, path, more}) {
    cell.style.setProperty("--indent", `${indent(path.length)}px`);
    const twisty = el("span", {class: "twisty", "aria-hidden": "true"});
    cell.classList.add("indented");
    if (more) return cell.replaceChildren(twisty, el("span", {class: "jump"}, `${count(more)} more …`));
    const method = methodOf(row);
    cell.title = fullName(row);
    cell.replaceChildren(twisty, method ? chip(method) : el("span", {class: "chip thread", "aria-hidden": "true"}), elided(row.label));
  }

  /** The rows below a path; the top for []. @param {number[]} path @param {number} max @returns {Promise<Node[]>} */
  async function fetchBelow(path, max) {
    const answer = await model.ask("tree", {direction, path, max_children: max, clock: profile?.clock}).catch(error => {
      toast(error.message, true);
      return {rows: []};
    });
    /** @type {Node[]} */
    const nodes = answer.rows.map((/** @type {any} */ row, /** @type {number} */ nth) => ({row, path: [...path, nth], below: null, open: false}));
    if (answer.hidden) nodes.push({row: {}, path: [...path, nodes.length], below: null, open: false, more: answer.hidden});
    return nodes;
  }

  /** @param {Node} node @param {boolean} wanted */
  async function toggle(node, wanted) {
    if (node.more || node.open === wanted) return;
    node.open = wanted;
    if (wanted && !node.below) {
      const from = profile;
      node.below = [];
      node.below = await fetchBelow(node.path, PAGE);
      if (from !== profile) return;
    }
    flatten();
  }

  /** Requests more rows of a level. @param {Node} node */
  async function moreOf(node) {
    const above = node.path.slice(0, -1);
    const list = await fetchBelow(above, node.path[above.length] + PAGE * 4);
    const parent = find(above);
    const old = parent ? parent.below ?? [] : roots;
    list.forEach((fresh, nth) => { if (old[nth] && !old[nth].more && !fresh.more) list[nth] = old[nth]; });
    if (parent) parent.below = list;
    else roots = list;
    flatten();
  }

  /** @param {number[]} path @returns {Node | null} */
  function find(path) {
    let list = roots, node = null;
    for (const nth of path) {
      node = list[nth];
      list = node?.below ?? [];
    }
    return node;
  }

  /** Opens the heaviest path down from the cursor. */
  async function heaviest() {
    let node = table.rows()[Math.max(0, table.cursor())];
    for (let steps = 0; node && steps < 200; steps++) {
      await toggle(node, true);
      if (!node.below?.length) break;
      node = node.below[0];
    }
    if (node) table.select(table.rows().indexOf(node), true);
  }

  function flatten() {
    const before = table.rows()[table.cursor()];
    /** @type {Node[]} */
    const lines = [];
    const stack = [...roots].reverse();
    for (let node = stack.pop(); node; node = stack.pop()) {
      lines.push(node);
      if (node.open && node.below) for (let nth = node.below.length - 1; nth >= 0; nth--) stack.push(node.below[nth]);
    }
    const level = lines.reduce((most, {path}) => Math.max(most, path.length), 1);
    if (level !== deepest) {
      deepest = level;
      table.setColumns(columns());
    }
    table.setRows(lines);
    if (before) table.select(lines.indexOf(before));
  }

  return {
    element: table.element, refresh: table.refresh, text: table.text,
    /** @param {import("panels/model").Profile} loaded */
    async show(loaded) {
      if (profile === loaded) return;
      profile = loaded;
      table.setColumns(columns());
      const top = await fetchBelow([], PAGE);
      if (profile !== loaded) return;
      roots = top;
      flatten();
      if (direction === "top_down" && roots.length === 1) toggle(roots[0], true);
    },
    /** Goes to the next open row that passes. @param {(label: string) => boolean} passes @param {number} step @returns {[number, number]} */
    find(passes, step) {
      const lines = table.rows(), here = table.cursor();
      const hits = lines.flatMap(({row, more}, at) => !more && passes(row.label) ? [at] : []);
      let nth = step < 0 ? hits.findLastIndex(at => at < here) : hits.findIndex(at => step ? at > here : at >= here);
      if (nth < 0) nth = step < 0 ? hits.length - 1 : 0;
      if (hits.length) table.select(hits[nth], true);
      return [nth, hits.length];
    },
  };
}
