// The sum of several selected slices, by name.
import {el} from "ui/dom";
import {count, elide, moment, time} from "ui/format";
import {slicesOf} from "timeline/several";

/**
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 * @returns {Promise<HTMLElement | null>} null if fewer than two are selected
 */
export async function sumOfSlices(store, source, context) {
  const all = slicesOf(store.get().selection);
  if (all.length < 2) return null;
  const ids = [...new Set(all.map(({name}) => name))];
  const {names} = await source.ask({op: "names", ids}, {priority: 1});
  const total = (/** @type {typeof all} */ slices) => slices.reduce((sum, {ts, end}) => sum + end - ts, 0);
  const groups = ids.map((id, at) => ({name: names[at], slices: all.filter(({name}) => name === id)})).sort((a, b) => total(b.slices) - total(a.slices));
  const from = Math.min(...all.map(({ts}) => ts)), to = Math.max(...all.map(({end}) => end)), lengths = all.map(({ts, end}) => end - ts);
  const fact = (/** @type {string} */ key, /** @type {string} */ value) => [el("dt", {}, key), el("dd", {}, value)];
  return el("section", {class: "block", "data-testid": "several"}, el("h3", {}, `${count(all.length)} selected`),
    el("dl", {class: "facts"}, ...fact("Sum", time(total(all))), ...fact("Mean", time(total(all) / all.length)), ...fact("Shortest", time(Math.min(...lengths))), ...fact("Longest", time(Math.max(...lengths))),
      ...fact("From first to last", `${time(to - from)}, from ${moment(from, 1000)}`)),
    el("ul", {class: "calls"}, ...groups.map(({name, slices}) => el("li", {}, el("button", {type: "button", class: "link", title: elide(name, 2000), onclick: () => context.goTo(slices[0].id)}, elide(name, 80)),
      el("span", {class: "num"}, `${slices.length > 1 ? `${count(slices.length)} × ` : ""}${time(total(slices))}`)))));
}
