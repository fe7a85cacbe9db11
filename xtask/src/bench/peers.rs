//! Compares with the original dmtracedump on the same files in the same run.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use testkit::Corpus;

use super::child::{Cost, median, once, output_path, paired};
use super::data::file;
use super::figures::{seconds, traceloom};
use super::options::Options;
use super::recorded;
use super::report::Report;
use crate::dist;
use crate::run::have;

/// Real traces are short. Without repetition, the start of the program would dominate.
const REPLAYED: u32 = 50;

/// Compares with Debian's dmtracedump, output included: the usual build of traceloom, and the statically linked
/// programs if Rust can compile them.
pub fn dmtracedump(options: Options, report: &mut Report) -> Result<()> {
    if !have("dmtracedump") {
        report.line("\nskipped: dmtracedump is not installed");
        return Ok(());
    }
    let mut programs: Vec<Box<Ours>> = vec![Box::new(ours)];
    let mut columns = vec!["trace", "original, ms", "traceloom: ms, times faster"];
    if let Some([traceloom, dmtracedump]) = dist::static_programs()? {
        programs.push(Box::new(move |path| linked(&traceloom, path)));
        programs.push(Box::new(move |path| linked(&dmtracedump, path)));
        columns.extend(["statically linked", "dmtracedump alone, statically linked"]);
    }
    columns.push("output, MB");
    report.table("dmtracedump, ours and the original", &columns);
    let turns = if options.quick { 11 } else { 101 };
    for path in real_traces()? {
        let in_turn = |ours: &Ours| paired(turns, || original(&path), || ours(&path));
        row(&name_of(&path), &programs, in_turn, report)?;
    }
    for records in [500_000, 1_000_000, 2_000_000].map(|full| options.size(full)) {
        let path = file("random", records)?;
        let name = format!("calls at random, {records} records, 2,000 methods");
        // The original takes up to a minute, so one run is enough for the ratio.
        let original = once(original(&path))?;
        let compare = |ours: &Ours| Ok((original, median(options.repeats(), || ours(&path))?));
        row(&name, &programs, compare, report)?;
    }
    Ok(())
}

/// Makes the command that reads a trace.
type Ours = dyn Fn(&Path) -> Command;

/// Writes a row of the table. `compare` measures the original and one of our programs.
fn row(
    name: &str,
    programs: &[Box<Ours>],
    compare: impl Fn(&Ours) -> Result<(Cost, Cost)>,
    report: &mut Report,
) -> Result<()> {
    let pairs: Vec<_> = programs
        .iter()
        .map(|ours| compare(ours))
        .collect::<Result<_>>()?;
    let (first, _) = pairs[0];
    let mut cells = vec![name.to_owned(), format!("{:.1}", ms(first))];
    cells.extend(
        pairs
            .into_iter()
            .map(|(original, ours)| format!("{:.2}, {:.1}", ms(ours), ms(original) / ms(ours))),
    );
    let output = std::fs::metadata(output_path()).map_or(0, |file| file.len());
    cells.push(format!("{:.2}", output as f64 / 1e6));
    report.row(&cells);
    Ok(())
}

fn ms(cost: Cost) -> f64 {
    seconds(cost.wall) * 1e3
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn ours(path: &Path) -> Command {
    with_trace(traceloom(&["dmtracedump"]), path)
}

/// The command that runs a program under the original's name. traceloom behaves like dmtracedump under that name.
fn linked(program: &Path, path: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg0("dmtracedump");
    with_trace(command, path)
}

fn original(path: &Path) -> Command {
    with_trace(Command::new("dmtracedump"), path)
}

fn with_trace(mut command: Command, path: &Path) -> Command {
    command.arg(path);
    command
}

/// Real traces on which the original does not crash. Each trace of the corpus occurs twice:
/// unchanged, and repeated until it is long enough to time. The other traces are from recorded
/// programs.
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
