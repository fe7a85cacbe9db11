// The profile panel: Traceview's table, and next to it views of the same numbers.
import {el} from "ui/dom";
import {splitter} from "ui/splitter";
import {tabs} from "ui/tabs";
import {openMenu} from "ui/menu";
import {hasCalls} from "app/opening";
import {copy, toast} from "ui/toast";
import {saveText} from "panels/save";
import {isAbort} from "source/source";
import {callGraph} from "panels/graph";
import {onColours} from "panels/cells";
import {callTree} from "panels/tree";
import {parentOf} from "panels/flame_paint";
import {flameView} from "panels/flame";
import {foldedText} from "panels/folded";
import {keyOf, profileModel} from "panels/model";
import {profileTable} from "panels/profile_table";
import {sandwich} from "panels/sandwich";
import {button, scopeBar} from "panels/scope";
import {FIRST_MADE, transformBar} from "panels/transforms";
import {smartCase} from "panels/numbers";
import {SAMPLES} from "source/stacks";

/** The minimum width for showing the table next to the views, px. Below it, the table is a tab. */
const BESIDE = 820;

/** @typedef {import("panels/model").Row} Row */

/** @type {import("app/panels").Panel} */
export const profilePanel = {id: "profile", title: "Profile", mount};

/**
 * @param {HTMLElement} host
 * @param {import("panels/model").Store} store
 * @param {import("panels/model").Source} source
 * @param {import("app/panels").Context} context
 */
function mount(host, store, source, context) {
  const model = profileModel(store, source);
  const table = profileTable({model, onPick: pick, onType: key => bar.type(key)});
  const flame = flameView({label: "Flame graph: arrows move, Enter zooms in, Escape out", testid: "flame", onPick: pickBar,
    ask: (span, signal) => model.ask("flame", {...span, direction: "down", clock: shown?.clock}, signal), empty: "No call here took any time."});
  const between = sandwich(model, pickName);
  const down = callTree({model, direction: "top_down", onPick: pickShown, onType: key => bar.type(key)});
  const upward = callTree({model, direction: "bottom_up", onPick: pickShown, onType: key => bar.type(key)});
  const graph = callGraph(model);
  const side = tabs({label: "Views of the profile", onSelect: id => model.change({tab: id})});
  const bar = scopeBar({model, store, context, onFind: search});
  /** The call path that was selected in the flame graph. @type {{row: Row, path: string[]} | null} */
  let selectedPath = null;
  const transforms = transformBar({model, store, chosen: () => chosen, path: () => selectedPath && selectedPath.row === chosen ? selectedPath.path : null});
  const note = el("p", {class: "panel-note", role: "status"});
  const left = el("div", {class: "profile-table"});
  const right = el("div", {class: "profile-side"}, side.list, side.body);
  let share = 0.55, moved = false;
  const divide = splitter({label: "Width of the table", vertical: true, sign: 1, get: () => left.offsetWidth || host.clientWidth * share, limits: () => [200, host.clientWidth - 200],
    set: (px, byHand) => { moved ||= byHand; share = px / (host.clientWidth || px || 1); left.style.width = `${px}px`; }});
  divide.dataset.testid = "splitter-profile";
  const body = el("div", {class: "profile-body"}, left, divide, right);
  const element = el("div", {class: "profile", "data-testid": "profile"}, bar.element, transforms.crumbs, note, body);
  let narrow = false;
  /** @type {Row | null} */
  let chosen = null;
  /** @type {import("panels/model").Profile | null} */
  let shown = null;

  /** @type {Record<string, {show: (profile: import("panels/model").Profile) => void, find?: (passes: (label: string) => boolean, step: number) => [number, number]}>} */
  const views = {
    table: {show() {}},
    flame: {show: profile => { if (flameOf !== profile) { flameOf = profile; flame.load(true); } }},
    sandwich: {show: profile => between.show(profile, chosen)},
    top_down: {show: profile => { down.show(profile); }, find: down.find},
    bottom_up: {show: profile => { upward.show(profile); }, find: upward.find},
    graph,
  };
  /** @type {import("panels/model").Profile | null} */
  let flameOf = null;

  side.add("table", "Table", panel => panel.append(table.element));
  side.add("flame", "Flame graph", panel => panel.append(flame.element));
  side.add("sandwich", "Sandwich", panel => panel.append(between.element));
  side.add("top_down", "Top down", panel => panel.append(down.element));
  side.add("bottom_up", "Bottom up", panel => panel.append(upward.element));
  side.add("graph", "Call graph", panel => panel.append(graph.element));

  /** Selects a method that the user chose in this panel. @param {Row} row */
  function pick(row) {
    choose(row);
    if (row.name != null && row.name < FIRST_MADE) store.set({selection: {kind: "name", name: row.name}});
    if (shown?.by === "thread") showThread(row.label);
  }

  /** Scrolls the timeline to a thread. @param {string} label its name and number */
  function showThread(label) {
    const {kind, names, notes} = context.rows;
    const at = names.findIndex((/** @type {string} */ name, /** @type {number} */ at) => kind[at] === 2 && label === `${name} (${/\d+/.exec(notes[at])})`);
    if (at >= 0) context.showRow(at);
  }

  /** @param {Row | null} row */
  function choose(row) {
    chosen = row;
    flame.pick(row?.name ?? -1);
    model.change({rank: row?.rank ?? null});
  }

  /** @param {Row} row */
  function pickShown(row) {
    table.reveal(row);
    pick(row);
  }

  /** Selects the function of a bar, and remembers its call path. @param {number} name @param {import("panels/flame_paint").Frames} frames @param {number} at */
  function pickBar(name, frames, at) {
    const path = [];
    for (let up = at; up >= 0; up = parentOf(frames, up)) {
      const row = shown?.byName.get(frames.name[up]);
      if (!row) return pickName(name);
      path.unshift(keyOf(row));
    }
    pickName(name);
    const row = shown?.byName.get(name);
    selectedPath = row ? {row, path} : null;
  }

  /** @param {number} name */
  function pickName(name) {
    const row = shown?.byName.get(name);
    if (row) pickShown(row);
  }

  /** Selects here what was selected elsewhere. */
  function follow() {
    const {selection} = store.get();
    const name = selection?.kind === "slice" || selection?.kind === "name" ? selection.name : null;
    const row = name !== null && shown?.byName.get(name);
    if (!row || row === chosen) return;
    table.reveal(row);
    choose(row);
  }

  /** Highlights the names found here, otherwise those found in the timeline. */
  function light() {
    for (const view of [flame, between]) view.highlight(smartCase(bar.text()), store.get().search.names);
  }

  /** @param {string} text @param {number} step @returns {[number, number]} */
  function search(text, step) {
    const passes = smartCase(text);
    light();
    if (!passes) return [0, 0];
    const here = views[side.current()]?.find?.(passes, step);
    return narrow && here || table.find(passes, step);
  }

  /** Shows a new profile, and selects the same row as in the last one. @param {import("panels/model").Profile} profile */
  function arrive(profile) {
    const before = chosen && keyOf(chosen), {rank} = store.get().profile ?? {};
    shown = profile;
    table.show(profile);
    arrange();
    profile.more?.then(() => { if (profile === shown) table.grow(); }, () => {});
    const row = before === null ? profile.rows[(rank ?? 0) - 1] : profile.byLabel.get(before);
    chosen = null;
    if (row) {
      table.reveal(row);
      choose(row);
    } else follow();
  }

  /** Says why there are no calls. @returns {(string | Node)[]} */
  function nothing() {
    const {counts, records} = context.meta;
    if (hasCalls(context.rows)) return ["No calls in this part of the trace."];
    if (counts.slices) return ["No thread has calls. A profile does not count the slices of other tracks."];
    return records?.[SAMPLES] ? ["This trace has samples instead of calls. ", button("Show the samples", "profile-samples", () => store.set({panel: "samples", chosen: true}))] : ["This trace has no calls."];
  }

  /** Shows the profile for the current settings in the visible views. */
  async function refresh() {
    if (!host.isConnected || host.hidden) return;
    const {tab} = store.get().profile ?? {};
    if (Object.hasOwn(views, tab) && (narrow || tab !== "table")) side.select(tab);
    try {
      element.classList.add("busy");
      if (!shown) note.textContent = "Adding up the calls…";
      const profile = await model.load();
      note.hidden = profile.rows.length > 0;
      note.replaceChildren(...nothing());
      bar.show(profile);
      if (profile !== shown) arrive(profile);
      views[side.current()]?.show(profile);
    } catch (error) {
      if (isAbort(error)) return;
      note.hidden = false;
      note.replaceChildren(`${error instanceof Error ? error.message : error} `, button("Start over", "profile-reset", () => store.set({profile: {}})));
    } finally {
      element.classList.remove("busy");
    }
  }

  /** Shows table and views next to each other if there is room, otherwise as tabs. */
  function arrange() {
    const now = host.clientWidth < BESIDE, wide = Math.round(host.clientWidth * share);
    left.style.width = `${moved ? wide : table.snap(wide)}px`;
    if (now === narrow && left.firstChild) return;
    narrow = now;
    side.show("table", narrow);
    left.hidden = divide.hidden = narrow;
    if (narrow) side.panel("table").append(table.element);
    else left.append(table.element);
    if (!narrow && side.current() === "table") side.select("flame");
    table.refresh();
  }

  const stacks = button("Folded", "folded", () => openMenu(stacks, [
    {label: "Copy folded stacks", run: () => folded().then(text => copy(text, "Folded stacks"), sayError)},
    {label: "Save folded stacks", run: () => folded().then(text => saveText("profile.folded", "text/plain", text), sayError)}]),
  "The flame graph as text for flamegraph.pl, inferno and speedscope: one stack and its nanoseconds per line");
  stacks.setAttribute("aria-haspopup", "menu");
  stacks.setAttribute("aria-expanded", "false");
  /** All stacks of the scope, however short. */
  const folded = async () => foldedText(await model.ask("flame", {width_px: 1e9, from_share: 0, to_share: 1, direction: "down", clock: shown?.clock}));
  const sayError = (/** @type {unknown} */ error) => toast(error instanceof Error ? error.message : String(error), true);
  bar.element.append(transforms.button,
    button("Copy", "copy-tsv", () => copy(table.text("\t"), "Table"), "Copy the table as tab-separated text"),
    button("CSV", "save-csv", () => saveText("profile.csv", "text/csv", table.csv()), "Save the table as CSV"), stacks);
  host.append(element);
  side.select("flame");
  let seen = false;
  new ResizeObserver(() => {
    const now = host.clientWidth > 0;
    if (now) arrange();
    if (now && !seen) refresh();
    seen = now;
  }).observe(host);
  store.on(["profile"], refresh);
  store.on(["selection"], follow);
  store.on(["search"], light);
  onColours(store, source, () => { for (const part of [table, down, upward]) part.refresh(); flame.repaint(); between.repaint(); });
  arrange();
  refresh();
}
