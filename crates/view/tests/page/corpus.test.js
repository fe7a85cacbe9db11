// Real traces as reports: each opens without an error and shows rows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { basename } from "node:path";
import { corpus, open, report } from "./lib.js";
import { settled } from "./drive.js";
import { theBrowser } from "./suite.js";

/** Method traces of every version, including the biggest. */
const METHODS = ["yamp__legacy.trace", "adt-tools-base__exception.trace", "adt-tools-base__mismatched.trace", "adt-tools-base__basic-api10.trace", "testWaitingNestedOverlapCrossThreadDiffFilterDiffKeysTrace.trace"];
const files = [...corpus("systrace-html"), ...["traceview-v1", "traceview-v2", "traceview-v3"].flatMap((category) => corpus(category)).filter((path) => METHODS.includes(basename(path)))];

test("real traces as reports", { skip: !files.length && "no corpus" }, async (t) => {
  for (const path of files) {
    await t.test(basename(path), async () => {
      const { page, done } = await open(theBrowser(), report(`corpus-${basename(path)}`, path), { reducedMotion: "reduce" });
      await settled(page);
      assert.ok(await page.getByTestId("row").count() > 0, "rows on the screen");
      for (const id of ["profile", "range", "details"]) await page.getByTestId(`tab-${id}`).click();
      await page.getByTestId("timeline").focus();
      await page.keyboard.press("ArrowRight");
      await settled(page);
      await done();
    });
  }
  console.error(`${files.length} real traces checked`);
});
