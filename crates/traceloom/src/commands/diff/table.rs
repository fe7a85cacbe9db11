//! The terminal table.

use std::io::Write;

use anyhow::Result;
use rustc_hash::FxHashMap;
use traceloom_analyze::{Change, DiffMetric, DiffRow, Presence, Verdict};

use super::shown::Shown;
use crate::print::{Name, Table, mean_ms, plain, signed_ms, terminal_width, thousands};

pub(super) fn write(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    write_head(out, shown)?;
    if shown.rows.is_empty() {
        writeln!(out, "nothing changed")?;
        return Ok(());
    }
    table(shown).write(out, terminal_width())?;
    if shown.more > 0 {
        writeln!(
            out,
            "… and {} more (--limit 0 shows all)",
            thousands(shown.more as u64)
        )?;
    }
    Ok(())
}

fn write_head(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let diff = shown.diff;
    let (base, new) = shown.args.sides();
    for (word, side) in [("base", base), ("new", new)] {
        let names: Vec<String> = side.iter().map(|file| file.display().to_string()).collect();
        writeln!(out, "{word:>4}: {}", plain(&names.join(", ")))?;
    }
    let total = &diff.total;
    let numbers = format!(
        "{}, {}{})",
        shown.total("->"),
        percent(total),
        mark_word(total)
    );
    match shown.clock_name() {
        Some(clock) => writeln!(out, "total {clock} time: {numbers}")?,
        None => writeln!(
            out,
            "samples: {numbers}; rows compare shares of them, in percent"
        )?,
    }
    if let Some(unfinished) = &diff.unfinished {
        writeln!(
            out,
            "not in the total: slices that never ended, {} -> {} ms ({} ms)",
            mean_ms(unfinished.base),
            mean_ms(unfinished.new),
            signed_ms(unfinished.delta)
        )?;
    }
    let count = |presence| {
        diff.rows
            .iter()
            .filter(|row| row.presence == presence)
            .count()
    };
    writeln!(
        out,
        "{} on both sides, {} new, {} gone; sorted by the change of {}",
        thousands(count(Presence::Both) as u64),
        thousands(count(Presence::New) as u64),
        thousands(count(Presence::Gone) as u64),
        shown.metric_words()
    )?;
    writeln!(out, "{}\n", noise_line(shown))?;
    Ok(())
}

/// One line on the noise.
pub(super) fn noise_line(shown: &Shown<'_>) -> String {
    let (base, new) = (shown.diff.base_runs, shown.diff.new_runs);
    if shown.diff.has_noise() {
        format!("medians of {base} and {new} runs; * exceeds the noise, ~ is within it")
    } else {
        "noise is unknown: compare several runs per side (--base a1 a2 a3 --new b1 b2 b3) to tell it from change".into()
    }
}

fn table(shown: &Shown<'_>) -> Table {
    let mut table = Table {
        name_head: "Name",
        ..Table::default()
    };
    let rows = &shown.rows;
    let metric = shown.diff.metric;
    let cells = |cell: &dyn Fn(&DiffRow) -> String| rows.iter().map(|row| cell(row)).collect();
    for (which, head, usual) in [
        (DiffMetric::Exclusive, "Excl", 3),
        (DiffMetric::Inclusive, "Incl", 4),
    ] {
        let first = if which == metric { 0 } else { usual };
        let number = |pick: fn(&Change) -> f64| cells(&|row| shown.number(pick(row.change(which))));
        table.column(
            &format!("{head} base"),
            first.max(1),
            number(|change| change.base),
        );
        table.column("new", first.max(1), number(|change| change.new));
        table.column(
            if shown.counts_samples() {
                "+/-"
            } else {
                "+/- ms"
            },
            first,
            cells(&|row| shown.signed(row.change(which).delta)),
        );
        table.column("%", first, cells(&|row| marked_percent(row, which)));
    }
    if !shown.counts_samples() {
        let first = if metric == DiffMetric::Calls { 0 } else { 2 };
        table.column("Calls", first, cells(&|row| count(row.calls.base)));
        table.column("new", first, cells(&|row| count(row.calls.new)));
    }
    if metric == DiffMetric::Calls {
        table.column("%", 0, cells(&|row| marked_percent(row, metric)));
    }
    if shown.diff.unfinished.is_some() {
        let number = |pick: fn(&Change) -> f64| {
            cells(&|row| {
                row.unfinished
                    .as_ref()
                    .map(pick)
                    .map(mean_ms)
                    .unwrap_or_default()
            })
        };
        table.column("Unfin. base", 2, number(|change| change.base));
        table.column("new", 2, number(|change| change.new));
    }
    // The signature is added only if two rows would otherwise look the same. Long names lose their
    // front.
    let mut alike: FxHashMap<String, u32> = FxHashMap::default();
    for row in rows {
        *alike.entry(row.function.label()).or_default() += 1;
    }
    table.names = rows
        .iter()
        .map(|row| Name {
            indent: 0,
            text: match alike[&row.function.label()] {
                1 => row.function.label(),
                _ => full_name(row),
            },
        })
        .collect();
    table
}

/// `class.method signature`.
pub(super) fn full_name(row: &DiffRow) -> String {
    match row.function.signature.as_str() {
        "" => row.function.label(),
        signature => format!("{} {signature}", row.function.label()),
    }
}

/// A median of counts: an integer, or halfway between two.
pub(super) fn count(calls: f64) -> String {
    calls.to_string()
}

pub(super) fn percent(change: &Change) -> String {
    match change.percent {
        Some(percent) => format!("{percent:+.1} %"),
        None => "new".into(),
    }
}

fn marked_percent(row: &DiffRow, metric: DiffMetric) -> String {
    let change = row.change(metric);
    let text = match row.presence {
        Presence::New => "new".into(),
        Presence::Gone => "gone".into(),
        Presence::Both => match change.percent {
            Some(percent) => format!("{percent:+.1}"),
            None => "new".into(),
        },
    };
    format!("{text}{}", mark(change))
}

/// A mark for whether a change is noise.
pub(super) fn mark(change: &Change) -> &'static str {
    match change.verdict {
        Verdict::More | Verdict::Less => "*",
        Verdict::WithinNoise => "~",
        Verdict::Same | Verdict::Unknown => " ",
    }
}

/// Words for whether a change is noise, starting with a comma.
pub(super) fn mark_word(change: &Change) -> &'static str {
    match change.verdict {
        Verdict::More | Verdict::Less => ", exceeds the noise",
        Verdict::WithinNoise => ", within the noise",
        Verdict::Same | Verdict::Unknown => "",
    }
}
