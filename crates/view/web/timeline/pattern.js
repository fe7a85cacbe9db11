// Searches names by a regular expression, in a worker that is stopped if it takes too long.

/** The time limit for a pattern, ms. */
const PATIENCE = 3000;
/** The maximum number of names found. More would not be useful, and would not fit into a question. */
const MOST_NAMES = 100_000;
/** The number of names per request. */
const BATCH = 50_000;

/** Parses `/…/` or `/…/i`; null for other texts. @param {string} text @returns {RegExp | null} @throws SyntaxError if it is invalid */
export function patternOf(text) {
  const [, source, flags] = /^\/(.+)\/([imsu]*)$/s.exec(text) ?? [];
  if (!source) return null;
  // Lower case also finds upper case, as in a plain search.
  const plain = source.replace(/\\./gs, "");
  return new RegExp(source, flags.includes("i") || plain !== plain.toLowerCase() ? flags : `${flags}i`);
}

/** Runs in the worker, so it must not use anything outside of itself. */
function work() {
  /** @type {string[]} */
  let texts = [];
  onmessage = ({data}) => {
    if (data.texts) texts = data.texts;
    else postMessage(texts.flatMap((text, at) => data.pattern.test(text) ? [at] : []));
  };
}

/**
 * Finds names and rows by patterns.
 * @param {import("app/panels").Source} source @param {number} count of names @param {{names: string[], notes: string[]}} rows
 */
export function patternSearch(source, count, rows) {
  /** @type {Promise<string[]> | null} */
  let names = null;
  /** @type {Worker | null} */
  let worker = null;

  async function fetchNames() {
    const all = [];
    for (let from = 0; from < count; from += BATCH) {
      const ids = Array.from({length: Math.min(BATCH, count - from)}, (_, at) => from + at);
      all.push(...(await source.ask({op: "names", ids})).names);
    }
    return all;
  }

  function stop() {
    worker?.terminate();
    worker = null;
  }

  /** Names first, then the rows' names and notes. @param {string[]} all */
  function begin(all) {
    const url = URL.createObjectURL(new Blob([`(${work})()`], {type: "text/javascript"}));
    const begun = new Worker(url);
    URL.revokeObjectURL(url);
    begun.postMessage({texts: [...all, ...rows.names, ...rows.notes]});
    return begun;
  }

  /** @param {Worker} worker @param {RegExp} pattern @param {AbortSignal} signal @returns {Promise<number[]>} */
  const run = (worker, pattern, signal) => new Promise((resolve, reject) => {
    /** @param {unknown} error */
    const fail = error => { clearTimeout(timer); stop(); reject(error); };
    const timer = setTimeout(() => fail(new Error("this pattern takes too long")), PATIENCE);
    signal.addEventListener("abort", () => fail(signal.reason), {once: true});
    worker.onmessage = ({data}) => { clearTimeout(timer); resolve(data); };
    worker.onerror = event => { event.preventDefault(); fail(new Error("this browser does not let the page search by patterns")); };
    worker.postMessage({pattern});
  });

  /** @param {RegExp} pattern @param {AbortSignal} signal @returns {Promise<{names: number[], rows: number[]}>} ids of names, and rows */
  async function find(pattern, signal) {
    names ??= fetchNames();
    names.catch(() => { names = null; });
    const all = await names;
    signal.throwIfAborted();
    const hits = await run(worker ??= begin(all), pattern, signal);
    const end = hits.findIndex(at => at >= all.length), own = end < 0 ? hits : hits.slice(0, end);
    if (own.length > MOST_NAMES) throw new Error("too many names match");
    const total = rows.names.length;
    return {names: own, rows: [...new Set(hits.slice(own.length).map(at => (at - all.length) % total))].sort((a, b) => a - b)};
  }
  return Object.assign(find, {stop});
}
