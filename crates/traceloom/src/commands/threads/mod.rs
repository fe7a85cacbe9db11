//! `traceloom threads`: how long each thread ran and waited, what it waited for, and its wakers.

mod args;
mod report;
mod text;

use std::cmp::Reverse;
use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde::Serialize;
use traceloom_analyze::threads::thread_times;
use traceloom_trace::{RowId, ThreadId, sort};

use crate::input::read_trace;
use crate::output::print;
use crate::print::{csv_for_spreadsheets, csv_line};
use crate::wanted::selected_threads;
use args::Sort;
use report::ThreadReport;

pub use args::ThreadsArgs;

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, has no scheduling events, or none of the selected threads.
pub fn run(args: &ThreadsArgs) -> Result<ExitCode> {
    csv_for_spreadsheets(args.data.csv_safe);
    let trace = read_trace(&args.file, &args.open)?;
    if trace.thread_states.is_empty() {
        bail!(
            "{} has no scheduling events, so it does not tell when a thread ran or waited (record the category sched)",
            args.file.display()
        );
    }
    let range = args.range.of(&trace)?;
    let selected = selected_threads(&trace, &args.thread, &args.process);
    let selected = selected.with_context(|| args.file.display().to_string())?;
    let wanted = |utid: ThreadId| selected[utid.row()];
    let times = thread_times(&trace, range, &wanted);
    let mut threads: Vec<ThreadReport> = times
        .iter()
        .map(|times| ThreadReport::new(&trace, times))
        .collect();
    sort(&mut threads, args.sort);
    let all = threads.len();
    threads.truncate(args.shown());
    print(|out| match (args.data.json, args.data.csv) {
        (true, _) => json(out, args, &threads),
        (_, true) => csv(out, &threads),
        _ => text::write(out, args, &threads, all),
    })?;
    Ok(ExitCode::SUCCESS)
}

fn sort(threads: &mut [ThreadReport], sort: Sort) {
    let key = |one: &ThreadReport| match sort {
        Sort::Running | Sort::Name => one.running_ns,
        Sort::Runnable => one.runnable_ns,
        Sort::Sleeping => one.sleeping_ns,
        Sort::Blocked => one.blocked_ns,
        Sort::Latency => one.latency.p99_ns,
        Sort::Worst => one.latency.worst_ns,
    };
    sort::by_key(threads, |one| Reverse(key(one)));
    if sort == Sort::Name {
        sort::by(threads, |one, other| {
            (&one.process, &one.thread).cmp(&(&other.process, &other.thread))
        });
    }
}

#[derive(Serialize)]
struct Output<'a> {
    file: String,
    threads: &'a [ThreadReport],
}

fn json(out: &mut dyn Write, args: &ThreadsArgs, threads: &[ThreadReport]) -> Result<()> {
    let file = args.file.display().to_string();
    serde_json::to_writer_pretty(&mut *out, &Output { file, threads })?;
    writeln!(out)?;
    Ok(())
}

fn csv(out: &mut dyn Write, threads: &[ThreadReport]) -> Result<()> {
    csv_line(out, report::CSV_HEAD)?;
    for thread in threads {
        csv_line(out, thread.csv())?;
    }
    Ok(())
}
