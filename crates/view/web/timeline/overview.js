// The overview: a strip of the whole trace that shows where it is busy and which part is visible. Drag to move or resize that part.
import {canvasColours} from "ui/colours";
import {el} from "ui/dom";
import {KIND} from "timeline/rows";

const HIGH = 26;
const EDGE = 6;

/** The number of rows that are summed up; the busiest ones. */
const ROWS = 120;
/** Without scheduling data, the depth of the calls shows activity: the number of rows of which all calls count, and their depth that counts as busy. */
const DEEP_ROWS = 3, DEEP = 40;
/** The maximum number of rows to count events or instants of, when neither states nor calls show activity. Samples and lines of the log are then counted too. */
const EVENT_ROWS = 512;

/**
 * @param {import("app/panels").Source} source @param {any} rows @param {import("timeline/view").View} view @param {() => void} redraw
 * @param {import("app/state").Store} store
 */
export function overviewStrip(source, rows, view, redraw, store) {
  const canvas = el("canvas", {class: "overview-canvas"});
  const element = el("div", {class: "overview", "aria-hidden": "true", "data-testid": "overview"}, canvas);
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {Float32Array | null} activity, one value per px */
  let busy = null;
  /** Answers about the busiest rows, and about the others. @type {any[]} */
  let data = [];
  let asked = false, deep = false, counts = false, width = 0;
  /** Times of samples and of lines of the log. @type {Float64Array[]} */
  let records = [];

  /** Requests the outermost calls and states of the whole trace, or all its calls, once. */
  async function load() {
    if (asked) return;
    asked = true;
    const {kind, last, first, flags} = rows;
    deep = !Array.from(kind).some((kind, row) => kind === KIND.thread && flags[row] & 4);
    const all = Array.from(kind, (_, row) => row);
    // If nothing has a duration, the density of events shows activity. Each event has a CPU, or else a thread.
    const calm = !Array.from(rows.busy).some(busy => busy > 0);
    const events = !calm ? [] : [KIND.cpu, KIND.thread].map(of => all.filter(row => kind[row] === of && flags[row] & 32)).find(found => found.length)?.slice(0, EVENT_ROWS) ?? [];
    counts = calm;
    const list = events.length ? events : calm ? all.filter(row => kind[row] !== KIND.counter).slice(0, EVENT_ROWS) : all.filter(row => (kind[row] === KIND.thread || kind[row] === KIND.async) && last[row] > first[row])
      .sort((a, b) => rows.busy[b] - rows.busy[a]).slice(0, ROWS);
    const levels = deep && !calm ? DEEP_ROWS : 0, byRow = (/** @type {number} */ a, /** @type {number} */ b) => a - b;
    const ask = (/** @type {number[]} */ rows, /** @type {number} */ max_level) => source.ask({op: "window", rows: rows.sort(byRow), from: view.start, to: view.end, px_ns: (view.end - view.start) / Math.max(200, width), max_level});
    try {
      data = await Promise.all([ask(list.slice(0, levels), DEEP), ask(list.slice(levels), 0)]);
      busy = null;
      redraw();
    } catch { /* the strip stays plain */ }
  }

  /** @param {number} ns */
  const px = ns => (ns - view.start) / (view.end - view.start) * width;

  function measure() {
    if (busy?.length === width || !data.length) return;
    busy = new Float32Array(width);
    for (const {s_ts, s_end, s_level, t_ts, t_end, t_state} of data) {
      add(busy, s_ts, s_end, px, deep ? null : s_level, null);
      add(busy, t_ts, t_end, px, null, t_state);
    }
    if (counts) countAll(busy);
    const most = busy.reduce((most, value) => Math.max(most, value), 0) || 1;
    for (let at = 0; at < width; at++) busy[at] = (busy[at] / most) ** 0.7;
  }

  /** Adds the numbers of events, instants and records. @param {Float32Array} busy */
  function countAll(busy) {
    const place = (/** @type {number} */ ts) => Math.max(0, Math.min(width - 1, Math.floor(px(ts))));
    for (const {e_ts, e_count} of data) for (let at = 0; at < e_ts.length; at++) busy[place(e_ts[at])] += e_count[at];
    for (const times of [...data.map(({i_ts}) => i_ts), ...records]) for (const ts of times) busy[place(ts)]++;
  }

  function draw() {
    const dots = devicePixelRatio || 1;
    if (!width) return;
    if (canvas.width !== Math.round(width * dots)) {
      canvas.width = Math.round(width * dots);
      canvas.style.width = `${width}px`;
    }
    if (canvas.height !== HIGH * dots) { canvas.height = HIGH * dots; canvas.style.height = `${HIGH}px`; }
    measure();
    const {row, accent, range, back, hit} = canvasColours();
    ctx.setTransform(dots, 0, 0, dots, 0, 0);
    ctx.fillStyle = row;
    ctx.fillRect(0, 0, width, HIGH);
    const x0 = px(view.from), x1 = Math.max(x0 + 2, px(view.to));
    ctx.fillStyle = back;
    ctx.fillRect(x0, 0, x1 - x0, HIGH);
    ctx.fillStyle = accent;
    ctx.globalAlpha = 0.42;
    if (busy) for (let at = 0; at < width; at++) if (busy[at]) ctx.fillRect(at, HIGH - 2 - busy[at] * (HIGH - 6), 1, busy[at] * (HIGH - 6) + 2);
    ctx.globalAlpha = 1;
    const {search, marks} = store.get();
    ctx.fillStyle = hit;
    let drawn = -1;
    for (const ts of search.ts ?? []) {
      const x = Math.floor(px(ts));
      if (x > drawn) ctx.fillRect(drawn = x, 0, 1, 5);
    }
    for (const {ts} of marks) ctx.fillRect(px(ts) - 1, 0, 2, HIGH);
    if (x1 - x0 > width - 1) return;
    ctx.fillStyle = range;
    ctx.fillRect(x0, 0, x1 - x0, HIGH);
    ctx.fillStyle = accent;
    ctx.fillRect(x0, 0, 2, HIGH);
    ctx.fillRect(x1 - 2, 0, 2, HIGH);
  }

  new ResizeObserver(([{contentRect}]) => { width = Math.floor(contentRect.width); redraw(); }).observe(element);
  element.onpointerdown = event => {
    const {left, width} = element.getBoundingClientRect();
    const all = view.end - view.start;
    const ns = (/** @type {PointerEvent} */ at) => view.start + (at.clientX - left) / width * all;
    const {from, to} = view.goal(), start = ns(event), edge = EDGE / width * all;
    const whole = to - from > all * 0.999;
    const mode = whole ? "new" : Math.abs(start - from) < edge ? "from" : Math.abs(start - to) < edge ? "to" : start > from && start < to ? "move" : "new";
    element.setPointerCapture(event.pointerId);
    element.onpointermove = move => {
      const now = ns(move);
      if (mode === "move") view.set(from + now - start, to + now - start, true);
      else if (mode === "from") view.set(Math.min(now, to - 1), to, true);
      else if (mode === "to") view.set(from, Math.max(now, from + 1), true);
      else if (Math.abs(now - start) > edge / 2) view.set(Math.min(start, now), Math.max(start, now), true);
      redraw();
    };
    element.onpointerup = element.onpointercancel = done => {
      element.onpointermove = element.onpointerup = null;
      if (mode === "new" && !whole && Math.abs(ns(done) - start) < edge / 2) view.set(start - (to - from) / 2, start + (to - from) / 2);
    };
  };
  element.ondblclick = () => view.set(view.start, view.end);
  return {element, draw, load, renew(/** @type {any} */ others) { rows = others; asked = false; },
    setRecords(/** @type {Float64Array[]} */ times) { records = times; busy = null; redraw(); }};
}

/**
 * @param {Float32Array} busy @param {Float64Array} starts @param {Float64Array} ends @param {(ns: number) => number} px
 * @param {Uint16Array | null} level counts only the outermost ones @param {Uint8Array | null} state counts only running
 */
function add(busy, starts, ends, px, level, state) {
  for (let at = 0; at < starts.length; at++) {
    if (level ? level[at] : state && state[at] !== 1) continue;
    const x0 = Math.max(0, px(starts[at])), x1 = Math.min(busy.length, px(ends[at]));
    const first = Math.floor(x0), last = Math.min(busy.length - 1, Math.floor(x1));
    if (first === last) { busy[first] += x1 - x0 + 0.02; continue; }
    busy[first] += first + 1 - x0;
    for (let x = first + 1; x < last; x++) busy[x]++;
    if (last > first) busy[last] += x1 - last;
  }
}
