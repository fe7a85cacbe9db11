// The search box. Hits are in order of time, Enter and Shift+Enter step through them, and matching slices are highlighted.
import {panelUnlessChosen} from "app/state";
import {el, icon, iconButton} from "ui/dom";
import {count, plural} from "ui/format";
import {smartCase} from "panels/numbers";
import {isAbort} from "source/source";
import {SAMPLES, stacksOf} from "source/stacks";
import {patternOf, patternSearch} from "timeline/pattern";

const WAIT = 110;
const LIMIT = 20000;

/**
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source
 * @param {import("app/panels").Context} context
 * @param {() => void} leave returns the focus to the timeline
 */
export function searchBox(store, source, context, leave) {
  let {meta} = context, byPattern = patternSearch(source, meta.name_count, context.rows);
  const input = el("input", {type: "search", placeholder: "Search calls, threads, counters", title: "\"a name\" is the whole name, /a pattern/ a regular expression", "aria-label": "Search", "data-testid": "search", spellcheck: "false", autocomplete: "off"});
  const hits = el("span", {class: "hits", role: "status", "data-testid": "search-hits"});
  const previous = iconButton("up", "Previous hit (Shift+Enter)", () => step(-1)), next = iconButton("down", "Next hit (Enter)", () => step(1));
  const element = el("div", {class: "search", role: "search"}, icon("search"), input, hits, previous, next);
  /** @type {any} */
  let found = null;
  /** @type {AbortController | null} */
  let abort = null;
  let waiting = 0;
  /** @type {Promise<void>} */
  let ready = Promise.resolve();

  async function ask() {
    abort?.abort();
    found = null;
    const {search} = store.get(), text = search.text.trim();
    if (!text) { store.set({search: {...search, total: 0, at: -1, names: null, ts: undefined, rows: undefined}}); return; }
    const {signal} = abort = new AbortController();
    try {
      const answer = await hitsOf(text, signal);
      if (!answer.total && !answer.rows?.length) answer.functions = await functionsOf(text);
      if (signal.aborted) return;
      found = answer;
      const total = answer.total || answer.rows?.length || 0;
      store.set({search: {...store.get().search, total, at: -1, names: new Set(answer.names), ts: answer.ts, rows: answer.per_row}});
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      store.set({search: {...store.get().search, total: 0, at: -1, names: null, ts: undefined, rows: undefined}});
      element.classList.add("miss");
      hits.textContent = error instanceof SyntaxError ? "no valid pattern" : error instanceof Error ? error.message : String(error);
    }
  }

  /** @param {string} text @param {AbortSignal} signal @returns {Promise<any>} */
  async function hitsOf(text, signal) {
    const exact = /^"(.+)"$/.exec(text), pattern = patternOf(text);
    if (!pattern) return source.ask({op: "find", text: exact ? exact[1] : text, mode: exact ? "exact" : "smart", limit: LIMIT}, {signal, priority: 1});
    if (meta !== context.meta) {
      byPattern.stop();
      byPattern = patternSearch(source, (meta = context.meta).name_count, context.rows);
    }
    const {names, rows} = await byPattern(pattern, signal);
    return {...await source.ask({op: "find", names, limit: LIMIT}, {signal, priority: 1}), rows};
  }

  /** The number of functions of samples whose names contain a text. @param {string} text */
  async function functionsOf(text) {
    const passes = context.meta.records?.[SAMPLES] && smartCase(text);
    return passes ? (await stacksOf(source)).names.filter(passes).length : 0;
  }

  /** @param {number} by */
  async function step(by) {
    await flush();
    const {search, view} = store.get();
    if (!found) return;
    if (!found.slice.length) {
      const {profile} = store.get();
      if (found.functions) store.set({panel: "samples", chosen: true, profile: {...profile, stacks: {...profile?.stacks, find: search.text.trim()}}});
      if (!found.rows?.length) return;
      const at = (search.at + by + found.rows.length) % found.rows.length;
      store.set({search: {...search, at}});
      return context.showRow(found.rows[at]);
    }
    const all = found.slice.length;
    let at = search.at + by;
    // The first step goes to a hit on the screen, not to the start of the trace.
    if (search.at < 0) {
      const here = found.ts.findIndex((/** @type {number} */ ts) => ts >= view.from);
      at = by > 0 ? Math.max(0, here) : (here < 0 ? all : here) - 1;
    }
    at = (at + all) % all;
    store.set({search: {...search, at}, selection: {kind: "slice", id: found.slice[at], row: found.row[at], ts: found.ts[at],
      end: found.ts[at] + Math.max(0, found.dur[at]), level: found.level[at], name: found.name[at]}});
    await context.goTo(found.slice[at]);
    store.set({panel: panelUnlessChosen(store.get(), "details")});
  }

  function flush() {
    if (waiting) { clearTimeout(waiting); waiting = 0; ready = ask(); }
    return ready;
  }

  function show() {
    const {text, total, at} = store.get().search;
    if (input.value !== text) input.value = text;
    hits.textContent = !text.trim() ? "" : !total ? (found?.functions ? `${plural(found.functions, "function")}: Enter` : found ? "no match" : "…") : at >= 0 ? `${count(at + 1)} of ${count(total)}` : count(total);
    element.classList.toggle("miss", !!text.trim() && !total && !!found && !found.functions);
    previous.disabled = next.disabled = !total;
  }

  function typed() {
    store.set({search: {...store.get().search, text: input.value}});
    clearTimeout(waiting);
    waiting = setTimeout(flush, WAIT);
  }
  input.oninput = typed;
  input.onkeydown = event => {
    event.stopPropagation();
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      if (input.value) { input.value = ""; typed(); flush(); } else leave();
    } else return;
    event.preventDefault();
  };
  store.on(["search"], show);
  show();
  return {element, step, focus() { input.focus(); input.select(); }, run() { ready = ask(); return ready; }};
}
