//! `traceloom profile`: inclusive and exclusive times of methods or slices, in the terminal.

mod args;
mod columns;
mod head;
mod json;
mod method;
mod rows;
mod shown;
mod tree;

use std::process::ExitCode;

use anyhow::{Error, Result, bail};
use traceloom_analyze::{CallTree, Measure, OverheadReport, Profile, ProfileOptions};

use crate::calls::{By, Clock, read_calls};
use crate::print::{csv_for_spreadsheets, message, ms, stream, too_long};
use args::{Direction, Sort};
use shown::Shown;

pub use args::ProfileArgs;

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, or lacks the requested threads, method or clock.
pub fn run(args: &ProfileArgs) -> Result<ExitCode> {
    csv_for_spreadsheets(args.data.csv_safe);
    if args.tree == Some(Direction::BottomUp) && args.by == By::Thread {
        bail!(
            "--tree bottom-up shows callers, but threads have none; use --tree top-down, or --by method"
        );
    }
    let mut tree = read_calls(&args.into())?;
    let clock = clock(args, &tree)?;
    check_sort(args, &tree)?;
    let overhead = correct(args, &mut tree)?;
    let by = args.by.into();
    let profile = Profile::new(&tree, &ProfileOptions { by, clock });
    let shown = Shown {
        args,
        tree: &tree,
        profile: &profile,
        overhead,
    };
    if args.folded {
        folded(&shown, clock)?;
        return Ok(ExitCode::SUCCESS);
    }
    match (&args.method, args.tree) {
        (Some(query), _) => method::show(&shown, query)?,
        (None, Some(direction)) => tree::show(&shown, direction.into())?,
        (None, None) => rows::show(&shown)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn clock(args: &ProfileArgs, tree: &CallTree) -> Result<Measure> {
    let measure = match args.clock {
        Some(Clock::Cpu) => Measure::Cpu,
        Some(Clock::Wall) => Measure::Wall,
        None => ProfileOptions::for_tree(tree).clock,
    };
    if args.clock.is_some() && tree.counts_samples() {
        bail!(
            "--clock: {} has samples of a profiler only, which are counted, not timed",
            args.file.display()
        );
    }
    if !tree.clocks.has(measure) {
        match measure {
            Measure::Cpu => bail!("--clock cpu: {} has no CPU times", args.file.display()),
            _ => bail!(
                "--clock wall: only CPU times were recorded in {}",
                args.file.display()
            ),
        }
    }
    Ok(measure)
}

fn check_sort(args: &ProfileArgs, tree: &CallTree) -> Result<()> {
    if matches!(args.sort, Some(Sort::Runnable | Sort::Blocked)) && !tree.clocks.states {
        if tree.counts_samples() {
            bail!(
                "--sort runnable and blocked: samples are counted, not timed; traceloom threads shows how long threads \
                 waited, if {} has scheduler events",
                args.file.display()
            );
        }
        bail!(
            "--sort runnable and blocked need scheduler events, and {} has none",
            args.file.display()
        );
    }
    Ok(())
}

fn correct(args: &ProfileArgs, tree: &mut CallTree) -> Result<Option<OverheadReport>> {
    if !args.correct_overhead {
        return Ok(None);
    }
    match tree.correct_overhead() {
        Some(report) => Ok(Some(report)),
        None if !tree.has_methods() => bail!(
            "--correct-overhead: {} is not a method trace; only method traces record the cost of reading their clocks",
            args.file.display()
        ),
        None => bail!(
            "--correct-overhead: {} does not record the cost of reading its clocks: clock-call-overhead-nsec \
             is missing, or the file contains several traces, each with its own; unpack it and choose one",
            args.file.display()
        ),
    }
}

/// Prints collapsed stacks, once their size is known.
fn folded(shown: &Shown<'_>, clock: Measure) -> Result<()> {
    let (most, mut bytes) = (shown.most_bytes(), 0u64);
    shown.tree.folded(clock, |path, ns| {
        let digits = ns.checked_ilog10().unwrap_or(0) + 1;
        // A blank and a line end.
        bytes = bytes.saturating_add(path.len() as u64 + u64::from(digits) + 2);
        Ok::<(), Error>(())
    })?;
    if bytes > most {
        return Err(too_long(Some(bytes), most));
    }
    stream(|out| {
        shown
            .tree
            .folded(clock, |path, ns| writeln!(out, "{path} {ns}"))?;
        Ok(())
    })?;
    let unfinished = shown.profile.unfinished.as_ref();
    if let Some(ns) = unfinished
        .and_then(|times| times.get(clock))
        .filter(|ns| *ns > 0)
    {
        message!(
            "traceloom: the stacks leave out {} ms in slices that never ended",
            ms(ns)
        );
    }
    Ok(())
}
