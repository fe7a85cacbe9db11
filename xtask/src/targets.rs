//! Compilation targets of the Rust toolchain.

use std::path::Path;
use std::process::Command;

use crate::run::{check, command, have};

/// Whether the toolchain can compile for a target.
pub fn has_target(target: &str) -> bool {
    let output = command("rustc", &["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).into_owned();
        Path::new(folder.trim()).is_dir()
    })
}

/// The environment variables with which SQLite's C code compiles for a target that links musl.
///
/// For this machine's own processor, none are needed: the compiler `musl-gcc` is found. For another
/// processor, GCC's cross compiler is used. It has glibc's headers. Two features must be off
/// because they need functions that only glibc has: the 64-bit names of file functions (`open64`)
/// and the checked functions (`__memcpy_chk`).
pub fn c_compiler(target: &str) -> Vec<(String, &'static str)> {
    let is_cross = target == "aarch64-unknown-linux-musl" && !have("aarch64-linux-musl-gcc");
    if !is_cross {
        return Vec::new();
    }
    let compiler = format!("CC_{}", target.replace('-', "_"));
    let flags = "-DSQLITE_DISABLE_LFS -U_FORTIFY_SOURCE";
    vec![
        (compiler, "aarch64-linux-gnu-gcc"),
        ("LIBSQLITE3_FLAGS".to_owned(), flags),
    ]
}

/// rustup, which retries failed downloads.
fn rustup_add(target: &str) -> Command {
    let mut rustup = command("rustup", &["target", "add", target]);
    rustup.env("RUSTUP_MAX_RETRIES", "10");
    rustup
}

/// Adds a target with rustup if the toolchain lacks it. Returns whether it can be used.
pub fn add_target(target: &str) -> bool {
    has_target(target) || (have("rustup") && check(rustup_add(target)).is_ok())
}
