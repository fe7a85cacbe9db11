// The cells of a result: their text, and their value as a number.

/** @param {any} cell @returns {string} */
export function textOf(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell !== "object") return String(cell);
  return "b" in cell ? `<${cell.b} bytes>` : String(cell.t);
}

/** NaN if it is no number. @param {any} cell */
export const numberOf = cell => typeof cell === "number" ? cell : cell && typeof cell === "object" && "t" in cell ? Number(cell.t) : NaN;

/** Whether a cell is a number. @param {any} cell */
export const isNumber = cell => !Number.isNaN(numberOf(cell));

/** A time of the trace's clock as the page counts it, or NaN. Both may be too large for an exact double, so integers are subtracted. @param {any} cell @param {string} origin ns */
export function momentOf(cell, origin) {
  const text = typeof cell === "number" ? String(cell) : cell?.t;
  return /^-?\d+$/.test(text ?? "") ? Number(BigInt(text) - BigInt(origin)) : NaN;
}

/** The index of each column by its name in lowercase; of equal names, the first counts. @param {string[]} columns @returns {Record<string, number>} */
export function placesOf(columns) {
  /** @type {Record<string, number>} */
  const places = Object.create(null);
  columns.forEach((name, at) => { places[name.toLowerCase()] ??= at; });
  return places;
}

/** The shown rows of a result as CSV. @param {{columns: string[], rows: any[][]}} result */
export function csvOf({columns, rows}) {
  const field = (/** @type {string} */ text) => {
    // A spreadsheet would evaluate a text that begins like this.
    if (/^[=+@\t\r-]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows].map(row => row.map(cell => field(textOf(cell))).join(",")).join("\r\n") + "\r\n";
}
