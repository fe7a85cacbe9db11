// Undo and redo of views and selections, with keys and buttons; the browser's own history is left alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { check } from "./axe.js";
import { example } from "./lib.js";
import { bring, clickSlice, settled, sliceNamed, state, until } from "./drive.js";
import { onPages } from "./suite.js";

/** @param {import("playwright-core").Page} page */
const shown = async (page) => {
  const { from, to } = await state(page, "view"), selection = await state(page, "selection");
  return { view: [Math.round(from), Math.round(to)], kind: selection?.kind ?? null, id: selection?.id ?? null };
};

/** Waits until the page has taken what is shown as a step. @param {import("playwright-core").Page} page @param {number} steps how many there are then */
async function taken(page, steps) {
  await page.waitForFunction((steps) => /** @type {HTMLElement} */ (document.querySelector("[data-testid=undo]")).dataset.steps === String(steps), steps);
  await settled(page);
}

onPages("Undo", { files: [example("app.trace")], options: { viewport: { width: 900, height: 700 } } }, (its) => {
  test("steps go back to the view and the selection, and forward again", async () => {
    const page = its.page(), first = await shown(page), pages = await page.evaluate(() => history.length);
    assert.equal(await page.getByTestId("undo").getAttribute("aria-disabled"), "true");
    const id = await sliceNamed(page, "com.example.news.ArticleParser.parse");
    await bring(page, id);
    await taken(page, 1);
    const near = await shown(page);
    await clickSlice(page, id);
    await taken(page, 2);
    const chosen = await shown(page);
    await page.keyboard.press("r");
    await until(page, (state) => state.selection?.kind === "range");
    await taken(page, 3);
    const range = await shown(page);
    await page.keyboard.press("Alt+ArrowLeft");
    await until(page, (state) => state.selection?.kind === "slice");
    await settled(page);
    assert.deepEqual(await shown(page), chosen);
    await page.getByTestId("undo").click();
    await until(page, (state) => state.selection === null);
    await settled(page);
    assert.deepEqual(await shown(page), near);
    await page.keyboard.press("Alt+ArrowLeft");
    await until(page, (state, to) => Math.round(state.view.to) === to, first.view[1]);
    assert.deepEqual(await shown(page), first);
    await check(page, "undo");
    // Nothing is left to undo. The key does not leave the page.
    await page.keyboard.press("Alt+ArrowLeft");
    assert.deepEqual(await shown(page), first);
    for (const expected of [near, chosen, range]) {
      await page.keyboard.press("Alt+ArrowRight");
      await until(page, (state, kind) => (state.selection?.kind ?? null) === kind, expected.kind);
      await settled(page);
      assert.deepEqual(await shown(page), expected);
    }
    assert.equal(await page.evaluate(() => history.length), pages, "the browser's history has no more entries");
  });

  test("a new step ends what could be done again", async () => {
    const page = its.page();
    await page.keyboard.press("Alt+ArrowLeft");
    await until(page, (state) => state.selection?.kind === "slice");
    await page.keyboard.press("Escape");
    await until(page, (state) => state.selection === null);
    await page.waitForFunction(() => document.querySelector("[data-testid=redo]")?.getAttribute("aria-disabled") === "true");
  });
});
