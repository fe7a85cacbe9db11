//! `--tree`: the calls from the threads down, or from each method up.

use std::io::Write;

use anyhow::Result;
use traceloom_analyze::{Profile, TreeDirection, TreeView, TreeViewOptions, TreeViewRow};

use super::columns::{clocks, of_total, states, timed};
use super::shown::Shown;
use super::{head, json};
use crate::output::print;
use crate::print::{Name, Table, csv_line, terminal_width, thousands};

/// Prints the tree.
pub(super) fn show(shown: &Shown<'_>, direction: TreeDirection) -> Result<()> {
    let options = TreeViewOptions {
        min_percent: shown.args.min_percent,
        max_children: shown.limit(),
        max_depth: shown.args.depth,
        ..TreeViewOptions::new(direction)
    };
    let view = shown.profile.tree_view(shown.tree, &options);
    print(|out| {
        if shown.args.json {
            json::tree(out, shown, &view)
        } else if shown.args.csv {
            csv(out, shown, &view)
        } else {
            head::write(out, shown)?;
            table(shown, shown.profile, &view).write(out, terminal_width())?;
            hidden(out, shown, &view)
        }
    })
}

fn hidden(out: &mut dyn Write, shown: &Shown<'_>, view: &TreeView) -> Result<()> {
    let below: usize = view.rows.iter().map(|row| row.hidden).sum();
    let count = below + view.hidden;
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

fn table(shown: &Shown<'_>, profile: &Profile, view: &TreeView) -> Table {
    let name = |row: &TreeViewRow| Name {
        indent: row.depth as usize * 2,
        text: row.function.label(),
    };
    let mut table = Table {
        name_head: match view.direction {
            TreeDirection::TopDown => "Called",
            TreeDirection::BottomUp => "Called by",
        },
        names: view.rows.iter().map(name).collect(),
        ..Table::default()
    };
    let inclusive = view.rows.iter().map(|row| &row.inclusive);
    let exclusive = view.rows.iter().map(|row| &row.exclusive);
    for clock in clocks(shown).into_iter().filter(|clock| clock.spare == 0) {
        let share = of_total(profile, clock.measure);
        timed(&mut table, &clock, "Incl", inclusive.clone(), &share);
        timed(&mut table, &clock, "Excl", exclusive.clone(), &share);
    }
    states(&mut table, shown, inclusive);
    let calls = view.rows.iter().map(|row| row.calls.to_string());
    table.column("Calls", 1, calls.collect());
    table
}

fn csv(out: &mut dyn Write, shown: &Shown<'_>, view: &TreeView) -> Result<()> {
    let measures = json::measures(shown);
    let head = ["depth", "class", "name", "signature", "calls"].map(String::from);
    let times = measures.iter().flat_map(|(_, name)| {
        [
            format!("inclusive_{name}_ns"),
            format!("exclusive_{name}_ns"),
        ]
    });
    csv_line(out, head.into_iter().chain(times))?;
    for row in &view.rows {
        let function = &row.function;
        let mut line = vec![row.depth.to_string()];
        line.extend([&function.class, &function.name, &function.signature].map(String::clone));
        line.push(row.calls.to_string());
        for (measure, _) in &measures {
            line.push(row.inclusive.get(*measure).unwrap_or(0).to_string());
            line.push(row.exclusive.get(*measure).unwrap_or(0).to_string());
        }
        csv_line(out, line)?;
    }
    Ok(())
}
