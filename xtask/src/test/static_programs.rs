//! Tests of the statically linked programs that `cargo xtask dist` builds. They use another C
//! library (musl) and another allocator.

use std::env::consts::{ARCH, OS};

use super::outcome::{Counts, Outcome};
use super::output;
use crate::run::{cargo, have};
use crate::targets::has_target;

/// The tests of traceloom that depend on the system: devices, memory, sockets, files. The results of other
/// tests do not depend on the C library.
const TESTS: &[&str] = &[
    "atrace",
    "convert",
    "dmtracedump",
    "info",
    "memory",
    "messages",
    "profile",
    "report",
    "view",
];

/// Those that record the kernel.
const KERNEL: &[&str] = &["capture"];

/// Runs [`TESTS`] and all tests of dmtracedump and the allocator with musl.
pub fn run() -> Counts {
    let mut counts = tests("traceloom-heap", &[]);
    counts.add(tests("traceloom-dmtracedump", &[]));
    counts.add(tests("traceloom", TESTS));
    counts
}

/// Runs [`KERNEL`] with musl.
pub fn kernel() -> Counts {
    tests("traceloom", KERNEL)
}

/// Compiles the tests of traceloom. Cargo prints the errors.
pub fn compile() {
    if let Ok(args) = arguments("traceloom", &[TESTS, KERNEL].concat()) {
        _ = cargo(&[]).args(args).args(["--no-run", "--quiet"]).status();
    }
}

/// Runs these tests of a package, or all.
fn tests(package: &str, names: &[&str]) -> Counts {
    match arguments(package, names) {
        Ok(args) => {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let kind = names.first().unwrap_or(&"all");
            output::run_tests(&args, &format!("test-static-{package}-{kind}.log"))
        }
        Err(why) => Outcome::Skipped(why).into(),
    }
}

/// The arguments of cargo for these tests of a package, or for all; or what is missing.
fn arguments(package: &str, names: &[&str]) -> Result<Vec<String>, String> {
    let target = format!("{ARCH}-unknown-linux-musl");
    if OS != "linux" || !has_target(&target) {
        return Err(format!("the target {target} is not installed"));
    }
    if !have("musl-gcc") {
        return Err(
            "musl-gcc is missing (Debian package: musl-tools): no tests of static programs".into(),
        );
    }
    let linker = format!("target.{target}.linker='rust-lld'");
    let settings = ["test", "--target", &target, "--config", &linker];
    let tests = names.iter().flat_map(|name| ["--test", name]);
    let args = settings.into_iter().chain(["-p", package]).chain(tests);
    Ok(args.map(str::to_owned).collect())
}
