// Compares the samples of two files by their shares: percent of all samples of their file. Recordings differ in length, so
// numbers of samples would differ even if the program did not change.
import {SAMPLES, samplesOf, stacksOf} from "source/stacks";
import {KIND} from "timeline/rows";
import {weightsOf} from "panels/samples";
import {framesOf, functionSums, stackTree} from "panels/weights";

/** @typedef {Map<number, [number, number]>} Weights of callsites: weight and count */

/** The unit of a share: all samples of a file add up to this number. The smallest width in a flame graph is 1. */
export const PARTS = 1e6;

/** @param {any} meta the engine's answer to `meta` */
export const canCompareSamples = meta => meta.has?.diff && meta.records?.[SAMPLES] > 0;

/** The names of the events, in the order of their indexes. @param {import("app/panels").Source} source */
export const eventsOf = async source => (await samplesOf(source)).events;

/**
 * Compares the samples of one event, or of all events.
 * @param {import("app/panels").Source} source @param {any} rows the engine's answer to `rows`
 * @param {number[]} sides the file before and the file after @param {number} [event] an index into the names of events
 */
export async function compareSamples(source, {kind, utid, source: file}, sides, event) {
  const [samples, stacks] = await Promise.all([samplesOf(source), stacksOf(source)]);
  const threads = (/** @type {number} */ side) => [...utid].filter((_, row) => kind[row] === KIND.thread && file[row] === side);
  const [before, after] = sides.map(side => weightsOf(samples, {threads: threads(side), event}));
  const whole = [before, after].map(sum), shares = [before, after].map((weights, side) => scaled(weights, whole[side]));
  const [base, now] = shares.map(weights => functionSums(stacks, weights));
  const tree = stackTree(stacks, joined(shares[0], shares[1]), false);
  return {rows: rowsOf(base, now), whole, flame: (/** @type {import("panels/flame").Span} */ span) => deltas(tree, framesOf(tree, span))};
}

/** @param {Weights} weights */
const sum = weights => [...weights.values()].reduce((all, [own]) => all + own, 0);

/** @param {Weights} weights @param {number} whole @returns {Weights} */
const scaled = (weights, whole) => new Map([...weights].map(([callsite, [own]]) => [callsite, [own * PARTS / whole, 0]]));

/** The weight of a callsite is the sum of its shares before and after. Its count is its share before. Samples without a stack are left out. @param {Weights} base @param {Weights} now @returns {Weights} */
function joined(base, now) {
  /** @type {Weights} */
  const all = new Map();
  for (const callsite of new Set([...base.keys(), ...now.keys()])) {
    const before = base.get(callsite)?.[0] ?? 0;
    if (callsite >= 0) all.set(callsite, [before + (now.get(callsite)?.[0] ?? 0), before]);
  }
  return all;
}

/** @param {import("panels/weights").Tree} tree @param {import("panels/flame_paint").Frames} frames after minus before, of each bar */
const deltas = ({counts}, frames) => ({...frames, delta: Float64Array.from(frames.w, (w, at) => w - 2 * (counts[frames.node[at]] ?? w / 2))});

/** @typedef {{id: number, label: string, self: number, total: number}} Sum */

/** @param {Sum[]} base @param {Sum[]} now @returns {import("panels/diff_columns").DiffRow[]} */
function rowsOf(base, now) {
  const before = byId(base), after = byId(now);
  return [...new Map([...before, ...after]).values()].map(({id, label}) => {
    const old = before.get(id), own = after.get(id);
    return {label, presence: !old ? "new" : own ? "both" : "gone", inclusive: change(old?.total, own?.total), exclusive: change(old?.self, own?.self), calls: change()};
  });
}

/** @param {Sum[]} sums */
const byId = sums => new Map(sums.map(own => [own.id, own]));

/** A change of a share, in percent of the samples. @returns {import("panels/diff_columns").Change} */
function change(base = 0, now = 0) {
  const [before, after] = [base, now].map(share => share * 100 / PARTS);
  return {base: before, new: after, delta: after - before, percent: null};
}
