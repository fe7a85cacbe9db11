// Starts the page.
import {openSource} from "source/open";
import {el} from "ui/dom";
import {bytes} from "ui/format";
import {startDrop} from "app/drop";
import {watchServer} from "app/gone";
import {showHelp} from "app/help";
import {createHistory} from "app/history";
import {showInfo} from "app/info";
import {startKeys} from "app/keys";
import {layout} from "app/layout";
import {startCommands} from "app/commands";
import {startLink} from "app/link";
import {openingOf} from "app/opening";
import {flatSource, panels} from "app/panels";
import {lossBanner} from "app/repairs";
import {startSettings} from "app/settings";
import {createStore, firstState} from "app/state";
import {startTheme} from "app/theme";
import {addUnits} from "timeline/counters";
import {createTimeline} from "timeline/timeline";
import {searchBox} from "timeline/search";
import {selecting} from "timeline/select";
import {mountDetails} from "panels/details";
import {mountFrames} from "panels/frames";
import {mountRange} from "panels/range";
import {showTracks} from "query/tracks";
import "panels/all";

const store = createStore(firstState());
const stats = {/** @type {number[]} how long each frame took, ms */ frames: [], /** questions without an answer yet */ asking: 0};
/** @type {(begun: Promise<void>) => void} */
let begin = () => {};
/** For tests and measurements, which may look at it before the page has begun. */
const hook = /** @type {any} */ (globalThis).traceloom = {store, stats, ready: new Promise(done => { begin = done; }), /** @type {any} the parts, for tests and for `live/live.js` */ parts: null, source: /** @type {any} */ (null), timeline: /** @type {any} */ (null)};
const app = /** @type {HTMLElement} */ (document.getElementById("app"));
let redraw = () => {};

/** @param {string} title @param {string} text @param {Node} [more] */
function say(title, text, more) {
  const state = el("div", {class: "state", role: "status", "data-testid": "state"}, el("strong", {}, title), text);
  if (more) state.append(more);
  app.replaceChildren(state);
}

/** The source, with its open questions counted. */
function countedSource() {
  const opened = openSource(), {ask} = opened;
  opened.ask = (question, options) => {
    stats.asking++;
    return ask(question, options).finally(() => stats.asking--);
  };
  return opened;
}

async function start() {
  const opened = countedSource();
  const progress = el("progress", {"aria-label": "Read so far"});
  startTheme(store, flatSource(opened), () => redraw());
  startDrop(opened);
  let opening = true;
  await opened.ready(({done, total, recorded}) => {
    if (recorded) return say("Recording…", "The page shows the trace as soon as there are events.");
    if (opening) say("Opening the trace…", total ? `${bytes(done)} of ${bytes(total)}` : bytes(done), progress);
    if (total) { progress.max = total; progress.value = done; }
  });
  opening = false;
  const source = flatSource(opened);
  const [meta, rows] = await Promise.all([source.ask({op: "meta"}), source.ask({op: "rows"})]);
  const end = Math.max(meta.duration_ns, 1000);
  addUnits(rows);
  // A recording has a profile and frames only after it has ended.
  if (opened.snapshot) panels.length = 2;
  const link = startLink(store, end, opened.snapshot ? {panel: "details", profile: {}} : openingOf(meta, rows));
  const timeline = createTimeline(store, source, meta, rows, stats);
  redraw = timeline.redraw;
  const select = selecting(store, source, timeline);
  const {view} = timeline;
  const settings = startSettings(store);
  const context = {meta, rows, goTo: select.goTo, showRow: timeline.showRow, zoomTo: (/** @type {number} */ from, /** @type {number} */ to) => view.fit(from, to, 0)};
  showTracks(store, timeline);
  for (const {start, when} of panels) if (!when || when(meta)) start?.(store, source, context);
  const search = searchBox(store, source, context, () => timeline.area.focus());
  const steps = createHistory(store, timeline.scrollTo);
  layout(store, source, context, {steps: steps.element, search: search.element, banner: opened.snapshot ? null : lossBanner(store, context), timeline: timeline.element,
    actions: {help: showHelp, settings, info: () => showInfo(store, context), all: () => view.set(view.start, view.end)}});
  app.append(select.element);
  // A recording's own bar says that it has ended.
  if (source.live && !opened.snapshot) watchServer(context, /** @type {HTMLElement} */ (app.querySelector("main")));
  Object.assign(hook, {source, timeline, parts: {opened, source, timeline, context, search, link}});
  startKeys(store, timeline, select, {help: showHelp, focusSearch: search.focus, searchStep: search.step});
  startCommands(store, context, search, {info: () => showInfo(store, context)});
  const follow = (/** @type {number[] | null} */ slices) => {
    if (slices?.length) restore(slices);
    if (store.get().search.text) search.run();
  };
  /** Selects slices without changing the view that the link set. @param {number[]} ids */
  async function restore(ids) {
    const {view: before, top} = store.get();
    await select.goToAll(ids);
    store.set({view: before});
    timeline.scrollTo(top);
  }
  follow(link.slice);
  // The ids of a snapshot are valid only in it, so links do not contain them.
  if (!opened.snapshot) link.follow(follow);
  await timeline.first;
  // A recording that is being followed moves by itself.
  if (!opened.snapshot) steps.start();
  opened.pictured?.();
  if (!opened.loaded) return;
  // A report shows its preview before the trace is loaded, and may turn out to be damaged after that.
  progress.className = "loading";
  app.append(progress);
  opened.loaded.then(() => progress.remove(), refuse);
}

/** @param {unknown} error */
function refuse(error) {
  say("This trace cannot be shown", error instanceof Error ? error.message : String(error));
}

panels.unshift({id: "details", title: "Details", mount: mountDetails}, {id: "range", title: "Range", mount: mountRange},
  {id: "frames", title: "Frames", mount: mountFrames, when: meta => meta.has?.frames});

begin(start());
hook.ready.catch(refuse);
