// The results that a report includes: `traceloom report --query`.
import {el} from "ui/dom";
import {elide} from "ui/format";
import {registerPanel} from "app/panels";
import {jumping} from "query/jump";
import {results, summary} from "query/results";
import {restoreTracks, trackOf} from "query/track";

/** @typedef {import("query/server").Result & {title: string, sql: string}} Included */

/** The results in this report. A damaged one is left out. @returns {Included[]} */
function included() {
  return [...document.querySelectorAll("script.traceloom-result")].flatMap(element => {
    try { return [JSON.parse(element.textContent ?? "")]; } catch { return []; }
  });
}

const all = included();

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
function mount(element, store, source, context) {
  element.classList.add("stack", "query");
  const choice = el("select", {class: "control", "aria-label": "Result", "data-testid": "query-choice"}, ...all.map(({title}, nth) => el("option", {value: String(nth)}, elide(title, 80))));
  const title = el("span", {class: "hits", role: "status", "data-testid": "query-title"}), tools = el("span", {class: "query-tools"});
  const sql = el("pre", {class: "query-sql", tabindex: "0", role: "region", "aria-label": "SQL", "data-testid": "query-shown"});
  const body = el("div", {class: "tab-body"});
  const more = el("button", {type: "button", class: "button", "aria-expanded": "false", "data-testid": "query-show", onclick: () => { sql.hidden = !sql.hidden; more.setAttribute("aria-expanded", String(!sql.hidden)); }}, "SQL");
  sql.hidden = true;
  element.replaceChildren(el("div", {class: "panel-bar"}, choice, more, title, el("span", {class: "gap"}), tools), sql, body);
  function show() {
    const result = all[Number(choice.value)];
    title.textContent = summary(result);
    sql.textContent = result.sql;
    const {element, tools: made} = results(result, result.title, store, source, context);
    tools.replaceChildren(...made);
    body.replaceChildren(element);
  }
  choice.onchange = show;
  show();
}

/** Draws the tracks of a link from the results. @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context */
const start = (store, source, context) => restoreTracks(store, async sql => {
  const result = all.find(one => one.sql === sql);
  return result ? trackOf(result, result.title, jumping(result, store, source, context)) : null;
});

if (all.length) registerPanel({id: "results", title: "Results", mount, start});
