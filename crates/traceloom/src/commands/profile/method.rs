//! `--method`: one method with its parents and children.

use std::io::Write;

use anyhow::{Result, bail};
use traceloom_analyze::{Function, MethodReport, ProfileRow, ReportEdge, Times, percent};

use super::columns::{Clock, clocks, states};
use super::rows::calls_and_recursive;
use super::shown::Shown;
use super::{head, json};
use crate::output::print;
use crate::print::{Name, Table, csv_line, mean_ms, ms, plain, terminal_width};

/// Prints the method that `query` matches, or a list if it matches several.
pub(super) fn show(shown: &Shown<'_>, query: &str) -> Result<()> {
    let found = shown.profile.find(query);
    let row = match found.as_slice() {
        [] => bail!(
            "--method {}: no name in {} contains it; without --method, --limit 0 lists all",
            plain(query),
            shown.args.file.display()
        ),
        [row] => *row,
        several => bail!("{}", choices(shown, query, several)),
    };
    let report = shown.profile.report(shown.tree, row);
    print(|out| {
        if shown.args.data.json {
            json::method(out, shown, &report)
        } else if shown.args.data.csv {
            csv(out, shown, &report)
        } else {
            head::write(out, shown)?;
            write(out, shown, &report)
        }
    })
}

/// The rows that match a query, each with a name that selects it.
fn choices(shown: &Shown<'_>, query: &str, rows: &[usize]) -> String {
    const SHOWN: usize = 20;
    let mut text = format!(
        "--method {} matches {} names; give one of them, or more of it:",
        plain(query),
        rows.len()
    );
    for row in rows.iter().take(SHOWN) {
        let function = &shown.profile.rows[*row].function;
        text += &format!("\n{} {}", function.label(), function.signature)
            .trim_end()
            .replace('\r', " ");
    }
    if rows.len() > SHOWN {
        text += &format!("\n… {} more", rows.len() - SHOWN);
    }
    text
}

fn write(out: &mut dyn Write, shown: &Shown<'_>, report: &MethodReport) -> Result<()> {
    let row = &report.row;
    writeln!(
        out,
        "{} {}",
        plain(&row.function.label()),
        plain(&row.function.signature)
    )?;
    for clock in clocks(shown) {
        write_clock(out, shown, row, &clock)?;
    }
    write_calls(out, shown, row)?;
    write_relatives(out, shown, report)
}

/// The times, or the samples, of one clock.
fn write_clock(
    out: &mut dyn Write,
    shown: &Shown<'_>,
    row: &ProfileRow,
    clock: &Clock,
) -> Result<()> {
    let number = |times: &Times| clock.number(times.get(clock.measure).unwrap_or(0));
    let percent = |times: &Times| shown.profile.percent(times, clock.measure);
    let unit = if clock.counts_samples { "" } else { " ms" };
    let per_call = match row.time_per_call_ns(clock.measure) {
        Some(ns) if !clock.counts_samples => format!(", {} ms a call", mean_ms(ns)),
        _ => String::new(),
    };
    writeln!(
        out,
        "  {:7} inclusive {}{unit} ({:.1} %), exclusive {}{unit} ({:.1} %){per_call}",
        clock.name,
        number(&row.inclusive),
        percent(&row.inclusive),
        number(&row.exclusive),
        percent(&row.exclusive),
    )?;
    let unfinished = row.unfinished.and_then(|times| times.get(clock.measure));
    if let Some(time) = unfinished.filter(|time| *time > 0) {
        let (time, space) = (ms(time), "");
        writeln!(
            out,
            "  {space:7} unfinished {time} ms, not in the inclusive time"
        )?;
    }
    Ok(())
}

fn write_calls(out: &mut dyn Write, shown: &Shown<'_>, row: &ProfileRow) -> Result<()> {
    let calls = if shown.counts_samples() {
        String::new()
    } else {
        format!(", calls+recursive {}", calls_and_recursive(row))
    };
    Ok(writeln!(out, "  rank {}{calls}", row.rank)?)
}

/// The parents and children, and the time of the method itself among the children.
fn write_relatives(out: &mut dyn Write, shown: &Shown<'_>, report: &MethodReport) -> Result<()> {
    let own = ReportEdge {
        rank: 0,
        function: Function::named("self"),
        calls: 0,
        of_calls: 0,
        inclusive: report.own,
    };
    let with_own: Vec<&ReportEdge> = std::iter::once(&own).chain(&report.children).collect();
    for (title, edges) in sections(report, &with_own) {
        if !edges.is_empty() {
            // In a recursion, the same time counts on every level, so percentages are meaningless.
            let shares = !title.ends_with("recursive");
            writeln!(out, "\n{title}")?;
            table(shown, report, &edges, shares).write(out, terminal_width())?;
        }
    }
    Ok(())
}

type Section<'r> = (&'static str, Vec<&'r ReportEdge>);

fn sections<'r>(report: &'r MethodReport, children: &[&'r ReportEdge]) -> [Section<'r>; 4] {
    [
        ("Parents", report.parents.iter().collect()),
        ("Children", children.to_vec()),
        (
            "Parents while recursive",
            report.recursive_parents.iter().collect(),
        ),
        (
            "Children while recursive",
            report.recursive_children.iter().collect(),
        ),
    ]
}

fn table(shown: &Shown<'_>, report: &MethodReport, edges: &[&ReportEdge], shares: bool) -> Table {
    let name = |edge: &&ReportEdge| Name {
        indent: 0,
        text: edge.function.label(),
    };
    let mut table = Table {
        name_head: "Name",
        names: edges.iter().map(name).collect(),
        ..Table::default()
    };
    let times = edges.iter().map(|edge| &edge.inclusive);
    for clock in clocks(shown) {
        if shares {
            timed(&mut table, &clock, &report.row.inclusive, times.clone())
        } else {
            super::columns::times(&mut table, &clock, "Incl", times.clone())
        }
    }
    states(&mut table, shown, times);
    if !shown.counts_samples() {
        let calls = edges.iter().map(|edge| match edge.of_calls {
            0 => String::new(),
            all => format!("{}/{all}", edge.calls),
        });
        table.column("Calls/Total", 1, calls.collect());
    }
    table
}

fn timed<'t>(
    table: &mut Table,
    clock: &Clock,
    whole: &Times,
    times: impl Iterator<Item = &'t Times> + Clone,
) {
    let whole = whole.get(clock.measure);
    let share = |times: &Times| percent(times.get(clock.measure), whole);
    super::columns::timed(table, clock, "Incl", times, share);
}

fn csv(out: &mut dyn Write, shown: &Shown<'_>, report: &MethodReport) -> Result<()> {
    let measures = json::measures(shown);
    let head = [
        "section",
        "rank",
        "class",
        "name",
        "signature",
        "calls",
        "of_calls",
    ];
    let times = measures.iter().map(|measure| measure.key("inclusive"));
    csv_line(out, head.map(String::from).into_iter().chain(times))?;
    let sections = [
        ("parent", &report.parents),
        ("child", &report.children),
        ("recursive_parent", &report.recursive_parents),
        ("recursive_child", &report.recursive_children),
    ];
    for (section, edges) in sections {
        for edge in edges {
            let function = &edge.function;
            let mut line = vec![section.to_owned(), edge.rank.to_string()];
            line.extend([&function.class, &function.name, &function.signature].map(String::clone));
            line.extend([edge.calls.to_string(), edge.of_calls.to_string()]);
            line.extend(
                measures
                    .iter()
                    .map(|measure| edge.inclusive.get(measure.measure).unwrap_or(0).to_string()),
            );
            csv_line(out, line)?;
        }
    }
    Ok(())
}
