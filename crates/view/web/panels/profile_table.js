// Traceview's profile table: one row per method, which opens into its callers and callees.
import {el} from "ui/dom";
import {virtualTable} from "ui/virtual_table";
import {chip, elided, fullName, shareBar, signature, unfinishedColumn} from "panels/cells";
import {CLOCKS, clocksOf, count, ms, msWidth, percent, wholeOf} from "panels/numbers";

/** @typedef {import("panels/model").Row} Row */
/** @typedef {import("panels/model").Edge} Edge */
/** @typedef {import("panels/model").Profile} Profile */

/**
 * @typedef {object} Line a line of the table
 * @property {Row} row its method, or the method that it belongs to
 * @property {string} kind "method", or the section: "parents", "children" …
 * @property {Edge} [edge]
 * @property {boolean} [heading] opens its section
 */

/** @typedef {Record<string, Edge[]> & {own: import("panels/model").Times}} Report */

const SECTIONS = [["parents", "Parents"], ["children", "Children"], ["recursive_parents", "Parents while recursive"],
  ["recursive_children", "Children while recursive"]];

/** @param {"inclusive" | "exclusive"} which @param {`${import("panels/model").Clock}_ns`} clock */
const timeOf = (which, clock) => (/** @type {Line} */ {row, edge, heading}) =>
  heading ? undefined : edge ? (which === "inclusive" ? edge.inclusive[clock] : undefined) : row[which][clock];

/**
 * The columns that these clocks have, as Traceview orders them, but first those of the clock that ranks the profile.
 * @param {Profile} profile
 * @returns {import("ui/virtual_table").Column<Line>[]}
 */
function columnsOf(profile) {
  const columns = [nameColumn()];
  const usual = clocksOf(profile).filter(([clock]) => clock === "cpu" || clock === "wall" || clock === profile.clock);
  usual.sort(([a], [b]) => Number(b === profile.clock) - Number(a === profile.clock));
  const clocks = usual.map(([clock, label]) => /** @type {const} */ ([/** @type {const} */ (`${clock}_ns`), label]));
  for (const [clock, label] of clocks) {
    const all = wholeOf(profile, clock);
    for (const [which, short, what] of /** @type {const} */ ([["inclusive", "Incl", "with"], ["exclusive", "Excl", "without"]])) {
      const value = timeOf(which, clock);
      // Nested recursive calls may add up to more than the method's time, so a share is meaningless.
      const part = (/** @type {Line} */ line) => line.edge && line.kind.startsWith("rec") ? undefined : value(line);
      const whole = (/** @type {Line} */ line) => line.edge ? line.row.inclusive[clock] : profile.total[clock];
      const key = (/** @type {Line} */ line) => value(line) ?? -1;
      const title = `${label} time ${what} what it calls`;
      columns.push(
        {id: `${short}-${label}-%`.toLowerCase(), label: `${short} ${label}\nTime %`, width: 68, key, show: line => percent(part(line), whole(line)), draw: (cell, line) => shareBar(cell, part(line), whole(line)),
          title: `${title}, in percent of all threads together; of a caller or callee: of the method's inclusive time`},
        {id: `${short}-${label}`.toLowerCase(), label: `${short} ${label}\nTime (ms)`, width: msWidth(all), key, show: line => ms(value(line), all), title});
    }
  }
  if (profile.unfinished) columns.push(unfinishedColumn(profile, ({row, edge, heading}) => edge || heading ? undefined : row));
  columns.push({id: "calls", label: "Calls+Recur\nCalls/Total", width: 98, key: ({row}) => row.calls + row.recursive_calls, show: callsOf,
    csv: [["Calls", ({row, edge, heading}) => heading ? "" : edge ? edge.calls : row.calls], ["Recursive calls", ({row, edge, heading}) => heading || edge ? "" : row.recursive_calls], ["Of calls", ({edge}) => edge?.of_calls ?? ""]],
    title: "Calls + recursive calls. For a caller or callee: calls / all calls of the callee"});
  for (const [clock, label] of clocks) {
    const value = (/** @type {Line} */ line) => line.edge || line.heading ? undefined : (line.row.inclusive[clock] ?? 0) / Math.max(1, line.row.calls + line.row.recursive_calls);
    columns.push({id: `${label}-call`.toLowerCase(), label: `${label} Time/\nCall (ms)`, width: 86, key: line => value(line) ?? 0, show: line => ms(value(line), wholeOf(profile, clock)),
      title: `Inclusive ${label} time divided by all calls`});
  }
  return columns;
}

/** @param {Line} line */
function callsOf({row, edge, heading}) {
  if (heading || edge?.of_calls === 0) return "";
  return edge ? `${count(edge.calls)}/${count(edge.of_calls)}` : `${count(row.calls)}+${count(row.recursive_calls)}`;
}

/** @param {Line} line */
function nameOf({row, edge, kind, heading}) {
  if (heading) return SECTIONS.find(([id]) => id === kind)?.[1] ?? kind;
  return edge ? edge.label : row.label;
}

/** @returns {import("ui/virtual_table").Column<Line>} */
function nameColumn() {
  return {id: "name", label: "Name", width: 270,
    csv: [["Rank", line => line.heading ? "" : (line.edge ?? line.row).rank || ""], ["Section", ({kind}) => SECTIONS.find(([id]) => id === kind)?.[1] ?? ""], ["Name", line => line.heading ? "" : nameOf(line)], ["Signature", line => line.heading ? "" : (line.edge ?? line.row).signature ?? ""]],
    text: true, key: ({row}) => row.label, draw: drawName,
    show: line => line.edge || line.heading ? `${line.heading ? "" : "  "}${nameOf(line)}` : `${line.row.rank} ${line.row.label} ${line.row.signature ?? ""}`.trim()};
}

/** @param {HTMLElement} cell @param {Line} line */
function drawName(cell, line) {
  const {row, edge, heading} = line;
  const name = nameOf(line), owner = edge ?? row;
  const parts = [el("span", {class: "twisty", "aria-hidden": "true"})];
  if (!heading && owner.rank) parts.push(chip(owner), el("span", {class: "rank"}, String(owner.rank)));
  parts.push(elided(name, edge?.rank ? "jump" : ""));
  if (!heading && owner.signature) parts.push(signature(owner));
  cell.classList.add(heading ? "level2" : edge ? "level3" : "level1");
  cell.title = heading ? "" : fullName(owner);
  cell.replaceChildren(...parts);
}

/**
 * @param {object} options
 * @param {import("panels/model").Model} options.model
 * @param {(row: Row) => void} options.onPick a method was chosen
 * @param {(key: string) => boolean} options.onType a key to be typed into the find box
 */
export function profileTable({model, onPick, onType}) {
  /** @type {Profile | null} */
  let profile = null;
  /** @type {Row[]} */
  let order = [];
  /** @type {Map<number, Report | null>} by rank; null: requested */
  let open = new Map();
  /** Sections that were closed by hand. */
  let shut = new Set();
  /** @type {string[]} */
  let labels = [];

  const table = virtualTable(/** @type {import("ui/virtual_table").TableOptions<Line>} */ ({
    label: "Profile", testid: "profile-table", columns: [nameColumn()],
    levelOf: line => line.heading ? 2 : line.edge ? 3 : 1,
    isOpen: ({row, kind, edge, heading}) => heading ? !shut.has(`${row.rank} ${kind}`) : edge || profile?.by === "thread" ? undefined : open.has(row.rank),
    classOf: ({kind, edge, heading}) => `line ${kind}${heading ? " heading" : edge ? " edge" : ""}`,
    onToggle: toggle,
    onSelect: line => { if (!line.edge && !line.heading) onPick(line.row); },
    onEnter: line => line.edge ? jump(line.edge) : toggle(line, !(line.heading ? !shut.has(`${line.row.rank} ${line.kind}`) : open.has(line.row.rank))),
    onSort: arrange, onKey: onType,
  }));
  table.element.addEventListener("click", event => {
    const line = table.rows()[table.cursor()];
    if (line?.edge && /** @type {HTMLElement} */ (event.target).closest(".jump")) jump(line.edge);
  });

  /** @param {Line} line @param {boolean} wanted */
  function toggle({row, kind, heading}, wanted) {
    const id = `${row.rank} ${kind}`;
    if (heading) wanted ? shut.delete(id) : shut.add(id);
    else if (!wanted) open.delete(row.rank);
    else fetchReport(row);
    flatten();
  }

  /** @param {Row} row */
  async function fetchReport(row) {
    const from = profile, into = open;
    into.set(row.rank, null);
    try {
      const report = await model.ask("method", {rank: row.rank, clock: from?.clock});
      if (!into.has(row.rank) || profile !== from) return;
      into.set(row.rank, report);
    } catch {
      into.delete(row.rank);
    }
    flatten();
  }

  /** The lines below an open row. @param {Row} row @param {Report} report @returns {Line[]} */
  function below(row, report) {
    return SECTIONS.flatMap(([kind]) => {
      /** @type {Line[]} */
      const edges = (report[kind] ?? []).map(edge => ({row, kind, edge: edge}));
      if (kind === "children" && report.own) edges.unshift({row, kind, edge: {rank: 0, label: "self", calls: 0, of_calls: 0, inclusive: report.own}});
      if (!edges.length) return [];
      return [{row, kind, heading: true}, ...(shut.has(`${row.rank} ${kind}`) ? [] : edges)];
    });
  }

  /** Lists the visible lines; the cursor stays on its line. */
  function flatten() {
    const before = table.rows()[table.cursor()];
    /** @type {Line[]} */
    const lines = [];
    for (const row of order) {
      lines.push({row, kind: "method"});
      const report = open.get(row.rank);
      if (report) lines.push(...below(row, report));
    }
    const same = (/** @type {Line} */ line) => line.row === before.row && line.kind === before.kind && line.heading === before.heading && line.edge?.rank === before.edge?.rank;
    table.setRows(lines);
    if (before) table.select(lines.findIndex(same));
  }

  /** @param {string} id @param {boolean} down */
  function arrange(id, down) {
    if (!profile) return;
    const key = columnsOf(profile).find(column => column.id === id)?.key;
    const keyed = profile.rows.map(row => ({row, key: key?.({row, kind: "method"}) ?? 0}));
    const sign = down ? -1 : 1;
    keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : a.row.rank - b.row.rank));
    order = keyed.map(({row}) => row);
    labels = [];
    flatten();
  }

  /** @param {Edge} edge */
  function jump(edge) {
    const row = profile?.rows[edge.rank - 1];
    if (row?.rank === edge.rank) onPick(row);
    if (row) reveal(row);
  }

  /** Moves the cursor to a method. @param {Row} row */
  function reveal(row) {
    const lines = table.rows();
    const now = lines[table.cursor()];
    if (now?.row === row && !now.edge && !now.heading) return;
    table.select(lines.findIndex(line => line.row === row && line.kind === "method"), true);
  }

  return {
    element: table.element, reveal, refresh: table.refresh, text: table.text, csv: () => table.csv(({heading}) => !heading), snap: table.snap,
    /** @param {Profile} loaded */
    show(loaded) {
      const other = profile?.clock !== loaded.clock;
      profile = loaded;
      open = new Map();
      shut = new Set();
      order = loaded.rows;
      labels = [];
      table.setColumns(columnsOf(loaded));
      table.setRows([]);
      const {column, down} = table.sorted();
      if (column && !other) arrange(column, down);
      // Traces without durations, such as those of strace without -T, have only calls to rank by.
      else table.sort(loaded.total[`${loaded.clock}_ns`] || loaded.unfinished ? `incl-${CLOCKS.find(([clock]) => clock === loaded.clock)?.[1]}`.toLowerCase() : "calls", true);
    },
    /** More rows have arrived. */
    grow() {
      const {column, down} = table.sorted();
      arrange(column, down);
    },
    /**
     * Goes to the next row that passes, from the cursor on.
     * @param {(label: string) => boolean} passes @param {number} step 0: the current row may match @returns {[number, number]} which hit of how many
     */
    find(passes, step) {
      if (!labels.length) labels = order.map(row => `${row.label} ${row.signature ?? ""}`);
      const hits = labels.flatMap((label, at) => passes(label) ? [at] : []);
      const cursor = table.rows()[table.cursor()]?.row;
      const here = cursor ? order.indexOf(cursor) : 0;
      let nth = step < 0 ? hits.findLastIndex(at => at < here) : hits.findIndex(at => step ? at > here : at >= here);
      if (nth < 0) nth = step < 0 ? hits.length - 1 : 0;
      if (hits.length) { reveal(order[hits[nth]]); onPick(order[hits[nth]]); }
      return [nth, hits.length];
    },
  };
}
