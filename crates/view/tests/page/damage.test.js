// A report that was truncated or corrupted shows an error instead of hanging.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { example, launch, PATIENCE, report, work } from "./lib.js";

/** @type {import("playwright-core").Browser} */
let browser;
/** An intact report. */
let whole = "";

before(async () => {
  browser = await launch();
  whole = readFileSync(report("damage", example("app.trace")), "utf8");
});
after(() => browser.close());

/**
 * Opens a report and waits for words on the page.
 * @param {string} name @param {string} text @param {RegExp} words @param {string} [script] runs before the page's own
 */
async function says(name, text, words, script) {
  const path = join(work, `damage-${name}.html`);
  writeFileSync(path, text);
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  if (script) await page.addInitScript(script);
  await page.goto(pathToFileURL(path).href);
  await page.waitForFunction((source) => new RegExp(source).test(document.body.innerText), words.source);
  await page.close();
}

/** Changes one letter in the middle of an element's content. @param {string} start text in its tag */
function changed(start) {
  const from = whole.indexOf(">", whole.indexOf(start)) + 1, to = whole.indexOf("</", from);
  const at = (from + to) >> 1, letter = whole[at] === "A" ? "B" : "A";
  return whole.slice(0, at) + letter + whole.slice(at + 1);
}

/** The report up to some letters after a text. @param {string} text @param {number} [letters] */
const cut = (text, letters = 0) => whole.slice(0, whole.indexOf(text) + letters);

const LATE = /Still nothing\? Was the file saved completely\?/;
const NO_END = /the end of this report is missing/;

test("one changed letter of the engine", async () => {
  await says("engine", changed('id="traceloom-engine"'), /the engine in this report is damaged/);
});

test("one changed letter of the trace", async () => {
  await says("data", changed('data-name="slices"'), /data is damaged/);
});

test("one changed letter of the script, so the policy blocks it", async () => {
  await says("script", changed('<script type="module"'), LATE);
});

test("one block of the trace is missing its end", async () => {
  const start = whole.indexOf('data-name="slices"') + 1000, end = whole.indexOf("</script", start);
  await says("hole", whole.slice(0, start) + whole.slice(end), /data (broke off|is damaged)/);
});

test("the file ends inside the page", async () => {
  await says("cut-page-style", cut("/* Every colour", 5000), LATE);
  await says("cut-script", cut('<script type="module"', 50000), LATE);
});

test("the file ends after the script", async () => {
  await says("cut-before-engine", cut('<script type="application/octet-stream;base64" id="traceloom-engine"'), NO_END);
  await says("cut-engine", cut('id="traceloom-engine"', 10000), NO_END);
  await says("cut-tag", cut('data-name="slices"'), NO_END);
  await says("cut-columns", cut('data-name="slices"', 1000), NO_END);
  await says("cut-end", cut('<template id="traceloom-end"'), NO_END);
});

test("a browser without DecompressionStream", async () => {
  await says("old-browser", whole, /this browser is too old for reports/, "delete globalThis.DecompressionStream");
});

test("if scripts are switched off, that is the only message", async () => {
  const path = join(work, "damage-scripts.html");
  writeFileSync(path, whole);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.goto(pathToFileURL(path).href);
  const seen = await page.locator(".state:visible").allTextContents();
  await context.close();
  assert.deepEqual(seen, ["This page draws a trace with JavaScript, which is switched off."]);
});
