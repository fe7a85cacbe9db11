//! Orders begins and complete slices of the same time.
//!
//! ```text
//! X ├──────────────────┤        the complete slice is longer, so the begin is inside it
//! B ─────────── E
//! ```
//! Chromium's macros write both kinds on one thread, and often in the same microsecond.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use traceloom_trace::StringId;

use super::rows::Row;

/// Moves complete slices before the begins that they contain, and sets the duration of each begin to the time until
/// its end. `rows` are those of a thread, sorted.
pub(super) fn settle(rows: &mut [Row]) {
    measure(rows);
    if !rows.iter().any(|row| row.phase == b'X') {
        return;
    }
    for tied in rows.chunk_by_mut(|a, b| a.ts == b.ts) {
        merge(tied);
    }
}

/// Sets the duration of each begin to the time until its end, as if there were no complete slices.
fn measure(rows: &mut [Row]) {
    let mut open: Vec<usize> = Vec::new();
    let mut names: FxHashMap<StringId, u32> = FxHashMap::default();
    for at in 0..rows.len() {
        let row = rows[at];
        match row.phase {
            b'B' => {
                rows[at].dur = i64::MAX;
                *names.entry(row.name).or_default() += 1;
                open.push(at);
            }
            b'E' if row.name.is_empty() || names.contains_key(&row.name) => {
                end(&row, rows, &mut open, &mut names);
            }
            _ => {}
        }
    }
}

/// Ends the innermost slice that the end event matches, and those inside it.
fn end(end: &Row, rows: &mut [Row], open: &mut Vec<usize>, names: &mut FxHashMap<StringId, u32>) {
    while let Some(begin) = open.pop() {
        let begin = &mut rows[begin];
        begin.dur = end.ts.saturating_sub(begin.ts);
        if let Some(count) = names.get_mut(&begin.name) {
            *count -= 1;
            if *count == 0 {
                names.remove(&begin.name);
            }
        }
        if end.name.is_empty() || end.name == begin.name {
            return;
        }
    }
}

/// Merges the complete slices of one time into its other events, whose order is kept.
fn merge(tied: &mut [Row]) {
    let first = tied.partition_point(|row| row.rank() < 1);
    let behind = tied.partition_point(|row| row.rank() < 2);
    if first == 0 || first == behind {
        return;
    }
    // Bounded: these rows are in memory already.
    let mut merged = Vec::with_capacity(behind);
    let empty = first + tied[first..behind].partition_point(|row| row.dur > 0);
    let mut whole = tied[first..empty].iter().peekable();
    let mut empty = tied[empty..behind].iter().peekable();
    for row in &tied[..first] {
        while let Some(whole) = whole.next_if(|whole| contains(whole, row)) {
            merged.push(*whole);
        }
        while let Some(empty) = empty.next_if(|empty| is_before(empty, row)) {
            merged.push(*empty);
        }
        merged.push(*row);
    }
    merged.extend(whole.chain(empty));
    tied[..behind].copy_from_slice(&merged);
}

/// Whether a complete slice contains the slice that another event of the same time begins. If both have the same
/// length, the one that comes first in the file contains the other.
fn contains(whole: &Row, row: &Row) -> bool {
    let size = |row: &Row| (row.dur, Reverse(row.sequence));
    row.phase == b'B' && row.dur > 0 && size(whole) > size(row)
}

/// Whether a complete slice without a duration is over before another event of the same time begins a slice.
fn is_before(empty: &Row, row: &Row) -> bool {
    row.phase == b'B' && empty.sequence < row.sequence
}

#[cfg(test)]
mod tests {
    use crate::chrome_json::tests::{read, slices};

    #[test]
    fn a_slice_that_crosses_the_end_of_a_begun_one_keeps_its_duration() {
        let trace = read(
            r#"[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":2,"dur":9,"name":"b"},
                {"ph":"X","pid":1,"tid":1,"ts":3,"dur":1,"name":"c"},{"ph":"E","pid":1,"tid":1,"ts":5},
                {"ph":"E","pid":1,"tid":1,"ts":7}]"#,
        );
        assert_eq!(slices(&trace), ["0 a 1+4", "0 b 2+9", "1 c 3+1"]);
        assert_eq!(trace.repairs.rows().len(), 1, "the second end");
    }

    /// Neither contains the other, so their order in the file counts.
    #[test]
    fn a_slice_without_a_duration_is_not_inside_a_begin_behind_it() {
        let empty = r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":0,"name":"empty"}"#;
        let begin = r#"{"ph":"B","pid":1,"tid":1,"ts":1,"name":"begun"}"#;
        let end = r#"{"ph":"E","pid":1,"tid":1,"ts":5}"#;
        let trace = read(&format!("[{empty},{begin},{end}]"));
        assert_eq!(slices(&trace), ["0 empty 1+0", "0 begun 1+4"]);
        let trace = read(&format!("[{begin},{empty},{end}]"));
        assert_eq!(slices(&trace), ["0 begun 1+4", "1 empty 1+0"]);
        let long = r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":9,"name":"long"}"#;
        let trace = read(&format!("[{empty},{long},{begin},{end}]"));
        let expected = ["0 long 1+9", "1 empty 1+0", "1 begun 1+4"];
        assert_eq!(slices(&trace), expected);
    }

    #[test]
    fn the_longer_slice_is_outside() {
        let trace = read(
            r#"[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"V8.Execute"},
                {"ph":"E","pid":1,"tid":1,"ts":5,"name":"V8.Execute"},
                {"ph":"X","pid":1,"tid":1,"ts":1,"dur":7,"name":"v8.callFunction"},
                {"ph":"B","pid":1,"tid":1,"ts":10,"name":"outer"},
                {"ph":"B","pid":1,"tid":1,"ts":10,"name":"empty"},{"ph":"E","pid":1,"tid":1,"ts":10},
                {"ph":"B","pid":1,"tid":1,"ts":10,"name":"inner"},{"ph":"E","pid":1,"tid":1,"ts":12},
                {"ph":"X","pid":1,"tid":1,"ts":10,"dur":4,"name":"between"},
                {"ph":"X","pid":1,"tid":1,"ts":10,"dur":1,"name":"inmost"},
                {"ph":"E","pid":1,"tid":1,"ts":19,"name":"outer"}]"#,
        );
        let expected = [
            "0 v8.callFunction 1+7",
            "1 V8.Execute 1+4",
            "0 outer 10+9",
            "1 empty 10+0",
            "1 between 10+4",
            "2 inner 10+2",
            "3 inmost 10+1",
        ];
        assert_eq!(slices(&trace), expected);
        assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
    }
}
