// Following a wait: links to the other end of wake-ups, arrows that can be clicked, and the chain of threads that a call waited for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "./axe.js";
import { example } from "./lib.js";
import { ask, bring, cli, clickSlice, settled, sliceNamed, state, tab, tableOf, until } from "./drive.js";
import { onPages } from "./suite.js";

const JANK = example("jank.ftrace.gz"), FRAME = "Choreographer#doFrame 74232";
const LONG = { timeout: 120_000 };

onPages("A wait", { files: [JANK] }, (its) => {
  test("can be asked about in the tab itself", LONG, async () => {
    const page = its.page(), id = await sliceNamed(page, FRAME);
    await tab(page, "why");
    assert.match(await page.getByTestId("panel-why").innerText(), /^Select a call/);
    await bring(page, id);
    await clickSlice(page, id);
    await tab(page, "why");
    await page.getByTestId("why-table").locator(".vt-space > .vt-row").first().waitFor();
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ why: null, selection: null }));
    await page.getByTestId("why-table").waitFor({ state: "detached" });
  });

  test("is explained as by the program, in a row and a table", LONG, async () => {
    const page = its.page(), id = await sliceNamed(page, FRAME), told = cli("why", JANK, "--slice", FRAME, "--json");
    await bring(page, id);
    await clickSlice(page, id);
    await tab(page, "details");
    await page.getByTestId("why").click();
    await page.getByTestId("why-table").locator(".vt-space > .vt-row").first().waitFor();
    await settled(page);
    const rows = await tableOf(page, "why-table");
    assert.ok(rows.length > 3);
    rows.forEach((row, nth) => assert.deepEqual([row.thread.trim(), row.state], [told.parts[nth].thread, told.parts[nth].state], `part ${nth}`));
    assert.equal(await page.locator("[data-testid=why-row] .why-part").count(), told.parts.length);
    await check(page, "why");
    await page.getByTestId("why-table").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await until(page, (state) => state.selection?.kind === "state");
    assert.equal(await state(page, "panel"), "why", "the path stays while its parts are looked at");
    await until(page, () => /why=/.test(location.hash));
  });

  test("the tab answers for the next call that is selected, and the path's name leads back to the path", LONG, async () => {
    const page = its.page(), first = await sliceNamed(page, FRAME), other = await sliceNamed(page, "Choreographer#doFrame 74231");
    const partsOf = async (/** @type {number} */ slice) => (await ask(page, { op: "why", slice })).parts.map((/** @type {any} */ { thread, state }) => [thread, state]);
    const shown = async () => (await tableOf(page, "why-table")).map(({ thread, state }) => [thread.trim(), state]);
    await bring(page, first);
    await clickSlice(page, first);
    await tab(page, "why");
    await until(page, (state, first) => state.why?.slice === first, first);
    await bring(page, other);
    await clickSlice(page, other);
    await until(page, (state, other) => state.why?.slice === other, other);
    await settled(page);
    assert.deepEqual(await shown(), await partsOf(other));
    await page.getByTestId("why-table").focus();
    await page.keyboard.press("ArrowDown");
    await until(page, (state) => state.selection?.kind === "state");
    assert.equal((await state(page, "why")).slice, other, "a part of the path does not replace it");
    await tab(page, "details");
    await bring(page, first);
    await clickSlice(page, first);
    await page.getByTestId("path-row").getByRole("button").first().click();
    await until(page, (state) => state.panel === "why");
    await settled(page);
    assert.equal((await state(page, "why")).slice, other);
    assert.deepEqual(await shown(), await partsOf(other));
    await tab(page, "details");
    await tab(page, "why");
    await until(page, (state, first) => state.why?.slice === first, first);
  });

  test("leads to the owner of the lock, and to who woke the thread", LONG, async () => {
    const page = its.page(), found = await ask(page, { op: "find", text: "monitor contention with owner DiskCache-1", mode: "prefix" });
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ panel: "details" }));
    await bring(page, found.slice[0]);
    await clickSlice(page, found.slice[0]);
    assert.equal(await page.getByTestId("owner").innerText(), "DiskCache-1");
    const links = page.getByTestId("connections").getByRole("button");
    await links.first().waitFor();
    assert.match((await links.allInnerTexts()).join("\n"), /DiskCache-1/);
    await links.filter({ hasText: "DiskCache-1" }).first().click();
    await until(page, (state, owner) => state.selection?.row === owner, await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.model.rows.names.indexOf("DiskCache-1")));
  });

  test("an arrow leads to its other end when it is clicked", LONG, async () => {
    const page = its.page(), id = await sliceNamed(page, FRAME);
    await bring(page, id);
    await clickSlice(page, id);
    await settled(page);
    const at = await page.evaluate(async (id) => {
      const { source, timeline } = /** @type {any} */ (window).traceloom, box = timeline.area.getBoundingClientRect(), { view } = timeline;
      const { flows } = await source.ask({ op: "flows", slice: id });
      const scale = box.width / (view.to - view.from), places = timeline.placed();
      for (const { from, to } of flows) {
        const [a, b] = [from, to].map((end) => places.find((/** @type {any} */ { row }) => row === end?.row));
        if (!a || !b || a.row === b.row) continue;
        const [y0, y1] = [[from, a], [to, b]].map(([end, place]) => place.y + (end.level === null ? 7 : 3 + timeline.model.strip(place.row) + end.level * 18 + 8.5));
        return { x: box.left + ((from.ts + to.ts) / 2 - view.from) * scale, y: box.top + (y0 + y1) / 2, rows: [from.row, to.row] };
      }
      return null;
    }, id);
    assert.ok(at, "an arrow is on the screen");
    const before = await state(page, "selection");
    await page.mouse.click(at.x, at.y);
    await until(page, (state, before) => state.selection && state.selection.id !== before.id, before);
    assert.ok(at.rows.includes((await state(page, "selection")).row));
  });
});
