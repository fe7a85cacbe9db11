//! Tests of the statically linked programs that `cargo xtask dist` builds. They use another C
//! library (musl) and another allocator.

use std::env::consts::{ARCH, OS};

use super::outcome::{Counts, Outcome};
use super::output;
use crate::run::have;
use crate::targets::has_target;

/// The tests of traceloom that depend on the system: devices, the kernel, memory, sockets, files. The results of other
/// tests do not depend on the C library.
const TESTS: &[&str] = &[
    "atrace",
    "capture",
    "convert",
    "dmtracedump",
    "info",
    "memory",
    "messages",
    "profile",
    "report",
    "view",
];

/// Runs [`TESTS`] and all tests of dmtracedump with musl.
pub fn run() -> Counts {
    let target = format!("{ARCH}-unknown-linux-musl");
    if OS != "linux" || !has_target(&target) {
        return Outcome::Skipped(format!("the target {target} is not installed")).into();
    }
    if !have("musl-gcc") {
        let why = "musl-gcc is missing (Debian package: musl-tools): no tests of static programs";
        return Outcome::Skipped(why.to_owned()).into();
    }
    let linker = format!("target.{target}.linker='rust-lld'");
    let settings = ["test", "--target", &target, "--config", &linker];
    let run = |package: &str, which: &[&str]| {
        let args = [&settings[..], &["-p", package], which].concat();
        output::run_tests(&args, &format!("test-{target}-{package}.log"))
    };
    let mut counts = run("traceloom-heap", &[]);
    counts.add(run("traceloom-dmtracedump", &[]));
    let tests: Vec<_> = TESTS.iter().flat_map(|name| ["--test", name]).collect();
    counts.add(run("traceloom", &tests));
    counts
}
