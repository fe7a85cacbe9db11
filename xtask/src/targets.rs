//! Compilation targets of the Rust toolchain.

use std::path::Path;

use crate::run::{check, command, have};

/// Whether the toolchain can compile for a target.
pub fn has_target(target: &str) -> bool {
    let output = command("rustc", &["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| {
        let folder = String::from_utf8_lossy(&output.stdout).into_owned();
        Path::new(folder.trim()).is_dir()
    })
}

/// Adds a target with rustup if the toolchain lacks it. Returns whether it can be used.
pub fn add_target(target: &str) -> bool {
    has_target(target)
        || (have("rustup") && check(command("rustup", &["target", "add", target])).is_ok())
}
