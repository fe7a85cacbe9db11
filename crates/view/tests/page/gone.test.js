// After the server has stopped, the page keeps what it has drawn, and says how to go on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, open, serve } from "./lib.js";
import { settled, until } from "./drive.js";
import { theBrowser } from "./suite.js";

const JANK = example("jank.ftrace.gz");

/** How many points of the canvas have another colour than the background of rows. @param {import("playwright-core").Page} page */
const drawn = (page) => page.getByTestId("canvas").evaluate((canvas) => {
  // A copy, because the browser warns about a canvas that is read again and again.
  const shown = /** @type {HTMLCanvasElement} */ (canvas), copy = new OffscreenCanvas(shown.width, shown.height).getContext("2d", { willReadFrequently: true });
  copy?.drawImage(shown, 0, 0);
  const points = copy?.getImageData(0, 0, shown.width, shown.height).data ?? [];
  let count = 0;
  for (let at = 0; at < points.length; at += 4) if (Math.max(points[at], points[at + 1], points[at + 2]) - Math.min(points[at], points[at + 1], points[at + 2]) > 40) count++;
  return count;
});

test("the time line stays, and a banner names the command", async (t) => {
  const server = await serve(JANK), { page, context, faults } = await open(theBrowser(), server.url, { reducedMotion: "reduce" });
  t.after(() => context.close());
  await settled(page);
  const before = await drawn(page);
  assert.ok(before > 1000);
  const ended = new Promise((done) => server.child.on("exit", done));
  server.stop();
  await ended;
  await page.getByTestId("timeline").focus();
  for (const key of ["+", "+", "+"]) await page.keyboard.press(key);
  await until(page, (state) => state.view.from > 0);
  await page.getByTestId("gone").waitFor();
  assert.match(await page.getByTestId("gone").innerText(), /traceloom view \S*jank\.ftrace\.gz/);
  await settled(page);
  assert.ok(await drawn(page) > 1000, "what was drawn is drawn larger");
  await page.keyboard.press("0");
  await until(page, (state) => state.view.from === 0);
  await settled(page);
  assert.ok(await drawn(page) > before / 2, "the whole trace is still there");
  assert.equal(await page.getByTestId("gone").count(), 1);
  assert.deepEqual(faults.filter((text) => !text.includes("ERR_CONNECTION_REFUSED")), []);
});
