// Tests of the test library: faults of a page are detected.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, open, PATIENCE, report, serve } from "./lib.js";
import { theBrowser } from "./suite.js";

/** @type {[string, () => unknown, RegExp][]} */
const FAULTS = [
  ["an uncaught error", () => { setTimeout(() => { throw new Error("on purpose"); }); }, /thrown: Error: on purpose/],
  ["an error on the console", () => console.error("on purpose"), /console: on purpose/],
  ["a script that the policy forbids", () => {
    const script = document.createElement("script");
    script.textContent = "window.harmed = 1";
    document.body.append(script);
    if (/** @type {any} */ (window).harmed) throw new Error("the policy did not stop the script");
  }, /Content Security Policy/],
  ["a request to another server", () => fetch("https://example.invalid/").catch(() => {}), /example\.invalid/],
];

for (const kind of ["report", "live"]) {
  for (const [what, does, says] of FAULTS) {
    test(`${what} fails a test, ${kind}`, async (t) => {
      const server = kind === "live" ? await serve(example("app.trace")) : null;
      t.after(() => void server?.stop());
      const { page, faults, done } = await open(theBrowser(), server ? server.url : report("eyes", example("app.trace")));
      await page.evaluate(does);
      for (const end = performance.now() + PATIENCE; !faults.length && performance.now() < end;) await page.evaluate(() => new Promise((next) => setTimeout(next)));
      await assert.rejects(done(), says);
    });
  }
}
