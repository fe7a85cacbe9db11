// A report's engine (WebAssembly) and the server's (native) give the same answers to the same questions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, open, report, serve } from "./lib.js";
import { theBrowser } from "./suite.js";

const RANGES = 200;

/** A generator of pseudo-random numbers from 0 to 1. @param {number} seed */
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Questions about random ranges: many are short, and some cover nearly everything. @param {number} end ns @param {number} seed */
function questions(end, seed) {
  const next = random(seed);
  return Array.from({ length: RANGES }, (_, nth) => {
    const long = end * next() ** (1 + nth % 4), from = Math.round(next() * (end - long)), to = Math.round(from + long);
    return [{ op: "range", from, to, limit: 1000 }, { op: "profile", from, to, limit: 100000, by: ["method", "thread"][nth % 2] }];
  }).flat();
}

/** The answers as text. @param {import("playwright-core").Page} page @param {object[]} list @returns {Promise<string[]>} */
const answers = (page, list) => page.evaluate(async (list) => {
  const { source } = /** @type {any} */ (window).traceloom;
  const text = (/** @type {any} */ answer) => JSON.stringify(answer, (_, value) => ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value), String) : value);
  const out = [];
  for (const question of list) out.push(text(await source.ask(question)));
  return out;
}, list);

for (const name of ["app.trace", "jank.ftrace.gz"]) {
  test(`${name}: ${RANGES} random ranges, both engines`, async (t) => {
    const server = await serve(example(name));
    t.after(() => void server.stop());
    const pages = [await open(theBrowser(), report(`engines-${name}`, example(name))), await open(theBrowser(), server.url)];
    const end = await pages[0].page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.view.end);
    const asked = questions(end, 20_111);
    const [wasm, native] = await Promise.all(pages.map(({ page }) => answers(page, asked)));
    let rows = 0;
    asked.forEach((question, nth) => {
      assert.equal(wasm[nth], native[nth], JSON.stringify(question));
      rows += (JSON.parse(wasm[nth]).rows ?? JSON.parse(wasm[nth]).by_name).length;
    });
    assert.ok(rows > RANGES * 10, `${rows} rows were compared`);
    for (const { done } of pages) await done();
  });
}
