// Saves screenshots for inspection and compares them with those in the repository.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { root, work } from "./lib.js";

const expected = join(root, "crates/view/tests/page/shots");
const taken = join(work, "shots");
/** The share of a picture that may differ, because fonts and anti-aliasing differ between machines. */
const TOLERATED_SHARE = 0.03;

/** Wider pictures are stored at half their size, so that the repository stays small. */
const WIDE = 1600;
/** Colours are rounded to a multiple of this, of 256, for the same reason. */
const STEP = 16;

/**
 * Takes a screenshot of the page and compares it. `UPDATE_SHOTS=1` stores it as the expected one. The full picture is
 * written to target/page-tests/shots.
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
export async function shot(page, name) {
  const picture = await page.screenshot({ animations: "disabled", caret: "hide" });
  mkdirSync(taken, { recursive: true });
  writeFileSync(join(taken, `${name}.png`), picture);
  const path = join(expected, `${name}.png`), now = small(PNG.sync.read(picture));
  if (process.env.UPDATE_SHOTS) {
    mkdirSync(expected, { recursive: true });
    writeFileSync(path, PNG.sync.write(now, { colorType: 2, deflateLevel: 9 }));
  }
  if (!existsSync(path)) throw new Error(`there is no expected picture ${name}.png; UPDATE_SHOTS=1 creates it`);
  compare(PNG.sync.read(readFileSync(path)), now, name);
}

/** The stored form of a picture: smaller, with fewer colours. @param {PNG} picture */
function small(picture) {
  const by = picture.width > WIDE ? 2 : 1, width = Math.floor(picture.width / by), height = Math.floor(picture.height / by);
  const kept = new PNG({ width, height });
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) for (let channel = 0; channel < 4; channel++) {
    let sum = 0;
    for (let dy = 0; dy < by; dy++) for (let dx = 0; dx < by; dx++) sum += picture.data[((y * by + dy) * picture.width + x * by + dx) * 4 + channel];
    kept.data[(y * width + x) * 4 + channel] = channel === 3 ? 255 : Math.min(255, Math.round(sum / (by * by) / STEP) * STEP);
  }
  return kept;
}

/** @param {PNG} before @param {PNG} now @param {string} name */
function compare(before, now, name) {
  const { width, height } = before;
  if (width !== now.width || height !== now.height) {
    throw new Error(`${name}: ${now.width}×${now.height}, expected ${width}×${height}`);
  }
  const marks = new PNG({ width, height });
  const differing = pixelmatch(before.data, now.data, marks.data, width, height, { threshold: 0.2 });
  const share = differing / (width * height);
  if (share > TOLERATED_SHARE) {
    writeFileSync(join(taken, `${name}.differs.png`), PNG.sync.write(marks));
    throw new Error(`${name}: ${(share * 100).toFixed(1)} % of the picture differs; see ${name}.differs.png`);
  }
}
