// The bar above the profile: grouping, clock, scope and search.
import {el} from "ui/dom";
import {elide, moment} from "ui/format";
import {threadsOf} from "timeline/range_scope";
import {clocksOf} from "panels/numbers";

/** @typedef {import("panels/model").Scope} Scope */

/** The possible groupings of rows. @param {any} meta the answer to `meta` */
export const groupings = meta => meta.has?.methods === false ? [["method", "Slices"], ["thread", "Threads"]]
  : [["method", "Methods"], ["class", "Classes"], ["package", "Packages"], ["thread", "Threads"]];
/** The maximum number of threads that are listed. With more, they are selected by the timeline's rows. */
const LISTED = 1000;

/** @param {string} label @param {string} testid @param {(value: string) => void} onChange @param {string[][]} [options] */
export function choice(label, testid, onChange, options = []) {
  const select = el("select", {class: "control", "aria-label": label, title: label, "data-testid": testid}, ...options.map(([value, text]) => el("option", {value}, text)));
  select.onchange = () => onChange(select.value);
  return select;
}

const LETTERS = 40;

/**
 * Short names of files that differ wherever the files' own names do: without folders unless these differ, and without the
 * beginning that they share if they are long.
 * @param {{name: string}[]} sources @returns {string[]}
 */
export function fileNames(sources) {
  const parts = sources.map(({name}) => name.split("/")), most = Math.max(...parts.map(({length}) => length));
  let names = sources.map(({name}) => name);
  for (let kept = 1; kept <= most; kept++) {
    names = parts.map(all => all.slice(-kept).join("/"));
    if (new Set(names).size === new Set(parts.map(String)).size) break;
  }
  // A report knows no folders: its files may have the same name.
  if (new Set(names).size < names.length) names = names.map((name, at) => names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${at + 1})`);
  const short = names.map(name => elide(name, LETTERS));
  if (new Set(short).size === new Set(names).size) return short;
  let shared = 0;
  while (shared < names[0].length && names.every(name => name[shared] === names[0][shared])) shared++;
  const from = Math.max(0, shared - 8);
  return names.map(name => `${from ? "…" : ""}${name.slice(from, from + LETTERS)}${name.length > from + LETTERS ? "…" : ""}`);
}

/** @param {string} text @param {string} testid @param {() => void} onClick @param {string} [title] */
export function button(text, testid, onClick, title) {
  const made = el("button", {class: "button", type: "button", "data-testid": testid, title: title ?? text}, text);
  made.onclick = onClick;
  return made;
}

/**
 * The files, processes and threads that can be chosen, in the timeline's order.
 * @param {import("app/panels").Context} context
 * @returns {HTMLElement[]}
 */
function whoOptions({rows, meta}) {
  const options = [el("option", {value: ""}, "All threads")];
  if (meta.sources.length > 1) options.push(...fileNames(meta.sources).map((name, at) => el("option", {value: `s${at}`}, name)));
  const {kind, utid, upid, parent, names, notes} = rows;
  const text = (/** @type {number} */ at) => [names[at], notes[at]].filter(Boolean).join(" · ").slice(0, 80);
  for (let at = 0; at < kind.length && options.length < LISTED; at++) {
    if (kind[at] === 1) options.push(el("option", {value: `p${upid[at]}`}, text(at)));
    if (kind[at] === 2) options.push(el("option", {value: `t${utid[at]}`}, `${kind[parent[at]] === 1 ? "\u2003" : ""}${text(at)}`));
  }
  return options;
}

/**
 * @param {object} options
 * @param {import("panels/model").Model} options.model
 * @param {import("panels/model").Store} options.store
 * @param {import("app/panels").Context} options.context
 * @param {(text: string, step: number) => [number, number]} options.onFind step 0: text was typed; returns the hit's number and the number of hits
 */
export function scopeBar({model, store, context, onFind}) {
  const by = choice("A row is a", "profile-by", value => model.change({by: value, rank: null}), groupings(context.meta));
  const clock = choice("Clock", "profile-clock", value => model.change({clock: value}));
  const who = choice("Threads", "profile-who", pickWho);
  const range = button("Selected range", "profile-range", toggleRange, "Count only what ran within the selected range");
  const all = button("✕ Whole trace", "profile-whole", () => choose({}), "Back to the whole trace");
  const chips = el("span", {class: "chips", role: "status", "data-testid": "profile-scope"});
  const find = el("input", {class: "control find", type: "search", placeholder: "Find a name", "aria-label": "Find in the profile (capital letters match exactly)",
    "data-testid": "profile-find", spellcheck: "false"});
  const hits = el("span", {class: "quiet hits", role: "status", "data-testid": "profile-hits"});
  const element = el("div", {class: "panel-bar", role: "toolbar", "aria-label": "Profile of"}, by, clock, who, range, chips, all, el("span", {class: "gap"}), find,
    button("‹", "find-previous", () => go(-1), "Previous hit (Shift+Enter)"), button("›", "find-next", () => go(1), "Next hit (Enter)"), hits);
  /** @type {import("panels/model").Profile | null} */
  let last = null;
  /** The scope without the limits of a range over rows; null if no such range limits it. @type {Scope | null} */
  let before = null;
  const {rows} = context;

  /** @returns {Scope} */
  const scope = () => store.get().profile?.scope ?? {};

  /** Sets the scope that the user chose. @param {Scope} scope */
  function choose(scope) {
    before = null;
    model.change({scope});
  }

  /** @param {string} value */
  function pickWho(value) {
    const {threads, process, source, ...rest} = scope();
    const id = Number(value.slice(1));
    choose({...rest, ...(value[0] === "t" ? {threads: [id]} : value[0] === "p" ? {process: id} : value ? {source: id} : {})});
  }

  function selectedRange() {
    const {selection} = store.get();
    return selection?.kind === "range" ? selection : null;
  }

  function toggleRange() {
    const {from, to, ...rest} = scope();
    if (from === undefined) follow();
    else choose(rest);
  }

  /** Limits the scope to the selected range and its rows, if any, and follows its changes. */
  function follow() {
    const chosen = selectedRange();
    if (!chosen) return;
    const now = scope(), {threads} = threadsOf(rows, chosen.rows);
    if (threads && !before) {
      const {from, to, ...rest} = now;
      // A link has the range and its limits.
      if (String(rest.threads) === String(threads)) delete rest.threads;
      before = rest;
    }
    const next = {...(before ?? now), ...(threads && {threads}), from: chosen.from, to: chosen.to};
    if (next.from !== now.from || next.to !== now.to || String(next.threads) !== String(now.threads)) model.change({scope: next});
  }

  /** Ends the limits of a range over rows, because nothing is selected any more. */
  function release() {
    if (before) choose(before);
  }

  /** @param {string} text */
  const chip = text => el("span", {class: "scope-chip"}, text);

  /** @param {import("panels/model").Profile | null} profile */
  function show(profile) {
    const {from, to, threads, process, source} = scope();
    by.value = store.get().profile?.by ?? "method";
    const chosen = source !== undefined ? `s${source}` : process !== undefined ? `p${process}` : threads?.length === 1 ? `t${threads[0]}` : "";
    who.value = chosen;
    const parts = [];
    if (from !== undefined && to !== undefined) parts.push(chip(`${moment(from, (to - from) / 1000)} – ${moment(to, (to - from) / 1000)}`));
    if (threads && threads.length > 1) parts.push(chip(`${threads.length} threads`));
    else if (chosen && who.value !== chosen) parts.push(chip("one thread"));
    chips.replaceChildren(...parts);
    all.hidden = from === undefined && !chosen && !threads;
    range.setAttribute("aria-pressed", String(from !== undefined));
    range.hidden = from === undefined && !selectedRange();
    if (!profile) return;
    if (profile !== last) hits.textContent = "";
    last = profile;
    const clocks = clocksOf(profile);
    clock.replaceChildren(...clocks.map(([value, , text]) => el("option", {value}, text)));
    clock.value = profile.clock;
    clock.hidden = clocks.length < 2;
  }

  /** @param {number} step */
  function go(step) {
    const [nth, count] = onFind(find.value, step);
    const none = !!find.value && !count;
    find.classList.toggle("miss", none);
    find.setAttribute("aria-invalid", String(none));
    hits.textContent = !find.value ? "" : none ? "no match" : `${nth + 1} of ${count}`;
  }

  find.oninput = () => go(0);
  find.onkeydown = event => {
    if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && find.value) { find.value = ""; go(0); }
    else if (event.key !== "Escape") return event.stopPropagation();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Handles a key that was typed in the table, as in Traceview. @param {string} key */
  function type(key) {
    if (key === "Backspace") find.value = find.value.slice(0, -1);
    else if (key === "Escape" && find.value) find.value = "";
    else if ([...key].length === 1 && !"/?".includes(key)) find.value += key;
    else return false;
    go(0);
    return true;
  }

  store.on(["selection"], () => {
    range.hidden = scope().from === undefined && !selectedRange();
    if (!store.get().selection) release();
    else if (scope().from !== undefined || selectedRange()?.rows) follow();
  });
  who.append(...whoOptions(context));
  if (selectedRange()?.rows) follow();
  show(null);

  return {element, show, type, text: () => find.value};
}
