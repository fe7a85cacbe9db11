// The overview and the ruler above the rows, and the width of the page.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { work } from "./lib.js";
import { settled } from "./drive.js";
import { onPages } from "./suite.js";

/** Eight threads, each busy in another eighth of 80 ms. */
const FILE = join(work, "eighths.json");
mkdirSync(work, { recursive: true });
writeFileSync(FILE, JSON.stringify(Array.from({ length: 8 }, (_, nth) => ({ ph: "X", pid: 1, tid: nth + 1, name: `part ${nth}`, ts: nth * 10_000, dur: 10_000 }))));

onPages("Eight threads without scheduling", { files: [FILE], kinds: ["report"], options: { viewport: { width: 800, height: 600 } } }, (its) => {
  test("all of them are in the overview", async () => {
    const page = its.page();
    await settled(page);
    const colours = await page.getByTestId("overview").locator("canvas").evaluate((canvas) => {
      const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
      const bytes = /** @type {HTMLCanvasElement} */ (canvas).getContext("2d")?.getImageData(0, height - 4, width, 1).data ?? [];
      return Array.from({ length: 8 }, (_, nth) => { const x = Math.floor((nth + 0.5) / 8 * width) * 4; return [...bytes.slice(x, x + 3)].join(); });
    });
    assert.equal(new Set(colours).size, 1, colours.join(" "));
    assert.notEqual(colours[0], "255,255,255");
  });

  test("nothing is wider than the window, so that the focus cannot shift the page", async () => {
    assert.equal(await its.page().evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
  });

  test("no label of the ruler is cut off, because its beginning is another time", async () => {
    const page = its.page();
    await page.evaluate(() => {
      const { prototype } = CanvasRenderingContext2D, draw = prototype.fillText, all = /** @type {any} */ (window).labels = /** @type {any[]} */ ([]);
      prototype.fillText = function (text, x, y, ...more) {
        if (/^\d+ ms$/.test(text)) all.push([text, x + this.measureText(text).width]);
        return draw.call(this, text, x, y, ...more);
      };
    });
    const width = await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.width());
    // The 30 ms are 5 px before the right edge.
    await page.evaluate((width) => /** @type {any} */ (window).traceloom.store.set({ view: { from: 0, to: 30e6 * width / (width - 5) } }), width);
    await settled(page);
    const labels = await page.evaluate(() => /** @type {any} */ (window).labels);
    assert.ok(labels.length > 2);
    assert.deepEqual(labels.filter((/** @type {[string, number]} */ [, right]) => right > width), []);
  });
});
