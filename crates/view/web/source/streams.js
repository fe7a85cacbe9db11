// Puts the engine of a report together: it lies in the report sorted by what its bytes are, because
// that packs better. crates/view/build/streams.rs sorts it and says how.

/**
 * The WebAssembly module. Its text becomes part of the worker's: nothing outside of it may be used.
 *
 * @param {Uint8Array} sorted
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function joined(sorted) {
  const head = new DataView(sorted.buffer, sorted.byteOffset);
  const OPERATION = 0, LOCAL = 1, CALL = 2, LABEL = 3, CONSTANT = 4, OFFSET = 5, ADDRESS = 6, LONG = 7, HEAD = 8, RARE = 9;
  const count = (/** @type {number} */ place) => head.getUint32(place * 4, true);
  const start = 48, before = count(0), functions = count(1);
  /** The next byte of each stream, and where the last ends. @type {number[]} */
  const next = [start + before];
  for (let i = 0; i <= RARE; i++) next.push(next[i] + count(i + 2));
  const rest = next[RARE + 1];

  // What comes on top: sizes of functions, and up to four bytes for an operation.
  const out = new Uint8Array(sorted.length + 4 * count(2) + 5 * (functions + 1));
  let n = 0, address = 1 << 20;

  /** @param {number} stream */
  const take = (stream) => sorted[next[stream]++];
  /** @param {number} byte */
  const put = (byte) => void (out[n++] = byte);

  /** Copies a number. @param {number} stream */
  function number(stream) {
    let value = 0, shift = 0, byte;
    do {
      put(byte = take(stream));
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127);
    return value;
  }

  /** @param {number} value */
  function unsigned(value) {
    for (; value > 127; value >>>= 7) put(value & 127 | 128);
    put(value);
  }

  /** The address after the one before. */
  function constant() {
    let value = 0, shift = 0, byte;
    do {
      byte = take(ADDRESS);
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127);
    address += byte & 64 && shift < 32 ? value | -1 << shift : value;
    let left = address;
    for (; left > 63; left >>= 7) put(left & 127 | 128);
    put(left);
  }

  /** An operation and its operands; what it adds to the depth of blocks. */
  function operation() {
    let code = take(OPERATION);
    const odd = code === 255;
    if (odd) code = take(OPERATION);
    const usual = (/** @type {number} */ operand) => odd ? number(RARE) : put(operand);
    if (code === 254) {
      put(0x41);
      constant();
      return 0;
    }
    put(code);
    if (code >= 0x28 && code <= 0x3e) {
      usual(+"23230011001122232301012"[code - 0x28]);
      number(OFFSET);
    } else if (code === 0x0b) {
      return -1;
    } else if (code >= 2 && code <= 4) {
      usual(0x40);
      return 1;
    } else {
      operands(code, usual);
    }
    return 0;
  }

  /** @param {number} code @param {(operand: number) => void} usual */
  function operands(code, usual) {
    let more = 0;
    if (code === 0x0c || code === 0x0d) number(LABEL);
    else if (code === 0x0e) more = number(RARE) + 1;
    else if (code === 0x10) number(CALL);
    else if (code === 0x11) more = 2;
    else if (code >= 0x20 && code <= 0x22) number(LOCAL);
    else if (code === 0x23 || code === 0x24) usual(0);
    else if (code === 0x3f || code === 0x40) more = 1;
    else if (code === 0x41) number(CONSTANT);
    else if (code === 0x42) number(LONG);
    else if (code === 0x43 || code === 0x44) for (let i = code === 0x43 ? 4 : 8; i > 0; i--) put(take(RARE));
    else if (code === 0xfc) more = [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 1][number(RARE)];
    while (more-- > 0) number(RARE);
  }

  function body() {
    for (let groups = number(HEAD); groups > 0; groups--) {
      number(HEAD);
      put(take(HEAD));
    }
    for (let depth = 1; depth > 0;) depth += operation();
  }

  /** What `write` writes, with its size before it. @param {() => void} write */
  function sized(write) {
    const from = n;
    n += 5;
    write();
    const size = n - from - 5;
    n = from;
    unsigned(size);
    out.copyWithin(n, from + 5, from + 5 + size);
    n += size;
  }

  out.set(sorted.subarray(start, start + before));
  n = before;
  put(10);
  sized(() => {
    unsigned(functions);
    for (let i = 0; i < functions; i++) sized(body);
  });
  out.set(sorted.subarray(rest), n);
  return out.subarray(0, n + sorted.length - rest);
}
