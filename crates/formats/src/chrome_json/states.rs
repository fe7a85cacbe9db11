//! States of threads. Perfetto reads them from events of phase `T` with the category `thread_state` and a duration; the
//! name is the state (`importers/json/json_trace_parser_impl.cc`).

use traceloom_trace::{
    NO_CPU, NO_PRIORITY, Place, RepairKind, RowId, SchedSliceRow, StringId, TaskState, ThreadId,
    ThreadStateRow, TraceBuilder,
};

use super::event::Event;
use crate::json::{Value, int};

/// Whether an event is a state of a thread, not a step of an async slice.
pub(super) fn is_state(event: &Event<'_>) -> bool {
    event.phase == b'T' && *event.category == *b"thread_state" && event.dur.is_some()
}

/// Converts such an event at `ts` to a row. An unknown state counts as a bad field.
pub(super) fn state(
    event: &Event<'_>,
    utid: ThreadId,
    ts: i64,
    place: Place,
    out: &mut TraceBuilder,
) -> ThreadStateRow {
    let number = |key| event.argument(key)?.text().and_then(int);
    let state = match &*event.name {
        b"Running" => Some(TaskState::RUNNING),
        name => TaskState::parse(name),
    };
    out.repair(RepairKind::BadField, state.is_none().into(), place, || {
        String::from_utf8_lossy(&event.name).into_owned()
    });
    let io_wait = number(b"io_wait").map_or(-1, |value| i8::from(value != 0));
    let function = event.argument(b"blocked_function");
    let function = function.as_ref().and_then(Value::text);
    ThreadStateRow {
        ts,
        dur: event.dur.unwrap_or(0).max(0),
        utid,
        cpu: number(b"cpu")
            .and_then(|cpu| u32::try_from(cpu).ok())
            .unwrap_or(NO_CPU),
        state: state.unwrap_or(TaskState::UNKNOWN),
        io_wait,
        blocked_function: function.map_or(StringId::NULL, |text| out.intern(text)),
        waker_utid: ThreadId::NONE,
    }
}

/// Adds a state. A thread that runs on a known CPU also has a row there.
pub(super) fn add_state(row: ThreadStateRow, out: &mut TraceBuilder) {
    if row.state == TaskState::RUNNING && row.cpu != NO_CPU {
        out.sched_slice(SchedSliceRow {
            ts: row.ts,
            dur: row.dur,
            cpu: row.cpu,
            utid: row.utid,
            end_state: TaskState::UNKNOWN,
            priority: NO_PRIORITY,
            inferred: false,
            end_priority: NO_PRIORITY,
        });
    }
    out.thread_state(row);
}

#[cfg(test)]
mod tests {
    use traceloom_trace::TaskState;

    use crate::{ReadOptions, read_bytes};

    #[test]
    fn states_of_threads_are_rows() {
        let text: &[u8] = br#"[{"name":"D","cat":"thread_state","ph":"T","ts":16,"dur":8,"pid":1,"tid":2,
            "args":{"io_wait":1,"blocked_function":"wait_on_page"}},
            {"name":"Running","cat":"thread_state","ph":"T","ts":1,"dur":5,"pid":1,"tid":2,"args":{"cpu":3}}]"#;
        let trace = read_bytes(text, ReadOptions::default()).unwrap();
        let rows: Vec<_> = trace.thread_states.rows().collect();
        let found = rows
            .iter()
            .map(|row| (row.ts, row.dur, row.cpu, row.state, row.io_wait));
        let none = u32::MAX;
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                (1_000, 5_000, 3, TaskState::RUNNING, -1),
                (16_000, 8_000, none, TaskState::UNINTERRUPTIBLE, 1),
            ]
        );
        assert_eq!(trace.strings.get(rows[1].blocked_function), "wait_on_page");
        assert!(trace.slices.is_empty());
        let ran = trace.sched_slices.rows();
        let ran: Vec<_> = ran.map(|row| (row.ts, row.dur, row.cpu)).collect();
        assert_eq!(ran, [(1_000, 5_000, 3)]);
    }
}
