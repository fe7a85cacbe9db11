// What Perfetto traces hold besides slices: the log, samples of a profiler, heaps.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { beyond, check } from "./axe.js";
import { corpus, ready, root, work } from "./lib.js";
import { ask, box, cli, facts, rowNames, settled, state, tab, tableOf, until } from "./drive.js";
import { clocks, heap, log, people, sample, stacks, symbols, trace } from "./proto.js";
import { onPages } from "./suite.js";

/** @typedef {import("playwright-core").Page} Page */

const MS = 1e6, LONG = { timeout: 120_000 };
/**
 * Ten samples of two threads:
 *
 *     main 8: start > parse > read (4), start > parse (1), start > parse > parse > read (1), start > draw (2)
 *     work 2: start > read (1), without a stack (1)
 */
const FUNCTIONS = ["start", "parse", "read", "draw"];
const STACKS = [[0, 1, 2], [0, 1], [0, 1, 1, 2], [0, 3], [0, 2]];
const SAMPLES = [[10, 1], [10, 1], [10, 1], [10, 1], [10, 2], [10, 3], [10, 4], [10, 4], [11, 5], [11, 0]];
const LINES = /** @type {[number, number, number, string, string][]} */ ([[5 * MS, 10, 4, "Main", "started"], [20 * MS, 11, 6, "Work", "cannot read /data/x"], [20 * MS + 1, 10, 5, "Main", "slow <b>frame</b>"], [90 * MS, 11, 3, "Work", "done"]]);
const MADE = trace("records.pftrace", [clocks(), people([[10, "com.example.app", [[10, "main"], [11, "worker"]]]]), log(LINES), stacks(FUNCTIONS, STACKS),
  ...SAMPLES.map(([tid, stack], at) => sample((at + 1) * 10 * MS, tid, stack))]);

/** A sample whose innermost frame, at the address of `draw`, has two functions: `blend` is inlined into `draw`. */
const INLINED = trace("inlined.pftrace", [people([[10, "com.example.app", [[10, "main"]]]]), stacks(["start", "draw"], [[0, 1]]), sample(10 * MS, 10, 1), symbols("/libapp.so", 32, ["blend", "draw"])]);

/** Where a row is on the screen. @param {Page} page @param {string} name @param {number} ns */
const place = (page, name, ns) => page.evaluate(({ name, ns }) => {
  const { timeline } = /** @type {any} */ (window).traceloom, box = timeline.area.getBoundingClientRect(), { view, model } = timeline;
  const found = timeline.placed().find((/** @type {any} */ { row }) => model.rows.names[row] === name);
  const band = model.eventBand(found.row, found.y);
  return { x: box.left + (ns - view.from) / (view.to - view.from) * box.width, y: box.top + band.y + band.high / 2 };
}, { name, ns });

/** Waits until an element has this text. The table below it draws its rows in the next frame. @param {Page} page @param {string} testid @param {string} text */
async function says(page, testid, text) {
  await page.waitForFunction(([testid, text]) => document.querySelector(`[data-testid=${testid}]`)?.textContent === text, [testid, text]);
  await settled(page);
}

/** Nanoseconds from the page's origin. @param {Page} page @param {number} ts */
const from = async (page, ts) => ts - Number((await ask(page, { op: "meta" })).origin_ns);

/** Text of `perf script`: two samples of `cycles:u` in `draw`, and one of `faults` in `load`. */
mkdirSync(work, { recursive: true });
const EVENTS = join(work, "events.perf.txt");
writeFileSync(EVENTS, [["cycles:u", "draw"], ["faults", "load"], ["cycles:u", "draw"]].map(([event, name], at) =>
  `app 10 [000] 1.00000${at}: 250 ${event}:\n\t10 ${name} (/bin/app)\n\t20 run (/bin/app)\n\n`).join(""));

onPages("Samples of two events", { files: [EVENTS], kinds: ["report"] }, (its) => {
  test("can be limited to one", LONG, async () => {
    const page = its.page();
    await tab(page, "samples");
    const sums = async () => (await tableOf(page, "samples-table")).map(({ label, self, total }) => [label, Number(self), Number(total)]);
    await says(page, "samples-title", "3 samples");
    assert.deepEqual(await page.getByTestId("samples-event").locator("option").allTextContents(), ["All 2 events", "cycles:u", "faults"]);
    await page.getByTestId("samples-event").selectOption("cycles:u");
    await says(page, "samples-title", "2 samples");
    assert.deepEqual((await sums()).sort(), [["draw", 2, 2], ["run", 0, 2]]);
    const { rows } = cli("profile", EVENTS, "--json", "--event", "cycles:u");
    assert.deepEqual(rows.map((/** @type {any} */ row) => [row.name, row.exclusive.samples, row.inclusive.samples]).sort(), (await sums()).sort());
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "sample", id: 1 } }));
    await tab(page, "details");
    assert.equal((await facts(page)).Event, "faults");
  });

  test("keep their event, thread and direction after a reload", LONG, async () => {
    const page = its.page();
    await tab(page, "samples");
    await page.getByTestId("samples-event").selectOption("faults");
    await page.getByTestId("samples-thread").selectOption({ index: 1 });
    await page.getByTestId("samples-up").click();
    await says(page, "samples-title", "1 sample");
    await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get("pr")?.includes("up"));
    await page.reload();
    await ready(page);
    await says(page, "samples-title", "1 sample");
    assert.equal(await page.getByTestId("samples-event").evaluate((select) => /** @type {HTMLSelectElement} */ (select).selectedOptions[0].text), "faults");
    assert.match(await page.getByTestId("samples-thread").evaluate((select) => /** @type {HTMLSelectElement} */ (select).selectedOptions[0].text), /^app \(10\)/);
    assert.equal(await page.getByTestId("samples-up").getAttribute("aria-pressed"), "true");
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: null, profile: {} }));
  });

  test("are found by the search, which leads to them", LONG, async () => {
    const page = its.page();
    await tab(page, "details");
    await page.getByTestId("search").fill("loa");
    await says(page, "search-hits", "1 function: Enter");
    await page.getByTestId("search").press("Enter");
    await until(page, (state) => state.panel === "samples");
    await settled(page);
    assert.deepEqual((await tableOf(page, "samples-table")).map(({ label }) => label), ["load"]);
    await page.getByTestId("search").fill("nothing of this name");
    await says(page, "search-hits", "no match");
    await page.getByTestId("search").fill("");
    await page.getByTestId("samples-find").fill("");
    await settled(page);
    assert.equal((await tableOf(page, "samples-table")).length, 3);
  });

  test("take the place of calls: in a range and in the profile", LONG, async () => {
    const page = its.page(), area = await box(page, "timeline");
    await tab(page, "samples");
    await page.mouse.move(area.x + 20, area.y + 60);
    await page.mouse.down();
    await page.mouse.move(area.x + 200, area.y + 70, { steps: 3 });
    await page.mouse.up();
    await until(page, (state) => state.selection?.kind === "range");
    assert.equal(await state(page, "panel"), "samples");
    await tab(page, "range");
    assert.match(await page.getByTestId("range-title").innerText(), / · no calls$/);
    await page.getByTestId("range-flame").click();
    await until(page, (state) => state.panel === "samples");
    await tab(page, "profile");
    await page.getByTestId("profile-samples").click();
    await until(page, (state) => state.panel === "samples");
  });
});

/** The same program later: `draw` has more samples of `cycles:u`, `load` has none, `sort` is new. */
const LATER = join(work, "later.perf.txt");
writeFileSync(LATER, ["draw", "draw", "draw", "sort"].map((name, at) => `app 20 [000] 1.00000${at}: 250 cycles:u:\n\t10 ${name} (/bin/app)\n\t20 run (/bin/app)\n\n`).join(""));

onPages("Samples of two files", { files: [EVENTS, LATER], kinds: ["report"] }, (its) => {
  test("are compared by their shares", LONG, async () => {
    const page = its.page();
    await tab(page, "diff");
    await says(page, "diff-total", "events.perf.txt → later.perf.txt: 3 samples → 4 samples");
    const shown = async () => (await tableOf(page, "diff-table")).map((line) => [line.name.replace(/^(new|gone)/, "$1 "), ...["base", "new"].flatMap((side) => [line[`exclusive-${side}`], line[`inclusive-${side}`]])]).sort();
    const told = (/** @type {string[]} */ ...args) => cli("diff", EVENTS, LATER, "--json", ...args).rows.map((/** @type {any} */ { name, presence, exclusive, inclusive }) =>
      [presence === "both" ? name : `${presence} ${name}`, ...["base", "new"].flatMap((side) => [exclusive[side].toFixed(2), inclusive[side].toFixed(2)])]).sort();
    assert.deepEqual(await shown(), told());
    assert.deepEqual((await shown())[1], ["gone load", "33.33", "33.33", "0.00", "0.00"]);
    await page.getByTestId("diff-event").selectOption("cycles:u");
    await says(page, "diff-total", "events.perf.txt → later.perf.txt: 2 samples → 4 samples");
    assert.deepEqual(await shown(), told("--event", "cycles:u"));
    await page.getByTestId("tab-diff-flame").click();
    await settled(page);
    await page.getByTestId("diff-flame").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.getByTestId("diff-flame-status").innerText(), "draw · before 100.00 % · after 75.00 % · change −25.00 points");
  });
});

onPages("Inlined functions", { files: [INLINED], kinds: ["report"] }, (its) => {
  test("are functions of their own", LONG, async () => {
    const page = its.page();
    await tab(page, "samples");
    const sums = (await tableOf(page, "samples-table")).map(({ label, self, total }) => [label, Number(self), Number(total)]);
    assert.deepEqual(sums.sort(), [["blend", 1, 1], ["draw", 0, 1], ["start", 0, 1]]);
    const { rows } = cli("profile", INLINED, "--json");
    assert.deepEqual(rows.map((/** @type {any} */ row) => [row.name, row.exclusive.samples, row.inclusive.samples]).sort(), sums);
  });
});

onPages("A trace with a log and samples", { files: [MADE] }, (its) => {
  test("has rows for both", LONG, async () => {
    const page = its.page(), names = await rowNames(page);
    for (const name of ["Android log", "com.example.app", "worker"]) assert.ok(names.some((text) => text.includes(name)), `${name} in ${names}`);
  });

  test("counts both among the facts about the trace", LONG, async () => {
    const page = its.page();
    await page.keyboard.press("Escape");
    await page.getByTestId("info").click();
    const text = await page.getByTestId("info-sheet").innerText();
    await page.keyboard.press("Escape");
    assert.match(text, /Samples\s+10\b/);
    assert.match(text, /Log lines\s+4\b/);
  });

  test("fills the overview with the times of its records", LONG, async () => {
    const page = its.page();
    await settled(page);
    const { width, inked } = await page.getByTestId("overview").locator("canvas").evaluate((canvas) => {
      const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
      const bytes = /** @type {HTMLCanvasElement} */ (canvas).getContext("2d")?.getImageData(0, height - 2, width, 1).data ?? [];
      const colours = Array.from({ length: width }, (_, x) => [...bytes.slice(x * 4, x * 4 + 3)].join());
      return { width, inked: colours.flatMap((colour, x) => colour === colours[Math.floor(width / 3)] ? [] : [x]) };
    });
    const { duration_ns: whole } = await ask(page, { op: "meta" }), times = SAMPLES.map((_, at) => (at + 1) * 10 * MS).concat(LINES.map(([ts]) => ts));
    const places = await Promise.all(times.map(async (ts) => Math.min(width - 1, Math.floor(await from(page, ts) / whole * width))));
    assert.deepEqual(inked, [...new Set(places)].sort((a, b) => a - b));
  });

  test("lists the lines of the log, by level, text and range", LONG, async () => {
    const page = its.page();
    await tab(page, "logs");
    const shown = async () => (await tableOf(page, "logs-table")).map(({ level, tag, msg, thread }) => [level, tag, msg, thread]);
    await says(page, "logs-title", "4 lines");
    assert.deepEqual(await shown(), [["info", "Main", "started", "main (10)"], ["error", "Work", "cannot read /data/x", "worker (11)"], ["warning", "Main", "slow <b>frame</b>", "main (10)"], ["debug", "Work", "done", "worker (11)"]]);
    await page.getByTestId("logs-level").selectOption("5");
    await says(page, "logs-title", "2 lines");
    await page.getByTestId("logs-text").fill("FRAME".toLowerCase());
    await says(page, "logs-title", "1 line");
    assert.equal((await shown())[0][2], "slow <b>frame</b>");
    await page.getByTestId("logs-text").fill("");
    await page.getByTestId("logs-level").selectOption("");
    const to = await from(page, 50 * MS);
    await page.evaluate((to) => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", from: 0, to } }), to);
    await page.getByTestId("logs-range").check();
    await says(page, "logs-title", "3 lines");
    await page.getByTestId("logs-range").uncheck();
    await says(page, "logs-title", "4 lines");
  });

  test("shows a line of the table in the time line, and the other way round", LONG, async () => {
    const page = its.page();
    await tab(page, "logs");
    await page.locator("[data-testid=logs-table] .vt-space > .vt-row", { hasText: "cannot read" }).click();
    await until(page, ({ selection }) => selection?.kind === "log" && selection.id === 1);
    await tab(page, "details");
    assert.equal(await page.getByTestId("log-text").textContent(), "cannot read /data/x");
    assert.equal((await facts(page)).Level, "error");
    const at = await place(page, "Android log", await from(page, 90 * MS));
    await page.mouse.move(at.x - 30, at.y);
    await page.mouse.move(at.x, at.y);
    await page.waitForFunction(() => document.querySelector("[data-testid=tip]")?.textContent?.startsWith("Work: done"));
    await page.mouse.click(at.x, at.y);
    await until(page, ({ selection }) => selection?.kind === "log" && selection.id === 3);
    await page.keyboard.press("Escape");
  });

  test("draws samples as marks on their thread, with their stacks", LONG, async () => {
    const page = its.page(), at = await place(page, "worker", await from(page, 90 * MS));
    await page.mouse.click(at.x, at.y);
    await until(page, ({ selection }) => selection?.kind === "sample" && selection.id === 8);
    await settled(page);
    assert.deepEqual(await page.locator("[data-testid=panel-details] .chain li").allTextContents(), ["read", "start"]);
    assert.equal((await facts(page)).Thread, "worker (11)");
    await page.keyboard.press("Escape");
  });

  test("sums the samples by function, and limits them to a thread and a range", LONG, async () => {
    const page = its.page();
    await tab(page, "samples");
    const sums = async () => (await tableOf(page, "samples-table")).map(({ label, self, total }) => [label, Number(self), Number(total)]);
    const title = (/** @type {string} */ text) => says(page, "samples-title", text);
    await title("10 samples, 1 without a stack");
    assert.deepEqual(await sums(), [["start", 0, 9], ["parse", 1, 6], ["read", 6, 6], ["draw", 2, 2]]);
    await page.getByTestId("samples-thread").selectOption({ label: "worker (11) · 2" });
    await title("2 samples, 1 without a stack");
    await page.getByTestId("samples-thread").selectOption("");
    const to = await from(page, 45 * MS);
    await page.evaluate((to) => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", from: 0, to } }), to);
    await title("4 samples");
    assert.deepEqual(await sums(), [["parse", 0, 4], ["read", 4, 4], ["start", 0, 4]].sort((a, b) => FUNCTIONS.indexOf(String(a[0])) - FUNCTIONS.indexOf(String(b[0]))));
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: null }));
    await title("10 samples, 1 without a stack");
  });

  test("transforms of the samples: focus, merge, drop, collapse", LONG, async () => {
    const page = its.page();
    await tab(page, "samples");
    const sums = async () => (await tableOf(page, "samples-table")).map(({ label, self, total }) => [label, Number(self), Number(total)]);
    const title = (/** @type {string} */ text) => says(page, "samples-title", text);
    /** Selects a function in the table, and applies a transform from the menu with the keyboard. @param {string} label @param {string} item */
    const apply = async (label, item) => {
      await page.getByTestId("samples-table").locator(".vt-space > .vt-row:not([hidden])", { hasText: label }).click();
      await page.getByTestId("samples-transform").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: item }).press("Enter");
      await until(page, (state) => state.profile.samples?.length > 0);
      await settled(page);
    };
    const undo = async () => {
      await page.getByRole("button", { name: "Whole samples" }).click();
      await title("10 samples, 1 without a stack");
    };
    await apply("parse", "Focus on this function");
    await title("6 samples");
    assert.deepEqual(await sums(), [["parse", 1, 6], ["read", 5, 5]]);
    await check(page, "transforms of samples");
    await until(page, () => /samples/.test(new URLSearchParams(location.hash.slice(1)).get("pr") ?? ""));
    await page.reload();
    await ready(page);
    await page.getByTestId("samples-transforms").getByText("focus on parse").waitFor();
    await title("6 samples");
    await undo();
    await apply("parse", "Merge into its callers");
    await title("10 samples, 1 without a stack");
    assert.deepEqual(await sums(), [["start", 1, 9], ["read", 6, 6], ["draw", 2, 2]]);
    await undo();
    await apply("parse", "Drop it, with its time");
    await title("4 samples, 1 without a stack");
    assert.deepEqual(await sums(), [["start", 0, 3], ["draw", 2, 2], ["read", 1, 1]]);
    await undo();
    await apply("parse", "Collapse its recursion");
    await page.getByTestId("samples-flame").focus();
    for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    assert.match(await page.getByTestId("samples-flame-status").textContent() ?? "", /^read · 5 samples/);
    await page.getByRole("button", { name: /^Undo: recursion collapsed/ }).click();
    // The path was selected in the flame graph.
    await page.getByTestId("samples-flame").focus();
    for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    await page.keyboard.press("Enter");
    await page.getByTestId("samples-transform").click();
    await page.getByRole("menuitem", { name: "Focus on this call path" }).click();
    await title("6 samples");
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).traceloom.store.get().profile.samples), [{ kind: "focus_subtree", path: ["start", "parse"] }]);
    await undo();
  });

  test("has a flame graph of the samples for the mouse and the keyboard", LONG, async () => {
    const page = its.page();
    await page.getByTestId("samples-flame").focus();
    for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    assert.match(await page.getByTestId("samples-flame-status").textContent() ?? "", /^parse · 6 samples \(60\.0 %\) · in itself 1/);
    await page.getByTestId("samples-up").click();
    await settled(page);
    await page.getByTestId("samples-flame").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await page.getByTestId("samples-flame-status").textContent() ?? "", /^read · 6 samples/);
    await page.getByTestId("samples-up").click();
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  onPages(`Accessibility of records, ${colorScheme}`, { files: [MADE], kinds: ["report"], options: { colorScheme, reducedMotion: "reduce" } }, (its) => {
    for (const width of [1366, 900, 400]) {
      test(`log and samples, ${width} px`, LONG, async () => {
        const page = its.page();
        await page.setViewportSize({ width, height: 768 });
        for (const id of ["logs", "samples"]) {
          await tab(page, id);
          await check(page, id);
          assert.deepEqual(await beyond(page), [], "nothing is wider than the window");
        }
      });
    }
  });
}

// The references: 0 → 1, 2; 1 → 3; 2 → 3, 4; 5 → 5. Node 3 is reached over two others, so only 0 keeps it alive; nothing leads to 5.
const HEAP = trace("heap.pftrace", [people([[10, "com.example.app", []]]), heap(5 * MS, 10, ["Screen", "Node", "byte[]"], [[0, 16, [1, 2]], [1, 24, [3]], [1, 24, [3, 4]], [2, 1000, []], [2, 200, []], [1, 24, [5]]], [0])]);

onPages("A trace with a Java heap", { files: [HEAP] }, (its) => {
  test("shows what keeps how much memory alive", LONG, async () => {
    const page = its.page();
    await tab(page, "heaps");
    await says(page, "heaps-title", "1.3 KB in 5 objects");
    const rows = (await tableOf(page, "heaps-table")).map(({ label, times, self, total }) => [label, times, self, total]);
    assert.deepEqual(rows, [["Screen", "1", "16 B", "1.3 KB"], ["byte[]", "2", "1.2 KB", "1.2 KB"], ["Node", "2", "48 B", "248 B"]]);
    await page.getByTestId("heaps-flame").focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await page.getByTestId("heaps-flame-status").textContent() ?? "", /^Screen · keeps alive 1\.3 KB \(100\.0 %\) · itself 16 B · 5 objects/);
  });
});

/** A size as the page shows it. @param {number} bytes */
const size = (bytes) => bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 100) / 10} KB`;

const SUITE = join(process.env.TRACELOOM_TESTDATA ?? join(root, "../shared/testdata"), "perfetto-suite"), GRAPH = join(SUITE, "traces/eda10af57ae64eb5");
const SURFACES = join(SUITE, "traces/6e3e545a911a1865");
describe("A trace of surfaces alone", { skip: !existsSync(SURFACES) && "no corpus of real traces" }, () => {
  onPages("Nothing to draw", { files: [SURFACES], kinds: ["report"] }, (its) => {
    test("is not said to be empty", LONG, async () => {
      const records = Object.values((await ask(its.page(), { op: "meta" })).records).reduce((sum, rows) => sum + rows, 0);
      assert.match(await its.page().locator(".tl-none").innerText(), new RegExp(`nothing that the timeline shows[^]* ${records} records`));
    });
  });
});

describe("The heap of Perfetto's own test", { skip: !existsSync(GRAPH) && "no corpus of real traces" }, () => {
  onPages("The dominators of Perfetto's test", { files: [GRAPH], kinds: ["report"] }, (its) => {
    test("keep alive as much as Perfetto says", LONG, async () => {
      const page = its.page();
      const expected = new Map(readFileSync(join(SUITE, "expected/HeapGraph_heap_graph_dominator_tree.csv"), "utf8").split("\n").map((line) => line.trim().replaceAll('"', "").split(",")).filter(([id]) => /^\d+$/.test(id)).map((cells) => [cells[5], Number(cells[3])]));
      assert.ok(expected.size > 15);
      await tab(page, "heaps");
      await page.waitForFunction(() => document.querySelector("[data-testid=heaps-table] .vt-space > .vt-row"));
      await page.setViewportSize({ width: 1366, height: 2000 });
      await settled(page);
      const tree = await tableOf(page, "heaps-table");
      for (const { label, total } of tree) if (expected.has(label)) assert.equal(total, size(expected.get(label) ?? NaN), label);
      assert.ok(tree.filter(({ label }) => expected.has(label)).length > 10);
    });
  });
});

const real = corpus("perfetto-proto").find((path) => path.includes("android12_cpuschedstack"));
describe("A real trace with samples", { skip: !real && "no corpus of real traces" }, () => {
  onPages("Samples of Android 12", { files: [String(real)], kinds: ["live"] }, (its) => {
    test("counts what the tables of SQL hold", LONG, async () => {
      const page = its.page(), [lines, samples, bare] = cli("query", String(real), "select (select count(*) from android_logs), (select count(*) from perf_sample), (select count(*) from perf_sample where callsite_id is null)", "--format", "json").rows[0];
      assert.ok(lines > 100 && samples > 5000);
      await tab(page, "logs");
      await says(page, "logs-title", `${lines} lines`);
      await tab(page, "samples");
      await says(page, "samples-title", `${samples.toLocaleString("en")} samples, ${bare} without a stack`);
    });
  });
});
