//! Inputs of many small parts: ten times the parts may take at most twelve times as long.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use testkit::{Parts, many_parts};

use super::child::once;
use super::data::folder;
use super::figures::traceloom;
use super::options::Options;
use super::report::Report;

/// The maximum factor in time for ten times as many parts.
const MOST: f64 = 12.0;

/// Shorter runs are not judged, because noise of the machine dominates them.
const SHORTEST: Duration = Duration::from_millis(100);

/// Measures each kind of input with many parts, and fails if any kind takes too long.
pub fn parts(options: Options, report: &mut Report) -> Result<()> {
    report.table(
        "Many small parts (info), one thread",
        &["what", "parts", "s", "ten times as many, s", "ratio"],
    );
    let few = options.size(20_000);
    let mut slow = Vec::new();
    for kind in many_parts() {
        let (short, long) = (read(&kind, few)?, read(&kind, few * 10)?);
        let ratio = long.as_secs_f64() / short.as_secs_f64();
        report.row(&[
            kind.name.to_owned(),
            few.to_string(),
            format!("{:.3}", short.as_secs_f64()),
            format!("{:.3}", long.as_secs_f64()),
            format!("{ratio:.1}"),
        ]);
        if ratio > MOST && long > SHORTEST {
            slow.push(format!("{}: {ratio:.1}", kind.name));
        }
    }
    let slow = slow.join("\n");
    ensure!(slow.is_empty(), "more than {MOST} times as long:\n{slow}");
    Ok(())
}

/// The shortest CPU time of a few runs: other work on the machine only makes it longer.
fn read(kind: &Parts, count: usize) -> Result<Duration> {
    const RUNS: usize = 3;
    let path = folder().join("parts");
    fs::write(&path, (kind.make)(count))?;
    let costs: Vec<Duration> = (0..RUNS).map(|_| info(&path)).collect::<Result<_>>()?;
    fs::remove_file(&path)?;
    Ok(costs.into_iter().min().unwrap_or_default())
}

fn info(path: &Path) -> Result<Duration> {
    let mut command = traceloom(&["info", "--threads", "1"]);
    command.arg(path);
    Ok(once(command)?.cpu)
}
