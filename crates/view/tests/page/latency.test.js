// Scheduling latency: the time from wake-up to running, and who had the CPU meanwhile. SQL over the same trace gives
// the same.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { check } from "./axe.js";
import { example, program } from "./lib.js";
import { ask, sameTime, settled, tab, tableOf } from "./drive.js";
import { onPages } from "./suite.js";

const JANK = example("jank.ftrace.gz");

/** Rows of a question in SQL. @param {string} sql @returns {any[]} */
const query = (sql) => execFileSync(program, ["query", JANK, sql, "--format", "jsonl"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** The waits of more than 0.5 ms after which the thread ran, and who ran on that CPU meanwhile: the longest first. */
const SQL = `with waits as (
  select s.utid, s.ts, s.dur, (select cpu from thread_state n where n.utid = s.utid and n.ts = s.ts + s.dur and n.state = 'Running') as cpu
  from thread_state s join thread t using (utid) where s.state in ('R', 'R+') and s.dur > 500000 and t.tid <> 0)
  select w.ts - (select start_ts from trace_bounds) as ts, w.dur, w.cpu, t.tid, h.tid as holder,
    sum(min(c.ts + c.dur, w.ts + w.dur) - max(c.ts, w.ts)) as ns
  from waits w join thread t using (utid) join sched c on c.ucpu = w.cpu and c.ts < w.ts + w.dur and c.ts + c.dur > w.ts join thread h on h.utid = c.utid
  where w.cpu is not null and h.tid <> 0 group by w.ts, w.dur, w.cpu, t.tid, h.tid order by w.dur desc, ns desc`;

onPages("Scheduling latency", { files: [JANK], options: { viewport: { width: 900, height: 900 } } }, (its) => {
  const [worst] = query(SQL), holders = query(SQL).filter(({ ts, tid }) => ts === worst.ts && tid === worst.tid);

  /** @param {object} selection */
  async function select(selection) {
    const page = its.page();
    await page.evaluate((selection) => /** @type {any} */ (window).traceloom.store.set({ selection, panel: "details", chosen: true }), selection);
    await page.getByTestId("latency").waitFor();
    await settled(page);
    return page.getByTestId("latency").evaluate((part) => ({
      facts: Object.fromEntries([...part.querySelectorAll("dt")].map((key) => [key.textContent, key.nextElementSibling?.textContent])),
      held: [...part.querySelectorAll("li")].map((line) => [line.children[0]?.textContent ?? "", line.children[1]?.textContent ?? ""]),
    }));
  }

  const row = () => its.page().evaluate((tid) => {
    const { kind, notes } = /** @type {any} */ (window).traceloom.timeline.model.rows;
    return notes.findIndex((/** @type {string} */ note, /** @type {number} */ at) => kind[at] === 2 && note.split(" · ")[0] === `tid ${tid}`);
  }, worst.tid);

  test("a thread that waits, then runs: the same wait from both states and from the CPU", async () => {
    const page = its.page(), at = await row(), end = worst.ts + worst.dur;
    const cpu = await page.evaluate((cpu) => { const { kind, cpu: of } = /** @type {any} */ (window).traceloom.timeline.model.rows; return of.findIndex((/** @type {number} */ one, /** @type {number} */ row) => one === cpu && kind[row] === 3); }, worst.cpu);
    for (const selection of [{ kind: "state", row: at, ts: worst.ts, end }, { kind: "state", row: at, ts: end, end: end + 1 }, { kind: "sched", row: cpu, ts: end, end: end + 1 }]) {
      const { facts, held } = await select(selection);
      sameTime(facts["Wake-up to running"] ?? "", worst.dur, JSON.stringify(selection));
      assert.equal(facts["On CPU"], String(worst.cpu));
      assert.match(held[0][0], new RegExp(`tid ${holders[0].holder}(?!\\d)`));
      sameTime(held[0][1], holders[0].ns, held[0][0]);
    }
    await check(page, "latency");
  });

  test("a call and a frame have the sum of their waits", async () => {
    const page = its.page();
    const { worst: frames } = await ask(page, { op: "frames", limit: 200 });
    const frame = frames.reduce((/** @type {any} */ a, /** @type {any} */ b) => b.runnable_ns > a.runnable_ns ? b : a), slice = await ask(page, { op: "slice", id: frame.slice });
    const { row, ts, dur, end, level, name } = await ask(page, { op: "locate", id: frame.slice });
    const { facts } = await select({ kind: "slice", id: frame.slice, row, ts, end: end ?? ts + dur, level, name });
    sameTime(String(facts.Waits).replace(/.*×/, ""), slice.states.runnable_ns, "waits of the call");
    await tab(page, "frames");
    const table = await tableOf(page, "worst-frames");
    sameTime(table[0].runnable_ns, frames[0].runnable_ns, "CPU wait of the worst frame");
  });
});
