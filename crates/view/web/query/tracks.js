// The tracks that queries made, above the rows of the time line and in line with them.
import {canvasColours, hueFill} from "ui/colours";
import {el, iconButton} from "ui/dom";
import {amount, elide, exact, time} from "ui/format";
import {hideTip, showTip} from "ui/tip";
import {hueOf} from "panels/numbers";

const LANE = 16, VALUES = 34, EDGE = 3;
const NONE = 0xffffffff;
/** The maximum distance at which a click still selects a bar, px. */
const NEAR = 4;

/** @typedef {import("query/track").Track} Track */

/** The first place in a sorted column that is not below a value. @param {Float64Array} column @param {number} value */
function lowerBound(column, value) {
  let low = 0, high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Draws bars, one for each pixel at most.
 * @param {CanvasRenderingContext2D} ctx @param {Track} track @param {(ns: number) => number} px @param {number} width @param {number} chosen
 */
function paintBars(ctx, {ts, end, level, text}, px, width, chosen) {
  const reached = new Float64Array(256).fill(-1), {ink, focus, font} = canvasColours();
  ctx.font = font;
  ctx.textBaseline = "middle";
  for (let nth = 0; nth < ts.length; nth++) {
    const x0 = Math.max(-2, px(ts[nth])), x1 = Math.min(width + 2, Math.max(x0 + 1, px(end[nth])));
    if (x0 > width) break;
    if (x1 < 0 || x1 <= reached[level[nth]]) continue;
    reached[level[nth]] = Math.max(Math.ceil(x1), x0 + 1);
    const [fill, on] = hueFill(hueOf(text[nth]), NONE), y = EDGE + level[nth] * LANE;
    ctx.fillStyle = fill;
    ctx.fillRect(x0, y, x1 - x0, LANE - 2);
    const room = Math.floor((x1 - x0 - 8) / 6);
    ctx.fillStyle = on;
    if (room > 2) ctx.fillText(elide(text[nth], room), x0 + 4, y + LANE / 2 - 1);
    if (nth !== chosen) continue;
    ctx.strokeStyle = focus || ink;
    ctx.strokeRect(x0 + 0.5, y + 0.5, Math.max(2, x1 - x0 - 1), LANE - 3);
  }
}

/** Draws values as steps that last until the next one. @param {CanvasRenderingContext2D} ctx @param {Track} track @param {(ns: number) => number} px @param {number} width @param {number} chosen */
function paintValues(ctx, {ts, value}, px, width, chosen) {
  const {accent, focus} = canvasColours();
  let least = 0, most = 0;
  for (const one of value) if (Number.isFinite(one)) { least = Math.min(least, one); most = Math.max(most, one); }
  const y = (/** @type {number} */ of) => VALUES - EDGE - (of - least) / (most - least || 1) * (VALUES - 2 * EDGE);
  ctx.fillStyle = accent;
  for (let nth = 0; nth < ts.length; nth++) {
    const x0 = Math.max(-2, px(ts[nth])), x1 = Math.min(width + 2, nth + 1 < ts.length ? px(ts[nth + 1]) : width + 2);
    if (x0 > width) break;
    if (x1 < 0 || !Number.isFinite(value[nth])) continue;
    ctx.globalAlpha = 0.3;
    ctx.fillRect(x0, Math.min(y(value[nth]), y(0)), Math.max(1, x1 - x0), Math.abs(y(0) - y(value[nth])));
    ctx.globalAlpha = 1;
    ctx.fillRect(x0, y(value[nth]) - 1, Math.max(1, x1 - x0), 1.5);
    if (nth === chosen) { ctx.fillStyle = focus; ctx.fillRect(x0 - 1.5, y(value[nth]) - 3, 5, 5); ctx.fillStyle = accent; }
  }
}

/**
 * @param {import("app/state").Store} store @param {import("timeline/timeline").Timeline} timeline
 */
export function showTracks(store, timeline) {
  const element = el("div", {class: "query-tracks", "data-testid": "query-tracks"});
  const {view, area} = timeline;
  /** @type {{draw: () => void}[]} */
  let strips = [];

  /** @param {Track} track */
  function strip(track) {
    const canvas = el("canvas", {class: "query-canvas", tabindex: "0", role: "application", "data-testid": "query-track-canvas",
      "aria-label": `Track of a query: ${elide(track.title, 100)}. The left and right arrow keys go from one to the next.`});
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const high = track.kind === "bars" ? track.levels * LANE + EDGE + 1 : VALUES;
    let chosen = -1;
    const px = (/** @type {number} */ ns) => (ns - view.from) * timeline.width() / (view.to - view.from);

    function draw() {
      const dots = devicePixelRatio || 1, width = timeline.width(), {row} = canvasColours();
      if (canvas.width !== Math.round(width * dots)) { canvas.width = Math.round(width * dots); canvas.style.width = `${width}px`; }
      if (canvas.height !== Math.round(high * dots)) { canvas.height = Math.round(high * dots); canvas.style.height = `${high}px`; }
      ctx.setTransform(dots, 0, 0, dots, 0, 0);
      ctx.fillStyle = row;
      ctx.fillRect(0, 0, width, high);
      (track.kind === "bars" ? paintBars : paintValues)(ctx, track, px, width, chosen);
    }

    /** What is at a point, or -1. @param {MouseEvent} event */
    function hit(event) {
      const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, level = Math.max(0, Math.floor((event.clientY - box.top - EDGE) / LANE));
      const ns = view.from + x * (view.to - view.from) / timeline.width();
      if (track.kind === "values") return lowerBound(track.ts, ns + 1) - 1;
      let best = -1, near = NEAR;
      for (let nth = 0; nth < track.ts.length && px(track.ts[nth]) <= x + NEAR; nth++) {
        if (track.level[nth] !== level) continue;
        const away = Math.max(0, x - Math.max(px(track.end[nth]), px(track.ts[nth]) + 1), px(track.ts[nth]) - x);
        if (away <= near) { best = nth; near = away; }
      }
      return best;
    }

    /** @param {number} nth @param {boolean} [zoom] */
    function choose(nth, zoom) {
      if (nth < 0 || nth >= track.ts.length) return;
      chosen = nth;
      track.go(nth, zoom);
      draw();
    }

    canvas.onclick = event => choose(hit(event));
    canvas.ondblclick = event => choose(hit(event), true);
    canvas.onpointerleave = hideTip;
    canvas.onpointermove = event => {
      const nth = hit(event);
      if (nth < 0) return hideTip();
      const more = track.kind === "bars" ? time(track.end[nth] - track.ts[nth]) : amount(track.value[nth]);
      showTip(event.clientX, event.clientY, [elide(track.kind === "bars" ? track.text[nth] || track.title : track.title, 200), more, exact(track.ts[nth])]);
    };
    canvas.onkeydown = event => {
      const to = {ArrowRight: chosen + 1, ArrowLeft: chosen < 0 ? lowerBound(track.ts, view.from) : chosen - 1, Home: 0, End: track.ts.length - 1}[event.key];
      if (event.key === "Enter") choose(chosen, true);
      else if (to !== undefined) choose(chosen < 0 && event.key === "ArrowRight" ? lowerBound(track.ts, view.from) : to);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    const remove = iconButton("close", `Remove the track ${elide(track.title, 100)}`, () => store.set({tracks: store.get().tracks.filter(other => other !== track)}));
    const name = el("div", {class: "query-name", title: track.title}, el("span", {}, elide(track.title, 120)), remove);
    return {draw, name, element: el("div", {class: "query-track", role: "group", "aria-label": elide(track.title, 100)}, name, canvas)};
  }

  function align() {
    const left = area.getBoundingClientRect().left - element.getBoundingClientRect().left;
    element.style.setProperty("--names", `${Math.max(0, left)}px`);
    strips.forEach(({draw}) => draw());
  }

  function show() {
    const made = store.get().tracks.map(strip);
    strips = made;
    element.replaceChildren(...made.map(({element}) => element));
    element.hidden = !made.length;
    align();
  }
  timeline.onDraw(() => strips.forEach(({draw}) => draw()));
  store.on(["tracks"], show);
  new ResizeObserver(align).observe(area);
  timeline.strip.element.after(element);
  show();
}
