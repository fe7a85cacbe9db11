// Marks: places in time to come back to.
import {toast} from "ui/toast";

/** Sets a mark, or takes away the one that is there. @param {import("app/state").Store} store @param {number} ts @param {number} near ns */
export function toggleMark(store, ts, near) {
  const {marks} = store.get();
  const here = marks.filter(mark => Math.abs(mark.ts - ts) <= near);
  if (here.length) {
    store.set({marks: marks.filter(mark => !here.includes(mark))});
    toast("Mark removed");
  } else store.set({marks: [...marks, {ts: Math.round(ts), label: ""}].sort((a, b) => a.ts - b.ts)});
}

/** The next mark in a direction. @param {import("app/state").Store} store @param {number} ts @param {number} by */
export function nextMark(store, ts, by) {
  const {marks} = store.get();
  return by > 0 ? marks.find(mark => mark.ts > ts + 1) : marks.findLast(mark => mark.ts < ts - 1);
}
