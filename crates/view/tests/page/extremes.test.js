// Extreme traces. Each opens as a report and in the live server, shows something sensible, and keeps responding.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { extremes, open, ready, report, serve } from "./lib.js";
import { ask, rowNames, settled, state, tab, until } from "./drive.js";
import { theBrowser } from "./suite.js";

/** @typedef {import("playwright-core").Page} Page */

/** Goes to the first slice that matches a search, and reads its details. @param {Page} page @param {string} text a part of its name */
async function visit(page, text) {
  await page.getByTestId("search").fill(text);
  await page.getByTestId("search").press("Enter");
  // The selection may still be that of an earlier search.
  await until(page, ({ search, selection }, text) => search.text === text && search.at >= 0 && selection?.kind === "slice", text);
  await settled(page);
  return { name: await page.getByTestId("details-name").innerText(), said: await page.getByTestId("panel-details").innerText() };
}

/** @type {{file: string, rows: (names: string[], all: number) => void, more?: (page: Page) => Promise<void>}[]} */
const TRACES = [
  { file: "empty.ftrace", rows: (names) => assert.deepEqual(names, []), more: nothing },
  { file: "empty.trace", rows: () => {} },
  { file: "one-slice.ftrace", rows: (_, all) => assert.ok(all >= 1), async more(page) {
    const { said } = await visit(page, "alone");
    assert.match(said, /250 µs/);
  } },
  { file: "hostile-names.ftrace", rows: (_, all) => assert.ok(all > 3), more: hostile },
  { file: "long-name.trace", rows: (_, all) => assert.ok(all >= 1), async more(page) {
    const longest = await page.evaluate(() => Math.max(...[...document.querySelectorAll("body *:not(script, style)")].map((element) => element.childElementCount ? 0 : element.textContent?.length ?? 0)));
    assert.ok(longest < 20_000, `the page has a text of ${longest} characters`);
    await page.getByTestId("timeline").focus();
    await page.keyboard.press("ArrowRight");
    await until(page, (state) => state.selection?.kind === "slice");
    await tab(page, "details");
    await settled(page);
    assert.ok((await page.getByTestId("details-name").innerText()).length < 1000);
  } },
  { file: "deep.trace", rows: (_, all) => assert.ok(all >= 1), more: deep },
  { file: "threads.ftrace", rows: (_, all) => assert.ok(all >= 40_000), more: threads },
  { file: "never-ending.ftrace", rows: (_, all) => assert.ok(all >= 1), async more(page) {
    const { said } = await visit(page, "never ends either");
    assert.match(said, /never ended/);
    const { slice } = await ask(page, { op: "find", text: "no length", mode: "exact" });
    assert.equal(slice.length, 20);
    await page.keyboard.press("Escape");
    assert.match((await visit(page, "no length")).said, /0 ns/);
  } },
  { file: "late-clock.ftrace", rows: (_, all) => assert.ok(all >= 1), async more(page) {
    const { said } = await visit(page, "inner");
    assert.match(said, /1 µs/);
    const { meta } = await page.evaluate(async () => ({ meta: await /** @type {any} */ (window).traceloom.source.ask({ op: "meta" }) }));
    assert.ok(meta.duration_ns < 1e6, "times count from the first event");
  } },
  { file: "no-length.trace", rows: (_, all) => assert.ok(all >= 1) },
];

/** @param {Page} page */
async function nothing(page) {
  await page.getByText("This trace holds no events").waitFor();
}

/** @param {Page} page */
async function hostile(page) {
  const shown = await page.evaluate(async () => {
    const { source } = /** @type {any} */ (window).traceloom;
    const found = await source.ask({ op: "find", text: "harmed" });
    return (await source.ask({ op: "names", ids: [...new Set(found.name)] })).names;
  });
  assert.ok(shown.includes("<script>window.harmed=1</script>") && shown.includes("<img src=x onerror=window.harmed=1>"));
  for (const text of ["<script>window", "onerror", "svg onload", "__proto__", "constructor", "1=1; --", "&lt;b&gt;", "txet"]) {
    const { name } = await visit(page, text);
    assert.ok(name.includes(text), `${name} is shown as text`);
    await page.keyboard.press("Escape");
  }
  for (const id of ["profile", "range"]) await tab(page, id);
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("r");
  await settled(page);
  await page.reload();
  await ready(page);
  await settled(page);
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).harmed), undefined, "no name was executed");
  assert.equal(await page.locator("img:not(.graph-image), iframe, object").count(), 0, "no name became an element");
}

/** @param {Page} page */
async function deep(page) {
  const { levels } = await ask(page, { op: "rows" });
  assert.equal(Math.max(...levels), 100_000);
  await page.getByRole("button", { name: /48 of 100,000 levels: show all/ }).click();
  await settled(page);
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("End");
  await until(page, (state) => state.top > 1_000_000);
  await settled(page);
  const at = await page.evaluate(() => {
    const { timeline } = /** @type {any} */ (window).traceloom, box = timeline.area.getBoundingClientRect();
    for (let y = box.height - 1; y > 30; y -= 4) for (let x = 2; x < box.width; x += 8) if (timeline.hit(x, y)?.what === "slice") return { x: box.left + x, y: box.top + y };
    return null;
  });
  assert.ok(at, "calls are drawn at the bottom");
  await page.mouse.click(at.x, at.y);
  await until(page, (state) => state.selection?.kind === "slice" && state.selection.level > 90_000);
  await settled(page);
  assert.match(await page.getByTestId("panel-details").innerText(), /Called by/);
  await tab(page, "profile");
  await page.getByTestId("tab-flame").click();
  await settled(page);
}

/** @param {Page} page */
async function threads(page) {
  assert.ok(await page.getByTestId("row").count() < 100, "only visible rows are elements");
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("End");
  await until(page, (state) => state.top > 100_000);
  await settled(page);
  assert.ok((await rowNames(page)).length > 3);
  await page.getByTestId("filter").fill("39999");
  await settled(page);
  assert.ok((await rowNames(page)).length < 10);
  await page.getByTestId("filter").press("Escape");
}

for (const { file, rows, more } of TRACES) {
  describe(file, () => {
    for (const kind of ["report", "live"]) {
      test(`as ${kind}`, async (t) => {
        const path = join(extremes, file);
        assert.ok(existsSync(path), `${path} is missing: run cargo xtask page-data`);
        const server = kind === "live" ? await serve(path) : null;
        t.after(() => void server?.stop());
        const { page, done } = await open(theBrowser(), server ? server.url : report(`extreme-${file}`, path), { reducedMotion: "reduce" });
        await settled(page);
        rows(await rowNames(page), await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.model.total));
        await more?.(page);
        // The page keeps responding.
        await page.keyboard.press("Escape");
        await page.getByTestId("timeline").focus();
        for (const key of ["+", "+", "ArrowRight", "f", "r", "0"]) await page.keyboard.press(key);
        await settled(page);
        assert.equal((await state(page, "view")).from, 0);
        await tab(page, "profile");
        assert.equal(await page.evaluate(() => /** @type {any} */ (window).harmed), undefined);
        await done();
      });
    }
  });
}
