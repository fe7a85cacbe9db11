//! `cargo xtask dist`: the programs that are pushed to a device, for each kind of device, small and
//! without libraries of their own.

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

const PROFILE: &str = "small";

/// Builds atrace for each target that Rust can compile for, into target/dist.
pub fn run() -> Result<()> {
    let mut failed = Vec::new();
    for target in STATIC {
        if let Err(error) = build_static(target) {
            failed.push(format!("{target}: {error:#}"));
        }
    }
    for (target, linker) in WITH_NDK {
        if let Err(error) = build_with_ndk(target, linker) {
            failed.push(format!("{target}: {error:#}"));
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

fn build_static(target: &str) -> Result<()> {
    if !can_compile(target) {
        return Ok(());
    }
    // Rust brings the linker and the C library of these targets.
    let flags = "-Clink-self-contained=yes -Clinker=rust-lld";
    build(target, flags)?;
    keep(target)
}

fn build_with_ndk(target: &str, linker: &str) -> Result<()> {
    if !can_compile(target) {
        return Ok(());
    }
    if have(linker) {
        build(target, &format!("-Clinker={linker}"))?;
        return keep(target);
    }
    let args = ["check", "--target", target, "-p", "traceloom-tracefs"];
    let checked = cargo(&args);
    let line = shown(&checked);
    ensure!(succeeds(checked), "{line} failed");
    println!(
        "{target}: it compiles; linking it needs {linker} of Android's NDK, and the static one runs there too"
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

fn build(target: &str, flags: &str) -> Result<()> {
    let package = ["-p", "traceloom-tracefs", "--bin", "atrace"];
    let mut build = cargo(&["build", "--profile", PROFILE, "--target", target]);
    build.args(package).env("RUSTFLAGS", flags);
    check(build)
}

/// Copies the program to target/dist/TARGET, if it is small enough.
fn keep(target: &str) -> Result<()> {
    let folder = testkit::workspace_root().join("target");
    let built: PathBuf = folder.join(target).join(PROFILE).join("atrace");
    let bytes = fs::metadata(&built)?.len();
    ensure!(
        bytes <= MOST_BYTES,
        "atrace has {bytes} bytes, at most {MOST_BYTES} are allowed"
    );
    let kept = folder.join("dist").join(target);
    fs::create_dir_all(&kept)?;
    fs::copy(&built, kept.join("atrace"))?;
    println!("target/dist/{target}/atrace: {bytes} bytes");
    Ok(())
}
