// Whole tables of records, as columns: samples, stacks, heap graphs, lines of logs.

/**
 * @typedef {object} Wanted
 * @property {string[]} [numbers] columns of numbers; NaN where a record has none
 * @property {string[]} [texts] columns of texts, as indexes into `strings`
 * @property {boolean} [references] also the cells that are other records: `of` (the row), `key` (index into `keys`), `to` (the other's place)
 */

const NONE = 0xffffffff;

/**
 * All records of a table, in order of time. The engine sends a million at a time.
 * @param {import("app/panels").Source} source @param {string} table @param {Wanted} wanted @param {AbortSignal} [signal]
 * @returns {Promise<any>} `ts`, the wanted columns, and `strings`
 */
export async function recordsOf(source, table, {numbers = [], texts = [], references = false}, signal) {
  const parts = [];
  for (let offset = 0, total = 1; offset < total;) {
    const part = await source.ask({op: "records", table, numbers, texts, references, offset}, {signal});
    parts.push(part);
    ({total} = part);
    if (!part.ts.length) break;
    offset += part.ts.length;
  }
  return parts.length === 1 ? parts[0] : joined(parts, [...numbers, "ts"], texts, references);
}

/** @param {any[]} parts @param {string[]} numbers @param {string[]} texts @param {boolean} references */
function joined(parts, numbers, texts, references) {
  /** @type {any} */
  const all = {total: parts[0]?.total ?? 0, strings: [], keys: []};
  const append = (/** @type {string} */ column, /** @type {any} */ Type, /** @type {(value: number, part: any) => number} */ change) => {
    const length = parts.reduce((sum, part) => sum + part[column].length, 0), out = new Type(length);
    let at = 0;
    for (const part of parts) for (const value of part[column]) out[at++] = change(value, part);
    all[column] = out;
  };
  let rows = 0;
  for (const part of parts) {
    Object.assign(part, {base: all.strings.length, keyBase: all.keys.length, rowBase: rows});
    all.strings.push(...part.strings);
    all.keys.push(...(part.keys ?? []));
    rows += part.ts.length;
  }
  for (const column of numbers) append(column, Float64Array, value => value);
  for (const column of texts) append(column, Uint32Array, (value, part) => value === NONE ? NONE : value + part.base);
  if (references) {
    append("of", Uint32Array, (value, part) => value + part.rowBase);
    append("key", Uint32Array, (value, part) => value + part.keyBase);
    append("to", Uint32Array, value => value);
  }
  return all;
}

/** Calls a function once per source and keeps its answer. @template T @param {(source: import("app/panels").Source) => Promise<T>} load */
export function once(load) {
  /** @type {WeakMap<object, Promise<T>>} */
  const kept = new WeakMap();
  return (/** @type {import("app/panels").Source} */ source) => {
    const known = kept.get(source);
    if (known) return known;
    const answer = load(source);
    kept.set(source, answer);
    answer.catch(() => kept.delete(source));
    return answer;
  };
}
