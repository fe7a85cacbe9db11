//! Tests of the statically linked programs that `cargo xtask dist` builds. They use another C
//! library (musl) and another allocator.

use std::env::consts::{ARCH, OS};

use super::outcome::{Counts, Outcome};
use super::output;
use crate::run::{cargo, have};
use crate::targets::has_target;

/// The test programs that depend on the system: devices, memory, sockets, files. The results of others do not depend on
/// the C library.
const TESTS: &[&str] = &[
    "atrace",
    "convert",
    // Both traceloom and traceloom-dmtracedump have a test program of this name.
    "dmtracedump",
    "info",
    "memory",
    "messages",
    "profile",
    "report",
    "view",
];

/// The test programs that record the kernel.
const KERNEL: &[&str] = &["capture"];

/// The packages of the statically linked programs. Each call names all of them, so that it uses the same features and
/// compiles nothing again.
const PACKAGES: &[&str] = &["traceloom", "traceloom-dmtracedump", "traceloom-heap"];

/// Runs [`TESTS`] and the unit tests and examples in the documentation of [`PACKAGES`] with musl.
pub fn run() -> Counts {
    let mut counts = tests(&unit_tests_and(TESTS), "test-static.log");
    counts.add(tests(&["--doc"], "test-static-docs.log"));
    counts
}

/// Runs [`KERNEL`] with musl.
pub fn kernel() -> Counts {
    tests(&named(KERNEL), "test-static-kernel.log")
}

/// Compiles the tests. Cargo prints the errors.
pub fn compile() {
    if let Ok(args) = arguments(&unit_tests_and(&[TESTS, KERNEL].concat())) {
        _ = cargo(&[]).args(args).args(["--no-run", "--quiet"]).status();
    }
}

fn unit_tests_and<'a>(names: &[&'a str]) -> Vec<&'a str> {
    [vec!["--lib", "--bins"], named(names)].concat()
}

fn named<'a>(tests: &[&'a str]) -> Vec<&'a str> {
    tests.iter().flat_map(|name| ["--test", name]).collect()
}

fn tests(which: &[&str], log: &str) -> Counts {
    match arguments(which) {
        Ok(args) => {
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            output::run_tests(&args, log)
        }
        Err(why) => Outcome::Skipped(why).into(),
    }
}

/// The arguments of cargo for these tests, or what is missing.
fn arguments(which: &[&str]) -> Result<Vec<String>, String> {
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
    let packages = PACKAGES.iter().flat_map(|name| ["-p", name]);
    let args = settings.into_iter().chain(packages);
    Ok(args
        .chain(which.iter().copied())
        .map(str::to_owned)
        .collect())
}
