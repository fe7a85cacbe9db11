// Links, dropped files, reports as input, and access to the live server.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { example, open, program, ready, report, root, serve } from "./lib.js";
import { bring, cli, clickSlice, rowNames, settled, sliceNamed, state, tab, until } from "./drive.js";
import { onPages, theBrowser } from "./suite.js";

const APP = example("app.trace"), JANK = example("jank.ftrace.gz");

onPages("A link", { files: [APP] }, (its) => {
  test("shows the same after a reload: view, selection, search, marks, rows, panel", async () => {
    const page = its.page();
    const id = await sliceNamed(page, "com.example.news.ArticleParser.parse");
    await bring(page, id);
    await clickSlice(page, id);
    await page.getByTestId("timeline").focus();
    await page.keyboard.press("m");
    await page.getByTestId("mark-name").fill("50 % of a~b: größe");
    await page.getByTestId("mark-name").press("Enter");
    await until(page, (state) => state.marks[0]?.label === "50 % of a~b: größe");
    await page.getByTestId("search").fill("readObject");
    await page.waitForFunction(() => /^\d+$/.test(document.querySelector("[data-testid=search-hits]")?.textContent ?? ""));
    await page.getByTestId("filter").fill("main");
    await tab(page, "profile");
    await settled(page);
    const read = () => page.evaluate(() => {
      const { view, selection, search, marks, rows, panel, top } = /** @type {any} */ (window).traceloom.store.get();
      return JSON.parse(JSON.stringify({ view: [Math.round(view.from), Math.round(view.to)], selection: { ...selection, name: 0 }, text: search.text, total: search.total, marks, filter: rows.filter, panel, top }));
    });
    // The page writes its link a moment after a change, and rows may scroll once more when their heights are known.
    await until(page, ({ view, top }) => {
      const link = new URLSearchParams(location.hash.slice(1)), [from, to] = (link.get("v") ?? "").split("~").map(Number);
      const isWhole = ["s", "q", "m", "w"].every((key) => link.has(key)) && (link.get("t") ?? "profile") === "profile";
      return isWhole && Math.abs(from - view.from) < 1 && Math.abs(to - view.to) < 1 && Number(link.get("y") ?? 0) === top;
    });
    const before = await read();
    await page.reload();
    await ready(page);
    await until(page, (state, id) => state.selection?.id === id, id);
    await until(page, (state, total) => state.search.total === total, before.total);
    await settled(page);
    assert.deepEqual(await read(), before);
    const other = await open(theBrowser(), `${its.kind === "live" ? its.target() : pathToFileURL(its.target()).href}${new URL(page.url()).hash}`);
    await until(other.page, (state, id) => state.selection?.id === id, id);
    await settled(other.page);
    assert.equal((await state(other.page, "view")).from, (await state(page, "view")).from);
    await other.done();
  });

  test("a range and a name in a link", async () => {
    const page = its.page();
    await page.evaluate(() => { location.hash = "r=100000000~300000000&t=range"; });
    await until(page, (state) => state.selection?.kind === "range" && state.selection.to === 3e8 && state.panel === "range");
    await settled(page);
    assert.match(await page.getByTestId("range-title").innerText(), /200 ms/);
  });

  test("an invalid link still opens", async () => {
    const page = its.page();
    await page.evaluate(() => { location.hash = "v=NaN~x&s=99999999&r=5&at=foo~1~2&m=a:b~~&f=x.y&pr={&t=nothing&y=-1&n=abc"; });
    await settled(page);
    assert.ok((await rowNames(page)).length > 0);
    await page.reload();
    await ready(page);
    await settled(page);
    assert.ok((await rowNames(page)).length > 0);
  });
});

/** @param {import("playwright-core").Page} page @param {string[]} files */
async function drop(page, files) {
  const list = files.map((file) => ({ name: file.split("/").at(-1), data: readFileSync(file).toString("base64") }));
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const { name, data } of list) transfer.items.add(new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], String(name)));
    for (const type of ["dragenter", "dragover", "drop"]) document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, list);
}

test("a file dropped on the live page opens there", async () => {
  const server = await serve(APP);
  try {
    const { page, done } = await open(theBrowser(), server.url);
    let opens = 0;
    page.on("request", (request) => { if (new URL(request.url()).pathname === "/open") opens++; });
    await Promise.all([page.waitForURL(/trace=1/), drop(page, [JANK])]);
    await ready(page);
    await settled(page);
    assert.equal(await page.getByTestId("title").innerText(), "jank.ftrace.gz");
    assert.ok((await rowNames(page)).includes("RenderThread"));
    assert.equal(opens, 1, "the file is sent once");
    await done();
  } finally { server.stop(); }
});

test("other files are refused with a message; a report says how to open another trace", async () => {
  const server = await serve(APP);
  try {
    const live = await open(theBrowser(), server.url);
    await drop(live.page, [join(root, "Cargo.toml")]);
    await live.page.locator(".drop", { hasText: "Cargo.toml does not open" }).waitFor();
    await live.page.keyboard.press("Escape");
    await live.page.locator(".drop").waitFor({ state: "hidden" });
    // The refusal is an HTTP status, which the browser itself logs on the console.
    const other = live.faults.filter((fault) => !/status of 4\d\d/.test(fault));
    assert.deepEqual(other, []);
    await live.context.close();
  } finally { server.stop(); }
  const { page, done } = await open(theBrowser(), report("drop", APP));
  await drop(page, [JANK]);
  await page.getByText("A report shows its own trace").waitFor();
  await done();
});

test("traceloom can open a report, and reads the same trace", () => {
  for (const file of [APP, JANK]) {
    const path = report("again", file);
    const [before, after] = [cli("info", file, "--json", "--all"), cli("info", path, "--json", "--all")];
    for (const key of ["start_ns", "duration_ns", "counts", "processes", "threads", "clocks"]) assert.deepEqual(after[key], before[key], `${key} of ${file}`);
    const numbers = (/** @type {any} */ { rows, total }) => JSON.stringify({ rows, total });
    assert.equal(numbers(cli("profile", path, "--json")), numbers(cli("profile", file, "--json")));
  }
  const embedded = report("embedded", JANK, "--embed-source");
  assert.match(readFileSync(embedded, "utf8"), /<!-- BEGIN TRACE -->/);
  assert.equal(cli("info", embedded, "--json").duration_ns, cli("info", JANK, "--json").duration_ns);
  assert.match(execFileSync(program, ["info", embedded], { encoding: "utf8" }), /org\.loom\.reader/);
});

/** The status of a request. @param {string} url @param {{method?: string, headers?: Record<string, string>, body?: string}} [how] @returns {Promise<number>} */
const status = (url, { method = "GET", headers = {}, body } = {}) => new Promise((found, failed) => {
  const asked = request(url, { method, headers }, (answer) => { answer.resume(); found(answer.statusCode ?? 0); });
  asked.on("error", failed);
  asked.end(body);
});

test("the server only answers requests with the token and from its own page", async () => {
  const server = await serve(APP);
  try {
    const url = new URL(server.url), { origin } = url, token = String(url.searchParams.get("token"));
    assert.equal(await status(server.url), 200);
    assert.equal(await status(`${origin}/`), 403);
    assert.equal(await status(`${origin}/?token=wrong`), 403);
    const question = { method: "POST", body: "{\"op\":\"meta\"}" }, json = { "content-type": "application/json" };
    assert.equal(await status(`${origin}/api`, { ...question, headers: json }), 403);
    assert.equal(await status(`${origin}/api`, { ...question, headers: { ...json, "x-traceloom-token": token } }), 200);
    assert.equal(await status(`${origin}/api`, { ...question, headers: { ...json, "x-traceloom-token": token, origin: "http://evil.example" } }), 403);
    assert.equal(await status(`${origin}/api`, { ...question, headers: { ...json, "x-traceloom-token": token, host: "evil.example" } }), 403);
    assert.equal(await status(`${origin}/open?name=x`, { method: "POST", body: "x" }), 403);
  } finally { server.stop(); }
});
