// One method with its callers (above) and its callees (below), over all its calls.
import {el} from "ui/dom";
import {fullName} from "panels/cells";
import {flameView} from "panels/flame";
import {percent, share} from "panels/numbers";
import {plural, time} from "ui/format";

/**
 * @param {import("panels/model").Model} model
 * @param {(name: number) => void} onPick
 */
export function sandwich(model, onPick) {
  /** @type {import("panels/model").Row | null} */
  let row = null;
  /** @type {import("panels/model").Profile | null} */
  let profile = null;

  /** @param {"up" | "down"} direction @param {string} label */
  const half = (direction, label) => flameView({
    label, testid: `sandwich-${direction}`, flip: direction === "up",
    ask: (span, signal) => model.ask("flame", {...span, direction, rank: row?.rank, clock: profile?.clock}, signal),
    onPick,
    empty: direction === "up" ? "Nothing calls it: it is called by the thread itself." : "It calls nothing.",
  });
  const up = half("up", "Callers"), down = half("down", "Callees");
  const title = el("h2", {class: "sandwich-title", "data-testid": "sandwich-title"});
  const numbers = el("span", {class: "quiet"});
  const hint = el("p", {class: "hint"});
  const element = el("div", {class: "sandwich"}, hint, up.element, el("div", {class: "sandwich-bar"}, title, numbers), down.element);
  element.classList.add("none");

  return {
    element,
    /** @param {import("panels/model").Profile} loaded @param {import("panels/model").Row | null} chosen */
    show(loaded, chosen) {
      if (profile === loaded && row === chosen && row) return;
      hint.textContent = loaded.by === "method" ? "Choose a method in the table to see its callers and its callees." : "The sandwich shows one method: group the rows by method first.";
      profile = loaded;
      row = loaded.by === "method" ? chosen : null;
      element.classList.toggle("none", !row);
      if (!row) return;
      const clock = /** @type {const} */ (`${loaded.clock}_ns`);
      const inclusive = row.inclusive[clock] ?? 0, exclusive = row.exclusive[clock] ?? 0, total = loaded.total[clock] ?? 0;
      title.textContent = title.title = fullName(row);
      numbers.textContent = `inclusive ${time(inclusive)} (${share(inclusive, total)}) · self ${time(exclusive)} (${percent(exclusive, total)} %) · ` +
        `${plural(row.calls + row.recursive_calls, "call")}${row.unfinished?.[clock] ? ` · unfinished ${time(row.unfinished[clock])}` : ""}`;
      up.load(true);
      down.load(true);
    },
    /** @param {((label: string) => boolean) | null} passes @param {Set<number> | null} names */
    highlight(passes, names) { up.highlight(passes, names); down.highlight(passes, names); },
    repaint() { up.repaint(); down.repaint(); },
  };
}
