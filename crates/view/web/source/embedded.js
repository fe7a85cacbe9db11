// The data source of a report. Its columns and engine are embedded in the page.

import {data, readPreview, whole} from "source/elements";
import {AskError, aborted, decode} from "source/source";
import {startEngine} from "source/worker";

/** @typedef {import("source/source").Answer} Answer */
/** @typedef {import("source/source").Question} Question */
/** @typedef {import("source/source").AskOptions} AskOptions */
/** @typedef {import("source/source").Progress} Progress */
/** @typedef {import("source/worker").Order} Order */
/** @typedef {import("source/worker").News} News */
/** @typedef {import("source/elements").Kept} Kept */

/**
 * A queued question.
 * @typedef {object} Waiting
 * @property {string} question
 * @property {boolean} first whether the first picture needs it
 * @property {number} priority
 * @property {(answer: Answer) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** The questions of the first picture. All others wait for it: in a big trace, a profile takes seconds. */
const FIRST = ["meta", "rows", "window", "names"];
/** Other questions are sent after this time, ms, without a question for the first picture. */
const PATIENCE = 500;

/** @returns {import("source/source").TraceSource} */
export function embeddedSource() {
  const engine = queue();
  /** @type {Kept[]} */
  let kept = [];
  const preview = readPreview().then(answers => { kept = answers; });
  return {
    live: false,
    loaded: engine.loading,
    pictured: engine.pictured,
    kept: op => kept.filter(({question}) => question.op === op).map(({question, answer}) => ({question, answer: decode(answer.slice(0))})),
    async ready(report) {
      engine.follow(report);
      await preview;
      // The page need not wait for the engine, because the report has the answers of the first picture.
      if (kept.length) engine.later();
      else await engine.begin();
    },
    async ask(question, options) {
      const asked = JSON.stringify(question), found = kept.find(({text}) => text === asked);
      return found ? decode(found.answer.slice(0)) : engine.ask(question, options);
    },
  };
}

/**
 * Starts the engine in a worker, or here if the browser forbids that.
 *
 * @param {(news: News) => void} hear
 * @returns {(order: Order) => void}
 */
function start(hear) {
  const here = () => {
    const engine = startEngine(hear);
    // Delayed, so that the page can draw first.
    return (/** @type {Order} */ order) => void setTimeout(() => engine(order));
  };
  const source = `const order=(${startEngine})((n,t)=>postMessage(n,t??[]));onmessage=(e)=>order(e.data);postMessage({begun:true});`;
  try {
    const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
    const worker = new Worker(url);
    /** @type {Order[]} Orders from before the worker reported that it runs. */
    let early = [];
    /** @type {(order: Order) => void} */
    let post = order => void early.push(order);
    const give = (/** @type {(order: Order) => void} */ to) => {
      post = to;
      early.forEach(post);
      early = [];
    };
    let begun = false;
    worker.onmessage = (event) => {
      if (begun) return hear(event.data);
      begun = true;
      // Transferred buffers are not copied.
      give(order => worker.postMessage(order, order.op === "load" ? [order.engine, ...order.parts.map(({packed}) => packed)].filter(packed => packed instanceof ArrayBuffer) : []));
    };
    // An error before the first message means that the browser does not allow the worker. Its orders run here instead.
    worker.onerror = (event) => {
      if (begun) return hear({error: event.message || "the engine broke down"});
      event.preventDefault();
      worker.terminate();
      give(here());
    };
    return (order) => post(order);
  } catch {
    return here();
  }
}

/** Sends the engine one question at a time, the most urgent first, and drops aborted ones. */
function queue() {
  /** @type {Waiting[]} */
  let waiting = [];
  /** @type {Waiting | null} the question that the engine works on */
  let current = null;
  let loaded = false, pictured = false, patience = 0;
  /** @type {string | null} the reason why there is no trace */
  let failure = null;
  /** @type {((order: Order) => void) | null} the engine, once it is started */
  let send = null;
  /** @type {(progress: Progress) => void} */
  let report = () => {};
  /** @type {() => void} */
  let resolveLoading = () => {};
  /** @type {(error: AskError) => void} */
  let rejectLoading = () => {};
  /** @type {Promise<void>} */
  const loading = new Promise((resolve, reject) => {
    resolveLoading = resolve;
    rejectLoading = reject;
  });

  /** Starts the engine after the current frame, once. */
  function begin() {
    if (!send) {
      const early = send = start(hear);
      setTimeout(() => whole().then(() => early(data())).catch(error => fail(/** @type {Error} */ (error).message)));
    }
    return loading;
  }

  /** Starts the engine once the first picture is drawn, or at a question that the report has no answer to. */
  function later() { patience = setTimeout(release, PATIENCE); }

  function next() {
    const ready = waiting.filter(({first}) => first || pictured);
    if (!loaded || current || ready.length === 0) return;
    const urgent = Math.max(...ready.map(({priority}) => priority));
    const chosen = current = /** @type {Waiting} */ (ready.find(({priority}) => priority === urgent));
    waiting = waiting.filter(other => other !== chosen);
    send?.({op: "ask", question: current.question});
  }

  /** Releases all other questions, unless some of the first picture are still open. */
  function release() {
    if (current || waiting.some(({first}) => first)) return;
    pictured = true;
    begin();
    next();
  }

  /** @param {News} news */
  function hear(news) {
    const broken = "error" in news ? news.error : "the engine broke down";
    if ("done" in news) report(news);
    else if ("loaded" in news) {
      loaded = true;
      resolveLoading();
    } else if (loaded) settle(news, broken);
    else fail(broken);
    next();
  }

  /** @param {News} news @param {string} broken the error message if it is not an answer */
  function settle(news, broken) {
    const asked = current;
    current = null;
    if (!asked) return;
    clearTimeout(patience);
    if (!pictured) patience = setTimeout(release, PATIENCE);
    try {
      if (!("answer" in news)) throw new AskError(broken);
      asked.resolve(decode(news.answer));
    } catch (error) {
      asked.reject(error);
    }
  }

  /** @param {string} why */
  function fail(why) {
    failure = why;
    const error = new AskError(why);
    rejectLoading(error);
    for (const {reject} of waiting.splice(0)) reject(error);
  }

  // Without this, a failure before the first `ready` would be an unhandled rejection.
  loading.catch(() => {});
  return {
    begin, later, loading,
    pictured() {
      clearTimeout(patience);
      pictured = true;
      begin();
      next();
    },
    /** @param {(progress: Progress) => void} tell */
    follow(tell) { report = tell; },
    /** @param {Question} question @param {AskOptions} [options] @returns {Promise<Answer>} */
    ask: (question, {signal, priority = 0} = {}) => new Promise((resolve, reject) => {
      if (failure !== null) return reject(new AskError(failure));
      if (signal?.aborted) return reject(aborted());
      const mine = {question: JSON.stringify(question), first: FIRST.includes(question.op), priority, resolve, reject};
      signal?.addEventListener("abort", () => {
        waiting = waiting.filter(other => other !== mine);
        reject(aborted());
      }, {once: true});
      waiting.push(mine);
      if (mine.first) begin();
      next();
    }),
  };
}
