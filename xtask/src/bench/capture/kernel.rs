//! The kernel's counts of events.

use std::fs;

use anyhow::{Context, Result};

/// The folder of the shared buffer.
pub const TRACING: &str = "/sys/kernel/tracing";

/// The events of all CPUs since the buffer was cleared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    /// Events that are in the buffer or were read.
    pub kept: u64,
    /// Events that were overwritten or did not fit.
    pub lost: u64,
}

/// Reads the counts.
///
/// # Errors
/// If this user has no permission, or there is no tracefs.
pub fn counts() -> Result<Counts> {
    let mut counts = Counts::default();
    for cpu in fs::read_dir(format!("{TRACING}/per_cpu")).context("no tracefs")? {
        let text = fs::read_to_string(cpu?.path().join("stats"))?;
        for (name, count) in text.lines().filter_map(|line| line.split_once(": ")) {
            let count = || count.trim().parse::<u64>().unwrap_or(0);
            match name {
                "entries" | "read events" => counts.kept += count(),
                "overrun" | "commit overrun" | "dropped events" => counts.lost += count(),
                _ => {}
            }
        }
    }
    Ok(counts)
}
