// The sheet of keys and gestures.
import {el} from "ui/dom";
import {GROUPS, actions, addActions, shownKeys} from "app/actions";
import {sheet} from "app/sheet";

const gesture = (/** @type {string} */ group, /** @type {[string[], string][]} */ list) => list.map(([shown, what]) => ({group, shown, what}));

/** What the pointer does, and the keys of parts that handle them themselves. */
addActions(
  ...gesture("Move", [[["W", "S"], "zoom in, out (hold)"], [["A", "D"], "pan left, right (hold)"], [["wheel"], "zoom at the pointer"], [["Shift", "wheel"], "pan"],
    [["Ctrl", "wheel"], "zoom, as pinching does"], [["Alt", "wheel"], "scroll the rows"]]),
  ...gesture("Find and mark", [[["Enter"], "next hit (N), in the search box"], [["Shift", "Enter"], "previous hit (Shift N)"]]),
  ...gesture("Select", [[["click"], "a call, state or value"], [["Shift", "click"], "select it too: several calls"], [["double click"], "zoom to the call"], [["drag"], "select a range"], [["Alt", "drag"], "a range of these rows only"], [["drag an edge"], "make the range longer or shorter"]]),
  ...gesture("Rows", [[["↑", "↓"], "go along the names"], [["←", "→"], "fold, unfold"], [["P"], "pin to the top"], [["H"], "hide"]]),
  ...gesture("Profile", [[["→", "←"], "open, close a method or a call"], [["Enter"], "open; go to a caller or callee; zoom into a flame"], [["Esc"], "out of the flame, empty the find box"],
    [["letters"], "find, as in Traceview"], [["*"], "open the heaviest calls of a tree"], [["Shift", "→"], "on a heading: wider (← narrower)"], [["Ctrl", "→"], "on a heading: the column moves, as when dragged"]]),
  ...gesture("Touch", [[["one finger"], "pan and scroll"], [["two fingers"], "zoom"], [["tap"], "select"], [["hold, then drag"], "select a range"]]),
);

const STATES = [["running", "running"], ["runnable", "runnable"], ["preempted", "preempted"], ["sleeping", "sleeping"], ["uninterruptible", "uninterruptible"], ["io", "waiting for I/O"]];

/** The keys of an action, to show. @param {import("app/actions").Action} action */
export const keyNames = action => marks(shownKeys(action));

/** @param {string[]} keys */
const marks = keys => keys.flatMap(key => [el("kbd", {}, key), " "]);

export function showHelp() {
  const group = (/** @type {string} */ title) => el("section", {}, el("h3", {}, title),
    el("dl", {class: "keys"}, ...actions().filter(action => action.group === title).map(action => el("div", {}, el("dt", {}, ...marks(action.both?.[0] ?? shownKeys(action))), el("dd", {}, action.both?.[1] ?? action.what)))));
  sheet("Keys and gestures", "help-sheet", el("div", {class: "help"}, ...GROUPS.map(group),
    el("section", {}, el("h3", {}, "Strip above a thread"), el("ul", {class: "legend"}, ...STATES.map(([id, text]) => el("li", {}, el("i", {class: `s-${id}`}), text))))));
}
