// A report of which bytes were lost or changed on the way says so; it does not stand and wait.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { example, launch, report, work } from "./lib.js";

/** @type {import("playwright-core").Browser} */
let browser;
/** A whole report. */
let whole = "";

before(async () => {
  browser = await launch();
  whole = readFileSync(report("damage", example("app.trace")), "utf8");
});
after(() => browser.close());

/** Opens a report and waits for what it says. @param {string} name @param {string} text @param {RegExp} words */
async function says(name, text, words) {
  const path = join(work, `damage-${name}.html`);
  writeFileSync(path, text);
  const page = await browser.newPage();
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction((source) => new RegExp(source).test(document.body.innerText), words.source);
  await page.close();
}

/** Changes one letter in the middle of what an element holds. @param {string} start what is in its tag */
function changed(start) {
  const from = whole.indexOf(">", whole.indexOf(start)) + 1, to = whole.indexOf("<", from);
  const at = (from + to) >> 1, letter = whole[at] === "A" ? "B" : "A";
  return whole.slice(0, at) + letter + whole.slice(at + 1);
}

for (const part of ["page", "engine", "unpacker"]) {
  test(`one changed letter of the ${part}`, async () => {
    await says(part, changed(`id="traceloom-${part}"`), /in this report is damaged/);
  });
}

test("one changed letter of the trace", async () => {
  await says("data", changed('data-name="slices"'), /data is damaged/);
});

test("the end is missing, and with it what starts the page", async () => {
  const within = whole.indexOf('data-name="slices"') + 1000;
  await says("cut", whole.slice(0, within), /Still nothing\? Was the file saved whole\?/);
});

test("scripts are switched off, and nothing else is said", async () => {
  const path = join(work, "damage-scripts.html");
  writeFileSync(path, whole);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(pathToFileURL(path).href);
  const seen = await page.locator(".state:visible").allTextContents();
  await context.close();
  assert.deepEqual(seen, ["This page draws a trace with JavaScript, which is switched off."]);
});
