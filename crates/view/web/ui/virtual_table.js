// A table of any length: only visible rows are in the document. Columns can be sorted and resized; the keyboard works as in a tree grid. The
// caller defines the rows.
import {el} from "ui/dom";
import {oneLine} from "ui/format";

/**
 * @template R
 * @typedef {object} Column
 * @property {string} id
 * @property {string} label its heading; a line break starts a second line
 * @property {string} [title] its contents, in one sentence
 * @property {number} width px
 * @property {boolean} [text] left-aligned, and uses the remaining space
 * @property {boolean} [fixed] text that leaves that space to others
 * @property {(row: R) => string | number} [key] the sort key; without it, the column is not sortable
 * @property {(row: R) => string} show its text, for the cell and for copying
 * @property {[string, (row: R) => string | number][]} [csv] headings and values in a CSV file, if the cell has several facts
 * @property {(cell: HTMLElement, row: R) => void} [draw] fills a cell where plain text isn't enough
 */

/**
 * @template R
 * @typedef {object} TableOptions
 * @property {string} label
 * @property {string} [testid]
 * @property {Column<R>[]} columns
 * @property {number} [rowHeight] px
 * @property {(row: R) => string} [classOf] classes of a row
 * @property {(row: R) => number} [levelOf] nesting, from 1: makes it a tree
 * @property {(row: R) => boolean | undefined} [isOpen] undefined: nothing to open
 * @property {(row: R, open: boolean) => void} [onToggle]
 * @property {(row: R, at: number) => void} [onSelect] the user moved the cursor to it
 * @property {(row: R) => void} [onEnter] Enter or a double click
 * @property {(column: string, down: boolean) => void} [onSort]
 * @property {string} [follow] the part of a row to which the table scrolls horizontally with the cursor
 * @property {(key: string) => boolean} [onKey] a key that the table does not handle; returns whether it was used
 */

let made = 0;
const GRIP_STEP = 16;
/** The distance from which a heading is dragged instead of clicked, px. */
const CARRY = 6;

/** @template R @param {TableOptions<R>} options */
export function virtualTable(options) {
  const {rowHeight = 22, levelOf, isOpen, classOf} = options;
  const prefix = `vt${++made}`;
  const head = el("div", {class: "vt-row vt-head", role: "row", "aria-rowindex": "1"});
  const space = el("div", {class: "vt-space", role: "rowgroup"});
  const root = el("div", {class: "vt", role: levelOf ? "treegrid" : "grid", tabindex: "0", "aria-label": options.label,
    "data-testid": options.testid ?? "table"}, el("div", {class: "vt-headgroup", role: "rowgroup"}, head), space);
  /** @type {R[]} */
  let rows = [];
  let columns = options.columns;
  let at = -1;
  let sorted = {column: "", down: true};
  /** The ids of the columns in the user's order; the first column cannot be moved. @type {string[]} */
  let order = [];
  /** @type {Map<string, number>} */
  const widths = new Map();
  /** @type {HTMLElement[]} */
  const pool = [];
  let waiting = 0;
  let version = 0;
  let moved = false;

  const later = () => { waiting ||= requestAnimationFrame(() => { waiting = 0; paint(); }); };
  const widthOf = (/** @type {Column<R>} */ column) => widths.get(column.id) ?? column.width;

  function layout() {
    const list = columns.map(column => column.text && !column.fixed && !widths.has(column.id) ? `minmax(${column.width}px,1fr)` : `${widthOf(column)}px`);
    root.style.setProperty("--cols", list.join(" "));
    root.style.setProperty("--row", `${rowHeight}px`);
    space.style.minWidth = head.style.minWidth = `${columns.reduce((sum, column) => sum + widthOf(column), 0)}px`;
    root.setAttribute("aria-colcount", String(columns.length));
  }

  /** @param {Column<R>} column @param {number} nth */
  function heading(column, nth) {
    const mark = sorted.column === column.id ? (sorted.down ? "descending" : "ascending") : "none";
    const button = el("button", {class: "vt-sort", type: "button", tabindex: nth ? "-1" : "0"}, column.label);
    button.disabled = !column.key;
    const grip = el("span", {class: "vt-grip", "aria-hidden": "true"});
    const cell = el("div", {class: `vt-cell${column.text ? " text" : ""}`, role: "columnheader", "aria-sort": mark, title: column.title ?? "",
      "data-testid": `col-${column.id}`}, button, grip);
    button.onclick = () => { if (!carried) sort(column.id); };
    button.onkeydown = event => headKey(event, nth);
    button.onpointerdown = event => carry(event, column.id, cell);
    grip.onpointerdown = event => drag(event, column, cell);
    grip.ondblclick = () => fit(column, nth);
    return cell;
  }

  function headings() {
    head.replaceChildren(...columns.map(heading));
    layout();
  }

  /** @param {string} id @param {boolean} [down] */
  function sort(id, down) {
    const column = columns.find(column => column.id === id);
    if (!column?.key) return;
    sorted = {column: id, down: down ?? (sorted.column === id ? !sorted.down : !column.text)};
    columns.forEach((column, nth) => head.children[nth].setAttribute("aria-sort",
      column.id !== id ? "none" : sorted.down ? "descending" : "ascending"));
    options.onSort?.(id, sorted.down);
  }

  /** @param {Column<R>} column @param {number} width */
  function resize(column, width) {
    widths.set(column.id, Math.max(36, width));
    layout();
  }

  /** @param {KeyboardEvent} event @param {number} nth */
  function headKey(event, nth) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.ctrlKey) return move(columns[nth].id, nth + step);
    if (event.shiftKey) return resize(columns[nth], head.children[nth].clientWidth + step * GRIP_STEP);
    const buttons = [...head.querySelectorAll("button")];
    const to = buttons[nth + step];
    if (!to) return;
    buttons.forEach(button => { button.tabIndex = button === to ? 0 : -1; });
    to.focus();
  }

  /** @param {PointerEvent} event @param {Column<R>} column @param {HTMLElement} cell */
  function drag(event, column, cell) {
    const grip = /** @type {HTMLElement} */ (event.currentTarget);
    const start = cell.offsetWidth - event.clientX;
    event.preventDefault();
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = move => resize(column, start + move.clientX);
    grip.onlostpointercapture = () => { grip.onpointermove = null; };
  }

  /** Columns in the user's order; new ones come last. @param {Column<R>[]} list */
  function inOrder(list) {
    const place = (/** @type {Column<R>} */ {id}) => (order.indexOf(id) + 1) || Infinity;
    return order.length ? [list[0], ...list.slice(1).sort((a, b) => (place(a) - place(b)) || 0)] : list;
  }

  /** @param {string} id @param {number} to */
  function move(id, to) {
    const ids = columns.map(({id}) => id), from = ids.indexOf(id);
    if (from < 1 || to < 1 || to >= ids.length) return;
    ids.splice(to, 0, ...ids.splice(from, 1));
    order = ids;
    columns = inOrder(columns);
    headings();
    refresh();
    /** @type {HTMLElement | null} */ (head.children[to].querySelector("button"))?.focus();
  }

  let carried = false;
  /** Moves a column while its heading is dragged. @param {PointerEvent} event @param {string} id @param {HTMLElement} cell */
  function carry(event, id, cell) {
    const start = event.clientX, button = /** @type {HTMLElement} */ (event.currentTarget);
    carried = false;
    if (event.button || cell === head.firstChild) return;
    button.onpointermove = ({clientX, pointerId}) => {
      if (!carried && Math.abs(clientX - start) < CARRY) return;
      carried = true;
      button.setPointerCapture(pointerId);
      cell.style.transform = `translateX(${clientX - start}px)`;
    };
    button.onpointerup = ({clientX}) => {
      button.onpointermove = button.onpointerup = null;
      cell.style.transform = "";
      const others = [...head.children].filter(other => other !== cell).map(other => other.getBoundingClientRect());
      if (carried) move(id, Math.max(1, others.filter(({left, right}) => (left + right) / 2 < clientX).length));
    };
  }

  /** Sets the width that the visible cells need. @param {Column<R>} column @param {number} nth */
  function fit(column, nth) {
    resize(column, 36);
    resize(column, Math.max(...[head, ...pool].map(row => (row.children[nth]?.scrollWidth ?? 0) + 12)));
  }

  /** @param {HTMLElement} row @param {number} index */
  function fill(row, index) {
    const value = rows[index];
    row.id = `${prefix}-${index}`;
    row.className = `vt-row ${classOf?.(value) ?? "line"}${index === at ? " at" : ""}`;
    row.style.transform = `translateY(${index * rowHeight}px)`;
    row.setAttribute("aria-rowindex", String(index + 2));
    row.setAttribute("aria-selected", String(index === at));
    if (levelOf) {
      row.setAttribute("aria-level", String(levelOf(value)));
      const open = isOpen?.(value);
      if (open === undefined) row.removeAttribute("aria-expanded");
      else row.setAttribute("aria-expanded", String(open));
    }
    while (row.children.length > columns.length) row.lastChild?.remove();
    columns.forEach((column, nth) => {
      let cell = /** @type {HTMLElement} */ (row.children[nth]);
      if (!cell) row.append(cell = el("div", {role: "gridcell"}));
      cell.className = `vt-cell${column.text ? " text" : ""}${column.draw ? " drawn" : ""}`;
      if (column.draw) return column.draw(cell, value);
      cell.textContent = oneLine(column.show(value));
      if (column.text) cell.title = cell.textContent;
    });
  }

  /** Rows keep their element while they stay on the screen, so scrolling by one row fills only one. */
  function paint() {
    const shown = Math.ceil(root.clientHeight / rowHeight) + 2;
    const first = Math.max(0, Math.floor(root.scrollTop / rowHeight) - 1);
    const wanted = Math.min(shown, rows.length);
    while (pool.length > wanted) pool.pop()?.remove();
    while (pool.length < wanted) {
      const row = el("div", {role: "row"});
      pool.push(row);
      space.append(row);
    }
    const stride = pool.length;
    for (let slot = 0; slot < stride; slot++) {
      const index = first + ((slot - first % stride) + stride) % stride;
      const row = pool[slot];
      row.hidden = index >= rows.length || index >= first + shown;
      const mark = `${index}/${version}`;
      if (row.hidden || row.dataset.is === mark) continue;
      fill(row, index);
      row.dataset.is = mark;
    }
    const active = at >= first && at < first + shown ? `${prefix}-${at}` : "";
    if (moved && options.follow) pool[at % stride]?.querySelector(options.follow)?.scrollIntoView({block: "nearest", inline: "nearest"});
    moved = false;
    if (active) root.setAttribute("aria-activedescendant", active);
    else root.removeAttribute("aria-activedescendant");
  }

  function refresh() {
    version++;
    later();
  }

  /** @param {R[]} list */
  function setRows(list) {
    rows = list;
    at = Math.min(at, rows.length - 1);
    space.style.height = `${rows.length * rowHeight}px`;
    root.setAttribute("aria-rowcount", String(rows.length + 1));
    refresh();
  }

  /** Moves the cursor without calling listeners. @param {number} index @param {boolean} [centre] */
  function select(index, centre) {
    moved = index !== at;
    at = index;
    if (index >= 0) reveal(index, centre);
    refresh();
  }

  /** @param {number} index @param {boolean} [centre] */
  function reveal(index, centre) {
    const top = index * rowHeight, height = root.clientHeight - head.offsetHeight - rowHeight;
    const {scrollTop} = root;
    if (top >= scrollTop && top <= scrollTop + height) return;
    root.scrollTop = centre ? top - height / 2 : top < scrollTop ? top : top - height;
  }

  /** @param {number} index */
  function choose(index) {
    if (!rows.length) return;
    const to = Math.max(0, Math.min(rows.length - 1, index));
    select(to);
    options.onSelect?.(rows[to], to);
  }

  /** @param {boolean} open whether → or ← was pressed: opens, closes, or goes in or out */
  function turn(open) {
    const row = rows[at];
    if (!row || !levelOf) return;
    const now = isOpen?.(row);
    if (now === !open) return options.onToggle?.(row, open);
    if (open) { if (now && rows[at + 1]) choose(at + 1); return; }
    const level = levelOf(row);
    for (let up = at - 1; up >= 0; up--) if (levelOf(rows[up]) < level) return choose(up);
  }

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.target !== root || event.altKey) return;
    const page = Math.max(1, Math.floor(root.clientHeight / rowHeight) - 2);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1}[event.key];
    if ((event.ctrlKey || event.metaKey)) {
      if (event.key !== "c" || !rows[at] || String(getSelection())) return;
      navigator.clipboard?.writeText(line(rows[at]));
    } else if (to !== undefined) choose(to);
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") turn(event.key === "ArrowRight");
    else if (event.key === "Enter" && rows[at]) options.onEnter?.(rows[at]);
    else if (event.key === " " && rows[at]) options.onToggle?.(rows[at], !isOpen?.(rows[at]));
    else if (!options.onKey?.(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {MouseEvent} event */
  function rowAt(event) {
    const element = /** @type {HTMLElement} */ (event.target).closest(".vt-space > .vt-row");
    return element ? Number(element.id.slice(prefix.length + 1)) : -1;
  }

  /** @param {R} row @param {string} [between] */
  function line(row, between = "\t") {
    return columns.map(column => quote(column.show(row), between)).join(between);
  }

  /** The rows as CSV: plain numbers, and one fact in each column. @param {(row: R) => boolean} [keep] */
  function csv(keep = () => true) {
    const cells = columns.flatMap(column => column.csv ?? [/** @type {[string, (row: R) => string | number]} */ ([titleOf(column), row => plain(column.show(row))])]);
    const lineOf = (/** @type {(string | number)[]} */ values) => values.map(value => quote(String(value), ",")).join(",");
    return [lineOf(cells.map(([title]) => title)), ...rows.filter(keep).map(row => lineOf(cells.map(([, value]) => value(row))))].join("\n") + "\n";
  }

  /** All rows as text with a heading. @param {string} between */
  function text(between) {
    const titles = columns.map(column => quote(titleOf(column), between)).join(between);
    return [titles, ...rows.map(row => line(row, between))].join("\n") + "\n";
  }

  root.addEventListener("scroll", later, {passive: true});
  root.onkeydown = key;
  root.onclick = event => {
    const index = rowAt(event), row = rows[index];
    if (!row) return;
    if (/** @type {HTMLElement} */ (event.target).closest(".twisty")) options.onToggle?.(row, !isOpen?.(row));
    choose(index);
  };
  root.ondblclick = event => { const row = rows[rowAt(event)]; if (row) options.onEnter?.(row); };
  let high = 0;
  new ResizeObserver(() => {
    if (!high && at >= 0) reveal(at, true);
    high = root.clientHeight;
    refresh();
  }).observe(root);
  headings();

  return {
    element: root, setRows, select, refresh, sort, text, csv,
    /** The largest width up to `most` at which no column is cut, px; `most` if that would be too small. @param {number} most */
    snap(most) {
      const bar = root.offsetWidth - root.clientWidth;
      let sum = bar, best = 0;
      for (const column of columns) if ((sum += widthOf(column)) <= most) best = sum;
      return best > most * 0.6 && sum > most ? best : most;
    },
    rows: () => rows,
    cursor: () => at,
    sorted: () => sorted,
    setColumns(/** @type {Column<R>[]} */ list) { columns = inOrder(list); headings(); refresh(); },
  };
}

/** The heading of a column on one line. @param {{label: string}} column */
const titleOf = ({label}) => label.replace("/\n", "/").replace("\n", " ");

/** A number without separators and units, such as `-1234.5`; any other text as it is. @param {string} text */
const plain = text => /^[+−-]?[\d,]+(\.\d+)?( %)?$/.test(text) ? text.replace(/[,+ %]/g, "").replace("−", "-") : text;

/** @param {string} text @param {string} between */
function quote(text, between) {
  // A spreadsheet would evaluate a text that begins like this.
  if (/^[=+@\t-]/.test(text) && !/^[+-]?[\d.,]+$/.test(text)) text = `'${text}`;
  if (between === "\t") return text.replace(/[\t\n\r]/g, " ");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
