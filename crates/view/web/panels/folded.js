// Saves a flame graph as folded stacks for flamegraph.pl, inferno and speedscope, like `traceloom convert -o x.folded`.
import {labelOf, parentOf} from "panels/flame_paint";

/** One line per stack with exclusive time: `outer;inner 1234`, nanoseconds. @param {import("panels/flame_paint").Frames} frames */
export function foldedText(frames) {
  /** @type {string[]} */
  const paths = [];
  const lines = [];
  for (let at = 0; at < frames.x.length; at++) {
    const up = parentOf(frames, at), name = labelOf(frames, at).replaceAll(";", ":").replace(/[\n\r]/g, " ");
    paths[at] = up < 0 ? name : `${paths[up]};${name}`;
    const ns = Math.round(frames.self[at]);
    if (ns > 0 && !frames.unfinished?.[at]) lines.push(`${paths[at]} ${ns}\n`);
  }
  return lines.join("");
}
