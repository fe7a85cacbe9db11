// The profile: Traceview's table and the pictures next to it, compared with `traceloom profile`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { example, program, work } from "./lib.js";
import { ask, bring, cli, clickSlice, rowWith, settled, sliceNamed, state, tab, tableOf, until, wholeProfile } from "./drive.js";
import { onPages } from "./suite.js";

const APP = example("app.trace"), JANK = example("jank.ftrace.gz");
const PARSE = "com.example.news.ArticleParser.parse", NEXT = "org.json.JSONTokener.nextValue";

/** @param {any} row of `profile --json` */
const labelOf = (row) => row.class ? `${row.class}.${row.name}` : row.name;
/** Milliseconds in the table's format. @param {number | undefined} ns */
const ms = (ns) => ns === undefined ? "" : (ns / 1e6).toLocaleString("en", { minimumFractionDigits: 3, maximumFractionDigits: 3 });
const number = (/** @type {string} */ text) => Number(text.replaceAll(",", ""));

/** Sorts the profile by a column. @param {import("playwright-core").Page} page @param {string} id */
async function sortBy(page, id) {
  await page.getByTestId("profile-table").getByTestId(`col-${id}`).locator("button").click();
  await settled(page);
}

/** Makes the dock as high as possible. @param {import("playwright-core").Page} page */
async function roomy(page) {
  await page.setViewportSize({ width: 1700, height: 1000 });
  await settled(page);
  const bar = await page.getByTestId("splitter-dock").boundingBox();
  assert.ok(bar);
  await page.mouse.move(bar.x + 300, bar.y + bar.height / 2);
  await page.mouse.down();
  await page.mouse.move(bar.x + 300, 330, { steps: 3 });
  await page.mouse.up();
  await settled(page);
}

onPages("Profile of a method trace", { files: [APP] }, (its) => {
  test("the table equals the program's", async () => {
    const page = its.page(), { rows, total } = cli("profile", APP, "--json", "--limit", "0");
    await roomy(page);
    await wholeProfile(page);
    const table = await tableOf(page, "profile-table");
    assert.ok(table.length > 10);
    for (const [nth, line] of table.entries()) {
      const row = rows[nth], calls = row.calls + row.recursive_calls;
      assert.ok(line.name.startsWith(`${row.rank}${labelOf(row)}`), `${line.name} is ${labelOf(row)}`);
      assert.equal(line["incl-cpu"], ms(row.inclusive.cpu_ns));
      assert.equal(line["excl-cpu"], ms(row.exclusive.cpu_ns));
      assert.equal(line["incl-real"], ms(row.inclusive.wall_ns));
      assert.equal(line["excl-real"], ms(row.exclusive.wall_ns));
      assert.equal(line["incl-cpu-%"], (row.inclusive.cpu_ns * 100 / total.cpu_ns).toFixed(1));
      assert.equal(line.calls, `${row.calls}+${row.recursive_calls}`);
      assert.equal(line["cpu-call"], ms(row.inclusive.cpu_ns / calls));
    }
  });

  test("sorts by every column, both ways", async () => {
    const page = its.page();
    for (const [column, clock, which] of [["excl-cpu", "cpu_ns", "exclusive"], ["incl-real", "wall_ns", "inclusive"]]) {
      const { rows } = cli("profile", APP, "--json", "--limit", "0");
      await sortBy(page, column);
      const wanted = rows.map((/** @type {any} */ row) => row[which][clock]).sort((/** @type {number} */ a, /** @type {number} */ b) => b - a);
      let shown = (await tableOf(page, "profile-table")).map((line) => line[column]);
      assert.deepEqual(shown, wanted.slice(0, shown.length).map(ms));
      await sortBy(page, column);
      shown = (await tableOf(page, "profile-table")).map((line) => line[column]);
      assert.deepEqual(shown, wanted.reverse().slice(0, shown.length).map(ms));
    }
    await sortBy(page, "name");
    assert.equal(await page.getByTestId("profile-table").getByTestId("col-name").getAttribute("aria-sort"), "ascending");
    await sortBy(page, "calls");
    const calls = (await tableOf(page, "profile-table")).map((line) => line.calls.split("+").map(Number)).map(([a, b]) => a + b);
    assert.deepEqual(calls, [...calls].sort((a, b) => b - a));
    await sortBy(page, "incl-cpu");
  });

  test("a row opens into parents and children, also while recursive", async () => {
    const page = its.page(), { method } = cli("profile", APP, "--json", "--method", NEXT);
    await page.getByTestId("profile-find").fill("JSONTokener.nextValue");
    await page.waitForFunction(() => document.querySelector("[data-testid=profile-hits]")?.textContent === "1 of 1");
    await settled(page);
    const row = rowWith(page, "profile-table", "nextValue");
    await row.locator(".twisty").click();
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=profile-table] .line.heading").length >= 4);
    await settled(page);
    const table = await tableOf(page, "profile-table");
    const headings = table.map((line) => line.name).filter((name) => /^(Parents|Children)/.test(name));
    assert.deepEqual(headings, ["Parents", "Children", "Parents while recursive", "Children while recursive"]);
    const at = (/** @type {string} */ heading) => table.findIndex((line) => line.name === heading);
    assert.equal(table[at("Children") + 1].name, "self", "self stands first");
    const begin = table.findIndex((line) => line.name.includes("JSONTokener.nextValue(") || /^13org\.json\.JSONTokener\.nextValue/.test(line.name));
    assert.ok(begin >= 0 && begin < at("Parents"));
    for (const [heading, edges] of [["Parents", method.parents], ["Children while recursive", method.recursive_children]]) {
      for (const [nth, edge] of edges.entries()) {
        const line = table[at(heading) + 1 + nth];
        if (!line) break;
        assert.ok(line.name.includes(labelOf(edge)), `${heading}: ${line.name} is ${labelOf(edge)}`);
        assert.equal(line["incl-cpu"], ms(edge.inclusive.cpu_ns));
        assert.equal(line.calls, `${edge.calls}/${edge.of_calls}`);
      }
    }
    await row.locator(".twisty").click();
    await page.waitForFunction(() => !document.querySelector("[data-testid=profile-table] .vt-row:not([hidden]).heading"));
  });

  test("profile and timeline follow each other", async () => {
    const page = its.page();
    await page.getByTestId("profile-find").fill("ArticleParser.parse");
    await page.getByTestId("profile-find").press("Enter");
    await until(page, (state) => state.selection?.kind === "name");
    const { name } = await state(page, "selection");
    assert.equal((await ask(page, { op: "names", ids: [name] })).names[0], PARSE);
    await page.getByTestId("profile-find").fill("");
    const id = await sliceNamed(page, "com.example.news.Net.fetch");
    await bring(page, id);
    await clickSlice(page, id);
    await wholeProfile(page);
    assert.match(await page.getByTestId("profile-table").locator(".line.at").innerText(), /Net\.fetch/);
  });

  test("a flame graph zooms in and out, and its numbers equal the program's", async () => {
    const page = its.page(), { rows } = cli("profile", APP, "--json", "--limit", "0");
    const row = rows.find((/** @type {any} */ row) => labelOf(row) === PARSE);
    await page.getByTestId("tab-flame").click();
    await settled(page);
    const flame = page.getByTestId("flame"), status = page.getByTestId("flame-status");
    await page.getByTestId("profile-find").fill("");
    await flame.focus();
    // Follow the heaviest bars down from the outermost one to the known method.
    await page.keyboard.press("ArrowDown");
    let found = "";
    for (let steps = 0; steps < 40 && !found; steps++) {
      const text = await status.innerText();
      if (text.startsWith(`${PARSE} `)) found = text;
      else await page.keyboard.press("ArrowDown");
    }
    assert.ok(found, `${PARSE} is below the heaviest bars; the last was ${await status.innerText()}`);
    assert.ok(found.includes((row.inclusive.cpu_ns / 1e6).toLocaleString("en", { maximumFractionDigits: 2 })), `${found}: ${row.inclusive.cpu_ns}`);
    await page.keyboard.press("Enter");
    await page.locator("[data-testid=panel-flame] .crumbs button").first().waitFor();
    await settled(page);
    assert.match(await page.locator("[data-testid=panel-flame] .crumbs").innerText(), /parse/);
    await until(page, (state) => state.selection?.kind === "name");
    await page.keyboard.press("Escape");
    await page.locator("[data-testid=panel-flame] .crumbs").waitFor({ state: "hidden" });
  });

  test("the sandwich shows callers and callees", async () => {
    const page = its.page();
    await page.getByTestId("profile-find").fill("JSONTokener.nextString");
    await page.getByTestId("tab-sandwich").click();
    await page.waitForFunction(() => /nextString/.test(document.querySelector("[data-testid=sandwich-title]")?.textContent ?? ""));
    await settled(page);
    const up = page.getByTestId("sandwich-up");
    await up.focus();
    await page.keyboard.press("ArrowUp");
    assert.notEqual(await page.getByTestId("sandwich-up-status").innerText(), "");
    assert.match(await page.locator(".sandwich-bar").innerText(), /337 calls/);
    await page.getByTestId("profile-find").fill("");
  });

  test("trees open level by level, with the program's numbers", async () => {
    const page = its.page();
    for (const [id, kind] of [["top_down", "top-down"], ["bottom_up", "bottom-up"]]) {
      await page.getByTestId(`tab-${id}`).click();
      await settled(page);
      const tree = cli("profile", APP, "--json", "--tree", kind, "--min-percent", "0", "--depth", "1", "--limit", "0").tree.rows;
      const table = await tableOf(page, `tree-${id}`);
      assert.ok(table.length > 4);
      for (const node of tree.slice(0, 4)) {
        const label = node.label ?? labelOf(node), line = table.find((line) => line.name.includes(label.replace(/ \(\d+\)$/, "")));
        assert.ok(line, `${label} is in the tree`);
        assert.equal(line.incl, ms(node.inclusive.cpu_ns), label);
      }
      await page.getByTestId(`tree-${id}`).focus();
      await page.keyboard.press("Home");
      const before = await page.getByTestId(`tree-${id}`).getAttribute("aria-rowcount");
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(([id, before]) => document.querySelector(`[data-testid=tree-${id}]`)?.getAttribute("aria-rowcount") !== before, [id, before]);
      await settled(page);
      await page.keyboard.press("ArrowLeft");
      await page.waitForFunction(([id, before]) => document.querySelector(`[data-testid=tree-${id}]`)?.getAttribute("aria-rowcount") === before, [id, before]);
    }
  });

  test("the call graph is drawn and can be saved", async () => {
    const page = its.page();
    await page.getByTestId("tab-graph").click();
    await page.waitForFunction(() => /** @type {HTMLImageElement | null} */ (document.querySelector(".graph-image"))?.naturalWidth);
    await page.getByTestId("graph-least").selectOption("20");
    await settled(page);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByTestId("graph-save").click()]);
    assert.equal(download.suggestedFilename(), "callgraph.svg");
  });

  test("the mouse and the keyboard move columns, and copied text has their order", async () => {
    const page = its.page(), table = page.getByTestId("profile-table");
    const ids = () => table.evaluate((table) => [...table.querySelectorAll(".vt-head [data-testid]")].map((cell) => (cell.getAttribute("data-testid") ?? "").slice(4)));
    const before = await ids(), sorted = await table.locator("[aria-sort=descending]").getAttribute("data-testid");
    const at = before.indexOf("excl-cpu"), center = async (/** @type {string} */ id) => {
      const box = await table.getByTestId(`col-${id}`).boundingBox();
      assert.ok(box);
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const [was] = await tableOf(page, "profile-table"), from = await center("excl-cpu"), to = await center("incl-cpu-%");
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move((from.x + to.x) / 2, to.y, { steps: 3 });
    await page.mouse.move(to.x - 20, to.y, { steps: 3 });
    await page.mouse.up();
    await settled(page);
    assert.deepEqual(await ids(), ["name", "excl-cpu", ...before.slice(1, at), ...before.slice(at + 1)]);
    assert.equal(await table.locator("[aria-sort=descending]").getAttribute("data-testid"), sorted, "moving does not sort");
    const [first] = await tableOf(page, "profile-table");
    assert.equal(first["excl-cpu"], was["excl-cpu"]);
    await table.getByTestId("col-excl-cpu").locator("button").focus();
    for (let step = 1; step < at; step++) await page.keyboard.press("Control+ArrowRight");
    assert.deepEqual(await ids(), before);
    await page.keyboard.press("Control+ArrowLeft");
    await page.keyboard.press("Control+ArrowRight");
    assert.deepEqual(await ids(), before);
  });

  test("the flame graph as folded stacks equals the output of convert", async () => {
    const page = its.page(), path = join(work, "convert.folded");
    mkdirSync(work, { recursive: true });
    execFileSync(program, ["convert", APP, "-o", path, "--cpu"], { stdio: "ignore" });
    const stacks = (/** @type {string} */ text, /** @type {number} */ skip) => {
      /** @type {Map<string, number>} */
      const sums = new Map();
      for (const line of text.trim().split("\n")) {
        const [, stack, ns] = /** @type {RegExpExecArray} */ (/^(.*) (\d+)$/.exec(line)), key = stack.split(";").slice(skip).join(";");
        if (key) sums.set(key, (sums.get(key) ?? 0) + Number(ns));
      }
      return [...sums].sort(([a], [b]) => a < b ? -1 : 1);
    };
    await page.getByTestId("folded").click();
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Save folded stacks" }).click()]);
    assert.equal(download.suggestedFilename(), "profile.folded");
    const saved = stacks(readFileSync(await download.path(), "utf8"), 0);
    assert.ok(saved.length > 100);
    // Without the first two frames, the process and the thread.
    assert.deepEqual(saved, stacks(readFileSync(path, "utf8"), 2));
  });

  test("the profile of a range, of a thread, and of classes", async () => {
    const page = its.page();
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", from: 100e6, to: 600e6 } }));
    await page.getByTestId("profile-range").click();
    await until(page, (state) => state.profile?.scope?.from === 100e6);
    await settled(page);
    let expected = cli("profile", APP, "--json", "--limit", "3", "--from", "100ms", "--to", "600ms");
    let [line] = await tableOf(page, "profile-table");
    assert.equal(line["incl-cpu"], ms(expected.rows[0].inclusive.cpu_ns));
    await page.getByTestId("profile-whole").click();
    await settled(page);
    await page.getByTestId("profile-by").selectOption("class");
    await settled(page);
    expected = cli("profile", APP, "--json", "--limit", "0", "--by", "class");
    const table = await tableOf(page, "profile-table");
    table.forEach((line, nth) => assert.equal(line["incl-cpu"], ms(expected.rows[nth].inclusive.cpu_ns)));
    await page.getByTestId("profile-by").selectOption("method");
    const thread = await page.getByTestId("profile-who").locator("option", { hasText: "pool-2-thread-1" }).getAttribute("value");
    await page.getByTestId("profile-who").selectOption(String(thread));
    await settled(page);
    expected = cli("profile", APP, "--json", "--limit", "3", "--thread", "pool-2-thread-1");
    [line] = await tableOf(page, "profile-table");
    assert.equal(line["incl-cpu"], ms(expected.rows[0].inclusive.cpu_ns));
    await page.getByTestId("profile-whole").click();
    await settled(page);
    await page.getByTestId("profile-clock").selectOption("wall");
    await settled(page);
    expected = cli("profile", APP, "--json", "--limit", "3", "--clock", "wall");
    [line] = await tableOf(page, "profile-table");
    assert.ok(line.name.includes(labelOf(expected.rows[0])), `${line.name}: ranked by real time`);
  });

  test("a range over rows limits the profile until it is cleared", async () => {
    const page = its.page(), first = await page.evaluate(() => {
      const { kind, utid } = /** @type {any} */ (window).traceloom.timeline.model.rows, row = kind.indexOf(2);
      return { row, utid: utid[row] };
    });
    const select = (/** @type {object} */ selection) => page.evaluate((selection) => /** @type {any} */ (window).traceloom.store.set({ selection }), selection);
    const clear = async () => { await page.getByTestId("timeline").focus(); await page.keyboard.press("Escape"); await until(page, (state) => state.selection === null); };
    const scope = async () => (await state(page, "profile")).scope ?? {}, range = { kind: "range", from: 1e8, to: 6e8 };
    const before = await scope();
    await select({ ...range, rows: [first.row] });
    await until(page, (state) => state.profile.scope?.from === 1e8);
    assert.deepEqual(await scope(), { from: 1e8, to: 6e8, threads: [first.utid] });
    // A range over all rows follows it, without its thread.
    await select({ ...range, to: 7e8 });
    await until(page, (state) => state.profile.scope?.to === 7e8);
    assert.deepEqual(await scope(), { from: 1e8, to: 7e8 });
    await clear();
    assert.deepEqual(await scope(), before);
    // The user's own limits stay.
    await select(range);
    await page.getByTestId("profile-range").click();
    await until(page, (state) => state.profile.scope?.from === 1e8);
    await clear();
    assert.deepEqual(await scope(), { from: 1e8, to: 6e8 });
    await page.getByTestId("profile-whole").click();
    await settled(page);
  });

  test("a column can be made wider", async () => {
    const page = its.page(), column = page.getByTestId("profile-table").getByTestId("col-name");
    const before = await column.boundingBox(), grip = await column.locator(".vt-grip").boundingBox();
    assert.ok(before && grip);
    await page.mouse.move(grip.x + 4, grip.y + 10);
    await page.mouse.down();
    await page.mouse.move(grip.x + 84, grip.y + 10, { steps: 3 });
    await page.mouse.up();
    const after = await column.boundingBox();
    assert.ok(after && Math.abs(after.width - before.width - 80) < 3, `${before.width} to ${after?.width}`);
  });
});

onPages("Profile of a systrace", { files: [JANK], kinds: ["report"] }, (its) => {
  test("the profile of a system trace lists slices instead of methods", async () => {
    const page = its.page(), { rows } = cli("profile", JANK, "--json", "--limit", "0");
    await roomy(page);
    await wholeProfile(page);
    const table = await tableOf(page, "profile-table");
    table.forEach((line, nth) => {
      assert.ok(line.name.startsWith(`${rows[nth].rank}${rows[nth].name.slice(0, 20)}`), `${line.name} is ${rows[nth].name}`);
      assert.equal(line["incl-real"], ms(rows[nth].inclusive.wall_ns));
      assert.equal(line["excl-cpu"], ms(rows[nth].exclusive.cpu_ns));
      assert.equal(number(line.calls.split("+")[0]), rows[nth].calls);
    });
    for (const [clock, first] of [["wall", "incl-real-%"], ["cpu", "incl-cpu-%"]]) {
      await page.getByTestId("profile-clock").selectOption(clock);
      await settled(page);
      assert.equal(Object.keys((await tableOf(page, "profile-table"))[0])[1], first, "the columns of the clock come first");
    }
    await page.getByTestId("profile-clock").selectOption("runnable");
    await settled(page);
    const by = cli("profile", JANK, "--json", "--limit", "0", "--sort", "runnable").rows;
    const most = Math.max(...by.map((/** @type {any} */ row) => row.inclusive.runnable_ns));
    assert.equal((await tableOf(page, "profile-table"))[0]["incl-runnable"], ms(most));
  });
});

onPages("Comparison of two files", { files: [APP, APP], kinds: ["report"] }, (its) => {
  test("a file with itself: nothing changed", async () => {
    const page = its.page();
    await roomy(page);
    await tab(page, "diff");
    await page.waitForFunction(() => /→/.test(document.querySelector("[data-testid=diff-total]")?.textContent ?? ""));
    await settled(page);
    const table = await tableOf(page, "diff-table");
    assert.ok(table.length > 5);
    for (const line of table) assert.equal(line["exclusive-base"], line["exclusive-new"]);
    await page.getByTestId("tab-diff-flame").click();
    await settled(page);
    await page.getByTestId("diff-flame").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await page.getByTestId("diff-flame-status").innerText(), /before .* after /);
  });
});
