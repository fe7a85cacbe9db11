// The call graph as a picture that can be moved and saved. The engine draws it.
import {el} from "ui/dom";
import {choice} from "panels/scope";

/** The choices for the share of the total time below which methods are left out, percent. */
const LEAST = ["20", "10", "5", "2", "1"];

/** @param {import("panels/model").Model} model */
export function callGraph(model) {
  const image = el("img", {class: "graph-image", alt: "Call graph: methods as boxes, calls as arrows. The call tree shows the same as text.", draggable: "false"});
  const stage = el("div", {class: "graph-stage", tabindex: "0", role: "application", "aria-label": "Call graph picture: arrows move it, + and − zoom, 0 fits it", "data-testid": "graph"}, image);
  const least = choice("Methods with a share of", "graph-least", load, LEAST.map(percent => [percent, `${percent} % and more`]));
  const save = el("a", {class: "button", download: "callgraph.svg", "data-testid": "graph-save"}, "Save SVG");
  const note = el("span", {class: "quiet", role: "status"});
  const bar = el("div", {class: "panel-bar"}, least, save, note);
  const element = el("div", {class: "graph"}, bar, stage);
  let at = {x: 0, y: 0, zoom: 1};
  let url = "";
  /** @type {import("panels/model").Profile | null} */
  let profile = null;

  function place() {
    image.style.transform = `translate(${at.x}px, ${at.y}px) scale(${at.zoom})`;
  }

  function fit() {
    const zoom = Math.min(1.5, stage.clientWidth / (image.naturalWidth || 1), stage.clientHeight / (image.naturalHeight || 1));
    at = {zoom, x: Math.max(0, (stage.clientWidth - image.naturalWidth * zoom) / 2), y: Math.max(0, (stage.clientHeight - image.naturalHeight * zoom) / 2)};
    place();
  }

  /** @param {number} factor @param {number} x @param {number} y */
  function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
    const to = Math.max(0.02, Math.min(8, at.zoom * factor));
    at = {zoom: to, x: x - (x - at.x) * to / at.zoom, y: y - (y - at.y) * to / at.zoom};
    place();
  }

  async function load() {
    const mine = profile;
    note.textContent = "Drawing…";
    try {
      const {svg} = await model.ask("graph", {min_percent: Number(least.value), clock: mine?.clock});
      if (mine !== profile) return;
      URL.revokeObjectURL(url);
      url = URL.createObjectURL(new Blob([svg], {type: "image/svg+xml"}));
      image.src = save.href = url;
      note.textContent = "";
    } catch (error) {
      note.textContent = String(error instanceof Error ? error.message : error);
    }
  }

  // Initially not too small to read.
  image.onload = () => { fit(); if (at.zoom < 0.55) { at.zoom = 0.55; at.x = (stage.clientWidth - image.naturalWidth * 0.55) / 2; place(); } };
  stage.addEventListener("wheel", event => {
    event.preventDefault();
    const box = stage.getBoundingClientRect();
    if (event.shiftKey) { at.x -= event.deltaY; return place(); }
    zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
  }, {passive: false});
  stage.onpointerdown = event => {
    const from = {x: at.x - event.clientX, y: at.y - event.clientY};
    stage.setPointerCapture(event.pointerId);
    stage.onpointermove = move => { at.x = from.x + move.clientX; at.y = from.y + move.clientY; place(); };
    stage.onlostpointercapture = () => { stage.onpointermove = null; };
  };
  stage.ondblclick = fit;
  stage.onkeydown = event => {
    const {key} = event;
    const by = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60]}[key];
    if (by) { at.x += by[0]; at.y += by[1]; place(); }
    else if (key === "+" || key === "=") zoom(1.25);
    else if (key === "-") zoom(0.8);
    else if (key === "0") fit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return {
    element,
    /** @param {import("panels/model").Profile} loaded */
    show(loaded) {
      if (profile === loaded) return;
      profile = loaded;
      load();
    },
  };
}
