// Follows a running recording: the page moves from snapshot to snapshot, at the right edge until the user looks elsewhere. Only pages of
// a server have this module.
import {addActions} from "app/actions";
import {el, iconButton} from "ui/dom";
import {bytes, count} from "ui/format";
import {isAbort} from "source/source";
import {request} from "source/server";
import {keysOf, mapping, prefetch} from "live/snapshot";

/** The interval between status requests, ms. */
const LOOK_MS = 250;
/** The interval while the user looks at something else, ms. */
const CALM_MS = 2000;
/** The initially visible part of the recording, ns. */
const SPAN_NS = 5e9;
/** The time after the page has opened in which the busiest rows move to the top, unless the user has done something, ms. */
const OPENING_MS = 6000;
/** The period over which the event rate is measured, ms. */
const RATE_MS = 1000;

const hook = /** @type {any} */ (globalThis).traceloom;
const sleep = (/** @type {number} */ ms) => new Promise(resolve => setTimeout(resolve, ms));

/** Shows the result of the recording. @param {string} said */
function tell(said) {
  const banner = el("div", {class: "banner said", role: "status", "data-testid": "said"}, el("span", {}, said), iconButton("close", "Dismiss", () => banner.remove()));
  document.querySelector(".main")?.before(banner);
}

/** @typedef {{state: "recording" | "saving" | "ended" | "failed", said: string, snapshot: number, ms: number, events: number, lost: number, bytes: number, held_ns: number | null}} News */

/** The controls in the top bar. @param {() => void} follow @param {() => void} stop */
function badge(follow, stop) {
  const word = el("b", {"aria-live": "polite"}, "Live"), rate = el("span", {class: "live-rate", "data-testid": "live-rate"}), held = el("span", {class: "live-held", "data-testid": "live-held"});
  const lost = el("span", {class: "live-lost", hidden: true, role: "status", title: "The kernel's buffer was full. Enlarge it with --buf-size", "data-testid": "live-lost"});
  const following = el("button", {type: "button", class: "button", title: "Follow the recording (L)", onclick: follow, "data-testid": "live-follow"}, "Follow");
  const stopping = el("button", {type: "button", class: "button live-stop", title: "End the recording and save it", onclick: stop, "data-testid": "live-stop"}, "Stop");
  const element = el("div", {class: "live", "data-testid": "live"}, el("i", {"aria-hidden": "true"}), word, rate, held, lost, following, stopping);
  document.querySelector(".top .search")?.before(element);
  /** @type {News[]} the statuses of the last second, oldest first */
  let past = [];
  return {
    /** @param {boolean} on */
    follows(on) { following.setAttribute("aria-pressed", String(on)); },
    /** @param {News} news */
    show(news) {
      past = [...past.filter(({ms}) => news.ms - ms <= RATE_MS), news];
      const {ms, events} = past[0], since = (news.ms - ms) / 1000, seconds = news.ms / 1000;
      if (since > 0) rate.textContent = `${count(Math.round((news.events - events) / since))} events/s`;
      const all = seconds < 60 ? `${seconds.toFixed(0)} s` : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")} min`;
      const shown = (news.held_ns ?? 0) / 1e9, less = shown > 0 && shown < seconds - 2;
      held.textContent = `${less ? `last ${shown.toFixed(shown < 10 ? 1 : 0)} s of ${all}` : all} · ${bytes(news.bytes)}`;
      lost.hidden = !news.lost;
      lost.textContent = `${count(news.lost)} lost`;
      if (news.state !== "recording") this.over("Saving…");
    },
    /** The recording is over. @param {string} text */
    over(text) {
      element.classList.add("over");
      word.textContent = text;
      following.hidden = stopping.hidden = true;
    },
  };
}

function watch() {
  const {store, parts} = hook, {opened, source, timeline, context, search, link} = parts, {view} = timeline;
  let following = true, span = SPAN_NS, last = 0, keys = keysOf(context.rows);
  /** Whether this module is changing the view or the selection. */
  let own = false;
  /** Until this time, the page chooses the rows that are shown. */
  let opening = performance.now() + OPENING_MS;
  const opens = () => performance.now() < opening && following && store.get().top === 0 && !store.get().selection && !store.get().rows.filter;

  /** @param {() => void} change */
  function ourselves(change) {
    own = true;
    change();
    own = false;
  }

  /** The snapshot's time range, extended to the visible range if that is longer. @param {any} meta @returns {[number, number]} */
  const extent = ({start_ns, duration_ns}) => {
    const end = Math.max(duration_ns, span);
    return [Math.max(0, Math.min(start_ns, end - span)), end];
  };
  const toEdge = () => ourselves(() => view.set(view.end - span, view.end));

  /** @param {boolean} on */
  function follow(on) {
    if (on) {
      const {from, to} = view.goal();
      span = Math.min(to - from, view.end - view.start);
      last = 0;
      toEdge();
    }
    following = on;
    bar.follows(on);
  }

  const bar = badge(() => follow(!following), async () => {
    try { await request("/stop", {method: "POST"}); } catch (error) { bar.over(String(error)); }
  });
  // The user has folded, pinned or hidden a row, or changed something else: rows stay where they are from now on.
  store.on(["rows", "selection", "top"], () => { if (!own) opening = 0; });
  store.on(["view", "selection"], () => { if (!own && following) follow(false); });
  addActions({group: "Move", keys: ["l", "L"], what: "stay at the newest, or stop following", run: () => follow(!following)});

  /** The same selection in another snapshot, if it is still there. @param {number[]} to the rows there @param {number} shift ns @param {any} options */
  async function carried(to, shift, options) {
    const {selection} = store.get();
    if (!selection) return null;
    if (selection.kind === "range") {
      const rows = selection.rows?.map((/** @type {number} */ row) => to[row]).filter((/** @type {number} */ row) => row >= 0);
      return {...selection, from: selection.from + shift, to: selection.to + shift, ...(rows && {rows})};
    }
    if (selection.kind === "name") {
      const text = timeline.tiles.names.get(selection.name);
      const {names} = await source.ask({op: "find", text: text ?? "", mode: "exact", limit: 1}, options);
      return text && names.length ? {...selection, name: names[0]} : null;
    }
    const row = to[selection.row], ts = selection.ts + shift;
    if (!(row >= 0)) return null;
    if (selection.kind !== "slice") return {...selection, row, ts, ...(selection.end !== undefined && {end: selection.end + shift})};
    const found = await source.ask({op: "window", rows: [row], from: ts, to: ts + 1, px_ns: 1}, options);
    /** @param {boolean} level whether the level must be the same */
    const find = level => found.s_ts.findIndex((/** @type {number} */ start, /** @type {number} */ at) => start === ts && (!level || found.s_level[at] === selection.level));
    // The slices around it may be missing in this snapshot.
    const same = find(true), at = same < 0 ? find(false) : same;
    return at < 0 ? null : {...selection, more: undefined, row, ts, id: found.s_id[at], end: found.s_end[at], level: found.s_level[at], name: found.s_name[at]};
  }

  /** Switches to a snapshot. First fetches everything that the screen needs, and then replaces it at once. @param {number} snapshot */
  async function go(snapshot) {
    const options = {snapshot, priority: 1};
    const [meta, rows] = await Promise.all([source.ask({op: "meta"}, options), source.ask({op: "rows"}, options)]);
    const newKeys = keysOf(rows), to = mapping(keys, newKeys), [start, end] = extent(meta);
    const next = await prefetch({store, timeline, source, snapshot, rows, to, end, range: following ? [end - span, end] : [view.goal().from, view.goal().to], opens: opens()});
    if (!next) return;
    const selection = await carried(to, 0, options);
    keys = newKeys;
    opened.snapshot = snapshot;
    Object.assign(context, {meta, rows});
    view.extend(start, end);
    ourselves(next.adopt);
    ourselves(() => { if (selection || store.get().selection) store.set({selection}); });
    if (following) toEdge();
    if (store.get().search.text && !store.get().search.text.startsWith("/")) search.run();
    timeline.redraw();
    last = performance.now();
  }

  /** Replaces the snapshots by the whole trace: reloads the page with the same view. */
  async function whole() {
    const before = context.meta;
    opened.snapshot = undefined;
    const [meta, rows] = await Promise.all([source.ask({op: "meta"}), source.ask({op: "rows"})]);
    const shift = Number(BigInt(before.origin_ns) - BigInt(meta.origin_ns)), to = mapping(keys, keysOf(rows)), end = Math.max(meta.duration_ns, 1000);
    const {view: {from, to: until}, marks, ranges, rows: {filter, pinned, hidden}} = store.get();
    const kept = (/** @type {Iterable<number>} */ ids) => [...ids].map(id => to[id]).filter(row => row >= 0);
    store.set({
      view: following ? {from: 0, to: end} : {from: Math.max(0, from + shift), to: Math.min(end, until + shift)},
      selection: await carried(to, shift, {}),
      marks: marks.map((/** @type {any} */ mark) => ({...mark, ts: mark.ts + shift})),
      ranges: ranges.map((/** @type {import("app/state").Saved} */ {rows, ...range}) => ({...range, from: range.from + shift, to: range.to + shift})),
      rows: {flipped: new Set(), deep: new Set(), pinned: kept(pinned), hidden: new Set(kept(hidden)), filter},
    });
    history.replaceState(history.state, "", `#${link.text(end)}`);
    location.reload();
  }

  async function look() {
    for (;; await sleep(LOOK_MS)) {
      const wants = !document.hidden && performance.now() - last > (following ? 0 : CALM_MS);
      /** @type {News} */
      const news = await (await request(wants ? `/live?want_after=${opened.snapshot}` : "/live")).json();
      bar.show(news);
      if (news.state === "ended") return whole();
      if (news.state === "failed") {
        bar.over("Not saved");
        return tell(news.said);
      }
      try {
        if (wants && news.snapshot > opened.snapshot) await go(news.snapshot);
      } catch (error) {
        if (!isAbort(error)) throw error;
      }
    }
  }

  view.extend(...extent(context.meta));
  toEdge();
  bar.follows(true);
  look().catch(() => {
    bar.over("Ended");
    tell("traceloom is gone: this is the last that came of the recording.");
  });
}

hook.ready.then(() => {
  const {said, snapshot} = hook.parts.opened;
  if (said) tell(said);
  if (snapshot) watch();
}, () => {});
