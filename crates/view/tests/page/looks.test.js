// The appearance: screenshots of the main states are compared with those in shots/, and kept for inspection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond } from "./axe.js";
import { example, open, report } from "./lib.js";
import { bring, clickSlice, settled, sliceNamed, tab, until } from "./drive.js";
import { shot } from "./shots.js";
import { theBrowser } from "./suite.js";

const APP = [example("app.trace")], JANK = [example("jank.ftrace.gz")], PAIR = [...APP, ...JANK];

/** @typedef {import("playwright-core").Page} Page */

/** @param {Page} page @param {string} name */
async function select(page, name) {
  const id = await sliceNamed(page, name);
  await bring(page, id);
  await clickSlice(page, id);
  await page.mouse.move(5, 5);
}

/** @param {Page} page @param {number} y where the dock's upper edge goes, px */
async function dock(page, y) {
  const bar = await page.getByTestId("splitter-dock").boundingBox();
  assert.ok(bar);
  await page.mouse.move(bar.x + 300, bar.y + bar.height / 2);
  await page.mouse.down();
  await page.mouse.move(bar.x + 300, y);
  await page.mouse.up();
}

const frames = async (/** @type {Page} */ page) => {
  await tab(page, "frames");
  await page.getByTestId("worst-frames").locator(".vt-space > .vt-row:not([hidden])").first().click();
  await until(page, (state) => state.selection?.kind === "slice");
  await tab(page, "frames");
  await page.mouse.move(5, 5);
};
const profile = async (/** @type {Page} */ page) => {
  await dock(page, 330);
  await tab(page, "profile");
  await page.getByTestId("profile-table").focus();
  for (const key of ["Home", "ArrowDown", "ArrowRight"]) await page.keyboard.press(key);
  await page.locator("[data-testid=profile-table] .line.heading").first().waitFor();
};
const range = async (/** @type {Page} */ page) => {
  await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", from: 1.29e9, to: 1.45e9 }, panel: "range" }));
  await page.locator("[data-testid=range-by_name] .vt-row").nth(3).waitFor();
};

const SMALL = { width: 1366, height: 768 }, LARGE = { width: 2560, height: 1440 };
/** @type {{name: string, files: string[], options: import("playwright-core").BrowserContextOptions, reach?: (page: Page) => Promise<void>}[]} */
const PICTURES = [
  { name: "method-light", files: APP, options: { viewport: SMALL }, reach: (page) => select(page, "com.example.news.ArticleParser.parse") },
  { name: "method-dark", files: APP, options: { viewport: SMALL, colorScheme: "dark" }, reach: (page) => select(page, "com.example.news.ArticleParser.parse") },
  { name: "systrace-light", files: JANK, options: { viewport: SMALL }, reach: frames },
  { name: "systrace-dark", files: JANK, options: { viewport: SMALL, colorScheme: "dark" }, reach: (page) => select(page, "ImageCache.put") },
  { name: "merged-large", files: PAIR, options: { viewport: LARGE } },
  { name: "profile-light", files: APP, options: { viewport: SMALL }, reach: profile },
  { name: "profile-dark", files: APP, options: { viewport: SMALL, colorScheme: "dark" }, reach: profile },
  { name: "frames-dark-large", files: JANK, options: { viewport: LARGE, colorScheme: "dark" }, reach: frames },
  { name: "range-light", files: JANK, options: { viewport: SMALL }, reach: range },
  { name: "help-dark", files: APP, options: { viewport: SMALL, colorScheme: "dark" }, reach: async (page) => { await page.keyboard.press("?"); await page.getByTestId("help-sheet").waitFor(); } },
  { name: "sharp", files: JANK, options: { viewport: { width: 683, height: 384 }, deviceScaleFactor: 2 } },
  { name: "zoomed-200", files: APP, options: { viewport: SMALL }, reach: async (page) => { await page.evaluate(() => { document.documentElement.style.setProperty("zoom", "2"); }); } },
  { name: "forced-colors", files: JANK, options: { viewport: SMALL, forcedColors: "active" }, reach: (page) => select(page, "ImageCache.put") },
];

for (const { name, files, options, reach } of PICTURES) {
  test(`picture ${name}`, async () => {
    const { page, done } = await open(theBrowser(), report(`looks-${files.length}-${files[0].split("/").at(-1)}`, ...files), { reducedMotion: "reduce", colorScheme: "light", ...options });
    await settled(page);
    await reach?.(page);
    await settled(page);
    await shot(page, name);
    await done();
  });
}

test("nothing is animated if the user prefers reduced motion", async () => {
  const { page, done } = await open(theBrowser(), report("looks-still", ...JANK), { reducedMotion: "reduce" });
  await settled(page);
  const moved = await page.evaluate(async () => {
    const { timeline, store } = /** @type {any} */ (window).traceloom;
    timeline.view.set(1e8, 2e8);
    return [timeline.view.from, timeline.view.to, store.get().view.from];
  });
  assert.deepEqual(moved, [1e8, 2e8, 1e8], "the view changes at once");
  const animated = await page.evaluate(() => document.getAnimations().filter((animation) => animation.playState === "running").length);
  assert.equal(animated, 0);
  await done();
});

test("small windows keep the timeline and its tools", async () => {
  const { page, done } = await open(theBrowser(), report("looks-small", ...APP), { viewport: { width: 480, height: 640 } });
  await settled(page);
  for (const testid of ["timeline", "search", "help", "tab-details"]) assert.ok(await page.getByTestId(testid).isVisible(), testid);
  assert.deepEqual(await beyond(page), [], "nothing is wider than the window");
  await done();
});

test("in a low window, the timeline has all the room until something is selected", async () => {
  const { page, done } = await open(theBrowser(), report("looks-low", ...APP), { viewport: { width: 683, height: 384 }, reducedMotion: "reduce" });
  await settled(page);
  const high = async () => (await page.getByTestId("timeline").boundingBox())?.height ?? 0;
  assert.ok(await high() > 200, `${await high()} px for the timeline`);
  const id = await sliceNamed(page, "com.example.news.ArticleParser.parse");
  await bring(page, id);
  await clickSlice(page, id);
  await page.getByTestId("details-name").waitFor({ state: "visible" });
  await page.getByTestId("dock-fold").click();
  await page.getByTestId("details-name").waitFor({ state: "hidden" });
  assert.equal(await page.getByTestId("dock-fold").getAttribute("aria-expanded"), "false");
  await done();
});

test("in the window of a laptop, the help sheet fits, and tables end between columns", async () => {
  const { page, done } = await open(theBrowser(), report("looks-laptop", ...APP), { viewport: SMALL, reducedMotion: "reduce" });
  await settled(page);
  await page.keyboard.press("?");
  const sheet = page.getByTestId("help-sheet");
  await sheet.waitFor();
  assert.deepEqual(await sheet.evaluate((sheet) => [sheet.scrollHeight - sheet.clientHeight, sheet.scrollWidth - sheet.clientWidth]), [0, 0]);
  await page.keyboard.press("Escape");
  await tab(page, "profile");
  const cut = await page.getByTestId("profile-table").evaluate((table) => {
    const { left } = table.getBoundingClientRect(), edge = left + table.clientWidth;
    return [...table.querySelectorAll(".vt-head .vt-cell")].map((cell) => cell.getBoundingClientRect()).filter((cell) => cell.left < edge - 1 && cell.right > edge + 1).length;
  });
  assert.equal(cut, 0, "no column is cut off");
  await done();
});

test("texts without enough room in the list of frames end with an ellipsis", async () => {
  const { page, done } = await open(theBrowser(), report("looks-frames", ...JANK), { viewport: SMALL, reducedMotion: "reduce" });
  await tab(page, "frames");
  const cells = await page.getByTestId("worst-frames").evaluate((table) => [...table.querySelectorAll(".vt-space > .vt-row:not([hidden]) > .vt-cell.text")].map((cell) => {
    const style = getComputedStyle(cell);
    return { display: style.display, ends: style.textOverflow, align: style.textAlign, cut: cell.scrollWidth > cell.clientWidth, title: cell.getAttribute("title") === cell.textContent };
  }));
  assert.ok(cells.some(({ cut }) => cut));
  for (const { display, ends, align, title } of cells) assert.deepEqual({ display, ends, align, title }, { display: "block", ends: "ellipsis", align: "left", title: true });
  await done();
});

test("the page follows the system's dark mode until the user chooses", async () => {
  const { page, done } = await open(theBrowser(), report("looks-theme", ...APP), { colorScheme: "light" });
  const dark = () => page.evaluate(() => document.documentElement.hasAttribute("data-dark"));
  assert.equal(await dark(), false);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-dark"));
  await page.getByTestId("theme").click();
  await page.getByRole("menuitemradio", { name: "Light", exact: true }).click();
  await page.waitForFunction(() => !document.documentElement.hasAttribute("data-dark"));
  await done();
});
