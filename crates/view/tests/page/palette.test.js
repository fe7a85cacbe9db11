// The command palette: every action with its key, found by a few letters; rows and calls of the trace.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond, check } from "./axe.js";
import { example } from "./lib.js";
import { settled, state, until } from "./drive.js";
import { onPages } from "./suite.js";

/** @typedef {import("playwright-core").Page} Page */

/** Opens the palette and types. @param {Page} page @param {string} text */
async function type(page, text) {
  await page.keyboard.press("Control+k");
  await page.getByTestId("palette-input").waitFor();
  await page.keyboard.type(text);
}

/** @param {Page} page */
async function close(page) {
  await page.keyboard.press("Escape");
  await page.getByTestId("palette").waitFor({ state: "detached" });
}

/** What the palette lists, in its order. @param {Page} page */
const lines = (page) => page.getByTestId("palette-list").locator(".palette-what").allInnerTexts();

onPages("Command palette", { files: [example("jank.ftrace.gz")], options: { viewport: { width: 900, height: 700 } } }, (its) => {
  test("a few letters find an action, Enter runs it, and the focus goes back", async () => {
    const page = its.page();
    await page.getByTestId("timeline").focus();
    await type(page, "selrange");
    assert.match((await lines(page))[0], /^Selection as a range/);
    await check(page, "palette");
    await page.keyboard.press("Enter");
    await until(page, (state) => state.selection?.kind === "range");
    await page.getByTestId("palette").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-testid")), "timeline");
  });

  test("the sheet of keys has each key that the palette shows", async () => {
    const page = its.page();
    await type(page, "");
    const here = await page.getByTestId("palette-list").locator("[role=option]:has(kbd)").evaluateAll((all) => all.map((line) =>
      [...line.querySelectorAll("kbd")].map((key) => key.textContent).join("+") + " " + line.querySelector(".palette-what")?.textContent?.toLowerCase()));
    await close(page);
    await page.keyboard.press("?");
    const sheet = await page.getByTestId("help-sheet").locator("dl.keys > div").evaluateAll((all) => all.map((line) =>
      [...line.querySelectorAll("kbd")].map((key) => key.textContent).join("+") + " " + line.querySelector("dd")?.textContent?.toLowerCase()));
    await page.keyboard.press("Escape");
    assert.ok(here.length > 15, here.join("\n"));
    // One line may be about two opposite keys.
    const keys = sheet.map((line) => line.split(" ")[0].split("+").filter(Boolean)), words = sheet.join("\n");
    const missing = here.filter((line) => { const own = line.split(" ")[0].split("+").filter(Boolean); return !keys.some((all) => own.every((key) => all.includes(key))) && !words.includes(own.join(" ").toLowerCase()) && !words.includes(own.join(" ")); });
    assert.deepEqual(missing, []);
    assert.ok(sheet.some((line) => line.startsWith("Ctrl+K ")), sheet.join("\n"));
  });

  test("arrow keys move, the mouse runs, and an unknown word says so", async () => {
    const page = its.page();
    await type(page, "appearance");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    assert.equal(await page.locator("#palette-0").getAttribute("aria-selected"), "true");
    await page.getByTestId("palette-list").getByText("Appearance: dark").click();
    await until(page, (state) => state.theme === "dark");
    await type(page, "appearance light");
    await page.keyboard.press("Enter");
    await until(page, (state) => state.theme === "light");
    await type(page, "Profile");
    assert.ok((await lines(page)).includes("Open the tab Profile"));
    await close(page);
  });

  test("it finds threads and calls of the trace", async () => {
    const page = its.page();
    await type(page, "RenderThread");
    const found = await lines(page);
    assert.ok(found.some((line) => /^RenderThread · tid \d+/.test(line)), found.join("\n"));
    await close(page);
    await type(page, "DiskLruCache.commit");
    await page.getByTestId("palette-list").getByText("Search calls for “DiskLruCache.commit”").click();
    await until(page, (state) => state.selection?.kind === "slice" && state.search.total > 0);
    await settled(page);
    assert.equal((await state(page, "search")).text, "DiskLruCache.commit");
    await page.keyboard.press("/");
    await page.keyboard.press("Control+k");
    await page.getByTestId("palette-input").waitFor();
    await close(page);
  });

  test("the buttons of the open panel are actions, and a narrow window has room for all", async () => {
    const page = its.page();
    await page.setViewportSize({ width: 400, height: 700 });
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ panel: "profile", chosen: true }));
    await settled(page);
    await type(page, "Profile CSV");
    assert.equal((await lines(page))[0], "Profile: CSV");
    await check(page, "palette in a narrow window");
    assert.deepEqual(await beyond(page), []);
    await close(page);
  });
});
