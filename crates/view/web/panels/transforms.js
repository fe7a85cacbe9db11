// Transforms, as in Firefox Profiler: focus, merge, drop, collapse. They are breadcrumbs above the profile or the samples; each can be undone.
import {el, iconButton} from "ui/dom";
import {elide} from "ui/format";
import {openMenu} from "ui/menu";
import {keyOf} from "panels/model";

/** @typedef {{kind: "focus" | "merge" | "drop" | "collapse_recursion" | "collapse_package", name: string} | {kind: "focus_subtree", path: string[]}} Transform */
/** @typedef {import("panels/model").Row & {class?: string}} Row */

/** The first id for names of functions that transforms made. These names are in no table of the trace. */
export const FIRST_MADE = 0xf0000000;

const WORDS = {focus: "focus on", focus_subtree: "focus on the path to", merge: "without", drop: "dropped", collapse_recursion: "recursion collapsed", collapse_package: "package collapsed"};

/** The transforms in a setting, which may come from a damaged link. @param {unknown} setting @returns {Transform[]} */
export const listed = setting => Array.isArray(setting) ? setting.filter(one => one && typeof one === "object") : [];

/** The last part of a name, without its signature. @param {string} name */
const short = name => elide(name.replace(/\(.*/s, "").split(".").slice(-2).join("."), 40);

/** @param {Transform} transform */
const nameOf = transform => String(transform.kind === "focus_subtree" ? transform.path?.at(-1) ?? "" : transform.name);

/**
 * A button with the possible transforms, and the breadcrumbs of the applied ones.
 * @param {object} options
 * @param {() => Transform[]} options.all @param {(transforms: Transform[]) => void} options.set
 * @param {() => [string, Transform | null | false | ""][]} options.possible the transforms that are possible for the selection
 * @param {string} options.of what is transformed @param {string} options.testid
 */
export function crumbBar({all, set, possible, of, testid}) {
  const crumbs = el("div", {class: "crumbs transforms", role: "navigation", "aria-label": `Transforms of the ${of}`, "data-testid": `${testid}s`});
  const button = el("button", {type: "button", class: "button", "aria-haspopup": "menu", "aria-expanded": "false", title: "Focus on the selected function, merge, drop or collapse it", "data-testid": testid, onclick: menu}, "Transform");

  function menu() {
    const list = possible().flatMap(([label, transform]) => transform ? [{label, run: () => set([...all(), transform])}] : []);
    openMenu(button, list.length ? list : [{label: "Select a function first", run: () => {}}]);
  }

  function show() {
    const list = all();
    crumbs.hidden = !list.length;
    crumbs.replaceChildren(el("button", {type: "button", class: "crumb", title: "Undo all transforms", onclick: () => set([])}, `Whole ${of}`), ...list.map((transform, at) => {
      const text = `${WORDS[transform.kind] ?? transform.kind} ${short(nameOf(transform))}`;
      return el("span", {class: "scope-chip"}, el("span", {title: nameOf(transform)}, text), iconButton("close", `Undo: ${text}`, () => { set(list.filter((_, nth) => nth !== at)); button.focus(); }));
    }));
  }

  show();
  return {crumbs, button, show};
}

/** The possible transforms of a function. @param {string} name @param {string[] | null} path to it, if it was selected in the flame graph @param {boolean} recursive @returns {[string, Transform | null | false][]} */
export const transformsOf = (name, path, recursive) => [["Focus on this function", {kind: "focus", name}], ["Focus on this call path", path && {kind: "focus_subtree", path}], ["Merge into its callers", {kind: "merge", name}],
  ["Drop it, with its time", {kind: "drop", name}], ["Collapse its recursion", recursive && {kind: "collapse_recursion", name}]];

/**
 * The transforms of the profile.
 * @param {object} options
 * @param {import("panels/model").Model} options.model @param {import("panels/model").Store} options.store
 * @param {() => Row | null} options.chosen the selected row @param {() => string[] | null} options.path the call path that was selected in the flame graph, to the selected row
 */
export function transformBar({model, store, chosen, path}) {
  const all = () => listed(store.get().profile?.transforms);
  const set = (/** @type {Transform[]} */ transforms) => model.change({transforms: transforms.length ? transforms : undefined, rank: null});

  /** @returns {[string, Transform | null | false | ""][]} */
  function possible() {
    const row = chosen();
    if (!row) return [];
    const {by} = store.get().profile ?? {}, made = (row.name ?? 0) >= FIRST_MADE && row.name != null;
    if (by === "package") return row.label.startsWith("(") ? [] : [["Collapse this package", {kind: "collapse_package", name: row.label}]];
    if (by && by !== "method") return [];
    const within = row.class?.includes(".") ? row.class.slice(0, row.class.lastIndexOf(".")) : "";
    return [...transformsOf(keyOf(row), path(), row.recursive_calls > 0), [`Collapse the package ${within}`, within && !made && {kind: "collapse_package", name: within}]];
  }

  const {crumbs, button, show} = crumbBar({all, set, possible, of: "profile", testid: "transform"});
  store.on(["profile"], show);
  return {crumbs, button};
}
