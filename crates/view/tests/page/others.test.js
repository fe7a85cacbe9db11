// Other browsers than Chromium: Firefox and Safari's engine open reports and the live page.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { PNG } from "pngjs";
import { example, report, serve, work } from "./lib.js";
import { firefox, webkit } from "./others.js";

/** @typedef {import("./others.js").Other} Other */

/** Runs the body of an asynchronous function in the page. @param {Other} browser @param {string} body @returns {Promise<any>} */
async function run(browser, body) {
  const script = `const done = arguments[arguments.length - 1];
    (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
  const { value, error } = await browser.tell("ExecuteAsyncScript", { script, args: [] });
  assert.equal(error, undefined);
  return value;
}

/** Opens a page, and waits for its first full picture or an error. @param {Other} browser @param {string} url */
async function opened(browser, url) {
  await browser.tell("Navigate", { url });
  return run(browser, `
    const end = performance.now() + 30000;
    while (performance.now() < end) {
      if (window.traceloom?.ready) { await window.traceloom.ready; return "ready"; }
      const said = document.querySelector(".state")?.textContent ?? "";
      if (/cannot|damaged/.test(said)) return said;
      await new Promise((next) => setTimeout(next, 20));
    }
    return "nothing came: " + document.body.innerText.slice(0, 200);`);
}

/** Types on the keyboard. @param {Other} browser @param {string} keys */
async function type(browser, keys) {
  const actions = [...keys].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
  await browser.tell("PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] });
}

/** WebDriver's character for the Enter key. */
const ENTER = "\uE007";

/** Waits for a text on the page. @param {Other} browser @param {string} testid @param {string} text */
const says = (browser, testid, text) => run(browser, `
  const seen = () => document.querySelector("[data-testid=${testid}]")?.innerText ?? "";
  for (const end = performance.now() + 20000; performance.now() < end && !seen().includes(${JSON.stringify(text)});) await new Promise((next) => setTimeout(next, 20));
  return seen();`);

/** Takes a screenshot of the page, and returns the number of its colours. @param {Other} browser @param {string} name */
async function shot(browser, name) {
  const picture = Buffer.from(await browser.tell("TakeScreenshot", { full: false }), "base64");
  mkdirSync(join(work, "shots"), { recursive: true });
  writeFileSync(join(work, "shots", `${name}.png`), picture);
  const { data } = PNG.sync.read(picture), colours = new Set();
  for (let i = 0; i < data.length; i += 4) colours.add(data.readUInt32BE(i) >>> 8);
  return colours.size;
}

/** The requests of the page to other servers. @param {Other} browser @returns {Promise<string[]>} */
const asked = (browser) => run(browser, `
  return performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !/^(blob|data):/.test(name) && !name.startsWith(location.origin + "/"));`);

/** Searches for a call with the keyboard, and returns its details. @param {Other} browser @param {string} name */
async function find(browser, name) {
  await run(browser, "document.activeElement?.blur();");
  await type(browser, "/");
  await type(browser, name);
  assert.match(await says(browser, "search-hits", "1"), /\d/);
  await type(browser, ENTER);
  return says(browser, "details-name", name);
}

/** Runs the same tests in a browser. @param {string} title @param {() => Promise<Other | null>} start */
function works(title, start) {
  describe(title, () => {
    /** @type {Other | null} */
    let browser = null;
    before(async () => {
      browser = await start();
      await browser?.tell("SetTimeouts", { script: 60_000, pageLoad: 60_000 });
      await browser?.tell("SetWindowRect", { width: 1366, height: 868 });
    });
    after(() => browser?.close());

    /** @param {string} what @param {(its: Other) => Promise<void>} body */
    const it = (what, body) => test(what, async (t) => browser ? body(browser) : t.skip(`${title} is missing`));

    for (const [name, call] of [["app.trace", "ArticleParser.parse"], ["jank.ftrace.gz", "DiskLruCache.commit"]]) {
      it(`a report of ${name} opens from the disk, draws and searches`, async (its) => {
        const path = report(`${title}-${name}`.replaceAll(/[^a-z]+/gi, "-"), example(name));
        assert.equal(await opened(its, pathToFileURL(path).href), "ready");
        assert.ok((await find(its, call)).includes(call));
        assert.ok(await shot(its, `${title}-${name}`.replaceAll(/[^a-z]+/gi, "-")) > 50, "the picture has bars and text");
        assert.deepEqual(await asked(its), []);
      });
    }

    it("the live page opens, and answers like the report", async (its) => {
      const server = await serve(example("app.trace"));
      try {
        assert.equal(await opened(its, server.url), "ready");
        assert.ok((await find(its, "ArticleParser.parse")).includes("ArticleParser.parse"));
        assert.deepEqual(await asked(its), []);
      } finally {
        server.stop();
      }
    });
  });
}

works("Firefox", firefox);
works("WebKit", webkit);
