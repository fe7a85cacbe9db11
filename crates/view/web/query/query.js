// The tab for SQL queries. Only pages of a server have this module: SQLite is not in a report.
import {el} from "ui/dom";
import {elide} from "ui/format";
import {openMenu} from "ui/menu";
import {registerPanel} from "app/panels";
import {isAbort} from "source/source";
import {editor} from "query/editor";
import {results, summary} from "query/results";
import {jumping} from "query/jump";
import {earlier, runQuery} from "query/server";
import {restoreTracks, trackOf} from "query/track";

/** The number of queries in the menu. */
const LISTED = 20;
const SHORT = 90;
/** The typing pause after which the address receives the text, ms. */
const SETTLED = 300;

/** A query in one line. @param {string} sql */
const line = sql => elide(sql.replace(/\s+/g, " ").trim(), SHORT);

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
function mount(element, store, source, context) {
  element.classList.add("stack", "query");
  const edit = editor({onRun: run, onStop: stop, onHistory: recall});
  const running = el("span", {class: "query-running", "aria-hidden": "true", hidden: true});
  const title = el("span", {class: "hits", role: "status", "data-testid": "query-title"});
  const failed = el("p", {class: "query-error", role: "alert", hidden: true, "data-testid": "query-error"});
  const go = el("button", {type: "button", class: "button primary", title: "Run (Ctrl Enter)", "data-testid": "query-run", onclick: run}, "Run");
  const end = el("button", {type: "button", class: "button", title: "Stop the query (Esc)", hidden: true, "data-testid": "query-stop", onclick: stop}, "Stop");
  const past = el("button", {type: "button", class: "button", "aria-haspopup": "menu", "aria-expanded": "false", title: "Earlier queries (Alt ↑)", "data-testid": "query-history", onclick: menu}, "History");
  const tools = el("span", {class: "query-tools"});
  const body = el("div", {class: "tab-body"}, hint());
  /** @type {string[]} the oldest first */
  let history = [];
  /** The position in the history. The position after its end stands for the typed text. */
  let place = 0, typed = "", waiting = 0;
  /** @type {AbortController | null} */
  let abort = null;
  element.replaceChildren(edit.element, el("div", {class: "panel-bar"}, go, end, past, running, title, el("span", {class: "gap"}), tools), failed, body);

  function hint() {
    return el("p", {class: "panel-hint"}, "Ask anything in SQL: the tables are those of ", el("code", {}, "traceloom query"), ". Ctrl Enter runs it, Ctrl Space completes names. A click on a row with ",
      el("code", {}, "ts"), " or ", el("code", {}, "id"), " shows it in the timeline.");
  }

  /** @param {string} said @param {{line?: number, column?: number, length?: number}} [at] */
  function fail(said, {line, column, length = 0} = {}) {
    failed.hidden = !said;
    failed.textContent = line ? `Line ${line}, column ${column}: ${said}` : said;
    if (line && column) edit.mark(line, column, length);
  }

  /** @param {boolean} on */
  function busy(on) {
    go.hidden = on;
    end.hidden = running.hidden = !on;
    if (on) { title.textContent = "Running…"; tools.replaceChildren(); }
  }

  async function run() {
    const sql = edit.text();
    if (!sql.trim()) {
      fail("There is no query yet. Type one above, for example: SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 10");
      return edit.field.focus();
    }
    abort?.abort();
    const mine = abort = new AbortController(), had = document.activeElement === go;
    store.set({sql});
    fail("");
    busy(true);
    if (had) end.focus();
    try {
      const answer = await runQuery(sql, mine.signal);
      if (mine !== abort) return;
      remember(sql);
      if ("error" in answer) { title.textContent = ""; return fail(answer.error, answer); }
      show({...answer, sql}, line(sql));
    } catch (error) {
      if (mine !== abort) return;
      title.textContent = isAbort(error) ? "Stopped" : "";
      if (!isAbort(error)) fail(error instanceof Error ? error.message : String(error));
    } finally {
      if (mine === abort) {
        const back = document.activeElement === end;
        abort = null;
        busy(false);
        if (back) go.focus();
      }
    }
  }

  /** @param {import("query/server").Result} answer @param {string} name */
  function show(answer, name) {
    title.textContent = summary(answer);
    title.title = answer.rows.length < answer.total ? "More rows: add LIMIT and OFFSET, or use traceloom query" : "";
    if (!answer.columns.length) return body.replaceChildren(el("p", {class: "panel-hint"}, "Done. The statement has no result."));
    const {element, tools: more} = results(answer, name, store, source, context);
    tools.replaceChildren(...more);
    body.replaceChildren(element);
  }

  function stop() { abort?.abort(); }

  /** @param {string} sql */
  function remember(sql) {
    history = [...history.filter(other => other !== sql), sql];
    place = history.length;
  }

  /** Shows an earlier or later query. @param {-1 | 1} by */
  function recall(by) {
    const to = place + by;
    if (to < 0 || to > history.length) return;
    if (place === history.length) typed = edit.text();
    place = to;
    edit.set(history[to] ?? typed);
  }

  function menu() {
    const list = history.slice(-LISTED).reverse();
    if (!list.length) { title.textContent = "There are no earlier queries yet"; return; }
    openMenu(past, list.map(sql => ({label: line(sql), run: () => { edit.set(sql); edit.field.focus(); }})));
  }

  edit.element.addEventListener("changed", () => {
    fail("");
    clearTimeout(waiting);
    waiting = setTimeout(() => store.set({sql: edit.text()}), SETTLED);
  });
  store.on(["sql"], ({sql}) => { if (sql !== edit.text() && document.activeElement !== edit.field) edit.set(sql); });
  earlier().then(list => { history = [...list, ...history]; place = history.length; }).catch(() => {});
  const {sql} = store.get();
  edit.set(sql);
  // A link shows the result too.
  if (sql) run();
}

/**
 * Draws the tracks of a link: runs their queries again.
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
function start(store, source, context) {
  restoreTracks(store, async sql => {
    const answer = await runQuery(sql, new AbortController().signal);
    if ("error" in answer) throw new Error(answer.error);
    return trackOf({...answer, sql}, line(sql), jumping(answer, store, source, context));
  });
}

registerPanel({id: "query", title: "Query", mount, start});
