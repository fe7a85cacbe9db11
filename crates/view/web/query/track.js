// Makes a track from a result: rows with `ts` and `dur` are bars, rows with `ts` and a number are a line of values.
import {toast} from "ui/toast";
import {isNumber, numberOf, placesOf, textOf} from "query/cells";

/** The most levels of bars that overlap. Bars beyond them are drawn on the last one. */
const LEVELS = 200;
/** Columns that are used for neither the name nor the value. */
const TIMES = /^(ts|dur|id|.*_id|utid|upid|tid|pid|depth|cpu|ucpu)$/i;

/**
 * A track that a query made, in order of time.
 * @typedef {object} Track
 * @property {string} title
 * @property {string} sql the query that made it, with which a link makes it again
 * @property {"bars" | "values"} kind
 * @property {Float64Array} ts ns
 * @property {Float64Array} end ns
 * @property {Uint8Array} level of bars that overlap
 * @property {number} levels
 * @property {Float64Array} value of a line
 * @property {string[]} text
 * @property {(nth: number, zoom?: boolean) => void} go selects the object that a bar or a value stands for
 */

/** The column to draw. @param {import("query/server").Result} result @param {Record<string, number>} at */
function valueColumn({columns, rows}, at) {
  if ("value" in at) return at.value;
  return columns.findIndex((name, nth) => !TIMES.test(name) && rows.some(row => isNumber(row[nth])) && rows.every(row => row[nth] === null || isNumber(row[nth])));
}

/** @param {Float64Array} ts @param {Float64Array} end */
function levelsOf(ts, end) {
  const level = new Uint8Array(ts.length), free = new Float64Array(LEVELS).fill(-Infinity);
  let levels = 1;
  ts.forEach((from, nth) => {
    const open = free.findIndex(until => until <= from), to = open < 0 ? LEVELS - 1 : open;
    level[nth] = to;
    free[to] = Math.max(free[to], end[nth]);
    levels = Math.max(levels, to + 1);
  });
  return {level, levels};
}

/**
 * The track of a result, or null if its columns have no time.
 * @param {import("query/server").Result} result @param {string} title
 * @param {{spotOf: (row: any[]) => import("query/jump").Spot, go: (row: any[], zoom?: boolean) => void}} jump
 * @returns {Track | null}
 */
export function trackOf(result, title, {spotOf, go}) {
  const at = placesOf(result.columns), values = valueColumn(result, at);
  if (!("ts" in at) || (!("dur" in at) && values < 0)) return null;
  const kind = "dur" in at ? "bars" : "values";
  const spots = result.rows.map(spotOf).filter(({ts}) => !Number.isNaN(ts)).sort((a, b) => a.ts - b.ts || b.end - a.end);
  if (!spots.length) return null;
  const ts = Float64Array.from(spots, ({ts}) => ts), end = Float64Array.from(spots, ({end}) => end);
  const named = "name" in at ? at.name : result.columns.findIndex((name, nth) => !TIMES.test(name) && result.rows.some(row => typeof row[nth] === "string"));
  const shown = kind === "values" ? values : named >= 0 ? named : values;
  return {title, sql: result.sql ?? "", kind, ts, end, ...levelsOf(ts, end), value: Float64Array.from(spots, ({row}) => values < 0 ? NaN : numberOf(row[values])),
    text: spots.map(({row}) => shown < 0 ? "" : textOf(row[shown])), go: (nth, zoom) => go(spots[nth].row, zoom)};
}

/**
 * Adds the tracks that a link asks for.
 * @param {import("app/state").Store} store @param {(sql: string) => Promise<Track | null>} make
 */
export function restoreTracks(store, make) {
  async function restore() {
    for (const sql of store.get().asked) {
      const track = await make(sql).catch(error => { toast(`The track "${sql}" cannot be shown: ${error.message}`, true); return null; });
      const {asked, tracks} = store.get();
      if (!asked.includes(sql)) return;
      store.set({asked: asked.filter(other => other !== sql), ...(track && {tracks: [...tracks.filter(other => other.sql !== sql), track]})});
    }
  }
  let begun = false;
  const again = () => { if (!begun && store.get().asked.length) { begun = true; restore().finally(() => { begun = false; }); } };
  store.on(["asked"], again);
  again();
}
