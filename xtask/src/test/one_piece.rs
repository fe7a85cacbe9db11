//! The programs that `cargo xtask dist` links of one piece: another C library, another allocator, the same tests.

use std::env::consts::{ARCH, OS};

use super::platforms::have_target;
use super::{Counts, Outcome, output};

/// Of traceloom's tests those that ask the system for something: a device, the kernel, memory, sockets, files. What is
/// worked out does not depend on the C library.
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

/// Runs tests with musl.
pub fn run() -> Counts {
    let target = format!("{ARCH}-unknown-linux-musl");
    if OS != "linux" || !have_target(&target) {
        let why = format!("the target {target} is not installed, and rustup cannot add it");
        return Outcome::Skipped(why).into();
    }
    let linker = format!("target.{target}.linker='rust-lld'");
    let settings = ["test", "--target", &target, "--config", &linker];
    let run = |name: &str, which: &[&str]| {
        let args = [&settings, which].concat();
        output::run_tests(&args, &format!("test-{target}-{name}.log"))
    };
    let mut counts = run(
        "dmtracedump",
        &["-p", "traceloom-heap", "-p", "traceloom-dmtracedump"],
    );
    let mut whole = vec!["-p", "traceloom"];
    whole.extend(TESTS.iter().flat_map(|name| ["--test", name]));
    counts.add(run("traceloom", &whole));
    counts
}
