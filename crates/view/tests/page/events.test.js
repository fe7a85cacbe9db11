// Events that have no table of their own: drawn on the rows of their thread and CPU, and listed in a tab.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { example, open, ready, report, work } from "./lib.js";
import { ask, cli, facts, rowNames, rowWith, settled, state, tab, tableOf, until } from "./drive.js";
import { shot } from "./shots.js";
import { onPages, theBrowser } from "./suite.js";

const COUNT = 12_000;

/** What the function tracer writes: no slices, no states. */
function functions() {
  const names = ["do_sys_openat2", "vfs_read", "vfs_write", "handle_mm_fault", "schedule"];
  const lines = ["# tracer: function", "#"];
  for (let at = 0; at < COUNT; at++) {
    const us = at * 90 + at * at % 80, tid = 7 + at % 3;
    lines.push(` task${tid}-${tid} (  ${tid}) [00${at % 2}] .... ${10 + Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, "0")}: call_${names[at % 7 % 5]}: nr=${at} file=/tmp/<b>${at}</b>`);
  }
  mkdirSync(work, { recursive: true });
  const path = join(work, "functions.ftrace");
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

const FILE = functions(), LINUX = example("linux.ftrace");
const LONG = { timeout: 120_000 };

/** The place of an event on the screen. @param {import("playwright-core").Page} page @param {string} name of the row */
const place = (page, name) => page.evaluate((name) => {
  const { timeline } = /** @type {any} */ (window).traceloom;
  const { model, area } = timeline, box = area.getBoundingClientRect();
  for (const { row, y } of timeline.placed()) {
    const band = model.rows.names[row] === name && model.eventBand(row, y);
    for (let x = 5; band && x < box.width; x++) {
      const hit = timeline.hit(x, band.y + band.high / 2);
      if (hit?.what === "event") return { x: box.left + x, y: box.top + band.y + band.high / 2, id: hit.data.e_id[hit.at], ts: hit.data.e_ts[hit.at] };
    }
  }
  return null;
}, name);

/** The row with a name. @param {import("playwright-core").Page} page @param {string} name @returns {Promise<number>} */
const rowOf = (page, name) => page.evaluate((name) => /** @type {any} */ (window).traceloom.timeline.model.rows.names.indexOf(name), name);

onPages("Events of the function tracer", { files: [FILE] }, (its) => {
  test("are on the rows of their threads and CPUs, and not blank", LONG, async () => {
    const page = its.page();
    const names = await rowNames(page);
    for (const name of ["task7", "task8", "task9", "CPU 0", "CPU 1"]) assert.ok(names.includes(name), `${name} in ${names}`);
    for (const name of ["task8", "CPU 1"]) assert.ok(await place(page, name), `no event on ${name}`);
    const { first_event: first, e_count: counts } = await ask(page, { op: "window", rows: [...Array(12).keys()], from: 0, to: 2e9, px_ns: 2e6 });
    assert.ok(first.at(-1) <= 5 * 1001, "no more than one mark a pixel");
    assert.equal(counts.reduce((/** @type {number} */ sum, /** @type {number} */ count) => sum + count, 0), 2 * COUNT, "all events stand on a thread and on a CPU");
  });

  test("fill the overview", LONG, async () => {
    const inked = await its.page().getByTestId("overview").locator("canvas").evaluate((canvas) => {
      const { width, height } = /** @type {HTMLCanvasElement} */ (canvas);
      const bytes = /** @type {HTMLCanvasElement} */ (canvas).getContext("2d")?.getImageData(0, height - 6, width, 1).data ?? [];
      const back = [...bytes.slice(0, 3)].join();
      return { width, colours: new Set(Array.from({ length: width }, (_, x) => [...bytes.slice(x * 4, x * 4 + 3)].join())).size, back };
    });
    assert.ok(inked.colours >= 1 && inked.back !== "255,255,255", JSON.stringify(inked));
  });

  test("a tip names an event, a click shows its fields", LONG, async () => {
    const page = its.page(), at = await place(page, "task8");
    assert.ok(at);
    await page.mouse.move(at.x, at.y);
    await page.getByTestId("tip").getByText("call_").waitFor();
    await page.mouse.click(at.x, at.y);
    await until(page, (state) => state.selection?.kind === "event");
    await settled(page);
    const said = await facts(page);
    assert.match(said.Thread, /task8/);
    assert.match(said.file, /^\/tmp\/<b>\d+<\/b>$/, "text, not markup");
    assert.ok(said.CPU === "0" || said.CPU === "1");
    await page.keyboard.press("Escape");
  });

  test("a tip shows the fields of an event under the pointer", LONG, async () => {
    const page = its.page();
    await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.view.fit(5e8, 5.02e8, 0));
    await settled(page);
    const at = await place(page, "task8");
    assert.ok(at);
    const { args } = await ask(page, { op: "at", row: await rowOf(page, "task8"), ts: at.ts, what: "event", id: at.id });
    await page.mouse.move(at.x, at.y);
    for (const [key, value] of args) await page.getByTestId("tip").getByText(`${key}: ${value}`, { exact: true }).waitFor();
    assert.deepEqual(args.map((/** @type {[string, unknown]} */ [key]) => key), ["nr", "file"]);
    await page.mouse.move(5, 5);
    await page.getByTestId("tip").waitFor({ state: "hidden" });
    await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.view.fit(0, 1.1e9, 0));
    await settled(page);
  });

  test("the tab lists what the program lists", LONG, async () => {
    const page = its.page();
    await tab(page, "events");
    await page.getByTestId("events-title").getByText("12,000 events").waitFor();
    await page.getByTestId("events-table").evaluate((table) => { table.scrollTop = 0; });
    await settled(page);
    const rows = await tableOf(page, "events-table");
    const told = cli("events", FILE, "--json", "--limit", "8").events;
    told.forEach((/** @type {any} */ event, /** @type {number} */ nth) => {
      assert.equal(rows[nth].label, event.event);
      assert.equal(rows[nth].thread, `${event.thread} (${event.tid})`);
      assert.equal(rows[nth].cpu, String(event.cpu));
      assert.equal(rows[nth]["field-0"], String(event.fields[0][1]));
      assert.equal(rows[nth]["field-1"], event.fields[1][1]);
    });
  });

  test("arrow keys move through the rows and select their events", LONG, async () => {
    const page = its.page(), told = cli("events", FILE, "--json", "--limit", "3").events;
    const at = page.locator("[data-testid=events-table] .vt-row.at");
    const selected = async (/** @type {number} */ nth) => {
      await at.getByText(String(told[nth].fields[0][1]), { exact: true }).first().waitFor();
      await until(page, (state, ts) => state.selection?.kind === "event" && state.selection.ts === ts, told[nth].ts_ns);
    };
    await page.getByTestId("events-table").focus();
    await page.keyboard.press("Home");
    await selected(0);
    for (const [key, nth] of /** @type {[string, number][]} */ ([["ArrowDown", 1], ["ArrowDown", 2], ["ArrowUp", 1], ["ArrowUp", 0], ["ArrowUp", 0]])) {
      await page.keyboard.press(key);
      await selected(nth);
    }
    await rowWith(page, "events-table", told[1].fields[1][1]).click();
    await selected(1);
    await page.keyboard.press("ArrowDown");
    await selected(2);
    await page.keyboard.press("PageDown");
    await page.keyboard.press("PageDown");
    await until(page, (state, ts) => state.selection.ts > ts, told[2].ts_ns);
  });

  test("the end of the table comes when it is scrolled to", LONG, async () => {
    const page = its.page();
    await page.getByTestId("events-table").focus();
    await page.keyboard.press("End");
    await page.locator("[data-testid=events-table] .vt-row", { hasText: String(COUNT - 1) }).first().waitFor();
    await page.keyboard.press("Home");
    await settled(page);
  });

  test("filters narrow it as the program's options do", LONG, async () => {
    const page = its.page();
    const title = page.getByTestId("events-title");
    const count = (/** @type {string[]} */ ...args) => cli("events", FILE, "--json", ...args).events.length.toLocaleString("en");
    await page.getByTestId("events-name").fill("vfs_");
    await title.getByText(`${count("--name", "vfs_")} events`).waitFor();
    await page.getByTestId("events-thread").fill("task9");
    await title.getByText(`${count("--name", "vfs_", "--thread", "task9")} events`).waitFor();
    await page.getByTestId("events-cpu").selectOption("1");
    await title.getByText(`${count("--name", "vfs_", "--thread", "task9", "--cpu", "1")} events`).waitFor();
    await page.getByTestId("events-name").fill("");
    await page.getByTestId("events-thread").fill("");
    await page.getByTestId("events-cpu").selectOption("");
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", from: 1e8, to: 2e8 } }));
    await page.getByTestId("events-range").check();
    await title.getByText(`${count("--from", "100ms", "--until", "200ms")} events`).waitFor();
    await page.getByTestId("events-range").uncheck();
    await title.getByText("12,000 events").waitFor();
  });

  test("a row jumps to the time line, and an event of the time line to its row", LONG, async () => {
    const page = its.page();
    await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.view.fit(1e6, 3e6, 0));
    await settled(page);
    await page.getByTestId("events-table").focus();
    await page.keyboard.press("End");
    await until(page, (state) => state.selection?.kind === "event" && state.view.from > 9e8);
    await settled(page);
    const { view, selection } = { view: await state(page, "view"), selection: await state(page, "selection") };
    assert.ok(view.from <= selection.ts && selection.ts <= view.to, "the event is in view");
    assert.ok(Math.abs(view.to - view.from - 2e6) < 2e4, `as wide as it was: ${view.to - view.from}`);
    const at = await place(page, "task7");
    assert.ok(at);
    await page.mouse.click(at.x, at.y);
    await until(page, (state, id) => state.selection?.id === id, at.id);
    await tab(page, "events");
    await page.locator("[data-testid=events-table] .vt-row.at", { hasText: "task7" }).waitFor();
  });

  test("a link brings an event back", LONG, async () => {
    const page = its.page();
    const before = await state(page, "selection");
    await until(page, (state, id) => state.selection?.id === id && new RegExp(`^event~.*~${id}$`).test(new URLSearchParams(location.hash.slice(1)).get("at") ?? ""), before.id);
    await page.reload();
    await ready(page);
    await until(page, (state, id) => state.selection?.kind === "event" && state.selection.id === id, before.id);
  });
});

onPages("Events beside other things", { files: [LINUX] }, (its) => {
  test("stand beside states and slices", LONG, async () => {
    const page = its.page();
    await tab(page, "events");
    const told = cli("events", LINUX, "--json").events.length;
    await page.getByTestId("events-title").getByText(`${told} events`).waitFor();
    const { e_count: counts } = await ask(page, { op: "window", rows: [...Array(20).keys()], from: 0, to: 1e10, px_ns: 1 });
    assert.ok(counts.length > 0);
  });
});

test("picture events", LONG, async () => {
  const { page, done } = await open(theBrowser(), report("looks-events", FILE), { viewport: { width: 1366, height: 768 }, reducedMotion: "reduce", colorScheme: "light" });
  await settled(page);
  await tab(page, "events");
  await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.view.fit(1e8, 1.06e8, 0));
  await settled(page);
  await page.mouse.move(5, 5);
  await shot(page, "events-light");
  await done();
});
