// A running recording for the page: exclusive access to the kernel, work to record, and the program.
import { spawn } from "node:child_process";
import { existsSync, openSync, writeSync, closeSync, accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program, root, URL_LINE } from "./lib.js";

const MARKER = "/sys/kernel/tracing/trace_marker";

/** The reason why this machine cannot be recorded; empty if it can. */
export function noKernel() {
  if (!existsSync("/usr/bin/flock")) return "flock is missing";
  try {
    accessSync(MARKER, constants.W_OK);
    return "";
  } catch {
    return "recording needs root and a kernel with tracefs";
  }
}

/** Waits for exclusive access to the kernel's buffer, which the tests of the recorder share. @returns {Promise<() => void>} a function that releases it */
export async function kernelTurn() {
  const child = spawn("flock", [join(tmpdir(), "traceloom-tracefs-test.lock"), "sh", "-c", "echo mine; cat"], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((mine) => child.stdout.once("data", mine));
  return () => void child.stdin.end();
}

/** Writes `live step 0`, `live step 1` … as slices of this process, each inside another slice. @returns {() => number} a function that ends this and returns the number of steps */
export function steps() {
  const marker = openSync(MARKER, "w");
  let count = 0;
  const write = (/** @type {string} */ text) => {
    // The kernel refuses marks while nothing is recorded.
    try { writeSync(marker, text); } catch (error) { if (/** @type {any} */ (error).code !== "EBADF") throw error; }
  };
  const timer = setInterval(() => {
    write(`B|${process.pid}|live round`);
    write(`B|${process.pid}|live step ${count++}`);
    const end = performance.now() + 2;
    while (performance.now() < end);
    write(`E|${process.pid}`);
    write(`E|${process.pid}`);
  }, 20);
  return () => {
    clearInterval(timer);
    closeSync(marker);
    return count;
  };
}

/** Runs `traceloom capture --live`. Returns its URL once it records, its output, and its end. @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
export async function capture(args, env = {}) {
  const child = spawn(program, ["capture", "--live", "--no-open", ...args], { cwd: root, stdio: ["pipe", "pipe", "pipe"], env: { ...process.env, ...env } });
  let text = "";
  const ended = new Promise((end) => child.on("exit", (code) => end(code)));
  /** Waits until it has printed this. @param {RegExp} wanted @returns {Promise<string>} */
  const says = (wanted) => new Promise((found, failed) => {
    const look = () => {
      const match = wanted.exec(text);
      if (match) found(match[0]);
    };
    for (const stream of [child.stdout, child.stderr]) stream.on("data", look);
    ended.then(() => failed(new Error(`the program ended without printing ${wanted}: ${text}`)));
    look();
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (/** @type {Buffer} */ chunk) => { text += chunk; });
  const url = await says(URL_LINE);
  /** Ends the program, whatever it does: first the recording, then the server. */
  const end = async () => {
    child.kill("SIGINT");
    await says(/until Ctrl-C/).catch(() => {});
    child.kill("SIGINT");
    return ended;
  };
  return { child, url, says, ended, end, text: () => text };
}
