// Navigation in the timeline, in a report and in the live server: the same input gives the same result.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example } from "./lib.js";
import { ask, bring, box, clickSlice, hold, placeOf, settled, sliceNamed, state, until } from "./drive.js";
import { onPages } from "./suite.js";

const APP = example("app.trace"), JANK = example("jank.ftrace.gz"), LINUX = example("linux.ftrace");
/** A slice that occurs once in the trace, has callers, and is large enough to click on. */
const READING = { slice: "com.example.news.ArticleParser.parse", parent: "com.example.news.ArticleAdapter.onBindViewHolder", first: "com.example.news.ArticleStore.get", child: "org.json.JSONObject.<init>" };
/** @type {("report" | "live")[]} */
const BOTH = ["report", "live"], REPORT = /** @type {["report"]} */ (["report"]);
/** @type {{name: string, files: string[], kinds: ("report" | "live")[], slice?: string, parent?: string, first?: string, child?: string}[]} */
const TRACES = [
  { name: "method trace", files: [APP], kinds: BOTH, ...READING },
  { name: "systrace", files: [JANK], kinds: BOTH, slice: "ImageCache.put", child: "DiskLruCache.commit" },
  { name: "ftrace of Linux", files: [LINUX], kinds: REPORT },
  { name: "merged pair", files: [APP, JANK], kinds: BOTH, ...READING },
];

for (const trace of TRACES) {
  onPages(`Timeline of ${trace.name}`, { ...trace, moves: true }, (its) => {
    const span = async () => { const page = its.page(), { from, to } = await state(page, "view"); return to - from; };
    const whole = async () => { const page = its.page(); await page.keyboard.press("0"); await until(page, (state) => state.view.from === 0); await settled(page); return span(); };

    test("keys zoom and pan", async () => {
      const page = its.page();
      const all = await whole();
      await hold(page, "w", (state, all) => state.view.to - state.view.from < all / 4, all);
      const near = await state(page, "view");
      await hold(page, "d", (state, near) => state.view.from > near.from, near);
      const right = await state(page, "view");
      assert.ok(Math.abs(right.to - right.from - (near.to - near.from)) < 1, "panning keeps the zoom");
      await hold(page, "a", (state, right) => state.view.from < right.from, right);
      await hold(page, "s", (state, near) => state.view.to - state.view.from > 1.5 * (near.to - near.from), near);
      const before = await span();
      await page.keyboard.press("+");
      await settled(page);
      assert.ok(Math.abs((await span()) - before / 2) < 1, "+ halves");
      await page.keyboard.press("-");
      await settled(page);
      assert.ok(Math.abs((await span()) - before) < 1, "- doubles");
      assert.equal(await whole(), all);
    });

    test("the wheel zooms at the pointer", async () => {
      const page = its.page();
      await whole();
      const { x, y, width, height } = await box(page, "timeline");
      const at = (/** @type {{from: number, to: number}} */ view) => view.from + (view.to - view.from) * 0.3;
      await page.mouse.move(x + width * 0.3, y + height / 2);
      const before = await state(page, "view");
      await page.mouse.wheel(0, -400);
      await until(page, (state, before) => state.view.to - state.view.from < before.to - before.from, before);
      await settled(page);
      const near = await state(page, "view");
      assert.ok(Math.abs(at(before) - at(near)) < (near.to - near.from) / width, "the time under the pointer stays in place");
      await page.keyboard.down("Shift");
      await page.mouse.wheel(0, 200);
      await page.keyboard.up("Shift");
      await until(page, (state, near) => state.view.from > near.from, near);
      await settled(page);
      await page.mouse.wheel(0, 2000);
      await until(page, (state, near) => state.view.to - state.view.from > near.to - near.from, near);
      await whole();
    });

    test("a drag selects a range", async () => {
      const page = its.page();
      const all = await whole();
      const { x, y, width, height } = await box(page, "timeline");
      await page.mouse.move(x + width * 0.25, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.4, y + height / 2, { steps: 3 });
      await page.mouse.move(x + width * 0.5, y + height / 2, { steps: 3 });
      await page.mouse.up();
      await until(page, (state) => state.selection?.kind === "range" && state.panel === "range");
      const { from, to } = await state(page, "selection");
      const px = all / width;
      assert.ok(Math.abs(from - all * 0.25) <= px && Math.abs(to - all * 0.5) <= px, `${from} to ${to} of ${all}`);
      await page.getByTestId("range-title").waitFor();
      // Drag the right edge to 0.6, then past the left edge.
      for (const [edge, goal, low, high] of [[0.5, 0.6, 0.25, 0.6], [0.6, 0.1, 0.1, 0.25]]) {
        await page.mouse.move(x + width * edge + 2, y + height / 2);
        await page.mouse.down();
        await page.mouse.move(x + width * (edge + goal) / 2, y + height / 2, { steps: 3 });
        await page.mouse.move(x + width * goal, y + height / 2, { steps: 3 });
        await page.mouse.up();
        const range = await state(page, "selection");
        assert.ok(Math.abs(range.from - all * low) <= 2 * px && Math.abs(range.to - all * high) <= 2 * px, `${range.from} to ${range.to} of ${all}`);
      }
      const last = await state(page, "selection");
      await page.keyboard.press("f");
      await until(page, (state) => state.view.from > 0);
      await settled(page);
      const view = await state(page, "view");
      assert.ok(view.from <= last.from && view.to >= last.to && view.to - view.from < 1.6 * (last.to - last.from), "F fits the range");
      await page.keyboard.press("Escape");
      await until(page, (state) => state.selection === null);
    });

    test("marks are set, visited and removed", async () => {
      const page = its.page();
      const all = await whole();
      const { x, y, width, height } = await box(page, "timeline");
      const field = page.getByTestId("mark-name");
      /** @param {string} text @param {string} key */
      const name = async (text, key) => {
        await field.fill(text);
        await field.press(key);
        await field.waitFor({ state: "detached" });
      };
      for (const [share, text] of /** @type {[number, string][]} */ ([[0.2, "cold start"], [0.7, ""]])) {
        await page.mouse.move(x + width * share, y + height / 2);
        await page.keyboard.press("m");
        await name(text, "Enter");
      }
      await until(page, (state) => state.marks.length === 2);
      assert.deepEqual((await state(page, "marks")).map((/** @type {any} */ { label }) => label), ["cold start", ""]);
      await page.keyboard.press("Shift+M");
      await name("not this", "Escape");
      await page.mouse.dblclick(x + width * 0.7, y + 10);
      await name("scrolled", "Enter");
      assert.deepEqual((await state(page, "marks")).map((/** @type {any} */ { label }) => label), ["cold start", "scrolled"]);
      assert.equal((await state(page, "view")).to, all, "a double click on a mark does not zoom out");
      const marks = await state(page, "marks");
      assert.ok(Math.abs(marks[0].ts - all * 0.2) < all / 500 && Math.abs(marks[1].ts - all * 0.7) < all / 500);
      await page.keyboard.press("+");
      await page.keyboard.press("+");
      await page.keyboard.press("]");
      await until(page, (state, ts) => Math.abs((state.view.from + state.view.to) / 2 - ts) < 2, marks[1].ts);
      await page.keyboard.press("[");
      await until(page, (state, ts) => Math.abs((state.view.from + state.view.to) / 2 - ts) < 2, marks[0].ts);
      await settled(page);
      await page.mouse.move(x + width * 0.5 + 1, y + height / 2);
      await page.keyboard.press("m");
      await until(page, (state) => state.marks.length === 1);
      await whole();
      await page.mouse.move(x + width * 0.7, y + height / 2);
      await page.keyboard.press("m");
      await until(page, (state) => state.marks.length === 0);
    });

    test("the help sheet lists every key", async () => {
      const page = its.page();
      await page.keyboard.press("?");
      const sheet = page.getByTestId("help-sheet");
      await sheet.waitFor();
      const text = await sheet.textContent();
      for (const key of ["W", "S", "A", "D", "wheel", "double click", "drag", "F", "0", "/", "Enter", "M", "?"]) assert.ok(text?.includes(key), `the sheet lists ${key}`);
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "detached" });
    });

    test("a double click zooms to a slice, and arrow keys go to its neighbours", { skip: !trace.slice && "no slices" }, async () => {
      const page = its.page();
      const id = await sliceNamed(page, String(trace.slice));
      await whole();
      await bring(page, id);
      const { x, y } = await placeOf(page, id);
      await page.mouse.dblclick(x, y);
      await settled(page);
      const { ts, end, kind } = await state(page, "selection"), view = await state(page, "view");
      assert.equal(kind, "slice");
      assert.ok(view.from <= ts && view.to >= end && view.to - view.from < 1.4 * (end - ts), "the slice fills the screen");
      const name = async () => (await ask(page, { op: "slice", id: (await state(page, "selection")).id })).label;
      const press = async (/** @type {string} */ key, /** @type {(state: any, more: any) => unknown} */ test) => {
        const before = await state(page, "selection");
        await page.keyboard.press(key);
        await until(page, test, before);
        await settled(page);
      };
      if (trace.parent) {
        await press("ArrowUp", (state, before) => state.selection.level < before.level);
        assert.equal(await name(), trace.parent);
        await press("ArrowDown", (state, before) => state.selection.level > before.level);
        assert.equal(await name(), trace.first, "down goes to the first callee");
        await press("ArrowRight", (state, before) => state.selection.ts > before.ts);
        assert.equal(await name(), trace.slice);
        await press("ArrowLeft", (state, before) => state.selection.ts < before.ts);
        assert.equal(await name(), trace.first);
        await press("ArrowRight", (state, before) => state.selection.ts > before.ts);
      } else {
        await page.keyboard.press("ArrowUp");
        await page.waitForFunction(() => document.querySelector("[data-testid=announce]")?.textContent === "No parent call");
      }
      await press("ArrowDown", (state, before) => state.selection.level > before.level);
      assert.equal(await name(), trace.child);
      await press("ArrowUp", (state, before) => state.selection.level < before.level);
      assert.equal(await name(), trace.slice);
      await page.keyboard.press("Escape");
      await until(page, (state) => state.selection === null);
      await whole();
    });

    test("a click selects a slice, and a click next to it selects nothing", { skip: !trace.slice && "no slices" }, async () => {
      const page = its.page();
      const id = await sliceNamed(page, String(trace.slice));
      await bring(page, id);
      await clickSlice(page, id);
      assert.equal(await page.getByTestId("details-name").textContent(), trace.slice);
      const { x, y, width } = await box(page, "timeline");
      await page.mouse.click(x + width / 2, y + 8);
      assert.equal((await state(page, "selection")).id, id, "a click on the ruler does not change the selection");
      await page.keyboard.press("Escape");
      await whole();
    });
  });
}
