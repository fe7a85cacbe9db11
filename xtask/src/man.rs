//! `cargo xtask man [DIR]`: man pages and shell completions.

use std::env;

use anyhow::{Result, ensure};

use crate::run::{cargo, check, target_folder};

/// Writes them to the folder given in `args`, or to target/man.
pub fn run(args: &[String]) -> Result<()> {
    ensure!(args.len() <= 1, "man takes one folder");
    let default = target_folder().join("man");
    let folder = args.first().map_or(default, |folder| {
        env::current_dir().unwrap_or_default().join(folder)
    });
    let mut command = cargo(&[
        "run",
        "--quiet",
        "-p",
        "traceloom",
        "--example",
        "man",
        "--",
    ]);
    command.arg(folder);
    check(command)
}
