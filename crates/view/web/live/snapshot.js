// Moves from one snapshot of a recording to the next: matches rows, and fetches what the screen needs first.
import {rowModel} from "timeline/rows";
import {tileCache} from "timeline/tiles";

/** The number of rows requested above and below those on the screen. */
const AROUND = 5;
const MOST_ROWS = 400;

/** Keys of rows that are the same in every snapshot. Indices and ids differ between snapshots. @param {any} rows @returns {string[]} */
export function keysOf({kind, cpu, parent, names, notes}) {
  /** @type {string[]} */
  const keys = [];
  const seen = new Map();
  for (let row = 0; row < kind.length; row++) {
    // Names may change, numbers do not.
    const own = /^[pt]id \d+/.exec(notes[row])?.[0] ?? names[row];
    const key = `${kind[row]}/${cpu[row]}/${own}/${parent[row] < row ? keys[parent[row]] : ""}`;
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    keys.push(nth ? `${key}#${nth}` : key);
  }
  return keys;
}

/** The index of each row in another snapshot, or -1. @param {string[]} from @param {string[]} to */
export function mapping(from, to) {
  const places = new Map(to.map((key, row) => [key, row]));
  return from.map(key => places.get(key) ?? -1);
}

/** @param {{busy: () => boolean}} tiles */
async function idle(tiles) {
  while (tiles.busy()) await new Promise(resolve => setTimeout(resolve, 8));
}

/**
 * Fetches the part of a snapshot that the screen will show.
 * @param {object} of
 * @param {import("app/state").Store} of.store
 * @param {import("timeline/timeline").Timeline} of.timeline
 * @param {import("app/panels").Source} of.source
 * @param {number} of.snapshot
 * @param {any} of.rows its rows
 * @param {number[]} of.to the indices among them of the rows that are shown now
 * @param {number} of.end ns
 * @param {number[]} of.range the range that will be shown, ns
 * @param {boolean} of.opens whether the page still chooses the rows: the busy ones come first, and no row keeps its place
 * @returns {Promise<{adopt: () => void} | null>} `adopt` replaces what is shown; null if the snapshot no longer exists
 */
export async function prefetch({store, timeline, source, snapshot, rows, to, end, range: [from, until], opens}) {
  const {model, tiles, strip} = timeline, isSame = to.length === rows.id.length && to.every((row, at) => row === at);
  /** The rows as the user arranged them. */
  const carried = () => {
    const {flipped, pinned, hidden, deep, filter} = store.get().rows;
    const kept = (/** @type {Iterable<number>} */ ids) => [...ids].map(id => to[id]).filter(row => row >= 0);
    // Folded rows stay folded, whatever the default in the newer snapshot.
    const turned = opens && !flipped.size ? [] : [...flipped].filter(id => to[id] >= 0 && model.folded(id) !== ((rows.flags[to[id]] & 2) !== 0)).map(id => to[id]);
    return {flipped: new Set(turned), pinned: kept(pinned), hidden: new Set(kept(hidden)), deep: new Set(kept(deep)), filter};
  };
  /** @type {import("app/state").State["rows"] | null} */
  let waiting = isSame && !opens ? null : carried();
  const next = rowModel(rows, {...store, get: () => waiting ? {...store.get(), rows: waiting} : store.get()});
  next.refresh();
  const [first, ...others] = opens ? [] : timeline.placed().map(({row}) => row).filter(row => !model.isPinned(row) && to[row] >= 0);
  const place = Math.max(0, next.placeOf(to[first] ?? -1)), {list} = next.main();
  const wanted = [...next.pinned().list, ...list.slice(Math.max(0, place - AROUND), place + (opens ? timeline.placed() : others).length + 4 * AROUND)].filter(next.draws).slice(0, MOST_ROWS);
  const fresh = tileCache({...source, ask: (question, options) => source.ask(question, {...options, snapshot})}, end, timeline.redraw, () => {});
  const px = (until - from) / Math.max(1, timeline.width());
  fresh.need(wanted, from, until, px, next.lanes);
  await idle(fresh);
  const found = /** @type {any[]} */ ([null, null]);
  for (const row of wanted) {
    fresh.find(row, from, until, px, found);
    if (!found[0]) return null;
  }
  const {s_name = [], i_name = [], e_name = []} = found[0]?.batch.data ?? {};
  for (const name of new Set([...s_name, ...i_name, ...e_name])) fresh.nameOf(name);
  fresh.askNames();
  await idle(fresh);
  return {adopt() {
    // Includes changes that the user made to the rows meanwhile.
    const top = first === undefined ? 0 : model.main().tops[model.placeOf(first)];
    if (waiting) waiting = carried();
    const state = waiting;
    waiting = null;
    Object.assign(model, next);
    Object.assign(tiles, fresh);
    if (state) store.set({rows: state, counters: Object.fromEntries(Object.entries(store.get().counters).flatMap(([id, setting]) => to[Number(id)] >= 0 ? [[to[Number(id)], {...setting, also: setting.also.map(one => to[one]).filter(one => one >= 0)}]] : []))});
    else model.refresh();
    strip.renew(rows);
    const now = first === undefined ? 0 : model.main().tops[model.placeOf(to[first])];
    if (opens) timeline.scrollTo(0);
    else if (now - top) timeline.scrollTo(store.get().top + now - top);
  }};
}
