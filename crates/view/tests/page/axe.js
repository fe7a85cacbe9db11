// Checks the state of a page with axe-core.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { settled } from "./drive.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @param {import("playwright-core").Page} page @param {string} where */
export async function check(page, where) {
  await settled(page);
  // Evaluating the script in the page is not subject to the page's policy.
  await page.evaluate(`if (!window.axe) { ${axe} }`);
  const { violations, passed } = await page.evaluate(async () => {
    const { violations, passes } = await /** @type {any} */ (window).axe.run(document, { iframes: false });
    return { passed: passes.length, violations: violations.filter((/** @type {any} */ { impact }) => impact !== "minor")
      .map((/** @type {any} */ { id, help, nodes }) => `${id}: ${help}\n${nodes.slice(0, 4).map((/** @type {any} */ { html, failureSummary }) => `  ${html.slice(0, 200)}\n  ${failureSummary}`).join("\n")}`) };
  });
  assert.ok(passed > 10, "axe-core checked the page");
  assert.deepEqual(violations, [], `${where}:\n${violations.join("\n")}`);
}

/** The elements that are cut off at the right of the window. Tables, tabs and menus of the page scroll. @param {import("playwright-core").Page} page */
export const beyond = (page) => page.evaluate(() => [...document.querySelectorAll("#app *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".vt, .tabs, .visually-hidden"))
  .map((one) => `${one.tagName} ${one.className} ${one.getBoundingClientRect().right}`));
