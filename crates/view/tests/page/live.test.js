// A running recording of this machine in the page.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { launch, open, ready, work } from "./lib.js";
import { ask, cli, hold, settled, state, until } from "./drive.js";
import { capture, kernelTurn, noKernel, steps } from "./record.js";

/** @typedef {import("playwright-core").Page} Page */

const skip = noKernel();
const snapshot = (/** @type {Page} */ page) => page.evaluate(() => /** @type {any} */ (window).traceloom.parts.opened.snapshot);

/** Waits until the page shows a newer snapshot. @param {Page} page */
async function next(page) {
  const now = await snapshot(page);
  await page.waitForFunction((now) => /** @type {any} */ (window).traceloom.parts.opened.snapshot > now, now);
}

/** Runs `body`, and then its cleanup functions, even if it fails. @param {(cleanup: (end: () => unknown) => void) => Promise<void>} body */
async function tidily(body) {
  /** @type {(() => unknown)[]} */
  const ends = [];
  try { await body((end) => ends.unshift(end)); } finally { for (const end of ends) await end(); }
}

test("the page shows a running recording, and all of it afterwards", { skip: skip ? `skipped: ${skip}` : false, timeout: 1_800_000 }, () => tidily(async (finally_) => {
  mkdirSync(work, { recursive: true });
  const path = join(work, "live.html");
  rmSync(path, { force: true });
  finally_(await kernelTurn());
  const running = await capture(["--target", "linux", "-o", path, "--event", "sched/sched_process_exec"]);
  finally_(running.end);
  const stop = steps();
  let made = 0;
  finally_(() => { made ||= stop(); });
  const browser = await launch();
  finally_(() => browser.close());
  const { page, done } = await open(browser, running.url, { reducedMotion: "reduce", colorScheme: "light" });

  // New marks appear at the right edge.
  await page.getByTestId("live").waitFor();
  await next(page);
  const seen = await ask(page, { op: "find", text: "live step ", mode: "prefix" });
  assert.ok(seen.total > 0, "the first steps are visible");
  const view = await state(page, "view");
  assert.equal(view.to, await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.view.end));
  assert.ok(view.to < 300e9, `times count from the recording's first event, not ${view.to} ns`);
  await until(page, (state, to) => state.view.to > to, view.to);
  const later = await ask(page, { op: "find", text: "live step ", mode: "prefix" });
  assert.ok(later.total > seen.total, `${later.total} after ${seen.total}`);
  assert.match(await page.getByTestId("live-rate").innerText(), /^[\d,]+ events\/s$/);
  assert.equal(await page.getByTestId("live-follow").getAttribute("aria-pressed"), "true");

  // A selection keeps the view in place when new data arrives.
  const { slice, ts } = await ask(page, { op: "find", text: "live step ", mode: "prefix" });
  await page.evaluate((id) => /** @type {any} */ (window).traceloom.parts.context.goTo(id), slice[slice.length - 1]);
  await until(page, (state) => state.selection?.kind === "slice");
  const chosen = await state(page, "selection"), name = await page.getByTestId("details-name").innerText(), stays = await state(page, "view");
  assert.equal(chosen.ts, ts[ts.length - 1]);
  assert.match(name, /^live step \d+$/);
  assert.equal(await page.getByTestId("live-follow").getAttribute("aria-pressed"), "false");
  await next(page);
  await settled(page);
  assert.equal((await state(page, "selection")).ts, chosen.ts);
  assert.deepEqual(await state(page, "view"), stays);
  assert.equal(await page.getByTestId("details-name").innerText(), name);
  const row = await page.evaluate(() => { const { store, timeline } = /** @type {any} */ (window).traceloom; return timeline.model.rows.notes[store.get().selection.row]; });
  assert.equal(row, `tid ${process.pid}`);

  // L follows again; panning stops it.
  const follow = page.getByTestId("live-follow");
  await page.getByTestId("timeline").focus();
  await page.keyboard.press("l");
  assert.equal(await follow.getAttribute("aria-pressed"), "true");
  await until(page, (state, to) => state.view.to > to, (await state(page, "view")).to);
  await hold(page, "a", () => document.querySelector("[data-testid=live-follow]")?.getAttribute("aria-pressed") === "false");
  await page.keyboard.press("l");
  await next(page);
  await page.screenshot({ path: join(work, "shots/live-light.png") });
  await page.emulateMedia({ colorScheme: "dark" });
  await next(page);
  await page.screenshot({ path: join(work, "shots/live-dark.png") });

  // After the stop, the whole recording is written and shown.
  made = stop();
  await page.getByTestId("live-stop").click();
  await page.getByTestId("said").waitFor();
  await ready(page);
  assert.equal(await page.getByTestId("said").innerText(), `Ended in the page. Written to ${path}.`);
  assert.equal(await page.getByTestId("live").count(), 0);
  assert.equal(await page.getByTestId("tab-profile").count(), 1);
  const whole = await ask(page, { op: "find", text: "live step ", mode: "prefix" });
  const { rows } = cli("profile", path, "--json", "--limit", "0");
  const round = rows.find((/** @type {any} */ row) => row.name === "live round" || row.label === "live round");
  assert.ok(round, "the file has the rounds too");
  assert.ok(whole.total > later.total && whole.total <= made, `${later.total} < ${whole.total} <= ${made}`);
  assert.equal(round.calls, whole.total);
  await done();
  running.child.kill("SIGINT");
  assert.equal(await running.ended, 0, running.text());
}));

test("the page opens on the busy rows, also if they become busy after it was opened", { skip: skip ? `skipped: ${skip}` : false, timeout: 1_800_000 }, () => tidily(async (finally_) => {
  mkdirSync(work, { recursive: true });
  const path = join(work, "live-busy.html");
  rmSync(path, { force: true });
  finally_(await kernelTurn());
  const running = await capture(["--target", "linux", "-o", path, "sched"]);
  finally_(running.end);
  const browser = await launch();
  finally_(() => browser.close());
  const { page, context } = await open(browser, running.url, { reducedMotion: "reduce", colorScheme: "light" });
  finally_(() => context.close());
  await next(page);
  const busy = spawn("sh", ["-c", "while :; do :; done"], { stdio: "ignore" });
  finally_(() => busy.kill("SIGKILL"));
  await page.waitForFunction((pid) => {
    const { timeline, store, parts } = /** @type {any} */ (window).traceloom, { kind, notes, busy } = parts.context.rows;
    const most = kind.reduce((/** @type {number} */ most, /** @type {number} */ of, /** @type {number} */ row) => of === 1 && busy[row] > (busy[most] ?? -1) ? row : most, -1);
    return notes[most]?.startsWith(`pid ${pid}`) && store.get().top === 0 && timeline.placed().some((/** @type {any} */ { row }) => row === most);
  }, busy.pid, { timeout: 60_000 });
}));
