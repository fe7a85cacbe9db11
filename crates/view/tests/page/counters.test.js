// Counters: values, changes and rates, scales, several in one row, and the units of power rails; against SQL.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { check } from "./axe.js";
import { corpus, example, program, ready } from "./lib.js";
import { box, rowNames, settled, state, until } from "./drive.js";
import { onPages } from "./suite.js";

const JANK = example("jank.ftrace.gz"), START = corpus("perfetto-proto").find((path) => path.includes("api32_startup_warm"));

/** Values of a counter: [ns since the start, value]. @param {string} file @param {string} name @param {string} [more] @returns {[number, number][]} */
function values(file, name, more = "") {
  const sql = `select c.ts - (select start_ts from trace_bounds) as ts, c.value from counter c join counter_track t on c.track_id = t.id where t.name = '${name}' ${more} order by 1`;
  const text = execFileSync(program, ["query", file, sql, "--format", "jsonl"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line)).map(({ ts, value }) => [ts, value]);
}

/** Shows the row of a counter and selects a value. Returns its index. @param {import("playwright-core").Page} page @param {string} name @param {number} ts */
async function show(page, name, ts) {
  const row = await page.evaluate(([name, ts]) => {
    const { store, timeline } = /** @type {any} */ (window).traceloom, { names, kind } = timeline.model.rows;
    const row = names.findIndex((/** @type {string} */ one, /** @type {number} */ at) => one === name && kind[at] === 4);
    timeline.showRow(row);
    store.set({ selection: { kind: "counter", row, ts }, panel: "details", chosen: true });
    return row;
  }, /** @type {[string, number]} */ ([name, ts]));
  await page.getByTestId("counter-mode").waitFor();
  await settled(page);
  return row;
}

/** The tooltip of a row at a time, line by line. @param {import("playwright-core").Page} page @param {number} row @param {number} ts */
async function tip(page, row, ts) {
  const area = await box(page, "timeline");
  const { x, y } = await page.evaluate(([row, ts]) => {
    const { timeline } = /** @type {any} */ (window).traceloom, { view } = timeline, place = timeline.placed().find((/** @type {any} */ one) => one.row === row);
    return { x: (ts - view.from) / (view.to - view.from) * timeline.width(), y: place.y + place.height / 2 };
  }, [row, ts]);
  await page.mouse.move(area.x + x - 3, area.y + y);
  await page.mouse.move(area.x + x, area.y + y);
  await page.getByTestId("tip").waitFor();
  await settled(page);
  return (await page.getByTestId("tip").innerText()).split("\n");
}

const number = (/** @type {string} */ text) => Number(text.replaceAll(",", "").replace("+", "").split(" ")[0]);
const near = (/** @type {number} */ shown, /** @type {number} */ exact) => assert.ok(Math.abs(shown - exact) <= Math.abs(exact) * 1e-5 + 1e-9, `${shown} is ${exact}`);

onPages("Counters", { files: [JANK], options: { viewport: { width: 1100, height: 800 } } }, (its) => {
  const list = values(JANK, "cpufreq", "and t.id in (select id from cpu_counter_track where name = 'cpufreq' and cpu = 0)");
  const at = list.findIndex(([ts, value], nth) => nth > 1 && nth + 1 < list.length && list[nth + 1][0] - ts > 4e6 && value !== list[nth - 1][1]);

  test("a row shows values, changes and rates", async () => {
    const page = its.page(), [ts, value] = list[at], [next, after] = list[at + 1];
    await page.evaluate(([from, to]) => /** @type {any} */ (window).traceloom.timeline.view.set(from, to), [ts - (next - ts) / 2, next + (next - ts) / 2]);
    const row = await show(page, "cpufreq", ts), middle = (ts + next) / 2;
    near(number((await tip(page, row, middle))[0]), value);
    await page.getByTestId("counter-mode").selectOption("delta");
    await settled(page);
    near(number((await tip(page, row, middle))[0]), value - list[at - 1][1]);
    await page.getByTestId("counter-mode").selectOption("rate");
    await settled(page);
    const [text] = await tip(page, row, middle);
    near(number(text), (after - value) * 1e9 / (next - ts));
    assert.match(text, /kHz\/s$/);
    await page.getByTestId("counter-scale").selectOption("log");
    await check(page, "the row of a counter");
  });

  test("several counters are in one row, and no longer in their own; the address has that", async () => {
    const page = its.page();
    const before = (await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.model.rows.names.filter((/** @type {string} */ name) => name === "cpufreq"))).length;
    assert.ok(before > 2);
    await page.getByTestId("counter-mode").selectOption("value");
    await page.getByTestId("counter-add").selectOption({ index: 1 });
    await until(page, (state) => Object.values(state.counters)[0].also.length === 1);
    await page.getByTestId("counter-alike").focus();
    await page.keyboard.press("Enter");
    await until(page, (state, others) => Object.values(state.counters)[0].also.length === others, before - 1);
    await page.getByTestId("filter").fill("cpufreq");
    await settled(page);
    assert.equal((await rowNames(page)).filter((name) => name === "cpufreq").length, 1);
    const counters = await state(page, "counters");
    await until(page, (_, also) => new URLSearchParams(location.hash.slice(1)).get("k")?.endsWith(`value.log.${also}`), Object.values(counters)[0].also.join("."));
    await page.reload();
    await ready(page);
    await settled(page);
    assert.deepEqual(await state(page, "counters"), counters);
    await page.getByTestId("filter").fill("");
    const row = await show(page, "cpufreq", list[at][0]), lines = await tip(page, row, list[at][0] + 1e6);
    assert.equal(lines.filter((line) => /^cpufreq: ([\d,]+ kHz|–)$/.test(line)).length, before - 1, lines.join("\n"));
    await page.locator(".counter-also .icon-button").first().click();
    await until(page, (state, left) => Object.values(state.counters)[0].also.length === left, before - 2);
    await page.evaluate(() => { location.hash = "k=1.bad.zero~x~5.rate.log.a.7"; });
    await until(page, (state) => JSON.stringify(state.counters) === '{"5":{"mode":"rate","scale":"log","also":[7]}}');
  });
});

if (START) onPages("Power rails", { files: [START], options: { viewport: { width: 1100, height: 800 } } }, (its) => {
  test("a rail has a unit, and shows its power", async () => {
    const page = its.page(), list = values(START, "power.rails.cpu.big");
    const at = list.findIndex(([ts], nth) => nth + 1 < list.length && list[nth + 1][0] - ts > 1e8), [ts, value] = list[at], [next, after] = list[at + 1];
    const row = await show(page, "power.rails.cpu.big", ts), [text] = await tip(page, row, (ts + next) / 2);
    assert.match(text, / mW$/);
    near(number(text), (after - value) * 1e9 / (next - ts) / 1000);
    assert.match(await page.locator(`.row[data-row="${row}"]`).innerText(), /µWs/);
  });
});
