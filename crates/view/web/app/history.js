// Undo and redo of what is shown: views and selections. The address is replaced, never added to the browser's
// history. Thus Back leaves the page, and undo stays inside it.
import {el, iconButton} from "ui/dom";
import {addActions} from "app/actions";

/** The view must be unchanged for this time, ms, before it becomes a step of the history. */
const REST = 300;
/** The maximum number of steps. */
const STEPS = 200;

/** @typedef {Pick<import("app/state").State, "view" | "top" | "selection" | "panel">} Step */

/** What must differ between two steps. @param {Step} step */
const keyOf = ({view, selection}) => JSON.stringify([Math.round(view.from), Math.round(view.to), selection]);

/** @param {import("app/state").Store} store @param {(px: number) => void} scrollTo scrolls the rows */
export function createHistory(store, scrollTo) {
  /** @type {Step[]} */
  const past = [];
  /** @type {Step[]} */
  const future = [];
  let waiting = 0, own = false, running = false;
  /** @returns {Step} */
  const read = () => { const {view, top, selection, panel} = store.get(); return {view, top, selection, panel}; };
  let now = read();
  const undo = iconButton("undo", "Back to the last view or selection (Alt ←)", () => back(), {"data-testid": "undo"});
  const redo = iconButton("redo", "Forward again (Alt →)", () => forward(), {"data-testid": "redo"});

  function show() {
    undo.setAttribute("aria-disabled", String(!past.length));
    redo.setAttribute("aria-disabled", String(!future.length));
    undo.dataset.steps = String(past.length);
  }

  /** Adds what is shown now as a step. */
  function settle() {
    clearTimeout(waiting);
    const next = read();
    if (keyOf(next) !== keyOf(now)) {
      past.push(now);
      past.splice(0, past.length - STEPS);
      future.length = 0;
    }
    now = next;
    show();
  }

  /** @param {Step[]} from @param {Step[]} to */
  function go(from, to) {
    settle();
    const step = from.pop();
    if (!step) return;
    to.push(now);
    now = step;
    own = true;
    store.set(step);
    own = false;
    scrollTo(step.top);
    show();
  }
  const back = () => go(past, future), forward = () => go(future, past);

  store.on(["view", "selection"], () => {
    if (own || !running) return;
    clearTimeout(waiting);
    waiting = setTimeout(settle, REST);
  });
  addActions({group: "Move", keys: ["Alt+ArrowLeft"], both: [["Alt", "←", "→"], "undo, redo views and selections"], shown: ["Alt", "←"], what: "back to the last view or selection", run: back},
    {keys: ["Alt+ArrowRight"], shown: ["Alt", "→"], what: "forward again", run: forward});
  show();
  return {element: el("div", {class: "top-buttons"}, undo, redo), /** What is shown now is the first step. */ start() { running = true; now = read(); }};
}
