// Pointer, wheel and touch input on the timeline.
import {panelFor} from "app/state";
import {nearestMark} from "timeline/marks";
import {KIND} from "timeline/rows";
import {withSlice} from "timeline/several";
import {RULER} from "timeline/ruler";

const CLICK = 4;
/** A finger that does not move for this time selects instead of panning, ms. */
const REST = 450;
/** Within this distance, the edge of a range is grabbed instead of the thing under it, px. A finger needs more. */
const EDGE = 5, FINGER = 16;

/**
 * @param {object} parts
 * @param {HTMLElement} parts.area @param {HTMLElement} parts.names @param {HTMLElement} parts.bar scrolls
 * @param {import("timeline/view").View} parts.view @param {import("app/state").Store} parts.store @param {import("timeline/rows").RowModel} parts.model
 * @param {() => import("timeline/paint_slices").Scene} parts.scene
 * @param {(x: number, y: number) => import("timeline/hit").Hit | null} parts.hit
 * @param {(at: {x: number, y: number} | null) => void} parts.point
 * @param {(y: number) => import("timeline/hit").Placed | null} parts.rowAt
 * @param {(ts: number) => void} parts.nameMark @param {(x: number, y: number) => boolean} parts.follow goes along an arrow
 */
export function gestures({area, names, bar, view, store, model, scene, hit, point, rowAt, nameMark, follow}) {
  /** @type {Map<number, {x: number, y: number}>} */
  const fingers = new Map();
  /** @type {{x: number, y: number, ns: number, mode: "" | "range" | "pan", rows: boolean, kept?: number[]} | null} `ns`: the fixed end; `kept`: the rows of the range being changed */
  let drag = null;
  let pinch = 0, rest = 0, wheelAt = 0, pad = false;

  const ns_px = () => 1 / scene().scale;
  const nsAt = (/** @type {number} */ x) => view.from + x * ns_px();
  /** @param {PointerEvent | WheelEvent | MouseEvent} event */
  const where = event => { const box = area.getBoundingClientRect(); return {x: event.clientX - box.left, y: event.clientY - box.top}; };

  /** @param {{x: number, y: number}} at @param {boolean} several adds a slice to the selected ones, or removes it */
  function select(at, several) {
    if (at.y < RULER) return;
    if (!several && follow(at.x, at.y)) return;
    const found = hit(at.x, at.y);
    if (several && found?.what !== "slice") return;
    if (!found?.what) return store.set({selection: null});
    const {row, what, at: place, level, data} = found;
    if (what === "slice") {
      const slice = {id: data.s_id[place], row, ts: data.s_ts[place], end: data.s_end[place], level: level ?? 0, name: data.s_name[place]};
      store.set({selection: several ? withSlice(store.get().selection, slice) : {kind: "slice", ...slice}, panel: panelFor(store.get(), "details")});
    } else if (what === "log" || what === "sample") {
      store.set({selection: {kind: what, row, ts: data.ts, id: data.id}, panel: what === "log" && store.get().panel === "logs" ? "logs" : "details"});
    } else {
      const ts = {state: data.t_ts, sched: data.t_ts, counter: data.p_ts, instant: data.i_ts, event: data.e_ts}[what][place];
      const end = what === "state" || what === "sched" ? {end: data.t_end[place]} : what === "event" ? {id: data.e_id[place]} : {};
      store.set({selection: {kind: what, row, ts, ...end}, panel: "details"});
    }
  }

  /** @param {{x: number, y: number}} at @param {boolean} only only the rows that it crosses */
  function stretch(at, only) {
    if (!drag) return;
    const a = Math.max(view.start, Math.min(drag.ns, nsAt(at.x))), b = Math.min(view.end, Math.max(drag.ns, nsAt(at.x)));
    let rows = drag.kept;
    if (only) {
      const top = rowAt(Math.min(drag.y, at.y)), low = rowAt(Math.max(drag.y, at.y));
      const {list} = model.main();
      if (top) rows = list.slice(model.placeOf(top.row), low ? model.placeOf(low.row) + 1 : undefined).filter(row => model.rows.kind[row] !== KIND.group);
    }
    store.set({selection: {kind: "range", from: a, to: b, ...(rows && {rows})}});
    if (at.x < 8 || at.x > scene().width - 8) view.pan((at.x < 8 ? -1 : 1) * (view.to - view.from) * 0.02, true);
  }

  /** The range with an edge at `px`, and its other edge, which stays fixed during a drag. @param {number} x px @param {number} slack */
  function rangeAt(x, slack) {
    const {selection} = store.get();
    if (selection?.kind !== "range") return null;
    const {from, to, rows} = selection;
    const [left, right] = [from, to].map(ns => Math.abs((ns - view.from) / ns_px() - x));
    return Math.min(left, right) > slack ? null : {stays: left < right ? to : from, rows};
  }

  /** @param {PointerEvent} event */
  function down(event) {
    const at = where(event);
    fingers.set(event.pointerId, at);
    try { area.setPointerCapture(event.pointerId); } catch { /* a made-up event has no pointer */ }
    clearTimeout(rest);
    if (fingers.size === 2) { drag = null; pinch = apart(); return; }
    const pans = event.button === 1 || event.pointerType === "touch";
    if (event.button > 1) return;
    const touch = event.pointerType === "touch";
    const range = event.button === 0 && !event.altKey ? rangeAt(at.x, touch ? FINGER : EDGE) : null;
    if (range) drag = {...at, ns: range.stays, mode: touch ? "range" : "", rows: false, kept: range.rows};
    else drag = {...at, ns: nsAt(at.x), mode: pans ? "pan" : "", rows: event.altKey};
    if (touch && !range) rest = setTimeout(() => { if (drag) drag.mode = "range"; }, REST);
    if (event.button === 1) event.preventDefault();
  }

  const apart = () => { const [a, b] = [...fingers.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };

  /** @param {PointerEvent} event */
  function move(event) {
    const at = where(event), before = fingers.get(event.pointerId);
    if (!before) {
      area.classList.toggle("stretches", rangeAt(at.x, EDGE) !== null);
      return point(event.pointerType === "touch" ? null : at);
    }
    fingers.set(event.pointerId, at);
    if (fingers.size === 2) {
      const now = apart(), [a, b] = [...fingers.values()], middle = (a.x + b.x) / 2;
      view.zoom(pinch / Math.max(10, now), nsAt(middle), true);
      view.pan(-(at.x - before.x) / 2 * ns_px(), true);
      bar.scrollTop -= (at.y - before.y) / 2;
      pinch = Math.max(10, now);
      return;
    }
    if (!drag) return;
    const far = Math.hypot(at.x - drag.x, at.y - drag.y) > CLICK;
    if (far && drag.mode !== "range") clearTimeout(rest);
    if (drag.mode === "pan") {
      view.pan(-(at.x - before.x) * ns_px(), true);
      bar.scrollTop -= at.y - before.y;
    } else if (drag.mode === "range" || far) {
      drag.mode = "range";
      stretch(at, drag.rows);
    }
    point(event.pointerType === "touch" ? null : at);
  }

  /** @param {PointerEvent} event */
  function up(event) {
    const at = where(event);
    clearTimeout(rest);
    fingers.delete(event.pointerId);
    const done = drag;
    drag = null;
    if (!done || event.type === "pointercancel") return;
    if (done.mode === "range") store.set({panel: panelFor(store.get(), "range")});
    else if (event.button === 0 && Math.hypot(at.x - done.x, at.y - done.y) <= CLICK) select(at, event.shiftKey);
  }

  /** @param {WheelEvent} event */
  function wheel(event) {
    event.preventDefault();
    const by = event.deltaMode === 1 ? 33 : event.deltaMode === 2 ? 400 : 1;
    const dx = event.deltaX * by, dy = event.deltaY * by;
    // Touch pads send many small steps, often in both directions; wheels few big ones. The kind is decided at the start of a series.
    if (event.timeStamp - wheelAt > 180) pad = event.deltaMode === 0 && (Math.abs(dy) < 40 && Math.abs(dx) < 40) && !event.ctrlKey;
    wheelAt = event.timeStamp;
    const {x} = where(event);
    if (event.ctrlKey || event.metaKey) view.zoom(Math.exp(dy * (Math.abs(dy) < 40 ? 0.01 : 0.0025)), nsAt(x), Math.abs(dy) < 40);
    else if (event.shiftKey) view.pan((dx || dy) * ns_px() * 1.5);
    else if (pad) {
      if (Math.abs(dx) > Math.abs(dy)) view.pan(dx * ns_px(), true);
      else bar.scrollTop += dy;
    } else if (Math.abs(dx) > Math.abs(dy)) view.pan(dx * ns_px());
    else if (event.altKey !== (store.get().wheel === "rows")) bar.scrollTop += dy;
    else view.zoom(Math.exp(Math.max(-240, Math.min(240, dy)) * 0.0028), nsAtGoal(x));
  }

  /** While the picture still moves, the wheel zooms around the time that will be under the pointer. @param {number} x */
  const nsAtGoal = x => { const {from, to} = view.goal(); return from + x / scene().width * (to - from); };

  area.onpointerdown = down;
  area.onpointermove = move;
  area.onpointerup = area.onpointercancel = up;
  area.onpointerleave = () => point(null);
  area.ondblclick = event => {
    const at = where(event), {selection} = store.get();
    const mark = at.y < RULER && nearestMark(store, nsAt(at.x), FINGER * ns_px());
    if (mark) nameMark(mark.ts);
    else if (at.y < RULER) view.set(view.start, view.end);
    else if (selection && "ts" in selection && selection.end !== undefined) view.fit(selection.ts, selection.end);
  };
  area.addEventListener("wheel", wheel, {passive: false});
  names.addEventListener("wheel", event => { bar.scrollTop += event.deltaY * (event.deltaMode === 1 ? 33 : 1); event.preventDefault(); }, {passive: false});
}
