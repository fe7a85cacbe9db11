// Decodes starts, lengths and ids. They are stored as differences in one or two bytes instead of eight.

/**
 * The columns in a packed one: `s_ts`, `s_end` and `s_id` for the letter s.
 * @param {string} letter @param {Uint8Array} packed @param {number} count @param {boolean} ids whether an id follows each length
 * @returns {Record<string, Float64Array | Uint32Array>}
 */
export function stretches(letter, packed, count, ids) {
  const starts = new Float64Array(count), ends = new Float64Array(count), numbers = new Uint32Array(ids ? count : 0);
  let at = 0, start = 0, id = 0;

  // Seven bits per byte, lowest first. Shifts are limited to 32 bits, so this multiplies.
  function number() {
    let byte = packed[at++], value = byte & 127;
    if (byte < 128) return value;
    for (let by = 128; ; by *= 128) {
      byte = packed[at++];
      value += (byte & 127) * by;
      if (!(byte >= 128)) return value;
    }
  }

  /** Zigzag: 0, -1, 1, -2 … */
  function signed() {
    const value = number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }

  for (let nth = 0; nth < count; nth++) {
    starts[nth] = start += signed();
    ends[nth] = start + number();
    if (ids) numbers[nth] = id += signed();
  }
  return ids ? {[`${letter}_ts`]: starts, [`${letter}_end`]: ends, [`${letter}_id`]: numbers} : {[`${letter}_ts`]: starts, [`${letter}_end`]: ends};
}
