// Opens reports in a Chromium to which only this module talks. Playwright takes part in the start of each page and worker, which
// takes longer than the page itself.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserPath } from "./lib.js";

/** Runs in the page: the times of its first picture and of its engine's first answer, ms since the navigation. */
const TIMES = `(async () => {
  while (!globalThis.traceloom?.ready) await new Promise((done) => setTimeout(done, 1));
  await traceloom.ready;
  const picture = performance.now(), { opened } = traceloom.parts;
  await opened.loaded;
  await opened.ask({ op: "rows", again: true }, { priority: 2 });
  return [picture, performance.now()];
})()`;

/**
 * Starts Chromium. Its protocol's messages end with a zero byte.
 * @param {string} folder for its profile
 */
function start(folder) {
  const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1920,1080", "--remote-debugging-pipe", `--user-data-dir=${folder}`];
  const child = spawn(browserPath(), args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const [, , , to, from] = /** @type {any[]} */ (child.stdio);
  /** @type {Map<number, (message: any) => void>} */
  const waiting = new Map();
  let text = "", last = 0;
  from.setEncoding("utf8").on("data", (/** @type {string} */ more) => {
    const messages = (text + more).split("\0");
    text = messages.pop() ?? "";
    for (const message of messages.map((one) => JSON.parse(one))) waiting.get(message.id)?.(message);
  });
  /** @param {string} method @param {object} params @param {string} [sessionId] @returns {Promise<any>} */
  const send = (method, params, sessionId) => new Promise((done, fail) => {
    waiting.set(++last, ({ result, error }) => (error ? fail(new Error(`${method}: ${error.message}`)) : done(result)));
    to.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
  });
  return { child, send };
}

/** Opens a report in a new tab. @param {ReturnType<typeof start>["send"]} send @param {string} url @returns {Promise<[number, number]>} the two times, ms */
async function visit(send, url) {
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  await send("Page.navigate", { url }, sessionId);
  const { result } = await send("Runtime.evaluate", { expression: TIMES, awaitPromise: true, returnByValue: true }, sessionId);
  await send("Target.closeTarget", { targetId });
  return result.value;
}

/** Opens a report again and again. @param {string} url @param {number} repeats @returns {Promise<{pictures: number[], loads: number[]}>} ms */
export async function openings(url, repeats) {
  const folder = mkdtempSync(join(tmpdir(), "traceloom-chromium-")), { child, send } = start(folder);
  try {
    const all = [];
    for (let at = 0; at < repeats; at++) all.push(await visit(send, url));
    return { pictures: all.map(([picture]) => picture), loads: all.map(([, load]) => load) };
  } finally {
    const gone = new Promise((done) => child.on("exit", done));
    await send("Browser.close", {});
    await gone;
    // Its other processes may write for a moment longer.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
