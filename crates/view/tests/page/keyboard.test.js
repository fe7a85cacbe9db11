// Use without a mouse: the keyboard reaches and operates everything, and the focus is always visible.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example } from "./lib.js";
import { hold, rowNames, settled, state, until } from "./drive.js";
import { onPages } from "./suite.js";

/** The element that has the focus. @param {import("playwright-core").Page} page */
const focus = (page) => page.evaluate(() => {
  const element = /** @type {HTMLElement} */ (document.activeElement), style = getComputedStyle(element), after = getComputedStyle(element, "::after");
  const box = element.getBoundingClientRect();
  const outlined = (/** @type {CSSStyleDeclaration} */ of) => of.outlineStyle !== "none" && parseFloat(of.outlineWidth) > 0;
  return {
    name: element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 60) ?? "", testid: element.getAttribute("data-testid"), tag: element.tagName,
    body: element === document.body,
    seen: outlined(style) || style.boxShadow !== "none" || (after.content !== "none" && parseFloat(after.borderTopWidth) > 0)
      || (element.parentElement !== null && element.matches("input") && (outlined(getComputedStyle(element.parentElement)) || getComputedStyle(element.parentElement).boxShadow !== "none")),
    onScreen: box.width > 0 && box.height > 0,
  };
});

onPages("Keys alone", { files: [example("jank.ftrace.gz")], kinds: ["report"], options: { reducedMotion: "reduce" } }, (its) => {
  test("Tab reaches every part, and the focus is always visible", async () => {
    const page = its.page();
    /** @type {Map<string, any>} */
    const reached = new Map();
    /** @type {string[]} */
    const unseen = [];
    for (let steps = 0; steps < 120; steps++) {
      await page.keyboard.press("Tab");
      const now = await focus(page);
      if (now.body) break;
      const key = now.testid ?? now.name;
      if (reached.has(key) && now.testid !== null && now.testid !== "row") break;
      reached.set(key, now);
      if (!now.seen || !now.onScreen) unseen.push(`${now.tag} ${key}`);
      assert.ok(now.name, `the focused element has a name: ${JSON.stringify(now)}`);
    }
    for (const part of ["search", "zoom-all", "colours", "theme", "info", "help", "filter", "timeline", "splitter-names", "splitter-dock", "tab-frames", "dock-fold"]) {
      assert.ok(reached.has(part), `Tab reaches ${part}: ${[...reached.keys()].join(", ")}`);
    }
    assert.deepEqual(unseen, [], "elements without a visible focus");
  });

  test("from the search box to a call's details and back", async () => {
    const page = its.page();
    await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
    await page.keyboard.press("/");
    assert.equal((await focus(page)).testid, "search");
    await page.keyboard.type("DiskLruCache");
    await page.keyboard.press("Enter");
    await until(page, (state) => state.selection?.kind === "slice");
    await settled(page);
    assert.equal(await page.getByTestId("details-name").innerText(), "DiskLruCache.commit");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    assert.equal((await focus(page)).testid, "timeline");
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction(() => document.querySelector("[data-testid=details-name]")?.textContent === "ImageCache.put");
    await page.waitForFunction(() => /ImageCache\.put/.test(document.querySelector("[data-testid=announce]")?.textContent ?? ""));
    await page.keyboard.press("f");
    await settled(page);
    const { from, to } = await state(page, "view"), { ts, end } = await state(page, "selection");
    assert.ok(from <= ts && to >= end);
  });

  test("a range from a call, its table, and the profile of it", async () => {
    const page = its.page();
    await page.keyboard.press("r");
    await until(page, (state) => state.selection?.kind === "range" && state.panel === "range");
    await settled(page);
    await page.getByTestId("tab-range").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await until(page, (state) => state.panel === "profile");
    await settled(page);
    const table = page.getByTestId("profile-table");
    await table.focus();
    await page.keyboard.press("ArrowDown");
    await until(page, (state) => state.selection?.kind === "name");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector("[data-testid=profile-table] .line.heading"));
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => !document.querySelector("[data-testid=profile-table] .vt-row:not([hidden]).heading"));
    await table.locator(".vt-sort").first().focus();
    for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("[data-testid=col-excl-real]")?.closest("[aria-sort]")?.getAttribute("aria-sort") === "descending");
    await page.getByTestId("flame").focus();
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await page.getByTestId("flame-status").innerText(), "");
  });

  test("rows: from one to the next, fold, pin, hide", async () => {
    const page = its.page();
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: null, panel: "details" }));
    await page.getByTestId("timeline").focus();
    await page.keyboard.press("Home");
    await until(page, (state) => state.top === 0);
    await settled(page);
    await page.locator(".row-main[aria-expanded]").first().focus();
    const first = await focus(page);
    await page.keyboard.press("ArrowDown");
    await settled(page);
    assert.notEqual((await focus(page)).name, first.name);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-expanded") === "false");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-expanded") === "true");
    await page.keyboard.press("p");
    await until(page, (state) => state.rows.pinned.length === 1);
    await settled(page);
    await page.keyboard.press("p");
    await until(page, (state) => state.rows.pinned.length === 0);
    await settled(page);
    await page.keyboard.press("h");
    await until(page, (state) => state.rows.hidden.size === 1);
    await settled(page);
    await page.getByTestId("unhide").focus();
    await page.keyboard.press("Enter");
    await until(page, (state) => state.rows.hidden.size === 0);
    await settled(page);
    assert.ok((await rowNames(page)).length > 2);
  });

  test("menus, sheets and splitters", async () => {
    const page = its.page();
    await page.getByTestId("theme").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await until(page, (state) => state.theme === "dark");
    assert.equal((await focus(page)).testid, "theme", "the focus goes back to the button");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    assert.equal((await focus(page)).testid, "theme");
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ theme: "light" }));
    for (const [testid, key] of [["splitter-dock", "ArrowUp"], ["splitter-names", "ArrowRight"]]) {
      const bar = page.getByTestId(testid);
      await bar.focus();
      const before = Number(await bar.getAttribute("aria-valuenow"));
      await page.keyboard.press(key);
      assert.equal(Number(await bar.getAttribute("aria-valuenow")), before + 24, testid);
    }
    await page.getByTestId("help").focus();
    await page.keyboard.press("Enter");
    await page.getByTestId("help-sheet").waitFor();
    await page.keyboard.press("Escape");
    await page.getByTestId("help-sheet").waitFor({ state: "detached" });
    assert.equal((await focus(page)).testid, "help");
  });

  test("a held key moves until it is released", async () => {
    const page = its.page();
    await page.getByTestId("timeline").focus();
    await page.keyboard.press("0");
    await settled(page);
    const whole = await state(page, "view");
    await hold(page, "W", (state, whole) => state.view.to - state.view.from < whole.to / 3, whole);
    const near = await state(page, "view");
    await settled(page);
    assert.deepEqual(await state(page, "view"), near, "a released key moves nothing");
  });
});
