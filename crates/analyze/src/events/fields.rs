//! Finds the fields that events have.

use rustc_hash::FxHashSet;
use traceloom_trace::{StringId, Trace};

/// The number of events of each name to inspect. Events of one name usually have the same fields.
const LOOKED_AT: usize = 64;

/// The field names in these rows of the event table, in order of their first occurrence, at most
/// `most`. Only the first events of each name are inspected, and at most a million rows in total.
pub fn field_keys(trace: &Trace, rows: impl Iterator<Item = usize>, most: usize) -> Vec<StringId> {
    const MOST_ROWS: usize = 1 << 20;
    let mut looked_at: rustc_hash::FxHashMap<StringId, usize> = Default::default();
    let mut known: FxHashSet<StringId> = FxHashSet::default();
    let mut keys = Vec::new();
    for row in rows.take(MOST_ROWS) {
        let times = looked_at
            .entry(trace.ftrace_events.name.get(row))
            .or_default();
        *times += 1;
        if *times > LOOKED_AT {
            continue;
        }
        for (key, _) in trace.args.set(trace.ftrace_events.arg_set_id.get(row)) {
            if known.len() < most && known.insert(key) {
                keys.push(key);
            }
        }
    }
    keys
}
