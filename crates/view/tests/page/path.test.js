// The critical path as a row of the time line: it has the same parts as in `traceloom why`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond, check } from "./axe.js";
import { example, ready } from "./lib.js";
import { ask, bring, box, clickSlice, rowNames, settled, state, until } from "./drive.js";
import { onPages } from "./suite.js";

onPages("Critical path", { files: [example("jank.ftrace.gz")], options: { viewport: { width: 900, height: 760 } } }, (its) => {
  test("it is a row, its parts can be hovered and selected, and pinned rows stay below it", async () => {
    const page = its.page(), { worst } = await ask(page, { op: "frames", limit: 1 }), { slice } = worst[0];
    await bring(page, slice);
    await clickSlice(page, slice);
    await page.getByTestId("tab-details").click();
    await page.getByTestId("why").click();
    await page.getByTestId("path-row").waitFor();
    await settled(page);
    const { parts } = await ask(page, { op: "why", slice }), part = parts.reduce((/** @type {any} */ a, /** @type {any} */ b) => b.end - b.ts > a.end - a.ts ? b : a);
    const area = await box(page, "timeline"), { from, to } = await state(page, "view"), x = area.x + ((part.ts + part.end) / 2 - from) / (to - from) * area.width;
    await page.mouse.move(x - 2, area.y + 42);
    await page.mouse.move(x, area.y + 42);
    await page.waitForFunction((thread) => document.querySelector("[data-testid=tip]")?.textContent?.startsWith(thread), part.thread);
    await page.mouse.click(x, area.y + 42);
    await until(page, (state, { ts, row }) => state.selection?.kind === "state" && state.selection.ts === ts && state.selection.row === row, { ts: part.ts, row: part.row });
    // A pinned row is below the path, and what is drawn there is found there.
    await page.evaluate(() => { const { timeline } = /** @type {any} */ (window).traceloom, { names } = timeline.model.rows; timeline.model.pin(names.indexOf("RenderThread")); });
    await settled(page);
    assert.equal((await rowNames(page)).find((name) => name), "RenderThread");
    const found = await page.evaluate(() => { const { timeline } = /** @type {any} */ (window).traceloom, [{ row, y }] = timeline.placed(); return { y, same: timeline.hit(5, y + 6)?.row === row, path: timeline.hit(5, 40) }; });
    assert.deepEqual(found, { y: 30 + 28, same: true, path: null });
    await check(page, "critical path");
    await page.setViewportSize({ width: 400, height: 700 });
    await settled(page);
    assert.deepEqual(await beyond(page), []);
    await page.setViewportSize({ width: 900, height: 760 });
  });

  test("a link has it, and a button removes it", async () => {
    const page = its.page();
    await until(page, () => new URLSearchParams(location.hash.slice(1)).has("why"));
    await page.reload();
    await ready(page);
    await page.getByTestId("path-row").waitFor();
    await page.getByTestId("path-close").focus();
    await page.keyboard.press("Enter");
    await until(page, (state) => state.why === null);
    await page.getByTestId("path-row").waitFor({ state: "hidden" });
    await settled(page);
    assert.equal(await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.placed()[0].y), 30);
  });
});
