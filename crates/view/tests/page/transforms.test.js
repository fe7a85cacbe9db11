// Transforms of the profile, against the program's numbers of the whole profile; breadcrumbs, the address, CSV.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { beyond, check } from "./axe.js";
import { example, ready } from "./lib.js";
import { ask, cli, rowWith, settled, state, until, wholeProfile } from "./drive.js";
import { onPages } from "./suite.js";

const APP = example("app.trace"), PARSE = "com.example.news.ArticleParser.parse", VALUE = "org.json.JSONTokener.nextValue";

onPages("Transforms", { files: [APP], options: { viewport: { width: 1100, height: 800 } } }, (its) => {
  const { rows, total } = cli("profile", APP, "--json", "--limit", "0");
  /** @param {string} label */
  const before = (label) => rows.find((/** @type {any} */ row) => `${row.class}.${row.name}` === label);

  /** Selects a function in the table and applies a transform from the menu. @param {string} label @param {string} item */
  async function apply(label, item) {
    const page = its.page(), find = page.getByTestId("profile-find");
    await find.fill(label);
    await find.press("Enter");
    // The table scrolls there and draws its rows again in the next frame.
    await settled(page);
    await rowWith(page, "profile-table", label.split(".").slice(-2).join(".")).first().click();
    const count = (await state(page, "profile")).transforms?.length ?? 0;
    await page.getByTestId("transform").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: item }).press("Enter");
    await until(page, (state, count) => (state.profile.transforms?.length ?? 0) > count, count);
    await find.fill("");
    await settled(page);
  }

  /** The profile with the page's transforms. */
  async function profile() {
    const { transforms } = await state(its.page(), "profile");
    const answer = await ask(its.page(), { op: "profile", clock: "cpu", ...(transforms && { transforms }) });
    return { total: answer.total.cpu_ns, of: (/** @type {string} */ label) => answer.rows.find((/** @type {any} */ row) => row.label === label) };
  }

  const undo = async () => {
    await its.page().getByRole("button", { name: "Whole profile" }).click();
    await until(its.page(), (state) => !state.profile.transforms);
    await settled(its.page());
  };

  test("focus: only the function and what it calls", async () => {
    const page = its.page();
    await wholeProfile(page);
    await apply(PARSE, "Focus on this function");
    const now = await profile();
    assert.equal(now.total, before(PARSE).inclusive.cpu_ns);
    assert.equal(now.of(PARSE).exclusive.cpu_ns, before(PARSE).exclusive.cpu_ns);
    assert.equal(now.of("android.os.Handler.dispatchMessage"), undefined);
    assert.equal(await rowWith(page, "profile-table", "dispatchMessage").count(), 0);
    await check(page, "transforms");
  });

  test("the address has it, and a breadcrumb undoes it", async () => {
    const page = its.page();
    await until(page, () => /transforms/.test(new URLSearchParams(location.hash.slice(1)).get("pr") ?? ""));
    await page.reload();
    await ready(page);
    await page.getByTestId("transforms").getByText("focus on ArticleParser.parse").waitFor();
    await settled(page);
    assert.equal((await profile()).total, before(PARSE).inclusive.cpu_ns);
    await page.getByRole("button", { name: /^Undo: focus on/ }).click();
    await until(page, (state) => !state.profile.transforms);
    await settled(page);
    assert.equal((await profile()).total, total.cpu_ns);
  });

  test("merge: its own time goes to its callers", async () => {
    const old = before(VALUE);
    await apply(VALUE, "Merge into its callers");
    const now = await profile(), { transforms } = await state(its.page(), "profile");
    assert.equal(now.total, total.cpu_ns);
    assert.equal(now.of(VALUE), undefined);
    const sum = (/** @type {any[]} */ list) => list.reduce((sum, row) => sum + row.exclusive.cpu_ns, 0);
    const others = rows.filter((/** @type {any} */ row) => `${row.class}.${row.name}` !== VALUE);
    assert.equal(sum((await ask(its.page(), { op: "profile", clock: "cpu", transforms })).rows), sum(others) + old.exclusive.cpu_ns);
    await undo();
  });

  test("drop: its time is gone, also from its callers", async () => {
    const name = "com.example.news.ArticleAdapter.onBindViewHolder", binder = before(name).inclusive.cpu_ns;
    const caller = before("android.os.Handler.dispatchMessage").inclusive.cpu_ns;
    await apply(name, "Drop it, with its time");
    const now = await profile();
    assert.equal(now.of(name), undefined);
    assert.equal(now.total, total.cpu_ns - binder);
    assert.equal(now.of("android.os.Handler.dispatchMessage").inclusive.cpu_ns, caller - binder);
    await undo();
  });

  test("collapse: recursion within the outermost call, a package into one call", async () => {
    const old = before(VALUE);
    assert.ok(old.recursive_calls > 0);
    await apply(VALUE, "Collapse its recursion");
    const now = (await profile()).of(VALUE);
    assert.equal(now.recursive_calls, 0);
    assert.equal(now.calls, old.calls + old.recursive_calls);
    assert.equal(now.inclusive.cpu_ns, old.inclusive.cpu_ns);
    assert.equal(now.exclusive.cpu_ns, old.exclusive.cpu_ns);
    await apply(VALUE, "Collapse the package org.json");
    const both = await profile(), own = rows.filter((/** @type {any} */ row) => row.class.startsWith("org.json.") && row.class.split(".").length === 3);
    assert.equal(both.of("org.json.*").exclusive.cpu_ns, own.reduce((/** @type {number} */ sum, /** @type {any} */ row) => sum + row.exclusive.cpu_ns, 0));
    assert.equal(both.total, total.cpu_ns);
    assert.equal(await its.page().getByTestId("transforms").locator(".scope-chip").count(), 2);
    await its.page().setViewportSize({ width: 400, height: 800 });
    await settled(its.page());
    assert.deepEqual(await beyond(its.page()), []);
    await check(its.page(), "transforms in a narrow window");
    await its.page().setViewportSize({ width: 1100, height: 800 });
    await undo();
  });

  test("focus on a call path from the flame graph", async () => {
    const page = its.page(), flame = page.getByTestId("flame");
    await page.getByTestId("tab-flame").click();
    await settled(page);
    await flame.focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", " "]) await page.keyboard.press(key);
    await settled(page);
    await page.getByTestId("transform").click();
    await page.getByRole("menuitem", { name: "Focus on this call path" }).click();
    await until(page, (state) => state.profile.transforms?.[0]?.kind === "focus_subtree");
    await settled(page);
    const { path } = (await state(page, "profile")).transforms[0];
    assert.ok(path.length >= 2);
    const all = await ask(page, { op: "flame", clock: "cpu", width_px: 1e9 }), names = (/** @type {number} */ at) => all.labels[all.name[at]];
    const matching = all.depth.flatMap((/** @type {number} */ depth, /** @type {number} */ at) => {
      if (depth !== path.length - 1) return [];
      for (let up = at, nth = path.length - 1; nth >= 0; up = all.parent[up], nth--) if (!path[nth].startsWith(names(up))) return [];
      return [all.w[at]];
    });
    assert.equal((await profile()).total, matching.reduce((/** @type {number} */ sum, /** @type {number} */ ns) => sum + ns, 0));
    await undo();
  });

  test("CSV has plain numbers and one fact in each column", async () => {
    const page = its.page();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("save-csv").click()]);
    const [head, ...lines] = readFileSync(String(await download.path()), "utf8").trim().split("\n").map((line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1).map(([, cell]) => cell));
    assert.deepEqual(head.slice(0, 5), ["Rank", "Section", "Name", "Signature", "Incl CPU Time %"]);
    for (const column of ["Calls", "Recursive calls", "Incl CPU Time (ms)"]) assert.match(lines[0][head.indexOf(column)], /^\d+(\.\d+)?$/, column);
    const row = before(VALUE), line = lines.find((line) => line[2] === VALUE);
    assert.ok(line);
    assert.equal(Number(line[head.indexOf("Recursive calls")]), row.recursive_calls);
    assert.equal(Number(line[head.indexOf("Incl CPU Time (ms)")]), row.inclusive.cpu_ns / 1e6);
  });
});
