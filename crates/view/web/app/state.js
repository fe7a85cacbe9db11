// The store: the state from which, with the trace, everything on the page is derived.

/** @typedef {{id: number, row: number, ts: number, end: number, level: number, name: number}} Slice */
/**
 * @typedef {{kind: "slice", more?: Slice[]} & Slice
 *   | {kind: "range", from: number, to: number, rows?: number[]}
 *   | {kind: "state" | "sched" | "counter" | "instant" | "event" | "log" | "sample", row: number, ts: number, end?: number, id?: number}
 *   | {kind: "name", name: number}
 *   | null} Selection
 */
/** @typedef {{mode: "value" | "delta" | "rate", scale: "zero" | "fit" | "log", also: number[]}} CounterSetting how the row of a counter is drawn; `also`: ids of rows that are drawn in it too */
/** @typedef {{from: number, to: number, rows?: number[], label: string, base?: boolean}} Saved a saved range; `base`: the selected range is compared with it */
/**
 * @typedef {object} State
 * @property {{from: number, to: number}} view ns
 * @property {number} top how far the rows are scrolled, px
 * @property {Selection} selection
 * @property {number[] | null} threads a scope that panels may use: utids
 * @property {{text: string, total: number, at: number, names: Set<number> | null, ts?: Float64Array, rows?: Record<number, number>}} search; `ts`: the times of the hits, `rows`: their number per row
 * @property {{ts: number, label: string}[]} marks
 * @property {{flipped: Set<number>, pinned: number[], hidden: Set<number>, deep: Set<number>, filter: string}} rows by row id;
 *   `flipped`: folded or unfolded by hand, against the default; `deep`: showing all levels
 * @property {Saved[]} ranges saved ranges, oldest first
 * @property {Record<number, CounterSetting>} counters by row id
 * @property {string} panel the current tab
 * @property {boolean} chosen whether the user chose the tab, so that a selection does not leave the profile
 * @property {any} why the question that the tab "Why" answers, or null
 * @property {string} sql the text of the tab "Query"
 * @property {import("query/track").Track[]} tracks the tracks that queries added to the time line
 * @property {string[]} asked the SQL of tracks in a link that are not drawn yet
 * @property {any} profile settings of the profile's panels
 * @property {"system" | "light" | "dark"} theme
 * @property {"name" | "rank"} colours
 * @property {"shown" | "hidden"} grid the lines of VSYNC and deadlines
 * @property {"zoom" | "rows"} wheel what the wheel does to the time line
 */
/** @typedef {ReturnType<typeof createStore>} Store */

/** @returns {State} */
export const firstState = () => ({
  view: {from: 0, to: 1}, top: 0, selection: null, threads: null,
  search: {text: "", total: 0, at: -1, names: null},
  marks: [], ranges: [], counters: {}, rows: {flipped: new Set(), pinned: [], hidden: new Set(), deep: new Set(), filter: ""},
  panel: "details", chosen: false, why: null, sql: "", tracks: [], asked: [], profile: {}, theme: "system", colours: "name", grid: "shown", wheel: "zoom",
});

/** The panel to show for a new selection. Those that follow it stay open: samples a range, and if the user opened them, a profile, and the tab "Why" a call. @param {State} state @param {string} wanted */
export const panelFor = ({panel, chosen}, wanted) => panel === "samples" && wanted === "range" || chosen && (panel === "profile" || panel === "why" && wanted === "details") ? panel : wanted;

/** The panel after a call was found or reached by a key: only a panel that the user opened stays. @param {State} state @param {string} wanted */
export const panelUnlessChosen = ({panel, chosen}, wanted) => chosen ? panel : wanted;

/** @param {State} initial */
export function createStore(initial) {
  let state = initial;
  /** @type {{keys: (keyof State)[], fn: (state: State) => void}[]} */
  const listeners = [];
  return {
    get: () => state,
    /** Changes keys and calls the listeners of the changed keys. @param {Partial<State>} patch */
    set(patch) {
      const before = state;
      state = {...state, ...patch};
      for (const {keys, fn} of listeners) if (keys.some(key => key in patch && before[key] !== state[key])) fn(state);
    },
    /** Calls `fn` after one of the keys changed. @param {(keyof State)[]} keys @param {(state: State) => void} fn */
    on(keys, fn) { listeners.push({keys, fn}); },
  };
}
