// Fetches the contents of rows in tiles: three screens of time at one resolution, for the visible rows and some around them. Until the right
// tile arrives, an existing one is drawn scaled.
import {isAbort, isGone} from "source/source";
import {oneLine} from "ui/format";

/**
 * An answer to `window`.
 * @typedef {object} Batch
 * @property {any} data
 * @property {number} from
 * @property {number} to
 * @property {number} px ns per pixel
 * @property {number} levels the number requested
 * @property {number} bytes
 * @property {number} used the last frame it was drawn in
 * @property {boolean} dead
 */
/**
 * One row's part of a batch. `lanes[level]..lanes[level + 1]` are the slices of a level, by `order` if they are not sorted.
 * @typedef {{batch: Batch, at: number, lanes: Uint32Array | null, order: Uint32Array | null}} Piece
 */
/** @typedef {ReturnType<typeof tileCache>} Tiles */

const KEEP_BYTES = 96e6;
const PIECES = 4;
const NAME_BATCH = 4000;
/** The pause after a failed request, ms. */
const PAUSE = 2000;

/** Groups a row's slices by level. @param {Piece} piece */
export function prepare(piece) {
  const {data} = piece.batch, first = data.first_slice[piece.at], end = data.first_slice[piece.at + 1];
  const level = data.s_level;
  let most = -1, sorted = true;
  for (let at = first; at < end; at++) {
    if (level[at] < most) sorted = false;
    else most = level[at];
  }
  const lanes = new Uint32Array(most + 2);
  for (let at = first; at < end; at++) lanes[level[at] + 1]++;
  for (let at = 1; at < lanes.length; at++) lanes[at] += lanes[at - 1];
  piece.order = null;
  if (!sorted) {
    const next = lanes.slice();
    piece.order = new Uint32Array(end - first);
    for (let at = first; at < end; at++) piece.order[next[level[at]]++] = at;
  } else for (let at = 0; at < lanes.length; at++) lanes[at] += first;
  piece.lanes = lanes;
  return piece;
}

/**
 * @param {import("app/panels").Source} source
 * @param {number} end of the trace, ns
 * @param {() => void} redraw called when data arrived
 * @param {(message: string) => void} fail
 */
export function tileCache(source, end, redraw, fail) {
  /** @type {Map<number, Piece[]>} newest first */
  const pieces = new Map();
  /** @type {Batch[]} */
  let batches = [];
  /** @type {Map<number, string>} */
  const names = new Map();
  /** @type {Set<number>} */
  let wanted = new Set();
  let asking = false;
  let frame = 0, pausedUntil = 0;
  /** @type {{from: number, to: number, px: number, rows: Set<number>, abort: AbortController} | null} */
  let flight = null;

  const fits = (/** @type {Batch} */ {from, to, px, dead}, /** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ want) =>
    !dead && from <= a && to >= b && px <= want && px > want / 8;

  /**
   * The pieces of a row for a view, best first: at most two, the second one for the parts missing in the first.
   * @param {number} row @param {number} from @param {number} to @param {number} px @param {(Piece | null)[]} out
   */
  function find(row, from, to, px, out) {
    out[0] = out[1] = null;
    let best = -1, wide = -1;
    for (const piece of pieces.get(row) ?? []) {
      const {batch} = piece;
      if (batch.dead) continue;
      const covers = Math.max(0, Math.min(to, batch.to) - Math.max(from, batch.from));
      const score = covers / (1 + Math.abs(Math.log2(batch.px / px)) * (batch.px > px ? 0.35 : 0.08));
      if (score > best) { best = score; out[0] = piece; }
      if (covers > wide) { wide = covers; out[1] = piece; }
    }
    if (out[1] === out[0]) out[1] = null;
    for (const piece of out) if (piece) piece.batch.used = frame;
  }

  /** The length of a pixel in a question: a power of two, so that answers fit several zoom levels. @param {number} ns_px */
  const rounded = ns_px => 2 ** Math.floor(Math.log2(Math.max(ns_px, 1e-3)));

  /** The rows without fitting data. @param {number[]} rows @param {number} from @param {number} to @param {number} ns_px @param {(row: number) => number} lanes */
  function lacking(rows, from, to, ns_px, lanes) {
    const px = rounded(ns_px), a = Math.max(0, from), b = Math.min(end, to);
    return rows.filter(row => !pieces.get(row)?.some(({batch}) => fits(batch, a, b, px) && batch.levels >= lanes(row)));
  }

  /** Requests the data that the screen lacks. @param {number[]} rows @param {number} from @param {number} to @param {number} ns_px @param {(row: number) => number} lanes */
  function need(rows, from, to, ns_px, lanes) {
    frame++;
    const px = rounded(ns_px), a = Math.max(0, from), b = Math.min(end, to);
    if (performance.now() < pausedUntil) return wanted.clear();
    const missing = lacking(rows, from, to, ns_px, lanes);
    askNames();
    if (!missing.length) return;
    if (flight) {
      const useful = flight.from <= a && flight.to >= b && flight.px <= px * 2 && flight.px > px / 8 && missing.some(row => flight?.rows.has(row));
      if (useful) return;
      flight.abort.abort();
    }
    const levels = missing.reduce((most, row) => Math.max(most, lanes(row)), 1);
    fetchRows(missing, Math.max(0, a - (to - from)), Math.min(end, b + (to - from)), px, levels);
  }

  /** @param {number[]} rows @param {number} from @param {number} to @param {number} px @param {number} max_level */
  async function fetchRows(rows, from, to, px, max_level) {
    const mine = flight = {from, to, px, rows: new Set(rows), abort: new AbortController()};
    try {
      const data = await source.ask({op: "window", rows, from, to, px_ns: px, max_level: max_level - 1}, {signal: mine.abort.signal, priority: 1});
      keep(rows, data, from, to, px, max_level);
    } catch (error) {
      if (isGone(error)) pausedUntil = performance.now() + PAUSE;
      else if (!isAbort(error)) {
        keepNothing(rows, from, to, px);
        fail(error instanceof Error ? error.message : String(error));
      }
    } finally {
      if (flight === mine) flight = null;
      redraw();
    }
  }

  const EMPTY = new Uint32Array(0);
  /** Remembers rows that failed, so that they are not requested again and again. @param {number[]} rows @param {number} from @param {number} to @param {number} px */
  function keepNothing(rows, from, to, px) {
    const none = new Uint32Array(rows.length + 1);
    keep(rows, {first_slice: none, first_state: none, first_point: none, first_instant: none, first_event: none, s_level: EMPTY, s_ts: EMPTY}, from, to, px, 1e9);
  }

  /** @param {number[]} rows @param {any} data @param {number} from @param {number} to @param {number} px @param {number} levels */
  function keep(rows, data, from, to, px, levels) {
    const bytes = Object.values(data).reduce((sum, column) => sum + (column?.byteLength ?? 0), 0);
    const batch = {data, from, to, px, levels, bytes, used: frame, dead: false};
    batches.push(batch);
    rows.forEach((row, at) => {
      const old = (pieces.get(row) ?? []).filter(({batch: other}) => !other.dead && !(other.from >= from && other.to <= to && other.px >= px && other.px < px * 4));
      // The widest piece is kept whatever its age, because it is shown while zooming out.
      const widest = old.reduce((most, piece) => !most || piece.batch.to - piece.batch.from > most.batch.to - most.batch.from ? piece : most, /** @type {Piece | null} */ (null));
      const list = [{batch, at, lanes: null, order: null}, ...old.slice(0, PIECES - 1)];
      if (widest && !list.includes(widest)) list.push(widest);
      pieces.set(row, list);
    });
    evict();
  }

  function evict() {
    let sum = batches.reduce((sum, {bytes}) => sum + bytes, 0);
    for (const batch of [...batches].sort((a, b) => a.used - b.used)) {
      if (sum <= KEEP_BYTES || batch.used === frame) break;
      batch.dead = true;
      batch.data = null;
      sum -= batch.bytes;
    }
    batches = batches.filter(({dead}) => !dead);
  }

  /** A name's text, or undefined until it has arrived. @param {number} name */
  function nameOf(name) {
    const text = names.get(name);
    if (text === undefined) wanted.add(name);
    return text;
  }

  /** @param {number[]} ids @param {string[]} texts */
  function keepNames(ids, texts) {
    ids.forEach((id, at) => names.set(id, oneLine(texts[at] ?? "")));
  }

  async function askNames() {
    if (!wanted.size || asking) return;
    asking = true;
    const ids = [...wanted].slice(0, NAME_BATCH);
    try {
      const {names: texts} = await source.ask({op: "names", ids}, {priority: 1});
      keepNames(ids, texts);
    } catch (error) {
      if (isGone(error)) pausedUntil = performance.now() + PAUSE;
      else ids.forEach(id => names.set(id, ""));
    }
    for (const id of ids) wanted.delete(id);
    asking = false;
    redraw();
  }

  for (const {question, data} of source.kept?.("window") ?? []) keep(question.rows, data, question.from, question.to, question.px_ns, question.max_level + 1);
  for (const {question, data} of source.kept?.("names") ?? []) keepNames(question.ids, data.names);
  const shows = (/** @type {Parameters<typeof lacking>} */ ...seen) => !asking && !wanted.size && !lacking(...seen).length;
  return {end, find, need, shows, nameOf, askNames, names, busy: () => !!flight || asking || wanted.size > 0};
}
