// Drives the page as a user would, and reads what it shows.
import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { PATIENCE, program } from "./lib.js";

/** @typedef {import("playwright-core").Page} Page */

/** The program's output as JSON, to compare the page's numbers with. @param {...string} args */
export function cli(...args) {
  return JSON.parse(execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "ignore"] }));
}

/** Waits until nothing moves, no question is open and nothing is put off, for a few frames in a row. @param {Page} page */
export async function settled(page) {
  await page.evaluate(async () => {
    const { store, stats, timeline, parts } = /** @type {any} */ (window).traceloom, { delays } = /** @type {any} */ (window);
    for (let quiet = 0; quiet < 4;) {
      await new Promise((next) => requestAnimationFrame(next));
      const { from, to } = store.get().view;
      // A page that follows a recording always waits for the next look at it.
      const still = !stats.asking && (parts.opened.snapshot || !delays.size) && (!timeline || (timeline.view.from === from && timeline.view.to === to && !timeline.tiles.busy()));
      quiet = still ? quiet + 1 : 0;
    }
  });
}

/** A key of the page's state. @param {Page} page @param {string} key @returns {Promise<any>} */
export const state = (page, key) => page.evaluate((key) => /** @type {any} */ (window).traceloom.store.get()[key], key);

/** Waits until a function of the state holds. @param {Page} page @param {(state: any, more: any) => unknown} test @param {any} [more] */
export async function until(page, test, more) {
  // The whole script is passed as text, because the page's policy forbids the page to make functions of strings.
  const came = await page.evaluate(`(async () => {
    const test = ${test}, more = ${JSON.stringify(more ?? null)}, end = performance.now() + ${PATIENCE};
    while (!test(window.traceloom.store.get(), more)) {
      if (performance.now() > end) return false;
      await new Promise(next => requestAnimationFrame(next));
    }
    return true;
  })()`);
  assert.ok(came, `did not become true: ${test} with ${JSON.stringify(more)}`);
}

/** Asks the engine behind the page. @param {Page} page @param {object} question @returns {Promise<any>} columns as lists */
export const ask = (page, question) => page.evaluate(async (question) => {
  const answer = await /** @type {any} */ (window).traceloom.source.ask(question);
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, ArrayBuffer.isView(value) ? Array.from(/** @type {any} */ (value)) : value]));
}, question);

/** The slice with a name; `nth` counts from 0. @param {Page} page @param {string} name @param {number} [nth] @returns {Promise<number>} */
export async function sliceNamed(page, name, nth = 0) {
  const { slice } = await ask(page, { op: "find", text: name, mode: "exact" });
  assert.ok(slice.length > nth, `no slice ${name}`);
  return slice[nth];
}

/**
 * The centre of the visible part of a slice on the screen. Its row must be visible.
 * @param {Page} page @param {number} id
 */
export async function placeOf(page, id) {
  const at = await page.evaluate(async (id) => {
    const { source, timeline } = /** @type {any} */ (window).traceloom;
    const { row, ts, end, dur, level } = await source.ask({ op: "locate", id });
    const { view } = timeline, box = timeline.area.getBoundingClientRect();
    const scale = box.width / (view.to - view.from);
    const from = Math.max(ts, view.from), to = Math.min(end ?? ts + dur, view.to);
    const x = ((from + to) / 2 - view.from) * scale;
    const placed = timeline.placed().find((/** @type {any} */ place) => place.row === row);
    if (!placed) return null;
    for (let y = Math.max(31, placed.y + 1); y < Math.min(box.height, placed.y + placed.height); y++) {
      const hit = timeline.hit(x, y);
      if (hit?.what === "slice" && hit.level === level) return { x: box.left + x, y: box.top + y + 4 };
    }
    return null;
  }, id);
  assert.ok(at, `slice ${id} is not on the screen`);
  return at;
}

/** Shows a slice with room around it, without selecting it. @param {Page} page @param {number} id */
export async function bring(page, id) {
  await page.evaluate(async (id) => {
    const { source, timeline } = /** @type {any} */ (window).traceloom;
    const { row, ts, end, dur, level } = await source.ask({ op: "locate", id });
    timeline.showRow(row, level);
    timeline.view.fit(ts, Math.max(end ?? ts + dur, ts + 1), 1);
  }, id);
  await settled(page);
}

/** Clicks a slice. @param {Page} page @param {number} id */
export async function clickSlice(page, id) {
  const { x, y } = await placeOf(page, id);
  await page.mouse.click(x, y);
  await until(page, (state, id) => state.selection?.kind === "slice" && state.selection.id === id, id);
  await settled(page);
}

/** The bounding box of an element. @param {Page} page @param {string} testid */
export async function box(page, testid) {
  const found = await page.getByTestId(testid).boundingBox();
  assert.ok(found, `${testid} is not on the screen`);
  return found;
}

/** The facts of the details panel, by their names. @param {Page} page @returns {Promise<Record<string, string>>} */
export const facts = (page) => page.getByTestId("panel-details").evaluate((panel) => Object.fromEntries(
  [...panel.querySelectorAll(".facts dt")].map((key) => [key.textContent ?? "", key.nextElementSibling?.textContent ?? ""]),
));

const UNITS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

/** The first time in a text (`1.234 ms`), in nanoseconds; `0` has no unit. @param {string} text */
export function timeIn(text) {
  if (text === "0") return 0;
  const match = /(-?[\d,]+(?:\.\d+)?)\s(ns|µs|ms|s)(?!\w)/.exec(text ?? "");
  assert.ok(match, `no time in ${JSON.stringify(text)}`);
  return Number(match[1].replaceAll(",", "")) * UNITS[/** @type {"ms"} */ (match[2])];
}

/** Checks that a shown time equals this many ns, to the number of digits shown. @param {string} text @param {number} ns @param {string} what */
export function sameTime(text, ns, what) {
  const shown = timeIn(text), size = Math.abs(ns), unit = Object.values(UNITS).findLast((unit) => size >= unit) ?? 1;
  // There are three decimals, or two from a hundred on. The page's times may contain half nanoseconds.
  const last = unit * (size / unit >= 100 ? 0.01 : 0.001);
  assert.ok(Math.abs(shown - ns) <= last * 0.51 + 1, `${what}: the page says ${text}, the program ${ns} ns`);
}

/**
 * The visible rows of a table: cells by column.
 * @param {Page} page @param {string} testid @returns {Promise<Record<string, string>[]>}
 */
export const tableOf = (page, testid) => page.getByTestId(testid).evaluate((table) => {
  const ids = [...table.querySelectorAll(".vt-head [data-testid]")].map((cell) => (cell.getAttribute("data-testid") ?? "").slice(4));
  const rows = [...table.querySelectorAll(".vt-space > .vt-row")].filter((row) => !(/** @type {HTMLElement} */ (row).hidden));
  rows.sort((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")));
  return rows.map((row) => Object.fromEntries(ids.map((id, nth) => [id, row.children[nth]?.textContent ?? ""])));
});

/** The first visible row of a table that contains a text. @param {Page} page @param {string} testid @param {string} text */
export const rowWith = (page, testid, text) => page.getByTestId(testid).locator(".vt-space > .vt-row:not([hidden])", { hasText: text }).first();

/** The names of the visible rows, from top to bottom. @param {Page} page @returns {Promise<string[]>} */
export const rowNames = (page) => page.getByTestId("rows").evaluate((list) => [...list.querySelectorAll(".row")]
  .map((row) => ({ text: row.querySelector(".row-name")?.textContent ?? "", top: row.getBoundingClientRect().top }))
  .sort((a, b) => a.top - b.top).map(({ text }) => text));

/** Opens a tab of the dock, or one inside a panel. @param {Page} page @param {string} id */
export async function tab(page, id) {
  await page.getByTestId(`tab-${id}`).click();
  await page.getByTestId(`panel-${id}`).waitFor({ state: "visible" });
  await settled(page);
}

/** Holds a key down until the state passes the test. @param {Page} page @param {string} key @param {(state: any, more: any) => unknown} test @param {any} [more] */
export async function hold(page, key, test, more) {
  await page.keyboard.down(key);
  await until(page, test, more);
  await page.keyboard.up(key);
  await settled(page);
}

/** Opens the profile of the whole trace; a trace may open with that of one thread. @param {Page} page */
export async function wholeProfile(page) {
  await tab(page, "profile");
  const all = page.getByTestId("profile-whole");
  if (await all.isVisible()) await all.click();
  await settled(page);
}
