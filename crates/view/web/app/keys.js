// The keys of the timeline. W, A, S and D move while they are held.
import {actionOf, addActions, keyOf} from "app/actions";
import {nearestMark, nextMark, toggleMark} from "timeline/marks";

const PAN = 1.1 / 1000;
const ZOOM = 2.4 / 1000;
const RAMP_MS = 250;

/**
 * @param {import("app/state").Store} store @param {import("timeline/timeline").Timeline} timeline
 * @param {{goTo: (id: number) => Promise<void>, extend: (to: "next" | "previous") => Promise<void>, step: (to: "next" | "previous" | "parent" | "child") => void, fit: () => void, range: () => void, extent: () => [number, number] | null}} select
 * @param {{help: () => void, focusSearch: () => void, searchStep: (by: number) => void}} page
 */
export function startKeys(store, timeline, select, page) {
  const {view} = timeline;
  /** @type {Set<string>} */
  const held = new Set();
  let since = 0;

  /** @param {number} ms */
  function move(ms) {
    if (!held.size) return false;
    const {from, to} = store.get().view;
    since += ms;
    const speed = ms * Math.min(1, 0.35 + since / RAMP_MS);
    const pan = (held.has("d") ? 1 : 0) - (held.has("a") ? 1 : 0), zoom = (held.has("s") ? 1 : 0) - (held.has("w") ? 1 : 0);
    if (zoom) view.zoom(Math.exp(zoom * ZOOM * speed), timeline.pointerTime() ?? (from + to) / 2, true);
    if (pan) view.pan(pan * PAN * speed * (to - from), true);
    return true;
  }

  function release() { held.clear(); timeline.setHeld(null); }

  const here = () => timeline.pointerTime() ?? (select.extent()?.[0]) ?? (view.from + view.to) / 2;
  const mark = () => {
    const ts = toggleMark(store, here(), (view.to - view.from) / 200);
    if (ts !== null) timeline.nameMark(ts);
  };
  const rename = () => {
    const mark = nearestMark(store, here());
    if (mark) timeline.nameMark(mark.ts);
  };
  /** @param {number} by */
  function jump(by) {
    const {from, to} = view.goal(), found = nextMark(store, (from + to) / 2, by);
    if (found) view.set(found.ts - (to - from) / 2, found.ts + (to - from) / 2);
  }
  const zoomBy = (/** @type {number} */ factor) => { const {from, to} = view.goal(); view.zoom(factor, (from + to) / 2); };
  function escape() {
    const {selection, search} = store.get();
    if (selection) store.set({selection: null});
    else if (search.text) store.set({search: {...search, text: "", total: 0, at: -1, names: null, ts: undefined, rows: undefined}});
  }

  const to = (/** @type {"next" | "previous" | "parent" | "child"} */ way) => () => select.step(way);
  const scroll = (/** @type {number} */ pages) => () => timeline.scrollBy(timeline.height() * pages);
  addActions(
    {group: "Move", keys: ["0"], what: "the whole trace", run: () => view.set(view.start, view.end)},
    {group: "Move", keys: ["+", "="], both: [["+", "−"], "zoom in steps"], what: "zoom in a step", run: () => zoomBy(0.5)},
    {keys: ["-"], what: "zoom out a step", run: () => zoomBy(2)},
    {group: "Move", keys: ["PageDown"], both: [["Page ↑", "Page ↓"], "scroll the rows (Home, End)"], what: "scroll the rows down", run: scroll(0.8)},
    {keys: ["PageUp"], what: "scroll the rows up", run: scroll(-0.8)},
    {keys: ["Home"], what: "the first row", run: scroll(-1e6)},
    {keys: ["End"], what: "the last row", run: scroll(1e6)},
    {group: "Find and mark", keys: ["/"], what: "search; \"name\" is the whole name, /…/ a regular expression", run: page.focusSearch},
    {keys: ["n"], what: "next hit of the search", run: () => page.searchStep(1)},
    {keys: ["N"], shown: ["Shift", "N"], what: "previous hit of the search", run: () => page.searchStep(-1)},
    {group: "Find and mark", keys: ["m"], what: "set a mark and name it, or remove it", run: mark},
    {group: "Find and mark", keys: ["M"], shown: ["Shift", "M"], what: "rename the nearest mark", run: rename},
    {group: "Find and mark", keys: ["["], both: [["[", "]"], "previous, next mark"], what: "previous mark", run: () => jump(-1)},
    {keys: ["]"], what: "next mark", run: () => jump(1)},
    {group: "Find and mark", keys: ["?"], what: "this sheet: all keys", run: page.help},
    {group: "Select", keys: ["ArrowLeft"], both: [["←", "→"], "previous, next call"], what: "previous call", run: to("previous")},
    {keys: ["ArrowRight"], what: "next call", run: to("next")},
    {group: "Select", keys: ["Shift+ArrowLeft"], both: [["Shift", "←", "→"], "select it too"], shown: ["Shift", "←"], what: "select the previous call too", run: () => { select.extend("previous"); }},
    {keys: ["Shift+ArrowRight"], shown: ["Shift", "→"], what: "select the next call too", run: () => { select.extend("next"); }},
    {group: "Select", keys: ["ArrowUp"], both: [["↑", "↓"], "caller, first callee"], what: "caller of the selected call", run: to("parent")},
    {keys: ["ArrowDown"], what: "first callee of the selected call", run: to("child")},
    {group: "Select", keys: ["f", "F", "Enter"], what: "fit the selection (Enter)", run: select.fit},
    {group: "Select", keys: ["r", "R"], what: "selection as a range", run: select.range},
    {group: "Select", keys: ["Escape"], what: "select nothing", run: escape},
  );
  /** The focused element handles these keys. If nothing or the timeline has the focus, they are handled here. */
  const LOCAL = /^(Shift\+)?(Arrow|Page|Home|End|Enter)/;

  addEventListener("keydown", event => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const key = keyOf(event), lower = key.toLowerCase(), action = actionOf(key);
    if (target.matches?.("input, textarea, select")) return;
    if (lower.length === 1 && "wasd".includes(lower)) {
      if (!held.size) { since = 0; timeline.setHeld(move); }
      held.add(lower);
    } else if (action?.run && !(LOCAL.test(key) && target !== document.body && target !== timeline.area)) action.run();
    else return;
    event.preventDefault();
  });
  // Text fields do not pass keys on, so these are handled before a field receives them.
  addEventListener("keydown", event => {
    const action = actionOf(keyOf(event));
    if (!action?.always || document.querySelector("dialog[open]")) return;
    action.run?.();
    event.preventDefault();
    event.stopPropagation();
  }, true);
  addEventListener("keyup", event => {
    held.delete(event.key.toLowerCase());
    if (!held.size) release();
  });
  addEventListener("blur", release);
}
