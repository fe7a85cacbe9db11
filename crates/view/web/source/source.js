// What the page draws from: the same questions and answers for a live server and for a report.

/**
 * A question to the engine; crates/engine/PROTOCOL.md lists them.
 * @typedef {{op: string, [field: string]: unknown}} Question
 *
 * How to ask. Urgent questions (what the finger waits for) have a higher `priority`; 0 is usual.
 * `snapshot` asks that one of what is being recorded; missing: the source's own.
 * @typedef {{signal?: AbortSignal, priority?: number, snapshot?: number}} AskOptions
 *
 * @typedef {Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array} Column
 *
 * An answer: a JSON object and columns by name.
 * @typedef {{json: any, columns: Record<string, any>}} Answer
 *
 * How far the trace is: bytes read of so many (0: not known).
 * @typedef {{done: number, total: number, recorded?: boolean}} Progress `recorded`: nothing of a recording came yet
 *
 * @typedef {object} TraceSource
 * @property {boolean} live Whether a server answers (files can be dropped on the page).
 * @property {(question: Question, options?: AskOptions) => Promise<Answer>} ask
 *   Rejects with an `AskError` if there is no answer, with an `AbortError` if `signal` was aborted.
 * @property {(report: (progress: Progress) => void) => Promise<void>} ready
 *   Resolves once the trace is loaded; rejects with an `AskError` that says why it cannot be.
 * @property {number} [snapshot] Which snapshot is asked, while the trace is recorded.
 * @property {string} [said] What became of the recording.
 */

/** There is no answer; the message says why in one sentence. */
export class AskError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "AskError";
  }
}

/** Rejections of aborted questions: nobody waits, so nothing is to be shown. */
export function isAbort(/** @type {unknown} */ error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/** What an aborted question rejects with. */
export function aborted() {
  return new DOMException("nobody waits for this answer", "AbortError");
}

const TYPES = {
  f64: Float64Array,
  f32: Float32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
};

/**
 * Takes a frame apart. Columns are views of `buffer`, not copies: columns begin at multiples of
 * eight bytes for that. Every machine that runs a browser is little-endian.
 *
 * @param {ArrayBuffer} buffer
 * @returns {Answer}
 */
export function decode(buffer) {
  if (buffer.byteLength < 4) throw new AskError("the answer broke off");
  const length = new DataView(buffer).getUint32(0, true);
  if (length > buffer.byteLength - 4) throw new AskError("the answer broke off");
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  if (typeof json.error === "string") throw new AskError(json.error);
  /** @type {Record<string, Column>} */
  const columns = {};
  let at = eight(4 + length);
  for (const [name, type, count] of json.columns) {
    const Type = TYPES[/** @type {keyof typeof TYPES} */ (type)];
    columns[name] = new Type(buffer, at, count);
    at = eight(at + columns[name].byteLength);
  }
  return {json, columns};
}

/** @param {number} bytes */
function eight(bytes) {
  return Math.ceil(bytes / 8) * 8;
}
