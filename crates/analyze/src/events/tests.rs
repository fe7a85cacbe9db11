use proptest::prelude::*;
use traceloom_trace::{ArgValue, FtraceEventRow, RowId, StringId, ThreadId, Trace, TraceBuilder};

use super::*;
use crate::tree::TimeRange;

/// Events as (name, tid, cpu), one per nanosecond. Each has the fields `n` and its name.
fn trace(events: &[(u8, i64, u32)]) -> Trace {
    let mut builder = TraceBuilder::new();
    for (ts, (name, tid, cpu)) in (0i64..).zip(events) {
        let utid = match tid {
            -1 => ThreadId::NONE,
            tid => builder.thread(*tid),
        };
        let name = builder.intern(&[b'a' + name]);
        let key = builder.intern(b"n");
        let arg_set_id = builder.args([(key, ArgValue::Int(ts)), (name, ArgValue::Text(name))]);
        builder.ftrace_event(FtraceEventRow {
            ts,
            name,
            utid,
            cpu: *cpu,
            arg_set_id,
        });
    }
    builder.finish()
}

fn text(trace: &Trace, ids: &[StringId]) -> String {
    ids.iter().map(|id| trace.strings.get(*id)).collect()
}

#[test]
fn names_are_counted_the_most_frequent_first() {
    let trace = trace(&[(1, 1, 0), (0, 1, 0), (0, 2, 1), (2, 1, 0)]);
    let names = event_names(&trace, &EventFilter::default());
    let told: Vec<_> = names
        .iter()
        .map(|one| (trace.strings.get(one.name), one.count))
        .collect();
    assert_eq!(told, [("a", 2), ("b", 1), ("c", 1)]);
}

#[test]
fn fields_are_listed_in_order_up_to_a_limit() {
    let trace = trace(&[(1, 1, 0), (0, 1, 0), (2, 1, 0)]);
    let keys = |most| text(&trace, &field_keys(&trace, 0..3, most));
    assert_eq!((keys(9).as_str(), keys(2).as_str()), ("nbac", "nb"));
}

proptest! {
    /// The filter finds the same rows as a scan of the whole table.
    #[test]
    fn a_filter_agrees_with_a_scan(
        events in prop::collection::vec((0u8..4, -1i64..4, 0u32..3), 0..60),
        range in prop::option::of((0i64..60, 0i64..60)),
        name in prop::option::of(0u8..4),
        thread in prop::option::of(0i64..4),
        cpu in prop::option::of(0u32..3),
    ) {
        let trace = trace(&events);
        let named = |name: u8| {
            let id = trace.strings.lookup(std::str::from_utf8(&[b'a' + name]).unwrap());
            id.into_iter().collect::<Vec<_>>()
        };
        let filter = EventFilter {
            range: range.map(|(from_ns, to_ns)| TimeRange { from_ns, to_ns }),
            names: name.map(named),
            threads: thread.map(|tid| trace.threads.tid.iter().map(|own| own == tid).collect()),
            cpus: cpu.map(|cpu| vec![cpu]),
        };
        let found: Vec<usize> = filter.rows(&trace).collect();
        let mut scanned = Vec::new();
        for (row, (own, tid, on)) in events.iter().enumerate() {
            let at = row as i64;
            if range.is_none_or(|(from, to)| from <= at && at < to)
                && name.is_none_or(|name| name == *own)
                && thread.is_none_or(|thread| thread == *tid)
                && cpu.is_none_or(|cpu| cpu == *on)
            {
                scanned.push(row);
            }
        }
        prop_assert_eq!(found, scanned);
    }
}
