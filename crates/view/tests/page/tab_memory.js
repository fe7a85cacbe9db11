// The memory of a tab of the browser, as the kernel counts it (Linux).
import { readFileSync, readdirSync } from "node:fs";

/** The parent of each process, by its number. */
function parents() {
  /** @type {Map<number, number>} */
  const all = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // The name in brackets may contain spaces and brackets.
      all.set(Number(pid), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch { /* it has ended */ }
  }
  return all;
}

/**
 * The bytes of the largest tab that this program opened: the private memory of its process, without mapped files.
 * Chromium's toolbar is also a page, and a spare process waits for the next tab. Neither counts as a tab.
 */
export function tabBytes() {
  const all = parents();
  /** @param {number} pid @returns {boolean} */
  const isOurs = (pid) => pid === process.pid || (all.has(pid) && isOurs(/** @type {number} */ (all.get(pid))));
  let kilobytes = 0;
  for (const pid of [...all.keys()].filter(isOurs)) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!command.includes("--type=renderer") || command.includes("--top-chrome-webui")) continue;
      kilobytes = Math.max(kilobytes, Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0));
    } catch { /* it has ended */ }
  }
  return kilobytes * 1024;
}
