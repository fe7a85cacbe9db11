// Marks of records on rows: the lines of a log, and the samples of a profiler on their threads.
import {hueOf} from "panels/numbers";
import {LOGS, levelOf, messagesOf} from "source/logs";
import {recordsOf} from "source/records";
import {SAMPLES, functionsOf, samplesOf, stacksOf} from "source/stacks";
import {elide, moment} from "ui/format";
import {rect} from "timeline/batch";
import {BAR, STYLE} from "timeline/paint_slices";
import {above} from "timeline/paint_states";
import {KIND} from "timeline/rows";

/** @typedef {{kind: "log" | "sample", ts: Float64Array, id: Uint32Array, style: Uint16Array}} Series marks in order of time; `id`: the place in the table of their records */
/** @typedef {ReturnType<typeof recordPoints>} Points */

/** How far the pointer may be from a mark, px. */
const NEAR = 4;
/** Up to this many lines on a screen, their messages are shown. */
const WRITTEN = 40;
/** The least room for a message, px. */
const ROOM = 60;
/** The colours of levels: verbose and debug, info, warning, error. */
const INFO = STYLE.states + 2, WARNING = STYLE.states + 5, ERROR = STYLE.missed, OTHER = STYLE.states + 7;
const styleOf = (/** @type {number} */ priority) => priority >= 6 ? ERROR : priority === 5 ? WARNING : priority === 4 ? INFO : OTHER;

/**
 * @param {import("app/panels").Source} source @param {any} meta @param {any} rows the engine's answer to `rows`
 * @param {() => void} redraw
 */
export function recordPoints(source, meta, rows, redraw) {
  /** @type {Map<number, Series[]>} by row; lists are drawn one over the other */
  const series = new Map();
  /** @type {import("source/stacks").Stacks | null} */
  let stacks = null;
  /** @type {import("source/stacks").Samples | null} */
  let samples = null;
  /** @type {Map<number, any>} */
  const lines = new Map();
  let asking = false;

  async function loadLog() {
    const row = rows.kind.indexOf(KIND.log);
    if (row < 0) return;
    const {ts, prio} = await recordsOf(source, LOGS, {numbers: ["prio"]});
    /** What matters most is drawn last. @type {number[][]} */
    const groups = [[], [], [], []];
    ts.forEach((/** @type {number} */ _, /** @type {number} */ at) => groups[[OTHER, INFO, WARNING, ERROR].indexOf(styleOf(prio[at]))].push(at));
    series.set(row, groups.filter(group => group.length).map(group => ({kind: "log", ts: Float64Array.from(group, at => ts[at]), id: Uint32Array.from(group), style: Uint16Array.from(group, at => styleOf(prio[at]))})));
  }

  async function loadSamples() {
    [samples, stacks] = await Promise.all([samplesOf(source), stacksOf(source)]);
    const {ts, utid, callsite} = samples, {name, names} = stacks;
    const hues = names.map(hueOf);
    /** @type {Map<number, number[]>} */
    const own = new Map();
    utid.forEach((thread, at) => { const list = own.get(thread); if (list) list.push(at); else own.set(thread, [at]); });
    for (let row = 0; row < rows.kind.length; row++) {
      const list = rows.kind[row] === KIND.thread ? own.get(rows.utid[row]) : undefined;
      if (list) series.set(row, [{kind: "sample", ts: Float64Array.from(list, at => ts[at]), id: Uint32Array.from(list), style: Uint16Array.from(list, at => callsite[at] < 0 ? OTHER : hues[name[callsite[at]]])}]);
    }
  }

  /** Fetches the messages of some lines. @param {number} first @param {number} end places in the log */
  async function write(first, end) {
    if (asking) return;
    asking = true;
    try {
      for (const line of await messagesOf(source, {offset: first, limit: end - first})) lines.set(line.place, line);
    } finally { asking = false; }
    redraw();
  }

  /** Texts next to the marks of the log, where there is room. @param {import("timeline/paint_slices").Scene} scene @param {Series[]} lists @param {number} y @param {number} high */
  function writeLog({from, to, scale, width, labels}, lists, y, high) {
    const seen = lists.flatMap(({ts, id}) => Array.from({length: Math.min(WRITTEN + 1, above(ts, 0, ts.length, to) - above(ts, 0, ts.length, from))}, (_, nth) => { const at = above(ts, 0, ts.length, from) + nth; return {ts: ts[at], id: id[at]}; }));
    if (!seen.length || seen.length > WRITTEN) return;
    seen.sort((a, b) => a.ts - b.ts || a.id - b.id);
    if (seen.some(({id}) => !lines.has(id))) write(Math.min(...seen.map(({id}) => id)), Math.max(...seen.map(({id}) => id)) + 1).catch(() => {});
    seen.forEach(({ts, id}, nth) => {
      const x = (ts - from) * scale, room = (nth + 1 < seen.length ? (seen[nth + 1].ts - from) * scale : width) - x - 9, line = lines.get(id);
      if (room < ROOM || !line) return;
      const place = labels.count++;
      labels.name[place] = 0;
      labels.text[place] = elide(`${line.tag}: ${line.msg}`, 300);
      labels.x[place] = x + 6;
      labels.y[place] = y + (high - BAR) / 2;
      labels.room[place] = room;
      labels.ink[place] = -2;
    });
  }

  return {
    /** Fetches the marks, once the first picture is shown. */
    load() {
      const all = [meta.records?.[LOGS] && loadLog(), meta.records?.[SAMPLES] && loadSamples()].filter(Boolean);
      return Promise.all(all.map(part => part.then(redraw, () => {})));
    },
    /** @param {import("timeline/paint_slices").Scene} scene @param {number} row @param {{y: number, high: number}} band */
    paint(scene, row, {y, high}) {
      const {from, to, scale, dots} = scene, lists = series.get(row);
      if (!lists) return;
      for (const {ts, style} of lists) {
        for (let at = above(ts, 0, ts.length, from - 2 / scale); at < ts.length && ts[at] <= to;) {
          const x = Math.round((ts[at] - from) * scale * dots) / dots;
          rect(style[at], x, y, 1.5, high);
          // All others in this pixel are under this mark.
          at = Math.max(at + 1, above(ts, at, ts.length, from + (x + 0.99 / dots) / scale));
        }
      }
      if (lists[0].kind === "log") writeLog(scene, lists, y, high);
    },
    /** The mark nearest to a time, or null. @param {number} row @param {number} ns @param {number} ns_px */
    at(row, ns, ns_px) {
      let best = null, away = NEAR * ns_px;
      for (const {kind, ts, id} of series.get(row) ?? []) {
        const after = above(ts, 0, ts.length, ns);
        for (const at of [after - 1, after]) {
          if (at < 0 || at >= ts.length || Math.abs(ts[at] - ns) > away) continue;
          away = Math.abs(ts[at] - ns);
          best = {kind, ts: ts[at], id: id[at]};
        }
      }
      return best;
    },
    /** The lines of a mark's tooltip; the first is "…" until they are known. @param {{kind: string, ts: number, id: number}} mark @returns {string[]} */
    tip({kind, ts, id}) {
      if (kind === "sample") {
        if (!stacks || !samples) return ["…"];
        const names = functionsOf(stacks, samples.callsite[id]);
        return [elide(names[0] ?? "a sample without a stack", 200), ...names.slice(1, 7).map(name => elide(name, 120)), ...(names.length > 7 ? [`… ${names.length - 7} more callers`] : []), `at ${moment(ts, 1000)}`];
      }
      const line = lines.get(id);
      if (!line) { write(id, id + 1).catch(() => {}); return ["…"]; }
      return [elide(`${line.tag}: ${line.msg}`, 400), `${levelOf(line.prio)} at ${moment(ts, 1000)}`];
    },
    /** Whether a row has marks. @param {number} row */
    has: row => series.has(row),
    /** The times of all marks. */
    times: () => [...series.values()].flat().map(({ts}) => ts),
  };
}
