//! The tests of the in-app recorder on aarch64, the processor of most devices, emulated by QEMU.

use super::outcome::{Counts, Outcome};
use super::output;
use crate::run::have;
use crate::targets::has_target;

/// Both names of QEMU's emulator for single programs.
const EMULATORS: [&str; 2] = ["qemu-aarch64", "qemu-aarch64-static"];
const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// The folder in which Debian installs the cross compiler's C library.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
/// QEMU allocates from GLib's slice allocator, whose lock is not released in the child of a fork: if
/// another thread held it, the child hangs (QEMU issue 285). The C library's allocator handles forks.
const GLIB_FORKS: &str = "env.G_SLICE='always-malloc'";

/// Not optimized: these tests read little data, so compiling with optimization would take longer than it saves.
const NOT_OPTIMIZED: &[&str] = &["*", "traceloom-formats", "traceloom-trace", "testkit"];

/// Runs all tests with glibc, including those that hook libraries built by the cross compiler. With musl, runs only the
/// unit tests, because a statically linked program cannot load libraries.
pub fn run() -> Counts {
    let Some(emulator) = EMULATORS.into_iter().find(|name| have(name)) else {
        return skipped("qemu-aarch64 is missing (Debian package: qemu-user): no tests on aarch64");
    };
    let mut counts = glibc(emulator);
    counts.add(musl(emulator));
    counts
}

fn glibc(emulator: &str) -> Counts {
    const TARGET: &str = "aarch64-unknown-linux-gnu";
    if !have(COMPILER) {
        return skipped("aarch64-linux-gnu-gcc is missing: the hook is not tested on aarch64");
    }
    let runner = format!("{emulator} -L {LIBRARIES}");
    tests(TARGET, &runner, COMPILER, &["--lib", "--test", "hook"])
}

fn musl(emulator: &str) -> Counts {
    tests(
        "aarch64-unknown-linux-musl",
        emulator,
        "rust-lld",
        &["--lib"],
    )
}

fn tests(target: &str, runner: &str, linker: &str, which: &[&str]) -> Counts {
    if !has_target(target) {
        return skipped(&format!("the target {target} is not installed"));
    }
    println!("{target}: {}", which.join(" "));
    let mut settings = vec![
        format!("target.{target}.runner='{runner}'"),
        format!("target.{target}.linker='{linker}'"),
        // For tests that start themselves again.
        format!("env.TRACELOOM_RUNNER='{runner}'"),
        GLIB_FORKS.to_owned(),
    ];
    let level = |name| format!("profile.dev.package.{name:?}.opt-level=0");
    settings.extend(NOT_OPTIMIZED.iter().map(level));
    let mut args = vec!["test", "--target", target, "-p", "traceloom-inapp"];
    for setting in &settings {
        args.extend(["--config", setting]);
    }
    args.extend(which);
    output::run_tests(&args, &format!("test-{target}.log"))
}

fn skipped(why: &str) -> Counts {
    Outcome::Skipped(why.to_owned()).into()
}
