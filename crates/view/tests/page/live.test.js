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

/**
 * The number of steps in one snapshot, and the start of the last step. Selects that step if `select` is set. Starts
 * again when a newer snapshot arrives, because its ids differ.
 * @param {Page} page @param {boolean} [select] @returns {Promise<{total: number, last: number}>}
 */
const stepsIn = (page, select = false) => page.evaluate(async (select) => {
  const { source, parts: { opened, context } } = /** @type {any} */ (window).traceloom;
  for (;;) {
    const { snapshot } = opened;
    try {
      const { total, slice, ts } = await source.ask({ op: "find", text: "live step ", mode: "prefix" });
      if (select) await context.goTo(slice[slice.length - 1]);
      if (opened.snapshot === snapshot) return { total, last: ts[ts.length - 1] };
    } catch (error) {
      // The snapshot made room for newer ones.
      if (/** @type {any} */ (error).name !== "AbortError") throw error;
    }
  }
}, select);

/** Waits until the page shows more steps than these, and returns how many. @param {Page} page @param {number} least */
async function moreSteps(page, least) {
  for (;;) {
    const { total } = await stepsIn(page);
    if (total > least) return total;
    await next(page);
  }
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
  const { page, context, faults } = await open(browser, running.url, { reducedMotion: "reduce", colorScheme: "light" });

  // New marks appear at the right edge.
  await page.getByTestId("live").waitFor();
  const seen = await moreSteps(page, 0);
  const { view, end } = await page.evaluate(() => { const { store, timeline } = /** @type {any} */ (window).traceloom; return { view: store.get().view, end: timeline.view.end }; });
  assert.equal(view.to, end);
  assert.ok(view.to < 300e9, `times count from the recording's first event, not ${view.to} ns`);
  await until(page, (state, to) => state.view.to > to, view.to);
  const later = await moreSteps(page, seen);
  await page.waitForFunction(() => /^[\d,]+ events\/s$/.test(document.querySelector("[data-testid=live-rate]")?.textContent ?? ""));
  assert.equal(await page.getByTestId("live-follow").getAttribute("aria-pressed"), "true");

  // A selection keeps the view in place when new data arrives.
  const { last } = await stepsIn(page, true);
  await until(page, (state) => state.selection?.kind === "slice");
  const chosen = await state(page, "selection"), name = await page.getByTestId("details-name").innerText(), stays = await state(page, "view");
  assert.equal(chosen.ts, last);
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
  assert.ok(whole.total > later && whole.total <= made, `${later} < ${whole.total} <= ${made}`);
  assert.equal(round.calls, whole.total);
  await context.close();
  // A snapshot that made room for newer ones is answered with this status, which the browser itself logs on the console.
  assert.deepEqual(faults.filter((fault) => !/status of 410/.test(fault)), []);
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
  // For the page, time passes slowly: on a slow machine too, it has just been opened when the work begins.
  await context.addInitScript(() => { const now = performance.now.bind(performance); performance.now = () => now() / 1000; });
  await page.reload();
  await ready(page);
  await next(page);
  // The work has a higher priority than other programs. Thus it is the busiest even on a loaded machine.
  const busy = spawn("nice", ["-n", "-5", "sh", "-c", "while :; do :; done"], { stdio: "ignore" });
  finally_(() => busy.kill("SIGKILL"));
  await page.waitForFunction((pid) => {
    const { timeline, store, parts } = /** @type {any} */ (window).traceloom, { kind, notes, busy } = parts.context.rows;
    const most = kind.reduce((/** @type {number} */ most, /** @type {number} */ of, /** @type {number} */ row) => of === 1 && busy[row] > (busy[most] ?? -1) ? row : most, -1);
    return notes[most]?.startsWith(`pid ${pid}`) && store.get().top === 0 && timeline.placed().some((/** @type {any} */ { row }) => row === most);
  }, busy.pid, { timeout: 900_000 });
}));
