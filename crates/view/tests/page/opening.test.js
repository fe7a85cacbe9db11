// What a trace opens with, and where facts about it, its losses and its repairs are.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { example, open, PATIENCE, ready, report, work } from "./lib.js";
import { ask, box, clickSlice, bring, cli, rowWith, settled, sliceNamed, state, tab, tableOf, until } from "./drive.js";
import { check } from "./axe.js";
import { heap, people, trace } from "./proto.js";
import { onPages, theBrowser } from "./suite.js";

const JANK = example("jank.ftrace.gz"), APP = example("app.trace");
const MS = 1e6;

onPages("A trace with late frames", { files: [JANK], kinds: ["report"] }, (its) => {
  test("opens on its frames, without a banner", async () => {
    const page = its.page();
    assert.equal(await page.getByTestId("tab-frames").getAttribute("aria-selected"), "true");
    assert.ok((await tableOf(page, "worst-frames")).length > 3);
    assert.equal(await page.getByTestId("repairs").count(), 0, "nothing is lost");
    assert.ok(!new URL(page.url()).hash.includes("t="), "an untouched page has no link to a tab");
  });

  test("keeps the selected frame highlighted, also when it is chosen in the time line", async () => {
    const page = its.page(), table = page.getByTestId("worst-frames"), at = table.locator(".vt-space > .vt-row.at");
    const second = table.locator(".vt-space > .vt-row:not([hidden])").nth(1);
    const duration = await second.locator(".vt-cell").first().innerText();
    await second.click();
    await until(page, (state) => state.selection?.kind === "slice");
    await tab(page, "details");
    await tab(page, "frames");
    assert.equal(await at.locator(".vt-cell").first().innerText(), duration);
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: null }));
    await page.waitForFunction(() => !document.querySelector("[data-testid=worst-frames] .vt-row.at"));
    await page.getByTestId("tab-details").click();
  });

  test("a click on a call shows its details", async () => {
    const page = its.page(), id = await sliceNamed(page, "ImageCache.put");
    await bring(page, id);
    await clickSlice(page, id);
    assert.equal(await state(page, "panel"), "details");
  });

  test("a range over rows is shaded in these rows, and all tabs are about them", async () => {
    const page = its.page();
    await page.evaluate(() => { const { store, timeline } = /** @type {any} */ (window).traceloom; store.set({ selection: null }); timeline.view.set(0, timeline.view.end); timeline.scrollTo(0); });
    await settled(page);
    const canvas = await box(page, "canvas"), rows = await page.evaluate(() => {
      const { timeline } = /** @type {any} */ (window).traceloom;
      return timeline.placed().map((/** @type {any} */ { row, y, height }) => ({ name: timeline.model.rows.names[row], utid: timeline.model.rows.utid[row], kind: timeline.model.rows.kind[row], y, height }));
    });
    const row = rows.find((/** @type {any} */ { name, kind }) => name === "RenderThread" && kind === 2);
    const pixel = async (/** @type {number} */ x, /** @type {number} */ y) => (await page.screenshot({ clip: { x: canvas.x + x, y: canvas.y + y, width: 1, height: 1 } })).toString("base64");
    const inside = { x: 420, y: row.y + row.height - 3 }, other = rows[rows.indexOf(row) + 1], outside = { x: 420, y: other.y + other.height - 3 };
    const before = [await pixel(inside.x, inside.y), await pixel(outside.x, outside.y)];
    await page.keyboard.down("Alt");
    await page.mouse.move(canvas.x + 350, canvas.y + row.y + 4);
    await page.mouse.down();
    await page.mouse.move(canvas.x + 600, canvas.y + row.y + row.height - 4, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("Alt");
    await page.mouse.move(5, 5);
    await settled(page);
    assert.notEqual(await pixel(inside.x, inside.y), before[0], "its own row is shaded");
    assert.equal(await pixel(outside.x, outside.y), before[1], "other rows are not");
    await page.getByTestId("tab-profile").click();
    await until(page, (state) => state.profile.scope?.from !== undefined);
    const { from, to } = await state(page, "selection"), scope = { from, to, threads: [row.utid] };
    assert.deepEqual((await state(page, "profile")).scope, scope);
    await tab(page, "frames");
    // A frame belongs to its app: the UI thread begins it, the RenderThread ends it.
    const threads = await page.evaluate((utid) => {
      const { kind, upid, utid: of } = /** @type {any} */ (window).traceloom.timeline.model.rows, own = upid[of.findIndex((/** @type {number} */ one, /** @type {number} */ at) => one === utid && kind[at] === 2)];
      return [...of].filter((_, at) => kind[at] === 2 && upid[at] === own);
    }, row.utid);
    const { apps } = await ask(page, { op: "frames", ...scope, threads }), shown = page.getByTestId("panel-frames").locator(".frames-app");
    await until(page, () => document.querySelector(/** @type {any} */ ("[data-testid=frames-range]"))?.checked);
    await settled(page);
    assert.equal(apps.length, 1);
    assert.equal(await shown.count(), 1);
    assert.match(await shown.first().innerText(), new RegExp(`${apps[0].janky} late of ${apps[0].frames} frame`));
    await tab(page, "range");
    const { by_name } = await ask(page, { op: "range", ...scope });
    await settled(page);
    const calls = await tableOf(page, "range-by_name");
    assert.deepEqual(calls.slice(0, 5).map(({ label }) => label), by_name.slice(0, 5).map((/** @type {any} */ { label }) => label));
    await tab(page, "events");
    await settled(page);
    const { total } = await ask(page, { op: "events", ...scope, limit: 0 });
    assert.match(await page.getByTestId("events-title").innerText(), new RegExp(`^${total} event`));
    // CPUs and counters belong to no thread: a range over a CPU's row is about this CPU only.
    const cpu = await page.evaluate(() => /** @type {any} */ (window).traceloom.timeline.model.rows.kind.indexOf(3));
    await page.evaluate(([cpu, from, to]) => /** @type {any} */ (window).traceloom.store.set({ selection: { kind: "range", from, to, rows: [cpu] }, panel: "range" }), [cpu, from, to]);
    await page.getByTestId("tab-cpus").click();
    await settled(page);
    assert.equal((await tableOf(page, "range-cpus")).length, 1);
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ selection: null, profile: {}, panel: "details", chosen: false }));
  });
});

onPages("A trace without frames", { files: [APP], kinds: ["report"] }, (its) => {
  test("opens on the profile of the main thread", async () => {
    const page = its.page();
    assert.equal(await page.getByTestId("tab-profile").getAttribute("aria-selected"), "true");
    const { rows } = cli("profile", APP, "--thread", "main", "--json", "--limit", "3"), table = await tableOf(page, "profile-table");
    assert.ok(table[0].name.includes(rows[0].name));
    assert.equal(Number(table[0]["incl-cpu"]) * MS, rows[0].inclusive.cpu_ns);
    await page.getByTestId("profile-whole").click();
    await until(page, (state) => !state.profile.scope?.threads);
  });

  test("facts about the file are behind the info button", async () => {
    const page = its.page();
    await page.getByTestId("info").focus();
    await page.keyboard.press("Enter");
    const text = await page.getByTestId("info-sheet").innerText(), { counts } = cli("info", APP, "--json");
    assert.match(text, /app\.trace/);
    assert.ok(text.includes((counts?.methods ?? 0).toLocaleString("en")), text);
    await page.keyboard.press("Escape");
    await page.getByTestId("info-sheet").waitFor({ state: "detached" });
  });
});

// The buffer was overrun, and a slice never ended.
const LOST = join(work, "lost.ftrace");
mkdirSync(work, { recursive: true });
writeFileSync(LOST, `# tracer: nop
#
          app-10    (   10) [000] ....     1.000000: tracing_mark_write: B|10|launch
CPU:0 [LOST 12 EVENTS]
          app-10    (   10) [000] ....     3.000000: tracing_mark_write: B|10|open forever
          app-10    (   10) [000] ....     4.000000: tracing_mark_write: C|10|n|1
`);

onPages("A trace with losses", { files: [LOST], kinds: ["report"] }, (its) => {
  test("says what is missing, by kind", async () => {
    const page = its.page(), losses = cli("info", LOST, "--json").repairs.filter((/** @type {any} */ repair) => repair.severity === "loss");
    assert.equal(losses.length, 1);
    assert.match(await page.getByTestId("repairs").innerText(), /Something is missing from this file: lost events \(12\)\./);
    await check(page, "banner");
  });

  test("a repair leads to its place in the time line", async () => {
    const page = its.page();
    await page.getByTestId("repairs-list").click();
    const link = page.getByTestId("repairs-sheet").locator("td .link").first();
    await link.click();
    await page.getByTestId("repairs-sheet").waitFor({ state: "detached" });
    await settled(page);
    const [{ ts, label }] = await state(page, "marks"), { from, to } = await state(page, "view");
    assert.equal(label, "never closed");
    assert.ok(from <= ts && ts <= to && to - from < 1e9, `${from} ${ts} ${to}`);
  });
});

const HEAP = trace("opening.pftrace", [people([[10, "com.example.app", []]]), heap(5 * MS, 10, ["Screen"], [[0, 16, []]], [0])]);
onPages("A trace of a heap alone", { files: [HEAP], kinds: ["report"] }, (its) => {
  test("opens on the heap", async () => {
    await rowWith(its.page(), "heaps-table", "Screen").waitFor();
  });
});

/** Opens a report and keeps what its engine is asked, and what was asked when the picture was there. @param {string} fragment of the URL */
async function watched(fragment) {
  const context = await theBrowser().newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(() => {
    const all = /** @type {any} */ (window), asked = all.asked = /** @type {string[]} */ ([]), post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (/** @type {any[]} */ ...parts) {
      if (parts[0]?.op === "ask") asked.push(JSON.parse(parts[0].question).op);
      return Reflect.apply(post, this, parts);
    };
    Object.defineProperty(all, "traceloom", { configurable: true, set(value) {
      Object.defineProperty(all, "traceloom", { value });
      value.ready.then(() => { all.before = [...asked]; });
    } });
  });
  await page.goto(pathToFileURL(report("first-picture", example("app.trace"))).href + fragment);
  await ready(page);
  return { page, context };
}

const tableShown = (/** @type {import("playwright-core").Page} */ page) => page.getByTestId("profile-table").locator(".vt-space > .vt-row:not([hidden])").first().waitFor();

test("a report draws its first picture without its engine", async () => {
  const { page, context } = await watched("");
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).before), []);
  await tableShown(page);
  await context.close();
});

test("a report answers what a link shows before it makes a profile", async () => {
  const { page, context } = await watched("#v=1000000~2000000");
  await tableShown(page);
  const asked = await page.evaluate(() => /** @type {any} */ (window).asked);
  const before = asked.slice(0, asked.indexOf("profile"));
  assert.ok(before.includes("window") && before.every((/** @type {string} */ op) => ["window", "names"].includes(op)), before.join(" "));
  await context.close();
});

test("the answers that a report keeps are those of its engine", async () => {
  for (const name of ["app.trace", "linux.ftrace"]) {
    const { page, done } = await open(theBrowser(), report(`kept-${name}`, example(name)));
    const differences = await page.evaluate(async () => {
      const { opened } = /** @type {any} */ (window).traceloom.parts, wrong = [];
      for (const op of ["meta", "rows", "window", "names"]) {
        const [{ question, answer }] = opened.kept(op);
        // With a field that nothing knows, it is another question.
        const own = await opened.ask({ ...question, again: true }), text = (/** @type {any} */ value) => JSON.stringify([value.json, Object.entries(value.columns).map(([key, column]) => [key, ...column])]);
        if (text(own) !== text(answer)) wrong.push(op);
      }
      return wrong;
    });
    assert.deepEqual(differences, [], name);
    await done();
  }
});

test("a report with a damaged preview asks its engine", async () => {
  const path = report("no-preview", example("app.trace"));
  writeFileSync(path, readFileSync(path, "utf8").replace(/(id="traceloom-preview">.{100}).{8}/, "$1AAAAAAAA"));
  const { page, done } = await open(theBrowser(), path);
  assert.equal(await page.evaluate(() => /** @type {any} */ (window).traceloom.parts.opened.kept("meta").length), 0);
  await tableShown(page);
  await done();
});

const LOCKS = join(work, "wakelock.json");
mkdirSync(work, { recursive: true });
writeFileSync(LOCKS, JSON.stringify(["b", "e"].map((ph, nth) => ({ ph, cat: "lock", id: 1, pid: 1, name: "wakelock", ts: nth * 1000 }))));

onPages("Slices of no thread", { files: [LOCKS], kinds: ["report"] }, (its) => {
  test("do not open an empty profile, which says why it is empty", async () => {
    const page = its.page();
    assert.equal(await state(page, "panel"), "details");
    await tab(page, "profile");
    assert.match(await page.getByTestId("panel-profile").innerText(), /No thread has calls/);
  });
});
