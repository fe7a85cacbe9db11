// Transforms of the profile, as in Firefox Profiler: focus, merge, drop, collapse. They are breadcrumbs above the profile; each can be undone.
import {el, iconButton} from "ui/dom";
import {elide} from "ui/format";
import {openMenu} from "ui/menu";
import {keyOf} from "panels/model";

/** @typedef {{kind: "focus" | "merge" | "drop" | "collapse_recursion" | "collapse_package", name: string} | {kind: "focus_subtree", path: string[]}} Transform */
/** @typedef {import("panels/model").Row & {class?: string}} Row */

/** Names of functions that a transform made begin here; they are in no table of the trace. */
export const FIRST_MADE = 0xf0000000;

const WORDS = {focus: "focus on", focus_subtree: "focus on the path to", merge: "without", drop: "dropped", collapse_recursion: "recursion collapsed", collapse_package: "package collapsed"};

/** The last part of a name, without its signature. @param {string} name */
const short = name => elide(name.replace(/\(.*/s, "").split(".").slice(-2).join("."), 40);

/** @param {Transform} transform */
const nameOf = transform => transform.kind === "focus_subtree" ? transform.path.at(-1) ?? "" : transform.name;

/**
 * @param {object} options
 * @param {import("panels/model").Model} options.model @param {import("panels/model").Store} options.store
 * @param {() => Row | null} options.chosen the selected row @param {() => string[] | null} options.path the call path that was selected in the flame graph, to the selected row
 */
export function transformBar({model, store, chosen, path}) {
  const crumbs = el("div", {class: "crumbs transforms", role: "navigation", "aria-label": "Transforms of the profile", "data-testid": "transforms"});
  const button = el("button", {type: "button", class: "button", "aria-haspopup": "menu", "aria-expanded": "false", title: "Focus on the selected function, merge, drop or collapse it", "data-testid": "transform", onclick: menu}, "Transform");
  /** @returns {Transform[]} */
  const all = () => { const {transforms} = store.get().profile ?? {}; return Array.isArray(transforms) ? transforms : []; };
  const set = (/** @type {Transform[]} */ transforms) => model.change({transforms: transforms.length ? transforms : undefined, rank: null});

  /** What can be done with a row. @param {Row} row @returns {[string, Transform][]} */
  function possible(row) {
    const {by} = store.get().profile ?? {}, made = (row.name ?? 0) >= FIRST_MADE && row.name != null;
    if (by === "package") return row.label.startsWith("(") ? [] : [["Collapse this package", {kind: "collapse_package", name: row.label}]];
    if (by && by !== "method") return [];
    const name = keyOf(row), chain = path(), within = row.class?.includes(".") ? row.class.slice(0, row.class.lastIndexOf(".")) : "";
    const list = /** @type {[string, Transform | null][]} */ ([["Focus on this function", {kind: "focus", name}], ["Focus on this call path", chain && {kind: "focus_subtree", path: chain}], ["Merge into its callers", {kind: "merge", name}],
      ["Drop it, with its time", {kind: "drop", name}], ["Collapse its recursion", row.recursive_calls > 0 ? {kind: "collapse_recursion", name} : null],
      [`Collapse the package ${within}`, within && !made ? {kind: "collapse_package", name: within} : null]]);
    return list.flatMap(([text, transform]) => transform ? [/** @type {[string, Transform]} */ ([text, transform])] : []);
  }

  function menu() {
    const row = chosen(), list = row ? possible(row) : [];
    openMenu(button, list.length ? list.map(([label, transform]) => ({label, run: () => set([...all(), transform])})) : [{label: "Select a function first", run: () => {}}]);
  }

  function show() {
    const list = all();
    crumbs.hidden = !list.length;
    crumbs.replaceChildren(el("button", {type: "button", class: "crumb", title: "Undo all transforms", onclick: () => set([])}, "Whole profile"), ...list.map((transform, at) => {
      const text = `${WORDS[transform.kind] ?? transform.kind} ${short(nameOf(transform))}`;
      return el("span", {class: "scope-chip"}, el("span", {title: nameOf(transform)}, text), iconButton("close", `Undo: ${text}`, () => { set(list.filter((_, nth) => nth !== at)); button.focus(); }));
    }));
  }

  store.on(["profile"], show);
  show();
  return {crumbs, button};
}
