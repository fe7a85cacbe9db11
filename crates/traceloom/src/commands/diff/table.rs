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
        names: names(&shown.rows),
        ..Table::default()
    };
    time_columns(&mut table, shown, DiffMetric::Exclusive, "Excl", 3);
    time_columns(&mut table, shown, DiffMetric::Inclusive, "Incl", 4);
    call_columns(&mut table, shown);
    if shown.diff.unfinished.is_some() {
        unfinished_columns(&mut table, shown);
    }
    table
}

/// The cells of a column.
fn cells(shown: &Shown<'_>, cell: impl Fn(&DiffRow) -> String) -> Vec<String> {
    shown.rows.iter().map(|row| cell(row)).collect()
}

/// The times of a metric. They are left out before others in a narrow terminal if `spare` is higher and the table is
/// not sorted by them.
fn time_columns(table: &mut Table, shown: &Shown<'_>, which: DiffMetric, head: &str, spare: u8) {
    let is_sorted_by = which == shown.diff.metric;
    let spare = if is_sorted_by { 0 } else { spare };
    let number =
        |pick: fn(&Change) -> f64| cells(shown, |row| shown.number(pick(row.change(which))));
    let unit = if shown.counts_samples() { "" } else { " ms" };
    let base = number(|change| change.base);
    table.column(&format!("{head} base"), spare.max(1), base);
    table.column("new", spare.max(1), number(|change| change.new));
    let delta = cells(shown, |row| shown.signed(row.change(which).delta));
    table.column(&format!("+/-{unit}"), spare, delta);
    table.column("%", spare, cells(shown, |row| marked_percent(row, which)));
}

fn call_columns(table: &mut Table, shown: &Shown<'_>) {
    let is_sorted_by = shown.diff.metric == DiffMetric::Calls;
    if !shown.counts_samples() {
        let spare = if is_sorted_by { 0 } else { 2 };
        let base = cells(shown, |row| count(row.calls.base));
        table.column("Calls", spare, base);
        table.column("new", spare, cells(shown, |row| count(row.calls.new)));
    }
    if is_sorted_by {
        let percent = cells(shown, |row| marked_percent(row, DiffMetric::Calls));
        table.column("%", 0, percent);
    }
}

fn unfinished_columns(table: &mut Table, shown: &Shown<'_>) {
    let number = |pick: fn(&Change) -> f64| {
        cells(shown, |row| {
            let change = row.unfinished.as_ref().map(pick);
            change.map(mean_ms).unwrap_or_default()
        })
    };
    table.column("Unfin. base", 2, number(|change| change.base));
    table.column("new", 2, number(|change| change.new));
}

/// The names of functions. The signature is added only if two rows would otherwise look the same. Long names lose
/// their front.
fn names(rows: &[&DiffRow]) -> Vec<Name> {
    let mut alike: FxHashMap<String, u32> = FxHashMap::default();
    for row in rows {
        *alike.entry(row.function.label()).or_default() += 1;
    }
    let name = |row: &&DiffRow| Name {
        indent: 0,
        text: match alike[&row.function.label()] {
            1 => row.function.label(),
            _ => full_name(row),
        },
    };
    rows.iter().map(name).collect()
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
