//! The lines above every table: the profiled threads, and limitations of the numbers.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Result;
use traceloom_analyze::{Measure, Times, TreeThread};
use traceloom_trace::NO_NUMBER;

use super::shown::Shown;
use crate::print::{count, ms, plain, thousands};

/// From this share on, samples in functions without a name are worth a line, percent.
const LEAST_NAMELESS: i64 = 10;

/// Writes the head and an empty line.
pub(super) fn write(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let (tree, profile) = (shown.tree, shown.profile);
    let threads = threads(shown);
    writeln!(
        out,
        "{}: {threads}, {}",
        plain(&shown.args.file.display().to_string()),
        calls_and_totals(shown)
    )?;
    if let Some(unfinished) = &profile.unfinished {
        writeln!(
            out,
            "not in the total: {} in slices that never ended (column Unfinished)",
            totals(unfinished, shown)
        )?;
    }
    write_repairs(out, shown)?;
    if tree.other_slices > 0 {
        let slices = count(tree.other_slices, "slice");
        let are = if tree.other_slices == 1 { "is" } else { "are" };
        writeln!(
            out,
            "{slices} on tracks of no thread {are} not counted (--all-tracks counts them)"
        )?;
    }
    write_events(out, shown)?;
    write_nameless(out, shown)?;
    write_overhead(out, shown)?;
    writeln!(out)?;
    Ok(())
}

/// The number of threads, each counted once however many tracks it has, and of other tracks.
fn threads(shown: &Shown<'_>) -> String {
    let tracks = &shown.tree.threads;
    if let [one] = tracks.as_slice() {
        return format!("thread {}", plain(&one.label()));
    }
    let of_thread = |track: &&TreeThread| track.tid != NO_NUMBER;
    let numbers = tracks.iter().filter(of_thread).map(|t| (t.pid, t.tid));
    let threads = count(numbers.collect::<BTreeSet<_>>().len() as u64, "thread");
    match tracks.len() - tracks.iter().filter(of_thread).count() {
        0 => threads,
        _ if shown.counts_samples() => format!("{threads} and unknown ones"),
        others => format!("{threads} and {}", count(others as u64, "other track")),
    }
}

fn calls_and_totals(shown: &Shown<'_>) -> String {
    let total = &shown.profile.total;
    if let Some(samples) = total.samples {
        return count(samples.max(0) as u64, "sample");
    }
    let word = if shown.has_methods() { "call" } else { "slice" };
    let calls = count(shown.tree.calls_of_threads(), word);
    format!("{calls}, total {}", totals(total, shown))
}

fn totals(total: &Times, shown: &Shown<'_>) -> String {
    let cpu = if shown.has_thread_clock() {
        "CPU"
    } else {
        "running"
    };
    let mut parts = Vec::new();
    if let Some(time) = total.get(Measure::Cpu) {
        parts.push(format!("{cpu} {} ms", ms(time)));
    }
    if let Some(time) = total.get(Measure::Wall) {
        parts.push(format!("real {} ms", ms(time)));
    }
    parts.join(", ")
}

fn write_repairs(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let repairs = &shown.profile.repairs;
    if repairs.is_empty() {
        return Ok(());
    }
    let counts = repairs.iter().map(|note| note.count);
    // Files can have any counts.
    let count = counts.fold(0, u64::saturating_add);
    let kinds: Vec<String> = repairs
        .iter()
        .map(|note| format!("{} {}", thousands(note.count), note.kind))
        .collect();
    let word = if count == 1 { "repair" } else { "repairs" };
    writeln!(
        out,
        "{} {word}: {} (traceloom info explains)",
        thousands(count),
        kinds.join(", ")
    )?;
    Ok(())
}

/// Samples of different events do not have the same weight.
fn write_events(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let events = &shown.tree.sample_events;
    if events.len() > 1 {
        let names: Vec<_> = events.iter().map(|event| plain(event)).collect();
        writeln!(
            out,
            "samples of {} events count together (--event counts those of one): {}",
            events.len(),
            names.join(", ")
        )?;
    }
    Ok(())
}

/// Tells what to do if many samples are in functions without a name.
fn write_nameless(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let rows = shown.profile.rows.iter();
    let nameless = rows.filter(|row| row.function.is_address());
    let samples: i64 = nameless.filter_map(|row| row.exclusive.samples).sum();
    let percent = samples * 100 / shown.profile.total.samples.unwrap_or(0).max(1);
    if percent >= LEAST_NAMELESS {
        writeln!(
            out,
            "{percent} % of the samples are in functions without a name (--symbols takes folders with files that are not \
             stripped)"
        )?;
    }
    Ok(())
}

fn write_overhead(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let Some(report) = shown.overhead else {
        return Ok(());
    };
    let removed = [
        ("CPU", report.removed_cpu_ns),
        ("real", report.removed_wall_ns),
    ];
    let removed: Vec<String> = removed
        .into_iter()
        .filter_map(|(clock, ns)| Some(format!("{clock} {} ms", ms(ns?))))
        .collect();
    writeln!(
        out,
        "cost of reading the clocks ({} ns a record) taken out: {}",
        report.clock_overhead_ns,
        removed.join(", ")
    )?;
    Ok(())
}
