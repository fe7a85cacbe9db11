// Unpacks the script and the engine of a report. They are the greater part of a small report, and
// LZMA makes them a quarter smaller than what browsers unpack by themselves.

/**
 * Unpacks a `.lzma` stream whose head says how long the content is (the LZMA specification by
 * Igor Pavlov, 2015). Its text becomes part of the worker's: nothing outside of it may be used.
 *
 * @param {Uint8Array} packed
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function unpack(packed) {
  const head = new DataView(packed.buffer, packed.byteOffset);
  const lc = packed[0] % 9, lp = Math.floor(packed[0] / 9) % 5, pb = Math.floor(packed[0] / 45);
  const out = new Uint8Array(head.getUint32(5, true));
  // Where each kind of probability begins.
  const MATCH = 0, REP = 192, REP_0 = 204, REP_1 = 216, REP_2 = 228, LONG = 240, SLOT = 432, SPECIAL = 688, ALIGN = 816;
  const LENGTH = 832, REP_LENGTH = 1346, LITERAL = 1860;
  const odds = new Uint16Array(LITERAL + (0x300 << (lc + lp))).fill(1024);
  let at = 18, range = 0xffffffff, code = head.getUint32(14);

  /** @param {number} place */
  function bit(place) {
    const chance = odds[place], bound = (range >>> 11) * chance;
    let one = 0;
    if (code < bound) {
      range = bound;
      odds[place] += (2048 - chance) >> 5;
    } else {
      range -= bound;
      code -= bound;
      odds[place] -= chance >> 5;
      one = 1;
    }
    refill();
    return one;
  }

  function refill() {
    if (range >= 0x1000000) return;
    range = (range << 8) >>> 0;
    code = ((code << 8) | packed[at++]) >>> 0;
  }

  /** @param {number} bits */
  function direct(bits) {
    let value = 0;
    while (bits-- > 0) {
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one) code -= range;
      refill();
      value = value * 2 + one;
    }
    return value;
  }

  /** @param {number} place @param {number} bits */
  function tree(place, bits) {
    let node = 1;
    for (let i = 0; i < bits; i++) node = node * 2 + bit(place + node);
    return node - (1 << bits);
  }

  /** @param {number} place @param {number} bits */
  function reverse(place, bits) {
    let node = 1, value = 0;
    for (let i = 0; i < bits; i++) {
      const one = bit(place + node);
      node = node * 2 + one;
      value |= one << i;
    }
    return value;
  }

  /** @param {number} place @param {number} turn */
  function length(place, turn) {
    if (!bit(place)) return 2 + tree(place + 2 + turn * 8, 3);
    if (!bit(place + 1)) return 10 + tree(place + 130 + turn * 8, 3);
    return 18 + tree(place + 258, 8);
  }

  /** @param {number} long */
  function distance(long) {
    const slot = tree(SLOT + Math.min(long - 2, 3) * 64, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1, start = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return start + reverse(SPECIAL + start - slot, bits);
    return start + direct(bits - 4) * 16 + reverse(ALIGN, 4);
  }

  /** @param {number} n */
  function literal(n) {
    const before = n > 0 ? out[n - 1] : 0;
    const place = LITERAL + 0x300 * (((n & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
    let symbol = 1;
    if (state >= 7) {
      let match = out[n - far[0] - 1];
      do {
        const expected = (match >> 7) & 1;
        match <<= 1;
        const one = bit(place + ((1 + expected) << 8) + symbol);
        symbol = symbol * 2 + one;
        if (one !== expected) break;
      } while (symbol < 0x100);
    }
    while (symbol < 0x100) symbol = symbol * 2 + bit(place + symbol);
    return symbol;
  }

  let state = 0;
  /** The last four distances, newest first. */
  const far = [0, 0, 0, 0];

  /** Finds a distance that was used before, if the next match has one. @param {number} turn */
  function again(turn) {
    if (!bit(REP_0 + state)) {
      if (bit(LONG + state * 16 + turn)) return -1;
      state = state < 7 ? 9 : 11;
      return 1;
    }
    const which = !bit(REP_1 + state) ? 1 : bit(REP_2 + state) ? 3 : 2;
    far.unshift(...far.splice(which, 1));
    return -1;
  }

  for (let n = 0; n < out.length;) {
    const turn = n & ((1 << pb) - 1);
    if (!bit(MATCH + state * 16 + turn)) {
      out[n] = literal(n);
      n++;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count = -1;
    if (bit(REP + state)) {
      count = again(turn);
      if (count < 0) {
        count = length(REP_LENGTH, turn);
        state = state < 7 ? 8 : 11;
      }
    } else {
      count = length(LENGTH, turn);
      state = state < 7 ? 7 : 10;
      far.unshift(distance(count));
      far.pop();
    }
    const from = n - far[0] - 1;
    if (from < 0 || at > packed.length + 8) throw new Error("the report is damaged: was the file saved whole?");
    for (let i = 0; i < count && n < out.length; i++) out[n++] = out[from + i];
  }
  return out;
}
