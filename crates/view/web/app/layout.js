// The shell: top bar, banner, timeline, and the dock with the panels.
import {el, iconButton} from "ui/dom";
import {openMenu} from "ui/menu";
import {splitter} from "ui/splitter";
import {tabs} from "ui/tabs";
import {panels} from "app/panels";

/** The minimum height of a window that has room for both the timeline and the panels, px. */
const LOW = 500;

/**
 * @typedef {object} Actions what the buttons of the top bar do
 * @property {() => void} help
 * @property {() => void} settings
 * @property {() => void} info
 * @property {() => void} all
 */

/** @param {HTMLElement} button @param {[string, string, boolean][]} items @param {(id: any) => void} choose */
const radio = (button, items, choose) => openMenu(button, items.map(([id, label, checked]) => ({label, checked, run: () => choose(id)})));

/** @param {import("app/state").Store} store @param {any} meta @param {HTMLElement} search @param {HTMLElement} steps @param {Actions} actions */
function topBar(store, meta, search, steps, actions) {
  const sources = meta.sources.map((/** @type {any} */ source) => source.title || source.name);
  const name = (meta.title || sources.join(" + ")).replace(/[^\s+]*[\\/]/g, "");
  document.title = name ? `${name} – traceloom` : "traceloom";
  const theme = (/** @type {MouseEvent} */ event) => {
    const now = store.get().theme;
    radio(/** @type {HTMLElement} */ (event.currentTarget), [["system", "As the system", now === "system"], ["light", "Light", now === "light"],
      ["dark", "Dark", now === "dark"]], theme => store.set({theme}));
  };
  const colours = (/** @type {MouseEvent} */ event) => {
    const now = store.get().colours;
    radio(/** @type {HTMLElement} */ (event.currentTarget), [["name", "Colours by name", now === "name"],
      ["rank", "Traceview's colours by rank", now === "rank"]], colours => store.set({colours}));
  };
  const menu = {"aria-haspopup": "menu", "aria-expanded": "false"};
  return el("header", {class: "top"},
    el("h1", {class: "brand"}, "traceloom"),
    el("div", {class: "title", title: meta.sources.map((/** @type {any} */ source) => source.name).join("\n"), "data-testid": "title"}, name),
    search, steps,
    el("div", {class: "top-buttons"},
      iconButton("all", "Whole trace (0)", actions.all, {"data-testid": "zoom-all"}),
      iconButton("colours", "Colours", colours, {...menu, "data-testid": "colours"}),
      iconButton("theme", "Light or dark", theme, {...menu, "data-testid": "theme"}),
      iconButton("settings", "Settings (,)", actions.settings, {"data-testid": "settings-open"}),
      iconButton("info", "About this trace", actions.info, {"data-testid": "info"}),
      iconButton("help", "Keys (?)", actions.help, {"data-testid": "help"})));
}

/**
 * The dock: one tab per panel, mounted when first shown.
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
function dock(store, source, context) {
  const bar = tabs({label: "Panels", onSelect: panel => store.set({panel, chosen: true})});
  const here = panels.filter(({when}) => !when || when(context.meta));
  for (const {id, title, mount} of here) bar.add(id, title, element => mount(element, store, source, context));
  const show = () => bar.select(here.some(({id}) => id === store.get().panel) ? store.get().panel : here[0]?.id);
  store.on(["panel"], show);
  /** In a low window the panels stay folded until something is selected. */
  let waits = innerHeight < LOW, waiting = 0;
  const fold = iconButton("down", "Panels", () => turn(!element.classList.contains("folded")), {class: "icon-button dock-fold", "data-testid": "dock-fold"});
  /** @param {boolean} folded */
  function turn(folded) {
    waits = false;
    element.classList.toggle("folded", folded);
    fold.setAttribute("aria-expanded", String(!folded));
    fold.title = folded ? "Unfold the panels" : "Fold the panels";
  }
  const element = el("section", {class: "dock", "aria-label": "Panels", "data-testid": "dock"}, el("div", {class: "dock-bar"}, bar.list, fold), bar.body);
  bar.list.addEventListener("click", () => turn(false));
  const low = waits;
  turn(low);
  waits = low;
  store.on(["selection"], ({selection}) => {
    if (!waits || !selection) return;
    clearTimeout(waiting);
    // Delayed, so that the page does not move while a range is being drawn.
    waiting = setTimeout(() => { if (waits) turn(false); }, 300);
  });
  return {element, show, unfold: () => turn(false)};
}

/**
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 * @param {{steps: HTMLElement, search: HTMLElement, banner: HTMLElement | null, timeline: HTMLElement, actions: Actions}} parts
 */
export function layout(store, source, context, {steps, search, banner, timeline, actions}) {
  const {element, show, unfold} = dock(store, source, context);
  let height = Math.max(110, Math.min(340, innerHeight * 0.36));
  const bar = splitter({label: "Height of the panels", vertical: false, sign: -1, get: () => height, limits: () => [80, innerHeight - 200],
    set: (px, moved) => { height = px; if (moved) unfold(); element.style.height = `${px}px`; }});
  const main = el("main", {class: "main"}, timeline, bar, element);
  const app = /** @type {HTMLElement} */ (document.getElementById("app"));
  app.replaceChildren(topBar(store, context.meta, search, steps, actions), ...(banner ? [banner] : []), main);
  show();
}
