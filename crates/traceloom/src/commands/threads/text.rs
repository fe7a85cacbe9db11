//! Prints the threads as a table, and the details of the selected ones.

use std::io::Write;

use anyhow::Result;

use super::args::ThreadsArgs;
use super::report::{BlockedReport, ThreadReport, WakerReport};
use crate::print::{Cut, Name, Table, duration, ms, plain, terminal_width, thousands};

/// The number of wakers, functions and CPUs shown for a thread.
const TOLD: usize = 5;

/// Writes the table, and the details of the threads if some were chosen.
pub(super) fn write(
    out: &mut dyn Write,
    args: &ThreadsArgs,
    threads: &[ThreadReport],
    all: usize,
) -> Result<()> {
    let file = args.file.display().to_string();
    if threads.is_empty() {
        writeln!(
            out,
            "{}: no scheduling events of these threads in this range of time",
            plain(&file)
        )?;
        return Ok(());
    }
    let plural = if all == 1 { "" } else { "s" };
    let count = thousands(all as u64);
    writeln!(
        out,
        "{}: {count} thread{plural} with scheduling events\n",
        plain(&file)
    )?;
    table(threads).write(out, terminal_width())?;
    if all > threads.len() {
        let more = thousands((all - threads.len()) as u64);
        writeln!(out, "… {more} more (--limit 0 shows all)")?;
    }
    if args.chosen() {
        for thread in threads {
            writeln!(out)?;
            details(out, thread)?;
        }
    }
    Ok(())
}

fn table(threads: &[ThreadReport]) -> Table {
    let mut table = Table {
        name_head: "Thread",
        cut: Cut::End,
        ..Table::default()
    };
    let mut column = |head: &str, spare: u8, cell: &dyn Fn(&ThreadReport) -> String| {
        table.column(head, spare, threads.iter().map(cell).collect());
    };
    column("Running ms", 0, &|one| ms(one.running_ns));
    column("Runnable ms", 0, &|one| ms(one.runnable_ns));
    column("Sleeping ms", 2, &|one| ms(one.sleeping_ns));
    column("Blocked ms", 0, &|one| ms(one.blocked_ns));
    column("Wake-ups", 1, &|one| thousands(one.latency.wakeups));
    let woken = |one: &ThreadReport, ns: i64| match one.latency.wakeups {
        0 => "-".to_owned(),
        _ => ms(ns),
    };
    column("p50 ms", 3, &|one| woken(one, one.latency.median_ns));
    column("p90 ms", 4, &|one| woken(one, one.latency.p90_ns));
    column("p99 ms", 3, &|one| woken(one, one.latency.p99_ns));
    column("Worst ms", 1, &|one| woken(one, one.latency.worst_ns));
    column("Worst at s", 5, &|one| match one.latency.wakeups {
        0 => "-".to_owned(),
        _ => format!("{:.3}", one.latency.worst_at_ns as f64 / 1e9),
    });
    column("CPUs", 6, &|one| one.cpus.len().to_string());
    column("Moves", 6, &|one| thousands(one.migrations));
    table.names = threads.iter().map(|one| name(label(one))).collect();
    table
}

fn name(text: String) -> Name {
    Name { indent: 0, text }
}

/// `thread (tid) of process`. For a main thread, only one of the names.
fn label(one: &ThreadReport) -> String {
    match (one.process.as_str(), one.pid == one.tid) {
        ("", _) => format!("{} ({})", one.thread, one.tid),
        (process, true) => format!("{process} ({})", one.tid),
        (process, false) => format!("{} ({}) of {process}", one.thread, one.tid),
    }
}

/// Describes a thread in a few lines.
fn details(out: &mut dyn Write, one: &ThreadReport) -> Result<()> {
    writeln!(out, "{}", plain(&label(one)))?;
    if one.latency.wakeups > 0 {
        writeln!(
            out,
            "  waited longest for a CPU: {} after a wake-up at {:.6} s",
            duration(one.latency.worst_ns),
            one.latency.worst_at_ns as f64 / 1e9
        )?;
    }
    if one.preempted_ns > 0 {
        let preempted = duration(one.preempted_ns);
        writeln!(out, "  preempted for {preempted}")?;
    }
    list(out, "woken by", &one.wakers, &woken)?;
    list(out, "blocked in", &one.blocked_in, &blocked)?;
    list(out, "ran on", &one.cpus, &|one| {
        format!("CPU {} {}", one.cpu, duration(one.ns))
    })
}

/// The first few of a list on one line.
fn list<T>(out: &mut dyn Write, head: &str, all: &[T], shown: &dyn Fn(&T) -> String) -> Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let mut texts: Vec<String> = all.iter().take(TOLD).map(shown).collect();
    let more = all.len().saturating_sub(TOLD);
    if more > 0 {
        texts.push(format!("{more} more"));
    }
    writeln!(out, "  {head} {}", texts.join(", "))?;
    Ok(())
}

fn woken(one: &WakerReport) -> String {
    let name = plain(&one.thread).into_owned();
    let times = match one.count {
        1 => "once".to_owned(),
        count => format!("{} times", thousands(count)),
    };
    format!("{name} {times} ({} waited)", duration(one.waited_ns))
}

fn blocked(one: &BlockedReport) -> String {
    let function = match one.function.as_str() {
        "" => "a function that was not recorded".into(),
        function => plain(function),
    };
    let io = if one.io { ", I/O" } else { "" };
    format!(
        "{function} {} ({}×{io})",
        duration(one.ns),
        thousands(one.count)
    )
}
