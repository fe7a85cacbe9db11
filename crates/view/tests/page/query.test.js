// The tab Query asks the same engine as `traceloom query`, and its rows lead to the time line. A report includes results.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { beyond, check } from "./axe.js";
import { example, open, program, ready, report, serve, work } from "./lib.js";
import { cli, settled, state, tab, tableOf, until } from "./drive.js";
import { onPages, theBrowser } from "./suite.js";

const JANK = example("jank.ftrace.gz");
/** Never ends by itself. */
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
const HOSTILE = "<img src=x onerror=\"document.title='broken'\">";

/** @typedef {import("playwright-core").Page} Page */

/** Runs SQL in the tab, and waits for the end of it. @param {Page} page @param {string} sql */
async function run(page, sql) {
  await page.getByTestId("query-sql").fill(sql);
  await page.getByTestId("query-sql").press("Control+Enter");
  await page.getByTestId("query-run").waitFor();
  await settled(page);
}

/** The rows of a result as the program prints them. @param {string} sql @param {string} [file] @returns {any[][]} */
const rowsOf = (sql, file = JANK) => cli("query", file, sql, "--format", "json").rows;

/** Clicks the first row of the result. @param {Page} page */
const clickFirst = (page) => page.getByTestId("query-table").locator(".vt-space > .vt-row:not([hidden])").first().click();

const picture = (/** @type {Page} */ page, /** @type {string} */ name) => page.screenshot({ path: join(work, `query-${name}.png`) });

onPages("Query", { files: [JANK], kinds: ["live"] }, (its) => {
  test("a result is that of the program", async () => {
    const page = its.page();
    await tab(page, "query");
    const sql = "SELECT name, count(*) AS n, sum(dur) AS total, 0.5 * count(*) AS half FROM slice GROUP BY name ORDER BY n DESC, name LIMIT 20";
    await run(page, sql);
    const shown = (await tableOf(page, "query-table")).map(({ q0, q1, q2, q3 }) => [q0, q1, q2, q3]);
    const expected = rowsOf(sql).map(([name, n, total, half]) => [name, String(n), String(total), Number.isInteger(half) ? `${half}.0` : String(half)]);
    assert.deepEqual(shown, expected.slice(0, shown.length));
    assert.match(await page.getByTestId("query-title").textContent() ?? "", /^20 rows · /);
  });

  test("long numbers are not cut", async () => {
    const page = its.page();
    await run(page, "SELECT 170823456789012 AS ts, -9223372036854775807 AS least, 1234.5678901234567 AS n");
    const cut = await page.getByTestId("query-table").locator(".vt-space > .vt-row:not([hidden]) > .vt-cell").evaluateAll((all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent));
    assert.deepEqual(cut, []);
  });

  test("names are completed", async () => {
    const page = its.page(), field = page.getByTestId("query-sql");
    const offered = (/** @type {string} */ name) => page.waitForFunction((name) => document.querySelector("[data-testid=query-names]:not([hidden]) [aria-selected=true] span")?.textContent === name, name);
    await field.fill("");
    await field.pressSequentially("SELECT name FROM thread_sta");
    const names = page.getByTestId("query-names");
    // While the word is typed, there may be names of its beginning.
    await offered("thread_state");
    await check(page, "names");
    await field.press("Tab");
    assert.equal(await field.inputValue(), "SELECT name FROM thread_state");
    assert.ok(await names.isHidden());
    // More letters of the same word, before there are names for them.
    await field.fill("SELECT name FROM ");
    await field.pressSequentially("thread_st");
    await offered("thread_state");
    await field.evaluate((field) => {
      const area = /** @type {HTMLTextAreaElement} */ (field);
      area.setRangeText("at", area.selectionStart, area.selectionEnd, "end");
      area.dispatchEvent(new Event("input"));
      area.dispatchEvent(new KeyboardEvent("keydown", { key: "Tab", cancelable: true }));
    });
    assert.equal(await field.inputValue(), "SELECT name FROM thread_state");
    await field.fill("INCLUDE PERFETTO MODULE android.fra");
    await field.press("Control+ ");
    await names.getByText("module").first().waitFor();
    await field.press("ArrowDown");
    await field.press("Enter");
    assert.match(await field.inputValue(), /^INCLUDE PERFETTO MODULE android\.fra\w+/);
  });

  test("an error is marked where it is", async () => {
    const page = its.page();
    await run(page, "SELECT name\nFROM slice\nWHERE nonsense = 1");
    assert.equal(await page.getByTestId("query-error").textContent(), "Line 3, column 7: no such column: nonsense");
    assert.equal(await page.getByTestId("query-wrong").textContent(), "nonsense");
    await picture(page, "error");
    await page.getByTestId("query-sql").fill("SELECT 1");
    assert.ok(await page.getByTestId("query-error").isHidden());
  });

  test("rows lead to slices, states, runs and counters", async () => {
    const page = its.page();
    for (const [sql, kind] of [
      ["SELECT id, ts, dur, name FROM slice WHERE dur > 0 ORDER BY dur DESC LIMIT 5", "slice"],
      ["SELECT ts, dur, track_id FROM slice WHERE depth = 1 AND dur > 0 ORDER BY dur DESC LIMIT 5", "slice"],
      ["SELECT id, ts, dur, utid, state FROM thread_state WHERE state = 'S' AND dur > 0 ORDER BY dur DESC LIMIT 5", "state"],
      ["SELECT ts, dur, cpu FROM sched WHERE dur > 0 ORDER BY dur DESC LIMIT 5", "sched"],
      ["SELECT ts, 1000 AS dur FROM slice LIMIT 5", "range"]]) {
      await run(page, sql);
      await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: null }));
      await clickFirst(page);
      await until(page, (state, kind) => state.selection?.kind === kind, kind);
      const selection = await state(page, "selection");
      const [first] = rowsOf(sql);
      const start = await page.evaluate(() => /** @type {any} */ (window).traceloom.source.ask({ op: "meta" }).then((/** @type {any} */ { origin_ns }) => origin_ns));
      const ts = sql.startsWith("SELECT id") ? first[1] : first[0];
      assert.equal(selection.ts ?? selection.from, Number(BigInt(ts) - BigInt(start)), sql);
      if (kind === "slice" && sql.startsWith("SELECT id")) assert.equal(selection.id, first[0]);
    }
  });

  test("a result becomes a track, whose bars lead to what they are", async () => {
    const page = its.page();
    const sql = "SELECT ts, dur, name, id FROM slice WHERE dur > 5000000 ORDER BY dur DESC";
    await run(page, sql);
    await page.getByTestId("query-track").click();
    const canvas = page.getByTestId("query-track-canvas");
    await canvas.waitFor();
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: null }));
    await page.getByTestId("zoom-all").click();
    await settled(page);
    await canvas.focus();
    await page.keyboard.press("Home");
    await until(page, (state) => state.selection?.kind === "slice");
    const first = rowsOf("SELECT id FROM slice WHERE dur > 5000000 ORDER BY ts, dur DESC LIMIT 1")[0][0];
    assert.equal((await state(page, "selection")).id, first);
    await picture(page, "track");
    // In line with the time line.
    const [mine, theirs] = await Promise.all([canvas.boundingBox(), page.getByTestId("canvas").boundingBox()]);
    assert.ok(mine && theirs && Math.abs(mine.x - theirs.x) < 1 && Math.abs(mine.width - theirs.width) < 1, "the track is in line");
    await run(page, "SELECT ts, id % 17 AS n FROM slice");
    await page.getByTestId("query-track").click();
    await settled(page);
    assert.equal(await page.getByTestId("query-track-canvas").count(), 2);
    await check(page, "tracks");
    await picture(page, "tracks");
    for (let left = 2; left; left--) await page.getByTestId("query-tracks").getByRole("button").first().click();
    await settled(page);
    assert.equal(await page.getByTestId("query-track-canvas").count(), 0);
  });

  test("overlapping bars are on levels of their own, and a track survives a reload", async () => {
    const page = its.page(), sql = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 10) SELECT (SELECT min(ts) FROM slice) + i * 1000 AS ts, 900000000 AS dur, 'bar ' || i AS name FROM n";
    await run(page, sql);
    await page.getByTestId("query-track").click();
    const canvas = page.getByTestId("query-track-canvas");
    await canvas.waitFor();
    const [{ level, levels }] = await page.evaluate(() => /** @type {any} */ (window).traceloom.store.get().tracks.map((/** @type {any} */ { level, levels }) => ({ level: [...level], levels })));
    assert.deepEqual([level, levels], [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 10]);
    await until(page, () => new URLSearchParams(location.hash.slice(1)).has("tr"));
    await page.reload();
    await ready(page);
    await canvas.waitFor();
    await until(page, (state) => state.tracks.length === 1 && !state.asked.length);
    await page.getByTestId("query-tracks").getByRole("button").first().click();
    await until(page, () => !new URLSearchParams(location.hash.slice(1)).has("tr"));
    await page.evaluate(() => { location.hash = "tr=[[1],{}"; });
    await until(page, (state) => !state.tracks.length && !state.asked.length);
  });

  test("an empty query says what to type", async () => {
    const page = its.page();
    if (!await page.getByTestId("query-sql").isVisible()) await tab(page, "query");
    await page.getByTestId("query-sql").fill(" ");
    await page.getByTestId("query-run").click();
    assert.match(await page.getByTestId("query-error").innerText(), /^There is no query yet.*SELECT/);
    await page.getByTestId("query-sql").fill("SELECT 1");
    assert.ok(await page.getByTestId("query-error").isHidden());
  });

  test("the address has the query, and shows its result again", async () => {
    const page = its.page(), sql = "SELECT 1 + 1 AS \"two & more\" -- 50 % #";
    await run(page, sql);
    await page.waitForFunction((sql) => new URLSearchParams(location.hash.slice(1)).get("sql") === sql, sql);
    const again = await open(theBrowser(), await page.evaluate(() => location.href));
    await again.page.getByTestId("query-table").getByText("two & more").waitFor();
    assert.equal(await again.page.getByTestId("query-sql").inputValue(), sql);
    await again.done();
  });

  test("a query can be stopped, and later ones are answered", async () => {
    const page = its.page();
    await page.getByTestId("query-sql").fill(ENDLESS);
    await page.getByTestId("query-sql").press("Control+Enter");
    await page.getByTestId("query-stop").click();
    await page.getByText("Stopped").waitFor();
    await run(page, "SELECT 42 AS answer");
    await page.getByTestId("query-table").getByText("42").waitFor();
  });

  test("earlier queries come back", async () => {
    const page = its.page(), field = page.getByTestId("query-sql");
    await run(page, "SELECT 'first'");
    await run(page, "SELECT 'second'");
    await field.press("Alt+ArrowUp");
    await field.press("Alt+ArrowUp");
    assert.equal(await field.inputValue(), "SELECT 'first'");
    await page.getByTestId("query-history").click();
    await page.getByRole("menuitem", { name: "SELECT 'second'" }).first().click();
    assert.equal(await field.inputValue(), "SELECT 'second'");
  });

  test("nothing from a result is markup", async () => {
    const page = its.page();
    await run(page, `SELECT '${HOSTILE.replaceAll("'", "''")}' AS "<b>bold</b>"`);
    assert.equal((await tableOf(page, "query-table"))[0].q0, HOSTILE);
    assert.equal(await page.locator("[data-testid=query-table] img, [data-testid=query-table] b").count(), 0);
  });

  test("rows beyond the bound are counted", async () => {
    const page = its.page();
    await run(page, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 123456) SELECT i FROM n");
    assert.match(await page.getByTestId("query-title").textContent() ?? "", /^The first 50,000 of 123,456 rows/);
  });

  test("it fits narrow windows", async () => {
    const page = its.page();
    await run(page, "SELECT id, ts, dur, name, track_id FROM slice ORDER BY dur DESC LIMIT 50");
    for (const width of [900, 400]) {
      await page.setViewportSize({ width, height: 768 });
      await settled(page);
      assert.deepEqual(await beyond(page), [], `nothing is cut at ${width} px`);
      await check(page, `query at ${width} px`);
      await picture(page, String(width));
    }
    await page.setViewportSize({ width: 1366, height: 768 });
  });
});

test("the program's limits hold on the page", async (t) => {
  const server = await serve(JANK, "--query-timeout", "2", "--no-history");
  t.after(() => void server.stop());
  const { page, done } = await open(theBrowser(), server.url);
  await tab(page, "query");
  await run(page, ENDLESS);
  assert.match(await page.getByTestId("query-error").textContent() ?? "", /stopped after 2 s; --query-timeout/);
  await run(page, "SELECT 3 AS three");
  await page.getByTestId("query-table").getByText("three").waitFor();
  await done();
});

test("a report shows the results that it includes", async () => {
  const folder = join(work, "queries");
  mkdirSync(folder, { recursive: true });
  const slow = join(folder, "slow.sql"), other = join(folder, "hostile.sql");
  const sql = "SELECT id, ts, dur, name FROM slice WHERE dur > 0 ORDER BY dur DESC LIMIT 30";
  writeFileSync(slow, sql);
  writeFileSync(other, `SELECT '</script>${HOSTILE.replaceAll("'", "''")}' AS x`);
  const target = report("with-results", JANK, "--query", slow, "--query", other, "--query-title", "Slow </script> calls");
  const { page, done } = await open(theBrowser(), target);
  await tab(page, "results");
  assert.deepEqual(await page.getByTestId("query-choice").locator("option").allTextContents(), ["Slow </script> calls", "hostile"]);
  const expected = rowsOf(sql);
  const shown = await tableOf(page, "query-table");
  assert.deepEqual(shown.map(({ q0, q1, q3 }) => [q0, q1, q3]), expected.slice(0, shown.length).map(([id, ts, , name]) => [String(id), String(ts), name]));
  await clickFirst(page);
  await until(page, (state, id) => state.selection?.kind === "slice" && state.selection.id === id, expected[0][0]);
  await page.getByTestId("query-track").click();
  await page.getByTestId("query-track-canvas").waitFor();
  await page.getByTestId("query-show").click();
  assert.equal(await page.getByTestId("query-shown").textContent(), sql);
  await check(page, "results");
  await picture(page, "report");
  await page.getByTestId("query-choice").selectOption("1");
  await page.getByTestId("query-table").getByText(`</script>${HOSTILE}`).waitFor();
  await done();
  // The file is still a trace.
  const counted = (/** @type {string} */ file) => cli("query", file, "SELECT count(*) FROM slice", "--format", "json").rows;
  assert.deepEqual(counted(target), counted(JANK));
  rmSync(folder, { recursive: true });
});

test("a report without results has no such tab, and a wrong query makes no report", async () => {
  const { page, done } = await open(theBrowser(), report("without-results", JANK));
  for (const id of ["query", "results"]) assert.equal(await page.getByTestId(`tab-${id}`).count(), 0);
  await done();
  const wrong = join(work, "wrong.sql"), target = join(work, "wrong.html");
  writeFileSync(wrong, "SELECT 1,\n  missing");
  writeFileSync(target, "kept");
  const failing = () => execFileSync(program, ["report", JANK, "-o", target, "--query", wrong], { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
  assert.throws(failing, (/** @type {any} */ error) => error.status === 2 && /line 2, column 3 of .*wrong\.sql: no such column: missing/.test(error.stderr));
  assert.equal(readFileSync(target, "utf8"), "kept");
  for (const file of [wrong, target]) rmSync(file);
});
