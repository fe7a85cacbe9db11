// The eyes of these tests are open: what must not happen on a page is seen when it does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, open, report, serve } from "./lib.js";
import { theBrowser } from "./suite.js";

/** @type {[string, () => unknown, RegExp][]} */
const FAULTS = [
  ["an error that nobody catches", () => { setTimeout(() => { throw new Error("on purpose"); }); }, /thrown: Error: on purpose/],
  ["a line on the console", () => console.error("on purpose"), /console: on purpose/],
  ["a script that the policy forbids", () => {
    const script = document.createElement("script");
    script.textContent = "window.harmed = 1";
    document.body.append(script);
    if (/** @type {any} */ (window).harmed) throw new Error("the policy let it run");
  }, /Content Security Policy/],
  ["a request to somewhere", () => fetch("https://example.invalid/").catch(() => {}), /example\.invalid/],
];

for (const kind of ["report", "live"]) {
  for (const [what, does, says] of FAULTS) {
    test(`${what} fails a test, ${kind}`, async (t) => {
      const server = kind === "live" ? await serve(example("app.trace")) : null;
      t.after(() => void server?.stop());
      const { page, faults, done } = await open(theBrowser(), server ? server.url : report("eyes", example("app.trace")));
      await page.evaluate(does);
      for (let turns = 0; !faults.length && turns < 100; turns++) await page.evaluate(() => new Promise((next) => setTimeout(next)));
      await assert.rejects(done(), says);
    });
  }
}
