// The rows of a table that are fetched a page at a time.

/** The number of rows per request. */
export const PAGE = 200;
/** The number of pages in the cache. */
const PAGES = 100;
/** The maximum number of rows. Browsers cannot show a longer table. */
export const MOST = 1e6;

/** A row that has not arrived yet. */
export const PENDING = {id: -1, pending: true};

/** @param {(row: any) => string} show @returns {(row: any) => string} */
export const known = show => row => row.pending ? "" : show(row);

/** The table's rows: pages by number, the newest last. @param {(page: number) => void} want */
export function pages(want) {
  /** @type {Map<number, any[]>} */
  const kept = new Map();
  return {
    kept,
    clear: () => kept.clear(),
    /** @param {number} page @param {any[]} rows */
    put(page, rows) {
      kept.delete(page);
      kept.set(page, rows);
      for (const old of kept.keys()) { if (kept.size <= PAGES) break; kept.delete(old); }
    },
    /** An object that the table can use like an array of all rows. @param {number} total @returns {any[]} */
    rows: total => new Proxy(/** @type {any[]} */ ([]), {get(_, key) {
      if (key === "length") return total;
      const place = typeof key === "string" ? Number(key) : NaN;
      if (!(place >= 0 && place < total)) return undefined;
      const page = Math.floor(place / PAGE), held = kept.get(page);
      if (!held) want(page);
      return held?.[place % PAGE] ?? PENDING;
    }}),
  };
}
