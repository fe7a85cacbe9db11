// axe-core finds no serious accessibility fault in any main state, light or dark.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { example } from "./lib.js";
import { bring, clickSlice, settled, sliceNamed, tab, until } from "./drive.js";
import { onPages } from "./suite.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @param {import("playwright-core").Page} page @param {string} where */
async function check(page, where) {
  await settled(page);
  // Evaluating the script in the page is not subject to the page's policy.
  await page.evaluate(`if (!window.axe) { ${axe} }`);
  const { violations, passed } = await page.evaluate(async () => {
    const { violations, passes } = await /** @type {any} */ (window).axe.run(document, { iframes: false });
    return { passed: passes.length, violations: violations.filter((/** @type {any} */ { impact }) => impact !== "minor")
      .map((/** @type {any} */ { id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 4).map((/** @type {any} */ { html, failureSummary }) => `  ${html.slice(0, 200)}\n  ${failureSummary}`).join("\n")}`) };
  });
  assert.ok(passed > 10, "axe-core checked the page");
  assert.deepEqual(violations, [], `${where}:\n${violations.join("\n")}`);
}

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  const options = { colorScheme, reducedMotion: /** @type {const} */ ("reduce") };
  onPages(`Accessibility of a method trace, ${colorScheme}`, { files: [example("app.trace")], kinds: ["report"], options }, (its) => {
    test("nothing selected", () => check(its.page(), "start"));
    test("details", async () => {
      const page = its.page(), id = await sliceNamed(page, "com.example.news.ArticleParser.parse");
      await bring(page, id);
      await clickSlice(page, id);
      await check(page, "details");
    });
    test("help and repairs", async () => {
      const page = its.page();
      await page.keyboard.press("?");
      await check(page, "help");
      await page.keyboard.press("Escape");
      await page.getByTestId("repairs-list").click();
      await check(page, "repairs");
      await page.keyboard.press("Escape");
    });
    test("menus and search", async () => {
      const page = its.page();
      await page.getByTestId("colours").click();
      await check(page, "menu");
      await page.keyboard.press("Escape");
      await page.getByTestId("search").fill("nothing like it");
      await page.waitForFunction(() => document.querySelector("[data-testid=search-hits]")?.textContent === "no match");
      await check(page, "no match");
      await page.getByTestId("search").fill("");
    });
    test("profile and its pictures", async () => {
      const page = its.page();
      await page.setViewportSize({ width: 1700, height: 1000 });
      await tab(page, "profile");
      await page.getByTestId("profile-table").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(() => document.querySelector("[data-testid=profile-table] .line.heading"));
      await check(page, "profile");
      for (const id of ["sandwich", "top_down", "bottom_up", "graph"]) {
        await page.getByTestId(`tab-${id}`).click();
        await check(page, id);
      }
    });
  });
  onPages(`Accessibility of a systrace, ${colorScheme}`, { files: [example("jank.ftrace.gz")], kinds: ["report"], options }, (its) => {
    test("frames", async () => {
      await tab(its.page(), "frames");
      await check(its.page(), "frames");
    });
    test("range", async () => {
      const page = its.page();
      await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", from: 3e8, to: 6e8 }, panel: "range" }));
      await until(page, (state) => state.panel === "range");
      await page.locator("[data-testid=range-by_name] .vt-row").nth(3).waitFor();
      await check(page, "range");
      for (const id of ["threads", "cpus"]) {
        await page.getByTestId(`tab-${id}`).click();
        await check(page, id);
      }
    });
  });
}
