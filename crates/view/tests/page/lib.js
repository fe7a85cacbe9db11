// Shared parts of the page tests: the browser, the program, reports and live pages, and the detection of faults
// (a console error, a request to another server).
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
/** The workspace. */
export const root = resolve(here, "../../../..");
/** The program under test. */
export const program = process.env.TRACELOOM ?? join(root, "target/debug/traceloom");
/** The folder for reports and screenshots. */
export const work = process.env.TRACELOOM_PAGE_OUT ?? join(root, "target/page-tests");
/** The folder of extreme synthetic traces (`cargo xtask page-data`). */
export const extremes = join(work, "data");

/** Time limit for whatever a test waits for, ms: far more than it ever needs, also on a slow machine. */
export const PATIENCE = 90_000;
/** Up to this delay, ms, what the page puts off belongs to what was done: a panel that follows the selection, a search while typing. */
const DELAY = 200;

/** An example trace of the repository. @param {string} name */
export const example = (name) => join(root, "examples", name);

/** Real traces of a category; none if the corpus is missing. @param {string} category */
export function corpus(category) {
  const folder = join(process.env.TRACELOOM_TESTDATA ?? join(root, "../shared/testdata"), category);
  return existsSync(folder) ? readdirSync(folder).sort().map((name) => join(folder, name)) : [];
}

/** Where Chromium is. */
export const browserPath = () => process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path)) ?? "chromium";

/** Starts Debian's Chromium with its own network requests disabled. */
export function launch() {
  const quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  return chromium.launch({ executablePath: browserPath(), headless: true, timeout: PATIENCE, args: [...quiet, "--disable-sync", "--no-first-run", "--font-render-hinting=none"] });
}

/** A path relative to the workspace if it is inside it, because pages show the path. @param {string} path */
const inside = (path) => path.startsWith(`${root}/`) ? relative(root, path) : path;

/** Writes a report and returns its path. @param {string} name @param {string[]} args files and options */
export function report(name, ...args) {
  mkdirSync(work, { recursive: true });
  const path = join(work, `${name}.html`);
  execFileSync(program, ["report", ...args.map(inside), "-o", path], { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  return path;
}

/** A whole URL in the output of the program, which may come in pieces. */
export const URL_LINE = /http:\/\/127\.0\.0\.1:\d+\/\S+(?=\s)/;

/** Starts the live server with these files. Returns its URL and a function that stops it. @param {string[]} args */
export async function serve(...args) {
  const child = spawn(program, ["view", "--no-open", ...args.map(inside)], { cwd: root, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, XDG_STATE_HOME: join(work, "state") } });
  const url = await new Promise((found, failed) => {
    let text = "";
    const look = (/** @type {Buffer} */ chunk) => {
      text += chunk;
      const match = URL_LINE.exec(text);
      if (match) found(match[0]);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("exit", () => failed(new Error(`no server: ${text}`)));
  });
  return { url: String(url), stop: () => child.kill("SIGINT"), child };
}

/** Keeps the page's short delays in `window.delays`, for `settled`. Runs in the page, before its scripts. @param {number} longest ms */
function keepDelays(longest) {
  const delays = /** @type {any} */ (window).delays = new Set(), { setTimeout: start, clearTimeout: stop } = window;
  window.setTimeout = /** @type {any} */ ((/** @type {(...all: any[]) => void} */ then, ms = 0, /** @type {any[]} */ ...all) => {
    const id = start(() => { delays.delete(id); then(...all); }, ms);
    if (ms < longest) delays.add(id);
    return id;
  });
  window.clearTimeout = (id) => { delays.delete(id); stop(id); };
}

/**
 * Opens a page and watches it. `faults` collects faults; `done()` fails if there are any.
 * @param {import("playwright-core").Browser} browser
 * @param {string} target a path of a report, or a URL
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function open(browser, target, options = {}) {
  const url = /^(https?|file):/.test(target) ? target : pathToFileURL(target).href;
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  await context.addInitScript(keepDelays, DELAY);
  const page = await context.newPage();
  /** @type {string[]} */
  const faults = [];
  const own = url.startsWith("http") ? new URL(url).origin : url.split("#")[0];
  page.on("console", (line) => ["error", "warning"].includes(line.type()) && faults.push(`console: ${line.text()}`));
  page.on("pageerror", (error) => faults.push(`thrown: ${error.stack}`));
  page.on("request", (request) => {
    const to = request.url();
    if (!to.startsWith(own) && !/^(blob|data):/.test(to)) faults.push(`request: ${to}`);
  });
  await page.goto(url);
  await ready(page);
  const done = async () => {
    await context.close();
    if (faults.length) throw new Error(faults.join("\n"));
  };
  return { page, context, faults, done };
}

/** Waits for the first full picture. @param {import("playwright-core").Page} page */
export async function ready(page) {
  await page.waitForFunction(() => Boolean(/** @type {any} */ (window).traceloom?.ready));
  await page.evaluate(() => /** @type {any} */ (window).traceloom.ready);
}
