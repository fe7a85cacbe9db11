//! `traceloom events`: the event table, with fields.

mod args;
mod list;
mod select;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use traceloom_analyze::events::{EventFilter, event_names};
use traceloom_trace::Trace;

use crate::input::{leave, read_trace};
use crate::print::{csv_for_spreadsheets, plain, stream, thousands};

pub use args::EventsArgs;

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, has no such events, or none of the selected names, threads or CPUs.
pub fn run(args: &EventsArgs) -> Result<ExitCode> {
    csv_for_spreadsheets(args.data.csv_safe);
    let trace = read_trace(&args.file, &args.open)?;
    if trace.ftrace_events.is_empty() {
        bail!(
            "{} has no events besides slices, counters, instants and scheduling events; traceloom info counts those",
            args.file.display()
        );
    }
    let filter = select::filter(args, &trace).with_context(|| args.file.display().to_string())?;
    stream(|out| match (args.data.json, args.data.csv) {
        _ if args.counts() => counts(out, args, &trace),
        (true, _) => list::json(out, args, &trace, &filter),
        (_, true) => list::csv(out, args, &trace, &filter),
        _ => list::text(out, args, &trace, &filter),
    })?;
    leave(trace);
    Ok(ExitCode::SUCCESS)
}

/// How many events of each name there are.
fn counts(out: &mut dyn Write, args: &EventsArgs, trace: &Trace) -> Result<()> {
    let file = args.file.display().to_string();
    let all = thousands(trace.ftrace_events.len() as u64);
    writeln!(out, "{}: {all} events\n", plain(&file))?;
    writeln!(out, "{:>13}  Name", "Events")?;
    for one in event_names(trace, &EventFilter::default()) {
        let name = plain(trace.strings.get(one.name));
        writeln!(out, "{:>13}  {name}", thousands(one.count))?;
    }
    Ok(())
}
