//! `cargo xtask bench`: the speed of traceloom, the limit of the machine and the speed of other tools,
//! measured in one run on one machine, so that the ratios are meaningful. Each figure is the median of
//! several runs of a child process; CPU time and peak memory are counted by the kernel.

mod calls;
mod capture;
mod child;
mod data;
mod device;
mod events;
mod figures;
mod options;
mod page;
mod parts;
mod peers;
mod perfetto;
mod python;
mod query;
mod recorded;
mod report;
mod speedscope;
mod weave;

use std::fs;

use anyhow::{Result, bail};

use crate::run::{cargo, check};
pub use options::Options;
use report::Report;

type Section = fn(Options, &mut Report) -> Result<()>;

/// The tables, in the order of docs/performance.md.
const SECTIONS: &[(&str, Section)] = &[
    ("methods", figures::method_traces),
    ("systems", figures::system_traces),
    ("raw", figures::raw_traces),
    ("perfetto", perfetto::perfetto),
    ("small", figures::small_files),
    ("parts", parts::parts),
    ("dmtracedump", peers::dmtracedump),
    ("page", page::page),
    ("query", query::query),
    ("python", python::python),
    ("capture", capture::capture),
    ("events", events::events),
    ("weave", weave::weave),
];

/// Builds the release binary, makes the data, measures, prints.
pub fn run(args: &[String]) -> Result<()> {
    let options = parse(args)?;
    check(cargo(&["build", "--release", "-p", "traceloom"]))?;
    fs::create_dir_all(data::folder())?;
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
                None => bail!(
                    "no section {name}: bench takes --quick, --write and {}",
                    known()
                ),
            },
        }
    }
    if options.write && options.only.is_some() {
        bail!("--write needs all sections, so no section may be named");
    }
    Ok(options)
}

fn known() -> String {
    let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

/// Runs a part of the bench in a child process. Work that is measured or needs much memory runs there,
/// because the peak memory of a child starts at its parent's.
pub fn in_child(args: &[String]) -> Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["make", name, size, path] => data::make(name, size.parse()?, path),
        ["speedscope", from, to] => speedscope::write(from, to),
        ["newlines", path] => data::scan_newlines(path),
        ["copy", path] => data::copy(path),
        ["load", millis, rate] => capture::load(millis, rate),
        _ => bail!("bench-child is only for bench itself"),
    }
}
