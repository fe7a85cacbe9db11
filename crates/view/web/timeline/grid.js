// Lines over all rows: the ticks of VSYNC, and the deadlines of frames. They come from the counter of VSYNC and from the expected timelines.
import {canvasColours} from "ui/colours";
import {addActions} from "app/actions";
import {KIND} from "timeline/rows";
import {RULER} from "timeline/ruler";

/** The minimum distance of lines, px. */
const NEAR = 9;
/** The width fetched beyond each edge of the screen, in screens. */
const AROUND = 1;
const DASH = 4;

/** The rows of expected frames of a process; of the app in focus, if any, otherwise all. @param {any} rows @returns {number[]} */
function expectedRows({kind, names, flags, upid}) {
  const all = names.flatMap((/** @type {string} */ name, /** @type {number} */ row) => name === "Expected Timeline" && kind[row] === KIND.async ? [row] : []);
  const focus = kind.findIndex((/** @type {number} */ of, /** @type {number} */ row) => of === KIND.process && flags[row] & 16);
  const own = all.filter((/** @type {number} */ row) => focus >= 0 && upid[row] === upid[focus]);
  return own.length ? own : all;
}

/** The counter of VSYNC, or -1. @param {any} rows @returns {number} */
function tickRow({kind, names}) {
  for (const name of ["VSYNC-app", "VSYNC-sf", "VSYNC"]) {
    const row = names.findIndex((/** @type {string} */ one, /** @type {number} */ at) => one === name && kind[at] === KIND.counter);
    if (row >= 0) return row;
  }
  return -1;
}

/**
 * @param {import("app/panels").Source} source @param {any} meta @param {any} rows the engine's answer to `rows` @param {import("app/state").Store} store
 * @param {() => void} redraw
 */
export function vsyncGrid(source, meta, rows, store, redraw) {
  const counter = tickRow(rows), expected = expectedRows(rows), period = meta.vsync_ns || 16_666_667;
  const has = counter >= 0 || expected.length > 0;
  /** @type {{from: number, to: number, ticks: number[], deadlines: number[]} | null} */
  let held = null;
  let asking = false;

  /** @param {number} from @param {number} to */
  async function load(from, to) {
    asking = true;
    try {
      const list = [...(counter >= 0 ? [counter] : []), ...expected];
      const data = await source.ask({op: "window", rows: list, from: Math.max(0, from), to, px_ns: Math.max(1, (to - from) / 60_000, period / 400), min_level: 0, max_level: 64});
      const ticks = counter >= 0 ? Array.from(data.p_ts.subarray(data.first_point[0], data.first_point[1])) : [...new Set(data.s_ts)];
      // The first point is the value before the range, and repeats no tick.
      held = {from, to, ticks: /** @type {number[]} */ (ticks).filter(ts => ts >= from).sort((a, b) => a - b), deadlines: /** @type {number[]} */ ([...new Set(data.s_end)]).sort((a, b) => a - b)};
    } catch { held = {from, to, ticks: [], deadlines: []}; }
    asking = false;
    redraw();
  }

  if (has) addActions({group: "Rows", keys: ["v", "V"], both: [["V"], "lines of VSYNC on, off"], what: "show or hide the lines of VSYNC and deadlines", run: () => store.set({grid: store.get().grid === "hidden" ? "shown" : "hidden"})});
  store.on(["grid"], redraw);

  return {
    /** What is drawn, for tests. */
    held: () => held,
    /** @param {import("timeline/paint_slices").Scene} scene @param {number} height px */
    paint({ctx, from, to, scale, width}, height) {
      if (!has || store.get().grid === "hidden" || period * scale < NEAR) return;
      if (!held || held.from > from || held.to < to) {
        const wide = (to - from) * AROUND;
        if (!asking) load(from - wide, to + wide);
        if (!held) return;
      }
      const {ink2, missed} = canvasColours();
      const lines = (/** @type {number[]} */ list, /** @type {(x: number) => void} */ draw) => list.forEach(ts => { const x = Math.round((ts - from) * scale); if (x >= 0 && x < width) draw(x); });
      ctx.globalAlpha = 0.3;
      ctx.fillStyle = ink2;
      lines(held.ticks, x => ctx.fillRect(x, RULER, 1, height));
      ctx.globalAlpha = 0.75;
      ctx.fillStyle = missed;
      lines(held.deadlines, x => { for (let y = RULER; y < height; y += 2 * DASH) ctx.fillRect(x, y, 1, DASH); });
      ctx.globalAlpha = 1;
    },
  };
}
