// Keeps the state in the URL fragment, so that a link or a reload shows the same.

/** @typedef {import("app/state").Store} Store */
/** @typedef {import("app/state").State} State */

const WAIT = 200;
const numbers = (/** @type {string | null} */ text) => (text ?? "").split(".").filter(Boolean).map(Number).filter(Number.isFinite);

/** @typedef {import("app/opening").Opening} Opening */

/** @param {State} state @param {number} end @param {Opening} opening */
function write({view, top, selection, search, marks, ranges, counters, rows, panel, profile, colours, why, sql, tracks, asked}, end, opening) {
  const out = new URLSearchParams();
  const put = (/** @type {string} */ key, /** @type {string | false | undefined} */ value) => { if (value) out.set(key, value); };
  const round = (/** @type {number} */ ns) => String(Math.round(ns * 10) / 10);
  put("v", (view.from > 0 || view.to < end) && `${round(view.from)}~${round(view.to)}`);
  put("y", top > 0 && String(top));
  if (selection?.kind === "slice") put("s", [selection.id, ...(selection.more ?? []).map(({id}) => id)].join("."));
  else if (selection?.kind === "range") put("r", [round(selection.from), round(selection.to), ...(selection.rows ? [selection.rows.join(".")] : [])].join("~"));
  else if (selection?.kind === "name") put("n", String(selection.name));
  else if (selection) put("at", [selection.kind, selection.row, round(selection.ts), ...(selection.id === undefined ? [] : [selection.id])].join("~"));
  put("q", search.text);
  put("m", marks.map(({ts, label}) => label ? `${ts}:${label.replace(/[%~]/g, letter => letter === "%" ? "%25" : "%7E")}` : String(ts)).join("~"));
  put("g", ranges.length > 0 && JSON.stringify(ranges.map(({from, to, rows, label, base}) => [Math.round(from), Math.round(to), label, base ? 1 : 0, ...(rows ? [rows] : [])])));
  put("k", Object.entries(counters).map(([id, {mode, scale, also}]) => [id, mode, scale, ...also].join(".")).join("~"));
  put("f", [...rows.flipped].join("."));
  put("p", rows.pinned.join("."));
  put("h", [...rows.hidden].join("."));
  put("d", [...rows.deep].join("."));
  put("w", rows.filter);
  put("t", panel !== opening.panel && panel);
  put("c", colours !== "name" && colours);
  put("why", why && JSON.stringify(why));
  put("sql", sql);
  const drawn = [...tracks.map(({sql}) => sql).filter(Boolean), ...asked];
  put("tr", drawn.length > 0 && JSON.stringify([...new Set(drawn)]));
  const chosen = JSON.stringify(profile ?? {});
  put("pr", chosen !== JSON.stringify(opening.profile) && chosen);
  return out.toString().replaceAll("%7E", "~").replaceAll("%3A", ":");
}

/** How counters are drawn, from a link. @param {string | null} text @returns {State["counters"]} */
const countersOf = text => Object.fromEntries((text ?? "").split("~").map(one => one.split(".")).filter(([id, mode, scale]) => /^\d+$/.test(id) && /^(value|delta|rate)$/.test(mode) && /^(zero|fit|log)$/.test(scale))
  .map(([id, mode, scale, ...also]) => [id, {mode: /** @type {"value"} */ (mode), scale: /** @type {"zero"} */ (scale), also: numbers(also.join("."))}]));

/** The saved ranges of a link; none if it is damaged. @param {string | null} text @returns {import("app/state").Saved[]} */
function savedOf(text) {
  try {
    return JSON.parse(text ?? "[]").filter((/** @type {any[]} */ [a, b]) => b >= a).slice(0, 20).map((/** @type {any[]} */ [from, to, label, base, rows]) => ({from, to, label: String(label ?? "").slice(0, 60), ...(base === 1 && {base: true}), ...(Array.isArray(rows) && {rows: rows.filter(Number.isInteger)})}));
  } catch { return []; }
}

/** The queries of the tracks of a link; none if it is damaged. @param {string | null} text @returns {string[]} */
function queriesOf(text) {
  try {
    return JSON.parse(text ?? "[]").filter((/** @type {unknown} */ sql) => typeof sql === "string").slice(0, 20);
  } catch { return []; }
}

/** Applies the fragment to the store. Returns the part that needs the engine. @param {Store} store @param {number} end @param {Opening} opening */
function read(store, end, opening) {
  const from = new URLSearchParams(location.hash.slice(1));
  /** @type {Partial<State>} */
  const patch = {};
  const [a, b] = (from.get("v") ?? "").split("~").map(Number);
  patch.view = b > a ? {from: Math.max(0, a), to: Math.min(end, b)} : {from: 0, to: end};
  patch.top = Number(from.get("y")) || 0;
  patch.search = {...store.get().search, text: from.get("q") ?? ""};
  patch.marks = (from.get("m") ?? "").split("~").filter(Boolean).map(text => ({ts: Number(text.split(":")[0]), label: text.split(":").slice(1).join(":").replaceAll("%7E", "~").replaceAll("%25", "%")})).filter(({ts}) => Number.isFinite(ts));
  patch.rows = {flipped: new Set(numbers(from.get("f"))), pinned: numbers(from.get("p")), hidden: new Set(numbers(from.get("h"))), deep: new Set(numbers(from.get("d"))),
    filter: from.get("w") ?? ""};
  patch.panel = from.get("t") ?? opening.panel;
  patch.chosen = from.has("t");
  patch.colours = from.get("c") === "rank" ? "rank" : "name";
  try { patch.profile = JSON.parse(from.get("pr") ?? ""); } catch { patch.profile = from.has("pr") ? {} : opening.profile; }
  try { patch.why = JSON.parse(from.get("why") ?? "null"); } catch { patch.why = null; }
  patch.counters = countersOf(from.get("k"));
  patch.ranges = savedOf(from.get("g"));
  patch.sql = from.get("sql") ?? "";
  const drawn = queriesOf(from.get("tr")), {tracks} = store.get();
  if (tracks.some(({sql}) => sql && !drawn.includes(sql))) patch.tracks = tracks.filter(({sql}) => drawn.includes(sql));
  patch.asked = drawn.filter(sql => !tracks.some(track => track.sql === sql));
  const range = (from.get("r") ?? "").split("~");
  const name = from.get("n"), at = (from.get("at") ?? "").split("~");
  patch.selection = Number(range[1]) >= Number(range[0]) && range.length > 1 ? {kind: "range", from: Number(range[0]), to: Number(range[1]), ...(range[2] && {rows: numbers(range[2])})}
    : name ? {kind: "name", name: Number(name)}
    : /^(state|sched|counter|instant|event|log|sample)$/.test(at[0]) && at.length === (/^(event|log|sample)$/.test(at[0]) ? 4 : 3) ? {kind: /** @type {"state"} */ (at[0]), row: Number(at[1]), ts: Number(at[2]), ...(at[3] && {id: Number(at[3])})} : null;
  store.set(patch);
  return from.has("s") ? numbers(from.get("s")) : null;
}

/**
 * @param {Store} store @param {number} end ns @param {Opening} opening what is shown without a link
 * @returns {{slice: number[] | null, text: (end: number) => string, follow: (changed: (slice: number[] | null) => void) => void}} the slice that the link selects; `text`: the fragment of a link to the current state
 */
export function startLink(store, end, opening) {
  const slice = read(store, end, opening);
  let waiting = 0, written = location.hash.slice(1);
  function save() {
    waiting = 0;
    const text = write(store.get(), end, opening);
    if (text === written) return;
    written = text;
    try { history.replaceState(history.state, "", `#${text}`); } catch { /* too many changes at once, or a page without a place */ }
  }
  return {slice, text: (/** @type {number} */ end) => write(store.get(), end, opening), follow(changed) {
    const keys = /** @type {(keyof State)[]} */ (["view", "top", "selection", "search", "marks", "ranges", "counters", "rows", "panel", "profile", "colours", "why", "sql", "tracks", "asked"]);
    store.on(keys, () => { waiting ||= setTimeout(save, WAIT); });
    addEventListener("hashchange", () => {
      if (location.hash.slice(1) === written) return;
      written = location.hash.slice(1);
      changed(read(store, end, opening));
    });
  }};
}
