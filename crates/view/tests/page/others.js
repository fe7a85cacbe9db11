// Drives Firefox and Safari's engine (WebKitGTK) through their own automation interfaces.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PATIENCE } from "./lib.js";

/**
 * A browser with one window, controlled with WebDriver commands.
 * @typedef {object} Other
 * @property {(command: "Navigate" | "ExecuteAsyncScript" | "PerformActions" | "TakeScreenshot" | "SetTimeouts" | "SetWindowRect", body: object) => Promise<any>} tell
 * @property {() => Promise<void>} close
 */

/** Repeats an attempt until it returns something. @template T @param {string} what @param {() => T | Promise<T>} attempt @returns {Promise<NonNullable<T>>} */
async function eventually(what, attempt) {
  for (const end = performance.now() + PATIENCE; performance.now() < end;) {
    const got = await attempt();
    if (got) return got;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error(`${what} did not start`);
}

/** The first path that exists. @param {string[]} paths */
const first = (...paths) => paths.find((path) => existsSync(path));

/** Ends a program and waits for it. @param {import("node:child_process").ChildProcess} child */
async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill();
  await gone;
}

/** Settings that disable Firefox's own network requests. */
const PREFERENCES = { "marionette.port": 0, "browser.shell.checkDefaultBrowser": false, "datareporting.policy.dataSubmissionEnabled": false, "app.update.disabledForTesting": true,
  "network.captive-portal-service.enabled": false, "network.connectivity-service.enabled": false, "services.settings.server": "data:,", "toolkit.telemetry.reportingpolicy.firstRun": false };

/** Debian's Firefox, through its Marionette protocol: `length:[0,id,command,body]`. @returns {Promise<Other | null>} null if it is missing */
export async function firefox() {
  const program = first("/usr/bin/firefox-esr", "/usr/bin/firefox");
  if (!program) return null;
  const profile = mkdtempSync(join(tmpdir(), "traceloom-firefox-"));
  writeFileSync(join(profile, "user.js"), Object.entries(PREFERENCES).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
  const child = spawn(program, ["--headless", "--marionette", "--no-remote", "--profile", profile], { stdio: "ignore" });
  const portFile = join(profile, "MarionetteActivePort");
  const port = Number(await eventually("Firefox", () => existsSync(portFile) && readFileSync(portFile, "utf8")));
  const talk = await marionette(port);
  await talk("WebDriver:NewSession", {});
  const close = async () => {
    await talk("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
    await ended(child);
    rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
  };
  return { tell: async (command, body) => (await talk(`WebDriver:${command}`, body))?.value, close };
}

/** @param {number} port @returns {Promise<(command: string, body: object) => Promise<any>>} */
async function marionette(port) {
  const socket = connect(port, "127.0.0.1");
  /** @type {Map<number, {done: (value: any) => void, failed: (error: Error) => void}>} */
  const open = new Map();
  let text = Buffer.alloc(0), last = 0, greet = () => {}, refuse = (/** @type {Error} */ error) => { void error; };
  const greeted = new Promise((done, failed) => { greet = () => done(null); refuse = failed; });
  const fail = (/** @type {Error} */ error) => { refuse(error); for (const { failed } of open.values()) failed(error); };
  socket.on("error", fail).on("close", () => fail(new Error("Firefox is gone")));
  socket.on("data", (more) => {
    text = Buffer.concat([text, more]);
    for (;;) {
      const colon = text.indexOf(":"), length = Number(text.subarray(0, Math.max(colon, 0)));
      if (colon < 0 || text.length < colon + 1 + length) return;
      const message = JSON.parse(text.subarray(colon + 1, colon + 1 + length).toString());
      text = text.subarray(colon + 1 + length);
      if (!Array.isArray(message)) greet();
      else settle(message);
    }
  });
  /** @param {any[]} message */
  function settle([, id, error, value]) {
    const waiting = open.get(id);
    open.delete(id);
    if (error) waiting?.failed(new Error(`${error.error}: ${error.message}`));
    else waiting?.done(value);
  }
  await greeted;
  return (command, body) => new Promise((done, failed) => {
    open.set(++last, { done, failed });
    const line = JSON.stringify([0, last, command, body]);
    socket.write(`${Buffer.byteLength(line)}:${line}`);
  });
}

/** The path of each WebDriver command. */
const PATHS = { Navigate: "url", ExecuteAsyncScript: "execute/async", PerformActions: "actions", TakeScreenshot: "screenshot", SetTimeouts: "timeouts", SetWindowRect: "window/rect" };

/** WebKitGTK's MiniBrowser on a virtual screen. @returns {Promise<Other | null>} null if a part is missing */
export async function webkit() {
  const mini = first("/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser", "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser");
  const driver = first("/usr/bin/WebKitWebDriver"), screen = first("/usr/bin/xvfb-run");
  if (!mini || !driver || !screen) return null;
  const port = await freePort();
  const child = spawn(screen, ["-a", "-s", "-screen 0 1366x900x24", driver, `--port=${port}`], { stdio: "ignore", detached: true });
  const at = `http://127.0.0.1:${port}/session`;
  await eventually("WebKitWebDriver", () => fetch(at.replace("session", "status")).then(() => true, () => false));
  /** @param {string} url @param {string} method @param {object} [body] */
  const talk = async (url, method, body) => {
    const answer = /** @type {any} */ (await (await fetch(url, { method, body: body && JSON.stringify(body) })).json()).value;
    if (answer?.error) throw new Error(`${answer.error}: ${answer.message}`);
    return answer;
  };
  const { sessionId } = await talk(at, "POST", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: mini, args: ["--automation"] } } } });
  const close = async () => {
    await talk(`${at}/${sessionId}`, "DELETE").catch(() => {});
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    // End the whole process group: the script that owns the screen, and the driver that it started.
    process.kill(-(child.pid ?? 0));
    await gone;
  };
  const shot = () => talk(`${at}/${sessionId}/screenshot`, "GET");
  return { tell: (command, body) => command === "TakeScreenshot" ? shot() : talk(`${at}/${sessionId}/${PATHS[command]}`, "POST", body), close };
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => done(port));
    });
  });
}
