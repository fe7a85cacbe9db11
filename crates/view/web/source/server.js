// The source of answers on a live page: HTTP requests to the program that opened it.

import {AskError, aborted, decode} from "source/source";

/** @typedef {import("source/source").TraceSource} TraceSource */
/** @typedef {import("source/source").Progress} Progress */

/** The interval between status requests while loading, ms. */
const LOOK_EVERY = 100;

/** The token that the server requires. */
export function token() {
  return new URLSearchParams(location.search).get("token") ?? "";
}

/** The number of the trace that this page shows. */
function trace() {
  return new URLSearchParams(location.search).get("trace") ?? "0";
}

/**
 * Sends a request. A refusal rejects with the server's message.
 *
 * @param {string} path
 * @param {RequestInit & {duplex?: string}} [init]
 */
export async function request(path, init = {}) {
  const headers = {"x-traceloom-token": token(), ...init.headers};
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, {...init, headers, cache: "no-store"});
  } catch (error) {
    if (init.signal?.aborted) throw error;
    dispatchEvent(new CustomEvent("server", {detail: false}));
    throw new AskError("the server does not answer: is traceloom view still running?", true);
  }
  dispatchEvent(new CustomEvent("server", {detail: true}));
  // The snapshot no longer exists, and the page will get a newer one.
  if (response.status === 410) throw aborted();
  if (!response.ok) {
    const why = (await response.text()).trim();
    throw new AskError(why || `the server answers ${response.status}`);
  }
  return response;
}

/** @returns {TraceSource} */
export function serverSource() {
  const query = `?trace=${encodeURIComponent(trace())}`;
  /** @type {TraceSource} */
  const source = {
    live: true,

    async ask(question, options = {}) {
      const snapshot = options.snapshot ?? source.snapshot;
      const response = await request("/api" + query + (snapshot ? `&snapshot=${snapshot}` : ""), {
        method: "POST",
        body: JSON.stringify(question),
        headers: {"content-type": "application/json"},
        signal: options.signal,
        // The browser sends urgent requests first when they wait for a connection.
        priority: (options.priority ?? 0) > 0 ? "high" : "auto",
      });
      return decode(await response.arrayBuffer());
    },

    async ready(report) {
      for (;;) {
        const status = await (await request("/status" + query)).json();
        if (status.state === "failed") throw new AskError(status.error);
        source.snapshot = status.snapshot;
        source.said = status.said;
        if (status.state === "ready" || status.snapshot) return;
        report(status);
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
      }
    },
  };
  return source;
}
