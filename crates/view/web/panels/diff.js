// Compares two files: a table of changes, and a flame graph coloured by them.
import {el} from "ui/dom";
import {diffFill} from "ui/colours";
import {virtualTable} from "ui/virtual_table";
import {time} from "ui/format";
import {flameView} from "panels/flame";
import {saveText} from "panels/save";
import {button, choice, fileName, groupings} from "panels/scope";
import {elided, fullName, onColours, signature} from "panels/cells";
import {count, ms, smartCase} from "panels/numbers";
import {tabs} from "ui/tabs";

/** @typedef {{base: number, new: number, delta: number, percent: number | null}} Change */

/**
 * @typedef {object} DiffRow
 * @property {string} label
 * @property {string} [signature]
 * @property {"both" | "new" | "gone"} presence
 * @property {Change} calls
 * @property {Change} inclusive
 * @property {Change} exclusive
 * @property {Change} [unfinished] missing if every slice ended
 */

/** @param {number} value @param {(value: number) => string} show */
const signed = (value, show) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${show(Math.abs(value))}`;

/** @param {Change} change */
const percentOf = ({percent, base}) => percent === null ? (base ? "" : "new") : `${signed(percent, value => value.toFixed(1))}`;

const NOTHING = {base: 0, new: 0, delta: 0, percent: 0};

/** @param {"calls" | "inclusive" | "exclusive" | "unfinished"} which @param {string} label @returns {import("ui/virtual_table").Column<DiffRow>[]} */
function group(which, label) {
  const show = which === "calls" ? count : ms;
  const unit = which === "calls" ? "" : " (ms)";
  const of = (/** @type {DiffRow} */ row) => row[which] ?? NOTHING;
  /** @param {HTMLElement} cell @param {DiffRow} row @param {string} text */
  const tint = (cell, row, text) => {
    const {delta} = of(row);
    cell.textContent = text;
    cell.classList.add(delta > 0 ? "more" : delta < 0 ? "less" : "same");
  };
  return [
    {id: `${which}-base`, label: `${label}\nbefore${unit}`, width: 92, key: row => of(row).base, show: row => show(of(row).base)},
    {id: `${which}-new`, label: `${label}\nafter${unit}`, width: 84, key: row => of(row).new, show: row => show(of(row).new)},
    {id: `${which}-delta`, label: `${label}\nchange${unit}`, width: 92, key: row => Math.abs(of(row).delta), show: row => signed(of(row).delta, show),
      draw: (cell, row) => tint(cell, row, signed(of(row).delta, show)), title: "After minus before; sorted by its size"},
    {id: `${which}-percent`, label: `${label}\nchange %`, width: 80, key: row => Math.abs(of(row).percent ?? (of(row).delta ? Infinity : 0)), show: row => percentOf(of(row)), csv: [[`${label} change %`, row => of(row).percent?.toFixed(1) ?? ""]],
      draw: (cell, row) => tint(cell, row, percentOf(of(row)))},
  ];
}

/** @param {boolean} [unfinished] whether a slice never ended @returns {import("ui/virtual_table").Column<DiffRow>[]} */
export const changeColumns = unfinished => [
  {id: "name", label: "Name", width: 280, text: true, key: row => row.label, show: row => `${row.label}${row.signature ?? ""}`,
    csv: [["Name", row => row.label], ["Signature", row => row.signature ?? ""], ["Presence", row => row.presence]], draw(cell, row) {
    const tag = row.presence === "both" ? [] : [el("span", {class: `tag ${row.presence}`}, row.presence)];
    cell.title = fullName(row);
    cell.replaceChildren(...tag, elided(row.label), signature(row));
  }},
  ...group("exclusive", "Excl"), ...group("inclusive", "Incl"), ...group("calls", "Calls"), ...(unfinished ? group("unfinished", "Unfinished") : []),
];

const SHOWN = [["all", "Everything"], ["slower", "Slower"], ["faster", "Faster"], ["new", "New"], ["gone", "Gone"]];

/** @param {DiffRow} row @param {string} what */
function belongs(row, what) {
  if (what === "slower") return row.exclusive.delta > 0;
  if (what === "faster") return row.exclusive.delta < 0;
  return what === "all" || row.presence === what;
}

/** @type {import("app/panels").Panel} */
export const diffPanel = {id: "diff", title: "Compare", mount, when: meta => meta.has?.diff};

/**
 * @param {HTMLElement} host
 * @param {import("panels/model").Store} store
 * @param {import("panels/model").Source} source
 * @param {import("app/panels").Context} context
 */
function mount(host, store, source, {meta}) {
  /** @type {DiffRow[]} */
  let rows = [];
  /** Whether a slice never ended. */
  let unfinished = false;
  /** The indices of the base file and the new file. */
  const sides = [0, 1];
  const settings = () => ({base: [sides[0]], new: [sides[1]], clock: clock.value || undefined, by: by.value});
  const table = virtualTable(/** @type {import("ui/virtual_table").TableOptions<DiffRow>} */ ({label: "Changes", testid: "diff-table", columns: changeColumns(),
    classOf: row => `line ${row.presence}`, onSort: arrange}));
  const flame = flameView({label: "Differential flame graph: orange took longer, blue took less", testid: "diff-flame",
    ask: span => source.ask({op: "diff", ...settings(), flame: true, ...span}),
    colour: ({delta, w}, at) => diffFill((delta?.[at] ?? 0) / w[at]),
    lines({w, delta: deltas}, at) {
      const delta = deltas?.[at] ?? 0;
      return [`before ${time((w[at] - delta) / 2)}`, `after ${time((w[at] + delta) / 2)}`, `change ${signed(delta, time)}`];
    }});
  const by = choice("A row is a", "diff-by", load, groupings(meta));
  const clock = choice("Clock", "diff-clock", load, [["", "Usual clock"], ["cpu", "CPU time"], ["wall", "Real time"]]);
  const shown = choice("Which rows", "diff-shown", list, SHOWN);
  const find = el("input", {class: "control find", type: "search", placeholder: "Filter by name", "aria-label": "Filter by name", "data-testid": "diff-find", spellcheck: "false"});
  const total = el("span", {class: "quiet", role: "status", "data-testid": "diff-total"});
  const views = tabs({label: "Views of the comparison", onSelect: id => { if (id === "diff-flame") flame.load(true); }});

  /** @param {string} id @param {boolean} down */
  function arrange(id, down) {
    const key = changeColumns(true).find(column => column.id === id)?.key;
    if (!key) return;
    const sign = down ? -1 : 1;
    rows = rows.map(row => ({row, key: key(row)})).sort((a, b) => a.key < b.key ? -sign : a.key > b.key ? sign : 0).map(({row}) => row);
    list();
  }

  function list() {
    const passes = smartCase(find.value);
    const some = rows.filter(row => belongs(row, shown.value) && (!passes || passes(row.label)));
    find.classList.toggle("miss", !!passes && !some.length);
    flame.highlight(passes);
    table.setRows(some);
  }

  async function load() {
    total.textContent = "Comparing…";
    try {
      const answer = await source.ask({op: "diff", ...settings(), limit: 200000});
      rows = answer.rows;
      if (unfinished !== !!answer.unfinished) table.setColumns(changeColumns(unfinished = !unfinished));
      const [before, after] = sides.map(side => fileName(meta.sources[side]));
      total.textContent = answer.total ? `${before} → ${after}: ${time(answer.total.base)} → ${time(answer.total.new)} (${signed(answer.total.delta, time)}, ${percentOf(answer.total)} %)` : "";
      const {column, down} = table.sorted();
      table.sort(column || "exclusive-delta", column ? down : true);
      if (views.current() === "diff-flame") flame.load(true);
    } catch (error) {
      total.textContent = String(error instanceof Error ? error.message : error);
    }
  }

  find.oninput = list;
  find.onkeydown = event => event.stopPropagation();
  views.add("diff-table", "Changes", panel => panel.append(table.element));
  views.add("diff-flame", "Flame graph", panel => panel.append(flame.element));
  host.append(el("div", {class: "profile", "data-testid": "diff"},
    el("div", {class: "panel-bar", role: "toolbar", "aria-label": "Comparison"}, by, clock, shown, button("⇄", "diff-swap", () => { sides.reverse(); load(); }, "Exchange before and after"), total, el("span", {class: "gap"}), el("span", {class: "tag new"}, "took longer"), el("span", {class: "tag gone"}, "took less"), find,
      button("CSV", "diff-csv", () => saveText("changes.csv", "text/csv", table.csv()), "Save the table as CSV")),
    views.list, views.body));
  views.select("diff-table");
  onColours(store, source, flame.repaint);
  load();
}
