// Several selected slices: the first is selected as always, and the others are in the selection's `more`.

/** @typedef {import("app/state").Selection} Selection */
/** @typedef {import("app/state").Slice} Slice */

/** The maximum number of slices that are selected together. */
const MOST = 500;

/** The selected slices. @param {Selection} selection @returns {Slice[]} */
export const slicesOf = selection => selection?.kind === "slice" ? [selection, ...selection.more ?? []] : [];

/** Adds a slice to the selection, or removes it. @param {Selection} selection @param {Slice} slice @returns {Selection} */
export function withSlice(selection, slice) {
  const before = slicesOf(selection).map(({id, row, ts, end, level, name}) => ({id, row, ts, end, level, name})), rest = before.filter(({id}) => id !== slice.id);
  const [first, ...more] = rest.length < before.length ? rest : [...before.slice(-MOST), slice];
  return first ? {kind: "slice", ...first, ...(more.length && {more})} : null;
}
