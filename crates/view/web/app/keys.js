// The keys of the timeline. W, A, S and D move while they are held.
import {nearestMark, nextMark, toggleMark} from "timeline/marks";

const PAN = 1.1 / 1000;
const ZOOM = 2.4 / 1000;
const RAMP_MS = 250;

/**
 * @param {import("app/state").Store} store @param {import("timeline/timeline").Timeline} timeline
 * @param {{goTo: (id: number) => Promise<void>, step: (to: "next" | "previous" | "parent" | "child") => void, fit: () => void, range: () => void, extent: () => [number, number] | null}} select
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

  /** @type {Record<string, () => void>} */
  const once = {
    f: select.fit, F: select.fit, 0: () => view.set(view.start, view.end), m: mark, M: rename, "?": page.help, "/": page.focusSearch, r: select.range, R: select.range,
    n: () => page.searchStep(1), N: () => page.searchStep(-1), "[": () => jump(-1), "]": () => jump(1), "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2),
    Escape: escape, ArrowRight: () => select.step("next"), ArrowLeft: () => select.step("previous"), ArrowUp: () => select.step("parent"),
    ArrowDown: () => select.step("child"), Enter: select.fit, PageDown: () => timeline.scrollBy(timeline.height() * 0.8), PageUp: () => timeline.scrollBy(-timeline.height() * 0.8),
    Home: () => timeline.scrollBy(-1e9), End: () => timeline.scrollBy(1e9),
  };
  /** The focused element handles these keys, unless the timeline or nothing has the focus. */
  const LOCAL = /^(Arrow|Page|Home|End|Enter)/;

  addEventListener("keydown", event => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (target.matches?.("input, textarea, select")) return;
    const {key} = event, lower = key.toLowerCase();
    if (lower.length === 1 && "wasd".includes(lower)) {
      if (!held.size) { since = 0; timeline.setHeld(move); }
      held.add(lower);
    } else if (once[key] && !(LOCAL.test(key) && target !== document.body && target !== timeline.area)) once[key]();
    else return;
    event.preventDefault();
  });
  addEventListener("keyup", event => {
    held.delete(event.key.toLowerCase());
    if (!held.size) release();
  });
  addEventListener("blur", release);
}
