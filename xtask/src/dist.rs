//! `cargo xtask dist`: what goes elsewhere, small and without libraries of its own: the programs atrace (to devices) and
//! dmtracedump (to any Linux), and libtraceloom.so, which apps link.

use std::env::consts::ARCH;
use std::fs;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::run::{cargo, check, have, shown, succeeds};
use crate::test::platforms::have_target;

/// More would be felt when it is pushed over a slow cable.
const MOST_BYTES: u64 = 1_000_000;

/// Static programs: they run on Android too, whose kernel is Linux's.
const STATIC: &[&str] = &["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

/// Targets whose linker is part of Android's NDK.
const WITH_NDK: &[(&str, &str)] = &[
    ("aarch64-linux-android", "aarch64-linux-android21-clang"),
    ("x86_64-linux-android", "x86_64-linux-android21-clang"),
];

/// A program, and how it is built.
struct Program {
    name: &'static str,
    package: &'static str,
    profile: &'static str,
}

/// Small rather than quick.
const ATRACE: Program = Program {
    name: "atrace",
    package: "traceloom-tracefs",
    profile: SMALL,
};

/// Quick, and gone again before a bigger program would have started.
const DMTRACEDUMP: Program = Program {
    name: "dmtracedump",
    package: "traceloom-dmtracedump",
    profile: "quick",
};

const SMALL: &str = "small";

/// More would be felt in an app.
const MOST_LIBRARY_BYTES: u64 = 600_000;

/// What cargo calls the library, and what apps do: it says so itself.
const LIBRARY: [&str; 2] = ["libtraceloom_inapp.so", "libtraceloom.so"];

/// For tests, and for programs on this machine.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// Builds it all for each target that Rust can compile for, into target/dist.
pub fn run() -> Result<()> {
    let mut failed = Vec::new();
    for target in STATIC {
        for program in [&ATRACE, &DMTRACEDUMP] {
            if let Err(error) = build_static(program, target) {
                failed.push(format!("{target}: {error:#}"));
            }
        }
    }
    for (target, linker) in WITH_NDK {
        if let Err(error) = build_with_ndk(target, linker) {
            failed.push(format!("{target}: {error:#}"));
        }
    }
    if cfg!(all(target_os = "linux", target_arch = "x86_64"))
        && let Err(error) = library(HOST, "")
    {
        failed.push(format!("libtraceloom.so: {error:#}"));
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// Builds the library that apps link, under the name that they load it by.
fn library(target: &str, flags: &str) -> Result<()> {
    let package = ["-p", "traceloom-inapp", "--lib"];
    let mut build = cargo(&["build", "--profile", SMALL, "--target", target]);
    build.args(package).env("RUSTFLAGS", flags);
    check(build)?;
    keep(target, SMALL, LIBRARY, MOST_LIBRARY_BYTES)
}

/// The dmtracedump of one piece for this machine, or `None` where Rust cannot compile it.
pub fn dmtracedump() -> Result<Option<PathBuf>> {
    let target = STATIC.iter().find(|target| target.starts_with(ARCH));
    match target {
        Some(target) if build_static(&DMTRACEDUMP, target)? => {
            Ok(Some(kept(target).join(DMTRACEDUMP.name)))
        }
        _ => Ok(None),
    }
}

/// Whether the target can be compiled for, and so the program is there.
fn build_static(program: &Program, target: &str) -> Result<bool> {
    if !can_compile(target) {
        return Ok(false);
    }
    // Rust brings the linker and the C library of these targets. One segment less is a little less
    // for the kernel to map.
    let flags = "-Clink-self-contained=yes -Clinker=rust-lld -Clink-arg=--no-rosegment";
    build(program, target, flags)?;
    keep(target, program.profile, [program.name; 2], MOST_BYTES)?;
    Ok(true)
}

fn build_with_ndk(target: &str, linker: &str) -> Result<()> {
    if !can_compile(target) {
        return Ok(());
    }
    if have(linker) {
        let flags = format!("-Clinker={linker}");
        build(&ATRACE, target, &flags)?;
        keep(target, ATRACE.profile, [ATRACE.name; 2], MOST_BYTES)?;
        return library(target, &flags);
    }
    let packages = ["-p", "traceloom-tracefs", "-p", "traceloom-inapp"];
    let mut checked = cargo(&["check", "--target", target]);
    checked.args(packages);
    let line = shown(&checked);
    ensure!(succeeds(checked), "{line} failed");
    println!(
        "{target}: atrace and libtraceloom.so compile; linking them needs {linker} of Android's NDK. \
         The static atrace runs there too"
    );
    Ok(())
}

fn can_compile(target: &str) -> bool {
    let can = have_target(target);
    if !can {
        println!("skipped: {target}: rustup cannot add the target");
    }
    can
}

fn build(program: &Program, target: &str, flags: &str) -> Result<()> {
    let profile = ["build", "--profile", program.profile, "--target", target];
    let mut build = cargo(&profile);
    build.args(["-p", program.package, "--bin", program.name]);
    build.env("RUSTFLAGS", flags);
    check(build)
}

/// Copies what was built to target/dist/TARGET, under its other name, if it is small enough.
fn keep(target: &str, profile: &str, [built, name]: [&str; 2], most_bytes: u64) -> Result<()> {
    let folder = testkit::workspace_root().join("target");
    let built = folder.join(target).join(profile).join(built);
    let bytes = fs::metadata(&built)?.len();
    ensure!(
        bytes <= most_bytes,
        "{name} has {bytes} bytes, at most {most_bytes} are allowed"
    );
    let kept = kept(target);
    fs::create_dir_all(&kept)?;
    fs::copy(&built, kept.join(name))?;
    println!("target/dist/{target}/{name}: {bytes} bytes");
    Ok(())
}

/// Where what was built for a target is kept.
fn kept(target: &str) -> PathBuf {
    testkit::workspace_root().join("target/dist").join(target)
}
