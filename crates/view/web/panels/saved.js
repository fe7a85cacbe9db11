// Saved ranges. They have names, appear in the panel of the range and are kept in the address. One can be the base of
// a comparison.
import {el, iconButton} from "ui/dom";
import {span} from "ui/format";
import {addActions} from "app/actions";

/** @typedef {import("app/state").Store} Store */
/** @typedef {import("app/state").Saved} Saved */

const LONGEST = 60;
/** The maximum number of ranges: they all have to fit into an address. */
export const MOST = 20;

/** @param {Saved | null | undefined} a @param {any} b */
const same = (a, b) => !!a && !!b && a.from === b.from && a.to === b.to && String(a.rows ?? "") === String(b.rows ?? "");

/** The range to compare the selected range with, unless both are the same. @param {import("app/state").State} state @returns {Saved | undefined} */
export const baseOf = ({ranges, selection}) => selection?.kind === "range" ? ranges.find(range => range.base && !same(range, selection)) : undefined;

/** The name of a saved range. @param {Saved} range */
export const nameOf = ({label, from, to}) => label || span(from, to);

/** @param {Store} store @param {import("app/panels").Context} context */
export function savedRanges(store, context) {
  const list = el("ul", {class: "saved", "aria-label": "Saved ranges", "data-testid": "saved"});
  const save = el("button", {type: "button", class: "button", "data-testid": "save-range", onclick: () => { keep(); /** @type {HTMLElement | null} */ (list.querySelector("input"))?.focus(); }}, "Save range");
  /** The range that is being renamed. @type {Saved | null} */
  let naming = null;
  const selected = () => { const {selection} = store.get(); return selection?.kind === "range" ? selection : null; };
  const possible = () => !!selected() && store.get().ranges.length < MOST && !store.get().ranges.some(range => same(range, selected()));

  function keep() {
    const range = selected();
    if (!range || !possible()) return;
    const {kind, ...rest} = range;
    naming = {...rest, label: ""};
    store.set({ranges: [...store.get().ranges, naming], panel: "range"});
  }

  /** @param {Saved} range @param {Partial<Saved> | null} patch null removes it */
  function change(range, patch) {
    const others = patch?.base ? {base: false} : {};
    store.set({ranges: store.get().ranges.flatMap(one => one === range ? patch ? [{...one, ...patch}] : [] : [{...one, ...others}])});
  }

  /** @param {Saved} range */
  function field(range) {
    const input = el("input", {class: "control", "aria-label": "Name of the range", placeholder: "Name, then Enter", maxlength: String(LONGEST), spellcheck: "false", autocomplete: "off", "data-testid": "range-name"});
    input.value = range.label;
    const close = (/** @type {boolean} */ kept) => { if (naming !== range) return; naming = null; change(range, kept ? {label: input.value.trim()} : {}); };
    input.onkeydown = event => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Escape") { close(event.key === "Enter"); save.focus(); }
    };
    input.onblur = () => close(true);
    return input;
  }

  /** @param {Saved} range */
  function line(range) {
    const {from, to, rows, base} = range, name = nameOf(range);
    const go = () => { store.set({selection: {kind: "range", from, to, ...(rows && {rows})}}); context.zoomTo(from - (to - from) * 0.1, to + (to - from) * 0.1); };
    return el("li", {class: base ? "base" : ""}, naming === range ? field(range) : el("button", {type: "button", class: "button", title: span(from, to), "aria-pressed": String(same(range, selected())), onclick: go}, name),
      el("button", {type: "button", class: "button", title: `Compare the selected range with ${name}`, "aria-pressed": String(!!base), onclick: () => change(range, {base: !base})}, "vs"),
      iconButton("edit", `Rename ${name}`, () => { naming = range; show(); list.querySelector("input")?.select(); }), iconButton("close", `Remove ${name}`, () => change(range, null)));
  }

  function show() {
    const {ranges} = store.get();
    save.disabled = !possible();
    list.hidden = !ranges.length;
    list.replaceChildren(...ranges.map(line));
    if (naming) list.querySelector("input")?.focus();
  }

  addActions({what: "save the selected range", run: () => keep(), when: possible});
  store.on(["ranges", "selection"], show);
  show();
  return {list, save};
}
