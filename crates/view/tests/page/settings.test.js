// Settings are remembered, and hold for the session if the browser refuses to store anything.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond, check } from "./axe.js";
import { example, open, ready } from "./lib.js";
import { box, settled, state, until } from "./drive.js";
import { onPages, theBrowser } from "./suite.js";

/** Turns the wheel over the time line. Returns what it changed. @param {import("playwright-core").Page} page @param {string} [held] a key that is held down */
async function turn(page, held) {
  const { x, y, width, height } = await box(page, "timeline");
  const read = async () => ({ top: await state(page, "top"), view: await state(page, "view") });
  const before = await read();
  await page.mouse.move(x + width / 2, y + height / 2);
  if (held) await page.keyboard.down(held);
  await page.mouse.wheel(0, 120);
  await page.mouse.wheel(0, 120);
  await until(page, ({ top, view }, { before }) => top !== before.top || view.to - view.from !== before.view.to - before.view.from, { before });
  if (held) await page.keyboard.up(held);
  await settled(page);
  const after = await read();
  return { scrolls: after.top !== before.top, zooms: after.view.to - after.view.from !== before.view.to - before.view.from };
}

/** Shows a part of the trace, so that the wheel can zoom out. @param {import("playwright-core").Page} page */
async function nearer(page) {
  await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.view.set(4e8, 6e8));
  await settled(page);
}

onPages("Settings", { files: [example("jank.ftrace.gz")], options: { viewport: { width: 900, height: 600 } } }, (its) => {
  test("the wheel zooms, and after a choice in the settings it scrolls the rows, as in Perfetto", async () => {
    const page = its.page();
    await nearer(page);
    assert.deepEqual(await turn(page), { scrolls: false, zooms: true });
    await page.keyboard.press(",");
    await page.getByTestId("settings").waitFor();
    await check(page, "settings");
    await page.getByTestId("wheel-rows").check();
    await page.keyboard.press("Escape");
    await nearer(page);
    assert.deepEqual(await turn(page), { scrolls: true, zooms: false });
    assert.deepEqual(await turn(page, "Control"), { scrolls: false, zooms: true });
    await nearer(page);
    assert.deepEqual(await turn(page, "Alt"), { scrolls: false, zooms: true });
  });

  test("the choice is remembered", async () => {
    const page = its.page();
    await page.reload();
    await ready(page);
    await settled(page);
    assert.equal(await state(page, "wheel"), "rows");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("wheel zooms");
    await page.keyboard.press("Enter");
    await until(page, (state) => state.wheel === "zoom");
    await page.setViewportSize({ width: 400, height: 600 });
    await settled(page);
    await page.getByTestId("settings-open").click();
    assert.deepEqual(await beyond(page), []);
    await check(page, "settings in a narrow window");
    await page.keyboard.press("Escape");
  });

  test("without a storage it holds until the page is closed", async () => {
    const { page, context, done } = await open(theBrowser(), its.target());
    await context.addInitScript(() => Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError"); } }));
    await page.reload();
    await ready(page);
    await settled(page);
    assert.equal(await state(page, "wheel"), "zoom");
    await page.getByTestId("settings-open").click();
    await page.getByTestId("wheel-rows").check();
    await page.getByTestId("theme-dark").check();
    await page.keyboard.press("Escape");
    assert.deepEqual(await turn(page), { scrolls: true, zooms: false });
    assert.equal(await state(page, "theme"), "dark");
    await done();
  });
});
