//! `--tree`: the calls from the threads down, or from each method up.

use std::io::Write;

use anyhow::Result;
use traceloom_analyze::{TreeDirection, TreeViewOptions, TreeViewRow};

use super::columns::{clocks, of_total, states, timed, unfinished};
use super::json::MeasureKey;
use super::shown::Shown;
use super::{head, json};
use crate::print::{Name, Table, csv_line, stream, terminal_width, thousands, too_long, within};

/// The number of table rows that are in memory at a time.
const PIECE: usize = 4096;

/// Prints the tree. Its rows are computed while they are printed, because they may take gigabytes.
pub(super) fn show(shown: &Shown<'_>, direction: TreeDirection) -> Result<()> {
    let options = TreeViewOptions {
        min_percent: shown.args.min_percent,
        max_children: shown.limit(),
        max_depth: shown.args.depth,
        ..TreeViewOptions::new(direction)
    };
    stream(|out| {
        within(shown.most_bytes(), out, |out| {
            if shown.args.data.json {
                json::tree(out, shown, &options)
            } else if shown.args.data.csv {
                csv(out, shown, &options)
            } else {
                text(out, shown, &options)
            }
        })
    })
}

/// The text. The first walk measures the columns and the second one prints.
fn text(out: &mut dyn Write, shown: &Shown<'_>, options: &TreeViewOptions) -> Result<()> {
    let empty = table(shown, options.direction, &[]);
    let (mut widths, mut below) = (empty.widths(), 0);
    // The first pass stops early if the result would be too long to print.
    let (most, mut least) = (shown.most_bytes(), 0);
    let is_cut = terminal_width().is_some();
    let hidden = pieces(shown, options, |rows| {
        let wide = table(shown, options.direction, rows).widths();
        widths = widths.iter().zip(wide).map(|(a, b)| *a.max(&b)).collect();
        below += rows.iter().map(|row| row.hidden).sum::<usize>();
        least += rows.iter().map(|row| least_bytes(row, is_cut)).sum::<u64>();
        if least > most {
            return Err(too_long(None, most));
        }
        Ok(())
    })?;
    head::write(out, shown)?;
    let mut write = |mut table: Table, continues: bool| {
        table.set_least_widths(&widths);
        table.continues = continues;
        table.write(out, terminal_width())
    };
    write(empty, false)?;
    pieces(shown, options, |rows| {
        write(table(shown, options.direction, rows), true)
    })?;
    hidden_rows(out, shown, below + hidden)
}

/// The minimum size of a printed row: its numbers and, unless a terminal cuts it, its indentation.
fn least_bytes(row: &TreeViewRow, is_cut: bool) -> u64 {
    const NUMBERS: u64 = 20;
    let indent = if is_cut { 0 } else { 2 * u64::from(row.depth) };
    NUMBERS + indent
}

/// Calls `each` with pieces of the rows. Returns how many rows at the top are hidden.
fn pieces(
    shown: &Shown<'_>,
    options: &TreeViewOptions,
    mut each: impl FnMut(&[TreeViewRow]) -> Result<()>,
) -> Result<usize> {
    let mut piece = Vec::with_capacity(PIECE);
    let hidden = shown
        .profile
        .each_tree_row(shown.tree, options, |row| -> Result<()> {
            piece.push(row);
            if piece.len() == PIECE {
                each(&piece)?;
                piece.clear();
            }
            Ok(())
        })?;
    each(&piece)?;
    Ok(hidden)
}

fn hidden_rows(out: &mut dyn Write, shown: &Shown<'_>, count: usize) -> Result<()> {
    if count > 0 {
        writeln!(
            out,
            "… {} more rows, of less than {} % or beyond --limit and --depth (and what is below them)",
            thousands(count as u64),
            shown.args.min_percent
        )?;
    }
    Ok(())
}

fn table(shown: &Shown<'_>, direction: TreeDirection, rows: &[TreeViewRow]) -> Table {
    let profile = shown.profile;
    let name = |row: &TreeViewRow| Name {
        indent: row.depth as usize * 2,
        text: row.function.label(),
    };
    let mut table = Table {
        name_head: match direction {
            TreeDirection::TopDown => "Called",
            TreeDirection::BottomUp => "Called by",
        },
        names: rows.iter().map(name).collect(),
        ..Table::default()
    };
    let inclusive = rows.iter().map(|row| &row.inclusive);
    let exclusive = rows.iter().map(|row| &row.exclusive);
    for clock in clocks(shown).into_iter().filter(|clock| clock.spare == 0) {
        let share = of_total(profile, clock.measure);
        timed(&mut table, &clock, "Incl", inclusive.clone(), &share);
        timed(&mut table, &clock, "Excl", exclusive.clone(), &share);
    }
    unfinished(&mut table, shown, rows.iter().map(|row| &row.unfinished));
    states(&mut table, shown, inclusive);
    if !shown.counts_samples() {
        let calls = rows.iter().map(|row| row.calls.to_string());
        table.column("Calls", 1, calls.collect());
    }
    table
}

fn csv(out: &mut dyn Write, shown: &Shown<'_>, options: &TreeViewOptions) -> Result<()> {
    let measures = json::measures(shown);
    let head = ["depth", "class", "name", "signature", "calls"].map(String::from);
    let times = measures
        .iter()
        .flat_map(|measure| ["inclusive", "exclusive"].map(|kind| measure.key(kind)));
    let unfinished = json::unfinished_keys(shown);
    csv_line(out, head.into_iter().chain(times).chain(unfinished))?;
    let each = |row: TreeViewRow| {
        let function = &row.function;
        let mut line = vec![row.depth.to_string()];
        line.extend([&function.class, &function.name, &function.signature].map(String::clone));
        line.push(row.calls.to_string());
        for MeasureKey { measure, .. } in &measures {
            line.push(row.inclusive.get(*measure).unwrap_or(0).to_string());
            line.push(row.exclusive.get(*measure).unwrap_or(0).to_string());
        }
        line.extend(json::unfinished_cells(shown, &row.unfinished));
        csv_line(out, line)
    };
    shown.profile.each_tree_row(shown.tree, options, each)?;
    Ok(())
}
