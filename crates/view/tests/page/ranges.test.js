// Saved ranges: their names, the list, the address that keeps them, and the comparison of two.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond, check } from "./axe.js";
import { example, ready } from "./lib.js";
import { ask, cli, settled, state, tableOf, until } from "./drive.js";
import { onPages } from "./suite.js";

const A = { from: 2e8, to: 4e8 }, B = { from: 5e8, to: 8e8 }, FILE = example("app.trace");

/** @param {import("playwright-core").Page} page @param {object} range */
async function select(page, range) {
  await page.evaluate((range) => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", ...range }, panel: "range" }), range);
  await settled(page);
}

/** Milliseconds of a table. @param {string} text */
const ns = (text) => Math.round(Number(text.replaceAll(",", "").replace("−", "-").replace("+", "")) * 1e6);

onPages("Saved ranges", { files: [FILE], options: { viewport: { width: 900, height: 760 } } }, (its) => {
  test("a range is saved and named with keys alone", async () => {
    const page = its.page();
    await select(page, A);
    await page.getByTestId("save-range").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("before the update");
    await page.keyboard.press("Enter");
    await until(page, (state) => state.ranges[0]?.label === "before the update");
    assert.ok(await page.getByTestId("save-range").isDisabled(), "the same range is not saved twice");
    await select(page, B);
    await page.getByTestId("save-range").click();
    await page.getByTestId("range-name").press("Escape");
    await until(page, (state) => state.ranges.length === 2);
    await page.getByTestId("saved").getByRole("button", { name: "before the update", exact: true }).click();
    await until(page, (state) => state.selection.to === 4e8);
    assert.equal(await page.getByTestId("saved").getByRole("button", { name: "before the update", exact: true }).getAttribute("aria-pressed"), "true");
    await check(page, "saved ranges");
  });

  test("the address has the ranges", async () => {
    const page = its.page();
    await until(page, ({ ranges }) => JSON.parse(new URLSearchParams(location.hash.slice(1)).get("g") ?? "[]").length === ranges.length);
    const before = await state(page, "ranges");
    await page.reload();
    await ready(page);
    await settled(page);
    assert.deepEqual(await state(page, "ranges"), before);
  });

  test("two ranges are compared: the calls, and the profile, as the program counts them", async () => {
    const page = its.page();
    await select(page, B);
    await page.getByTitle("Compare the selected range with before the update").click();
    await page.getByTestId("compared").waitFor();
    await settled(page);
    const [before, after] = await Promise.all([A, B].map((range) => ask(page, { op: "range", ...range, limit: 5000 })));
    const [first] = await tableOf(page, "compared"), of = (/** @type {any} */ answer) => answer.by_name.find((/** @type {any} */ { label }) => first.name.endsWith(label))?.self_ns ?? 0;
    assert.ok(Math.abs(ns(first["exclusive-base"]) - of(before)) < 1000 && Math.abs(ns(first["exclusive-new"]) - of(after)) < 1000, JSON.stringify(first));
    assert.ok(Math.abs(ns(first["exclusive-delta"]) - (of(after) - of(before))) < 1000);
    const all = new Map([before, after].flatMap((answer, nth) => answer.by_name.map((/** @type {any} */ row) => [`${nth}${row.label}`, row.self_ns])));
    const names = new Set([...before.by_name, ...after.by_name].map(({ label }) => label));
    const most = Math.max(...[...names].map((name) => Math.abs((all.get(`1${name}`) ?? 0) - (all.get(`0${name}`) ?? 0))));
    assert.ok(Math.abs(Math.abs(ns(first["exclusive-delta"])) - most) < 1000, "the largest difference comes first");
    await page.getByTestId("compared-what").selectOption("profile");
    await settled(page);
    const [row] = await tableOf(page, "compared");
    const profile = [A, B].map(({ from, to }) => cli("profile", FILE, "--json", "--limit", "0", "--from", `${from}ns`, "--to", `${to}ns`).rows);
    const exact = profile.map((rows) => rows.find((/** @type {any} */ { name }) => row.name.includes(name)));
    for (const [nth, column] of [[0, "exclusive-base"], [1, "exclusive-new"]]) {
      const own = exact[/** @type {number} */ (nth)]?.exclusive.cpu_ns ?? 0;
      assert.ok(Math.abs(ns(row[column]) - own) < 1000, `${column} ${row[column]} ${own} of ${row.name}`);
    }
    await check(page, "two ranges");
    await page.setViewportSize({ width: 400, height: 760 });
    await settled(page);
    assert.deepEqual(await beyond(page), []);
    await page.setViewportSize({ width: 900, height: 760 });
  });

  test("a removed range is gone, and a damaged link opens", async () => {
    const page = its.page();
    await page.getByTestId("saved").getByRole("button", { name: /^Remove before/ }).click();
    await until(page, (state) => state.ranges.length === 1);
    await page.evaluate(() => { location.hash = "g=[[1,2],[{},3],5]"; });
    await settled(page);
    await page.evaluate(() => { location.hash = "g=nothing"; });
    await until(page, (state) => state.ranges.length === 0);
  });
});

onPages("Totals of a range", { files: [example("jank.ftrace.gz")] }, (its) => {
  test("threads of the same name differ by their number and process", async () => {
    const page = its.page();
    await select(page, B);
    await page.getByTestId("tab-threads").click();
    await settled(page);
    const rows = await tableOf(page, "range-threads"), { threads } = cli("info", example("jank.ftrace.gz"), "--json", "--all");
    assert.ok(rows.length > 5);
    for (const { label, tid } of rows) assert.ok(threads.some((/** @type {any} */ thread) => thread.name === label && String(thread.tid) === tid), `${label} ${tid}`);
    assert.equal(rows.find(({ label }) => label === "RenderThread")?.process, "org.loom.reader · pid 4321");
  });
});

onPages("The CPUs of a range", { files: [example("jank.ftrace.gz")], kinds: ["report"] }, (its) => {
  test("name the threads with their numbers", async () => {
    const page = its.page(), to = (await ask(page, { op: "meta" })).duration_ns;
    await select(page, { from: 0, to });
    await page.getByTestId("tab-cpus").click();
    await settled(page);
    const known = new Set(cli("query", example("jank.ftrace.gz"), "--format", "json", "select name || ' (' || tid || ')' from thread").rows.flat());
    const named = (await tableOf(page, "range-cpus")).flatMap(({ top }) => [...top.matchAll(/(?:^| · )(\S.*? \(\d+\)) [\d.,]+ \S+(?= ·|$)/g)].map(([, name]) => name));
    assert.ok(named.length > 3);
    assert.deepEqual(named.filter((name) => !known.has(name)), []);
  });
});
