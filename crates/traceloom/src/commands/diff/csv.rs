//! CSV: one line per row, times in nanoseconds.

use std::io::Write;

use anyhow::Result;
use traceloom_analyze::{Change, DiffRow, Presence, Verdict};

use super::shown::Shown;
use crate::print::csv_line;

/// The numbers in the order of the columns. The last one is there only if a slice never ended.
const KINDS: [(&str, &str); 4] = [
    ("exclusive", "_ns"),
    ("inclusive", "_ns"),
    ("calls", ""),
    ("unfinished", "_ns"),
];

pub(super) fn write(out: &mut dyn Write, shown: &Shown<'_>) -> Result<()> {
    let mut heads: Vec<String> = ["class", "name", "signature", "presence"]
        .map(String::from)
        .to_vec();
    let kinds = KINDS.len() - usize::from(shown.diff.unfinished.is_none());
    for (kind, unit) in &KINDS[..kinds] {
        for part in ["base", "new", "change"] {
            heads.push(format!("{kind}_{part}{unit}"));
        }
        heads.push(format!("{kind}_change_percent"));
        heads.push(format!("{kind}_verdict"));
    }
    csv_line(out, heads)?;
    for row in &shown.rows {
        csv_line(out, fields(row))?;
    }
    Ok(())
}

fn fields(row: &DiffRow) -> Vec<String> {
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
    for change in changes.into_iter().chain(&row.unfinished) {
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
