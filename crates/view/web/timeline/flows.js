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
