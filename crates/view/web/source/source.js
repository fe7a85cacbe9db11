// The interface that the page draws from, the same for a live server and a report.

/**
 * A question to the engine; crates/engine/PROTOCOL.md lists them.
 * @typedef {{op: string, [field: string]: unknown}} Question
 *
 * Options of a question. Urgent ones, which the user waits for, have a higher `priority`; the default is 0.
 * `snapshot` selects a snapshot of a recording; the default is the source's own.
 * @typedef {{signal?: AbortSignal, priority?: number, snapshot?: number}} AskOptions
 *
 * @typedef {Float64Array | Float32Array | Uint32Array | Uint16Array | Uint8Array} Column
 *
 * An answer: a JSON object and columns by name.
 * @typedef {{json: any, columns: Record<string, any>}} Answer
 *
 * Loading progress: bytes read and their total (0 if unknown).
 * @typedef {{done: number, total: number, recorded?: boolean}} Progress `recorded`: a recording has no data yet
 *
 * @typedef {object} TraceSource
 * @property {boolean} live Whether a server answers (files can be dropped on the page).
 * @property {(question: Question, options?: AskOptions) => Promise<Answer>} ask
 *   Rejects with an `AskError` if there is no answer, with an `AbortError` if `signal` was aborted.
 * @property {(report: (progress: Progress) => void) => Promise<void>} ready
 *   Resolves once the first picture can be asked for; rejects with an `AskError` that gives the reason why the trace cannot be loaded.
 * @property {Promise<void>} [loaded] Resolves once a report's trace is loaded, which can be later; rejects as `ready` does.
 * @property {(op: string) => {question: any, answer: Answer}[]} [kept] The answers to this kind of question that came with the trace.
 * @property {() => void} [pictured] Reports that the first picture is drawn. Until then, a report answers only the questions that it needs.
 * @property {number} [snapshot] The current snapshot, while the trace is recorded.
 * @property {string} [said] The result of the recording.
 */

/** The reason why there is no answer, in one sentence. `gone`: there is no server any more. */
export class AskError extends Error {
  /** @param {string} message @param {boolean} [gone] */
  constructor(message, gone = false) {
    super(message);
    this.name = "AskError";
    this.gone = gone;
  }
}

/** Whether an answer is missing because the server stopped. @param {unknown} error */
export const isGone = error => error instanceof AskError && error.gone;

/** Whether this is the rejection of an aborted question, which needs no message. */
export function isAbort(/** @type {unknown} */ error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/** The rejection of an aborted question. */
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
 * Decodes a frame. Columns are views of `buffer`, not copies, so they start at multiples of
 * eight bytes. All machines with browsers are little-endian.
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
