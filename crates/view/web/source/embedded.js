// A report as a source: its columns and the engine are in the page itself.

import {AskError, aborted, decode} from "source/source";
import {startEngine} from "source/worker";

/** @typedef {import("source/source").Answer} Answer */
/** @typedef {import("source/source").Question} Question */
/** @typedef {import("source/source").AskOptions} AskOptions */
/** @typedef {import("source/source").Progress} Progress */
/** @typedef {import("source/worker").Order} Order */
/** @typedef {import("source/worker").News} News */

/**
 * A question that waits for its turn.
 * @typedef {object} Waiting
 * @property {string} question
 * @property {number} priority
 * @property {(answer: Answer) => void} resolve
 * @property {(error: unknown) => void} reject
 */

/** The engine, which `source/start.js` unpacks in a report. @returns {Promise<Uint8Array<ArrayBuffer>> | undefined} */
const unpacked = () => /** @type {any} */ (globalThis).traceloomEngine;

/** Whether this page is a report. */
export function isReport() {
  return unpacked() !== undefined;
}

/** @returns {import("source/source").TraceSource} */
export function embeddedSource() {
  const queue = new Queue();
  return {live: false, ask: queue.ask, ready: queue.ready};
}

/** The report's data, which leaves the document: nobody needs it twice. @returns {Promise<Order>} */
async function data() {
  const elements = [...document.querySelectorAll("script.traceloom-columns")];
  const parts = elements.map((element) => {
    const bytes = Number(element.getAttribute("data-bytes"));
    element.remove();
    return {text: (element.textContent ?? "").trim(), bytes};
  });
  return {op: "load", engine: await /** @type {Promise<Uint8Array<ArrayBuffer>>} */ (unpacked()), parts};
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
    // Not at once: the page draws what it has before it works.
    return (/** @type {Order} */ order) => void setTimeout(() => engine(order));
  };
  const source = `const order=(${startEngine})((n,t)=>postMessage(n,t??[]));onmessage=(e)=>order(e.data);`;
  try {
    const url = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
    const worker = new Worker(url);
    /** @type {Order[]} Orders whose receipt nothing proves yet. */
    let sent = [];
    let post = (/** @type {Order} */ order) => {
      sent.push(order);
      worker.postMessage(order);
    };
    worker.onmessage = (event) => {
      sent = [];
      hear(event.data);
    };
    // Before the first news this is a worker that may not run; what it was to do is done here.
    worker.onerror = (event) => {
      if (sent.length === 0) return hear({error: event.message || "the engine broke down"});
      event.preventDefault();
      worker.terminate();
      post = here();
      sent.forEach(post);
      sent = [];
    };
    return (order) => post(order);
  } catch {
    return here();
  }
}

/** Gives the engine one question at a time, the most urgent first, and forgets aborted ones. */
class Queue {
  constructor() {
    /** @type {Waiting[]} */
    this.waiting = [];
    /** @type {Waiting | null} The question that the engine works on. */
    this.current = null;
    this.loaded = false;
    /** @type {string | null} Why there is no trace. */
    this.failure = null;
    /** @type {(progress: Progress) => void} */
    this.report = () => {};
    this.send = start((news) => this.hear(news));
    /** @type {Promise<void>} */
    this.loading = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Who asks hears of a failure; nobody may have asked yet.
    this.loading.catch(() => {});
    data().then(this.send, (error) => this.fail(String(error)));
  }

  ready = (/** @type {(progress: Progress) => void} */ report) => {
    this.report = report;
    return this.loading;
  };

  /** @type {(question: Question, options?: AskOptions) => Promise<Answer>} */
  ask = (question, {signal, priority = 0} = {}) => {
    return new Promise((resolve, reject) => {
      if (this.failure !== null) return reject(new AskError(this.failure));
      if (signal?.aborted) return reject(aborted());
      const waiting = {question: JSON.stringify(question), priority, resolve, reject};
      signal?.addEventListener("abort", () => {
        this.waiting = this.waiting.filter((other) => other !== waiting);
        reject(aborted());
      }, {once: true});
      this.waiting.push(waiting);
      this.next();
    });
  };

  next() {
    if (!this.loaded || this.current || this.waiting.length === 0) return;
    const urgent = Math.max(...this.waiting.map((waiting) => waiting.priority));
    const at = this.waiting.findIndex((waiting) => waiting.priority === urgent);
    [this.current] = this.waiting.splice(at, 1);
    this.send({op: "ask", question: this.current.question});
  }

  /** @param {News} news */
  hear(news) {
    if ("done" in news) {
      this.report(news);
    } else if ("loaded" in news) {
      this.loaded = true;
      this.resolve?.();
    } else if (!this.loaded) {
      this.fail("error" in news ? news.error : "the engine broke down");
    } else {
      this.settle(news);
    }
    this.next();
  }

  /** @param {News} news */
  settle(news) {
    const current = this.current;
    this.current = null;
    if (!current) return;
    try {
      if (!("answer" in news)) throw new AskError("error" in news ? news.error : "the engine broke down");
      current.resolve(decode(news.answer));
    } catch (error) {
      current.reject(error);
    }
  }

  /** @param {string} why */
  fail(why) {
    this.failure = why;
    const error = new AskError(why);
    this.reject?.(error);
    for (const waiting of this.waiting.splice(0)) waiting.reject(error);
  }
}
