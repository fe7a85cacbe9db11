//! Which fields events have.

use rustc_hash::FxHashSet;
use traceloom_trace::{StringId, Trace};

/// The events of each name whose fields are looked at: events of one name mostly have the same ones.
const LOOKED_AT: usize = 64;

/// The names of fields that these rows of the event table have, in order of their first occurrence: at most `most`. Of
/// each name, the first events are looked at, at most a million rows in all.
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
