// Unpacks what a report carries packed; crates/pack says how.

/**
 * Runs the unpacker, which is WebAssembly. Its text is the source of a worker too: nothing outside
 * of this function may be used in it.
 *
 * @param {BufferSource} unpacker @param {Uint8Array} packed
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function unpack(unpacker, packed) {
  const {instance} = await WebAssembly.instantiate(unpacker);
  const {memory, unpack, __heap_base: {value: at}} = /** @type {any} */ (instance.exports);
  const length = new DataView(packed.buffer).getUint32(0, true), end = at + packed.length;
  memory.grow(packed.length + length + 65535 >> 16);
  new Uint8Array(memory.buffer, at).set(packed);
  unpack(at, packed.length, end, length);
  return new Uint8Array(memory.buffer.slice(end, end + length));
}

/**
 * The same beside the page's own thread, or on it if the browser forbids that.
 *
 * @param {BufferSource} unpacker @param {Uint8Array} packed
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export function unpackBeside(unpacker, packed) {
  return new Promise((resolve, reject) => {
    const here = () => unpack(unpacker, packed).then(resolve, reject);
    try {
      const source = `onmessage=({data})=>(${unpack})(...data).then((out)=>postMessage(out,[out.buffer]),()=>postMessage(0))`;
      const worker = new Worker(URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
      worker.onmessage = ({data}) => {
        worker.terminate();
        if (data) resolve(data);
        else here();
      };
      worker.onerror = (event) => {
        event.preventDefault();
        here();
      };
      worker.postMessage([unpacker, packed]);
    } catch {
      here();
    }
  });
}
