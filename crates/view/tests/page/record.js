// A recording that the page shows while it goes on: the kernel's turn, something to record, and the program.
import { spawn } from "node:child_process";
import { existsSync, openSync, writeSync, closeSync, accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program, root } from "./lib.js";

const MARKER = "/sys/kernel/tracing/trace_marker";

/** Why this machine cannot be recorded; empty where it can. */
export function noKernel() {
  if (!existsSync("/usr/bin/flock")) return "flock is missing";
  try {
    accessSync(MARKER, constants.W_OK);
    return "";
  } catch {
    return "recording needs root and a kernel with tracefs";
  }
}

/** The right to use the kernel's buffer, which the tests of the recorder share. @returns {Promise<() => void>} gives it back */
export async function kernelTurn() {
  const child = spawn("flock", [join(tmpdir(), "traceloom-tracefs-test.lock"), "sh", "-c", "echo mine; cat"], { stdio: ["pipe", "pipe", "inherit"] });
  await new Promise((mine) => child.stdout.once("data", mine));
  return () => void child.stdin.end();
}

/** Marks `live step 0`, `live step 1` … as slices of this process, each in another. @returns {() => number} ends it; how many there were */
export function steps() {
  const marker = openSync(MARKER, "w");
  let count = 0;
  const write = (/** @type {string} */ text) => {
    // Where nothing is recorded the kernel takes no marks.
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

/** `traceloom capture --live`; its URL once it records, all that it printed, and its end. @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
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
    ended.then(() => failed(new Error(`it ended without saying ${wanted}: ${text}`)));
    look();
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (/** @type {Buffer} */ chunk) => { text += chunk; });
  const url = await says(/http:\/\/127\.0\.0\.1:\d+\/\S+/);
  /** Ends it whatever it does: the recording first, then the server. */
  const end = async () => {
    child.kill("SIGINT");
    await says(/until Ctrl-C/).catch(() => {});
    child.kill("SIGINT");
    return ended;
  };
  return { child, url, says, ended, end, text: () => text };
}
