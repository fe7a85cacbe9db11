// The visible range. The store has the target, and the view moves there smoothly.

const LEAST = 20;
const EASE_MS = 55;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** @typedef {ReturnType<typeof viewModel>} View */

/** @param {import("app/state").Store} store @param {number} end ns @param {() => void} redraw */
export function viewModel(store, end, redraw) {
  let {from, to} = store.get().view;
  let instant = false, start = 0;

  /** @param {number} a @param {number} b @param {boolean} [now] without moving there */
  function move(a, b, now = false) {
    const span = Math.max(LEAST, Math.min(end - start, b - a));
    const middle = b - a < LEAST ? (a + b) / 2 - span / 2 : a;
    const from = Math.max(start, Math.min(end - span, middle));
    instant = now;
    store.set({view: {from, to: from + span}});
  }

  store.on(["view"], ({view}) => {
    if (instant || still.matches) ({from, to} = view);
    instant = false;
    redraw();
  });

  return {
    get from() { return from; },
    get to() { return to; },
    get start() { return start; },
    get end() { return end; },
    /** Sets the bounds after the trace changed to another part of the same recording. @param {number} a ns @param {number} b */
    extend(a, b) { [start, end] = [a, b]; },
    set: move,
    goal: () => store.get().view,
    /** Continues a movement for some ms. Returns whether it is unfinished. @param {number} ms */
    step(ms) {
      const goal = store.get().view;
      if (from === goal.from && to === goal.to) return false;
      const part = 1 - Math.exp(-ms / EASE_MS);
      from += (goal.from - from) * part;
      to += (goal.to - to) * part;
      if (Math.abs(from - goal.from) + Math.abs(to - goal.to) < (goal.to - goal.from) * 4e-4) ({from, to} = goal);
      return true;
    },
    /** @param {number} factor below 1 zooms in @param {number} at ns that keeps its position @param {boolean} [now] */
    zoom(factor, at, now) {
      const {view} = store.get();
      const by = Math.max(factor, LEAST / (view.to - view.from));
      move(at - (at - view.from) * by, at + (view.to - at) * by, now);
    },
    /** @param {number} ns @param {boolean} [now] */
    pan(ns, now) {
      const {view} = store.get();
      const by = Math.max(start - view.from, Math.min(end - view.to, ns));
      move(view.from + by, view.to + by, now);
    },
    /** Shows a range with some space around it. @param {number} a @param {number} b @param {number} [room] share of its length */
    fit(a, b, room = 0.12) {
      const more = Math.max((b - a) * room, LEAST / 2);
      move(a - more, b + more);
    },
    /** Moves only as far as needed to show a range. @param {number} a @param {number} b */
    reveal(a, b) {
      const {view} = store.get(), span = view.to - view.from;
      if (b - a > span) return a > view.to || b < view.from || a < view.from - span ? move(a - span * 0.1, a + span * 0.9) : undefined;
      if (a >= view.from && b <= view.to) return;
      move((a + b - span) / 2, (a + b + span) / 2);
    },
  };
}
