//! The way from a file to text 2.

use std::collections::BTreeMap;

use traceloom_formats::{FORMATS, ReadOptions, WriteOptions, read_bytes};
use traceloom_trace::Trace;

use crate::content::content;

/// Both tables and both texts.
pub struct Trip {
    pub tables: [Trace; 2],
    pub texts: [Vec<u8>; 2],
}

/// Reads and writes `file` twice; `None` if it is not a trace, or if there is nothing to write.
pub fn trip(file: &[u8], format: &str) -> Option<Trip> {
    let first = read_bytes(file, ReadOptions::default()).ok()?;
    let text = write(&first, format)?;
    let second = read_bytes(&text, ReadOptions::default()).expect("our own text");
    let again = write(&second, format).expect("the same tables");
    Some(Trip {
        tables: [first, second],
        texts: [text, again],
    })
}

fn write(trace: &Trace, format: &str) -> Option<Vec<u8>> {
    let format = FORMATS.iter().find(|known| known.id() == format)?;
    let mut out = Vec::new();
    let options = WriteOptions::default();
    format
        .writer()?
        .write(trace, &options, &mut out)
        .ok()
        .map(|_| out)
}

impl Trip {
    /// The differences by table: some of the rows that disappeared, and of the new rows. The key `text` is for the
    /// texts.
    pub fn differences(&self) -> BTreeMap<&'static str, String> {
        let [before, after] = self.tables.each_ref().map(content);
        let mut found = BTreeMap::new();
        for (table, rows) in &before {
            if *rows != after[table] {
                found.insert(*table, difference(rows, &after[table]));
            }
        }
        if self.texts[0] != self.texts[1] {
            let lines = self.texts.each_ref().map(|text| {
                let text = String::from_utf8_lossy(text);
                text.lines().map(str::to_owned).collect::<Vec<_>>()
            });
            found.insert("text", difference(&lines[0], &lines[1]));
        }
        found
    }
}

/// The first rows that only one side has. If both sides have the same rows in a different order, the first position
/// that differs.
fn difference(before: &[String], after: &[String]) -> String {
    const SHOWN: usize = 3;
    let [gone, new] = [only(before, after), only(after, before)];
    if gone.is_empty() && new.is_empty() {
        let at = before
            .iter()
            .zip(after)
            .position(|(a, b)| a != b)
            .unwrap_or(0);
        return format!("order, from {at}:\n  {}\n  {}", before[at], after[at]);
    }
    let counts = format!(
        "{} rows, {} gone, {} new",
        before.len(),
        gone.len(),
        new.len()
    );
    let gone = gone.iter().take(SHOWN).map(|row| format!("\n  - {row}"));
    let new = new.iter().take(SHOWN).map(|row| format!("\n  + {row}"));
    counts + &gone.chain(new).collect::<String>()
}

/// The rows of `these` that occur less often in `others`.
fn only<'r>(these: &'r [String], others: &[String]) -> Vec<&'r str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in others {
        *counts.entry(row).or_default() += 1;
    }
    let mut left = Vec::new();
    for row in these {
        match counts.get_mut(row.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => left.push(row.as_str()),
        }
    }
    left
}
