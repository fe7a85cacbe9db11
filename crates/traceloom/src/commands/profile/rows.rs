//! The profile as a table, CSV or JSON.

use std::cmp::Reverse;
use std::io::Write;

use anyhow::Result;
use rustc_hash::FxHashMap;
use traceloom_analyze::{GroupBy, Measure, ProfileRow};
use traceloom_trace::sort;

use super::args::Sort;
use super::columns::{clocks, of_total, states, timed, unfinished};
use super::json::MeasureKey;
use super::shown::Shown;
use super::{head, json};
use crate::output::print;
use crate::print::{Name, Table, csv_line, mean_ms, terminal_width, thousands};

/// Prints the rows.
pub(super) fn show(shown: &Shown<'_>) -> Result<()> {
    let rows = sorted(shown);
    let kept = &rows[..rows.len().min(shown.limit())];
    print(|out| {
        if shown.args.data.json {
            json::rows(out, shown, kept)
        } else if shown.args.data.csv {
            csv(out, shown, kept)
        } else {
            head::write(out, shown)?;
            if rows.is_empty() {
                writeln!(out, "nothing ran in this range of time on these threads")?;
                return Ok(());
            }
            table(shown, kept).write(out, terminal_width())?;
            more(out, rows.len() - kept.len())
        }
    })
}

/// Prints how many rows are hidden.
fn more(out: &mut dyn Write, count: usize) -> Result<()> {
    if count > 0 {
        let count = thousands(count as u64);
        writeln!(out, "… {count} more (--limit 0 shows all)")?;
    }
    Ok(())
}

/// The rows in the requested order; equal ones by rank.
fn sorted<'s>(shown: &'s Shown<'_>) -> Vec<&'s ProfileRow> {
    let clock = shown.profile.clock();
    let blocked = |row: &ProfileRow| {
        let time = |measure| row.inclusive.get(measure).unwrap_or(0);
        time(Measure::Sleeping) + time(Measure::Uninterruptible)
    };
    let unfinished = |row: &ProfileRow| row.unfinished.and_then(|times| times.get(clock));
    let mut rows: Vec<&ProfileRow> = shown.profile.rows.iter().collect();
    match shown.sort() {
        Sort::Inclusive => {}
        Sort::Exclusive => sort::by_key(&mut rows, |row| Reverse(row.exclusive.get(clock))),
        Sort::Calls => sort::by_key(&mut rows, |row| Reverse(row.all_calls())),
        Sort::PerCall => sort::by(&mut rows, |a, b| {
            let time = |row: &ProfileRow| row.time_per_call_ns(clock).unwrap_or(0.0);
            time(b).total_cmp(&time(a))
        }),
        Sort::Name => sort::by_key(&mut rows, |row| row.function.label()),
        Sort::Runnable => sort::by_key(&mut rows, |row| {
            Reverse(row.inclusive.get(Measure::Runnable))
        }),
        Sort::Blocked => sort::by_key(&mut rows, |row| Reverse(blocked(row))),
        Sort::Unfinished => sort::by_key(&mut rows, |row| Reverse(unfinished(row))),
    }
    rows
}

fn table(shown: &Shown<'_>, rows: &[&ProfileRow]) -> Table {
    let mut table = Table {
        name_head: name_head(shown),
        names: names(shown, rows),
        ..Table::default()
    };
    let inclusive = rows.iter().map(|row| &row.inclusive);
    let exclusive = rows.iter().map(|row| &row.exclusive);
    for clock in clocks(shown) {
        let share = of_total(shown.profile, clock.measure);
        timed(&mut table, &clock, "Incl", inclusive.clone(), &share);
        timed(&mut table, &clock, "Excl", exclusive.clone(), &share);
    }
    unfinished(&mut table, shown, rows.iter().map(|row| &row.unfinished));
    states(&mut table, shown, inclusive);
    if shown.counts_samples() {
        return table;
    }
    let calls = rows.iter().map(|row| calls_and_recursive(row));
    table.column("Calls+Recur", 1, calls.collect());
    for clock in clocks(shown) {
        let per_call = rows.iter().map(|row| per_call(row, clock.measure));
        table.column(&format!("{}/Call", clock.name), 4, per_call.collect());
    }
    table
}

fn name_head(shown: &Shown<'_>) -> &'static str {
    match shown.profile.by {
        GroupBy::Method if shown.counts_samples() => "Function",
        GroupBy::Method if !shown.has_methods() => "Slice",
        GroupBy::Method => "Method",
        GroupBy::Class => "Class",
        GroupBy::Package => "Package",
        GroupBy::Thread => "Thread",
    }
}

/// The names, with the signature if two rows would look the same without it.
fn names(shown: &Shown<'_>, rows: &[&ProfileRow]) -> Vec<Name> {
    let mut alike: FxHashMap<String, u32> = FxHashMap::default();
    for row in &shown.profile.rows {
        *alike.entry(row.function.label()).or_default() += 1;
    }
    let name = |row: &&ProfileRow| {
        let label = row.function.label();
        let text = match alike.get(&label) {
            Some(2..) => format!("{label} {}", row.function.signature),
            _ => label,
        };
        Name { indent: 0, text }
    };
    rows.iter().map(name).collect()
}

pub(super) fn calls_and_recursive(row: &ProfileRow) -> String {
    format!("{}+{}", row.calls, row.recursive_calls)
}

fn per_call(row: &ProfileRow, measure: Measure) -> String {
    match row.time_per_call_ns(measure) {
        Some(ns) => mean_ms(ns),
        None => String::new(),
    }
}

fn csv(out: &mut dyn Write, shown: &Shown<'_>, rows: &[&ProfileRow]) -> Result<()> {
    let measures = json::measures(shown);
    let mut line: Vec<String> = [
        "rank",
        "class",
        "name",
        "signature",
        "calls",
        "recursive_calls",
    ]
    .map(String::from)
    .into();
    for measure in &measures {
        line.extend(["inclusive", "exclusive"].map(|kind| measure.key(kind)));
        if measure.measure == shown.profile.clock() {
            let name = measure.name;
            line.push(format!("inclusive_{name}_percent"));
            line.push(format!("exclusive_{name}_percent"));
        }
    }
    line.extend(json::unfinished_keys(shown));
    csv_line(out, &line)?;
    for row in rows {
        let function = &row.function;
        let mut line = vec![row.rank.to_string()];
        line.extend([&function.class, &function.name, &function.signature].map(String::clone));
        line.push(row.calls.to_string());
        line.push(row.recursive_calls.to_string());
        for MeasureKey { measure, .. } in &measures {
            let time = |ns: Option<i64>| ns.map(|ns| ns.to_string()).unwrap_or_default();
            line.push(time(row.inclusive.get(*measure)));
            line.push(time(row.exclusive.get(*measure)));
            if *measure == shown.profile.clock() {
                line.push(format!(
                    "{:.4}",
                    shown.profile.percent(&row.inclusive, *measure)
                ));
                line.push(format!(
                    "{:.4}",
                    shown.profile.percent(&row.exclusive, *measure)
                ));
            }
        }
        line.extend(json::unfinished_cells(shown, &row.unfinished));
        csv_line(out, &line)?;
    }
    Ok(())
}
