// Marks: places in time, optionally named.
import {el} from "ui/dom";
import {toast} from "ui/toast";

const LONGEST = 80;
/** The width of the field, px; the same as in page.css. */
const FIELD = 150;

/** Sets a mark, or removes an existing one. @param {import("app/state").Store} store @param {number} ts @param {number} near ns @returns {number | null} the time of the new one */
export function toggleMark(store, ts, near) {
  const {marks} = store.get();
  const here = marks.filter(mark => Math.abs(mark.ts - ts) <= near), at = Math.round(ts);
  if (!here.length) {
    store.set({marks: [...marks, {ts: at, label: ""}].sort((a, b) => a.ts - b.ts)});
    return at;
  }
  store.set({marks: marks.filter(mark => !here.includes(mark))});
  toast("Mark removed");
  return null;
}

/** The mark that is nearest to a point in time. @param {import("app/state").Store} store @param {number} ts @param {number} [near] ns */
export function nearestMark(store, ts, near = Infinity) {
  const away = (/** @type {{ts: number}} */ mark) => Math.abs(mark.ts - ts);
  const [best] = [...store.get().marks].sort((a, b) => away(a) - away(b));
  return best && away(best) <= near ? best : null;
}

/**
 * The field on the ruler in which a mark gets its name.
 * @param {import("app/state").Store} store @param {HTMLElement} area @param {(ts: number) => number} xOf px in the area
 */
export function markField(store, area, xOf) {
  /** @type {{input: HTMLInputElement, ts: number} | null} */
  let open = null;

  /** @param {boolean} keep whether the typed text is used @param {boolean} [back] the focus goes back to the timeline */
  function close(keep, back) {
    if (!open) return;
    const {input, ts} = open, label = input.value.trim();
    open = null;
    if (keep) store.set({marks: store.get().marks.map(mark => mark.ts === ts ? {ts, label} : mark)});
    if (back) area.focus();
    input.remove();
  }

  function place() {
    if (open) open.input.style.left = `${Math.max(2, Math.min(area.clientWidth - FIELD - 2, xOf(open.ts) - FIELD / 2))}px`;
  }

  /** @param {number} ts of a mark */
  function edit(ts) {
    close(true);
    const mark = store.get().marks.find(mark => mark.ts === ts);
    if (!mark) return;
    const input = el("input", {class: "mark-name", "aria-label": "Name of the mark", placeholder: "Name, then Enter", maxlength: String(LONGEST), spellcheck: "false", autocomplete: "off", "data-testid": "mark-name"});
    input.value = mark.label;
    input.onkeydown = event => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Escape") { event.preventDefault(); close(event.key === "Enter", true); }
    };
    input.onblur = () => close(true);
    for (const type of /** @type {const} */ (["pointerdown", "pointermove", "dblclick", "wheel"])) input.addEventListener(type, event => event.stopPropagation());
    open = {input, ts};
    area.append(input);
    place();
    input.focus();
    input.select();
  }

  return {edit, place};
}

/** The next mark in a direction. @param {import("app/state").Store} store @param {number} ts @param {number} by */
export function nextMark(store, ts, by) {
  const {marks} = store.get();
  return by > 0 ? marks.find(mark => mark.ts > ts + 1) : marks.findLast(mark => mark.ts < ts - 1);
}
