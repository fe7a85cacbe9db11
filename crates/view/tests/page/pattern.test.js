// Search with regular expressions: the results, and that a bad expression does not block the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example } from "./lib.js";
import { ask, rowNames, settled, state, until } from "./drive.js";
import { onPages } from "./suite.js";

onPages("Patterns", { files: [example("app.trace"), example("jank.ftrace.gz")] }, (its) => {
  const box = () => its.page().getByTestId("search");
  const says = (/** @type {string} */ text) => its.page().waitForFunction((text) => document.querySelector("[data-testid=search-hits]")?.textContent === text, text);

  for (const [text, pattern] of /** @type {[string, RegExp][]} */ ([
    ["/^com\\.example\\..*\\.(parse|get)$/", /^com\.example\..*\.(parse|get)$/i], ["/Image(Cache|Decoder)/", /Image(Cache|Decoder)/], ["/^measure$|^draw/", /^measure$|^draw/i], ["/\\bJSON\\w+\\.<init>/", /\bJSON\w+\.<init>/],
  ])) {
    test(`${text} finds the same as the browser's own RegExp`, async () => {
      const page = its.page();
      const { name_count } = await ask(page, { op: "meta" });
      const { names } = await ask(page, { op: "names", ids: Array.from({ length: name_count }, (_, id) => id) });
      let expected = 0;
      for (const [id, name] of names.entries()) if (pattern.test(name)) expected += (await ask(page, { op: "same", name: id, limit: 1 })).count;
      assert.ok(expected > 0);
      await box().fill(text);
      await says(expected.toLocaleString("en"));
      await box().press("Enter");
      await until(page, (state) => state.search.at >= 0 && state.selection?.kind === "slice");
      assert.match(names[(await state(page, "selection")).name], pattern);
    });
  }

  test("a pattern finds rows too", async () => {
    const page = its.page();
    const rows = await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.model.rows.names.filter((/** @type {string} */ name) => name === "RenderThread").length);
    await box().fill("/^RenderThre.d$/");
    await says(String(rows));
    await box().press("Enter");
    await settled(page);
    assert.ok((await rowNames(page)).includes("RenderThread"));
  });

  test("an invalid pattern is reported, and an unfinished one is plain text", async () => {
    await box().fill("/(/");
    await says("no valid pattern");
    await box().fill("/half");
    await says("no match");
  });

  test("a pattern that takes too long is stopped, and does not block the page", async () => {
    const page = its.page();
    await box().fill("/^(([a-zA-Z.<>$#:]+)+)+!$/");
    const { longest, whole } = await page.evaluate(async () => {
      const start = performance.now();
      let last = start, longest = 0;
      while (document.querySelector("[data-testid=search-hits]")?.textContent !== "this pattern takes too long") {
        await new Promise((next) => requestAnimationFrame(next));
        longest = Math.max(longest, -last + (last = performance.now()));
      }
      return { longest, whole: last - start };
    });
    assert.ok(longest < 0.8 * whole, `no frame for ${longest} of ${whole} ms: the pattern may take 3,000 ms, but must not block the page`);
    await box().fill("/^measure$/");
    await page.waitForFunction(() => /^\d+$/.test(document.querySelector("[data-testid=search-hits]")?.textContent ?? ""));
    await box().fill("");
  });
});
