// Runs the engine of a report in a worker, or on the page if workers are forbidden.

/**
 * Gzip, or its base64.
 * @typedef {ArrayBuffer | string} Packed
 *
 * A message from the page.
 * @typedef {{op: "load", engine: Packed, parts: {packed: Packed, bytes: number}[]} | {op: "ask", question: string}} Order
 *
 * A message to the page: after `load` any number of `done` and then `loaded` or `error`, after
 * `ask` one `answer` or `error`.
 * @typedef {{done: number, total: number} | {loaded: true} | {answer: ArrayBuffer} | {error: string}} News
 *
 * The exports of the engine; crates/view/wasm describes them.
 * @typedef {object} Exports
 * @property {WebAssembly.Memory} memory
 * @property {(bytes: number) => number} alloc
 * @property {(at: number, bytes: number) => void} block
 * @property {() => number} load
 * @property {(at: number, bytes: number) => number} answer
 * @property {() => number} frame
 * @property {() => number} answer_bytes
 */

/**
 * Starts an engine that takes one order at a time. The source text of this function becomes the worker,
 * so it must not use anything outside of itself.
 *
 * @param {(news: News, transfer?: Transferable[]) => void} send
 * @returns {(order: Order) => Promise<void>}
 */
export function startEngine(send) {
  /** @type {Exports | null} */
  let engine = null;
  /** The same, set before the trace is loaded. @type {Exports | null} */
  let begun = null;

  return async (order) => {
    try {
      if (order.op === "load") {
        await load(order.engine, order.parts);
        send({loaded: true});
      } else {
        const answer = ask(order.question);
        send({answer}, [answer]);
      }
    } catch (error) {
      send({error: plain(error)});
    }
  };

  /** @param {unknown} error */
  function plain(error) {
    if (!(error instanceof WebAssembly.RuntimeError)) return error instanceof Error ? error.message : String(error);
    return `the engine broke down on this question: ${begun ? said(begun) : error.message}`;
  }

  /** @param {Packed} module @param {{packed: Packed, bytes: number}[]} parts */
  async function load(module, parts) {
    // The engine is compiled while it is being unpacked, in parallel with the first columns.
    const wasm = new Response(inflate(module), {headers: {"content-type": "application/wasm"}});
    const compiled = WebAssembly.instantiateStreaming(wasm);
    // Only one of the other parts is in memory: the one that is being decoded.
    let next = parts.length ? inflate(parts[0].packed) : null;
    const {instance} = await compiled.catch(() => {
      throw new Error("the engine in this report is damaged: was the file saved completely?");
    });
    const loaded = begun = /** @type {Exports} */ (/** @type {unknown} */ (instance.exports));
    const total = parts.reduce((sum, part) => sum + part.bytes, 0);
    let done = 0;
    for (const part of parts) {
      const {bytes} = part, stream = next ?? inflate(part.packed);
      next = null;
      part.packed = "";
      const at = await fill(loaded, stream, bytes, (more) => {
        done += more;
        send({done, total});
      });
      loaded.block(at, bytes);
    }
    if (loaded.load() !== 0) throw new Error(said(loaded));
    engine = loaded;
  }

  /**
   * Copies a stream of exactly `bytes` bytes into the engine's memory. Returns its address.
   *
   * @param {Exports} loaded
   * @param {ReadableStream<Uint8Array>} stream
   * @param {number} bytes
   * @param {(more: number) => void} copied
   */
  async function fill(loaded, stream, bytes, copied) {
    const start = loaded.alloc(bytes);
    const reader = stream.getReader();
    let at = start;
    for (;;) {
      const {done, value} = await reader.read().catch(() => {
        throw new Error("the report's data is damaged: was the file saved completely?");
      });
      if (done) break;
      if (at + value.length > start + bytes) throw new Error("the report's data is longer than it says");
      // The memory may have grown and moved since the last chunk.
      new Uint8Array(loaded.memory.buffer, at).set(value);
      at += value.length;
      copied(value.length);
    }
    if (at < start + bytes) throw new Error("the report's data broke off: was the file saved completely?");
    return start;
  }

  /** @param {Packed} packed @returns {ReadableStream<Uint8Array>} */
  function inflate(packed) {
    // Without a Blob, because WebKit cannot read one in the worker of a page from the disk.
    const {readable, writable} = new DecompressionStream("gzip"), writer = writable.getWriter();
    // Errors are reported by the reader.
    writer.write(typeof packed === "string" ? bytes(packed) : new Uint8Array(packed)).catch(() => {});
    writer.close().catch(() => {});
    return readable;
  }

  /** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
  function bytes(text) {
    const letters = atob(text);
    const out = new Uint8Array(letters.length);
    for (let i = 0; i < out.length; i++) out[i] = letters.charCodeAt(i);
    return out;
  }

  /** @param {string} question @returns {ArrayBuffer} */
  function ask(question) {
    if (!engine) throw new Error("no trace is loaded");
    const asked = new TextEncoder().encode(question);
    const place = engine.alloc(asked.length);
    new Uint8Array(engine.memory.buffer, place).set(asked);
    const at = engine.answer(place, asked.length);
    return engine.memory.buffer.slice(at, at + engine.answer_bytes());
  }

  /** The error in the last frame. @param {Exports} from */
  function said(from) {
    const at = from.frame();
    const frame = from.memory.buffer.slice(at, at + from.answer_bytes());
    if (frame.byteLength < 4) return "";
    const length = new DataView(frame).getUint32(0, true);
    return JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 4, length))).error ?? "";
  }
}
