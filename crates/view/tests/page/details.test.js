// Compares the panels' facts about a selection with the program's output for the same file.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { example } from "./lib.js";
import { ask, bring, box, cli, clickSlice, facts, rowWith, sameTime, settled, sliceNamed, state, tab, tableOf, timeIn, until } from "./drive.js";
import { onPages } from "./suite.js";

const APP = example("app.trace"), JANK = example("jank.ftrace.gz");

/** @param {any} row of `profile --json` */
const labelOf = (row) => row.class ? `${row.class}.${row.name}` : row.name;
/** Rows of the program's profile, by name. @param {string} file @param {...string} args @returns {Map<string, any>} */
const profileOf = (file, ...args) => new Map(cli("profile", file, "--json", "--limit", "0", ...args).rows.map((/** @type {any} */ row) => [labelOf(row), row]));

onPages("Details of a method trace", { files: [APP] }, (its) => {
  /** @type {Map<string, any>} */
  let rows;
  before(() => { rows = profileOf(APP); });

  for (const name of ["com.example.news.ArticleParser.parse", "org.json.JSONObject.<init>", "com.example.news.Net.fetch", "java.io.FileInputStream.<init>"]) {
    test(`${name}: times and signature equal the program's`, async () => {
      const page = its.page(), row = rows.get(name);
      assert.equal(row.calls + row.recursive_calls, 1, "called once, so the profile's times are those of the call");
      const id = await sliceNamed(page, name);
      await bring(page, id);
      await clickSlice(page, id);
      assert.equal(await page.getByTestId("details-name").textContent(), name);
      const said = await facts(page);
      sameTime(said.Duration, row.inclusive.wall_ns, "duration");
      sameTime(said.Self, row.exclusive.wall_ns, "self time");
      sameTime(said.CPU, row.inclusive.cpu_ns, "CPU time");
      sameTime(said["CPU self"], row.exclusive.cpu_ns, "CPU self time");
      assert.equal(said.Class, row.class);
      assert.equal(said.Method, row.name);
      assert.equal(said.Signature, row.signature);
      assert.match(said["All calls"], new RegExp(`^1 × .* rank ${row.rank} by CPU time$`), "the rank is the profile's");
    });
  }

  test("the share of the caller, the chain of callers and the callees", async () => {
    const page = its.page(), name = "com.example.news.ArticleParser.parse";
    const report = cli("profile", APP, "--json", "--method", name).method;
    const id = await sliceNamed(page, name);
    await bring(page, id);
    await clickSlice(page, id);
    const panel = page.getByTestId("panel-details");
    const chain = await panel.locator(".chain .link").allTextContents();
    assert.equal(chain.at(-1), "com.example.news.ArticleAdapter.onBindViewHolder");
    const callees = await panel.locator(".block", { hasText: /^Calls \d/ }).locator("li").allTextContents();
    for (const child of report.children) {
      const label = labelOf(child);
      const line = callees.find((text) => text.startsWith(label));
      assert.ok(line, `${label} is one of the callees: ${callees}`);
      sameTime(line.slice(label.length).replace(/^.*× /, ""), child.inclusive.wall_ns, label);
    }
    await panel.locator(".chain .link").last().click();
    await page.waitForFunction(() => document.querySelector("[data-testid=details-name]")?.textContent?.endsWith("onBindViewHolder"));
  });

  test("the rank follows the profile's clock", async () => {
    const page = its.page(), name = "com.example.news.Net.fetch";
    const byWall = profileOf(APP, "--clock", "wall");
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ profile: { clock: "wall" } }));
    const id = await sliceNamed(page, name);
    await bring(page, id);
    await clickSlice(page, id);
    assert.ok((await facts(page))["All calls"].endsWith(` rank ${byWall.get(name).rank} by real time`));
    await page.evaluate(() => /** @type {any} */ (window).traceloom.store.set({ profile: {} }));
  });

  test("callers without enough room are shown without package, but with the method", async () => {
    const page = its.page(), id = await sliceNamed(page, "com.example.news.ArticleParser.parse");
    await bring(page, id);
    await clickSlice(page, id);
    const seen = await page.getByTestId("panel-details").locator(".calls .name:not(.plain) .kept").evaluateAll((names) => names.map((kept) => {
      const text = /** @type {Text} */ (/** @type {Element} */ (kept.firstChild).firstChild), method = document.createRange();
      method.setStart(text, text.length - 12);
      method.setEnd(text, text.length);
      const own = method.getBoundingClientRect(), room = /** @type {Element} */ (kept.closest(".link")).getBoundingClientRect();
      return { text: text.data, seen: own.left >= room.left - 1 && own.right <= room.right + 1 && own.top < room.bottom && own.bottom > room.top };
    }));
    assert.ok(seen.length > 3 && seen.some(({ text }) => text === "ArticleAdapter.onBindViewHolder"), JSON.stringify(seen));
    assert.deepEqual(seen.filter(({ seen }) => !seen), [], "the end of the method is visible");
  });

  test("all calls of a name: count, total and extremes", async () => {
    const page = its.page(), name = "android.graphics.BitmapFactory.nativeDecodeStream", row = rows.get(name);
    const id = await sliceNamed(page, name, 3);
    await bring(page, id);
    await clickSlice(page, id);
    await page.getByTestId("all-calls").click();
    await page.waitForFunction(() => document.querySelector("[data-testid=panel-details]")?.textContent?.includes("All its calls"));
    await settled(page);
    const said = await facts(page);
    assert.equal(said.Calls, String(row.calls));
    sameTime(said.Total, row.inclusive.wall_ns, "total");
    sameTime(said.Self, row.exclusive.wall_ns, "self");
    assert.ok(timeIn(said.Shortest) <= timeIn(said.Median) && timeIn(said.Median) <= timeIn(said["95 %"]) && timeIn(said["95 %"]) <= timeIn(said.Longest));
  });

  test("a call that never ended is marked as such", async () => {
    const page = its.page();
    const id = await sliceNamed(page, "java.lang.Thread.run");
    await page.keyboard.press("0");
    await settled(page);
    await bring(page, id);
    await clickSlice(page, id);
    const [length, rest] = (await facts(page)).Duration.split(" – ");
    assert.match(rest, /^never ended/);
    sameTime(length, (await ask(page, { op: "slice", id })).shown_ns, "as long as it is drawn");
  });

  test("the repairs equal those of info", async () => {
    const page = its.page(), { repairs } = cli("info", APP, "--json");
    await page.getByTestId("info").click();
    await page.getByTestId("repairs-open").click();
    const sheet = page.getByTestId("repairs-sheet");
    const text = await sheet.locator("tbody").innerText();
    for (const repair of repairs) assert.ok(text.includes(String(repair.count)) && text.includes(repair.detail), `${repair.kind} in ${text}`);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
  });

  test("search: count, Enter, Shift+Enter, no match", async () => {
    const page = its.page(), row = rows.get("android.widget.TextView.onDraw");
    await page.keyboard.press("0");
    await page.keyboard.press("/");
    const box = page.getByTestId("search"), hits = page.getByTestId("search-hits");
    await box.fill("TextView.onDraw");
    await page.waitForFunction((count) => document.querySelector("[data-testid=search-hits]")?.textContent === String(count), row.calls);
    await box.press("Enter");
    await page.waitForFunction((count) => document.querySelector("[data-testid=search-hits]")?.textContent === `1 of ${count}`, row.calls);
    const first = await state(page, "selection");
    await box.press("Enter");
    await until(page, (state, first) => state.selection.id !== first.id && state.search.at === 1, first);
    await settled(page);
    assert.equal(await page.getByTestId("details-name").textContent(), "android.widget.TextView.onDraw");
    await box.press("Shift+Enter");
    await until(page, (state, first) => state.selection.id === first.id, first);
    await box.press("Shift+Enter");
    await until(page, (state, last) => state.search.at === last, row.calls - 1);
    assert.equal(await hits.textContent(), `${row.calls} of ${row.calls}`);
    await box.fill("Textview.ondraw");
    await page.waitForFunction(() => document.querySelector("[data-testid=search-hits]")?.textContent === "no match");
    await box.press("Escape");
    await until(page, (state) => state.search.text === "");
    await box.press("Escape");
    await until(page, (state) => state.search.text === "");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-testid")), "timeline", "Escape goes back to the timeline");
    await page.keyboard.press("Escape");
  });
});

onPages("Details of a systrace", { files: [JANK] }, (its) => {
  test("the thread states of a slice equal the program's", async () => {
    const page = its.page(), name = "Choreographer#doFrame 74232", row = profileOf(JANK).get(name);
    const id = await sliceNamed(page, name);
    await bring(page, id);
    await clickSlice(page, id);
    const said = await facts(page);
    sameTime(said.Duration, row.inclusive.wall_ns, "duration");
    sameTime(said.Self, row.exclusive.wall_ns, "self");
    const legend = await page.getByTestId("panel-details").locator(".legend").innerText();
    for (const [what, ns] of [["Running", row.inclusive.cpu_ns], ["Runnable", row.inclusive.runnable_ns], ["Sleeping", row.inclusive.sleeping_ns]]) {
      const part = new RegExp(`${what} ([\\d.,]+ \\S+)`).exec(legend);
      if (ns > 0) sameTime(part?.[1] ?? "", ns, what);
      else assert.equal(part, null, `no ${what}`);
    }
  });

  test("a frame has one length and its waits one reason, in Frames and in Details", async () => {
    const page = its.page(), panel = page.getByTestId("panel-details");
    const { worst } = await ask(page, { op: "frames", limit: 3 });
    for (const frame of worst) {
      await page.evaluate((id) => /** @type {any} */ (window).traceloom.parts.context.goTo(id), frame.slice);
      await until(page, (state, id) => state.selection?.id === id, frame.slice);
      await settled(page);
      const said = await facts(page);
      const length = /^(.+) until drawn, (\d+) vsyncs? missed$/.exec(said.Frame);
      assert.ok(length, said.Frame);
      sameTime(length[1], frame.dur, "the frame");
      assert.equal(Number(length[2]), frame.missed);
      sameTime(said.Duration, frame.ui_ns, "its slice on the UI thread");
      const details = await panel.innerText();
      assert.ok(!details.includes("swapper"), details);
      for (const wait of frame.blocked_on.filter((/** @type {any} */ wait) => wait.ns > frame.dur / 2)) {
        assert.ok(details.includes(wait.text), `${wait.text}: ${details}`);
      }
    }
    await tab(page, "frames");
    const list = await page.getByTestId("worst-frames").innerText();
    const [longest] = worst[0].blocked_on;
    assert.ok(list.includes(longest.text), `${longest.text}: ${list}`);
    await tab(page, "details");
  });

  test("a click selects a thread state, a running time on a CPU, or a counter", async () => {
    const page = its.page();
    await page.keyboard.press("0");
    await page.keyboard.press("Escape");
    await settled(page);
    for (const kind of ["state", "sched", "counter"]) {
      const at = await page.evaluate((kind) => {
        const { timeline } = /** @type {any} */ (window).traceloom, { rows } = timeline.model, { area } = timeline;
        const wanted = { state: 2, sched: 3, counter: 4 }[/** @type {"state"} */ (kind)];
        const row = rows.kind.findIndex((/** @type {number} */ of, /** @type {number} */ at) => of === wanted && (kind !== "state" || rows.flags[at] & 4));
        if (row < 0) return null;
        timeline.showRow(row);
        return new Promise((found) => requestAnimationFrame(() => requestAnimationFrame(() => {
          const box = area.getBoundingClientRect(), placed = timeline.placed().find((/** @type {any} */ place) => place.row === row);
          found({ row, left: box.left, top: box.top, width: box.width, y: placed.y, height: placed.height });
        })));
      }, kind);
      if (!at) continue;
      await settled(page);
      const found = await page.evaluate(({ row, width, kind }) => {
        const { timeline } = /** @type {any} */ (window).traceloom, placed = timeline.placed().find((/** @type {any} */ place) => place.row === row);
        for (let y = placed.y + 2; y < placed.y + placed.height; y += 2) for (let x = 4; x < width; x++) if (timeline.hit(x, y)?.what === kind) return { x, y };
        return null;
      }, { ...at, kind });
      assert.ok(found, `${kind} is visible`);
      await page.mouse.click(at.left + found.x, at.top + found.y);
      await until(page, (state, kind) => state.selection?.kind === kind, kind);
      await settled(page);
      assert.ok((await facts(page)).Start, `${kind} has a start`);
    }
  });

  test("the frames equal those of `traceloom frames`, and a click goes to one", async () => {
    const page = its.page(), frames = cli("frames", JANK, "--json");
    await tab(page, "frames");
    const table = await tableOf(page, "worst-frames");
    const panel = await page.getByTestId("panel-frames").innerText();
    for (const app of frames.apps) assert.ok(panel.includes(`${app.janky} late of ${app.frames} frame`), `${app.label}: ${app.janky} of ${app.frames} in ${panel}`);
    for (const [nth, frame] of frames.worst.slice(0, table.length).entries()) {
      sameTime(table[nth].dur, frame.dur, `frame ${nth}`);
      assert.equal(table[nth].missed, frame.missed ? String(frame.missed) : "–");
      assert.equal(table[nth].label, frame.label);
    }
    await page.getByTestId("worst-frames").locator(".vt-space > .vt-row:not([hidden])").first().click();
    await until(page, (state) => state.selection?.kind === "slice");
    await settled(page);
    const label = (await ask(page, { op: "slice", id: (await state(page, "selection")).id })).label;
    assert.match(label, /^Choreographer#doFrame/);
    await tab(page, "frames");
    await page.getByTestId("col-missed").locator("button").click();
    await page.waitForFunction(() => document.querySelector("[data-testid=col-missed]")?.getAttribute("aria-sort") === "descending");
    await settled(page);
    assert.equal((await tableOf(page, "worst-frames"))[0].missed, String(Math.max(...frames.worst.map((/** @type {any} */ frame) => frame.missed))));
  });
});

for (const [title, file] of [["method trace", APP], ["systrace", JANK]]) {
  onPages(`Range of a ${title}`, { files: [file] }, (its) => {
    test("totals of a dragged range equal those of profile --from --to", async () => {
      const page = its.page();
      await page.keyboard.press("0");
      await settled(page);
      const { x, y, width, height } = await box(page, "timeline");
      for (const [a, b] of [[0.31, 0.44], [0.05, 0.9]]) {
        await page.mouse.move(x + width * a, y + height - 5);
        await page.mouse.down();
        await page.mouse.move(x + width * b, y + height - 5, { steps: 4 });
        await page.mouse.up();
        await until(page, (state) => state.selection?.kind === "range" && state.panel === "range");
        // The command line takes whole nanoseconds.
        const { from, to } = await page.evaluate(() => {
          const { store } = /** @type {any} */ (window).traceloom, { selection } = store.get();
          store.set({ selection: { ...selection, from: Math.round(selection.from), to: Math.round(selection.to) } });
          return store.get().selection;
        });
        await settled(page);
        const rows = profileOf(file, "--from", `${from}ns`, "--to", `${to}ns`, "--clock", "wall");
        const table = await tableOf(page, "range-by_name");
        assert.ok(table.length > 4, "a table of names");
        for (const line of table) {
          const row = rows.get(line.label);
          assert.ok(row, `${line.label} is in the program's profile`);
          assert.equal(Number(line.count.replaceAll(",", "")), row.calls + row.recursive_calls, `count of ${line.label}`);
          sameTime(line.total_ns, row.inclusive.wall_ns, `total of ${line.label}`);
          sameTime(line.self_ns, row.exclusive.wall_ns, `self of ${line.label}`);
        }
        assert.equal(table[0].label, labelOf([...rows.values()].sort((a, b) => b.inclusive.wall_ns - a.inclusive.wall_ns)[0]), "the longest first");
      }
    });

    test("sorts by a column, and a name goes to its first call", async () => {
      const page = its.page();
      await page.getByTestId("range-by_name").getByTestId("col-count").locator("button").click();
      await settled(page);
      const counts = (await tableOf(page, "range-by_name")).map((line) => Number(line.count.replaceAll(",", "")));
      assert.deepEqual(counts, [...counts].sort((a, b) => b - a));
      const [first] = await tableOf(page, "range-by_name");
      await rowWith(page, "range-by_name", first.label).click();
      await until(page, (state) => state.selection?.kind === "slice");
      await settled(page);
      assert.equal((await ask(page, { op: "slice", id: (await state(page, "selection")).id })).label, first.label);
    });
  });
}
