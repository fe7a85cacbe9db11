// axe-core finds no serious accessibility fault in any main state, light or dark.
import { test } from "node:test";
import { check } from "./axe.js";
import { example } from "./lib.js";
import { bring, clickSlice, settled, sliceNamed, tab, until } from "./drive.js";
import { onPages } from "./suite.js";

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
      await page.getByTestId("info").click();
      await check(page, "info");
      await page.getByTestId("repairs-open").click();
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
