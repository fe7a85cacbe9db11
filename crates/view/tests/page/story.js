// Takes the pictures of docs/view.md, "from a late frame to its cause", from an example: node story.js
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { example, launch, open, root, serve } from "./lib.js";
import { ask, bring, clickSlice, settled, tab } from "./drive.js";

/** Colours are rounded to a multiple of this, of 256, so that the pictures stay small. */
const STEP = 16;

const browser = await launch(), server = await serve(example("jank.ftrace.gz"));
try {
  const { page, done } = await open(browser, server.url, { viewport: { width: 1000, height: 620 }, reducedMotion: "reduce", colorScheme: "light" });
  let nth = 0;
  const picture = async () => {
    await page.mouse.move(2, 2);
    await settled(page);
    const png = PNG.sync.read(await page.screenshot({ animations: "disabled", caret: "hide" }));
    for (let at = 0; at < png.data.length; at++) png.data[at] = at % 4 === 3 ? 255 : Math.min(255, Math.round(png.data[at] / STEP) * STEP);
    writeFileSync(join(root, `docs/pictures/cause-${++nth}.png`), PNG.sync.write(png, { colorType: 2, deflateLevel: 9 }));
  };

  // 1. The page opens on the late frames. 2. The worst one.
  await picture();
  const { worst: [{ slice, ts, dur }] } = await ask(page, { op: "frames", limit: 1 });
  await bring(page, slice);
  await clickSlice(page, slice);
  await page.evaluate(([ts, dur]) => /** @type {any} */ (window).traceloom.timeline.view.fit(ts, ts + dur, 0.35), [ts, dur]);
  await tab(page, "frames");
  await picture();

  // 3. What it did with its time, and who had the CPU.
  await tab(page, "details");
  await page.getByTestId("latency").waitFor();
  await page.getByTestId("latency").evaluate((part) => { part.scrollIntoView(); const panel = part.closest(".tab-panel"); if (panel) panel.scrollTop -= 60; });
  await picture();

  // 4. The chain of threads that it waited for.
  await page.getByTestId("why").click();
  await page.getByTestId("path-row").waitFor();
  await settled(page);
  await picture();

  // 5. The cause: the CPU that the thread waited for, and the thread that had it.
  const { parts } = await ask(page, { op: "why", slice });
  const waits = parts.filter((/** @type {any} */ part) => part.why.endsWith("had the CPU") && part.row !== null);
  const longest = waits.reduce((/** @type {any} */ a, /** @type {any} */ b) => b.end - b.ts > a.end - a.ts ? b : a);
  await page.evaluate(({ row, ts, end, cpu }) => {
    const { store, timeline } = /** @type {any} */ (window).traceloom, { kind, cpu: of } = timeline.model.rows;
    for (let at = 0; at < kind.length; at++) if (kind[at] === 3 && of[at] === cpu) timeline.model.pin(at);
    timeline.model.pin(row);
    timeline.showRow(kind.indexOf(3));
    store.set({ selection: { kind: "state", row, ts, end }, panel: "details" });
  }, longest);
  await page.getByTestId("latency").waitFor();
  await picture();
  await done();
} finally {
  server.stop();
  await browser.close();
}
