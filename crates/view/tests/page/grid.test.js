// The lines of VSYNC and deadlines, and the rows of the frame timeline, against SQL over the same traces.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { check } from "./axe.js";
import { corpus, example, program } from "./lib.js";
import { box, cli, rowNames, settled, state, tab, tableOf, until } from "./drive.js";
import { onPages } from "./suite.js";

const JANK = example("jank.ftrace.gz"), START = corpus("perfetto-proto").find((path) => path.includes("api32_startup_warm"));
/** Frames without the scheduler's events. */
const FRAMES = corpus("perfetto-proto").find((path) => path.includes("nowinandroid"));

/** @param {string} file @param {string} sql @returns {any[]} */
const query = (file, sql) => execFileSync(program, ["query", file, sql, "--format", "jsonl"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** Shows a part of the trace, and waits for its lines. Returns them. @param {import("playwright-core").Page} page @param {number} from @param {number} to */
async function lines(page, from, to) {
  await page.evaluate(([from, to]) => /** @type {any} */ (window).traceloom.timeline.view.set(from, to), [from, to]);
  await until(page, (_, { from, to }) => { const held = /** @type {any} */ (window).traceloom.timeline.grid.held(); return held && held.from <= from && held.to >= to; }, { from, to });
  await settled(page);
  const { ticks, deadlines } = await page.evaluate(() => { const { ticks, deadlines } = /** @type {any} */ (window).traceloom.timeline.grid.held(); return { ticks: [...ticks], deadlines: [...deadlines] }; });
  const inside = (/** @type {number[]} */ list) => list.filter((ts) => ts > from && ts < to).map(Math.round);
  return { ticks: inside(ticks), deadlines: inside(deadlines) };
}

/** @param {import("playwright-core").Page} page @param {number} ns */
async function columnAt(page, ns) {
  const canvas = await box(page, "canvas"), { from, to } = await state(page, "view");
  return (await page.screenshot({ clip: { x: canvas.x + Math.round((ns - from) / (to - from) * canvas.width), y: canvas.y + 31, width: 1, height: canvas.height - 40 } })).toString("base64");
}

onPages("VSYNC lines", { files: [JANK], options: { viewport: { width: 900, height: 700 } } }, (its) => {
  test("each change of the counter is a line over all rows; a key hides them, and the choice is remembered", async () => {
    const page = its.page(), from = 1e9, to = 1.2e9;
    const { ticks } = await lines(page, from, to);
    const changes = query(JANK, "select c.ts - (select start_ts from trace_bounds) as ts from counter c join counter_track t on c.track_id = t.id where t.name = 'VSYNC-app' order by 1").map(({ ts }) => ts).filter((ts) => ts > from && ts < to);
    assert.ok(changes.length > 8);
    assert.deepEqual(ticks, changes);
    const shown = await columnAt(page, ticks[3]);
    await page.keyboard.press("v");
    await until(page, (state) => state.grid === "hidden");
    await settled(page);
    assert.notEqual(await columnAt(page, ticks[3]), shown);
    assert.equal(await page.evaluate(() => { try { return localStorage.getItem("traceloom.grid"); } catch { return "hidden"; } }), "hidden");
    await page.keyboard.press("v");
    await until(page, (state) => state.grid === "shown");
    await settled(page);
    assert.equal(await columnAt(page, ticks[3]), shown);
  });
});

if (START) onPages("Frame timeline", { files: [START], options: { viewport: { width: 1300, height: 900 } } }, (its) => {
  test("the ends of the expected frames of the app in focus are deadlines", async () => {
    const page = its.page(), from = 4.8e8, to = 6.6e8;
    const { deadlines } = await lines(page, from, to);
    const ends = query(START, "select ts + dur - (select start_ts from trace_bounds) as ts from expected_frame_timeline_slice join process using (upid) where process.name glob '*macrobenchmark.target' order by ts");
    assert.equal(ends.length, 2);
    assert.deepEqual(deadlines, ends.map(({ ts }) => ts));
  });

  test("expected and actual frames are next to the frames of their process, and Frames tells the jank type", async () => {
    const page = its.page();
    await page.getByTestId("filter").fill("benchmark.target");
    await settled(page);
    const names = await rowNames(page), at = names.indexOf("Frames");
    assert.deepEqual(names.slice(at, at + 3), ["Frames", "Expected Timeline", "Actual Timeline"]);
    await page.getByTestId("filter").fill("");
    await tab(page, "frames");
    const [first] = (await tableOf(page, "worst-frames")).filter(({ missed }) => missed !== "–");
    const late = query(START, "select jank_type from actual_frame_timeline_slice where jank_type <> 'None' and jank_tag = 'Self Jank'").map(({ jank_type }) => jank_type);
    assert.ok(late.includes(first.jank), `${first.jank} of ${late}`);
    await check(page, "frame timeline");
  });
});

if (FRAMES) onPages("Frames alone", { files: [FRAMES], kinds: ["report"], options: { viewport: { width: 400, height: 800 } } }, (its) => {
  test("the list has no columns of states, and begins with the app with most late frames", async () => {
    const page = its.page(), { apps } = cli("frames", String(FRAMES), "--json");
    const [first] = await tableOf(page, "worst-frames");
    assert.deepEqual(Object.keys(first), ["dur", "missed", "ts", "jank", "label", "why"]);
    const most = Math.max(...apps.map((/** @type {any} */ { janky }) => janky));
    assert.ok(most > 1);
    assert.match(await page.locator(".frames-app").first().innerText(), new RegExp(`${most} late of`));
    // In a narrow window, the list is below the apps.
    const [above, below] = await Promise.all([page.locator(".frames-apps").boundingBox(), page.getByTestId("worst-frames").boundingBox()]);
    assert.ok(above && below && below.y >= above.y + above.height && below.width > 390, JSON.stringify([above, below]));
    await check(page, "frames in a narrow window");
  });
});
