// How the row of the selected counter is drawn: values, changes or rates, the scale, and other counters in the same row.
import {el, iconButton} from "ui/dom";
import {elide} from "ui/format";
import {addActions} from "app/actions";
import {settingOf} from "timeline/counters";
import {counterColour} from "timeline/paint";
import {KIND} from "timeline/rows";

/** The maximum number of counters in the list, and of counters in one row. */
const OFFERED = 300, MOST = 16;
const MODES = [["value", "values"], ["delta", "changes"], ["rate", "rates per second"]];
const SCALES = [["zero", "from zero"], ["fit", "fits the screen"], ["log", "logarithmic"]];

/** @typedef {import("app/state").Store} Store */
/** @typedef {import("app/state").CounterSetting} Setting */

/** The other counters that can be drawn with a row: counters with the same unit, siblings and equal names first. @param {any} rows @param {number} row @returns {number[]} */
function fitting({kind, names, notes, parent}, row) {
  const near = (/** @type {number} */ one) => (names[one] === names[row] ? 2 : 0) + (parent[one] === parent[row] ? 1 : 0);
  const all = /** @type {number[]} */ (names.flatMap((/** @type {string} */ _, /** @type {number} */ one) => kind[one] === KIND.counter && one !== row && notes[one] === notes[row] ? [one] : []));
  return all.sort((a, b) => near(b) - near(a) || a - b).slice(0, OFFERED);
}

/** A counter with where it is: "cpufreq (CPU 1)". @param {any} rows @param {number} row */
function fullName({names, parent, kind}, row) {
  let above = row - 1;
  while (above >= 0 && kind[above] !== KIND.cpu && above !== parent[row]) above--;
  const place = kind[above] === KIND.cpu && parent[above] === parent[row] ? names[above] : names[parent[row]];
  return place ? `${names[row]} (${place})` : names[row];
}

/** The colour of the nth counter of a row. @param {number} nth */
function swatch(nth) {
  const made = el("span", {class: "chip", "aria-hidden": "true"});
  made.style.background = counterColour(nth);
  return made;
}

/** @param {Store} store @param {any} rows @param {number} row @param {Partial<Setting>} patch */
function change(store, rows, row, patch) {
  const {counters} = store.get();
  store.set({counters: {...counters, [rows.id[row]]: {...settingOf(store.get(), rows, row), ...patch}}});
}

/** @param {Store} store @param {import("app/panels").Context} context @param {number} row of a counter */
export function counterRow(store, context, row) {
  const {rows} = context, body = el("div", {}), now = () => settingOf(store.get(), rows, row);
  /** @param {string} label @param {"mode" | "scale"} key @param {string[][]} options */
  const choice = (label, key, options) => {
    const select = el("select", {class: "control", "data-testid": `counter-${key}`, onchange: () => change(store, rows, row, {[key]: select.value})}, ...options.map(([value, text]) => el("option", {value, selected: now()[key] === value}, text)));
    return el("label", {class: "counter-choice"}, label, select);
  };
  const also = (/** @type {number[]} */ list) => { change(store, rows, row, {also: list.slice(0, MOST)}); show(); };

  function show() {
    const inside = now().also, others = fitting(rows, row).filter(one => !inside.includes(rows.id[one])), alike = others.filter(one => rows.names[one] === rows.names[row]);
    const add = el("select", {class: "control", "aria-label": "Another counter in this row", "data-testid": "counter-add", onchange: () => { also([...inside, Number(add.value)]); body.querySelector("select")?.focus(); }},
      el("option", {value: ""}, "Add a counter…"), ...others.map(one => el("option", {value: String(rows.id[one])}, elide(fullName(rows, one), 80))));
    body.replaceChildren(...(inside.length ? [el("div", {class: "counter-also"}, swatch(0), elide(fullName(rows, row), 60))] : []), ...inside.map((other, nth) => { const name = fullName(rows, rows.id.indexOf(other)); return el("div", {class: "scope-chip counter-also"}, swatch(1 + nth), elide(name, 60), iconButton("close", `Take ${name} out of the row`, () => also(inside.filter(one => one !== other)))); }),
      ...(others.length ? [add] : []), ...(alike.length > 1 ? [el("button", {type: "button", class: "button", "data-testid": "counter-alike", onclick: () => also([...inside, ...alike.map(one => rows.id[one])])}, `All ${elide(rows.names[row], 30)}`)] : []));
  }
  show();
  return el("section", {class: "block counter-row"}, el("h3", {}, "Row"), choice("Shows", "mode", MODES), choice("Scale", "scale", SCALES), body);
}

/** @param {Store} store @param {import("app/panels").Context} context */
export function counterActions(store, context) {
  const row = () => { const {selection} = store.get(); return selection?.kind === "counter" ? selection.row : -1; };
  const actions = (/** @type {"mode" | "scale"} */ key, /** @type {string[][]} */ list) => list.map(([value, what]) => ({what: `counter: ${what}`, when: () => row() >= 0, run: () => change(store, context.rows, row(), {[key]: value})}));
  addActions(...actions("mode", MODES), ...actions("scale", SCALES));
}
