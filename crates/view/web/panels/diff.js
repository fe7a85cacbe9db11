// Compares the times or the samples of two files: a table of changes, and a flame graph coloured by them.
import {el} from "ui/dom";
import {diffFill} from "ui/colours";
import {virtualTable} from "ui/virtual_table";
import {elide, plural, time} from "ui/format";
import {flameView} from "panels/flame";
import {saveText} from "panels/save";
import {button, choice, fileNames, groupings} from "panels/scope";
import {onColours} from "panels/cells";
import {SHARES, changeColumns, hundredths, percentOf, signed} from "panels/diff_columns";
import {smartCase} from "panels/numbers";
import {PARTS, canCompareSamples, compareSamples, eventsOf} from "panels/samples_diff";
import {tabs} from "ui/tabs";

/** @typedef {import("panels/diff_columns").DiffRow} DiffRow */

/** @param {number} share parts of the samples of a file */
const partsText = share => hundredths(share * 100 / PARTS);

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
 * @typedef {object} Comparison
 * @property {DiffRow[]} rows
 * @property {string} total
 * @property {import("ui/virtual_table").Column<DiffRow>[]} columns
 */

/**
 * @param {HTMLElement} host
 * @param {import("panels/model").Store} store
 * @param {import("panels/model").Source} source
 * @param {import("app/panels").Context} context
 */
function mount(host, store, source, {meta, rows: timeline}) {
  /** @type {DiffRow[]} */
  let rows = [];
  let columns = changeColumns();
  /** The indices of the base file and the new file. */
  const sides = [0, 1];
  const settings = () => ({base: [sides[0]], new: [sides[1]], clock: clock.value || undefined, by: by.value});
  const ofSamples = () => what.value === "samples";
  /** The last comparison of samples, which the flame graph shows in parts. @type {ReturnType<typeof compareSamples> | undefined} */
  let samples;
  const table = virtualTable(/** @type {import("ui/virtual_table").TableOptions<DiffRow>} */ ({label: "Changes", testid: "diff-table", columns,
    classOf: row => `line ${row.presence}`, onSort: arrange}));
  const flame = flameView({label: "Differential flame graph: orange took longer, blue took less", testid: "diff-flame",
    ask: async span => ofSamples() && samples ? (await samples).flame(span) : source.ask({op: "diff", ...settings(), flame: true, ...span}),
    colour: ({delta, w}, at) => diffFill((delta?.[at] ?? 0) / w[at]),
    lines({w, calls, delta: deltas}, at) {
      const delta = deltas?.[at] ?? 0, [before, after] = [(w[at] - delta) / 2, (w[at] + delta) / 2];
      if (ofSamples()) return [`before ${partsText(before)} %`, `after ${partsText(after)} %`, `change ${signed(delta, partsText)} points`];
      return [`before ${time(before)}`, `after ${time(after)}`, `change ${signed(delta, time)}`, plural(calls[at], "call")];
    }, counts: false});
  const what = choice("What is compared", "diff-what", load, [...meta.counts?.slices || !canCompareSamples(meta) ? [["times", "Times"]] : [], ...canCompareSamples(meta) ? [["samples", "Samples"]] : []]);
  const by = choice("A row is a", "diff-by", load, groupings(meta));
  const clock = choice("Clock", "diff-clock", load, [["", "Usual clock"], ["cpu", "CPU time"], ["wall", "Real time"]]);
  const event = choice("Only one event", "diff-event", load, [["", "All events"]]);
  const shown = choice("Which rows", "diff-shown", list, SHOWN);
  const find = el("input", {class: "control find", type: "search", placeholder: "Filter by name", "aria-label": "Filter by name", "data-testid": "diff-find", spellcheck: "false"});
  const total = el("span", {class: "quiet", role: "status", "data-testid": "diff-total"});
  const views = tabs({label: "Views of the comparison", onSelect: id => { if (id === "diff-flame") flame.load(true); }});

  /** @param {string} id @param {boolean} down */
  function arrange(id, down) {
    const key = columns.find(column => column.id === id)?.key;
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

  /** @returns {Promise<Comparison>} */
  async function times() {
    const {rows, total, unfinished} = await source.ask({op: "diff", ...settings(), limit: 200000});
    return {rows, columns: changeColumns(!!unfinished), total: total ? `${time(total.base)} → ${time(total.new)} (${signed(total.delta, time)}, ${percentOf(total)} %)` : ""};
  }

  /** @returns {Promise<Comparison>} */
  async function shares() {
    samples = compareSamples(source, timeline, sides, event.value ? Number(event.value) : undefined);
    if (event.options.length === 1) event.append(...(await eventsOf(source)).map((name, at) => el("option", {value: String(at)}, elide(name, 60))));
    const {rows, whole: [before, after]} = await samples;
    return {rows, columns: SHARES, total: `${plural(before, "sample")} → ${plural(after, "sample")}`};
  }

  async function load() {
    total.textContent = "Comparing…";
    try {
      const compared = await (ofSamples() ? shares() : times());
      ({rows} = compared);
      by.hidden = clock.hidden = ofSamples();
      event.hidden = !ofSamples() || event.options.length < 3;
      if (columns.length !== compared.columns.length) table.setColumns(columns = compared.columns);
      const names = fileNames(meta.sources), [before, after] = sides.map(side => names[side]);
      total.title = sides.map(side => meta.sources[side].name).join(" → ");
      total.textContent = compared.total && `${before} → ${after}: ${compared.total}`;
      const {column, down} = table.sorted();
      table.sort(columns.some(({id}) => id === column) ? column : "exclusive-delta", column ? down : true);
      if (views.current() === "diff-flame") flame.load(true);
    } catch (error) {
      total.textContent = String(error instanceof Error ? error.message : error);
    }
  }

  what.hidden = what.options.length < 2;
  find.oninput = list;
  find.onkeydown = event => event.stopPropagation();
  views.add("diff-table", "Changes", panel => panel.append(table.element));
  views.add("diff-flame", "Flame graph", panel => panel.append(flame.element));
  host.append(el("div", {class: "profile", "data-testid": "diff"},
    el("div", {class: "panel-bar", role: "toolbar", "aria-label": "Comparison"}, what, by, clock, event, shown, button("⇄", "diff-swap", () => { sides.reverse(); load(); }, "Exchange before and after"), total, el("span", {class: "gap"}), el("span", {class: "tag new"}, "took longer"), el("span", {class: "tag gone"}, "took less"), find,
      button("CSV", "diff-csv", () => saveText("changes.csv", "text/csv", table.csv()), "Save the table as CSV")),
    views.list, views.body));
  views.select("diff-table");
  onColours(store, source, flame.repaint);
  load();
}
