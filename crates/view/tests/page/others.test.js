// Other browsers than Chromium: Firefox and Safari's engine open reports and the live page.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { PNG } from "pngjs";
import { example, PATIENCE, report, serve, work } from "./lib.js";
import { cli } from "./drive.js";
import { firefox, webkit } from "./others.js";

/** @typedef {import("./others.js").Other} Other */

/** Runs the body of an asynchronous function in the page. @param {Other} browser @param {string} body @returns {Promise<any>} */
async function run(browser, body) {
  const script = `const done = arguments[arguments.length - 1];
    (async () => { ${body} })().then((value) => done({ value }), (error) => done({ error: String(error) }));`;
  const { value, error } = await browser.tell("ExecuteAsyncScript", { script, args: [] });
  assert.equal(error, undefined);
  return value;
}

/** Opens a page, and waits for its first full picture or an error. @param {Other} browser @param {string} url */
async function opened(browser, url) {
  await browser.tell("Navigate", { url });
  return run(browser, `
    const end = performance.now() + ${PATIENCE};
    while (performance.now() < end) {
      if (window.traceloom?.ready) { await window.traceloom.ready; return "ready"; }
      const said = document.querySelector(".state")?.textContent ?? "";
      if (/cannot|damaged/.test(said)) return said;
      await new Promise((next) => setTimeout(next, 20));
    }
    return "nothing came: " + document.body.innerText.slice(0, 200);`);
}

/** Types on the keyboard. @param {Other} browser @param {string} keys */
async function type(browser, keys) {
  const actions = [...keys].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
  await browser.tell("PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] });
}

/** WebDriver's characters for keys. */
const ENTER = "\uE007", CONTROL = "\uE009", ALT = "\uE00A", LEFT = "\uE012", RIGHT = "\uE014";

/** Presses a key while another is held. @param {Other} browser @param {string} held @param {string} key */
async function chord(browser, held, key) {
  const actions = [{ type: "keyDown", value: held }, { type: "keyDown", value: key }, { type: "keyUp", value: key }, { type: "keyUp", value: held }];
  await browser.tell("PerformActions", { actions: [{ type: "key", id: "keyboard", actions }] });
}

/** In a page: waits until no question is open and nothing moves, for a few frames in a row. */
const REST = `
  for (let frames = 0; frames < 4;) {
    await new Promise((next) => requestAnimationFrame(next));
    const { stats, store, timeline: { view, tiles } } = window.traceloom, goal = store.get().view;
    frames = stats.asking || tiles.busy() || view.from !== goal.from || view.to !== goal.to ? 0 : frames + 1;
  }`;

/** Waits until the page is at rest. @param {Other} browser */
const quiet = (browser) => run(browser, REST);

/** The centre of the first element that a selector finds and that has a text. It is awaited, and so is a page at rest, so that it stays there. @param {Other} browser @param {string} selector @param {string} [text] @returns {Promise<{x: number, y: number}>} */
const place = (browser, selector, text = "") => run(browser, `
  const found = () => [...document.querySelectorAll(${JSON.stringify(selector)})].find((one) => one.offsetParent && one.textContent.includes(${JSON.stringify(text)}));
  for (const end = performance.now() + ${PATIENCE}; performance.now() < end && !found();) await new Promise((next) => setTimeout(next, 20));
  ${REST}
  const box = found()?.getBoundingClientRect();
  if (!box) throw new Error(${JSON.stringify(`no ${selector} ${text}`)});
  return { x: Math.round(box.left + box.width / 2), y: Math.round(box.top + box.height / 2) };`);

/** Presses the mouse at one place and releases it at another, while the key `held` is down, if given. @param {Other} browser @param {{x: number, y: number}[]} path @param {string} [held] */
async function drag(browser, path, held) {
  const move = (/** @type {object} */ at) => ({ type: "pointerMove", duration: 50, ...at }), [first, ...rest] = path;
  const mouse = [move(first), { type: "pointerDown", button: 0 }, ...rest.map(move), { type: "pointerUp", button: 0 }];
  const pointer = { type: "pointer", id: "mouse", parameters: { pointerType: "mouse" } }, pauses = mouse.map(() => ({ type: "pause" }));
  const wait = [{ type: "pause" }];
  const actions = held ? [{ type: "key", id: "keyboard", actions: [{ type: "keyDown", value: held }, ...pauses, { type: "keyUp", value: held }] }, { ...pointer, actions: [...wait, ...mouse, ...wait] }] : [{ ...pointer, actions: mouse }];
  await browser.tell("PerformActions", { actions });
}

/** @param {Other} browser @param {string} selector @param {string} [text] */
const click = async (browser, selector, text) => drag(browser, [await place(browser, selector, text)]);

/** Waits until an expression of the page's state holds. @param {Other} browser @param {string} test */
async function until(browser, test) {
  const came = await run(browser, `
    const holds = () => { const state = window.traceloom.store.get(); return ${test}; };
    for (const end = performance.now() + ${PATIENCE}; performance.now() < end && !holds();) await new Promise((next) => setTimeout(next, 20));
    return holds() ? "" : JSON.stringify(window.traceloom.store.get().selection);`);
  assert.equal(came, "", test);
}

/** Waits for a text on the page. @param {Other} browser @param {string} testid @param {string} text */
const says = (browser, testid, text) => run(browser, `
  const seen = () => document.querySelector("[data-testid=${testid}]")?.innerText ?? "";
  for (const end = performance.now() + ${PATIENCE}; performance.now() < end && !seen().includes(${JSON.stringify(text)});) await new Promise((next) => setTimeout(next, 20));
  return seen();`);

/** Takes a screenshot of the page, and returns the number of its colours. @param {Other} browser @param {string} name */
async function shot(browser, name) {
  const picture = Buffer.from(await browser.tell("TakeScreenshot", { full: false }), "base64");
  mkdirSync(join(work, "shots"), { recursive: true });
  writeFileSync(join(work, "shots", `${name}.png`), picture);
  const { data } = PNG.sync.read(picture), colours = new Set();
  for (let i = 0; i < data.length; i += 4) colours.add(data.readUInt32BE(i) >>> 8);
  return colours.size;
}

/** The requests of the page to other servers. @param {Other} browser @returns {Promise<string[]>} */
const asked = (browser) => run(browser, `
  return performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !/^(blob|data):/.test(name) && !name.startsWith(location.origin + "/"));`);

/** Searches for a call with the keyboard, and returns its details. @param {Other} browser @param {string} name */
async function find(browser, name) {
  await run(browser, "document.activeElement?.blur();");
  await type(browser, "/");
  await type(browser, name);
  assert.match(await says(browser, "search-hits", "1"), /\d/);
  await type(browser, ENTER);
  return says(browser, "details-name", name);
}

/** Runs the same tests in a browser. @param {string} title @param {() => Promise<Other | null>} start */
function works(title, start) {
  describe(title, () => {
    /** @type {Other | null} */
    let browser = null;
    before(async () => {
      browser = await start();
      await browser?.tell("SetTimeouts", { script: 2 * PATIENCE, pageLoad: 2 * PATIENCE });
      await browser?.tell("SetWindowRect", { width: 1366, height: 868 });
    });
    after(() => browser?.close());

    /** @param {string} what @param {(its: Other) => Promise<void>} body */
    const it = (what, body) => test(what, async (t) => browser ? body(browser) : t.skip(`${title} is missing`));

    for (const [name, call] of [["app.trace", "ArticleParser.parse"], ["jank.ftrace.gz", "DiskLruCache.commit"]]) {
      it(`a report of ${name} opens from the disk, draws and searches`, async (its) => {
        const path = report(`${title}-${name}`.replaceAll(/[^a-z]+/gi, "-"), example(name));
        assert.equal(await opened(its, pathToFileURL(path).href), "ready");
        assert.ok((await find(its, call)).includes(call));
        assert.ok(await shot(its, `${title}-${name}`.replaceAll(/[^a-z]+/gi, "-")) > 50, "the picture has bars and text");
        assert.deepEqual(await asked(its), []);
      });
    }

    it("the palette, undo and redo, a range over rows, and transforms work", async (its) => {
      const path = report(`${title}-features`, example("app.trace"));
      assert.equal(await opened(its, pathToFileURL(path).href), "ready");
      await find(its, "ArticleParser.parse");
      await until(its, `document.querySelector("[data-testid=undo]").dataset.steps > 0`);
      await run(its, `document.querySelector("[data-testid=timeline]").focus();`);
      await chord(its, CONTROL, "k");
      await place(its, "[data-testid=palette-input]");
      await type(its, "selrange");
      await type(its, ENTER);
      await until(its, `state.selection?.kind === "range"`);
      await chord(its, ALT, LEFT);
      await until(its, `state.selection?.kind === "slice"`);
      await chord(its, ALT, RIGHT);
      await until(its, `state.selection?.kind === "range"`);
      await quiet(its);
      const { x, y, utid } = await run(its, `
        const { timeline } = window.traceloom, box = timeline.area.getBoundingClientRect(), { rows } = timeline.model;
        const { row, y } = timeline.placed().find(({ row, y }) => rows.kind[row] === 2 && y > 0);
        return { x: Math.round(box.left + box.width / 4), y: Math.round(box.top + y + 6), utid: rows.utid[row] };`);
      await drag(its, [{ x, y }, { x: x + 100, y }, { x: x + 200, y: y + 1 }], ALT);
      await until(its, `state.selection?.kind === "range" && state.selection.rows?.length === 1`);
      await click(its, "[data-testid=tab-profile]");
      await until(its, `String(state.profile.scope?.threads) === "${utid}" && state.profile.scope.from > 0`);
      await click(its, "[data-testid=profile-table] .vt-space > .vt-row:not([hidden]) .vt-cell:nth-child(2)");
      await until(its, `state.selection?.kind === "name"`);
      await click(its, "[data-testid=transform]");
      await click(its, "[role=menuitem]", "Focus on this function");
      await until(its, `state.profile.transforms?.[0]?.kind === "focus"`);
      await place(its, "[data-testid=transforms]", "focus on");
      assert.ok(await shot(its, `${title}-features`) > 50);
      assert.deepEqual(await asked(its), []);
    });

    it("a query is answered, and its rows lead to the time line", async (its) => {
      const server = await serve(example("app.trace"));
      try {
        assert.equal(await opened(its, server.url), "ready");
        await click(its, "[data-testid=tab-query]");
        await click(its, "[data-testid=query-sql]");
        await type(its, "SELECT id, ts, dur, name FROM slice WHERE dur > 0 ORDER BY dur DESC, id LIMIT 5 ");
        await chord(its, CONTROL, ENTER);
        await click(its, "[data-testid=query-table] .vt-space > .vt-row:not([hidden]) .vt-cell");
        const [[id]] = cli("query", example("app.trace"), "SELECT id FROM slice WHERE dur > 0 ORDER BY dur DESC, id LIMIT 1", "--format", "json").rows;
        await until(its, `state.selection?.kind === "slice" && state.selection.id === ${id}`);
        assert.ok(await shot(its, `${title}-query`) > 50);
        assert.deepEqual(await asked(its), []);
      } finally {
        server.stop();
      }
    });

    it("the live page opens, and answers like the report", async (its) => {
      const server = await serve(example("app.trace"));
      try {
        assert.equal(await opened(its, server.url), "ready");
        assert.ok((await find(its, "ArticleParser.parse")).includes("ArticleParser.parse"));
        assert.deepEqual(await asked(its), []);
      } finally {
        server.stop();
      }
    });
  });
}

works("Firefox", firefox);
works("WebKit", webkit);
