// Formats times, counts and sizes.

/** @type {[number, string][]} */
const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

/** @param {number} value @param {number} digits the maximum number of decimals */
const short = (value, digits) => value.toLocaleString("en", {maximumFractionDigits: digits});

/**
 * A duration in a suitable unit: `1.234 ms`.
 * @param {number | null | undefined} ns
 */
export function time(ns) {
  if (ns == null) return "–";
  const size = Math.abs(ns);
  const [unit, name] = UNITS.find(([unit]) => size >= unit) ?? UNITS[3];
  return `${short(ns / unit, size / unit >= 100 ? 2 : 3)} ${name}`;
}

/**
 * A duration in a column of a table: all have the same number of decimals, so that they line up: `7.130 ms`.
 * @param {number | null | undefined} ns
 */
export function columnTime(ns) {
  if (ns == null) return "–";
  const size = Math.abs(ns), [unit, name] = UNITS.find(([unit]) => size >= unit) ?? UNITS[3];
  const digits = unit === 1 ? 0 : 3;
  return `${(ns / unit).toLocaleString("en", {minimumFractionDigits: digits, maximumFractionDigits: digits})} ${name}`;
}

/**
 * A point in time, with the precision of a step: `1.234 567 s` for microseconds.
 * @param {number} ns since the trace's start
 * @param {number} step ns that must still be distinguishable
 */
export function moment(ns, step) {
  const size = Math.max(Math.abs(ns), step);
  const [unit, name] = UNITS.find(([unit]) => size >= unit) ?? UNITS[3];
  const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step) - 1e-9)));
  return `${(ns / unit).toLocaleString("en", {minimumFractionDigits: digits, maximumFractionDigits: digits})} ${name}`;
}

/** A point in time with all its digits. @param {number} ns */
export const exact = ns => {
  const [unit, name] = UNITS.find(([unit]) => Math.abs(ns) >= unit) ?? UNITS[3];
  return `${short(ns / unit, 9)} ${name}`;
};

/** @param {number} count */
export const count = count => count.toLocaleString("en");

/** @param {number} share 0..1 */
export const percent = share => `${(share * 100).toFixed(share && share < 0.001 ? 3 : 1)} %`;

/** `1 call`, `2 calls`. @param {number} number @param {string} one @param {string} [many] */
export const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many ?? `${one}s`}`;

/** A size, in the same units as in the terminal: a KB has 1,000 bytes. @param {number} bytes */
export function bytes(bytes) {
  for (const [unit, name] of /** @type {[number, string][]} */ ([[1e9, "GB"], [1e6, "MB"], [1e3, "KB"]])) {
    if (bytes >= unit) return `${short(bytes / unit, 1)} ${name}`;
  }
  return `${bytes} B`;
}

/** A counter's value. @param {number} value */
export const amount = value => Number.isInteger(value) ? count(value) : value.toLocaleString("en", {maximumSignificantDigits: 6});

/** A name on one line, without characters that change the direction of what follows them. @param {string} name */
export const oneLine = name => name.replace(/[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, " ");

/** @param {string} text @param {number} most characters */
export function elide(text, most) {
  return text.length <= most ? text : `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(text.length - Math.floor(most / 2))}`;
}

/** The position and the length of a range: `1.2 ms – 3.4 ms · 2.2 ms`. @param {number} from ns @param {number} to ns */
export function span(from, to) {
  const step = Math.max(1, 10 ** Math.floor(Math.log10(Math.max(1, to - from)) - 2));
  return `${moment(from, step)} – ${moment(to, step)} · ${time(to - from)}`;
}
