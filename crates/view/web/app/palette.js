// The command palette: every action of the page, found by a few of its letters, with its key.
import {el} from "ui/dom";
import {actions} from "app/actions";
import {keyNames} from "app/help";
import {openedSheet} from "app/sheet";

/** The maximum number of lines, and of rows of the time line among them. */
const LINES = 100, ROWS = 8;

/** @typedef {{what: string, from: string, run: () => void, keys?: (Node | string)[]}} Line `from`: the part of the page that it belongs to */

/**
 * How well a text matches what was typed: its letters in this order, best at the start of words and next to each other. Null if it does not.
 * @param {string} typed lower case @param {string} text @returns {number | null}
 */
export function fuzzy(typed, text) {
  const low = text.toLowerCase(), whole = low.indexOf(typed);
  if (whole >= 0) return 1000 - whole + (whole === 0 || low[whole - 1] === " " ? 500 : 0) - low.length / 100;
  let at = -1, score = 0;
  for (const letter of typed.replaceAll(" ", "")) {
    const next = low.indexOf(letter, at + 1);
    if (next < 0) return null;
    score += next === at + 1 ? 8 : /[\s:.]/.test(low[next - 1] ?? " ") ? 6 : at - next;
    at = next;
  }
  return score;
}

/** The buttons of the panel that is shown, as actions. @returns {Line[]} */
function buttonsOfPanel() {
  const panel = document.querySelector(".dock > .tab-body > .tab-panel:not([hidden])"), tab = document.querySelector(".dock-bar [aria-selected=true]")?.textContent ?? "";
  const buttons = /** @type {HTMLButtonElement[]} */ ([...panel?.querySelectorAll(".panel-bar button, .details-head button") ?? []]);
  return buttons.filter(({offsetWidth, disabled}) => offsetWidth && !disabled).map(button => {
    const words = button.textContent && /\w/.test(button.textContent) ? button.textContent : button.getAttribute("aria-label") ?? button.title;
    return {what: `${tab}: ${words}`, from: "Panel", run: () => { button.focus(); button.click(); }};
  });
}

/** @param {import("app/panels").Context} context @param {string} typed @param {(text: string) => void} search @returns {Line[]} what the trace has */
function ofTrace(context, typed, search) {
  if (!typed) return [];
  const {names, notes, kind} = context.rows;
  const best = names.map((/** @type {string} */ name, /** @type {number} */ row) => ({row, score: kind[row] ? fuzzy(typed.toLowerCase(), name) : null}))
    .filter((/** @type {any} */ {score}) => score !== null && score > 0).sort((/** @type {any} */ a, /** @type {any} */ b) => b.score - a.score).slice(0, ROWS);
  return [{what: `Search calls for “${typed}”`, from: "Search", run: () => search(typed)},
    ...best.map((/** @type {any} */ {row}) => ({what: [names[row], notes[row]].filter(Boolean).join(" · "), from: "Row", run: () => context.showRow(row)}))];
}

/** @param {import("app/panels").Context} context @param {string} typed @param {(text: string) => void} search @returns {Line[]} the best first */
function matches(context, typed, search) {
  const possible = actions().filter(({run, when}) => run && (!when || when()));
  /** @type {Line[]} */
  const all = [...possible.map(action => ({what: action.what[0].toUpperCase() + action.what.slice(1), from: action.group ?? "Page", run: /** @type {() => void} */ (action.run), keys: keyNames(action)})), ...buttonsOfPanel()];
  const low = typed.toLowerCase();
  const found = all.map(line => ({line, score: low ? fuzzy(low, line.what) : 0})).filter(({score}) => score !== null);
  found.sort((a, b) => Number(b.score) - Number(a.score));
  return [...found.map(({line}) => line), ...ofTrace(context, typed, search)].slice(0, LINES);
}

/** @param {import("app/panels").Context} context @param {(text: string) => void} search searches the calls */
export function showPalette(context, search) {
  const input = el("input", {class: "palette-input", type: "text", role: "combobox", "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list", "aria-label": "What to do",
    placeholder: "Search commands, threads, calls", spellcheck: "false", autocomplete: "off", "data-testid": "palette-input"});
  const list = el("ul", {id: "palette-list", class: "palette-list", role: "listbox", "aria-label": "Commands", tabindex: "-1", "data-testid": "palette-list"});
  const none = el("p", {class: "panel-note", role: "status"});
  const dialog = openedSheet("Commands", "palette", input, list, none);
  /** @type {Line[]} */
  let lines = [];
  let at = 0;

  /** @param {number} to */
  function select(to) {
    at = (to + lines.length) % (lines.length || 1);
    [...list.children].forEach((line, nth) => line.setAttribute("aria-selected", String(nth === at)));
    list.children[at]?.scrollIntoView({block: "nearest"});
    input.setAttribute("aria-activedescendant", lines.length ? `palette-${at}` : "");
  }

  /** @param {Line | undefined} line */
  function run(line) {
    dialog.close();
    line?.run();
  }

  function show() {
    lines = matches(context, input.value.trim(), search);
    list.replaceChildren(...lines.map((line, nth) => el("li", {id: `palette-${nth}`, role: "option", class: "palette-line", onclick: () => run(line)},
      el("span", {class: "palette-what"}, line.what), line.keys?.length ? el("span", {}, ...line.keys) : el("span", {class: "quiet"}, line.from))));
    none.textContent = lines.length ? "" : "Nothing like it.";
    select(0);
  }

  input.oninput = show;
  input.onkeydown = event => {
    const by = {ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8}[event.key];
    event.stopPropagation();
    if (event.key === "Enter") run(lines[at]);
    else if (by) select(Math.abs(by) > 1 ? Math.max(0, Math.min(lines.length - 1, at + by)) : at + by);
    else return;
    event.preventDefault();
  };
  show();
  input.focus();
}
