// Readable names of C++ functions: equal to those of c++filt for all names of a real trace, and shown in the tab
// Samples.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { corpus, program, root } from "./lib.js";
import { settled, tab, tableOf } from "./drive.js";
import { onPages } from "./suite.js";

const { demangled } = await import(`data:text/javascript,${encodeURIComponent(readFileSync(join(root, "crates/view/web/source/demangle.js"), "utf8"))}`);
const TRACE = corpus("perfetto-proto").find((path) => path.includes("cpuschedstack"));

/** The names as c++filt writes them, without parameters; null if it is missing. @param {string[]} names @returns {string[] | null} */
function filtered(names) {
  try {
    return execFileSync("c++filt", ["-p"], { input: names.join("\n"), encoding: "utf8", maxBuffer: 1 << 28 }).trimEnd().split("\n");
  } catch (error) {
    if (/** @type {any} */ (error).code === "ENOENT") return null;
    throw error;
  }
}

/** Spaces between brackets differ between versions of c++filt, and it keeps the parameters behind a thunk. @param {string} name */
const alike = (name) => name.replaceAll(/> (?=>)/g, ">").replace(/^((?:non-)?virtual thunk to .*?)\(.*/s, "$1");

const NAMES = ["_ZN3foo3barEv", "_ZNSt6vectorIiSaIiEE9push_backERKi", "_ZN1AC1Ei", "_ZN1AD0Ev", "_ZN1AplERKS_", "_ZNK1AcvbEv", "_ZN12_GLOBAL__N_14workEv", "_Z4callIPFviEEvT_", "_ZZN1A3runEvENKUlvE_clEv", "_ZN1AILin3ELb1EE3runEv", "main", "_Z", "_ZN", "_ZN3fo"];

test("names of C++ are those of c++filt", (its) => {
  const expected = filtered(NAMES);
  if (!expected) return its.skip("c++filt is missing");
  assert.deepEqual(NAMES.map(demangled).map(alike), expected.map(alike));
});

test("all names of a real trace, except very few, are those of c++filt", (its) => {
  if (!TRACE) return its.skip("the corpus is missing");
  const sql = "select distinct name from stack_profile_frame where name glob '_Z*'";
  const names = execFileSync(program, ["query", TRACE, sql, "--format", "jsonl"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim().split("\n").map((line) => JSON.parse(line).name);
  const expected = filtered(names);
  if (!expected) return its.skip("c++filt is missing");
  assert.ok(names.length > 500);
  // A name with parts that are not known stays as it is. No name is changed to a wrong one.
  const read = names.map((name, at) => ({ name, own: demangled(name), expected: expected[at] }));
  assert.deepEqual(read.filter(({ name, own, expected }) => own !== name && alike(own) !== alike(expected)), []);
  assert.ok(read.filter(({ name, own, expected }) => own === name && expected !== name).length < names.length / 100);
});

test("names of Rust, of both kinds of hash, and hostile names end", () => {
  assert.equal(demangled("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"), "core::fmt::Formatter::pad");
  assert.equal(demangled("_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789abcdefE"), "<T as core::convert::Into<U>>::into");
  for (const name of ["_ZN", `_Z${"P".repeat(3000)}`, `_Z1a${"I".repeat(3000)}`, "_ZS999999_", "_Z9999999999a", `_ZN${"1a".repeat(1500)}`]) assert.equal(demangled(name), name);
});

if (TRACE) onPages("Readable names", { files: [TRACE], kinds: ["live"], options: { viewport: { width: 1100, height: 800 } } }, (its) => {
  test("the tab Samples has them", async () => {
    const page = its.page();
    await tab(page, "samples");
    await settled(page);
    const names = [];
    // Sorted by name, downwards and upwards.
    for (let times = 0; times < 2; times++) {
      await page.getByTestId("samples-table").locator(".vt-sort").first().click();
      await settled(page);
      names.push(...(await tableOf(page, "samples-table")).map((row) => Object.values(row)[0]));
    }
    assert.ok(names.some((name) => name.includes("::")), names.join("\n"));
    assert.deepEqual(names.filter((name) => name.includes("_ZN")), []);
  });
});
