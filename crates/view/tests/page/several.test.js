// Several selected calls: Shift and click, Shift and arrow keys, their sum, and the link.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "./axe.js";
import { example, ready } from "./lib.js";
import { ask, bring, clickSlice, placeOf, sameTime, settled, state, until } from "./drive.js";
import { onPages } from "./suite.js";

/** @param {import("playwright-core").Page} page @returns {Promise<number[]>} */
const chosen = async (page) => { const { id, more = [] } = await state(page, "selection"); return [id, ...more.map((/** @type {any} */ one) => one.id)]; };

/** What the details say about the selected calls. @param {import("playwright-core").Page} page @param {string} key */
const fact = (page, key) => page.getByTestId("several").locator("dt", { hasText: new RegExp(`^${key}$`) }).locator("xpath=following-sibling::dd[1]").innerText();

onPages("Several calls", { files: [example("app.trace")], options: { viewport: { width: 900, height: 800 } } }, (its) => {
  test("Shift and click adds a call and takes it away again; the details have the sum", async () => {
    const page = its.page();
    const { slice, ts, dur } = await ask(page, { op: "find", text: "android.os.Handler.dispatchMessage", mode: "exact" });
    const order = [...slice.keys()].sort((a, b) => dur[b] - dur[a]), longest = order.slice(0, 2).sort((a, b) => ts[a] - ts[b]);
    await bring(page, slice[longest[0]]);
    await clickSlice(page, slice[longest[0]]);
    await page.evaluate(([from, to]) => /** @type {any} */ (window).traceloom.timeline.view.fit(from, to), [ts[longest[0]], ts[longest[1]] + dur[longest[1]]]);
    await settled(page);
    const { x, y } = await placeOf(page, slice[longest[1]]);
    await page.keyboard.down("Shift");
    await page.mouse.click(x, y);
    await page.keyboard.up("Shift");
    await until(page, (state) => state.selection?.more?.length === 1);
    await settled(page);
    assert.deepEqual(await chosen(page), longest.map((at) => slice[at]));
    sameTime(await fact(page, "Sum"), dur[longest[0]] + dur[longest[1]], "the sum");
    sameTime(await fact(page, "Longest"), Math.max(...longest.map((at) => dur[at])), "the longest");
    await page.waitForFunction(() => /2 calls selected/.test(document.querySelector("[data-testid=announce]")?.textContent ?? ""));
    await check(page, "several calls");
    await page.keyboard.down("Shift");
    await page.mouse.click(x, y);
    await page.keyboard.up("Shift");
    await until(page, (state) => state.selection?.kind === "slice" && !state.selection.more);
    await settled(page);
    assert.equal(await page.getByTestId("several").count(), 0);
  });

  test("Shift and an arrow key adds the next call, and a link selects all of them", async () => {
    const page = its.page(), [first] = await chosen(page);
    await page.getByTestId("timeline").focus();
    const next = await ask(page, { op: "neighbour", id: first, to: "next" });
    await page.keyboard.press("Shift+ArrowRight");
    await until(page, (state) => state.selection?.more?.length === 1);
    await page.keyboard.press("Shift+ArrowRight");
    await until(page, (state) => state.selection?.more?.length === 2);
    const all = await chosen(page);
    assert.equal(all[1], next.id ?? next.slice);
    await until(page, (_, all) => new URLSearchParams(location.hash.slice(1)).get("s") === all, all.join("."));
    await page.reload();
    await ready(page);
    await until(page, (state) => state.selection?.more?.length === 2);
    assert.deepEqual(await chosen(page), all);
    await page.keyboard.press("r");
    await until(page, (state) => state.selection?.kind === "range");
    await settled(page);
    const { from, to } = await state(page, "selection"), list = await Promise.all(all.map((id) => ask(page, { op: "locate", id })));
    assert.equal(from, Math.min(...list.map(({ ts }) => ts)));
    assert.equal(to, Math.max(...list.map(({ ts, dur }) => ts + dur)));
  });
});
