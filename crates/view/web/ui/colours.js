// Colours of slices: by name, the same in every trace, or Traceview's cycle by rank. They are computed in OKLCH, where equal lightness looks
// equally bright. Neighbouring hues also differ in lightness, for people who distinguish fewer hues.

/** Traceview's colours, in its order. */
const TRACEVIEW = "5a5aff 00f000 ff0000 00ffff ff50ff c8c800 2800c8 96ff96 960000 1e9696 c8c8ff 007800 ff9696 8c508c 966432 464646".split(" ");
/** Hues in the order in which they are assigned, as degrees: blue, orange, green, yellow, purple, cyan, red, violet. */
const HUES = [255, 62, 160, 98, 330, 215, 30, 292];

const NONE = 0xffffffff;

/** Index of a colour in the palette: 0..255 by name, 256.. by rank. */
export const RANKED = 256;

/** @param {number} x linear @returns {number} 0..255 */
const gamma = x => Math.round(255 * Math.max(0, Math.min(1, x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055)));

/** @param {number} light 0..1 @param {number} chroma @param {number} degrees @returns {[number, number, number]} sRGB */
function oklch(light, chroma, degrees) {
  const a = chroma * Math.cos(degrees * Math.PI / 180), b = chroma * Math.sin(degrees * Math.PI / 180);
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)];
}

/** @param {number[]} rgb */
const hex = rgb => `#${rgb.map(part => part.toString(16).padStart(2, "0")).join("")}`;
/** @param {string} text @returns {number[]} */
const parts = text => [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16));
/** @param {number[]} rgb relative luminance */
const luminance = rgb => rgb.reduce((sum, part, at) => sum + [0.2126, 0.7152, 0.0722][at] * (part / 255) ** 2.2, 0);

/** Black or white, whichever has more contrast. @param {number[]} rgb */
const inkOn = rgb => luminance(rgb) > 0.197 ? "#14161b" : "#ffffff";

/** The text colour for a background colour. @param {string} colour hex */
export const inkFor = colour => inkOn(parts(colour));

/**
 * @typedef {object} Palette
 * @property {string[]} fill by index
 * @property {string[]} ink text colour on it
 * @property {string[]} faded the colour while other things are highlighted
 * @property {[string, string][]} pairs fill and ink
 */
/** @typedef {Record<"back" | "ink" | "ink2" | "line" | "row" | "focus" | "accent" | "range" | "font" | "small" | "missed" | "ontime" | "hit", string> & {states: string[]}} CanvasColours */

/** @type {Palette} */
const palette = {fill: [], ink: [], faded: [], pairs: []};
/** @type {CanvasColours} */
let canvas = /** @type {any} */ ({states: []});
/** @type {Uint32Array | null} */
let ranks = null;

function fillPalette(/** @type {boolean} */ dark, /** @type {number[]} */ back) {
  for (let index = 0; index < RANKED + TRACEVIEW.length; index++) {
    const step = (index >> 3) % 3 - 1;
    const lean = index % 2 ? 0.03 : -0.03;
    const light = dark ? 0.665 + step * 0.04 + lean : 0.785 + step * 0.045 + lean;
    const rgb = index < RANKED ? oklch(light, dark ? 0.088 : 0.09, HUES[index % 8] + (index >> 3) % 5 * 5 - 10) : parts(`#${TRACEVIEW[index - RANKED]}`);
    palette.fill[index] = hex(rgb);
    palette.ink[index] = inkOn(rgb);
    palette.faded[index] = hex(rgb.map((part, at) => Math.round(back[at] + (part - back[at]) * (dark ? 0.42 : 0.34))));
    palette.pairs[index] = [palette.fill[index], palette.ink[index]];
  }
}

/** Reads the colours of the page again after it became light or dark. @param {boolean} dark */
export function readColours(dark) {
  const style = getComputedStyle(document.documentElement);
  const value = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["back", "ink", "ink2", "line", "row", "focus", "accent", "range", "missed", "ontime", "hit"];
  canvas = /** @type {any} */ (Object.fromEntries(names.map(name => [name, value(name)])));
  canvas.font = `11px ${value("sans")}`;
  canvas.small = `10px ${value("sans")}`;
  canvas.states = ["unknown", "running", "runnable", "preempted", "sleeping", "uninterruptible", "io", "stopped", "dead"].map(state => value(`state-${state}`));
  fillPalette(dark, parts(canvas.back));
}

/** Sets colours by rank (one rank per NameId), or by name with null. @param {Uint32Array | null} list */
export function setRanks(list) { ranks = list; }

/** The colour of a slice as an index into the palette. @param {number} hue from the engine @param {number} name NameId */
export function colourIndex(hue, name) {
  const rank = ranks?.[name] ?? NONE;
  return rank === NONE ? hue : RANKED + rank % TRACEVIEW.length;
}

/** Fill and ink of a slice. @param {number} hue @param {number} name @returns {[string, string]} */
export const hueFill = (hue, name) => palette.pairs[colourIndex(hue, name)];

/** Fill and ink of a less important item in the slice's colour. @param {number} hue @param {number} name @returns {[string, string]} */
export const mutedFill = (hue, name) => [palette.faded[colourIndex(hue, name)], canvas.ink];

/** @returns {Palette} */
export const colourPalette = () => palette;

/** All other colours for canvases; the same object until the theme changes. */
export const canvasColours = () => canvas;

/** The colour of a rank in Traceview's cycle. @param {number} rank @returns {[string, string]} */
export const rankFill = rank => palette.pairs[RANKED + rank % TRACEVIEW.length];

/** Fill and ink of a difference: orange for more, blue for less. @param {number} share -1..1 @returns {[string, string]} */
export function diffFill(share) {
  const back = parts(canvas.back), end = share < 0 ? [60, 130, 220] : [225, 110, 30];
  const much = 0.1 + 0.9 * Math.min(1, Math.abs(share)) ** 0.6;
  const rgb = share ? back.map((part, at) => Math.round(part + (end[at] - part) * much)) : parts(canvas.line);
  return [hex(rgb), inkOn(rgb)];
}
