// Measures waiting times of the page. Run by `cargo xtask bench`, which generates the data and writes the table:
//   node bench.js WIDE.trace APP.trace APP.speedscope.json REPEATS BIG.ftrace BIG.perfetto-trace
// Prints one line per figure: its name, a tab, its value (ms or bytes).
import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { launch, program, serve, work } from "./lib.js";
import { openings } from "./plain_chromium.js";
import { tabBytes } from "./tab_memory.js";

const [wide, app, peer, times, big, phone] = process.argv.slice(2);
const repeats = Number(times);
const SCREEN = { width: 1920, height: 1080 };
const sleep = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

/** @param {string} name @param {number} value */
const tell = (name, value) => console.log(`${name}\t${value.toFixed(2)}`);
/** @param {number[]} values @param {number} share */
const rank = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];
/** @param {string} name @param {number[]} values */
const median = (name, values) => tell(name, rank(values, 0.5));

/** Runs in the page before its own script: measures frames and the time of the first picture. */
function watch() {
  const seen = { frames: /** @type {number[]} */ ([]), ready: 0, last: -1, answers: /** @type {Record<string, number>} */ ({}) };
  const global = /** @type {any} */ (window);
  global.seen = seen;
  const original = requestAnimationFrame;
  // The browser passes the same time to all callbacks of a frame. The cost of a frame is the time of all its
  // callbacks.
  global.requestAnimationFrame = (/** @type {FrameRequestCallback} */ work) => original((now) => {
    const start = performance.now();
    work(now);
    const cost = performance.now() - start;
    if (seen.last === now) seen.frames[seen.frames.length - 1] += cost;
    else seen.frames.push(cost);
    seen.last = now;
  });
  const ask = fetch;
  // Counts the answers to each kind of question. The page handles an answer before the next frame.
  global.fetch = async (/** @type {string} */ url, /** @type {RequestInit} */ init) => {
    const response = await ask(url, init);
    if (typeof init?.body !== "string") return response;
    const { op } = JSON.parse(init.body), whole = response.arrayBuffer.bind(response);
    response.arrayBuffer = async () => {
      const bytes = await whole();
      seen.answers[op] = (seen.answers[op] ?? 0) + 1;
      return bytes;
    };
    return response;
  };
  Object.defineProperty(global, "traceloom", {
    configurable: true,
    set(value) {
      Object.defineProperty(global, "traceloom", { value, writable: true });
      value.ready.then(() => original(() => { seen.ready = performance.now(); }));
    },
  });
  /**
   * Measures the time from an event until `shown` returns true. It is already listening when it returns this object. That
   * matters because keys and clicks may arrive before code that the page is asked to evaluate.
   * @param {string} event @param {() => boolean} shown
   */
  global.waits = (event, shown) => ({ ms: new Promise((done, fail) => {
    setTimeout(() => fail(new Error(`nothing was shown for a minute after ${event}`)), 60_000);
    addEventListener(event, ({ timeStamp }) => {
      const look = () => (shown() ? done(performance.now() - timeStamp) : original(look));
      original(look);
    }, { capture: true, once: true });
  }) });
}

/** @param {import("playwright-core").Browser} browser @param {string} url */
async function visit(browser, url) {
  const context = await browser.newContext({ viewport: SCREEN });
  const page = await context.newPage();
  await page.addInitScript(watch);
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(() => /** @type {any} */ (window).seen.ready > 0, null, { timeout: 120_000 });
  const ms = await page.evaluate(() => /** @type {any} */ (window).seen.ready);
  return { page, context, ms };
}

/** Asks the server directly. @param {string} url @param {object} question @returns {Promise<number>} ms until the whole answer has arrived */
async function ask(url, question) {
  const { origin, searchParams } = new URL(url);
  const headers = { "content-type": "application/json", "x-traceloom-token": searchParams.get("token") ?? "" };
  const start = performance.now();
  const answer = await fetch(`${origin}/api`, { method: "POST", headers, body: JSON.stringify(question) });
  const bytes = await answer.arrayBuffer();
  if (!answer.ok || bytes.byteLength < 8) throw new Error(`${JSON.stringify(question)}: ${answer.status}`);
  return performance.now() - start;
}

/** Times a question. Each range is a little smaller, so that the answer is not cached. @param {string} url @param {object} question @param {number} end */
async function asks(url, question, end) {
  const all = [];
  for (let at = 1; at <= repeats; at++) all.push(await ask(url, { ...question, from: at * 1000, to: end - at * 1000 }));
  return all;
}

/** Opens a trace again and again. Returns the times of the first answers and of the pictures after them. @param {import("playwright-core").Browser} browser @param {string} trace */
async function opened(browser, trace) {
  const answers = [], pictures = [];
  for (let at = 0; at < repeats; at++) {
    const start = performance.now();
    const server = await serve(trace);
    await ask(server.url, { op: "meta" });
    answers.push(performance.now() - start);
    const { context, ms } = await visit(browser, server.url);
    pictures.push(ms);
    await context.close();
    server.stop();
    await new Promise((done) => server.child.on("exit", done));
  }
  return { answers, pictures };
}

/** @param {import("playwright-core").Browser} browser */
async function starts(browser) {
  const { answers, pictures } = await opened(browser, wide);
  median("server answers", answers);
  median("first picture at once", pictures);
}

/** @param {import("playwright-core").Browser} browser */
async function phones(browser) {
  const { answers, pictures } = await opened(browser, phone);
  median("phone opened", answers.map((ms, at) => ms + pictures[at]));
}

/** @param {import("playwright-core").Page} page @param {string} key @param {number} ms */
async function hold(page, key, ms) {
  await page.keyboard.down(key);
  await sleep(ms);
  await page.keyboard.up(key);
}

/** Moves with keys and the wheel over deep rows, at several places and zoom levels. @param {import("playwright-core").Page} page */
async function moves(page) {
  await page.mouse.move(1000, 400);
  await page.evaluate(() => { /** @type {any} */ (window).seen.frames = []; });
  for (const [key, ms] of /** @type {[string, number][]} */ ([["w", 1500], ["d", 1000], ["a", 1000], ["w", 1000], ["d", 800], ["s", 1200]])) await hold(page, key, ms);
  for (const [dx, dy, count] of [[0, -120, 25], [0, 120, 15]]) {
    for (let at = 0; at < count; at++) { await page.mouse.wheel(dx, dy); await sleep(40); }
  }
  await page.keyboard.down("Shift");
  for (let at = 0; at < 30; at++) { await page.mouse.wheel(0, at < 15 ? 120 : -120); await sleep(40); }
  await page.keyboard.up("Shift");
  await page.keyboard.down("Alt");
  for (let at = 0; at < 20; at++) { await page.mouse.wheel(0, 200); await sleep(40); }
  await page.keyboard.up("Alt");
  await hold(page, "s", 1500);
  await sleep(300);
  return page.evaluate(() => /** @type {number[]} */ (/** @type {any} */ (window).seen.frames));
}

/** Waits for the end of a measurement of `waits`. @param {import("playwright-core").JSHandle<{ms: Promise<number>}>} waiting @returns {Promise<number>} */
const ended = (waiting) => waiting.evaluate(({ ms }) => ms);

/** Clicks where bars are, until enough details were shown. @param {import("playwright-core").Page} page */
async function clicks(page) {
  const all = [];
  const box = await page.getByTestId("canvas").boundingBox();
  if (!box) throw new Error("no canvas");
  for (let at = 0; at < 60 && all.length < repeats * 2; at++) {
    const before = await page.evaluate(() => JSON.stringify(/** @type {any} */ (window).traceloom.store.get().selection));
    const waiting = await page.evaluateHandle((before) => {
      const { ms } = /** @type {any} */ (window).waits("pointerup", () => {
        const { selection } = /** @type {any} */ (window).traceloom.store.get();
        const name = document.querySelector("[data-testid=details-name]");
        if (selection?.kind !== "slice" || JSON.stringify(selection) === before || !name) return false;
        return !!document.querySelector(".details .facts");
      });
      return { ms: Promise.race([ms, new Promise((done) => setTimeout(() => done(-1), 1500))]) };
    }, before);
    await page.evaluate(() => { document.querySelector(".details")?.replaceChildren(); });
    await page.mouse.click(box.x + 100 + ((at * 313) % (box.width - 200)), box.y + 60 + ((at * 37) % (box.height - 80)));
    const ms = await ended(waiting);
    if (ms >= 0) all.push(ms);
  }
  if (!all.length) throw new Error("no click hit a slice");
  return all;
}

/** @param {import("playwright-core").Page} page @param {string} text */
async function search(page, text) {
  const input = page.getByTestId("search");
  await input.fill("");
  await sleep(300);
  const waiting = await page.evaluateHandle(() => /** @type {any} */ (window).waits("input", () => /\d/.test(document.querySelector("[data-testid=search-hits]")?.textContent ?? "")));
  await input.fill(text);
  return ended(waiting);
}

/** Waits from an event until the next answer to a question of this kind is shown. @param {import("playwright-core").Page} page @param {string} event @param {string} op */
function answered(page, event, op) {
  return page.evaluateHandle(([event, op]) => {
    const { seen, waits } = /** @type {any} */ (window), before = seen.answers[op] ?? 0;
    return waits(event, () => (seen.answers[op] ?? 0) > before);
  }, [event, op]);
}

/** Clears the selection and shows nearly everything, with a different range each time. @param {import("playwright-core").Page} page @param {number} at */
const nearlyAll = (page, at) => page.evaluate((at) => {
  const { store } = /** @type {any} */ (window).traceloom, { to } = store.get().view;
  store.set({ selection: null, view: { from: at * 1000, to: to - at * 1000 } });
}, at);

/** Presses R to select the visible range, and waits until its table is shown. @param {import("playwright-core").Page} page @param {number} at */
async function range(page, at) {
  await nearlyAll(page, at);
  await page.getByTestId("timeline").focus();
  const waiting = await answered(page, "keydown", "range");
  await page.keyboard.press("r");
  return ended(waiting);
}

/** Clicks the button that limits the profile to the range. @param {import("playwright-core").Page} page @param {number} at */
async function profile(page, at) {
  await nearlyAll(page, at);
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("r");
  await page.getByRole("tab", { name: "Profile", exact: true }).click();
  await sleep(500);
  const waiting = await answered(page, "click", "profile");
  await page.getByTestId("profile-range").click();
  const ms = await ended(waiting);
  await sleep(300);
  await page.getByTestId("profile-whole").click();
  return ms;
}

/** @param {import("playwright-core").Browser} browser */
async function live(browser) {
  const server = await serve(wide);
  const first = await visit(browser, server.url);
  await first.context.close();
  // Wait until background work has ended.
  await sleep(3000);
  const pictures = [];
  for (let at = 0; at < repeats; at++) {
    const { context, ms } = await visit(browser, server.url);
    pictures.push(ms);
    await context.close();
  }
  median("first picture", pictures);
  const { page, context } = await visit(browser, server.url);
  const frames = await moves(page);
  tell("frames", frames.length);
  tell("frames p50", rank(frames, 0.5));
  tell("frames p95", rank(frames, 0.95));
  tell("frames worst", rank(frames, 1));
  await page.keyboard.press("0");
  await page.mouse.move(1000, 400);
  await hold(page, "w", 2200);
  await sleep(800);
  median("click", await clicks(page));
  const searches = [];
  for (const text of ["method1", "Class7.", "com.example", "method1999", "worker"].slice(0, Math.max(3, repeats))) searches.push(await search(page, text));
  tell("search worst", rank(searches, 1));
  median("search", searches);
  await page.getByTestId("search").fill("");
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("0");
  await sleep(500);
  const end = await page.evaluate(() => /** @type {any} */ (window).traceloom.store.get().view.to);
  const ranges = [];
  for (let at = 1; at <= repeats; at++) ranges.push(await range(page, at * 7));
  median("range", ranges);
  const profiles = [];
  for (let at = 1; at <= repeats; at++) profiles.push(await profile(page, 1 + at * 7));
  median("profile", profiles);
  await context.close();
  median("server search", [await ask(server.url, { op: "find", text: "method1", mode: "smart", limit: 20000 }), await ask(server.url, { op: "find", text: "com.example", mode: "smart", limit: 20000 }), await ask(server.url, { op: "find", text: "Class7.", mode: "smart", limit: 20000 })]);
  median("server range", await asks(server.url, { op: "range", limit: 2000 }, end));
  median("server profile", await asks(server.url, { op: "profile", by: "method" }, end));
  server.stop();
  await new Promise((done) => server.child.on("exit", done));
}

/** Size of everything but the trace, bytes: the engine as it is, the rest gzipped. @param {string} html */
function ownBytes(html) {
  const engine = /id="traceloom-engine">([^<]*)/.exec(html)?.[1] ?? "";
  const page = html.replace(engine, "").replace(/(<script [^>]*(?:class="traceloom-columns"|id="traceloom-preview")[^>]*>)[^<]*/g, "$1");
  return Buffer.from(engine, "base64").length + gzipSync(page, { level: 9 }).length;
}

async function reports() {
  mkdirSync(work, { recursive: true });
  const path = join(work, "bench-report.html"), writes = [];
  for (let at = 0; at < repeats; at++) {
    const start = performance.now();
    execFileSync(program, ["report", app, "-o", path], { stdio: ["ignore", "ignore", "pipe"] });
    writes.push(performance.now() - start);
  }
  median("report written", writes);
  tell("report bytes", statSync(path).size);
  tell("page bytes", ownBytes(readFileSync(path, "utf8")));
  const { pictures, loads } = await openings(pathToFileURL(path).href, repeats);
  median("report picture", pictures);
  median("report loaded", loads);
}

/** A report of a big system trace. @param {import("playwright-core").Browser} browser */
async function bigReports(browser) {
  const path = join(work, "bench-big-report.html"), bytes = [];
  execFileSync(program, ["report", big, "-o", path], { stdio: ["ignore", "ignore", "pipe"] });
  for (let at = 0; at < repeats; at++) {
    const { page, context } = await visit(browser, pathToFileURL(path).href);
    await page.evaluate(() => /** @type {any} */ (window).traceloom.parts.opened.loaded);
    bytes.push(tabBytes());
    await context.close();
  }
  const { pictures, loads } = await openings(pathToFileURL(path).href, repeats);
  median("big report picture", pictures);
  median("big report loaded", loads);
  median("big report tab bytes", bytes);
  unlinkSync(path);
}

/** Serves speedscope's page and the profile from this machine, like speedscope's own command. @param {string} folder */
async function loopback(folder) {
  /** @type {Record<string, string>} */
  const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://localhost").pathname;
    const path = name === "/profile.json" ? peer : join(folder, name === "/" ? "index.html" : name);
    if (!existsSync(path)) { response.writeHead(404).end(); return; }
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream", "content-length": statSync(path).size });
    createReadStream(path).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  return server;
}

/** Waits until the flame chart is drawn: its canvases exist, and one more frame has passed. @param {import("playwright-core").Browser} browser */
async function speedscope(browser) {
  const folder = join(dirname(fileURLToPath(import.meta.url)), "node_modules/speedscope/dist/release");
  const server = await loopback(folder);
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/#profileURL=${encodeURIComponent(`http://127.0.0.1:${port}/profile.json`)}`;
  const all = [];
  for (let at = 0; at < repeats; at++) {
    const context = await browser.newContext({ viewport: SCREEN });
    const page = await context.newPage();
    page.on("pageerror", (error) => console.error(`speedscope: ${error.message}`));
    await page.goto(url, { waitUntil: "commit" });
    all.push(await page.evaluate(() => new Promise((done) => {
      // The minimap and the chart are drawn with WebGL, and each has another canvas for its text.
      const look = () => (document.querySelectorAll("canvas").length >= 3 ? requestAnimationFrame(() => done(performance.now())) : requestAnimationFrame(look));
      look();
    })));
    if (at === 0) await page.screenshot({ path: join(work, "bench-speedscope.png") });
    await context.close();
  }
  server.close();
  median("speedscope picture", /** @type {number[]} */ (all));
  tell("speedscope bytes", statSync(peer).size);
}

const browser = await launch();
const only = process.env.ONLY ?? "starts,live,reports,bigReports,phones,speedscope";
for (const [name, part] of Object.entries({ starts, live, reports, bigReports, phones, speedscope })) {
  if (only.split(",").includes(name)) await part(browser);
}
await browser.close();
