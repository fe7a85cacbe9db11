// Slices without an end: their time has its own column, and a hatched part of the flame graph.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { example, work } from "./lib.js";
import { ask, cli, rowWith, settled, tab, tableOf, timeIn, until, wholeProfile } from "./drive.js";
import { onPages } from "./suite.js";

/** `launch` and, in it, `load feed` never end. */
const LINES = `# tracer: nop
#
          app-10    (   10) [000] ....     1.000000: tracing_mark_write: B|10|launch
          app-10    (   10) [000] ....     1.001000: tracing_mark_write: B|10|inflate
          app-10    (   10) [000] ....     1.003000: tracing_mark_write: E|10
          app-10    (   10) [000] ....     1.004000: tracing_mark_write: B|10|load feed
          app-10    (   10) [000] ....     1.005000: tracing_mark_write: B|10|parse
          app-10    (   10) [000] ....     1.006500: tracing_mark_write: E|10
       render-11    (   10) [001] ....     1.007000: tracing_mark_write: B|10|draw
       render-11    (   10) [001] ....     1.010000: tracing_mark_write: E|10
`;
const FILE = join(work, "unfinished.ftrace");
mkdirSync(work, { recursive: true });
writeFileSync(FILE, LINES);

onPages("Slices that never ended", { files: [FILE] }, (its) => {
  test("a repair is at the time that the page shows, not that of the trace's clock", async () => {
    const page = its.page();
    await page.getByTestId("info").click();
    await page.getByTestId("repairs-open").click();
    const links = await page.getByTestId("repairs-sheet").getByRole("button", { name: /s$/ }).allInnerTexts();
    await page.keyboard.press("Escape");
    // `launch` starts with the trace, at 1 s.
    assert.ok(links.includes("0 µs"), links.join());
  });

  test("the profile has a column of unfinished time", async () => {
    const page = its.page(), { rows, total, unfinished } = cli("profile", FILE, "--json", "--limit", "0");
    assert.equal(total.wall_ns, 6.5e6);
    assert.equal(unfinished.wall_ns, 6.5e6);
    await wholeProfile(page);
    const shown = (await tableOf(page, "profile-table")).map((line) => [line.name, line["incl-real"], line.unfinished]);
    const ms = (/** @type {number} */ ns) => (ns / 1e6).toFixed(3);
    const wanted = rows.map((/** @type {any} */ row) => [`${row.rank}${row.name}`, ms(row.inclusive.wall_ns), ms(row.unfinished.wall_ns)]);
    assert.deepEqual(shown.map(([name, ...times]) => [name.trim(), ...times]), wanted);
    assert.ok(wanted.some(([, inclusive, time]) => inclusive === "3.500" && time === "6.500"), "launch");
  });

  test("so have the call tree and a range", async () => {
    const page = its.page();
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ profile: { tab: "top_down" } }));
    await settled(page);
    await page.getByTestId("tree-top_down").getByTestId("col-unfinished").waitFor();
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", from: 0, to: 8e6 }, panel: "range" }));
    await rowWith(page, "range-by_name", "load feed").waitFor();
    await settled(page);
    const line = (await tableOf(page, "range-by_name")).find(({ label }) => label === "load feed");
    assert.deepEqual([line?.total_ns, line?.unfinished_ns, line?.max_ns].map((text) => text && timeIn(text)), [1.5e6, 2.5e6, ""]);
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: null }));
  });

  test("the flame graph hatches it, and says how much it is", async () => {
    const page = its.page();
    const flame = await ask(page, { op: "flame", width_px: 1000, direction: "down" });
    assert.deepEqual([flame.total_ns, flame.unfinished_ns], [13e6, 6.5e6]);
    const bars = flame.name.map((/** @type {number} */ name, /** @type {number} */ at) => [flame.labels[name], flame.x[at], flame.w[at], flame.unfinished[at]]);
    const open = bars.filter((/** @type {any[]} */ bar) => bar[3]);
    assert.deepEqual(open, [["launch", 6.5e6, 6.5e6, 1], ["load feed", 6.5e6, 4.5e6, 1]]);
    await wholeProfile(page);
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ profile: { tab: "flame" } }));
    await settled(page);
    const legend = page.getByTestId("flame-legend");
    assert.equal(timeIn(await legend.textContent() ?? ""), 6.5e6);
    const canvas = page.getByTestId("flame").locator("canvas");
    // The colours where no name is. The finished bar of `launch` ends at 3.5 of 13 ms.
    const [plain, hatched] = await canvas.evaluate((/** @type {HTMLCanvasElement} */ canvas) => {
      const { width } = canvas, row = canvas.getContext("2d")?.getImageData(0, 4, width, 10).data ?? [];
      return [[0.2, 0.25], [0.9, 0.95]].map(([from, to]) => {
        const colours = new Set();
        for (let at = 0; at < row.length; at += 4) {
          const share = at / 4 % width / width;
          if (share > from && share < to) colours.add(row.slice(at, at + 3).join());
        }
        return colours.size;
      });
    });
    assert.equal(plain, 1);
    assert.ok(hatched > 1, `${hatched} colours`);
    await page.getByTestId("flame").focus();
    await page.keyboard.press("ArrowUp");
    for (let steps = 0; steps < 3; steps++) await page.keyboard.press("ArrowRight");
    const status = await page.getByTestId("flame-status").textContent();
    assert.match(status ?? "", /^launch · unfinished 6\.5 ms · 1 call$/);
  });
});

onPages("Slices that all ended", { files: [example("linux.ftrace")], kinds: ["live"] }, (its) => {
  test("there is no such column, part or line", async () => {
    const page = its.page();
    await wholeProfile(page);
    await until(page, (state) => state.panel === "profile");
    await settled(page);
    assert.equal(await page.getByTestId("col-unfinished").count(), 0);
    assert.ok(await page.getByTestId("flame-legend").isHidden());
  });
});
