// The rows of the timeline: folding, pinning, hiding, filtering, scrolling.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { example, work } from "./lib.js";
import { ask, bring, cli, clickSlice, rowNames, settled, state, until } from "./drive.js";
import { onPages } from "./suite.js";

const JANK = example("jank.ftrace.gz");

onPages("Rows", { files: [JANK] }, (its) => {
  const row = (/** @type {string} */ name) => its.page().getByTestId("row").filter({ has: its.page().locator(".row-name", { hasText: new RegExp(`^${name}$`) }) }).first();

  test("the app's main thread and RenderThread come before its other threads", async () => {
    const names = await rowNames(its.page());
    const main = names.lastIndexOf("org.loom.reader", names.indexOf("RenderThread"));
    assert.ok(main >= 0 && names.indexOf("RenderThread") === main + 1, names.join(", "));
  });

  test("every thread of the program's list has a row", async () => {
    const page = its.page(), { threads } = cli("info", JANK, "--json", "--all");
    const names = new Set(await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.model.rows.names));
    const missing = threads.filter((/** @type {any} */ thread) => thread.slices > 0 && !names.has(thread.name)).map((/** @type {any} */ thread) => thread.name);
    assert.deepEqual(missing, []);
  });

  test("fold and unfold", async () => {
    const page = its.page();
    const thread = row("RenderThread"), before = (await thread.boundingBox())?.height ?? 0;
    await thread.locator(".row-main").click();
    await page.waitForFunction(() => [...document.querySelectorAll(".row-main[aria-expanded=false] .row-name")].some((name) => name.textContent === "RenderThread"));
    await settled(page);
    assert.ok(((await thread.boundingBox())?.height ?? 0) < before);
    await thread.locator(".row-main").click();
    await settled(page);
    assert.equal((await thread.boundingBox())?.height, before);
  });

  test("pinned rows stay on top while the others scroll", async () => {
    const page = its.page();
    await row("HeapTaskDaemon").hover();
    await page.getByRole("button", { name: "Pin HeapTaskDaemon to the top" }).click();
    await settled(page);
    assert.equal((await rowNames(page))[0], "HeapTaskDaemon");
    await page.getByTestId("timeline").focus();
    await page.keyboard.press("End");
    await until(page, (state) => state.top > 0);
    await settled(page);
    assert.equal((await rowNames(page))[0], "HeapTaskDaemon");
    await page.keyboard.press("Home");
    await until(page, (state) => state.top === 0);
    await row("HeapTaskDaemon").hover();
    await page.getByRole("button", { name: "Unpin HeapTaskDaemon" }).click();
    await settled(page);
    assert.notEqual((await rowNames(page))[0], "HeapTaskDaemon");
  });

  test("the button that counts hidden rows shows them again", async () => {
    const page = its.page();
    await row("RenderThread").hover();
    await page.getByRole("button", { name: "Hide RenderThread" }).first().click();
    await settled(page);
    assert.equal((await state(page, "rows")) !== null, true);
    assert.match((await page.getByTestId("unhide").getAttribute("aria-label")) ?? "", /1 hidden row/);
    const before = (await rowNames(page)).filter((name) => name === "RenderThread").length;
    await page.getByTestId("unhide").click();
    await settled(page);
    assert.equal((await rowNames(page)).filter((name) => name === "RenderThread").length, before + 1);
    assert.ok(await page.getByTestId("unhide").isHidden());
  });

  test("the filter shows matching rows inside their processes, or says that none match", async () => {
    const page = its.page(), filter = page.getByTestId("filter");
    await filter.fill("imageloader");
    await settled(page);
    const names = await rowNames(page);
    assert.ok(names.includes("ImageLoader-1") && names.includes("ImageLoader-2") && !names.includes("RenderThread"), names.join(", "));
    await filter.fill("ImageLoader-2");
    await settled(page);
    assert.ok(!(await rowNames(page)).includes("ImageLoader-1"));
    await filter.fill("no such row");
    await page.getByText("No row has such a name").waitFor();
    await filter.press("Escape");
    await settled(page);
    assert.ok((await rowNames(page)).includes("RenderThread"));
    assert.equal(await filter.inputValue(), "");
  });

  test("the wheel over the names and Page Down scroll the rows", async () => {
    const page = its.page(), box = await page.getByTestId("rows").boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + 40, box.y + 100);
    await page.mouse.wheel(0, 200);
    await until(page, (state) => state.top === 200);
    await page.mouse.wheel(0, -200);
    await until(page, (state) => state.top === 0);
    await page.getByTestId("timeline").focus();
    await page.keyboard.press("PageDown");
    await until(page, (state) => state.top > 50);
    await page.keyboard.press("Home");
    await until(page, (state) => state.top === 0);
  });

  test("a drag on the overview shows a range, and one click shows the whole trace", async () => {
    const page = its.page(), strip = page.getByTestId("overview"), box = await strip.boundingBox();
    assert.ok(box);
    const end = (await state(page, "view")).to;
    await page.mouse.move(box.x + box.width * 0.4, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    const { from, to } = await state(page, "view");
    assert.ok(Math.abs(from - end * 0.4) < end / 100 && Math.abs(to - end * 0.6) < end / 100);
    await page.getByTestId("zoom-all").click();
    await until(page, (state, end) => state.view.from === 0 && state.view.to === end, end);
  });
});

const ASYNC = join(work, "async.ftrace");
mkdirSync(work, { recursive: true });
// Input events with Android 14's names. All names are different, and each event starts before the previous one ends.
writeFileSync(ASYNC, ["# tracer: nop", ...Array.from({ length: 40 }, (_, nth) => {
  const name = `deliverInputEvent src=0x1002 eventTimeNano=${7000000 + nth * 31} id=0x${(nth * 7919).toString(16)}`;
  const line = (/** @type {number} */ ms, /** @type {string} */ text) => `  com.example-100   (  100) [000] .... ${(1 + ms / 1000).toFixed(6)}: tracing_mark_write: ${text}`;
  return [[nth * 10, line(nth * 10, `S|100|${name}|${nth}`)], [nth * 10 + (nth < 39 ? 12 : 5), line(nth * 10 + (nth < 39 ? 12 : 5), `F|100|${name}|${nth}`)]];
}).flat().sort(([a], [b]) => Number(a) - Number(b)).map(([, text]) => text)].join("\n") + "\n");

onPages("Async names that differ in numbers", { files: [ASYNC] }, (its) => {
  test("share a row, on as many levels as overlap", async () => {
    const page = its.page();
    const rows = await page.evaluate(() => { const { names, notes, levels } = /** @type {any} */ (window).traceloom.timeline.model.rows; return names.map((/** @type {string} */ name, /** @type {number} */ at) => [name, notes[at], levels[at]]); });
    assert.deepEqual(rows.filter(([name]) => name.startsWith("deliver")), [["deliverInputEvent", "40 names", 2]]);
    const { slice } = await ask(page, { op: "find", text: "deliverInputEvent" });
    assert.equal(slice.length, 40);
    await bring(page, slice[6]);
    await clickSlice(page, slice[6]);
    assert.match(await page.getByTestId("details-name").innerText(), /^deliverInputEvent src=0x1002 eventTimeNano=7000186 id=/);
    for (const [key, id] of /** @type {[string, number][]} */ ([["ArrowRight", slice[8]], ["ArrowLeft", slice[6]]])) {
      await page.keyboard.press(key);
      await until(page, (state, id) => state.selection?.id === id, id);
    }
  });
});
