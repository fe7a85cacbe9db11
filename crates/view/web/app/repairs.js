// Repairs and losses: a banner for real losses, and a sheet that lists everything. Each entry leads to its place.
import {el, icon, iconButton} from "ui/dom";
import {count, moment} from "ui/format";
import {sheet} from "app/sheet";

/** @typedef {import("app/panels").Context} Context */

/** The share of the trace that is shown around the place of a repair, and the shortest time to show, ns. */
const AROUND = 0.02, LEAST = 1e6;

/** A kind in words: `lost_events` becomes "lost events". @param {string} kind */
const words = kind => kind.replaceAll("_", " ");

/** What is missing from the trace, by kind; null if nothing is. @param {import("app/state").Store} store @param {Context} context @returns {HTMLElement | null} */
export function lossBanner(store, context) {
  /** @type {Map<string, number>} */
  const losses = new Map();
  for (const {severity, kind, count: times} of context.meta.repairs ?? []) if (severity === "loss") losses.set(kind, (losses.get(kind) ?? 0) + times);
  if (!losses.size) return null;
  const list = [...losses].map(([kind, times]) => `${words(kind)} (${count(times)})`).join(", ");
  const banner = el("div", {class: "banner", role: "status", "data-testid": "repairs"}, icon("warn"),
    el("span", {}, `Something is missing from ${context.meta.sources.length > 1 ? "these files" : "this file"}: ${list}.`),
    el("button", {type: "button", class: "link", onclick: () => showRepairs(store, context), "data-testid": "repairs-list"}, "What was lost"),
    iconButton("close", "Dismiss", () => banner.remove()));
  return banner;
}

/** Shows where a repair is, with a mark. @param {import("app/state").Store} store @param {Context} context @param {{ts: number, kind: string}} repair */
function jump(store, context, {ts, kind}) {
  const wide = Math.max(LEAST, context.meta.duration_ns * AROUND), {marks} = store.get();
  if (!marks.some(mark => mark.ts === ts)) store.set({marks: [...marks, {ts, label: words(kind)}].sort((a, b) => a.ts - b.ts)});
  const start = Math.max(0, Math.min(ts - wide / 2, context.meta.duration_ns - wide));
  context.zoomTo(start, start + wide);
}

/** @param {import("app/state").Store} store @param {Context} context */
export function showRepairs(store, context) {
  const dialog = sheet("Repairs and losses", "repairs-sheet", el("table", {class: "list"}, el("thead", {}, el("tr", {}, ...["What", "Count", "Weight", "First at", "Detail"].map(text => el("th", {scope: "col"}, text)))),
    el("tbody", {}, ...context.meta.repairs.map((/** @type {any} */ repair) => {
      const place = repair.ts === null ? repair.place ?? "" : el("button", {type: "button", class: "link", title: `Show it in the timeline. On the clock of the trace: ${repair.place}`, onclick: () => { dialog.close(); jump(store, context, repair); }}, moment(repair.ts, 1000));
      return el("tr", {}, ...[repair.title ?? repair.kind, count(repair.count), repair.severity, place, repair.detail ?? ""].map(cell => el("td", {}, cell)));
    }))));
}
