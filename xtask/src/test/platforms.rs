//! Type checks for other targets: the libraries for the browser, the program for other systems. Nothing
//! is linked or run, so no linker for the target is needed.

use super::outcome::{Counts, Outcome};
use crate::run::{cargo, check, command, second_build_folder, succeeds};
use crate::targets::has_target;

/// The target of code that runs in a browser.
const WASM: &str = "wasm32-unknown-unknown";

/// The packages that must build for each target. `formats` has default features that browsers lack.
const CHECKS: &[(&str, &[&str])] = &[
    (WASM, &["-p", "traceloom-formats", "--no-default-features"]),
    (
        WASM,
        &[
            "-p",
            "traceloom-trace",
            "-p",
            "traceloom-report",
            "-p",
            "traceloom-analyze",
        ],
    ),
    (
        "aarch64-linux-android",
        &["-p", "traceloom-tracefs", "-p", "traceloom-inapp"],
    ),
    ("x86_64-linux-android", &["-p", "traceloom-inapp"]),
    ("armv7-linux-androideabi", &["-p", "traceloom-inapp"]),
    // Without `query`: SQLite is C, and there is no C compiler for these.
    (
        "x86_64-pc-windows-gnu",
        &["-p", "traceloom", "--no-default-features"],
    ),
    (
        "aarch64-apple-darwin",
        &["-p", "traceloom", "--no-default-features"],
    ),
];

/// Checks each target that is installed.
pub fn run() -> Counts {
    let mut counts = Counts::default();
    for &(target, packages) in CHECKS {
        println!("{target}: {}", packages.join(" "));
        if !has_target(target) {
            let why = format!("the target {target} is not installed");
            counts.add(Outcome::Skipped(why).into());
            continue;
        }
        let args = [&["check", "--quiet", "--target", target], packages].concat();
        counts.add(in_second_folder(&args));
    }
    counts
}

/// Type-checks the program with the oldest Rust that it supports, if this Rust is newer.
pub fn oldest_rust() -> Counts {
    let oldest = env!("CARGO_PKG_RUST_VERSION");
    let version = command("rustc", &["--version"]).output();
    let version = version.map_or_else(|_| String::new(), |output| text(&output.stdout));
    if version.starts_with(&format!("rustc {oldest}.")) {
        println!("Rust {oldest} is in use: every step checks it");
        return Outcome::Passed.into();
    }
    let toolchain = format!("{oldest}.0");
    if !succeeds(command(
        "rustup",
        &["run", &toolchain, "rustc", "--version"],
    )) {
        let why = format!("Rust {oldest} is missing: rustup toolchain install {toolchain}");
        return Outcome::Skipped(why).into();
    }
    // A separate folder: the two compilers would invalidate each other's files.
    let args = [
        "run",
        &toolchain,
        "cargo",
        "check",
        "--quiet",
        "--target-dir",
        "target/msrv",
    ];
    let mut check_it = command("rustup", &args);
    check_it.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    Outcome::from(check(check_it)).into()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Type-checks the fuzz targets, which are a separate workspace.
pub fn fuzz_targets() -> Counts {
    in_second_folder(&["check", "--quiet", "--manifest-path", "fuzz/Cargo.toml"])
}

fn in_second_folder(args: &[&str]) -> Counts {
    let mut command = cargo(args);
    command.env("CARGO_TARGET_DIR", second_build_folder());
    // Otherwise libFuzzer's C++ would be compiled for a program that is never linked.
    command.env("CUSTOM_LIBFUZZER_PATH", "/nowhere/libfuzzer.a");
    Outcome::from(check(command)).into()
}
