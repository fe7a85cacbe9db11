// The profile shared by the panels: cached answers for the current grouping, clock and scope.

/** @typedef {"cpu" | "wall" | "runnable" | "sleeping" | "uninterruptible"} Clock */
/** @typedef {Partial<Record<`${Clock}_ns`, number>>} Times */

/**
 * @typedef {object} Row a method, class, package, thread or slice name
 * @property {number} rank
 * @property {string} label
 * @property {number | null} [name] NameId
 * @property {string} [signature]
 * @property {number} [hue]
 * @property {number} calls
 * @property {number} recursive_calls
 * @property {Times} inclusive
 * @property {Times} exclusive
 * @property {Times} [unfinished] time of slices that never ended; missing if every slice ended
 */

/**
 * @typedef {object} Edge a caller or callee
 * @property {number} rank 0: outside of any call
 * @property {string} label
 * @property {string} [signature]
 * @property {number | null} [name]
 * @property {number} [hue]
 * @property {number} calls
 * @property {number} of_calls
 * @property {Times} inclusive
 */

/**
 * @typedef {object} Profile
 * @property {{wall: boolean, cpu: string, states: boolean}} clocks
 * @property {string} by
 * @property {Clock} clock by which rows are ranked
 * @property {Times} total
 * @property {Times} [unfinished] time of slices that never ended, which the total does not include
 * @property {Row[]} rows
 * @property {number} hidden
 * @property {Promise<void> | null} more set while the remaining rows are being fetched
 * @property {Map<number, Row>} byName
 * @property {Map<string, Row>} byLabel with signature
 */

/** @typedef {{from?: number, to?: number, threads?: number[], process?: number, source?: number}} Scope */
/** @typedef {import("app/state").Store} Store */
/** @typedef {import("app/panels").Source} Source */

const NONE = 0xffffffff;
/** The number of rows in the first request. The others follow. */
const FIRST = 2000;
/** The maximum number of rows. */
const LIMIT = 200000;

/** The key that identifies a method in another profile. @param {{label: string, signature?: string}} row */
export const keyOf = row => row.label + (row.signature ?? "");

/** @param {Profile} profile @param {Row[]} rows */
function take(profile, rows) {
  for (const row of rows) {
    if (row.name === NONE) row.name = null;
    if (row.name != null && !profile.byName.has(row.name)) profile.byName.set(row.name, row);
    profile.byLabel.set(keyOf(row), row);
    profile.rows.push(row);
  }
}

/** @param {Store} store @param {Source} source */
export function profileModel(store, source) {
  let key = "";
  /** @type {Promise<Profile>} */
  let profile;
  let abort = new AbortController();

  /** The scope and settings, as fields of a question. */
  function settings() {
    const {by, clock, scope, transforms} = store.get().profile ?? {};
    return {by: by ?? "method", ...(clock ? {clock} : {}), ...scope, ...(transforms && {transforms})};
  }

  /** The profile of the current settings. @returns {Promise<Profile>} */
  function load() {
    const now = JSON.stringify(settings());
    if (now === key) return profile;
    key = now;
    abort.abort();
    abort = new AbortController();
    const {signal} = abort, question = {op: "profile", ...settings()};
    profile = source.ask({...question, limit: FIRST}, {signal}).then(answer => {
      /** @type {Profile} */
      const loaded = {...answer, rows: [], byName: new Map(), byLabel: new Map(), more: null};
      take(loaded, answer.rows);
      if (answer.hidden) loaded.more = source.ask({...question, limit: LIMIT}, {signal}).then(({rows}) => take(loaded, rows.slice(answer.rows.length)));
      loaded.more?.catch(() => {});
      return loaded;
    });
    profile.catch(() => { if (key === now) key = ""; });
    return profile;
  }

  return {
    load,
    /** Asks a question about the same scope. @param {string} op @param {object} fields @param {AbortSignal} [signal] @returns {Promise<any>} */
    ask: (op, fields, signal) => source.ask({op, ...settings(), ...fields}, {signal}),
    /** @param {object} patch */
    change(patch) { store.set({profile: {...store.get().profile, ...patch}}); },
  };
}

/** @typedef {ReturnType<typeof profileModel>} Model */
