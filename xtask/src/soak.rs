//! `cargo xtask soak [SECONDS]`: the property tests again and again, each time with other inputs.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::run::{cargo, check, shown};

const DEFAULT_SECONDS: u64 = 600;

/// Where a run's first input comes from; proptest reads it.
pub const SEED: &str = "PROPTEST_RNG_SEED";

/// The crates that have property tests.
const TESTS: &[&str] = &[
    "test",
    "--release",
    "--quiet",
    "-p",
    "traceloom-trace",
    "-p",
    "traceloom-formats",
    "-p",
    "traceloom-report",
    "-p",
    "traceloom-analyze",
];

/// Seeds follow the clock, so that no two soaks try the same.
pub fn run(args: &[String]) -> Result<()> {
    let seconds = match args.first() {
        Some(arg) => arg.parse().with_context(|| format!("{arg} seconds"))?,
        None => DEFAULT_SECONDS,
    };
    check(cargo(&[TESTS, &["--no-run"]].concat()))?;
    let (begun, first) = (Instant::now(), clock());
    let mut seed = first;
    while begun.elapsed() < Duration::from_secs(seconds) {
        round(seed)?;
        seed += 1;
    }
    println!("{} rounds, and every property held", seed - first);
    Ok(())
}

fn clock() -> u64 {
    let since = std::time::UNIX_EPOCH.elapsed();
    since.map_or(0, |since| since.as_secs())
}

fn round(seed: u64) -> Result<()> {
    let mut command = cargo(TESTS);
    command.env(SEED, seed.to_string());
    let output = command.output().context("cargo")?;
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stdout));
        bail!("does not hold: {SEED}={seed} {}", shown(&command));
    }
    Ok(())
}
