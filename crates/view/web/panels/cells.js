// The cells of the tables.
import {el} from "ui/dom";
import {hueFill} from "ui/colours";
import {elide, oneLine} from "ui/format";
import {CLOCKS, hueOf, ms, percent, wholeOf} from "panels/numbers";

const NONE = 0xffffffff;
/** How many letters at the end of a name are kept. */
const KEPT = 24;
/** The package of a class with its method. */
const PACKAGE = /^((?:[\w$-]+\.)+)[\w$-]+\.[\w$<>-]+$/;

/** The start of the part that a shortened name keeps: after the package, at the last `::`, or a few letters before the end. @param {string} label */
function keptFrom(label) {
  const path = PACKAGE.exec(label)?.[1];
  if (path) return path.length;
  // Cutting only a few letters saves less space than the gap takes that replaces them.
  if (label.length <= KEPT + 6) return 0;
  const member = label.lastIndexOf("::");
  return member > 0 && label.length - member <= KEPT ? member : label.length - KEPT;
}

/**
 * A name that is shortened where it is least important: a method's package, the middle of other names.
 * @param {string} label @param {string} [more] classes
 */
export function elided(label, more = "") {
  label = oneLine(elide(label, 300)) || "(no name)";
  const at = keptFrom(label);
  return el("span", {class: `name ${PACKAGE.test(label) ? "" : "plain"} ${more}`}, el("span", {class: "cut"}, label.slice(0, at)), el("span", {class: "kept"}, el("bdi", {}, label.slice(at))));
}

/** A chip with the name's colour in the timeline. @param {{label: string, name?: number | null, hue?: number}} row */
export function chip(row) {
  const made = el("span", {class: "chip", "aria-hidden": "true"});
  row.hue ??= hueOf(row.label);
  made.style.background = hueFill(row.hue, row.name ?? NONE)[0];
  return made;
}

/** A method's signature, shortened. @param {{signature?: string}} row */
export const signature = row => el("span", {class: "signature"}, elide(row.signature ?? "", 120));

/** The complete name, for the tooltip. @param {{label: string, signature?: string}} row */
export const fullName = row => elide(`${row.label}${row.signature ?? ""}`, 2000);

/**
 * Calls `repaint` after the page or the system changed the colours.
 * @param {import("app/state").Store} store @param {import("app/panels").Source} source @param {() => void} repaint
 */
export function onColours(store, source, repaint) {
  store.on(["theme", "colours"], async ({colours}) => {
    if (colours === "rank") await source.ask({op: "ranks"}).catch(() => {});
    repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
}

/** A percentage over a bar of its length. @param {HTMLElement} cell @param {number | undefined} part @param {number | undefined} whole */
export function shareBar(cell, part, whole) {
  cell.textContent = percent(part, whole);
  cell.classList.add("bar");
  cell.style.setProperty("--share", `${part === undefined ? 0 : Math.min(100, part * 100 / (whole || 1))}%`);
}

/**
 * The column for the time of slices that never ended. It uses the clock of the profile.
 * @template T
 * @param {import("panels/model").Profile} profile
 * @param {(line: T) => {unfinished?: import("panels/model").Times} | undefined} rowOf the row that a line is of
 * @returns {import("ui/virtual_table").Column<T>}
 */
export function unfinishedColumn(profile, rowOf) {
  const [name, unit] = CLOCKS.find(([clock]) => clock === profile.clock) ?? CLOCKS[0];
  const value = (/** @type {T} */ line) => rowOf(line)?.unfinished?.[`${name}_ns`];
  return {id: "unfinished", label: `Unfinished\n${unit} (ms)`, width: 86, key: line => value(line) ?? -1, show: line => ms(value(line), wholeOf(profile, `${name}_ns`)),
    title: "Time of unfinished slices, without the finished slices inside them. Not in any other column"};
}
