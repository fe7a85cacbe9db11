// Runs the same tests on a report and on the live server.
import { after, before, describe } from "node:test";
import { launch, open, report, serve } from "./lib.js";
import { settled } from "./drive.js";

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

/** The browser of this file, available once tests run. */
export const theBrowser = () => browser;

/**
 * Opens traces and runs tests on the page. Faults of the page fail the suite at its end.
 * @param {string} title
 * @param {{files: string[], kinds?: ("report" | "live")[], options?: import("playwright-core").BrowserContextOptions, moves?: boolean}} what
 *   `moves`: whether the report is animated, as by default; otherwise motion is reduced, which is faster
 * @param {(its: {page: () => import("playwright-core").Page, target: () => string, kind: "report" | "live"}) => void} body
 */
export function onPages(title, { files, kinds = ["report", "live"], options, moves }, body) {
  for (const kind of kinds) {
    if (process.env.TRACELOOM_PAGE_KIND && process.env.TRACELOOM_PAGE_KIND !== kind) continue;
    describe(`${title}, ${kind}`, () => {
      /** @type {Awaited<ReturnType<typeof open>>} */
      let opened;
      let stop = () => {}, target = "";
      before(async () => {
        if (kind === "live") {
          const server = await serve(...files);
          target = server.url;
          stop = () => void server.stop();
        } else target = report(title.replaceAll(/[^a-z0-9]+/gi, "-"), ...files);
        opened = await open(browser, target, { reducedMotion: moves && kind === "report" ? "no-preference" : "reduce", ...options });
        await settled(opened.page);
      });
      after(async () => {
        try { await opened?.done(); } finally { stop(); }
      });
      body({ page: () => opened.page, target: () => target, kind });
    });
  }
}
