//! CSV: one line per row, times in nanoseconds, shares of samples in percent.

use std::io::Write;

use anyhow::Result;
use traceloom_analyze::{Change, DiffRow, Presence, Verdict};

use super::shown::Shown;
use crate::print::csv_line;

/// The numbers in the order of the columns, with the suffixes of their names. The last number is
/// present only if a slice never ended.
const TIMES: &[(&str, &str)] = &[
    ("exclusive", "_ns"),
    ("inclusive", "_ns"),
    ("calls", ""),
    ("unfinished", "_ns"),
];

/// The same for samples.
const SHARES: &[(&str, &str)] = &[("exclusive", "_share"), ("inclusive", "_share")];

pub(super) fn write(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let mut heads: Vec<String> = ["class", "name", "signature", "presence"]
        .map(String::from)
        .to_vec();
    let all = if shown.counts_samples() {
        SHARES
    } else {
        TIMES
    };
    let kinds = all
        .iter()
        .filter(|(kind, _)| *kind != "unfinished" || shown.diff.unfinished.is_some());
    for (kind, unit) in kinds.clone() {
        for part in ["base", "new", "change"] {
            heads.push(format!("{kind}_{part}{unit}"));
        }
        heads.push(format!("{kind}_change_percent"));
        heads.push(format!("{kind}_verdict"));
    }
    csv_line(out, heads)?;
    for row in &shown.rows {
        csv_line(out, fields(row, kinds.clone().count()))?;
    }
    Ok(())
}

/// The fields of a row, with `kinds` numbers of each side.
fn fields(row: &DiffRow, kinds: usize) -> Vec<String> {
    let presence = match row.presence {
        Presence::Both => "both",
        Presence::New => "new",
        Presence::Gone => "gone",
    };
    let function = &row.function;
    let mut fields = vec![
        function.class.clone(),
        function.name.clone(),
        function.signature.clone(),
        presence.to_owned(),
    ];
    let changes = [&row.exclusive, &row.inclusive, &row.calls];
    for change in changes.into_iter().chain(&row.unfinished).take(kinds) {
        fields.extend(numbers(change));
    }
    fields
}

fn numbers(change: &Change) -> [String; 5] {
    [
        change.base.to_string(),
        change.new.to_string(),
        change.delta.to_string(),
        change
            .percent
            .map(|percent| format!("{percent:.2}"))
            .unwrap_or_default(),
        verdict(change.verdict).to_owned(),
    ]
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Same => "same",
        Verdict::More => "more",
        Verdict::Less => "less",
        Verdict::WithinNoise => "within_noise",
        Verdict::Unknown => "unknown",
    }
}
