// The live server as a source: questions go over HTTP to the program that opened this page.

import {AskError, aborted, decode} from "source/source";

/** @typedef {import("source/source").TraceSource} TraceSource */
/** @typedef {import("source/source").Progress} Progress */

/** How often to look how far reading is, in ms. */
const LOOK_EVERY = 100;

/** The token that the server wants to see. */
export function token() {
  return new URLSearchParams(location.search).get("token") ?? "";
}

/** Which of the server's traces this page shows. */
function trace() {
  return new URLSearchParams(location.search).get("trace") ?? "0";
}

/**
 * Asks the server for something; a refusal rejects with what the server says.
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
    throw new AskError("the server is gone: is traceloom view still running?");
  }
  // That snapshot is gone; a newer one is on its way to the page.
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
        // The browser sends the urgent ones first where they queue for a connection.
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
