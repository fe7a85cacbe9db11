//! The speed of reading Perfetto traces.

use std::path::Path;

use anyhow::Result;

use super::child::{Cost, medians, once, turns};
use super::data::file;
use super::figures::{of, seconds};
use super::options::Options;
use super::report::Report;

/// Measures reading kernel events and events of tracks into the full model, on one thread and on two.
pub fn perfetto(options: Options, report: &mut Report) -> Result<()> {
    report.table(
        "Perfetto traces into the full model (info)",
        &[
            "what",
            "events",
            "MB",
            "s",
            "M events/s",
            "two threads",
            "peak memory / file",
        ],
    );
    for (title, data, full) in [
        ("kernel events of a phone", "perfetto-sched", 8_000_000),
        ("events of tracks", "perfetto-tracks", 6_000_000),
    ] {
        let events = options.size(full);
        let path = file(data, events)?;
        let bytes = std::fs::metadata(&path)?.len() as f64;
        let [one, two] = both(options, &path)?;
        report.row(&[
            title.to_owned(),
            format!("{:.1} M", events as f64 / 1e6),
            format!("{:.0}", bytes / 1e6),
            format!("{:.3}", seconds(one.wall)),
            format!("{:.1}", events as f64 / 1e6 / seconds(one.wall)),
            format!("{:.2} times", seconds(one.wall) / seconds(two.wall)),
            format!("{:.2}", one.peak_bytes as f64 / bytes),
        ]);
    }
    Ok(())
}

/// The cost on one thread and on two, in turns.
fn both(options: Options, path: &Path) -> Result<[Cost; 2]> {
    let info = |threads: &str| once(of(&["info", "--threads", threads], path));
    let turns = turns(options.repeats(), [&|| info("1"), &|| info("2")])?;
    Ok(medians(&turns))
}
