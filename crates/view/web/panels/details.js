// Everything known about the selection.
import {el, icon} from "ui/dom";
import {amount, count, elide, exact, moment, oneLine, percent, plural, span, time} from "ui/format";
import {copy} from "ui/toast";
import {elided} from "panels/cells";
import {counterActions, counterRow} from "panels/counter_row";
import {connections, ownerRow} from "panels/connections";
import {markDetails, stackList} from "panels/details_points";
import {latencyOf} from "panels/latency";
import {CLOCKS} from "panels/numbers";
import {questionOf} from "panels/why";
import {sumOfSlices} from "panels/several";
import {isAbort} from "source/source";
import {isFrameTimeline, withTid} from "timeline/rows";
import {STATES} from "timeline/tips";

const NONE = 0xffffffff;
/** Up to this many slices are ranked without a noticeable delay. */
const QUICK = 1e6;

/** @typedef {import("app/panels").Context} Context */
/** @typedef {[string, string | Node | null | undefined | false][]} Facts */

/** @param {string} title @param {...(Node | null | false | undefined)} content */
const block = (title, ...content) => el("section", {class: "block"}, el("h3", {}, title), ...content);

/** @param {Facts} facts */
function list(facts) {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return el("dl", {class: "facts"}, ...shown.flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, value)]));
}

/** @param {string} text @param {() => void} onclick @param {string} [testid] */
export const link = (text, onclick, testid) => el("button", {type: "button", class: "link", onclick, title: text, "data-testid": testid}, elide(text, 160));

/** A name as a link. If there is no room, its package is cut first. @param {string} name @param {() => void} onclick */
const nameLink = (name, onclick) => el("button", {type: "button", class: "link", onclick, title: elide(name, 2000)}, elided(name));

/** @type {[string, string, string][]} */
const PARTS = [["running_ns", "running", "Running"], ["runnable_ns", "runnable", "Runnable"], ["sleeping_ns", "sleeping", "Sleeping"],
  ["uninterruptible_ns", "uninterruptible", "Uninterruptible"], ["io_ns", "io", "Waiting for I/O"], ["other_ns", "unknown", "Other"]];

/** The time in each state, as a bar and in words. @param {any} states @param {boolean} [words] */
export function stateBar(states, words = true) {
  const parts = PARTS.filter(([key]) => states[key] > 0);
  const total = parts.reduce((sum, [key]) => sum + states[key], 0) || 1;
  const bar = el("div", {class: "state-bar", role: "img", "aria-label": parts.map(([key, , text]) => `${text} ${time(states[key])}`).join(", ") || "No states",
    title: parts.map(([key, , text]) => `${text} ${time(states[key])}`).join("\n")});
  for (const [key, colour] of parts) {
    const part = el("span", {class: `s-${colour}`});
    part.style.flexGrow = String(states[key] / total);
    bar.append(part);
  }
  if (!words) return bar;
  return el("div", {}, bar, el("ul", {class: "legend"}, ...parts.map(([key, colour, text]) => el("li", {}, el("i", {class: `s-${colour}`}), `${text} `,
    el("b", {}, time(states[key])), ` ${percent(states[key] / total)}`))));
}

/** A frame lasts until it is drawn, which is longer than its slice. @param {{dur: number, missed: number}} frame */
const frameText = ({dur, missed}) => `${time(dur)} until drawn${missed ? `, ${plural(missed, "vsync")} missed` : ""}`;

/** The text of the panel, line by line. @param {HTMLElement} element */
function asText(element) {
  const texts = (/** @type {string} */ query) => [...element.querySelectorAll(query)].map(({textContent}) => textContent ?? "");
  const keys = texts("dt"), values = texts("dd"), callers = texts(".chain .link");
  return [element.querySelector("h2")?.title, ...keys.map((key, at) => `${key}: ${values[at]}`), ...(callers.length ? [`Called by: ${callers.join(" > ")}`] : [])].join("\n");
}

/** @param {any} slice */
const place = ({file, line}) => line > 0 ? `${file}:${line}` : file;

/**
 * @param {HTMLElement} element @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {Context} context
 */
export function mountDetails(element, store, source, context) {
  element.classList.add("details");
  element.tabIndex = 0;
  counterActions(store, context);
  /** @type {AbortController | null} */
  let abort = null;
  /** What was shown last. */
  let shown = "";

  /** @param {string} title @param {...Node} actions */
  const head = (title, ...actions) => el("div", {class: "details-head"}, el("h2", {title: elide(title, 2000), "data-testid": "details-name"}, oneLine(elide(title, 400)) || "(no name)"), ...actions);
  /** @param {string} text @param {() => void} onclick @param {string} [symbol] @param {string} [testid] */
  const action = (text, onclick, symbol, testid) => el("button", {type: "button", class: "button", onclick, "data-testid": testid}, symbol && icon(symbol), text);

  /** The button that explains a wait. */
  const whyButton = () => {
    const question = context.meta.has?.states ? questionOf(store.get().selection, context.rows) : null;
    return question ? [action("Why did it wait?", () => store.set({why: question, panel: "why", chosen: true}), undefined, "why")] : [];
  };

  /** Adds links to the other ends of the selection's arrows. @param {import("app/state").Selection} selection */
  async function connect(selection) {
    if (!selection || !("row" in selection) || (selection.kind !== "slice" && selection.kind !== "state")) return;
    const question = selection.kind === "slice" ? {slice: selection.id} : {utid: context.rows.utid[selection.row], ts: selection.ts};
    const {flows = []} = await source.ask({op: "flows", ...question}).catch(() => ({}));
    const made = connections(flows, selection.row, store, context);
    if (made && store.get().selection === selection) element.querySelector(".details-body")?.append(made);
  }

  /** @param {any} slice */
  function showSlice(slice) {
    const owner = ownerRow(slice.label, context.rows);
    const {states, parents = [], children, occurrences, thread, process, args = [], repairs = []} = slice;
    const copies = [...(slice.states && (slice.states.sleeping_ns || slice.states.uninterruptible_ns || slice.states.io_ns || slice.states.runnable_ns) ? whyButton() : []), action("Copy as text", () => copy(asText(element), "Text"), "copy", "copy-text"), action("JSON", () => copy(JSON.stringify(slice, null, 2), "JSON"), "copy", "copy-json")];
    const call = (/** @type {any} */ {id, label, dur}) => el("li", {}, nameLink(label, () => context.goTo(id)), el("span", {class: "num"}, dur < 0 ? "never ended" : time(dur)));
    element.replaceChildren(head(slice.label, ...copies), el("div", {class: "details-body"},
      block("Time", list([
        ["Duration", el("b", {}, time(slice.shown_ns), slice.never_ended && " – never ended in this trace, so at least this long")], ["Frame", slice.frame && frameText(slice.frame)],
        ["Self", own(slice.self_ns, slice.shown_ns)], ["CPU", slice.cpu_ns != null && own(slice.cpu_ns, slice.shown_ns)],
        ["CPU self", slice.cpu_self_ns != null && time(slice.cpu_self_ns)], ["Of its caller", slice.share_of_parent != null && percent(slice.share_of_parent)],
        ["Of its thread", thread && slice.share_of_thread != null && percent(slice.share_of_thread)], ["Start", exact(slice.ts)], ["End", !slice.never_ended && exact(slice.end)],
        // The expected and the actual slice of a frame have the same name. Their sum means nothing.
        ["All calls", occurrences && occurrences.count > 0 && !isFrameTimeline(context.rows.names[slice.row]) && link(`${count(occurrences.count)} × · ${time(occurrences.total_ns)}`,
          () => store.set({selection: {kind: "name", name: slice.name}}), "all-calls")]])),
      block("What", list([
        ["Class", slice.class], ["Method", slice.class && slice.method], ["Signature", slice.signature], ["Source", slice.file && place(slice)], ["Category", slice.category],
        ["Thread", thread && link(`${thread.label}${thread.tid != null ? ` · ${thread.tid}` : ""}`, () => context.showRow(slice.row))], ["Process", process && [process.label, process.pid].filter(text => text != null && text !== "").join(" · ")],
        ["Lock held by", owner >= 0 && link(context.rows.names[owner], () => context.showRow(owner), "owner")],
        ["File", context.meta.sources.length > 1 && (context.meta.sources[slice.source]?.name ?? slice.source)],
        ...repairs.map((/** @type {string} */ text) => /** @type {[string, string]} */ (["Repair", text]))]),
      args.length > 0 && el("h3", {class: "sub"}, "Arguments"), args.length > 0 && list(args.map((/** @type {any} */ [key, value]) => [key, elide(String(value), 2000)]))),
      states && sum(states) > 0 && block("Thread state", stateBar(states), states.blocked?.length > 0 && el("ul", {class: "calls"}, ...states.blocked.map((/** @type {any} */ {text, colour, ns}) =>
        el("li", {}, el("span", {}, el("i", {class: `state-dot s-${colour}`}), text), el("span", {class: "num"}, time(ns)))))),
      parents.length > 0 && block("Called by", el("ol", {class: "calls chain"}, slice.parents_hidden > 0 && el("li", {class: "quiet"}, `${plural(slice.parents_hidden, "more caller")} above`), ...parents.map(call))),
      children?.count > 0 && block(`Calls ${count(children.count)}`, el("ul", {class: "calls"}, ...children.top.map((/** @type {any} */ {label, count: times, total_ns, name}) =>
        el("li", {}, nameLink(label, () => store.set({selection: {kind: "name", name}})), el("span", {class: "num"}, `${times > 1 ? `${count(times)} × ` : ""}${time(total_ns)}`)))))));
  }

  /** The rank of a name in the profile, by the profile's clock. A report of a huge trace computes ranks only with the profile. @param {number} name */
  async function rank(name) {
    if (!source.live && context.meta.counts.slices > QUICK) return;
    const {clock} = store.get().profile ?? {};
    const {rank, clock: by} = await source.ask({op: "ranks", ...(clock && {clock})});
    const {selection} = store.get(), line = element.querySelector("[data-testid=all-calls]");
    const text = CLOCKS.find(([id]) => id === by)?.[2].replace(/^R/, "r");
    if (line && rank[name] !== NONE && selection?.kind === "slice" && selection.name === name) line.append(` · rank ${count(rank[name])} by ${text}`);
  }

  const sum = (/** @type {any} */ states) => PARTS.reduce((sum, [key]) => sum + (states[key] ?? 0), 0);
  const own = (/** @type {number} */ ns, /** @type {number} */ dur) => ns == null ? null : `${time(ns)}${dur > 0 ? ` · ${percent(ns / dur)}` : ""}`;

  /** @param {any} same @param {string} label */
  function showName(same, label) {
    element.replaceChildren(head(label), el("div", {class: "details-body"}, block("All its calls", list([["Calls", count(same.count)], ["Total", time(same.total_ns)], ["Self", time(same.self_ns)],
      ["Unfinished", same.unfinished > 0 && `${time(same.unfinished_ns)} in ${plural(same.unfinished, "slice")} that never ended`], ...(same.unfinished === same.count ? [] : ended(same))])),
    block("Longest calls", el("ul", {class: "calls"}, ...longest(same).map(at => el("li", {}, link(withTid(context.rows, same.row[at]), () => context.goTo(same.slice[at])), el("span", {class: "num"}, `${same.dur[at] < 0 ? "never ended," : time(same.dur[at])} at ${moment(same.ts[at], 1000)}`)))))));
  }
  /** The durations of the slices that ended. @param {any} same @returns {[string, string][]} */
  const ended = same => [["Shortest", time(same.min_ns)], ["Median", time(same.median_ns)], ["95 %", time(same.p95_ns)], ["Longest", time(same.max_ns)]];
  /** @param {any} same @returns {number[]} */
  const longest = same => Array.from(same.dur, (_, at) => at).sort((a, b) => same.dur[b] - same.dur[a]).slice(0, 12);

  /** @param {any} found the answer to `at` @param {any} selection */
  function showPoint(found, {kind, row, ts}) {
    const title = {state: STATES[found.state] ?? found.label, sched: found.thread?.label ?? "Running", counter: context.rows.names[row], instant: found.label, event: found.label}[/** @type {"state"} */ (kind)];
    const who = (/** @type {any} */ thread) => thread && (thread.row < context.rows.id.length ? link(withTid(context.rows, thread.row, thread.label), () => context.showRow(thread.row)) : thread.label);
    const near = (/** @type {any} */ point) => point && `${amount(point.value)} at ${moment(point.ts, 1000)}`;
    element.replaceChildren(head(String(title ?? kind), ...(kind === "state" ? whyButton() : [])), el("div", {class: "details-body"}, block(withTid(context.rows, row), list([
      ["Value", found.value != null && `${amount(found.value)} ${found.unit ?? ""}`], ["Before", near(found.previous)], ["After", near(found.next)], ["Start", exact(found.ts ?? ts)],
      ["Duration", found.dur != null && (found.dur < 0 ? "until the end of the trace" : time(found.dur))], ["CPU", found.cpu != null && found.cpu < 4096 && String(found.cpu)],
      ["Wait", found.why], ["Blocked in", found.blocked_function], ["Waits for I/O", found.io_wait && "yes"], ["Woken by", who(found.waker)], ["Ended by", who(found.ended_by)], ["Thread", (kind === "sched" || kind === "event") && who(found.thread)],
      ["Process", (kind === "sched" || kind === "event") && (found.process?.label ?? found.process)], ["Priority", found.priority != null && String(found.priority)], ["Repair", found.inferred && "the switch to it was not recorded: its start follows from other events"], ["State", found.letters], ["Left as", found.end_letters],
      ...(found.args ?? []).map((/** @type {any} */ [key, value]) => [key, elide(String(value), 2000)])])), kind === "counter" && counterRow(store, context, row)));
  }

  /** @param {Awaited<ReturnType<typeof markDetails>>} mark */
  function showMark({title, text, facts, row, stack}) {
    element.replaceChildren(head(title), el("div", {class: "details-body"}, block("What", Boolean(text) && el("p", {class: "log-text", "data-testid": "log-text"}, elide(text ?? "", 5000)),
      list([...facts.map(([key, value]) => /** @type {[string, string]} */ ([key, String(value)])), ["Thread", row >= 0 && link(withTid(context.rows, row), () => context.showRow(row))]])),
    stack.length > 0 && block("Stack", stackList(stack))));
  }

  /** Shown if nothing is selected. */
  function hint() {
    element.replaceChildren(el("p", {class: "panel-hint"}, "Click a call to see its details. Drag over the timeline to add up a range. ", el("kbd", {}, "?"), " lists the keys."));
  }

  async function follow() {
    const {selection} = store.get();
    abort?.abort();
    if (!selection) return hint();
    if (selection.kind === "range") {
      return element.replaceChildren(head(span(selection.from, selection.to), action("What ran here", () => store.set({panel: "range"}))));
    }
    const mine = abort = new AbortController(), options = {signal: mine.signal, priority: 1};
    element.setAttribute("aria-busy", "true");
    try {
      if (selection.kind === "slice") {
        showSlice(await source.ask({op: "slice", id: selection.id}, options));
        rank(selection.name).catch(() => {});
        connect(selection);
        const sum = await sumOfSlices(store, source, context);
        if (mine === abort && sum) element.querySelector(".details-body")?.prepend(sum);
      } else if (selection.kind === "name") {
        const [same, {names}] = await Promise.all([source.ask({op: "same", name: selection.name}, options), source.ask({op: "names", ids: [selection.name]}, options)]);
        showName(same, names[0]);
      } else if (selection.kind === "log" || selection.kind === "sample") {
        const mark = await markDetails(source, context.rows, selection);
        if (mine === abort) showMark(mark);
      } else showPoint(await source.ask({op: "at", row: selection.row, ts: selection.ts, what: selection.kind, ...(selection.id !== undefined && {id: selection.id})}, options), selection);
      if (selection.kind === "state") connect(selection);
      latencyOf(source, context, store).then(part => { if (part && mine === abort && store.get().selection === selection) element.querySelector(".details-body")?.append(part); }, () => {});
      // The scroll position is kept if a newer snapshot has the same slice.
      const what = JSON.stringify([selection.kind, "ts" in selection && selection.ts, "level" in selection && selection.level]);
      if (what !== shown) element.scrollTop = 0;
      shown = what;
    } catch (error) {
      if (!isAbort(error)) element.replaceChildren(el("p", {class: "panel-hint bad"}, error instanceof Error ? error.message : String(error)));
    } finally {
      if (mine === abort) element.removeAttribute("aria-busy");
    }
  }

  store.on(["selection"], follow);
  follow();
}
