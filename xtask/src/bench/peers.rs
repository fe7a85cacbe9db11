//! The peers, on the same files in the same run.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use testkit::Corpus;

use super::Options;
use super::child::{Cost, median, once, output_path};
use super::data::file;
use super::figures::{seconds, traceloom};
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
    for path in real_traces()? {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let original = median(options.repeats() * 3, || original(&path))?;
        compare(&name, original, &path, options, report)?;
    }
    for records in [500_000, 1_000_000, 2_000_000].map(|full| options.size(full)) {
        let path = file("random", records)?;
        let name = format!("calls at random, {records} records, 2,000 methods");
        // It takes up to half a minute; once is enough to see the ratio.
        let original = once(original(&path))?;
        compare(&name, original, &path, options, report)?;
    }
    Ok(())
}

fn compare(
    name: &str,
    original: Cost,
    path: &PathBuf,
    options: Options,
    report: &mut Report,
) -> Result<()> {
    let output = |path| std::fs::metadata(path).map_or(0, |file| file.len());
    let ours = median(options.repeats(), || {
        let mut command = traceloom(&["dmtracedump"]);
        command.arg(path);
        command
    })?;
    report.row(&[
        name.to_owned(),
        format!("{:.1}", seconds(original.wall) * 1e3),
        format!("{:.1}", seconds(ours.wall) * 1e3),
        format!("{:.1}", seconds(original.wall) / seconds(ours.wall)),
        format!("{:.2}", output(output_path()) as f64 / 1e6),
    ]);
    Ok(())
}

fn original(path: &PathBuf) -> Command {
    let mut command = Command::new("dmtracedump");
    command.arg(path);
    command
}

/// Real traces that the original survives, as they are and played often enough to be timed.
fn real_traces() -> Result<Vec<PathBuf>> {
    let mut traces = vec![testkit::workspace_root().join("examples/app.trace")];
    let files = Corpus::find().map(|corpus| corpus.files(&["traceview-v3"]));
    let survives = |path: &PathBuf| once(original(path)).is_ok();
    let big = |path: &PathBuf| std::fs::metadata(path).is_ok_and(|file| file.len() > 100_000);
    let real = files.unwrap_or_default().into_iter().map(|file| file.path);
    traces.extend(real.filter(big).filter(survives));
    for path in traces.clone() {
        if let Some(bytes) = testkit::replay(&std::fs::read(&path)?, REPLAYED) {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let long = output_path().with_file_name(format!("{name} played {REPLAYED} times"));
            std::fs::write(&long, bytes)?;
            traces.extend(Some(long).filter(survives));
        }
    }
    Ok(traces)
}
