//! A comment for a pull request: a line of totals and a table.

use std::io::Write;

use anyhow::Result;
use traceloom_analyze::{Change, DiffRow, Presence, Verdict};

use super::shown::Shown;
use super::table::{count, full_name, percent};
use crate::print::{mean_ms, plain};

pub(super) fn write(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let total = &shown.diff.total;
    let (base, new) = shown.args.sides();
    writeln!(
        out,
        "**{}: {}, {}{})**\n",
        match shown.clock_name() {
            Some("CPU") => "CPU time",
            Some(_) => "Wall time",
            None => "Samples",
        },
        shown.total("→"),
        percent(total),
        in_words(total)
    )?;
    writeln!(
        out,
        "{} → {}; largest changes of {} first. {}\n",
        code(&files(base)),
        code(&files(new)),
        shown.metric_words(),
        noise(shown)
    )?;
    if let Some(unfinished) = &shown.diff.unfinished {
        writeln!(
            out,
            "Not in the total: slices that never ended, {} → {} ms.\n",
            mean_ms(unfinished.base),
            mean_ms(unfinished.new)
        )?;
    }
    if shown.rows.is_empty() {
        writeln!(out, "Nothing changed.")?;
        return Ok(());
    }
    let unit = if shown.counts_samples() { "%" } else { "ms" };
    let (mut head, mut line) = (String::new(), String::new());
    let calls = (!shown.counts_samples()).then_some(" Calls |");
    let unfinished = shown.diff.unfinished.as_ref().map(|_| " Unfinished ms |");
    for column in calls.into_iter().chain(unfinished) {
        head += column;
        line += "--:|";
    }
    writeln!(
        out,
        "| Name | Exclusive {unit} | Change | | Inclusive {unit} | Change | |{head}"
    )?;
    writeln!(out, "|:--|--:|--:|:--|--:|--:|:--|{line}")?;
    for row in &shown.rows {
        write_row(out, shown, row)?;
    }
    if shown.more > 0 {
        writeln!(out, "\n… and {} more.", shown.more)?;
    }
    Ok(())
}

fn write_row(out: &mut dyn Write, shown: &Shown<'_>, row: &DiffRow) -> Result<()> {
    write!(out, "| {}{} |", code(&full_name(row)), presence(row))?;
    for change in [&row.exclusive, &row.inclusive] {
        write!(
            out,
            " {} → {} | {} ({}) | {} |",
            shown.number(change.base),
            shown.number(change.new),
            shown.signed(change.delta),
            percent(change),
            verdict(shown, change)
        )?;
    }
    let calls = &row.calls;
    match (shown.counts_samples(), calls.delta == 0.0) {
        (true, _) => {}
        (_, true) => write!(out, " {} |", count(calls.base))?,
        _ => write!(out, " {} → {} |", count(calls.base), count(calls.new))?,
    }
    if let Some(change) = &row.unfinished {
        write!(out, " {} → {} |", mean_ms(change.base), mean_ms(change.new))?
    }
    writeln!(out)?;
    Ok(())
}

fn presence(row: &DiffRow) -> &'static str {
    match row.presence {
        Presence::Both => "",
        Presence::New => " **new**",
        Presence::Gone => " **gone**",
    }
}

/// A word on whether a change is noise; empty if that is unknown.
fn verdict(shown: &Shown<'_>, change: &Change) -> &'static str {
    match change.verdict {
        Verdict::More if shown.counts_samples() => "**more**",
        Verdict::Less if shown.counts_samples() => "**less**",
        Verdict::More => "**slower**",
        Verdict::Less => "**faster**",
        Verdict::WithinNoise => "noise",
        Verdict::Same | Verdict::Unknown => "",
    }
}

fn in_words(change: &Change) -> &'static str {
    super::table::mark_word(change)
}

fn noise(shown: &Shown<'_>) -> String {
    let (base, new) = (shown.diff.base_runs, shown.diff.new_runs);
    if shown.diff.has_noise() {
        format!("Medians of {base} and {new} runs; bold verdicts exceed the noise.")
    } else {
        "One run on a side: noise is unknown.".into()
    }
}

fn files(side: &[std::path::PathBuf]) -> String {
    let names: Vec<String> = side.iter().map(|file| file.display().to_string()).collect();
    names.join(", ")
}

/// A name as code. It is HTML instead of backticks, because names may contain backticks and bars,
/// and `@name` or `#1` must not become a link.
fn code(name: &str) -> String {
    let mut out = String::from("<code>");
    for c in plain(name).chars() {
        match c {
            '&' | '<' | '>' | '|' | '`' | '*' | '_' | '\\' | '[' | ']' | '~' | '"' | '\'' | '@'
            | '#' | ':' => {
                out += &format!("&#{};", c as u32);
            }
            c => out.push(c),
        }
    }
    out + "</code>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_names() {
        assert_eq!(
            code("a|b.<init> `x` @me\n"),
            "<code>a&#124;b.&#60;init&#62; &#96;x&#96; &#64;me&#92;n</code>"
        );
    }
}
