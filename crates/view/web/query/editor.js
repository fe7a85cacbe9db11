// An editor for SQL: a text field over a copy of its text, which marks errors and locates the cursor. Names are completed.
import {el} from "ui/dom";
import {isAbort} from "source/source";
import {complete} from "query/server";

/** The time without typing after which names are offered, ms. */
const WAIT = 120;
/** The minimum number of typed letters for names to be offered automatically. */
const LETTERS = 2;

let made = 0;

/** The offset of a place in a text, in UTF-16. @param {string} text @param {number} line from 1 @param {number} column from 1, in characters */
export function offsetOf(text, line, column) {
  const lines = text.split("\n"), before = lines.slice(0, line - 1).reduce((sum, {length}) => sum + length + 1, 0);
  return Math.min(text.length, before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length);
}

/**
 * @param {object} options
 * @param {() => void} options.onRun
 * @param {() => void} options.onStop
 * @param {(by: -1 | 1) => void} options.onHistory an earlier or later query
 */
export function editor({onRun, onStop, onHistory}) {
  const id = `sql${++made}`;
  const copy = el("pre", {class: "sql-copy", "aria-hidden": "true"});
  const field = el("textarea", {class: "sql-field", "aria-label": "SQL", "aria-autocomplete": "list", "aria-controls": id, spellcheck: "false", autocapitalize: "off", autocomplete: "off", rows: "4",
    wrap: "off", "data-testid": "query-sql", placeholder: "SELECT name, ts, dur FROM slice ORDER BY dur DESC LIMIT 100"});
  const list = el("ul", {class: "sql-names", role: "listbox", id, "aria-label": "Names", "data-testid": "query-names"});
  const said = el("span", {class: "visually-hidden", role: "status"});
  list.hidden = true;
  const element = el("div", {class: "sql"}, copy, field, list, said);
  /** @type {[string, string][]} */
  let names = [];
  /** The start of the word that is being completed. */
  let start = 0;
  let at = -1, moved = false, waiting = 0;
  let abort = new AbortController();
  /** @type {{from: number, to: number} | null} */
  let wrong = null;

  /** The copy of the text, with the error marked and an empty element at `cursor`, if that is given. @param {number} [cursor] */
  function draw(cursor = -1) {
    const {value} = field, spot = el("span");
    /** @type {(Node | string)[]} */
    const parts = [];
    /** @param {number} from @param {number} to */
    const plain = (from, to) => { if (cursor >= from && cursor <= to && !spot.parentNode && !parts.includes(spot)) parts.push(value.slice(from, cursor), spot, value.slice(cursor, to)); else parts.push(value.slice(from, to)); };
    if (wrong) {
      plain(0, wrong.from);
      parts.push(el("mark", {class: "sql-wrong", "data-testid": "query-wrong"}, value.slice(wrong.from, wrong.to) || " "));
      plain(wrong.to, value.length);
    } else plain(0, value.length);
    copy.replaceChildren(...parts, "\n");
    copy.scrollTop = field.scrollTop;
    copy.scrollLeft = field.scrollLeft;
    return spot;
  }

  function close() {
    clearTimeout(waiting);
    abort.abort();
    list.hidden = true;
    names = [];
    at = -1;
    moved = false;
    field.removeAttribute("aria-activedescendant");
  }

  /** @param {number} to */
  function choose(to) {
    at = (to + names.length) % names.length;
    [...list.children].forEach((child, nth) => child.setAttribute("aria-selected", String(nth === at)));
    list.children[at]?.scrollIntoView({block: "nearest"});
    field.setAttribute("aria-activedescendant", `${id}-${at}`);
  }

  /** Replaces the begun word by a name. @param {number} nth */
  function accept(nth) {
    // The user may have typed more of the word since the request.
    field.setRangeText(names[nth][0], Math.min(start, field.selectionStart), field.selectionStart, "end");
    close();
    changed();
  }

  /** @param {boolean} asked whether the user asked for names */
  async function offer(asked) {
    const end = field.selectionStart, typed = field.value.slice(0, end);
    if (end !== field.selectionEnd || (!asked && (/(\w*)$/.exec(typed)?.[1].length ?? 0) < LETTERS)) return close();
    abort.abort();
    const mine = abort = new AbortController();
    try {
      const answer = await complete(typed, mine.signal);
      if (mine !== abort || field.selectionStart !== end || document.activeElement !== field || !("names" in answer)) return;
      names = answer.names;
      start = end - answer.begun;
      const word = typed.slice(start);
      // A name that is complete already needs no list.
      if (!names.length || (!asked && names.length === 1 && names[0][0] === word)) return close();
      list.replaceChildren(...names.map(([name, kind], nth) => el("li", {role: "option", id: `${id}-${nth}`, "aria-selected": "false", onpointerdown: event => { event.preventDefault(); accept(nth); }},
        el("span", {}, name), el("small", {}, kind))));
      place(start);
      choose(0);
      said.textContent = `${names.length} names, Tab takes ${names[0][0]}`;
    } catch (error) {
      if (!isAbort(error)) close();
    }
  }

  /** Puts the list below a place in the text. @param {number} place */
  function place(place) {
    const spot = draw(place), box = element.getBoundingClientRect(), here = spot.getBoundingClientRect();
    list.hidden = false;
    const low = Math.min(here.bottom - box.top + 2, element.clientHeight - 4), left = Math.max(0, Math.min(here.left - box.left, element.clientWidth - list.offsetWidth - 4));
    list.style.left = `${left}px`;
    const above = box.top + low + list.offsetHeight > innerHeight;
    list.style.top = above ? `${here.top - box.top - list.offsetHeight - 2}px` : `${low}px`;
  }

  function changed() {
    wrong = null;
    draw();
    element.dispatchEvent(new Event("changed"));
  }

  field.oninput = () => {
    changed();
    // The listed names complete the previous word, not the next one.
    if (field.selectionStart < start || /[^\w.]/.test(field.value.slice(start, field.selectionStart))) close();
    clearTimeout(waiting);
    waiting = setTimeout(() => offer(false), WAIT);
  };
  field.onscroll = () => { copy.scrollTop = field.scrollTop; copy.scrollLeft = field.scrollLeft; };
  field.onblur = close;
  field.onpointerdown = close;
  field.onkeydown = event => {
    const open = !list.hidden;
    // The page's own keys are letters.
    event.stopPropagation();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { close(); onRun(); }
    else if (event.key === " " && event.ctrlKey) offer(true);
    else if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) { moved = true; choose(at + (event.key === "ArrowDown" ? 1 : -1)); }
    else if (open && (event.key === "Tab" && !event.shiftKey || event.key === "Enter" && moved)) accept(at);
    else if (event.key === "Escape") { if (open) close(); else onStop(); }
    else if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) { close(); onHistory(event.key === "ArrowUp" ? -1 : 1); }
    else return;
    event.preventDefault();
  };
  return {
    element, field,
    text: () => field.value,
    /** @param {string} text */
    set(text) { field.value = text; close(); changed(); },
    /** Marks an error, and moves the cursor there. Without a length, it marks the word. @param {number} line @param {number} column @param {number} length */
    mark(line, column, length) {
      const from = offsetOf(field.value, line, column), word = /^(\w+|.)?/.exec(field.value.slice(from))?.[0].length ?? 0;
      wrong = {from, to: Math.min(field.value.length, from + (length || word))};
      draw();
      if (document.activeElement === field) field.setSelectionRange(from, from);
    },
  };
}
