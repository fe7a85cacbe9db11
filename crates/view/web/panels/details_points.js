// The details of marks: a line of the log, and a sample with its stack.
import {el} from "ui/dom";
import {elide, exact} from "ui/format";
import {levelOf, messagesOf} from "source/logs";
import {functionsOf, samplesOf, stacksOf} from "source/stacks";
import {threadRow} from "timeline/rows";

/** The maximum number of functions in the list. */
const MOST = 200;

/**
 * The description of a mark: its title, its facts, and further content below.
 * @param {import("app/panels").Source} source @param {any} rows @param {{kind: string, id?: number}} selection
 * @returns {Promise<{title: string, text?: string, facts: [string, string | number][], row: number, stack: string[]}>}
 */
export async function markDetails(source, rows, {kind, id = 0}) {
  if (kind === "log") {
    const [line] = await messagesOf(source, {offset: id, limit: 1});
    if (!line) throw new Error("the log has no such line");
    return {title: line.tag || "Log", text: line.msg, facts: [["Level", levelOf(line.prio)], ["At", exact(line.ts)]], row: threadRow(rows, line.utid), stack: []};
  }
  const [samples, stacks] = await Promise.all([samplesOf(source), stacksOf(source)]);
  if (!(id < samples.ts.length)) throw new Error("there is no such sample");
  const stack = functionsOf(stacks, samples.callsite[id]);
  /** @type {[string, string][]} */
  const facts = [["At", exact(samples.ts[id])]], event = samples.events[samples.event[id]];
  if (event) facts.push(["Event", elide(event, 200)]);
  return {title: stack[0] ?? "A sample without a stack", facts, row: threadRow(rows, samples.utid[id]), stack};
}

/** The functions of a stack, the innermost first. @param {string[]} stack */
export const stackList = stack => el("ol", {class: "calls chain"}, ...stack.slice(0, MOST).map(name => el("li", {}, el("span", {title: elide(name, 2000)}, elide(name, 300)))),
  stack.length > MOST && el("li", {class: "quiet"}, `… ${stack.length - MOST} more`));
