// A flame graph with zoom, search and keyboard: for the whole scope, both halves of the sandwich, and the diff.
import {el} from "ui/dom";
import {hideTip, showTip} from "ui/tip";
import {ROW, frameAt, labelOf, levelsOf, paintFlame, parentOf, shortened, topOf} from "panels/flame_paint";
import {elide, time} from "ui/format";
import {count, share} from "panels/numbers";

/** @typedef {import("panels/flame_paint").Frames} Frames */
/** @typedef {{width_px: number, from_share: number, to_share: number}} Span the visible part of the graph */

/**
 * @typedef {object} FlameOptions
 * @property {string} label
 * @property {string} testid
 * @property {boolean} [flip] grows upwards
 * @property {(span: Span, signal: AbortSignal) => Promise<Frames>} ask
 * @property {(name: number, frames: Frames, at: number) => void} [onPick] a frame was chosen
 * @property {(frames: Frames, at: number) => [string, string]} [colour]
 * @property {(frames: Frames, at: number) => string[]} [lines] the lines of the tooltip below the name
 * @property {boolean} [counts] whether the tooltip shows the number of calls; it does by default
 * @property {string} [empty] the text for an empty graph
 */

const ZOOM_MS = 160;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** @param {FlameOptions} options */
export function flameView(options) {
  const canvas = el("canvas", {class: "flame-canvas"});
  const space = el("div", {class: "flame-space"}, canvas);
  const scroller = el("div", {class: "flame", role: "application", tabindex: "0", "aria-label": options.label, "data-testid": options.testid,
    "aria-roledescription": "flame graph"}, space);
  const crumbs = el("div", {class: "crumbs", role: "navigation", "aria-label": "Zoomed into"});
  const status = el("div", {class: "flame-status", "aria-live": "polite", "data-testid": `${options.testid}-status`});
  const legend = el("div", {class: "flame-legend", "data-testid": `${options.testid}-legend`, hidden: true});
  const element = el("div", {class: "flame-box"}, crumbs, scroller, legend, status);
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

  /** @type {import("panels/flame_paint").Scene | null} */
  let scene = null;
  let whole = 0;
  /** What percentages refer to: the whole without unfinished time. */
  let finished = 0;
  let token = 0;
  let abort = new AbortController();
  /** Whether it must be requested once it is on the screen. */
  let stale = false;
  let waiting = 0;
  let moving = 0;
  /** @type {ReturnType<typeof setTimeout>} */
  let asking;
  /** @type {{from: number, to: number}[]} */
  let back = [];
  /** The zoomed view, even while the picture is still moving there. */
  let goal = {from: 0, to: 1};
  /** @type {((label: string) => boolean) | null} */
  let test = null;
  /** @type {Set<number> | null} */
  let found = null;
  let picked = -1;

  const later = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; paint(); }); };

  function paint() {
    const {clientWidth: width, clientHeight: height} = scroller;
    if (!width || !height) return;
    const dots = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * dots) || canvas.height !== Math.round(height * dots)) {
      canvas.width = Math.round(width * dots);
      canvas.height = Math.round(height * dots);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    ctx.setTransform(dots, 0, 0, dots, 0, 0);
    if (!scene) return ctx.clearRect(0, 0, width, height);
    const levels = scene.starts.length - 1;
    const high = levels * ROW;
    space.style.height = `${high > height ? high : 0}px`;
    if (options.flip && scene.rows !== levels) scroller.scrollTop = high;
    Object.assign(scene, {width, height, rows: levels, top: options.flip && high < height ? high - height : scroller.scrollTop, picked});
    paintFlame(ctx, scene);
  }

  /** @param {Frames} frames */
  function show(frames) {
    if (scene && scene.hover >= 0) hideTip();
    const focused = scene && scene.focus >= 0 ? scene.frames.node[scene.focus] : -1;
    scene = {...(scene ?? {width: 0, height: 0, rows: 0, top: 0}), frames, starts: levelsOf(frames), ...goal, flip: !!options.flip,
      lit: null, picked, focus: -1, hover: -1, colour: options.colour};
    if (focused >= 0) scene.focus = frames.node.indexOf(focused);
    element.classList.toggle("none", !frames.depth.length);
    if (!frames.depth.length) status.textContent = options.empty ?? "Nothing was called here.";
    light();
    trail();
    later();
  }

  /** Requests the bars of the view for its width. @param {boolean} [fresh] forget the zoom */
  async function load(fresh) {
    const mine = ++token;
    if (fresh) {
      back = [];
      whole = 0;
      if (scene) scene.focus = -1;
    }
    stale = !scroller.clientWidth;
    if (stale) return;
    abort.abort();
    abort = new AbortController();
    const zoomed = whole > 0;
    const span = {width_px: scroller.clientWidth, from_share: zoomed ? goal.from / whole : 0, to_share: zoomed ? goal.to / whole : 1};
    element.classList.add("busy");
    try {
      const frames = await options.ask(span, abort.signal);
      if (mine !== token) return;
      if (!zoomed) {
        whole = frames.total_ns;
        finished = whole - (frames.unfinished_ns ?? 0);
        legend.hidden = finished === whole;
        legend.replaceChildren(el("i", {class: "hatched", "aria-hidden": "true"}), `unfinished: ${time(whole - finished)} in slices that never ended, which no total includes`);
        goal = {from: 0, to: whole || 1};
        status.textContent = "";
      }
      show(frames);
    } catch (error) {
      if (mine !== token) return;
      scene = null;
      status.textContent = String(error instanceof Error ? error.message : error);
      later();
    } finally {
      if (mine === token) element.classList.remove("busy");
    }
  }

  /** @param {number} from @param {number} to @param {boolean} [keep] without an entry in the history */
  function zoom(from, to, keep) {
    if (!scene) return;
    const least = Math.max(1, whole / 1e7);
    if (to - from < least) to = from + least;
    from = Math.max(0, Math.min(from, whole - (to - from)));
    to = Math.min(whole, to);
    if (from === goal.from && to === goal.to) return;
    if (!keep) back.push(goal);
    goal = {from, to};
    hideTip();
    move(scene.from, scene.to);
    clearTimeout(asking);
    asking = setTimeout(load, keep ? 70 : 0);
  }

  /** Moves the picture to its goal. @param {number} from @param {number} to */
  function move(from, to) {
    cancelAnimationFrame(moving);
    const start = performance.now();
    const step = () => {
      const done = still.matches ? 1 : Math.min(1, (performance.now() - start) / ZOOM_MS);
      const eased = 1 - (1 - done) ** 3;
      if (scene) {
        scene.from = from + (goal.from - from) * eased;
        scene.to = to + (goal.to - to) * eased;
        paint();
      }
      if (done < 1) moving = requestAnimationFrame(step);
    };
    step();
  }

  /** @param {number} at */
  function zoomTo(at) {
    if (scene && at >= 0) zoom(scene.frames.x[at], scene.frames.x[at] + scene.frames.w[at]);
  }

  function zoomOut() {
    const last = back.pop() ?? {from: 0, to: whole};
    const more = goal.from !== last.from || goal.to !== last.to;
    zoom(last.from, last.to, true);
    return more;
  }

  /** The callers of the frame that fills the view, as links back. */
  function trail() {
    if (!scene) return;
    const {frames} = scene;
    const slack = (goal.to - goal.from) * 1e-6;
    let deepest = -1;
    for (let at = 0; at < frames.x.length; at++) {
      const fills = frames.x[at] <= goal.from + slack && frames.x[at] + frames.w[at] >= goal.to - slack;
      if (fills && (deepest < 0 || frames.depth[at] > frames.depth[deepest])) deepest = at;
    }
    const chain = [];
    for (let at = deepest; at >= 0 && chain.length < 4; at = parentOf(frames, at)) chain.unshift(at);
    const zoomed = goal.from > 0 || goal.to < whole;
    crumbs.hidden = !zoomed;
    crumbs.replaceChildren(crumb("← Back", zoomOut), crumb("All", () => zoom(0, whole)), ...(chain.length > 3 ? [el("span", {class: "crumb-gap"}, "…")] : []),
      ...chain.slice(-3).map(at => crumb(labelOf(frames, at), () => zoomTo(at))));
  }

  /** @param {string} text @param {() => void} go */
  function crumb(text, go) {
    const short = elide(shortened(text), 40);
    const button = el("button", {class: "crumb", type: "button", title: elide(text, 300)}, short);
    button.onclick = go;
    return button;
  }

  function light() {
    if (!scene) return;
    scene.lit = !test ? found : new Set(Object.entries(scene.frames.labels).filter(([, text]) => test?.(text)).map(([name]) => Number(name)));
    later();
  }

  /** @param {number} at */
  function lines(at) {
    const {frames} = /** @type {import("panels/flame_paint").Scene} */ (scene);
    const calls = frames.calls[at];
    const times = options.lines?.(frames, at) ?? (frames.unfinished?.[at] ? [`unfinished ${time(frames.w[at])}`]
      : [`inclusive ${time(frames.w[at])} (${share(frames.w[at], finished)})`, `self ${time(frames.self[at])} (${share(frames.self[at], finished)})`]);
    return [elide(labelOf(frames, at), 300), ...times, ...(options.counts === false ? [] : [`${count(calls)} ${calls === 1 ? "call" : "calls"}`])];
  }

  /** @param {number} at */
  function focus(at) {
    if (!scene || at < 0) return;
    scene.focus = at;
    status.textContent = lines(at).join(" · ");
    const y = topOf(scene, scene.frames.depth[at]);
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    if (y + ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = y + ROW - scroller.clientHeight;
    later();
  }

  /** The frame beside, above or below the focused one, as drawn. @param {string} key */
  function neighbour(key) {
    const {frames, starts, focus: at} = /** @type {import("panels/flame_paint").Scene} */ (scene);
    if (at < 0) return frames.x.length ? 0 : -1;
    if (key === (options.flip ? "ArrowDown" : "ArrowUp")) return parentOf(frames, at);
    const beside = at + ({ArrowLeft: -1, ArrowRight: 1}[key] ?? 0);
    if (beside !== at) return frames.depth[beside] === frames.depth[at] ? beside : -1;
    // The heaviest comes first.
    return frames.parent.indexOf(at, starts[frames.depth[at] + 1]);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = (goal.from + goal.to) / 2, half = (goal.to - goal.from) / 2;
    const {key} = event;
    if (key.startsWith("Arrow")) focus(neighbour(key));
    else if (key === "Enter") { pick(scene.focus); zoomTo(scene.focus); }
    else if (key === " ") pick(scene.focus);
    else if (key === "Escape" || key === "Backspace") { if (!zoomOut()) return; }
    else if (key === "+" || key === "=") zoom(middle - half / 2, middle + half / 2, true);
    else if (key === "-") zoom(middle - half * 2, middle + half * 2, true);
    else if (key === "0" || key === "Home") zoom(0, whole);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} at */
  function pick(at) {
    if (scene && at >= 0) options.onPick?.(scene.frames.name[at], scene.frames, at);
  }

  /** @param {PointerEvent | MouseEvent | WheelEvent} event */
  function under(event) {
    const box = canvas.getBoundingClientRect();
    return scene ? frameAt(scene, event.clientX - box.left, event.clientY - box.top) : -1;
  }

  scroller.onpointermove = event => {
    if (!scene) return;
    const at = under(event);
    if (at >= 0) showTip(event.clientX, event.clientY, lines(at));
    else hideTip();
    if (at !== scene.hover) { scene.hover = at; later(); }
  };
  scroller.onpointerleave = () => { hideTip(); if (scene) { scene.hover = -1; later(); } };
  scroller.onclick = event => {
    const at = under(event);
    if (at < 0) return;
    focus(at);
    pick(at);
    zoomTo(at);
  };
  scroller.oncontextmenu = event => { event.preventDefault(); zoomOut(); };
  scroller.onkeydown = key;
  scroller.addEventListener("scroll", later, {passive: true});
  scroller.addEventListener("wheel", event => {
    if (!scene || !(event.ctrlKey || event.metaKey || event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect(), room = goal.to - goal.from;
    if (event.shiftKey || !(event.ctrlKey || event.metaKey)) {
      const by = (event.deltaX || event.deltaY) / box.width * room;
      return zoom(goal.from + by, goal.to + by, true);
    }
    const factor = Math.exp(event.deltaY * 0.003), at = goal.from + (event.clientX - box.left) / box.width * room;
    zoom(at - (at - goal.from) * factor, at + (goal.to - at) * factor, true);
  }, {passive: false});
  let width = 0;
  new ResizeObserver(() => {
    later();
    const {clientWidth} = scroller;
    if (stale || (scene && clientWidth && Math.abs(clientWidth - width) > 60)) load();
    width = clientWidth || width;
  }).observe(scroller);

  return {
    element, load, zoomOut, repaint: later,
    /** Fades the frames whose name fails `passes` or is missing from `names`. @param {((label: string) => boolean) | null} passes @param {Set<number> | null} [names] */
    highlight(passes, names = null) { test = passes; found = names; light(); },
    /** Outlines a name. @param {number} name */
    pick(name) { picked = name; later(); },
    frames: () => scene?.frames ?? null,
  };
}
