// Fits names into slices. Widths are measured once per character, and shortened names are cached.

/** @typedef {{text: string, width: number, short: string, shortWidth: number, bare: string, bareWidth: number, cuts: string[]}} Fit */

/** @type {Map<string, number>} */
const glyphs = new Map();
/** @type {Map<number | string, Fit>} */
const fits = new Map();
let font = "";

/** Discards widths when the font changes. @param {CanvasRenderingContext2D} ctx @param {string} now */
export function setFont(ctx, now) {
  ctx.font = now;
  if (font === now) return;
  font = now;
  glyphs.clear();
  fits.clear();
}

/** @param {CanvasRenderingContext2D} ctx @param {string} text */
function measure(ctx, text) {
  let sum = 0;
  for (const glyph of text) {
    let width = glyphs.get(glyph);
    if (width === undefined) glyphs.set(glyph, width = ctx.measureText(glyph).width);
    sum += width;
  }
  return sum;
}

/** @param {CanvasRenderingContext2D} ctx @param {number | string} key @param {string} text */
function fitOf(ctx, key, text) {
  let fit = fits.get(key);
  if (fit) return fit;
  const short = text.replace(/^(?:[\w$]+\.)+(?=[\w$]+\.[\w$<]+)/, "");
  // The method's name without its class.
  const bare = /^[\w$]+\.[\w$<>]+$/.test(short) ? short.slice(short.indexOf(".") + 1) : short;
  fit = {text, width: measure(ctx, text), short, shortWidth: measure(ctx, short), bare, bareWidth: measure(ctx, bare), cuts: []};
  if (fits.size > 20000) fits.clear();
  fits.set(key, fit);
  return fit;
}

/**
 * Shortens a text to fit: first without the package, then without the class, then only its start.
 * @param {CanvasRenderingContext2D} ctx @param {number | string} key @param {string} text @param {number} room px
 */
export function fitted(ctx, key, text, room) {
  const fit = fitOf(ctx, key, text);
  if (fit.width <= room) return fit.text;
  if (fit.shortWidth <= room) return fit.short;
  if (fit.bareWidth <= room) return fit.bare;
  const {length} = fit.bare, chars = Math.min(length - 1, Math.floor((room - 10) / fit.bareWidth * length));
  return chars < 3 ? "" : fit.cuts[chars] ??= `${fit.bare.slice(0, chars)}…`;
}
