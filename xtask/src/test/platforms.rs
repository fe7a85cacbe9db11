//! Doors that must stay open: the libraries in a browser, the program on other systems. Nothing is
//! run there, only type-checked, which needs no linker for the target.

use super::{Counts, Outcome, cargo_step};
use crate::run::{cargo, check, command, have};

/// What runs in a browser.
pub const WASM: &str = "wasm32-unknown-unknown";

/// What must build for each target.
const CHECKS: &[(&str, &[&str])] = &[
    (WASM, &["-p", "traceloom-trace", "--features", "arrow"]),
    (WASM, &["-p", "traceloom-formats", "--no-default-features"]),
    (WASM, &["-p", "traceloom-report"]),
    (WASM, &["-p", "traceloom-analyze"]),
    ("aarch64-linux-android", &["-p", "traceloom-tracefs"]),
    ("aarch64-linux-android", &["-p", "traceloom-inapp"]),
    ("x86_64-linux-android", &["-p", "traceloom-inapp"]),
    ("armv7-linux-androideabi", &["-p", "traceloom-inapp"]),
    ("x86_64-pc-windows-gnu", &["-p", "traceloom"]),
    ("aarch64-apple-darwin", &["-p", "traceloom"]),
];

/// Checks each target that is there or can be added.
pub fn run() -> Counts {
    let mut counts = Counts::default();
    for &(target, packages) in CHECKS {
        println!("{target}: {}", packages.join(" "));
        if !have_target(target) {
            let why = format!("the target {target} is not installed, and rustup cannot add it");
            counts.add(Outcome::Skipped(why).into());
            continue;
        }
        let args = [&["check", "--quiet", "--target", target], packages].concat();
        counts.add(cargo_step(&args));
    }
    counts
}

/// Whether Rust can compile for a target, now that rustup was asked to add it.
pub fn have_target(target: &str) -> bool {
    let output = command("rustc", &["--print", "target-libdir", "--target", target]).output();
    let there = output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).into_owned();
        std::path::Path::new(folder.trim()).is_dir()
    });
    there || (have("rustup") && check(command("rustup", &["target", "add", target])).is_ok())
}

/// The fuzz targets are a workspace of their own; here they only have to compile.
pub fn fuzz_targets() -> Counts {
    let mut command = cargo(&[
        "check",
        "--quiet",
        "--manifest-path",
        "fuzz/Cargo.toml",
        "--target-dir",
        "target/fuzz-check",
    ]);
    // Without it, libFuzzer's C++ would be compiled for a program that is never linked.
    command.env("CUSTOM_LIBFUZZER_PATH", "/nowhere/libfuzzer.a");
    match check(command) {
        Ok(()) => Outcome::Passed.into(),
        Err(error) => Outcome::Failed(format!("{error:#}")).into(),
    }
}
