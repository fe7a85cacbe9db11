// The arrows of the selection: wake-ups and calls between threads.
import {canvasColours} from "ui/colours";

/**
 * @param {import("timeline/paint_slices").Scene} scene
 * @param {any[]} flows the engine's answer
 * @param {(row: number, level: number) => number | null} yOf
 */
export function paintFlows({ctx, from, scale, width}, flows, yOf) {
  if (!flows.length) return;
  const {ink, back, small} = canvasColours();
  ctx.font = small;
  ctx.textBaseline = "middle";
  const told = new Set();
  for (const {kind, from: start, to: end} of flows) {
    const y0 = yOf(start.row, start.level ?? -1), y1 = yOf(end.row, end.level ?? -1);
    if (y0 === null || y1 === null) continue;
    const x0 = (start.ts - from) * scale, x1 = (end.ts - from) * scale;
    if (Math.max(x0, x1) < -50 || Math.min(x0, x1) > width + 50) continue;
    const bend = Math.max(18, Math.min(90, Math.abs(x1 - x0) / 2));
    const curve = () => { ctx.beginPath(); ctx.moveTo(x0, y0); ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1); ctx.stroke(); };
    ctx.strokeStyle = back;
    ctx.lineWidth = 4;
    curve();
    ctx.strokeStyle = ctx.fillStyle = ink;
    ctx.lineWidth = 1.5;
    curve();
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    ctx.lineTo(x1 - 7, y1 - 4);
    ctx.lineTo(x1 - 7, y1 + 4);
    ctx.fill();
    const x = (x0 + x1) / 2, y = (y0 + y1) / 2;
    if (Math.abs(y1 - y0) < 40 || told.has(kind)) continue;
    told.add(kind);
    const wide = ctx.measureText(kind).width;
    ctx.fillStyle = back;
    ctx.fillRect(x - wide / 2 - 3, y - 7, wide + 6, 14);
    ctx.fillStyle = ink;
    ctx.fillText(kind, x - wide / 2, y);
  }
}

/** How far the pointer may be from an arrow, px. */
const NEAR = 3;
/** The most points at which an arrow is compared with the pointer. */
const STEPS = 600;

/**
 * The arrow at a point, or null.
 * @param {import("timeline/paint_slices").Scene} scene @param {any[]} flows @param {(row: number, level: number) => number | null} yOf
 * @param {number} x px @param {number} y
 */
export function flowAt({from, scale}, flows, yOf, x, y) {
  for (const flow of flows) {
    const {from: start, to: end} = flow;
    if (!start || !end) continue;
    const y0 = yOf(start.row, start.level ?? -1), y1 = yOf(end.row, end.level ?? -1);
    if (y0 === null || y1 === null || y < Math.min(y0, y1) - NEAR || y > Math.max(y0, y1) + NEAR) continue;
    const x0 = (start.ts - from) * scale, x1 = (end.ts - from) * scale, bend = Math.max(18, Math.min(90, Math.abs(x1 - x0) / 2));
    const steps = Math.min(STEPS, Math.ceil(Math.hypot(x1 - x0, y1 - y0) / 2) + 20);
    for (let step = 0; step <= steps; step++) {
      const t = step / steps, u = 1 - t;
      const px = u ** 3 * x0 + 3 * u * u * t * (x0 + bend) + 3 * u * t * t * (x1 - bend) + t ** 3 * x1, py = u ** 3 * y0 + 3 * u * u * t * y0 + 3 * u * t * t * y1 + t ** 3 * y1;
      if (Math.hypot(px - x, py - y) <= NEAR) return flow;
    }
  }
  return null;
}
