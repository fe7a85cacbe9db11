// Names stay different where they are shortened, and a profile without times is sorted by calls.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { open, report, serve, work } from "./lib.js";
import { rowNames, settled, tab, tableOf } from "./drive.js";
import { onPages, theBrowser } from "./suite.js";

const LONG = "com::example::renderer::pipeline::", SAMPLED = "perf-names.txt";

/** @param {string} name @param {string} text */
function file(name, text) {
  mkdirSync(work, { recursive: true });
  writeFileSync(join(work, name), text);
  return join(work, name);
}

const sample = (/** @type {number} */ nth, /** @type {string} */ name) => `app 42 1.00${nth}000: 1 cycles:\n\t401000 ${name} (/usr/bin/app)\n\n`;

onPages("Names of samples", { files: [file(SAMPLED, ["Canvas::draw", "Canvas::flush", "Canvas::prepare"].map((name, nth) => sample(nth, LONG + name)).join(""))], kinds: ["report"] }, (its) => {
  test("the end of a function's name is visible, and the whole name on hover", async () => {
    const page = its.page();
    await tab(page, "samples");
    const cells = await page.getByTestId("samples-table").locator(".vt-space > .vt-row:not([hidden]) > .vt-cell:first-child").evaluateAll((all) => all.map((cell) => {
      const end = cell.querySelector(".kept")?.getBoundingClientRect(), box = cell.getBoundingClientRect();
      return { title: /** @type {HTMLElement} */ (cell).title, end: cell.querySelector(".kept")?.textContent, inside: !!end && end.right <= box.right + 1 };
    }));
    assert.deepEqual(cells.map(({ end }) => end).sort(), ["::draw", "::flush", "::prepare"]);
    assert.ok(cells.every(({ inside, title, end }) => inside && title === `${LONG}Canvas${end}`), JSON.stringify(cells));
  });
});

test("compared files of the same name have their folders, and long ones the part that differs", async (t) => {
  const trace = (/** @type {string} */ name) => file(`${name}.json`, '[{"name":"work","ph":"X","ts":1,"dur":2,"pid":1,"tid":1}]');
  const folders = ["before", "after"].map((name) => { mkdirSync(join(work, name), { recursive: true }); return trace(`${name}/app`); });
  const beginning = "a-recording-of-the-application-while-it-starts", long = ["cold", "warm"].map((name) => trace(`${beginning}-${name}-on-the-device-of-the-test-laboratory`));
  const server = await serve(...folders);
  t.after(() => void server.stop());
  for (const [target, ...names] of [[report("names-long", ...long), "cold", "warm"], [report("names-same", ...folders), "app.json (1)", "app.json (2)"], [server.url, "before/app.json", "after/app.json"]]) {
    const { page, done } = await open(theBrowser(), target, { reducedMotion: "reduce" });
    await tab(page, "diff");
    await settled(page);
    const shown = (await page.getByTestId("diff-total").innerText()).split(/ → |: /);
    names.forEach((name, nth) => assert.ok(shown[nth].includes(name), `${shown[nth]} has ${name}`));
    await done();
  }
});

test("a profile without times is sorted by calls", async () => {
  const lines = ["openat(AT_FDCWD, \"/a\", O_RDONLY) = 3", "read(3, \"\", 10) = 0", "close(3) = 0", "close(4) = 0", "read(3, \"\", 10) = 0", "close(5) = 0"];
  const path = file("calls.strace", lines.map((line, nth) => `42 10:00:00.00000${nth} ${line}\n`).join(""));
  const { page, done } = await open(theBrowser(), report("calls", path), { reducedMotion: "reduce" });
  await tab(page, "profile");
  assert.deepEqual((await tableOf(page, "profile-table")).map(({ calls }) => calls), ["3+0", "2+0", "1+0"]);
  await done();
});

const ODD = file("odd-names.json", JSON.stringify([
  { ph: "M", name: "thread_name", pid: 1, tid: 1, args: { name: "\u202Eniam" } },
  { ph: "X", pid: 1, tid: 1, name: "\nfirst\tline", ts: 0, dur: 0.9 }, { ph: "X", pid: 1, tid: 1, name: "\u202Egnp.exe", ts: 1, dur: 0.8 }, { ph: "X", pid: 1, tid: 1, name: "", ts: 2, dur: 0.7 }]));

onPages("Odd names and short times", { files: [ODD], kinds: ["report"] }, (its) => {
  test("stay on one line, in their own direction, and an empty one says so", async () => {
    const page = its.page();
    const names = await page.getByTestId("profile-table").locator(".vt-space > .vt-row:not([hidden]) .name").allTextContents();
    assert.deepEqual(names, [" first line", " gnp.exe", "(no name)"]);
    assert.ok((await rowNames(page)).includes(" niam"));
  });

  test("a profile shorter than a millisecond shows nanoseconds", async () => {
    const page = its.page();
    const times = async () => (await tableOf(page, "profile-table")).map((line) => line["incl-real"]);
    assert.deepEqual(await times(), ["0.000900", "0.000800", "0.000700"]);
    await page.getByTestId("tab-top_down").click();
    await settled(page);
    assert.deepEqual((await tableOf(page, "tree-top_down")).map(({ incl }) => incl).slice(-3), ["0.000900", "0.000800", "0.000700"]);
  });
});
