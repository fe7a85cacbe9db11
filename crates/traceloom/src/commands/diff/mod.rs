//! `traceloom diff`: compares traces, or several runs of two versions.

mod args;
mod csv;
mod json;
mod limits;
mod markdown;
mod numbers;
mod shown;
mod table;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use traceloom_analyze::{CallTree, Diff, Measure, Profile, ProfileOptions};

use crate::calls::{choose_clock, read_calls};
use crate::output::print;
use crate::print::{csv_for_spreadsheets, message, plain};
use shown::Shown;

pub use args::DiffArgs;

/// Runs the command.
///
/// # Errors
/// If a trace cannot be read, or lacks the requested threads or clock.
pub fn run(args: &DiffArgs) -> Result<ExitCode> {
    csv_for_spreadsheets(args.data.csv_safe);
    let (diff, clock) = compare(args)?;
    args.check(&diff)?;
    if args.significant && !diff.has_noise() {
        bail!("--significant needs two runs or more on each side (--base a1 a2 --new b1 b2)");
    }
    let changed = args.changed(&diff);
    let failures = args.failures(&diff, &changed);
    let limit = args.limit();
    let more = changed.len().saturating_sub(limit);
    let rows = changed.into_iter().take(limit).collect();
    let shown = Shown {
        args,
        diff: &diff,
        clock,
        rows,
        more,
    };
    print(|out| match (args.data.csv, args.data.json, args.markdown) {
        (true, _, _) => csv::write(out, &shown),
        (_, true, _) => json::write(out, &shown),
        (_, _, true) => markdown::write(out, &shown),
        _ => table::write(out, &shown),
    })?;
    Ok(match failures {
        0 => ExitCode::SUCCESS,
        count => {
            message!("traceloom: --fail-above: {count} values grew by more than that");
            ExitCode::from(1)
        }
    })
}

fn compare(args: &DiffArgs) -> Result<(Diff, Measure)> {
    let (base, new) = args.sides();
    let read = |side: &[PathBuf]| -> Result<Vec<CallTree>> {
        side.iter()
            .map(|file| read_calls(&args.selection(file)))
            .collect()
    };
    let (base, new) = (read(base)?, read(new)?);
    let all: Vec<&CallTree> = base.iter().chain(&new).collect();
    check_samples(args, &all)?;
    warn_of_events(&all);
    warn_of_two_kinds(args, &all);
    let clock = choose_clock(args.clock, &all)?;
    let options = ProfileOptions {
        by: args.by.into(),
        clock,
    };
    let profiles = |side: &[CallTree]| -> Vec<Profile> {
        side.iter()
            .map(|tree| Profile::new(tree, &options))
            .collect()
    };
    let diff = Diff::new(&profiles(&base), &profiles(&new), clock, args.metric());
    Ok((diff, clock))
}

/// Samples are counted, everything else is timed.
fn check_samples(args: &DiffArgs, trees: &[&CallTree]) -> Result<()> {
    let find = |samples| {
        trees
            .iter()
            .position(|tree| tree.counts_samples() == samples)
    };
    let (base, new) = args.sides();
    let files: Vec<&PathBuf> = base.iter().chain(new).collect();
    if let (Some(samples), Some(times)) = (find(true), find(false)) {
        bail!(
            "{} has samples of a profiler, {} has times: they cannot be compared (--samples compares the samples of both)",
            files[samples].display(),
            files[times].display()
        );
    }
    if find(true).is_some() && args.clock.is_some() {
        bail!("--clock: the traces have samples of a profiler only, which are counted, not timed");
    }
    Ok(())
}

/// Warns that samples of different events are compared.
fn warn_of_events(trees: &[&CallTree]) {
    let events = trees.iter().flat_map(|tree| &tree.sample_events);
    let events: BTreeSet<String> = events.map(|event| plain(event).into_owned()).collect();
    if events.len() > 1 {
        let names: Vec<&str> = events.iter().map(String::as_str).collect();
        message!(
            "traceloom: samples of {} events are compared (--event compares those of one): {}",
            events.len(),
            names.join(", ")
        );
    }
}

/// Warns that methods and slices have no names in common.
fn warn_of_two_kinds(args: &DiffArgs, trees: &[&CallTree]) {
    let (base, new) = args.sides();
    let files: Vec<&PathBuf> = base.iter().chain(new).collect();
    let find = |methods| trees.iter().position(|tree| tree.has_methods() == methods);
    if let (Some(methods), Some(slices)) = (find(true), find(false)) {
        let [methods, slices] = [methods, slices].map(|at| files[at].display().to_string());
        message!(
            "traceloom: {} contains method calls, {} slices of a system trace: few names will match",
            plain(&methods),
            plain(&slices)
        );
    }
}
