//! The counters of a profile, such as the allocated memory of a process. The file has the change since the last value.

use traceloom_trace::{ProcessId, RowId, TraceBuilder, TrackType};

use super::table::Object;
use super::times::times;
use crate::json::Value;

/// Adds the values of a counter. `time` converts milliseconds of the profile to nanoseconds of the trace.
pub(super) fn add_counter(
    counter: &Object<'_>,
    upid: ProcessId,
    time: impl Fn(f64) -> i64,
    out: &mut TraceBuilder,
) {
    let name = out.intern(counter.text("name").unwrap_or(b"counter"));
    let track = match upid.some() {
        Some(upid) => out.process_track(TrackType::JsonCounter, upid, name),
        None => out.global_track(TrackType::GlobalCounter, name),
    };
    let table = samples(counter);
    let mut sum = 0.0;
    for (ms, change) in times(&table).into_iter().zip(table.numbers("count")) {
        if let (Some(ms), Some(change)) = (ms, change) {
            sum += change;
            out.counter(track, time(ms), sum);
        }
    }
}

/// The table of values. Old profiles have a list of groups, of which only the first is used, or an object.
fn samples<'a>(counter: &Object<'a>) -> Object<'a> {
    for name in ["sampleGroups", "sample_groups"] {
        match counter.get(name) {
            Some(Value::Nested([b'[', ..])) => {
                let first = counter.list(name).next();
                let Some(Value::Nested(first)) = first else {
                    continue;
                };
                return Object::new(first).object("samples");
            }
            Some(Value::Nested(group)) => return Object::new(group).object("samples"),
            _ => {}
        }
    }
    counter.object("samples")
}
