//! `cargo xtask bench`: our speed, the machine's own limit and the peers' speed, in one run on one
//! machine, so that the ratios mean something. Every figure is the median of several runs of a
//! child process, with its CPU time and peak memory as the kernel counted them.

mod calls;
mod capture;
mod child;
mod data;
mod device;
mod figures;
mod page;
mod peers;
mod recorded;
mod report;
mod speedscope;
mod weave;

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
    /// The one section that is wanted, by its place in [`SECTIONS`]; none: all.
    pub only: Option<usize>,
}

type Section = fn(Options, &mut Report) -> Result<()>;

/// The tables, in the order of the page.
const SECTIONS: &[(&str, Section)] = &[
    ("methods", figures::method_traces),
    ("systems", figures::system_traces),
    ("raw", figures::raw_traces),
    ("small", figures::small_files),
    ("dmtracedump", peers::dmtracedump),
    ("page", page::page),
    ("capture", capture::capture),
    ("weave", weave::weave),
];

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
    for (number, (_, measure)) in SECTIONS.iter().enumerate() {
        if options.only.is_none_or(|only| only == number) {
            measure(options, &mut report)?;
        }
    }
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
            name => match SECTIONS.iter().position(|(known, _)| *known == name) {
                Some(number) => options.only = Some(number),
                None => bail!("bench knows --quick, --write and {}, not {name}", known()),
            },
        }
    }
    if options.write && options.only.is_some() {
        bail!("--write puts all sections into the page: name none");
    }
    Ok(options)
}

fn known() -> String {
    let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// What the bench starts this program again for: work that is measured, or that needs much memory,
/// happens in a child of its own, because a child's peak memory begins with its parent's.
pub fn in_child(args: &[String]) -> Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["make", name, size, path] => data::make(name, size.parse()?, path),
        ["speedscope", from, to] => speedscope::write(from, to),
        ["newlines", path] => data::scan_newlines(path),
        ["copy", path] => data::copy(path),
        ["load", millis] => capture::load(millis),
        _ => bail!("not for people"),
    }
}
