// The fields of the event under the pointer, for its tooltip. They are requested once the pointer rests on it.
import {elide} from "ui/format";

/** How long the pointer rests before the request, ms. */
const REST = 80;
/** The maximum number of fields in a tooltip. */
const MOST = 10;

/** @param {[string, unknown]} field its key, empty for text without one @returns {string} */
const line = ([key, value]) => elide(key ? `${key}: ${value}` : String(value), 120);

/** @param {[string, unknown][]} args @returns {string[]} */
const lines = args => [...args.slice(0, MOST).map(line), ...(args.length > MOST ? [`… ${args.length - MOST} more fields`] : [])];

/** @param {import("app/panels").Source} source @param {() => void} arrived called when the fields of the last event are known */
export function eventFields(source, arrived) {
  let last = -1, waiting = 0;
  /** @type {string[]} */
  let known = [];

  /** @param {number} row @param {number} ts @param {number} id */
  async function load(row, ts, id) {
    const {args = []} = await source.ask({op: "at", row, ts, what: "event", id});
    if (id !== last) return;
    known = lines(args);
    arrived();
  }

  /** The fields of an event, a line for each; none until they have arrived. @param {number} row @param {number} ts @param {number} id @returns {string[]} */
  return (row, ts, id) => {
    if (id === last) return known;
    last = id;
    known = [];
    clearTimeout(waiting);
    // Without an answer, the tooltip stays as it is.
    waiting = setTimeout(() => { load(row, ts, id).catch(() => {}); }, REST);
    return known;
  };
}
