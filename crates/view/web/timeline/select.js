// Moves the selection from slice to slice, announces it to screen readers, and fetches its arrows.
import {panelFor, panelUnlessChosen} from "app/state";
import {el} from "ui/dom";
import {elide, span, time} from "ui/format";
import {isAbort} from "source/source";
import {slicesOf, withSlice} from "timeline/several";
import {toast} from "ui/toast";

/** @typedef {import("timeline/timeline").Timeline} Timeline */

/**
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {Timeline} timeline
 */
export function selecting(store, source, timeline) {
  const live = el("div", {class: "visually-hidden", role: "status", "aria-live": "polite", "data-testid": "announce"});
  const {view, model, tiles} = timeline;
  let asked = 0, speaking = 0, said = 0;

  /** Announces a text. It replaces a text that was not announced yet. @param {string} text */
  function say(text) {
    clearTimeout(speaking);
    said += 1;
    live.textContent = text;
  }

  /** @param {any} found the answer to `locate` or `neighbour` @param {number} id @param {boolean} [zoom] */
  function choose(found, id, zoom) {
    const {row, ts, dur, level, name} = found;
    const end = found.end ?? ts + Math.max(0, dur);
    store.set({selection: {kind: "slice", id, row, ts, end, level, name}});
    timeline.showRow(row, level);
    if (zoom) view.fit(ts, Math.max(end, ts + 1), 0.5);
    else view.reveal(ts, end);
  }

  /** @param {number} id @param {boolean} [zoom] */
  async function goTo(id, zoom) {
    const mine = ++asked;
    try {
      const found = await source.ask({op: "locate", id}, {priority: 1});
      if (mine === asked) choose(found, id, zoom);
    } catch (error) {
      if (!isAbort(error)) toast(error instanceof Error ? error.message : String(error), true);
    }
  }

  /** Selects slices together. @param {number[]} ids the first one is shown */
  async function goToAll(ids) {
    await goTo(ids[0]);
    const found = await Promise.all(ids.slice(1, 500).map(id => source.ask({op: "locate", id}).then(at => ({id, row: at.row, ts: at.ts, end: at.end ?? at.ts, level: at.level, name: at.name}), () => null)));
    const {selection} = store.get(), more = found.filter(one => one !== null);
    if (selection?.kind === "slice" && selection.id === ids[0] && more.length) store.set({selection: {...selection, more}});
  }

  /** Adds the next slice to the selected ones. @param {"next" | "previous"} to */
  async function extend(to) {
    const {selection} = store.get(), all = slicesOf(selection);
    if (!selection || !all.length) return first();
    const from = to === "next" ? all.reduce((a, b) => b.ts > a.ts ? b : a) : all.reduce((a, b) => b.ts < a.ts ? b : a);
    const found = await source.ask({op: "neighbour", id: from.id, to}, {priority: 1});
    if (found.none) return say(`No ${to} call`);
    const {row, ts, level, name} = found, id = found.id ?? found.slice, end = found.end ?? ts + Math.max(0, found.dur);
    if (store.get().selection !== selection || all.some(slice => slice.id === id)) return;
    store.set({selection: withSlice(selection, {id, row, ts, end, level, name})});
    view.reveal(ts, end);
  }

  /** The slice nearest to the middle of the screen, in a row or in the first that has one. @param {number} [only] */
  function first(only) {
    const middle = (view.from + view.to) / 2, found = /** @type {any[]} */ ([null, null]);
    for (const {row} of timeline.placed()) {
      if (only !== undefined && row !== only) continue;
      tiles.find(row, view.from, view.to, (view.to - view.from) / 1000, found);
      const piece = found[0], data = piece?.batch.data;
      if (!data || model.isHead(row)) continue;
      let best = -1, away = Infinity;
      for (let at = data.first_slice[piece.at]; at < data.first_slice[piece.at + 1]; at++) {
        const distance = Math.max(0, data.s_ts[at] - middle, middle - data.s_end[at]) + data.s_level[at] * 1e-3;
        if (distance < away) { best = at; away = distance; }
      }
      if (best >= 0) return goTo(data.s_id[best]);
    }
    say("No call here");
  }

  /** @param {"next" | "previous" | "parent" | "child"} to */
  async function step(to) {
    const {selection} = store.get();
    if (selection?.kind !== "slice") return first();
    const mine = ++asked;
    try {
      const found = await source.ask({op: "neighbour", id: selection.id, to}, {priority: 1});
      if (mine !== asked) return;
      if (found.none) return say(`No ${to} call`);
      choose(found, found.id ?? found.slice);
      store.set({panel: panelUnlessChosen(store.get(), "details")});
    } catch (error) {
      if (!isAbort(error)) toast(error instanceof Error ? error.message : String(error), true);
    }
  }

  async function announce() {
    const {selection} = store.get(), mine = ++said;
    if (!selection) live.textContent = "";
    if (selection?.kind === "range") live.textContent = `Range ${span(selection.from, selection.to)}`;
    if (selection?.kind !== "slice") return;
    let text = tiles.names.get(selection.name);
    if (text === undefined) text = (await source.ask({op: "names", ids: [selection.name]})).names[0];
    if (mine === said && store.get().selection === selection) live.textContent = selection.more ? `${selection.more.length + 1} calls selected` : `${elide(text ?? "", 120)}, ${time(selection.end - selection.ts)}, ${model.rows.names[selection.row]}`;
  }

  let flowOf = 0;
  async function arrows() {
    const {selection} = store.get(), mine = ++flowOf;
    const row = selection && "row" in selection ? selection.row : -1;
    const question = selection?.kind === "slice" ? {slice: selection.id}
      : selection?.kind === "state" || selection?.kind === "sched" ? {utid: model.rows.utid[row], ts: selection.ts} : null;
    // There is no answer for a trace without arrows.
    const {flows} = question ? await source.ask({op: "flows", ...question}).catch(() => ({})) : {};
    if (mine === flowOf) timeline.setFlows(flows ?? []);
  }

  /** The time range of the selection. @returns {[number, number] | null} */
  function extent() {
    const {selection} = store.get();
    const all = slicesOf(selection);
    if (all.length > 1) return [Math.min(...all.map(({ts}) => ts)), Math.max(...all.map(({end}) => end))];
    if (selection && "ts" in selection) return [selection.ts, selection.end ?? selection.ts];
    if (selection?.kind === "range") return [selection.from, selection.to];
    return null;
  }

  store.on(["selection"], () => {
    // While a range is being drawn, only the final range is announced.
    clearTimeout(speaking);
    speaking = setTimeout(() => announce().catch(() => {}), 120);
    arrows();
  });
  timeline.onFlow(end => { if (end.slice != null) goTo(end.slice); else if (end.row != null) { store.set({selection: {kind: "state", row: end.row, ts: end.ts}}); timeline.showRow(end.row); } });
  timeline.onEnter(row => { timeline.area.focus(); first(row); });
  return {element: live, goTo, goToAll, extend, step, first, extent,
    fit() { const found = extent(); if (found) view.fit(...found); },
    /** Selects the time of the selected call as a range, or the visible range. */
    range() {
      const [from, to] = extent() ?? [view.goal().from, view.goal().to];
      store.set({selection: {kind: "range", from, to}, panel: panelFor(store.get(), "range")});
    },
  };
}
