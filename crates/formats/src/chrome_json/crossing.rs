//! Finds the async slices that end after the slice of the same id around them.
//!
//! ```text
//! b load ─────────── e load
//!      b parse ─────────── e parse      crosses the end of `load`, so it cannot be inside it
//! ```

use rustc_hash::FxHashMap;
use traceloom_trace::{ProcessId, StringId};

use super::async_key::{Key, keys};
use super::rows::{LOCAL, Row};

/// The maximum number of open slices that are compared with an end.
const MOST_TRIED: usize = 512;

/// A slice that waits for its end.
struct Waiting {
    name: StringId,
    sequence: u32,
    /// Whether the end of a slice around it came first.
    is_crossing: bool,
}

/// The position of the begin of each slice that crosses the end of another one, by the positions of its begin and of its
/// end. `rows` are in order of time. A slice that never ends crosses none.
pub(super) fn crossing(rows: &[Row]) -> FxHashMap<u32, u32> {
    let mut open: FxHashMap<Key, Vec<Waiting>> = FxHashMap::default();
    let mut began: FxHashMap<Key, ProcessId> = FxHashMap::default();
    let mut found = FxHashMap::default();
    for row in rows {
        let key = Key::of(row);
        match row.phase {
            b'b' => {
                if row.flags & LOCAL == 0 {
                    began.insert(key.in_any_process(), key.upid);
                }
                open.entry(key).or_default().push(Waiting {
                    name: row.name,
                    sequence: row.sequence,
                    is_crossing: false,
                });
            }
            b'e' => {
                let mut ended = keys(&began, key, row)
                    .filter_map(|key| ended(row, open.get_mut(&key)?))
                    .take(1);
                if let Some(begin) = ended.next().filter(|slice| slice.is_crossing) {
                    found.extend([begin.sequence, row.sequence].map(|at| (at, begin.sequence)));
                }
            }
            _ => {}
        }
    }
    found
}

/// Removes the innermost slice that an end can mean. Those inside it cross it if they end later.
fn ended(end: &Row, open: &mut Vec<Waiting>) -> Option<Waiting> {
    let fits =
        |slice: &Waiting| end.name.is_empty() || slice.name.is_empty() || slice.name == end.name;
    let inside = open.iter().rev().take(MOST_TRIED).position(fits)?;
    let at = open.len() - 1 - inside;
    for slice in &mut open[at + 1..] {
        slice.is_crossing = true;
    }
    Some(open.remove(at))
}

#[cfg(test)]
mod tests {
    use traceloom_trace::RepairKind;

    use crate::chrome_json::tests::{read, slices};

    /// As in Perfetto, where slices of different names never nest.
    #[test]
    fn slices_of_one_id_that_cross_keep_their_durations() {
        let trace = read(
            r#"[{"ph":"b","pid":1,"ts":1,"id":1,"cat":"c","name":"a"},
                {"ph":"b","pid":1,"ts":2,"id":1,"cat":"c","name":"b","args":{"x":1}},
                {"ph":"b","pid":1,"ts":3,"id":1,"cat":"c","name":"in"},
                {"ph":"e","pid":1,"ts":4,"id":1,"cat":"c","name":"in"},
                {"ph":"e","pid":2,"ts":5,"id":1,"cat":"c","name":"a"},
                {"ph":"e","pid":1,"ts":9,"id":1,"cat":"c","name":"b","args":{"y":2}}]"#,
        );
        assert_eq!(slices(&trace), ["0 a 1+4", "0 b 2+7", "1 in 3+1"]);
        assert!(trace.repairs.rows().is_empty(), "{:?}", trace.repairs);
        assert_eq!(trace.args.set(trace.slices.arg_set_id.get(1)).count(), 2);
    }

    #[test]
    fn a_slice_without_an_end_ends_with_the_one_around_it() {
        let trace = read(
            r#"[{"ph":"b","pid":1,"ts":1,"id":1,"cat":"c","name":"a"},
                {"ph":"b","pid":1,"ts":2,"id":1,"cat":"c","name":"b"},
                {"ph":"e","pid":1,"ts":5,"id":1,"cat":"c","name":"a"}]"#,
        );
        assert_eq!(slices(&trace), ["0 a 1+4", "1 b 2+3"]);
        assert_eq!(trace.repairs.count(RepairKind::MissingExit), 1);
    }
}
