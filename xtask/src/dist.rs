//! `cargo xtask dist`: what goes elsewhere and needs no libraries there: traceloom of one piece and dmtracedump alone
//! (to any Linux), atrace (to devices), and libtraceloom.so, which apps link.

mod order;
mod quick;

use std::fs;
use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::run::{cargo, check, have, shown, succeeds};
use crate::test::platforms::have_target;
pub use quick::quick;

/// More would be felt when it is pushed over a slow cable.
const MOST_PUSHED_BYTES: u64 = 1_000_000;

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
    /// For all that is compiled.
    flags: &'static str,
    most_bytes: u64,
}

/// Small rather than quick.
const ATRACE: Program = Program {
    name: "atrace",
    package: "traceloom-tracefs",
    profile: SMALL,
    flags: ONE_PIECE,
    most_bytes: MOST_PUSHED_BYTES,
};

/// Rust brings the linker and the C library of these targets. One segment less is a little less for the
/// kernel to map.
const ONE_PIECE: &str = "-Clink-self-contained=yes -Clinker=rust-lld -Clink-arg=--no-rosegment";

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
        if !can_compile(target) {
            continue;
        }
        let built = [build_static(&ATRACE, target, &[]), quick::build(target)];
        let errors = built.into_iter().filter_map(Result::err);
        failed.extend(errors.map(|error| format!("{target}: {error:#}")));
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

fn build_static(program: &Program, target: &str, to_linker: &[String]) -> Result<()> {
    build(program, target, program.flags, to_linker)?;
    let names = [program.name; 2];
    keep(target, program.profile, names, program.most_bytes)
}

fn build_with_ndk(target: &str, linker: &str) -> Result<()> {
    if !can_compile(target) {
        return Ok(());
    }
    if have(linker) {
        let flags = format!("-Clinker={linker}");
        build(&ATRACE, target, &flags, &[])?;
        keep(target, SMALL, [ATRACE.name; 2], MOST_PUSHED_BYTES)?;
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

fn build(program: &Program, target: &str, flags: &str, to_linker: &[String]) -> Result<()> {
    let profile = ["rustc", "--profile", program.profile, "--target", target];
    let mut build = cargo(&profile);
    build.args(["-p", program.package, "--bin", program.name, "--"]);
    build.args(to_linker.iter().map(|arg| format!("-Clink-arg={arg}")));
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
