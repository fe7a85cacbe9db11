// Sends queries in SQL to the server.
import {request} from "source/server";

/**
 * A result: a cell is a text, a number, null, `{t}` (a number as the program prints it), or `{b}` (that many bytes).
 * @typedef {object} Result
 * @property {string[]} columns
 * @property {any[][]} rows the first ones
 * @property {number} total the number of all rows
 * @property {string} origin_ns where the page's time begins on the trace's clock
 * @property {number} [ms] how long it took
 * @property {string[]} [notes] advice on SQL that finds less than its author expects
 * @property {string} [title]
 * @property {string} [sql]
 */
/** @typedef {{error: string, line?: number, column?: number, length?: number, ms?: number}} Failure `line` and `column` count from 1, in characters */

const place = (/** @type {string} */ path) => `${path}?trace=${encodeURIComponent(new URLSearchParams(location.search).get("trace") ?? "0")}`;

/** @param {string} path @param {string} sql @param {AbortSignal} [signal] */
async function post(path, sql, signal) {
  const response = await request(place(path), {method: "POST", body: JSON.stringify({sql}), headers: {"content-type": "application/json"}, signal});
  return response.json();
}

/** Runs SQL. Aborting the signal stops it on the server too. @param {string} sql @param {AbortSignal} signal @returns {Promise<Result | Failure>} */
export const runQuery = (sql, signal) => post("/query", sql, signal);

/** The names that complete the text before the cursor; `begun`: how many of their letters are typed. @param {string} typed @param {AbortSignal} signal @returns {Promise<{begun: number, names: [string, string][]} | Failure>} */
export const complete = (typed, signal) => post("/query/complete", typed, signal);

/** Earlier queries, the oldest first. @returns {Promise<string[]>} */
export const earlier = async () => (await request("/query/history")).json();
