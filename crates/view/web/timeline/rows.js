// The row model: folding, pinning, hiding and filtering decide which rows are shown, in which order and how high.

import {settingOf} from "timeline/counters";

export const KIND = {group: 0, process: 1, thread: 2, cpu: 3, counter: 4, async: 5, frames: 6, irq: 7, instants: 8, log: 9};
export const LANE = 18;
const STRIP = 6;
/** The height of the strip of events, px. */
const EVENTS = 9;
const NONE = 0xffffffff;
/** The maximum number of levels shown in a row, until the user shows all levels. */
export const DEEP = 48;
const LOW = 24;

/**
 * The rows in the order to show, with the top of each.
 * @typedef {{list: number[], tops: Float64Array, height: number}} Stack
 */
/** @typedef {ReturnType<typeof rowModel>} RowModel */

/** The rows in their order, with the frame timelines of a process next to its frames. @param {any} rows @returns {number[]} */
function ordered({kind, names, parent}) {
  const all = /** @type {number[]} */ (Array.from(kind, (_, row) => row));
  const isTimeline = (/** @type {number} */ row) => kind[row] === KIND.async && isFrameTimeline(names[row]);
  const moved = all.filter(isTimeline), after = new Map();
  if (!moved.length) return all;
  for (const row of moved) {
    let place = parent[row];
    while (kind[place + 1] === KIND.frames) place++;
    after.set(place, [...after.get(place) ?? [], row]);
  }
  return all.flatMap(row => isTimeline(row) && parent[row] < row ? [] : [row, ...after.get(row) ?? []]);
}

/** The number of a row's thread, or NaN. @param {any} rows @param {number} row */
export const tidOf = ({kind, notes}, row) => kind[row] === KIND.thread ? Number(/^tid (\d+)/.exec(notes[row] ?? "")?.[1] ?? NaN) : NaN;

/** A name with the number of its thread, which tells threads of the same name apart: `RenderThread (7684)`. @param {any} rows @param {number} row @param {string} [name] */
export function withTid(rows, row, name = rows.names[row] ?? "") {
  const tid = tidOf(rows, row);
  return tid >= 0 ? `${name} (${tid})` : name;
}

/** The row of a thread, or -1. @param {any} rows @param {number} utid */
export const threadRow = ({kind, utid: utids}, utid) => kind.findIndex((/** @type {number} */ own, /** @type {number} */ row) => own === KIND.thread && utids[row] === utid);

/** Whether a row is of Android's frame timeline. @param {string} name */
export const isFrameTimeline = name => name === "Expected Timeline" || name === "Actual Timeline";

/**
 * @param {any} rows the engine's answer to `rows`
 * @param {import("app/state").Store} store
 */
export function rowModel(rows, store) {
  const {id, parent, kind, levels, flags, utid, busy, names, notes} = rows;
  const total = id.length, order = ordered(rows);
  const byId = new Map(Array.from(id, (value, row) => [value, row]));
  const depth = new Uint8Array(total);
  const parents = new Uint8Array(total);
  for (let row = 0; row < total; row++) {
    const up = parent[row];
    if (up === NONE || up >= row) continue;
    depth[row] = Math.min(6, depth[up] + 1);
    parents[up] = 1;
  }
  /** @type {Map<number, string>} */
  const threads = new Map();
  for (let row = 0; row < total; row++) if (kind[row] === KIND.thread) threads.set(utid[row], names[row]);
  /** @type {Stack} */
  let main = {list: [], tops: new Float64Array(1), height: 0};
  /** @type {Stack} */
  let pinned = main;
  let shownAt = new Int32Array(total);

  const state = () => store.get().rows;
  const isParent = (/** @type {number} */ row) => parents[row] === 1;
  const isHead = (/** @type {number} */ row) => kind[row] <= KIND.process;
  const foldable = (/** @type {number} */ row) => isParent(row) || levels[row] > 1 || kind[row] === KIND.counter;
  const folded = (/** @type {number} */ row) => foldable(row) && ((flags[row] & 2) !== 0) !== state().flipped.has(id[row]);
  const lanes = (/** @type {number} */ row) => isHead(row) ? Math.min(6, levels[row]) : folded(row) ? Math.min(1, levels[row])
    : state().deep.has(id[row]) ? levels[row] : Math.min(levels[row], DEEP);
  /** The height of a lane, px. A folded process shows its threads as thin lines. */
  const pitch = (/** @type {number} */ row) => isHead(row) ? 3 : LANE;
  const stateStrip = (/** @type {number} */ row) => isHead(row) ? 5 : (flags[row] & 4) && kind[row] === KIND.thread ? STRIP + 2 : 0;
  const hasEvents = (/** @type {number} */ row) => kind[row] === KIND.log || (flags[row] & 32) !== 0 && (kind[row] === KIND.thread || kind[row] === KIND.cpu);
  /** The height of the strips above the slices, px: states, and events below them. */
  const strip = (/** @type {number} */ row) => stateStrip(row) + (kind[row] === KIND.thread && hasEvents(row) ? EVENTS : 0);

  /**
   * The area for a row's events: a strip, or the free space. Null if the row has no events.
   * @param {number} row @param {number} y top of the row, px @returns {{y: number, high: number} | null}
   */
  function eventBand(row, y) {
    if (!hasEvents(row)) return null;
    if (kind[row] === KIND.log) return {y: y + 3, high: LOW - 7};
    if (kind[row] === KIND.cpu) return busy[row] > 0 ? {y: y + LOW - 3, high: EVENTS - 2} : {y: y + 4, high: LOW - 9};
    const top = y + 3 + stateStrip(row);
    return {y: top, high: levels[row] ? EVENTS - 2 : Math.max(EVENTS - 2, LOW - 7 - stateStrip(row))};
  }

  /** Whether a row draws anything itself. An open process does not. @param {number} row */
  const draws = row => !isHead(row) || folded(row) || (kind[row] === KIND.process && !isParent(row));

  /** @param {number} row */
  function heightOf(row) {
    switch (kind[row]) {
      case KIND.group: return 28;
      case KIND.counter: return folded(row) ? LOW : 42;
      case KIND.cpu: return hasEvents(row) && busy[row] > 0 ? LOW + EVENTS - 1 : LOW;
      case KIND.irq: case KIND.instants: case KIND.log: return LOW;
      case KIND.process: return 28;
      default: return Math.max(LOW, 5 + strip(row) + lanes(row) * LANE);
    }
  }

  /** @param {number[]} list @returns {Stack} */
  function stack(list) {
    const tops = new Float64Array(list.length + 1);
    for (let at = 0; at < list.length; at++) tops[at + 1] = tops[at] + heightOf(list[at]);
    return {list, tops, height: tops[list.length]};
  }

  /** @param {string} filter */
  function matching(filter) {
    const exact = filter !== filter.toLowerCase();
    const test = (/** @type {string} */ text) => (exact ? text : text.toLowerCase()).includes(filter);
    const keep = new Uint8Array(total);
    for (let row = 0; row < total; row++) {
      const up = parent[row];
      if (test(names[row]) || test(notes[row] ?? "")) keep[row] = 2;
      else if (up < row && keep[up] === 2) keep[row] = 2;
      if (keep[row]) for (let above = up; above < total && !keep[above]; above = parent[above]) keep[above] = 1;
    }
    return keep;
  }

  function refresh() {
    const {hidden, filter} = state();
    const keep = filter ? matching(filter) : null;
    const gone = new Uint8Array(total);
    const top = new Set(state().pinned), inside = new Set(Object.values(store.get().counters).flatMap(({also}) => also));
    const list = [];
    for (const row of order) {
      const up = parent[row];
      if (hidden.has(id[row]) || inside.has(id[row]) || (up < row && gone[up])) gone[row] = 1;
      if (gone[row]) continue;
      if (keep ? keep[row] : true) { if (!top.has(id[row])) list.push(row); } else { gone[row] = 1; continue; }
      if (isParent(row) && folded(row) && !filter) gone[row] = 2;
    }
    main = stack(list);
    pinned = stack(state().pinned.map(id => byId.get(id) ?? -1).filter(row => row >= 0));
    shownAt = new Int32Array(total).fill(-1);
    list.forEach((row, at) => { shownAt[row] = at; });
  }

  /** @param {number} row @param {"flipped" | "hidden" | "deep"} key @param {boolean} [on] */
  function toggle(row, key, on) {
    const ids = new Set(state()[key]);
    if (on ?? !ids.has(id[row])) ids.add(id[row]);
    else ids.delete(id[row]);
    store.set({rows: {...state(), [key]: ids}});
  }

  /** Makes a row visible: unfolds its ancestors, and clears a filter that hides it. @param {number} row */
  function uncover(row) {
    const {flipped, hidden, filter, ...rest} = state();
    const ids = new Set(flipped), shown = new Set(hidden);
    for (let up = parent[row]; up < total; up = parent[up]) {
      shown.delete(id[up]);
      if (folded(up) && !ids.delete(id[up])) ids.add(id[up]);
    }
    shown.delete(id[row]);
    store.set({rows: {...rest, flipped: ids, hidden: shown, filter: ""}});
  }

  return {
    rows, total, depth, refresh, draws, heightOf, foldable, folded, lanes, pitch, strip, stateStrip, eventBand, isHead, toggle, byId,
    counter: (/** @type {number} */ row) => settingOf(store.get(), rows, row),
    /** The other counters drawn in a row. @param {number} row @returns {number[]} */
    also: row => settingOf(store.get(), rows, row).also.map(one => byId.get(one) ?? -1).filter(one => one >= 0 && kind[one] === KIND.counter),
    threadName: (/** @type {number} */ utid) => threads.get(utid) ?? `thread ${utid}`,
    threadTitle: (/** @type {number} */ utid) => withTid(rows, threadRow(rows, utid), threads.get(utid) ?? `thread ${utid}`),
    main: () => main,
    pinned: () => pinned,
    isPinned: (/** @type {number} */ row) => state().pinned.includes(id[row]),
    /** @param {number} row */
    pin(row) {
      const list = state().pinned;
      store.set({rows: {...state(), pinned: list.includes(id[row]) ? list.filter(other => other !== id[row]) : [...list, id[row]]}});
    },
    /** Adds a row to the list and opens it far enough to show a level. @param {number} row @param {number} level */
    reveal(row, level) {
      if (shownAt[row] < 0 && !state().pinned.includes(id[row])) uncover(row);
      if (!isHead(row) && folded(row) && level > 0) toggle(row, "flipped");
      if (level >= DEEP && levels[row] > DEEP) toggle(row, "deep", true);
    },
    /** The index of a row in the list, or -1. @param {number} row */
    placeOf: row => shownAt[row] ?? -1,
  };
}

/** The index in a stack at a height, or -1 below its end. @param {Stack} stack @param {number} y */
export function placeAt({tops, list}, y) {
  if (y < 0 || y >= tops[list.length]) return -1;
  let low = 0, high = list.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tops[middle] <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
