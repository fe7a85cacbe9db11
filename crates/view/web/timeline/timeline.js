// The timeline: names on the left, one canvas, and an overview above. Draws only after a change.
import {canvasColours} from "ui/colours";
import {el, iconButton} from "ui/dom";
import {plural} from "ui/format";
import {hideTip, showTip} from "ui/tip";
import {splitter} from "ui/splitter";
import {toast} from "ui/toast";
import {gestures} from "timeline/gestures";
import {flowAt} from "timeline/flows";
import {vsyncGrid} from "timeline/grid";
import {hitRow, rowAt} from "timeline/hit";
import {markField} from "timeline/marks";
import {nameList} from "timeline/names";
import {overviewStrip} from "timeline/overview";
import {laneTop, paintOverlay, paintRows} from "timeline/paint";
import {BAR} from "timeline/paint_slices";
import {pathRow} from "timeline/path";
import {recordPoints} from "timeline/points";
import {slicesOf} from "timeline/several";
import {rowModel} from "timeline/rows";
import {RULER} from "timeline/ruler";
import {tileCache} from "timeline/tiles";
import {tipLines} from "timeline/tips";
import {eventFields} from "timeline/event_fields";
import {viewModel} from "timeline/view";

/** @typedef {ReturnType<typeof createTimeline>} Timeline */
/** @typedef {import("timeline/hit").Placed} Placed */

/** The distance above and below the screen for which rows are requested, px. */
const AROUND = 400;
const MOST_ROWS = 400;

/** The maximum share of the height for pinned rows. */
const PINNED = 0.6;

/**
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {any} meta @param {any} rows
 * @param {{frames: number[]}} stats
 */
export function createTimeline(store, source, meta, rows, stats) {
  const end = Math.max(meta.duration_ns, 1000);
  const model = rowModel(rows, store);
  const points = recordPoints(source, meta, rows, () => { redraw(); if (tipWaits) point(pointer); });
  const view = viewModel(store, end, () => redraw());
  const tiles = tileCache(source, end, () => { redraw(); if (tipWaits) point(pointer); }, message => toast(message, true));
  const path = pathRow(source, store, row => showRow(row), () => redraw());
  const grid = vsyncGrid(source, meta, rows, store, () => redraw());
  const canvas = el("canvas", {class: "tl-canvas", role: "img", "aria-label": "What ran when", "data-testid": "canvas"});
  const area = el("div", {class: "tl-area", tabindex: "0", role: "application", "aria-label": "Timeline: W and S zoom, A and D pan, arrow keys go from call to call, question mark for all keys",
    "data-testid": "timeline"}, canvas);
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", {alpha: false}));
  const names = nameList(model, moveFocus, row => enter(row), store);
  const space = el("div", {class: "tl-space"});
  const bar = el("div", {class: "tl-scroll", tabindex: "0", role: "group", "aria-label": "Scroll the rows"}, space);
  names.element.append(path.element);
  const corner = filterBox();
  const left = el("div", {class: "tl-names"}, corner, names.element);
  const strip = overviewStrip(source, rows, view, () => redraw(), store);
  // The overview is directly above the timeline, so that both are aligned when the whole trace is visible.
  new ResizeObserver(() => { strip.element.style.marginLeft = `${left.offsetWidth}px`; }).observe(left);
  const split = splitter({label: "Width of the names", vertical: true, sign: 1, get: () => left.offsetWidth || Math.min(250, innerWidth * 0.3),
    limits: () => [90, Math.max(120, innerWidth * 0.6)], set: px => { left.style.width = `${px}px`; }});
  const nothing = el("p", {class: "state tl-none", hidden: true});
  const body = el("div", {class: "tl-body"}, left, split, area, bar, nothing);
  const element = el("section", {class: "timeline", "aria-label": "Timeline"}, strip.element, body);
  /** @type {import("timeline/paint_slices").Scene} */
  const scene = {ctx, from: 0, to: 1, scale: 1, width: 0, dots: 1, lit: -1, hits: null, tiles, points, labels: {count: 0, name: [], x: [], y: [], room: [], ink: [], text: []},
    brackets: [], open: [], bottom: 0};
  // Sizes and the scroll position are cached: reading them from the page after a change forces the browser to lay it out again.
  let width = 0, height = 0, scrolled = 0, waiting = 0, last = 0, pinnedHeight = 0;
  /** @type {Placed[]} */
  let placed = [];
  /** @type {{x: number, y: number} | null} */
  let pointer = null;
  /** @type {any[]} */
  let flows = [];
  /** @type {((ms: number) => boolean) | null} */
  let held = null;
  let tipWaits = false, pointsAsked = false;
  const fieldsOf = eventFields(source, () => point(pointer));
  /** @type {number | null} the position to scroll to once the rows have their heights */
  let scrollTo = store.get().top;
  let onFirst = () => {};
  const first = new Promise(resolve => { onFirst = () => resolve(undefined); });

  const marks = markField(store, area, ts => (ts - view.from) * scene.scale);

  function redraw() { waiting ||= requestAnimationFrame(frame); }

  /** @param {number} now */
  function frame(now) {
    waiting = 0;
    const start = performance.now(), ms = Math.min(100, now - last || 16);
    const more = held?.(ms) ?? false;
    const moving = view.step(ms);
    draw();
    last = more || moving ? now : 0;
    if (more || moving) redraw();
    stats.frames.push(performance.now() - start);
    if (stats.frames.length > 2000) stats.frames.splice(0, 1000);
  }

  function measure() {
    const dots = devicePixelRatio || 1;
    scene.width = width;
    scene.dots = dots;
    const wide = Math.round(width * dots), high = Math.round(height * dots);
    if (canvas.width === wide && canvas.height === high) return;
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }

  /** @param {import("timeline/rows").Stack} stack @param {number} from px inside the stack @param {number} to @param {number} shift px */
  function place({list, tops}, from, to, shift) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tops[middle + 1] <= from) low = middle + 1;
      else high = middle;
    }
    const out = [];
    for (let at = low; at < list.length && tops[at] < to; at++) out.push({row: list[at], y: tops[at] + shift, height: tops[at + 1] - tops[at]});
    return out;
  }

  /** Highlights the names of the search and the selection. */
  function light() {
    const {selection, search} = store.get();
    scene.lit = selection?.kind === "slice" && selection.more ? -1 : selection?.kind === "slice" || selection?.kind === "name" ? selection.name : -1;
    scene.hits = search.names?.size && (scene.lit < 0 || search.names.has(scene.lit)) ? search.names : null;
  }

  function draw() {
    if (!width || !height) return;
    measure();
    const main = model.main(), pinned = model.pinned();
    const above = path.high();
    pinnedHeight = above + Math.min(pinned.height, (height - RULER) * PINNED);
    const room = height - RULER - pinnedHeight;
    space.style.height = `${main.height + RULER + pinnedHeight}px`;
    if (scrollTo !== null) { bar.scrollTop = scrollTo; scrolled = bar.scrollTop; scrollTo = null; }
    const top = Math.max(0, Math.min(scrolled, main.height - room));
    const fixed = place(pinned, 0, pinnedHeight - above, RULER + above), shift = RULER + pinnedHeight - top;
    const moving = place(main, top, top + room, shift);
    placed = [...fixed, ...moving];
    scene.from = view.from;
    scene.to = view.to;
    scene.scale = scene.width / (view.to - view.from);
    ctx.setTransform(scene.dots, 0, 0, scene.dots, 0, 0);
    drawRows(fixed, moving);
    names.show(placed.map(({row, y, height}) => ({row, y: y - RULER, height})), fixed.length, pinnedHeight);
    ask(place(main, Math.max(0, top - AROUND), top + room + AROUND, shift), fixed);
    nothing.hidden = main.list.length + pinned.list.length > 0;
    if (!nothing.hidden) nothing.replaceChildren(...(model.total ? ["No row has such a name."] : noRows()));
    strip.draw();
    drawn();
    marks.place();
  }

  /** Says why a trace has no rows. @returns {(string | Node)[]} */
  function noRows() {
    const records = Object.values(meta.records ?? {}).reduce((/** @type {number} */ sum, rows) => sum + Number(rows), 0);
    return records ? [el("strong", {}, "This trace has nothing that the timeline shows"), `The tab Query and "traceloom query" read its ${plural(records, "record")} of other kinds.`]
      : [el("strong", {}, "This trace holds no events"), "The file was read, but nothing was recorded in it."];
  }

  /** @param {Placed[]} fixed @param {Placed[]} moving */
  function drawRows(fixed, moving) {
    light();
    const {back, line} = canvasColours();
    ctx.fillStyle = back;
    ctx.fillRect(0, 0, scene.width, height);
    paintRows(scene, model, moving, RULER + pinnedHeight, height);
    if (fixed.length) paintRows(scene, model, fixed, RULER + path.high(), RULER + pinnedHeight);
    grid.paint(scene, height);
    const cursor = pointer ? view.from + pointer.x / scene.scale : null;
    paintOverlay(scene, {state: store.get(), height, cursor, outlines: outlines(), shaded: shaded(), flows, yOf: laneMiddle});
    path.paint(scene);
    if (fixed.length) { ctx.fillStyle = line; ctx.fillRect(0, RULER + pinnedHeight - 1, scene.width, 2); }
  }

  /** Goes to the other end of the arrow at a point. @param {number} x px in the canvas @param {number} y @returns {boolean} whether there is one, away from its ends */
  function follow(x, y) {
    if (path.has(y)) { path.select(view.from + x / scene.scale); return true; }
    const {selection} = store.get(), at = flowAt(scene, flows, laneMiddle, x, y);
    if (!at) return false;
    const near = (/** @type {any} */ end) => Math.hypot((end.ts - view.from) * scene.scale - x, (laneMiddle(end.row, end.level ?? -1) ?? Infinity) - y) < 9;
    if (near(at.from) || near(at.to)) return false;
    const here = selection && "row" in selection && at.from.row === selection.row;
    goEnd(here ? at.to : at.from);
    return true;
  }

  /** The rows whose data is drawn. @param {Placed[]} places */
  const drawnRows = places => places.slice(0, MOST_ROWS).map(({row}) => row).filter(model.draws).flatMap(row => [row, ...model.also(row)]);

  /** Requests the data on the screen, and around it. @param {Placed[]} around @param {Placed[]} fixed */
  function ask(around, fixed) {
    const {from, to} = store.get().view, ns_px = (to - from) / scene.width;
    if (tiles.shows(drawnRows(placed), from, to, ns_px, model.lanes)) onFirst();
    tiles.need(drawnRows([...fixed, ...around]), from, to, ns_px, model.lanes);
    if (tiles.busy()) return;
    strip.load();
    if (!pointsAsked) { pointsAsked = true; points.load().then(() => strip.setRecords(points.times())); }
  }

  /** @param {number} row @param {number} level @returns {number | null} px; may be outside of the screen */
  function laneMiddle(row, level) {
    const here = placed.find(place => place.row === row);
    const inside = level < 0 ? 7 : laneTop(0, model.strip(row), level) + BAR / 2;
    if (here) return here.y + Math.min(inside, here.height - 3);
    const at = model.placeOf(row);
    if (at < 0) return null;
    return RULER + pinnedHeight - scrolled + model.main().tops[at] + Math.min(inside, model.heightOf(row));
  }

  /** Where the selected range is shaded: its rows, or everything. */
  function shaded() {
    const {selection} = store.get();
    if (selection?.kind !== "range") return null;
    if (!selection.rows) return [{y: 0, high: height}];
    const rows = new Set(selection.rows);
    return placed.filter(({row}) => rows.has(row)).map(({y, height: high}) => ({y, high}));
  }

  function outlines() {
    const {selection} = store.get();
    return slicesOf(selection).length > 1 ? slicesOf(selection).flatMap(slice => outlinesOf({kind: "slice", ...slice})) : outlinesOf(selection);
  }

  /** @param {import("app/state").Selection} selection */
  function outlinesOf(selection) {
    if (!selection || !("ts" in selection) || !("row" in selection)) return [];
    const here = placed.find(({row}) => row === selection.row);
    if (!here || model.isHead(here.row)) return [];
    const x = (/** @type {number} */ ns) => (ns - view.from) * scene.scale;
    const band = (selection.kind === "event" || selection.kind === "log" || selection.kind === "sample") && model.eventBand(here.row, here.y);
    if (band) return [{x0: x(selection.ts) - 2, x1: x(selection.ts) + 4, y: band.y - 2, high: band.high + 4}];
    if (selection.kind !== "slice") {
      const strip = model.strip(here.row) > 0 && (model.lanes(here.row) > 0 || model.eventBand(here.row, 0) !== null);
      return [{x0: x(selection.ts) - 1, x1: x(selection.end ?? selection.ts) + 1, y: here.y + 2, high: strip ? 8 : here.height - 5}];
    }
    const y = laneTop(here.y, model.strip(here.row), model.folded(here.row) ? 0 : selection.level);
    if (y < RULER || y > here.y + here.height) return [];
    return [{x0: x(selection.ts), x1: x(selection.end), y: y + 1, high: BAR - 2}];
  }

  /** The row at a height, with its top below the ruler; null on the ruler and on the critical path. @param {number} y px in the canvas */
  function rowUnder(y) {
    const above = path.high(), below = y - RULER;
    if (below < above) return null;
    const at = below < pinnedHeight ? rowAt(model, below - above, pinnedHeight - above, scrolled) : rowAt(model, below, pinnedHeight, scrolled);
    return at && below < pinnedHeight ? {...at, y: at.y + above} : at;
  }

  /** @param {number} x px in the canvas @param {number} y */
  function hit(x, y) {
    const at = rowUnder(y);
    if (!at) return null;
    const ns = view.from + x / scene.scale, found = /** @type {any[]} */ ([null, null]);
    tiles.find(at.row, view.from, view.to, 1 / scene.scale, found);
    return hitRow(model, {...at, y: at.y + RULER}, y, ns, 1 / scene.scale, found.filter(Boolean), points);
  }

  /** @param {{x: number, y: number} | null} at in the canvas */
  function point(at) {
    pointer = at;
    redraw();
    const found = at && hit(at.x, at.y);
    const mark = found?.what === "log" || found?.what === "sample";
    const lines = at && path.has(at.y) ? path.tip(view.from + at.x / scene.scale) : mark ? points.tip(found.data) : found?.what ? tipLines(model, tiles, found) : null;
    tipWaits = lines?.[0] === "…";
    if (!at || !lines) return hideTip();
    if (found?.what === "event" && found.data.e_count[found.at] === 1) lines.push(...fieldsOf(found.row, found.data.e_ts[found.at], found.data.e_id[found.at]));
    const box = area.getBoundingClientRect();
    showTip(box.left + at.x, box.top + at.y, lines);
  }

  /** Scrolls so that a row, or a level of it, is visible. @param {number} row @param {number} [level] */
  function showRow(row, level = 0) {
    model.reveal(row, level);
    const at = model.placeOf(row);
    if (at < 0) return;
    const {tops} = model.main(), room = height - RULER - pinnedHeight;
    const y = tops[at] + Math.min(laneTop(0, model.strip(row), level), model.heightOf(row) - BAR);
    const start = bar.scrollTop;
    if (level ? y < start || y + BAR > start + room : tops[at] < start || tops[at] + Math.min(model.heightOf(row), 40) > start + room) {
      space.style.height = `${model.main().height + RULER + pinnedHeight}px`;
      scrolled = bar.scrollTop = Math.max(0, Math.min(tops[at] - room / 4 + (y - tops[at] > room / 2 ? y - tops[at] : 0), model.main().height));
    }
    redraw();
  }

  /** @param {number} row @param {number} by 0: hides it and moves to the row that takes its place */
  function moveFocus(row, by) {
    const at = model.placeOf(row);
    if (!by) model.toggle(row, "hidden", true);
    const {list} = model.main(), to = list[by ? at + by : Math.min(at, list.length - 1)];
    if (to === undefined) return;
    showRow(to);
    draw();
    names.focus(to);
  }

  let drawn = () => {};
  let goEnd = (/** @type {any} */ end) => { void end; };
  let enter = (/** @type {number} */ row) => { void row; };

  function filterBox() {
    const input = el("input", {type: "search", placeholder: "Filter rows", "aria-label": "Filter rows by name", "data-testid": "filter", spellcheck: "false"});
    const more = iconButton("rows", "Hidden rows", () => store.set({rows: {...store.get().rows, hidden: new Set()}}), {hidden: true, "data-testid": "unhide"});
    input.oninput = () => store.set({rows: {...store.get().rows, filter: input.value}});
    input.onkeydown = event => {
      if (event.key === "Escape") { input.value = ""; store.set({rows: {...store.get().rows, filter: ""}}); area.focus(); }
      event.stopPropagation();
    };
    const follow = () => {
      const {filter, hidden} = store.get().rows;
      if (input.value !== filter) input.value = filter;
      more.hidden = !hidden.size;
      more.title = `Show ${hidden.size} hidden ${hidden.size === 1 ? "row" : "rows"} again`;
      more.setAttribute("aria-label", more.title);
    };
    store.on(["rows"], follow);
    setTimeout(follow);
    return el("div", {class: "filter"}, input, more);
  }

  const renew = () => { model.refresh(); redraw(); };
  store.on(["rows", "counters"], renew);
  store.on(["selection", "search", "marks"], redraw);
  store.on(["view"], () => { tipWaits = false; hideTip(); });
  bar.addEventListener("scroll", () => { scrolled = bar.scrollTop; store.set({top: Math.round(scrolled)}); redraw(); }, {passive: true});
  new ResizeObserver(([{contentRect}]) => {
    const before = width;
    ({width, height} = contentRect);
    scrolled = bar.scrollTop;
    redraw();
    // The first picture belongs to this frame, not to the next one.
    if (!before) draw();
  }).observe(area);
  model.refresh();
  gestures({area, names: names.element, bar, view, store, model, scene: () => scene, hit, point, follow, nameMark: marks.edit, rowAt: rowUnder});

  return {
    element, area, view, model, tiles, points, grid, strip, redraw, showRow, hit, first, nameMark: marks.edit,
    height: () => height,
    width: () => width,
    placed: () => placed,
    pointerTime: () => pointer ? view.from + pointer.x / scene.scale : null,
    scrollTo: (/** @type {number} */ px) => { scrollTo = px; redraw(); },
    scrollBy: (/** @type {number} */ px) => { bar.scrollTop += px; },
    setFlows(/** @type {any[]} */ list) { flows = list; redraw(); },
    setHeld(/** @type {((ms: number) => boolean) | null} */ fn) { held = fn; if (fn) { last = 0; redraw(); } },
    /** What happens when an arrow is clicked. @param {(end: any) => void} fn */
    onFlow(fn) { goEnd = fn; },
    /** What is drawn after the rows. @param {() => void} fn */
    onDraw(fn) { drawn = fn; },
    onEnter(/** @type {(row: number) => void} */ fn) { enter = fn; },
  };
}
