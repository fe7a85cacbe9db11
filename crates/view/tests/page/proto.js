// Writes small Perfetto traces. Field numbers are from Perfetto's protos (protos/perfetto/trace/*.proto).
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { work } from "./lib.js";

/** @typedef {[number, bigint | number | string | number[] | Field[]]} Field number and value: a number, a text, packed numbers, or a message */

/** @param {bigint | number} value */
function varint(value) {
  const out = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
  return [...out, Number(rest)];
}

/** @param {Field[]} fields @returns {number[]} bytes */
export function message(fields) {
  return fields.flatMap(([number, value]) => {
    if (typeof value === "number" || typeof value === "bigint") return [...varint(number << 3), ...varint(value)];
    const inside = typeof value === "string" ? [...Buffer.from(value)] : value.length && typeof value[0] === "number"
      ? /** @type {number[]} */ (value).flatMap(varint) : message(/** @type {Field[]} */ (value));
    return [...varint(number << 3 | 2), ...varint(inside.length), ...inside];
  });
}

/** Writes a trace of packets and returns its path. @param {string} name @param {Field[][]} packets */
export function trace(name, packets) {
  mkdirSync(work, { recursive: true });
  const path = join(work, name);
  writeFileSync(path, Buffer.from(message(packets.map((packet) => /** @type {Field} */ ([1, packet])))));
  return path;
}

/** The processes and threads: pid, name, and its other threads. @param {[number, string, [number, string][]][]} processes @returns {Field[]} */
export const people = (processes) => [[8, 1000], [10, 1], [2, processes.flatMap(([pid, name, threads]) => /** @type {Field[]} */ ([
  [1, [[1, pid], [2, 1], [3, name]]], ...threads.map(([tid, own]) => /** @type {Field} */ ([2, [[1, tid], [3, pid], [2, own]]]))]))]];

/** Says that the clocks of the log (1) and of the trace (6) are the same. @returns {Field[]} */
export const clocks = () => [[8, 1], [10, 1], [6, [1, 6].map((clock) => /** @type {Field} */ ([1, [[1, clock], [2, 1]]]))]];

/** Lines of the log: time in ns, tid, priority, tag, message. @param {[number, number, number, string, string][]} lines @returns {Field[]} */
export const log = (lines) => [[8, lines[0][0]], [10, 1], [39, lines.map(([ts, tid, priority, tag, text]) => /** @type {Field} */ ([1, [[2, 10], [3, tid], [5, ts], [6, tag], [7, priority], [8, text]]]))]];

/** Functions and stacks of samples. Stacks are lists of functions, the outermost first; the first has the number 1. @param {string[]} functions @param {number[][]} stacks @returns {Field[]} */
export const stacks = (functions, stacks) => [[8, 1000], [10, 2], [13, 1], [12, [
  ...functions.map((name, at) => /** @type {Field} */ ([5, [[1, at + 1], [2, name]]])), [17, [[1, 1], [2, "libapp.so"]]], [19, [[1, 1], [7, 1]]],
  ...functions.map((_, at) => /** @type {Field} */ ([6, [[1, at + 1], [2, at + 1], [3, 1], [4, 16 * (at + 1)]]])),
  ...stacks.map((stack, at) => /** @type {Field} */ ([7, [[1, at + 1], ...stack.map((id) => /** @type {Field} */ ([2, id + 1]))]]))]]];

/** A sample: time in ns, tid, number of a stack. @param {number} ts @param {number} tid @param {number} stack @returns {Field[]} */
export const sample = (ts, tid, stack) => [[8, ts], [10, 2], [13, 2], [66, [[1, 0], [2, 10], [3, tid], [4, stack], [5, 2]]]];

/** What a symbolizer adds: the functions at an address of a file, the innermost inlined one first. @param {string} path @param {number} address @param {string[]} functions @returns {Field[]} */
export const symbols = (path, address, functions) => [[61, [[1, path], [3, [[1, address], ...functions.map((name) => /** @type {Field} */ ([2, [[1, name]]]))]]]]];

/** A heap: classes, and objects with class, bytes and the objects they refer to (all from 0). @param {number} ts @param {number} pid @param {string[]} classes @param {[number, number, number[]][]} objects @param {number[]} roots @returns {Field[]} */
export const heap = (ts, pid, classes, objects, roots) => [[8, ts], [10, 3], [56, [[1, pid], [4, [[1, 1], [2, "Node.next"]]],
  ...classes.map((name, at) => /** @type {Field} */ ([9, [[1, at + 1], [3, name]]])),
  ...objects.map(([type, size, to], at) => /** @type {Field} */ ([2, [[1, at + 1], [2, type + 1], [3, size], ...(to.length ? /** @type {Field[]} */ ([[4, to.map(() => 1)], [5, to.map((id) => id + 1)]]) : [])]])),
  [7, [[1, roots.map((id) => id + 1)], [2, 1]]]]]];
