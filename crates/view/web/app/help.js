// The list of keys.
import {el} from "ui/dom";
import {sheet} from "app/sheet";

/** @type {[string, [string[], string][]][]} */
const KEYS = [
  ["Move", [[["W", "S"], "zoom in, out (hold)"], [["A", "D"], "pan left, right (hold)"], [["wheel"], "zoom at the pointer"], [["Shift", "wheel"], "pan"],
    [["Ctrl", "wheel"], "zoom, as pinching does"], [["+", "−"], "zoom in steps"], [["0"], "the whole trace"], [["L"], "stay at the newest, while recording"], [["Page ↑", "Page ↓"], "scroll the rows (Home, End)"],
    [["Alt", "wheel"], "scroll the rows"]]],
  ["Find", [[["/"], "search; \"name\" is the whole name, /…/ a regular expression"], [["Enter", "N"], "next hit"], [["Shift", "Enter"], "previous hit (Shift N)"], [["M"], "set a mark and name it, or remove it"], [["Shift", "M"], "rename the nearest mark"],
    [["[", "]"], "previous, next mark"], [["?"], "this sheet"]]],
  ["Select", [[["click"], "a call, state or value"], [["double click"], "zoom to the call"], [["drag"], "select a range"], [["Alt", "drag"], "a range of these rows only"], [["drag an edge"], "make the range longer or shorter"],
    [["←", "→"], "previous, next call"], [["↑", "↓"], "caller, first callee"], [["F"], "fit the selection (Enter)"], [["R"], "selection as a range"], [["Esc"], "select nothing"]]],
  ["Rows", [[["↑", "↓"], "go along the names"], [["←", "→"], "fold, unfold"], [["P"], "pin to the top"], [["H"], "hide"]]],
  ["Profile", [[["→", "←"], "open, close a method or a call"], [["Enter"], "open; go to a caller or callee; zoom into a flame"], [["Esc"], "out of the flame, empty the find box"],
    [["letters"], "find, as in Traceview"], [["*"], "open the heaviest calls of a tree"], [["Shift", "→"], "on a heading: wider (← narrower)"], [["Ctrl", "→"], "on a heading: the column moves, as when dragged"]]],
  ["Touch", [[["one finger"], "pan and scroll"], [["two fingers"], "zoom"], [["tap"], "select"], [["hold, then drag"], "select a range"]]],
];

const STATES = [["running", "running"], ["runnable", "runnable"], ["preempted", "preempted"], ["sleeping", "sleeping"], ["uninterruptible", "uninterruptible"], ["io", "waiting for I/O"]];

export function showHelp() {
  const group = (/** @type {string} */ title, /** @type {[string[], string][]} */ keys) => el("section", {}, el("h3", {}, title),
    el("dl", {class: "keys"}, ...keys.map(([keys, what]) => el("div", {}, el("dt", {}, ...keys.flatMap(key => [el("kbd", {}, key), " "])), el("dd", {}, what)))));
  sheet("Keys and gestures", "help-sheet", el("div", {class: "help"}, ...KEYS.map(([title, keys]) => group(title, keys)),
    el("section", {}, el("h3", {}, "Strip above a thread"), el("ul", {class: "legend"}, ...STATES.map(([id, text]) => el("li", {}, el("i", {class: `s-${id}`}), text))))));
}
