// The banner about repairs and losses in the trace, with the full list behind a button.
import {el, icon, iconButton} from "ui/dom";
import {count, plural} from "ui/format";
import {sheet} from "app/help";

/** @param {any} meta @returns {HTMLElement | null} */
export function repairsBanner(meta) {
  /** @type {any[]} */
  const repairs = (meta.repairs ?? []).filter((/** @type {any} */ repair) => repair.severity !== "info");
  if (!repairs.length) return null;
  const total = repairs.reduce((sum, {count}) => sum + count, 0);
  const lost = repairs.some(({severity}) => /loss|lost|error/i.test(severity));
  const banner = el("div", {class: "banner", role: "status", "data-testid": "repairs"}, icon("warn"),
    el("span", {}, `${plural(total, "place")} in ${meta.sources.length > 1 ? "these files" : "this file"} ${total === 1 ? "was" : "were"} repaired${lost ? " or lost" : ""}.`),
    el("button", {type: "button", class: "link", onclick: () => showRepairs(meta), "data-testid": "repairs-list"}, "What was done"),
    iconButton("close", "Dismiss", () => banner.remove()));
  return banner;
}

/** @param {any} meta */
function showRepairs(meta) {
  const cells = (/** @type {any} */ repair) => [repair.title ?? repair.kind, count(repair.count), repair.severity, repair.place ?? "", repair.detail ?? ""];
  const table = el("table", {class: "list"}, el("thead", {}, el("tr", {}, ...["What", "Count", "Weight", "First at", "Detail"].map(text => el("th", {scope: "col"}, text)))),
    el("tbody", {}, ...meta.repairs.map((/** @type {any} */ repair) => el("tr", {}, ...cells(repair).map(text => el("td", {}, String(text)))))));
  sheet("Repairs and losses", "repairs-sheet", table);
}
