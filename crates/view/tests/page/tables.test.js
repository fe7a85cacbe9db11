// What makes tables easy to read: times and headings that line up, and names that are shortened in one place.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { example, root, work } from "./lib.js";
import { tab, tableOf } from "./drive.js";
import { onPages } from "./suite.js";

const { columnTime } = await import(`data:text/javascript,${encodeURIComponent(readFileSync(join(root, "crates/view/web/ui/format.js"), "utf8"))}`);

test("times in a column have the same number of decimals", () => {
  assert.deepEqual([0, 7, 8000, 41_570_000, 824_620_000, 1_481_000_000].map(columnTime), ["0 ns", "7 ns", "8.000 µs", "41.570 ms", "824.620 ms", "1.481 s"]);
  assert.equal(columnTime(null), "–");
});

onPages("Tables", { files: [example("jank.ftrace.gz")], kinds: ["report"] }, (its) => {
  test("durations of frames line up", async () => {
    const rows = await tableOf(its.page(), "worst-frames");
    assert.ok(rows.length > 5);
    for (const { dur } of rows) assert.match(dur, /^\d+\.\d{3} ms$/);
  });

  test("a heading is above the text of its column", async () => {
    const starts = await its.page().getByTestId("worst-frames").evaluate((table) => {
      const left = (/** @type {Element} */ element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().left;
      };
      const nth = [...table.querySelectorAll(".vt-head > *")].findIndex((cell) => /** @type {HTMLElement} */ (cell).dataset.testid === "col-label");
      const cell = table.querySelectorAll(".vt-space > .vt-row:not([hidden])")[0].children[nth];
      return [left(/** @type {Element} */ (table.querySelector("[data-testid=col-label] .vt-sort"))), left(cell)];
    });
    assert.ok(Math.abs(starts[0] - starts[1]) <= 1, starts.join(" and "));
  });
});

const event = (/** @type {string} */ name, /** @type {number} */ ts) => ({ ph: "X", pid: 1, tid: 1, ts, dur: 5, name });
const members = join(work, "members.json");
mkdirSync(work, { recursive: true });
writeFileSync(members, JSON.stringify(["RenderWidgetHostImpl::ForwardTouchEvent", "blink::scheduler::MainThread::Run"].map((name, nth) => event(name, 10 * nth))));

onPages("Names of members", { files: [members], kinds: ["report"] }, (its) => {
  test("the class is shortened, and the member is complete", async () => {
    await tab(its.page(), "profile");
    const parts = await its.page().locator("[data-testid=panel-profile] .vt .name.plain").evaluateAll((names) => names.map((name) =>
      [...name.children].map((part) => ({ text: part.textContent, isCut: part.scrollWidth > part.clientWidth }))));
    const [cut, kept] = parts.find(([, kept]) => kept.text === "::ForwardTouchEvent") ?? [];
    assert.deepEqual([cut?.text, cut?.isCut, kept?.isCut], ["RenderWidgetHostImpl", true, false], JSON.stringify(parts));
  });
});
