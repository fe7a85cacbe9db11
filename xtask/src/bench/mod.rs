//! `cargo xtask bench`: our speed, the machine's own limit and the peers' speed, in one run on one
//! machine, so that the ratios mean something. Every figure is the median of several runs of a
//! child process, with its CPU time and peak memory as the kernel counted them.

mod child;
mod data;
mod figures;
mod peers;
mod report;

use anyhow::{Result, bail};

use crate::run::{cargo, check};
use report::Report;

/// What is asked for on the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// A tenth of the data, fewer repetitions: a look, not a measurement.
    pub quick: bool,
    /// Puts the tables into docs/performance.md.
    pub write: bool,
}

impl Options {
    /// How often a child runs for a median.
    pub fn repeats(self) -> usize {
        if self.quick { 3 } else { 7 }
    }

    /// How big the data is, of `full` records or bytes.
    pub fn size(self, full: usize) -> usize {
        if self.quick { full / 10 } else { full }
    }
}

/// Builds the release binary, makes the data, measures, prints.
pub fn run(args: &[String]) -> Result<()> {
    let options = parse(args)?;
    check(cargo(&["build", "--release", "-p", "traceloom"]))?;
    let mut report = Report::new();
    report.machine();
    figures::method_traces(options, &mut report)?;
    figures::system_traces(options, &mut report)?;
    figures::small_files(options, &mut report)?;
    peers::dmtracedump(options, &mut report)?;
    if options.write {
        report.write()?;
    }
    Ok(())
}

fn parse(args: &[String]) -> Result<Options> {
    let mut options = Options::default();
    for arg in args {
        match arg.as_str() {
            "--quick" => options.quick = true,
            "--write" => options.write = true,
            other => bail!("bench knows --quick and --write, not {other}"),
        }
    }
    Ok(options)
}

/// What the bench starts this program again for: work that is measured, or that needs much memory,
/// happens in a child of its own, because a child's peak memory begins with its parent's.
pub fn in_child(args: &[String]) -> Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["make", name, size, path] => data::make(name, size.parse()?, path),
        ["newlines", path] => data::scan_newlines(path),
        ["copy", path] => data::copy(path),
        _ => bail!("not for people"),
    }
}
