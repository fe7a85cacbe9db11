//! `info` as text.

use std::borrow::Cow;
use std::io::Write;

use anyhow::Result;
use traceloom_trace::sort;

use super::facts::{Facts, RepairFacts};
use crate::print::{brief, duration, left, plain, thousands};

/// The number of threads and processes shown without `--all`.
const SHOWN: usize = 12;

/// The maximum width of an aligned key, in characters. A longer key must not shift all values.
const KEY_WIDTH: usize = 40;

/// Writes the facts of all files, separated by empty lines.
pub fn write(out: &mut dyn Write, shown: &[Facts], all: bool) -> Result<()> {
    let most = if all { usize::MAX } else { SHOWN };
    for (number, facts) in shown.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        write_head(out, facts)?;
        write_counts(out, facts)?;
        write_processes(out, facts, most)?;
        write_threads(out, facts, most)?;
        write_clocks(out, facts, most)?;
        write_repairs(out, &facts.repairs)?;
    }
    Ok(())
}

fn write_head(out: &mut dyn Write, facts: &Facts) -> Result<()> {
    let mut sources: Vec<_> = facts.sources.iter().collect();
    // The further machines of a recording are sources without a name.
    sources.dedup_by(|next, before| next.name.is_empty() && next.title == before.title);
    let titles: Vec<&str> = sources.iter().map(|source| source.title.as_str()).collect();
    writeln!(
        out,
        "{}: {}, {}",
        plain(&facts.file),
        titles.join(" + "),
        duration(facts.duration_ns)
    )?;
    let keys = facts.metadata.iter().map(|(key, _)| plain(key));
    let widths = keys.map(|key| key.chars().count());
    let width = widths.filter(|width| *width <= KEY_WIDTH).max();
    for (key, value) in &facts.metadata {
        let key = plain(key);
        writeln!(
            out,
            "  {}  {}",
            left(&key, width.unwrap_or(0)),
            brief(&one_line(value))
        )?;
    }
    Ok(())
}

/// A fact of several lines, such as the configuration of a recording, would hide the others: only the number of its lines is
/// shown. `--json` has all of it.
fn one_line(value: &str) -> Cow<'_, str> {
    match value.trim_end().lines().count() {
        0 | 1 => value.into(),
        lines => format!("{lines} lines (--json shows them)").into(),
    }
}

fn write_counts(out: &mut dyn Write, facts: &Facts) -> Result<()> {
    let counts = &facts.counts;
    let rows = [
        ("slices", counts.slices),
        ("methods", counts.methods),
        ("counter values", counts.counters),
        ("instants", counts.instants),
        ("flows", counts.flows),
        ("sched slices", counts.sched_slices),
        ("wake-ups", counts.wakeups),
        ("thread states", counts.thread_states),
        ("other events", counts.ftrace_events),
        ("arguments", counts.args),
        ("tracks", counts.tracks),
        ("rows of samples, heaps, logs …", counts.records),
    ];
    writeln!(out, "\nTables")?;
    for (name, count) in rows.into_iter().filter(|(_, count)| *count > 0) {
        writeln!(out, "  {:>13}  {name}", thousands(count as u64))?;
    }
    Ok(())
}

fn write_processes(out: &mut dyn Write, facts: &Facts, most: usize) -> Result<()> {
    if facts.processes.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nProcesses ({})\n      pid  threads  name",
        facts.processes.len()
    )?;
    let mut busiest: Vec<_> = facts.processes.iter().collect();
    sort::by_key(&mut busiest, |process| std::cmp::Reverse(process.threads));
    for process in busiest.iter().take(most) {
        let pid = number(process.pid);
        writeln!(
            out,
            "  {pid:>7}  {:>7}  {}",
            process.threads,
            brief(&process.name)
        )?;
    }
    write_more(out, busiest.len(), most)
}

fn write_threads(out: &mut dyn Write, facts: &Facts, most: usize) -> Result<()> {
    if facts.threads.is_empty() {
        return Ok(());
    }
    let with_cpu = facts.threads.iter().any(|thread| thread.running_ns > 0);
    let cpu_head = if with_cpu { "       running" } else { "" };
    writeln!(
        out,
        "\nThreads ({})\n      tid      pid      slices{cpu_head}  name",
        facts.threads.len()
    )?;
    for thread in facts.threads.iter().take(most) {
        let (pid, slices) = (number(thread.pid), thousands(thread.slices as u64));
        write!(out, "  {:>7}  {pid:>7}  {slices:>10}", thread.tid)?;
        if with_cpu {
            write!(out, "  {:>12}", duration(thread.running_ns))?;
        }
        writeln!(out, "  {}", brief(&thread.name))?;
    }
    write_more(out, facts.threads.len(), most)
}

fn write_more(out: &mut dyn Write, there: usize, shown: usize) -> Result<()> {
    if there > shown {
        writeln!(out, "  … {} more (--all shows them)", there - shown)?;
    }
    Ok(())
}

fn write_clocks(out: &mut dyn Write, facts: &Facts, most: usize) -> Result<()> {
    if facts.clocks.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nClock sync points ({})", facts.clocks.len())?;
    for clock in facts.clocks.iter().take(most) {
        let at = clock.ts_ns.saturating_sub(facts.start_ns);
        let side = if at < 0 { "before" } else { "after" };
        let distance = duration(at.saturating_abs());
        write!(
            out,
            "  {distance} {side} the first event: {} clock at ",
            clock.clock
        )?;
        let (s, ns) = (
            clock.value_ns.div_euclid(1_000_000_000),
            clock.value_ns.rem_euclid(1_000_000_000),
        );
        write!(out, "{s}.{ns:09} s")?;
        if clock.precision_ns > 1 {
            write!(out, " (± {})", duration(clock.precision_ns))?;
        }
        if !clock.name.is_empty() {
            write!(out, ", {}", plain(&clock.name))?;
        }
        writeln!(out)?;
    }
    write_more(out, facts.clocks.len(), most)
}

fn write_repairs(out: &mut dyn Write, repairs: &[RepairFacts]) -> Result<()> {
    if repairs.is_empty() {
        writeln!(out, "\nRepairs: none")?;
        return Ok(());
    }
    let kinds = if repairs.len() == 1 { "kind" } else { "kinds" };
    writeln!(out, "\nRepairs ({} {kinds})", repairs.len())?;
    for repair in repairs {
        let count = thousands(repair.count);
        writeln!(
            out,
            "  {count:>9} × {} ({}): {}",
            repair.kind, repair.severity, repair.explanation
        )?;
        write!(out, "{:13}first: {}", "", repair.first)?;
        if !repair.detail.is_empty() {
            write!(out, ", {}", plain(&repair.detail))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn number(number: Option<i64>) -> String {
    number.map_or_else(|| "?".to_owned(), |number| number.to_string())
}
