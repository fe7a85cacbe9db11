//! JSON. The keys are stable; times are nanoseconds.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use traceloom_analyze::{Change, DiffMetric, DiffRow, DiffUnit, GroupBy};

use super::shown::Shown;

#[derive(Serialize)]
struct Output<'a> {
    base: Vec<String>,
    new: Vec<String>,
    clock: &'static str,
    by: GroupBy,
    /// The sort key of the rows.
    metric: DiffMetric,
    /// The unit of the inclusive and exclusive numbers.
    unit: DiffUnit,
    /// Whether there are enough runs to tell a change from noise.
    noise_known: bool,
    total: &'a Change,
    /// The time of slices that never ended, which is not in the total.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: &'a Option<Change>,
    rows: &'a [&'a DiffRow],
    /// Rows left out by the limit.
    more: usize,
}

pub(super) fn write(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let (base, new) = shown.args.sides();
    let names =
        |side: &[std::path::PathBuf]| side.iter().map(|file| file.display().to_string()).collect();
    let output = Output {
        base: names(base),
        new: names(new),
        clock: match shown.clock {
            _ if shown.counts_samples() => "samples",
            traceloom_analyze::Measure::Cpu => "cpu",
            _ => "wall",
        },
        by: shown.diff.by,
        metric: shown.diff.metric,
        unit: shown.diff.unit,
        noise_known: shown.diff.has_noise(),
        total: &shown.diff.total,
        unfinished: &shown.diff.unfinished,
        rows: &shown.rows,
        more: shown.more,
    };
    serde_json::to_writer_pretty(&mut *out, &output)?;
    writeln!(out)?;
    Ok(())
}
