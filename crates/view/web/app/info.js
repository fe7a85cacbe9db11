// Facts about the trace: its files, their contents, how they were recorded.
import {el} from "ui/dom";
import {bytes, count, elide, plural, time} from "ui/format";
import {sheet} from "app/sheet";
import {showRepairs} from "app/repairs";

/** The maximum number of facts about the recording. */
const MOST = 300;
const COUNTS = ["processes", "threads", "slices", "methods", "sched_slices", "counters", "instants", "flows", "ftrace_events"];

const words = (/** @type {string} */ key) => (key[0].toUpperCase() + key.slice(1)).replaceAll("_", " ");
/** @param {string} title @param {[string, string | false][]} facts */
const block = (title, facts) => el("section", {class: "block"}, el("h3", {}, title), el("dl", {class: "facts"}, ...facts.filter(([, value]) => value).flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, String(value))])));

/** @param {import("app/state").Store} store @param {import("app/panels").Context} context */
export function showInfo(store, context) {
  const {counts = {}, metadata = [], sources, repairs = [], duration_ns} = context.meta;
  const dialog = sheet("About this trace", "info-sheet", el("div", {class: "details-body"},
    ...sources.map((/** @type {any} */ {name, format, bytes: size}) => block("File", [["Name", name], ["Format", format], ["Size", size > 0 && bytes(size)]])),
    block("Holds", [["Length", time(duration_ns)], ...COUNTS.filter(key => counts[key] > 0).map(key => /** @type {[string, string]} */ ([words(key), count(counts[key])]))]),
    el("section", {class: "block"}, el("h3", {}, "Repairs"), repairs.length ? el("button", {type: "button", class: "link", "data-testid": "repairs-open", onclick: () => { dialog.close(); showRepairs(store, context); }}, plural(repairs.length, "kind")) : "none"),
    metadata.length > 0 && block("Recorded with", metadata.slice(0, MOST).map((/** @type {any} */ [key, value]) => [key, elide(String(value), 300)]))));
}
