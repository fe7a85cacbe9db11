// Touch, the clipboard, and the choice of colours.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, open, serve } from "./lib.js";
import { ask, bring, box, cli, clickSlice, placeOf, settled, sliceNamed, state, until } from "./drive.js";
import { onPages, theBrowser } from "./suite.js";

const APP = example("app.trace");

onPages("Fingers", { files: [APP], kinds: ["report"], options: { hasTouch: true, reducedMotion: "reduce" } }, (its) => {
  /** Puts fingers down, moves them and lifts them. @param {{from: [number, number], to: [number, number]}[]} fingers px */
  async function touch(fingers) {
    const page = its.page(), cdp = await page.context().newCDPSession(page), steps = 5;
    const at = (/** @type {number} */ step) => fingers.map(({ from, to }, id) => ({ id, x: from[0] + (to[0] - from[0]) * step / steps, y: from[1] + (to[1] - from[1]) * step / steps }));
    const start = cdp.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
    // Events are sent without waiting: a finger that rests for a moment would select instead of moving the view.
    const moves = Array.from({ length: steps }, (_, step) => cdp.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step + 1) }));
    await Promise.all([start, ...moves, cdp.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] })]);
    await settled(page);
  }

  test("two fingers zoom, one finger pans, and a tap selects", async () => {
    const page = its.page(), { x, y, width, height } = await box(page, "timeline");
    const whole = await state(page, "view"), middle = y + height / 2;
    await touch([{ from: [x + width * 0.45, middle], to: [x + width * 0.2, middle] }, { from: [x + width * 0.55, middle], to: [x + width * 0.8, middle] }]);
    const near = await state(page, "view");
    assert.ok(near.to - near.from < (whole.to - whole.from) / 3, "spreading the fingers zooms in");
    await touch([{ from: [x + width * 0.6, middle], to: [x + width * 0.3, middle] }]);
    const right = await state(page, "view");
    assert.ok(Math.abs(right.from - near.from - (near.to - near.from) * 0.3) < (near.to - near.from) * 0.02, "the picture follows the finger");
    const id = await sliceNamed(page, "com.example.news.ArticleParser.parse");
    await bring(page, id);
    const place = await placeOf(page, id);
    await page.touchscreen.tap(place.x, place.y);
    await until(page, (state, id) => state.selection?.id === id, id);
  });
});

onPages("Colours", { files: [APP], kinds: ["report"] }, (its) => {
  test("Traceview's colours by rank are a choice, kept in the link", async () => {
    const page = its.page();
    const picture = () => page.getByTestId("canvas").evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());
    const before = await picture();
    await page.getByTestId("colours").click();
    await page.getByRole("menuitemradio", { name: "Traceview" }).click();
    await until(page, (state) => state.colours === "rank");
    await settled(page);
    assert.notEqual(await picture(), before);
    await page.waitForFunction(() => location.hash.includes("c=rank"));
    await page.getByTestId("colours").click();
    await page.getByRole("menuitemradio", { name: "by name" }).click();
    await until(page, (state) => state.colours === "name");
    await settled(page);
    await page.mouse.move(5, 5);
    await settled(page);
    assert.equal(await picture(), before, "switching back restores every pixel");
    const { rank } = await ask(page, { op: "ranks" }), first = cli("profile", APP, "--json", "--limit", "1").rows[0];
    const { name } = await ask(page, { op: "slice", id: await sliceNamed(page, `${first.class}.${first.name}`) });
    assert.equal(rank[name], 1);
  });
});

test("the copied text equals the panel's", async () => {
  const server = await serve(APP);
  try {
    const { page, done } = await open(theBrowser(), server.url, { permissions: ["clipboard-read", "clipboard-write"] });
    const id = await sliceNamed(page, "com.example.news.ArticleParser.parse");
    await bring(page, id);
    await clickSlice(page, id);
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByTestId("copy-text").click();
    await page.getByText("Text copied").waitFor();
    assert.match(await clipboard(), /^com\.example\.news\.ArticleParser\.parse\nDuration: 172\.77 ms\n(.*\n)*Called by: .*onBindViewHolder$/);
    await page.getByTestId("copy-json").click();
    await page.getByText("JSON copied").waitFor();
    const copied = JSON.parse(await clipboard());
    assert.deepEqual([copied.id, copied.method, copied.dur], [id, "parse", 172774000]);
    await done();
  } finally { server.stop(); }
});
