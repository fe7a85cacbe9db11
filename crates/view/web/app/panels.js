// The panels of the dock, in the order of their tabs.
import {stretches} from "source/packed";

/**
 * The engine, which returns an answer's JSON and columns in one object: `(await source.ask({op: "rows"})).kind`. Constant answers are requested
 * only once (`meta`, `rows`, `ranks`). Urgent questions have a higher priority.
 * @typedef {object} Source
 * @property {boolean} live
 * @property {(question: {op: string, [field: string]: unknown}, options?: import("source/source").AskOptions) => Promise<any>} ask
 * @property {(op: string) => {question: any, data: any}[]} [kept] the answers to this kind of question that came with the trace
 */
/**
 * @typedef {object} Panel
 * @property {string} id
 * @property {string} title
 * @property {(element: HTMLElement, store: import("app/state").Store, source: Source, context: Context) => void} mount called when
 *   the tab is first shown
 * @property {(meta: any) => boolean} [when] whether this trace has anything for it; missing: always
 * @property {(store: import("app/state").Store, source: Source, context: Context) => void} [start] runs once, whether the tab is shown or not
 */
/**
 * @typedef {object} Context the rest of the page, for panels
 * @property {any} meta the engine's answer to `meta`
 * @property {any} rows the engine's answer to `rows`
 * @property {(id: number, zoom?: boolean) => Promise<void>} goTo shows a slice in the timeline and selects it
 * @property {(from: number, to: number) => void} zoomTo moves the view to this range
 * @property {(row: number) => void} showRow scrolls to a row (index), unfolding what hides it
 */

/** @type {Panel[]} */
export const panels = [];

/** @param {Panel} panel */
export function registerPanel(panel) { panels.push(panel); }

/** The JSON and the columns of an answer in one object. @param {import("source/source").Answer} answer */
function flattened({json, columns}) {
  const {s_times, t_times, ...plain} = columns;
  if (s_times) Object.assign(plain, stretches("s", s_times, columns.s_level.length, true));
  if (t_times) Object.assign(plain, stretches("t", t_times, columns.t_state.length, false));
  return Object.assign(json, plain);
}

/** @param {import("source/source").TraceSource} source @returns {Source} */
export function flatSource(source) {
  /** @type {Map<string, Promise<any>>} */
  const constant = new Map();
  const flat = async (/** @type {any} */ question, /** @type {any} */ options) => flattened(await source.ask(question, options));
  return {
    live: source.live,
    kept: op => (source.kept?.(op) ?? []).map(({question, answer}) => ({question, data: flattened(answer)})),
    ask(question, options) {
      if (source.snapshot || !["meta", "rows", "ranks"].includes(question.op)) return flat(question, options);
      const key = JSON.stringify(question);
      const answer = constant.get(key) ?? flat(question, {priority: 1});
      constant.set(key, answer);
      answer.catch(() => constant.delete(key));
      return answer;
    },
  };
}
