//! The recorder inside apps on aarch64, which is what most devices are: its tests run under QEMU.

use super::platforms::have_target;
use super::{Counts, Outcome, output};
use crate::run::have;

/// What emulates one program, under either of its names.
const EMULATORS: [&str; 2] = ["qemu-aarch64", "qemu-aarch64-static"];
const COMPILER: &str = "aarch64-linux-gnu-gcc";
/// Where Debian's packages for the cross compiler put the C library.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
/// QEMU translates code into memory of GLib's, whose own allocator has a lock that a fork doesn't mind: where
/// another thread held it, the child waits for ever (QEMU's issue 285). The C library's allocator minds.
const GLIB_FORKS: &str = "env.G_SLICE='always-malloc'";

/// With glibc all of it: a hook in libraries that the cross compiler builds. With musl, where the
/// program is one piece and nothing can be loaded, the rest.
pub fn run() -> Counts {
    let Some(emulator) = EMULATORS.into_iter().find(|name| have(name)) else {
        return skipped("no qemu-aarch64 (Debian's package qemu-user): nothing is run on aarch64");
    };
    let mut counts = glibc(emulator);
    counts.add(musl(emulator));
    counts
}

fn glibc(emulator: &str) -> Counts {
    const TARGET: &str = "aarch64-unknown-linux-gnu";
    if !have(COMPILER) {
        return skipped("no aarch64-linux-gnu-gcc: no hook is tried on aarch64");
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
    if !have_target(target) {
        return skipped(&format!(
            "the target {target} is not installed, and rustup cannot add it"
        ));
    }
    println!("{target}: {}", which.join(" "));
    let settings = [
        format!("target.{target}.runner='{runner}'"),
        format!("target.{target}.linker='{linker}'"),
        // Tests that start themselves again go through it as well.
        format!("env.TRACELOOM_RUNNER='{runner}'"),
        GLIB_FORKS.to_owned(),
    ];
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
