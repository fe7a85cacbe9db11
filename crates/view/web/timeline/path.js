// The critical path as a row below the ruler: what the chosen call or thread did or waited for, and for whom.
import {canvasColours} from "ui/colours";
import {el, iconButton} from "ui/dom";
import {elide, time} from "ui/format";
import {fitted, setFont} from "timeline/text";
import {RULER} from "timeline/ruler";

/** The height of the row, px. */
const HIGH = 28;
/** The states by the key of their colour, in the order of the canvas's colours. */
const STATES = ["unknown", "running", "runnable", "preempted", "sleeping", "uninterruptible", "io", "stopped", "dead"];
/** The minimum width for a name, px. */
const ROOM = 30;

/** @typedef {{ts: number, end: number, row: number | null, thread: string, colour: string, state: string, depth: number, name: string, why: string}} Part */

/** @param {import("app/panels").Source} source @param {import("app/state").Store} store @param {(row: number) => void} showRow @param {() => void} redraw */
export function pathRow(source, store, showRow, redraw) {
  /** @type {Part[]} */
  let parts = [];
  let abort = new AbortController();
  const name = el("button", {type: "button", class: "path-name", title: "The critical path: open the tab Why", onclick: () => store.set({panel: "why", chosen: true, why: {...store.get().why}})});
  const element = el("div", {class: "path-row", hidden: true, role: "listitem", "data-testid": "path-row"}, name,
    iconButton("close", "Remove the critical path", () => { store.set({why: null}); }, {"data-testid": "path-close"}));

  async function load() {
    const {why} = store.get();
    abort.abort();
    const {signal} = abort = new AbortController();
    parts = [];
    element.hidden = true;
    redraw();
    if (!why) return;
    try {
      const answer = await source.ask({op: "why", ...why}, {signal});
      if (signal.aborted) return;
      ({parts} = answer);
      element.hidden = !parts.length;
      name.textContent = `Critical path of ${elide(answer.thread, 80)}`;
    } catch { /* the tab tells what is wrong with the question */ }
    redraw();
  }
  store.on(["why"], load);
  // Later, because the time line that it draws on is still being made.
  if (store.get().why) queueMicrotask(load);

  /** @param {number} ns */
  const partAt = ns => parts.find(({ts, end}) => ts <= ns && ns < end) ?? null;

  return {
    element,
    /** The height that it takes, px. */
    high: () => parts.length ? HIGH : 0,
    /** Whether a height is inside of it. @param {number} y px in the canvas */
    has: y => parts.length > 0 && y >= RULER && y < RULER + HIGH,
    /** @param {number} ns @returns {string[] | null} */
    tip(ns) {
      const part = partAt(ns);
      return part && [part.thread, `${part.state}, ${time(part.end - part.ts)}`, part.why, part.name && `in ${elide(part.name, 160)}`].filter(Boolean);
    },
    /** Selects the state behind a part. @param {number} ns */
    select(ns) {
      const part = partAt(ns);
      if (!part || part.row === null) return;
      store.set({selection: {kind: "state", row: part.row, ts: part.ts, end: part.end}, panel: store.get().panel === "why" ? "why" : "details"});
      showRow(part.row);
    },
    /** @param {import("timeline/paint_slices").Scene} scene */
    paint({ctx, from, scale, width}) {
      if (!parts.length) return;
      const {row, line2, line, states, ink, font} = /** @type {any} */ (canvasColours());
      ctx.fillStyle = row;
      ctx.fillRect(0, RULER, width, HIGH);
      ctx.fillStyle = line2 ?? line;
      ctx.fillRect(0, RULER + HIGH - 1, width, 1);
      setFont(ctx, font);
      ctx.textBaseline = "middle";
      ctx.textAlign = "left";
      for (const part of parts) {
        const x0 = Math.max(0, (part.ts - from) * scale), x1 = Math.min(width, (part.end - from) * scale);
        if (x1 <= 0 || x0 >= width) continue;
        const at = Math.max(0, STATES.indexOf(part.colour)), wide = Math.max(1, x1 - x0);
        ctx.fillStyle = states[at];
        // Sleeping is almost as light as the row.
        ctx.fillRect(x0, RULER + (at === 4 ? 10 : 3), wide > 3 ? wide - 0.5 : wide, HIGH - (at === 4 ? 21 : 8));
        if (wide < ROOM) continue;
        const text = fitted(ctx, `path ${part.thread}`, part.thread, wide - 8);
        if (!text) continue;
        ctx.fillStyle = ink;
        if (at !== 4) { ctx.fillStyle = row; ctx.globalAlpha = 0.82; ctx.fillRect(x0 + 3, RULER + 6, Math.min(wide - 6, ctx.measureText(text).width + 6), HIGH - 14); ctx.globalAlpha = 1; ctx.fillStyle = ink; }
        ctx.fillText(text, x0 + 6, RULER + HIGH / 2 - 0.5);
      }
    },
  };
}
