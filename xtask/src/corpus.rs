//! `cargo xtask corpus`: writes docs/real-traces.md.

use anyhow::{Result, ensure};
use testkit::Corpus;

use crate::run::{cargo, check};

/// Runs the test that compares the table with the files, in a mode that writes the table.
pub fn run() -> Result<()> {
    ensure!(
        Corpus::find().is_some(),
        "set TRACELOOM_TESTDATA to the folder of real traces"
    );
    let mut command = cargo(&[
        "test",
        "--quiet",
        "-p",
        "traceloom",
        "--all-features",
        "--test",
        "corpus",
    ]);
    command.env("TRACELOOM_WRITE_TABLE", "1");
    check(command)?;
    println!("docs/real-traces.md was written");
    Ok(())
}
