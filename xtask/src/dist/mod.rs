//! `cargo xtask dist`: the release archives, and the parts that run on devices, in `target/dist`.
//!
//! ```text
//! traceloom-VERSION-TARGET.tar.gz     for Linux on x86-64 and ARM64, statically linked with musl
//! SHA256SUMS
//! TARGET/traceloom, dmtracedump, atrace, libtraceloom.so
//! ```

mod archive;
mod licences;
mod programs;

use anyhow::{Result, ensure};

use crate::targets::add_target;
pub use programs::static_programs;

/// Targets of the statically linked programs, which run on every Linux, and on Android because it has the same kernel.
const STATIC: &[&str] = &["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

/// Targets whose linker is part of Android's NDK.
const WITH_NDK: &[(&str, &str)] = &[
    ("aarch64-linux-android", "aarch64-linux-android21-clang"),
    ("x86_64-linux-android", "x86_64-linux-android21-clang"),
];

/// The target of this machine, for tests and for programs that run here.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// Builds everything for which this machine has a compiler and a linker. Prints what it skips.
pub fn run() -> Result<()> {
    let mut failed = Vec::new();
    let mut keep = |target: &str, result: Result<()>| {
        if let Err(error) = result {
            failed.push(format!("{target}: {error:#}"));
        }
    };
    let mut usable = Vec::new();
    for &target in STATIC {
        if add_target(target) {
            keep(target, programs::build_static(target));
            usable.push(target);
        } else {
            println!("skipped: no archive for {target}: rustup cannot add the target");
        }
    }
    for (target, linker) in WITH_NDK {
        keep(target, programs::build_with_ndk(target, linker));
    }
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        keep(HOST, programs::build_library(HOST, None));
    } else {
        println!("skipped: no libtraceloom.so for {HOST}: this is another system");
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    archive::write_all(&usable)
}
