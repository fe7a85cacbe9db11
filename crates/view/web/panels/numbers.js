// Formats the numbers of the profile.
const [three, six] = [3, 6].map(digits => new Intl.NumberFormat("en", {minimumFractionDigits: digits, maximumFractionDigits: digits}));
const counts = new Intl.NumberFormat("en");

/** The clocks by which a profile can be ranked, with their names in headings and in menus. @type {[import("panels/model").Clock, string, string][]} */
export const CLOCKS = [["cpu", "CPU", "CPU time"], ["wall", "Real", "Real time"], ["runnable", "Runnable", "Runnable, without a CPU"], ["sleeping", "Sleeping", "Sleeping"],
  ["uninterruptible", "Blocked", "Uninterruptible sleep"]];

/** The clocks of this profile. @param {import("panels/model").Profile} profile */
export const clocksOf = ({clocks}) => CLOCKS.filter(([clock]) => clock === "cpu" ? clocks.cpu !== "none" : clock === "wall" ? clocks.wall : clocks.states);

/** The time in a profile, finished or not, ns. @param {import("panels/model").Profile} profile @param {`${import("panels/model").Clock}_ns`} clock */
export const wholeOf = ({total, unfinished}, clock) => (total[clock] ?? 0) + (unfinished?.[clock] ?? 0);

/** Milliseconds in Traceview's form, so that columns are aligned at the decimal point. A profile shorter than one has more decimals. @param {number | undefined} ns @param {number} [whole] the time in the profile, ns */
export const ms = (ns, whole = Infinity) => ns === undefined ? "" : (whole < 1e6 ? six : three).format(ns / 1e6);

/** The width of a column of such times, px. @param {number} whole the time in the profile, ns */
export const msWidth = whole => Math.max(86, ms(whole, whole).length * 7.5 + 18);

/** @param {number | undefined} part @param {number | undefined} all */
export const percent = (part, all) => part === undefined ? "" : (all ? part * 100 / all : 0).toFixed(1);

/** @param {number} part @param {number} all */
export const share = (part, all) => `${percent(part, all)} %`;

/** @param {number} number */
export const count = number => counts.format(number);

/** Ignores case unless the text has a capital letter. @param {string} text @returns {((label: string) => boolean) | null} */
export function smartCase(text) {
  if (!text) return null;
  if (text !== text.toLowerCase()) return label => label.includes(text);
  return label => label.toLowerCase().includes(text);
}

/** The hue of a name, computed as in the engine: FNV-1a without digits at the end and variable words. @param {string} label */
export function hueOf(label) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(label.replace(/ [^ ]*[0-9=].*$/s, "").replace(/[0-9]+$/, ""))) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ hash >>> 16 ^ hash >>> 8) & 255;
}
