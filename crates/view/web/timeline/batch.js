// Collects the rectangles of a frame and draws them by colour, because changing the fill style costs more than a rectangle.

let room = 4096;
let x = new Float32Array(room), y = new Float32Array(room), w = new Float32Array(room), h = new Float32Array(room);
let colour = new Uint16Array(room), order = new Uint32Array(room);
let count = 0;

function grow() {
  room *= 2;
  const wider = (/** @type {Float32Array} */ old) => { const next = new Float32Array(room); next.set(old); return next; };
  [x, y, w, h] = [x, y, w, h].map(wider);
  const next = new Uint16Array(room);
  next.set(colour);
  colour = next;
  order = new Uint32Array(room);
}

/** @param {number} index of the colour @param {number} left @param {number} top @param {number} wide @param {number} high px */
export function rect(index, left, top, wide, high) {
  if (count === room) grow();
  colour[count] = index;
  x[count] = left;
  y[count] = top;
  w[count] = wide;
  h[count++] = high;
}

/** Draws the collected rectangles. @param {CanvasRenderingContext2D} ctx @param {string[]} styles by index */
export function flush(ctx, styles) {
  const starts = new Uint32Array(styles.length + 1);
  for (let at = 0; at < count; at++) starts[colour[at] + 1]++;
  for (let at = 1; at < starts.length; at++) starts[at] += starts[at - 1];
  const next = starts.slice();
  for (let at = 0; at < count; at++) order[next[colour[at]]++] = at;
  for (let index = 0; index < styles.length; index++) {
    if (starts[index] === starts[index + 1]) continue;
    ctx.fillStyle = styles[index];
    for (let place = starts[index]; place < starts[index + 1]; place++) {
      const at = order[place];
      ctx.fillRect(x[at], y[at], w[at], h[at]);
    }
  }
  const drawn = count;
  count = 0;
  return drawn;
}
