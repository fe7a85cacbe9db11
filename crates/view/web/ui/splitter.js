// The bar between two parts of the page, moved by pointer or keys.
import {el} from "ui/dom";

/**
 * @param {object} options
 * @param {string} options.label
 * @param {boolean} options.vertical whether it moves left and right
 * @param {() => number} options.get px
 * @param {(px: number, moved: boolean) => void} options.set `moved`: by the user, not initially
 * @param {number} options.sign 1: grows with x or y
 * @param {() => [number, number]} options.limits
 */
export function splitter({label, vertical, get: read, set: write, sign, limits}) {
  const bar = el("div", {class: `splitter ${vertical ? "vertical" : "horizontal"}`, role: "separator", tabindex: "0", "aria-label": label,
    "aria-orientation": vertical ? "vertical" : "horizontal", "data-testid": `splitter-${vertical ? "names" : "dock"}`});
  /** @param {number} px @param {boolean} [moved] */
  function to(px, moved = true) {
    const [least, most] = limits();
    const value = Math.round(Math.max(least, Math.min(most, px)));
    write(value, moved);
    bar.setAttribute("aria-valuenow", String(value));
    bar.setAttribute("aria-valuemin", String(least));
    bar.setAttribute("aria-valuemax", String(Math.max(least, Math.round(most))));
  }
  bar.onpointerdown = event => {
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    const start = read() - sign * (vertical ? event.clientX : event.clientY);
    bar.onpointermove = move => to(start + sign * (vertical ? move.clientX : move.clientY));
    bar.onpointerup = bar.onpointercancel = () => { bar.onpointermove = null; };
  };
  bar.onkeydown = event => {
    const step = {[vertical ? "ArrowLeft" : "ArrowUp"]: -24, [vertical ? "ArrowRight" : "ArrowDown"]: 24}[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    to(read() + sign * step);
  };
  to(read(), false);
  return bar;
}
