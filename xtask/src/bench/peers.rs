//! The peers, on the same files in the same run.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use testkit::Corpus;

use super::Options;
use super::child::{Cost, median, once, output_path, paired};
use super::data::file;
use super::figures::{seconds, traceloom};
use super::recorded;
use super::report::Report;
use crate::run::have;

/// Real traces are short; what starting a program costs would hide the rest.
const REPLAYED: u32 = 50;

/// Ours against Debian's dmtracedump, output included.
pub fn dmtracedump(options: Options, report: &mut Report) -> Result<()> {
    if !have("dmtracedump") {
        report.line("\nskipped: dmtracedump is not installed, nothing to compare with");
        return Ok(());
    }
    report.table(
        "dmtracedump, ours and the original",
        &[
            "trace",
            "original, ms",
            "ours, ms",
            "times faster",
            "output, MB",
        ],
    );
    let turns = if options.quick { 11 } else { 101 };
    for path in real_traces()? {
        let ours = || ours(&path);
        let (original, ours) = paired(turns, || original(&path), ours)?;
        row(&name_of(&path), original, ours, report);
    }
    for records in [500_000, 1_000_000, 2_000_000].map(|full| options.size(full)) {
        let path = file("random", records)?;
        let name = format!("calls at random, {records} records, 2,000 methods");
        // It takes up to a minute; once is enough to see the ratio.
        let original = once(original(&path))?;
        let ours = median(options.repeats(), || ours(&path))?;
        row(&name, original, ours, report);
    }
    Ok(())
}

/// A row of the table, whose output is that of the last run.
fn row(name: &str, original: Cost, ours: Cost, report: &mut Report) {
    let output = std::fs::metadata(output_path()).map_or(0, |file| file.len());
    report.row(&[
        name.to_owned(),
        format!("{:.1}", seconds(original.wall) * 1e3),
        format!("{:.1}", seconds(ours.wall) * 1e3),
        format!("{:.1}", seconds(original.wall) / seconds(ours.wall)),
        format!("{:.2}", output as f64 / 1e6),
    ]);
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn ours(path: &Path) -> Command {
    let mut command = traceloom(&["dmtracedump"]);
    command.arg(path);
    command
}

fn original(path: &Path) -> Command {
    let mut command = Command::new("dmtracedump");
    command.arg(path);
    command
}

/// Real traces that the original survives: of the corpus as they are and played often enough to be
/// timed, and recorded ones.
fn real_traces() -> Result<Vec<PathBuf>> {
    let mut traces = vec![testkit::workspace_root().join("examples/app.trace")];
    let files = Corpus::find().map(|corpus| corpus.files(&["traceview-v3"]));
    let survives = |path: &PathBuf| once(original(path)).is_ok();
    let big = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|file| file.len() > 100_000);
    let real = files.unwrap_or_default().into_iter().map(|file| file.path);
    traces.extend(real.filter(big).filter(survives));
    for path in traces.clone() {
        if let Some(bytes) = testkit::replay(&std::fs::read(&path)?, REPLAYED) {
            let name = format!("{} played {REPLAYED} times", name_of(&path));
            let long = output_path().with_file_name(name);
            std::fs::write(&long, bytes)?;
            traces.extend(Some(long).filter(survives));
        }
    }
    traces.extend(recorded::traces()?.into_iter().filter(survives));
    Ok(traces)
}
