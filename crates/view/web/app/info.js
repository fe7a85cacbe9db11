// Facts about the trace: its files, their contents, how they were recorded.
import {el} from "ui/dom";
import {bytes, count, elide, plural, time} from "ui/format";
import {sheet} from "app/sheet";
import {LOGS} from "source/logs";
import {SAMPLES} from "source/stacks";
import {showRepairs} from "app/repairs";

/** The maximum number of facts about the recording. */
const MOST = 300;
/** Facts with more characters come last, so that they do not hide the device and the app. */
const LONG = 80;
const COUNTS = ["processes", "threads", "slices", "methods", "sched_slices", "counters", "instants", "flows", "ftrace_events"];

/** Tables of records, and what they hold. */
const RECORDS = [[SAMPLES, "Samples"], [LOGS, "Log lines"]];

const words = (/** @type {string} */ key) => (key[0].toUpperCase() + key.slice(1)).replaceAll("_", " ");
/** @param {string} title @param {[string, string | false][]} facts @param {string} [kind] the classes */
const block = (title, facts, kind = "block") => el("section", {class: kind}, el("h3", {}, title), el("dl", {class: "facts"}, ...facts.filter(([, value]) => value).flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, String(value))])));

/** The facts as text, the short ones first. @param {any[][]} metadata @returns {[string, string][]} */
function shortFirst(metadata) {
  const facts = metadata.map(([key, value]) => /** @type {[string, string]} */ ([key, String(value)]));
  const isLong = (/** @type {[string, string]} */ [, value]) => Number(value.length > LONG);
  return facts.sort((one, other) => isLong(one) - isLong(other));
}

/** @param {import("app/state").Store} store @param {import("app/panels").Context} context */
export function showInfo(store, context) {
  const {counts = {}, records = {}, metadata = [], sources, repairs = [], duration_ns} = context.meta;
  const dialog = sheet("About this trace", "info-sheet", el("div", {class: "details-body"},
    ...sources.map((/** @type {any} */ {name, format, bytes: size}) => block("File", [["Name", name], ["Format", format], ["Size", size > 0 && bytes(size)]])),
    block("Holds", [["Length", time(duration_ns)], ...COUNTS.filter(key => counts[key] > 0).map(key => /** @type {[string, string]} */ ([words(key), count(counts[key])])),
      ...RECORDS.filter(([table]) => records[table]).map(([table, what]) => /** @type {[string, string]} */ ([what, count(records[table])]))]),
    el("section", {class: "block"}, el("h3", {}, "Repairs"), repairs.length ? el("button", {type: "button", class: "link", "data-testid": "repairs-open", onclick: () => { dialog.close(); showRepairs(store, context); }}, plural(repairs.length, "kind")) : "none"),
    metadata.length > 0 && block("Recorded with", shortFirst(metadata).slice(0, MOST).map(([key, value]) => [key, elide(value, 300)]), "block wide")));
}
