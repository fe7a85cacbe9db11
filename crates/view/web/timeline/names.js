// The names next to the canvas. Only visible rows have elements.
import {el, icon, iconButton} from "ui/dom";
import {count, oneLine, plural} from "ui/format";
import {DEEP} from "timeline/rows";

/** @typedef {import("timeline/rows").RowModel} RowModel */

/**
 * @param {RowModel} model
 * @param {(row: number, by: number) => void} move moves the focus to another row; by 0: hides this one
 * @param {(row: number) => void} enter selects the first call in a row
 * @param {import("app/state").Store} store
 */
export function nameList(model, move, enter, store) {
  const element = el("div", {class: "names", role: "list", "aria-label": "Rows", "data-testid": "rows"});
  /** @type {Map<number, {element: HTMLElement, main: HTMLElement, mark: string}>} */
  const shown = new Map();
  /** The row that Tab moves to; the arrow keys move on from there. */
  let current = -1;

  const hits = (/** @type {number} */ row) => store.get().search.rows?.[row] ?? 0;

  /** @param {number} row */
  function markOf(row) {
    const {names, notes} = model.rows;
    return `${names[row]}/${notes[row]}/${model.folded(row)}/${model.isPinned(row)}/${model.lanes(row)}/${hits(row)}`;
  }

  /** @param {number} row */
  function make(row) {
    const {rows} = model;
    const name = oneLine(rows.names[row]) || "(no name)", note = rows.notes[row] === name ? "" : rows.notes[row] ?? "";
    const opens = model.foldable(row), folded = model.folded(row), pinned = model.isPinned(row), kind = rows.kind[row];
    const deep = rows.levels[row] > DEEP && model.lanes(row) === DEEP;
    const main = el("button", {type: "button", class: "row-main", title: note ? `${name}\n${note}` : name, "aria-expanded": opens ? String(!folded) : null, "aria-keyshortcuts": "p h",
      onclick: () => opens ? model.toggle(row, "flipped") : enter(row)},
    el("span", {class: opens ? "twist" : "twist none", "aria-hidden": "true"}, opens && icon(folded ? "right" : "down")),
    el("span", {class: "row-name"}, name), note && el("span", {class: "row-note"}, note),
    hits(row) > 0 && el("span", {class: "row-hits", title: "Hits of the search"}, count(hits(row))));
    main.onkeydown = event => {
      const {key} = event, lower = key.toLowerCase();
      if (key === "ArrowDown" || key === "ArrowUp") move(row, key === "ArrowDown" ? 1 : -1);
      else if (opens && (key === "ArrowLeft" || key === "ArrowRight")) { if (folded === (key === "ArrowRight")) model.toggle(row, "flipped"); }
      else if (lower === "p") model.pin(row);
      else if (lower === "h") move(row, 0);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    main.onfocus = () => { current = row; };
    const tools = el("span", {class: "row-tools"},
      iconButton("pin", pinned ? `Unpin ${name}` : `Pin ${name} to the top`, () => model.pin(row), {"aria-pressed": String(pinned), tabindex: "-1"}),
      iconButton("hide", `Hide ${name}`, () => move(row, 0), {tabindex: "-1"}));
    return {main, mark: markOf(row), element: el("div", {class: `row kind${kind}${pinned ? " pinned" : ""}${rows.flags[row] & 16 ? " focus-app" : ""}`, role: "listitem",
      "data-testid": "row", "data-row": row}, main, tools,
    deep && el("button", {type: "button", class: "link row-deep", onclick: () => model.toggle(row, "deep", true)}, `${DEEP} of ${plural(rows.levels[row], "level")}: show all`))};
  }

  /** @param {{row: number, y: number, height: number}[]} placed @param {number} pinned the number of pinned rows @param {number} below top of the other rows, px */
  function show(placed, pinned, below) {
    const keep = new Set(placed.map(({row}) => row));
    for (const [row, {element}] of shown) {
      if (keep.has(row)) continue;
      element.remove();
      shown.delete(row);
    }
    if (!keep.has(current)) current = placed[0]?.row ?? -1;
    /** @type {Element | null} */
    let before = null;
    placed.forEach(({row, y, height}, nth) => {
      let part = shown.get(row);
      if (part?.mark !== markOf(row)) {
        const focused = part?.element.contains(document.activeElement);
        const fresh = make(row);
        if (part) part.element.replaceWith(fresh.element);
        else if (before) before.after(fresh.element);
        else element.prepend(fresh.element);
        shown.set(row, part = fresh);
        if (focused) fresh.main.focus();
      }
      before = part.element;
      part.main.tabIndex = row === current ? 0 : -1;
      const {style} = part.element;
      style.transform = `translateY(${y}px)`;
      style.height = `${height}px`;
      style.paddingLeft = `${4 + model.depth[row] * 12}px`;
      style.zIndex = nth < pinned ? "2" : "1";
      // Rows are clipped where they scroll under the pinned rows, which end where the others begin.
      const over = nth < pinned ? Math.max(0, y + height - below) : 0, under = nth < pinned ? 0 : Math.max(0, below - y);
      style.clipPath = over || under ? `inset(${under}px 0 ${over}px)` : "";
    });
  }

  return {element, show, focus: (/** @type {number} */ row) => shown.get(row)?.main.focus({preventScroll: true})};
}
