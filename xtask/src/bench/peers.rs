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
use crate::dist;
use crate::run::have;

/// Real traces are short; what starting a program costs would hide the rest.
const REPLAYED: u32 = 50;

/// Ours against Debian's dmtracedump, output included.
pub fn dmtracedump(options: Options, report: &mut Report) -> Result<()> {
    if !have("dmtracedump") {
        report.line("\nskipped: dmtracedump is not installed, nothing to compare with");
        return Ok(());
    }
    let small = dist::dmtracedump()?;
    report.table(
        "dmtracedump, ours and the original",
        &[
            "trace",
            "original, ms",
            "traceloom, ms",
            "times faster",
            "of one piece, ms",
            "times faster",
            "output, MB",
        ],
    );
    let turns = if options.quick { 11 } else { 101 };
    for path in real_traces()? {
        let in_turn = |ours: &Ours<'_>| {
            let (original, ours) = paired(turns, || original(&path), || ours(&path))?;
            Ok([original, ours])
        };
        row(&name_of(&path), small.as_deref(), in_turn, report)?;
    }
    for records in [500_000, 1_000_000, 2_000_000].map(|full| options.size(full)) {
        let path = file("random", records)?;
        let name = format!("calls at random, {records} records, 2,000 methods");
        // It takes up to a minute; once is enough to see the ratio.
        let original = once(original(&path))?;
        let beside = |ours: &Ours<'_>| {
            let ours = median(options.repeats(), || ours(&path))?;
            Ok([original, ours])
        };
        row(&name, small.as_deref(), beside, report)?;
    }
    Ok(())
}

/// How a trace is given to one of ours.
type Ours<'a> = dyn Fn(&Path) -> Command + 'a;

/// A row of the table; `beside` measures the original and one of ours.
fn row(
    name: &str,
    small: Option<&Path>,
    beside: impl Fn(&Ours<'_>) -> Result<[Cost; 2]>,
    report: &mut Report,
) -> Result<()> {
    let [original, whole] = beside(&ours)?;
    let ms = |cost: Cost| format!("{:.1}", seconds(cost.wall) * 1e3);
    let times =
        |original: Cost, ours: Cost| format!("{:.1}", seconds(original.wall) / seconds(ours.wall));
    let mut cells = vec![
        name.to_owned(),
        ms(original),
        ms(whole),
        times(original, whole),
    ];
    match small {
        Some(program) => {
            let [original, small] = beside(&|path| with_trace(Command::new(program), path))?;
            cells.extend([
                format!("{:.2}", seconds(small.wall) * 1e3),
                times(original, small),
            ]);
        }
        None => cells.extend(["".to_owned(), "".to_owned()]),
    }
    let output = std::fs::metadata(output_path()).map_or(0, |file| file.len());
    cells.push(format!("{:.2}", output as f64 / 1e6));
    report.row(&cells);
    Ok(())
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn ours(path: &Path) -> Command {
    with_trace(traceloom(&["dmtracedump"]), path)
}

fn original(path: &Path) -> Command {
    with_trace(Command::new("dmtracedump"), path)
}

fn with_trace(mut command: Command, path: &Path) -> Command {
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
