// Samples of a profiler: a flame graph of their stacks, and the functions in them. Limited to the selected range, to a thread
// and to an event.
import {el} from "ui/dom";
import {count, elide, plural, span} from "ui/format";
import {virtualTable} from "ui/virtual_table";
import {SAMPLES, samplesOf, stacksOf} from "source/stacks";
import {scopeOf} from "timeline/range_scope";
import {KIND} from "timeline/rows";
import {flameView} from "panels/flame";
import {elided, fullName} from "panels/cells";
import {parentOf} from "panels/flame_paint";
import {share, smartCase} from "panels/numbers";
import {transformed} from "panels/stack_transforms";
import {crumbBar, listed, transformsOf} from "panels/transforms";
import {framesOf, functionSums, stackTree} from "panels/weights";

/** @type {import("app/panels").Panel} */
export const samplesPanel = {id: "samples", title: "Samples", mount, when: meta => meta.records?.[SAMPLES] > 0};

/** The threads that have samples, those with most first. @param {import("source/stacks").Samples} samples @param {any} rows @returns {[number, string, number][]} utid, name, samples */
function threadsOf({utid}, {kind, utid: utids, names, notes}) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const thread of utid) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  /** @type {Map<number, string>} */
  const labels = new Map();
  kind.forEach((/** @type {number} */ own, /** @type {number} */ row) => { if (own === KIND.thread) labels.set(utids[row], `${names[row]} (${(notes[row] ?? "").replace("tid ", "")})`); });
  return [...counts].sort((a, b) => b[1] - a[1]).map(([thread, times]) => [thread, labels.get(thread) ?? "unknown thread", times]);
}

/**
 * The samples per callsite. Those without a stack are under -1.
 * @param {import("source/stacks").Samples} samples @param {import("timeline/range_scope").Scope & {event?: number}} scope with `event`, only its samples
 */
export function weightsOf({ts, callsite, utid, event: events}, {from = -Infinity, to = Infinity, threads, event}) {
  /** @type {Map<number, [number, number]>} */
  const weights = new Map();
  const wanted = threads && new Set(threads);
  for (let at = 0; at < ts.length; at++) {
    if (ts[at] < from || ts[at] >= to || (wanted && !wanted.has(utid[at])) || (event !== undefined && events[at] !== event)) continue;
    const own = weights.get(callsite[at]);
    if (own) { own[0]++; own[1]++; } else weights.set(callsite[at], [1, 1]);
  }
  return weights;
}

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {import("app/panels").Context} context
 */
async function mount(element, store, source, context) {
  element.classList.add("stack");
  element.replaceChildren(el("p", {class: "panel-hint"}, "Reading the stacks…"));
  const [samples, stacks] = await Promise.all([samplesOf(source), stacksOf(source)]);
  let up = false, total = 0;
  /** @type {any[]} */
  let sums = [];
  /** @type {any[]} */
  let shown = [];
  /** @type {import("panels/weights").Tree | null} */
  let tree = null;
  /** The selected function, and the call path that was selected in the flame graph. @type {any} */
  let chosen = null;
  /** @type {string[] | null} */
  let path = null;
  const threads = el("select", {class: "control", "aria-label": "Only one thread", "data-testid": "samples-thread"}, el("option", {value: ""}, "All threads"),
    ...threadsOf(samples, context.rows).map(([utid, label, times]) => el("option", {value: String(utid)}, `${elide(label, 60)} · ${count(times)}`)));
  const events = el("select", {class: "control", "aria-label": "Only one event", "data-testid": "samples-event", hidden: samples.events.length < 2}, el("option", {value: ""}, `All ${samples.events.length} events`),
    ...samples.events.map((name, at) => el("option", {value: String(at)}, elide(name, 60))));
  const turn = el("button", {type: "button", class: "button", "aria-pressed": "false", "data-testid": "samples-up", title: "Innermost functions first, then their callers", onclick: () => { up = !up; keep(); }}, "By function");
  const find = el("input", {type: "search", class: "control find", placeholder: "Function", "aria-label": "Highlight functions whose name contains this", "data-testid": "samples-find", spellcheck: "false"});
  const chips = el("span", {class: "chips"}), title = el("span", {class: "hits", role: "status", "data-testid": "samples-title"});
  const flame = flameView({label: "Flame graph of the samples", testid: "samples-flame", empty: "No sample here has a stack.", ask: async view => framesOf(/** @type {any} */ (tree), view),
    lines: ({w, self}, at) => [`${plural(Math.round(w[at]), "sample")} (${share(w[at], total)})`, ...(up ? [] : [`in itself ${count(self[at])} (${share(self[at], total)})`])], counts: false,
    onPick: (name, frames, bar) => { flame.pick(name); path = pathTo(frames, bar); const at = shown.findIndex(({id}) => id === name); chosen = shown[at] ?? null; if (at >= 0) table.select(at, true); }});
  const table = virtualTable({label: "Functions", testid: "samples-table", rowHeight: 22, onSort: () => fill(), onSelect: row => { chosen = row; flame.pick(row.id); }, columns: [
    {id: "label", label: "Function", width: 196, text: true, fixed: true, key: row => row.label, show: row => row.label,
      draw: (cell, row) => { cell.title = fullName(row); cell.replaceChildren(elided(row.label)); }},
    {id: "self", label: "Self", title: "Samples in the function itself", width: 64, key: row => row.self, show: row => count(row.self)},
    {id: "total", label: "Total", title: "Samples in the function or its callees", width: 64, key: row => row.total, show: row => count(row.total)},
    {id: "share", label: "Share", title: "Share of the samples", width: 76, key: row => row.total, show: row => share(row.total, total)}]});

  const transforms = () => listed(store.get().profile?.samples);
  const bar = crumbBar({of: "samples", testid: "samples-transform", all: transforms, set: list => store.set({profile: {...store.get().profile, samples: list.length ? list : undefined}}),
    possible: () => chosen ? transformsOf(chosen.label, path?.at(-1) === chosen.label ? path : null, true) : []});

  /** The call path to a bar, from the outermost function; null if the graph begins with the innermost. @param {import("panels/flame_paint").Frames} frames @param {number} at */
  function pathTo(frames, at) {
    const out = [];
    for (let bar = at; bar >= 0; bar = parentOf(frames, bar)) out.unshift(stacks.names[frames.name[bar]]);
    return up ? null : out;
  }

  function fill() {
    const {column, down} = table.sorted(), passes = smartCase(find.value);
    const key = (/** @type {any} */ row) => row[column === "share" ? "total" : column || "self"];
    const order = (/** @type {any} */ a, /** @type {any} */ b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (down || !column ? -1 : 1);
    shown = sums.filter(({label}) => !passes || passes(label)).sort((a, b) => order(a, b) || b.total - a.total || a.id - b.id);
    table.setRows(shown);
    flame.highlight(passes);
  }

  function load() {
    const {selection} = store.get(), range = selection?.kind === "range" ? selection : null;
    const all = weightsOf(samples, {...scopeOf(context.rows, selection), ...(threads.value && {threads: [Number(threads.value)]}), ...(events.value && {event: Number(events.value)})});
    const {stacks: made, weights} = transformed(stacks, all, transforms());
    total = [...weights.values()].reduce((sum, [times]) => sum + times, 0);
    const bare = weights.get(-1)?.[0] ?? 0;
    weights.delete(-1);
    tree = stackTree(made, weights, up);
    sums = functionSums(made, weights);
    chosen = path = null;
    bar.show();
    title.textContent = `${plural(total, "sample")}${bare ? `, ${count(bare)} without a stack` : ""}`;
    chips.replaceChildren(...(range ? [el("span", {class: "scope-chip"}, `Range ${span(range.from, range.to)}`)] : []));
    fill();
    flame.load(true);
  }

  table.sort("total", true);
  /** Keeps the thread, the event, the direction and the text to find in the state, and so in the address. */
  function keep() {
    const stacks = {...(threads.value && {utid: threads.value}), ...(events.value && {event: events.value}), ...(up && {up}), ...(find.value && {find: find.value})};
    store.set({profile: {...store.get().profile, stacks: Object.keys(stacks).length ? stacks : undefined}});
  }

  /** Sets the controls to the state. Returns what decides which samples are shown. */
  function adopt() {
    const {utid = "", event = "", up: upwards = false, find: text = ""} = store.get().profile?.stacks ?? {};
    for (const [select, value] of /** @type {[HTMLSelectElement, string][]} */ ([[threads, utid], [events, event]])) {
      select.value = value;
      if (select.selectedIndex < 0) select.value = "";
    }
    up = Boolean(upwards);
    turn.setAttribute("aria-pressed", String(up));
    if (find.value !== text) find.value = text;
    return JSON.stringify([transforms(), threads.value, events.value, up]);
  }

  threads.onchange = events.onchange = find.oninput = keep;
  find.onkeydown = event => event.stopPropagation();
  let ranged = store.get().selection?.kind === "range", waiting = 0;
  store.on(["selection"], ({selection}) => {
    const now = selection?.kind === "range";
    if (now || ranged) { clearTimeout(waiting); waiting = setTimeout(load, 120); }
    ranged = now;
  });
  let applied = adopt(), marked = find.value;
  store.on(["profile"], () => {
    const now = adopt();
    if (now !== applied) load();
    else if (marked !== find.value) fill();
    applied = now;
    marked = find.value;
  });
  store.on(["theme"], flame.repaint);
  element.replaceChildren(el("div", {class: "panel-bar"}, threads, events, turn, bar.button, chips, find, el("span", {class: "gap"}), title), bar.crumbs,
    el("div", {class: "weights"}, el("div", {class: "weights-table"}, table.element), el("div", {class: "weights-flame"}, flame.element)));
  load();
}
