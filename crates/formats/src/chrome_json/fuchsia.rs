//! The scheduling of Fuchsia. Fuchsia's converter to JSON writes it next to the list of events.
//!
//! ```text
//! "systemTraceEvents": {"type": "fuchsia", "events": [
//!     {"ph": "p", "pid": 7, "name": "app"}, {"ph": "t", "pid": 7, "tid": 8, "name": "main"},
//!     {"ph": "k", "ts": 1.5, "cpu": 0, "out": {"tid": 8, "state": 3}, "in": {"tid": 9, "prio": 16}},
//!     {"ph": "w", "ts": 2.5, "cpu": 0, "tid": 8} ]}
//! ```
//! Source: `trace2json` of Fuchsia, and catapult's importer for the states and the idle thread.

use traceloom_trace::{
    NO_PRIORITY, Place, RepairKind, RowId, SchedSwitch, SchedTracker, TaskState, ThreadId,
    TraceBuilder,
};

use super::event::Event;
use super::tasks::Tasks;
use crate::json::{Fields, Items, Value, int};

/// The scheduling of a file.
#[derive(Debug, Default)]
pub(super) struct Fuchsia {
    moments: Vec<Moment>,
    unread: u64,
}

/// A switch of a CPU to another thread, or the wake-up of a thread at a time in ns.
#[derive(Clone, Copy, Debug)]
enum Moment {
    Switch(SchedSwitch),
    Wakeup(i64, ThreadId),
}

impl Moment {
    fn ts(&self) -> i64 {
        match self {
            Self::Switch(switch) => switch.ts,
            Self::Wakeup(ts, _) => *ts,
        }
    }
}

/// Whether a member of the outermost object is such a table.
pub(super) fn is_fuchsia(key: &str, text: &[u8]) -> bool {
    key == "systemTraceEvents"
        && Fields::new(text)
            .any(|(key, value)| *key == *b"type" && value.text() == Some(b"fuchsia"))
}

impl Fuchsia {
    /// Reads a table, adds `shift` to its times, and adds its rows.
    pub fn read(table: &[u8], shift: i64, tasks: &mut Tasks, out: &mut TraceBuilder) {
        let lists = Fields::new(table).filter(|(key, _)| **key == *b"events");
        let lists: Vec<_> = lists.map(|(_, list)| list).collect();
        let mut fuchsia = Self::default();
        // The names come last, but threads belong to the processes in them.
        for pass in [Fuchsia::name, Fuchsia::moment] {
            for list in &lists {
                let Value::Nested(list) = list else { continue };
                for event in Items::new(list) {
                    pass(&mut fuchsia, &event, tasks, out);
                }
            }
        }
        fuchsia.finish(shift, out);
    }

    fn name(&mut self, value: &Value<'_>, tasks: &mut Tasks, out: &mut TraceBuilder) {
        let Value::Nested(text) = value else { return };
        let event = Event::read(text);
        if !matches!(event.phase, b'p' | b't') {
            return;
        }
        let upid = tasks.process(event.pid.as_ref(), out);
        let name = out.intern(&event.name);
        match event.phase {
            b'p' => out.name_process(upid, name),
            _ => {
                let utid = tasks.thread(event.tid.as_ref(), upid, out);
                out.name_thread(utid, name);
            }
        }
    }

    fn moment(&mut self, value: &Value<'_>, tasks: &mut Tasks, out: &mut TraceBuilder) {
        let event = match value {
            Value::Nested(text) => Event::read(text),
            _ => Event::default(),
        };
        let moment = match event.phase {
            b'p' | b't' => return,
            b'k' => switch(&event, tasks, out),
            b'w' => wakeup(&event, tasks, out),
            _ => None,
        };
        self.unread += u64::from(moment.is_none());
        self.moments.extend(moment);
    }

    fn finish(mut self, shift: i64, out: &mut TraceBuilder) {
        self.moments.sort_by_key(Moment::ts);
        let mut tracker = SchedTracker::default();
        let mut mismatches = 0;
        for moment in self.moments {
            let ts = moment.ts().saturating_add(shift);
            match moment {
                Moment::Switch(switch) => {
                    let fits = tracker.switch(out, SchedSwitch { ts, ..switch });
                    mismatches += u64::from(!fits);
                }
                Moment::Wakeup(_, utid) => tracker.wake(out, ts, utid, ThreadId::NONE),
            }
        }
        let place = Place::default();
        out.repair(RepairKind::SchedMismatch, mismatches, place, || {
            "a switch from a thread that was not on its CPU".to_owned()
        });
        out.repair(RepairKind::UnparsedLine, self.unread, place, || {
            "an event of Fuchsia's kernel that is no switch or wake-up".to_owned()
        });
    }
}

fn switch(event: &Event<'_>, tasks: &mut Tasks, out: &mut TraceBuilder) -> Option<Moment> {
    let side = |wanted: &[u8]| {
        let mut fields = event.others.iter();
        fields
            .find(|(key, _)| &**key == wanted)
            .map(|(_, value)| value)
    };
    let (from, to) = (side(b"out")?, side(b"in")?);
    let state = field(from, b"state").and_then(|state| int(state.text()?));
    let (prev, next) = (thread(from, tasks, out), thread(to, tasks, out));
    Some(Moment::Switch(SchedSwitch {
        ts: event.ts?,
        cpu: cpu(event)?,
        prev: prev.unwrap_or(ThreadId::IDLE),
        prev_priority: priority(from).unwrap_or(NO_PRIORITY),
        prev_state: state.map_or(TaskState::UNKNOWN, task_state),
        next: next.unwrap_or(ThreadId::IDLE),
        next_priority: priority(to).unwrap_or(NO_PRIORITY),
        prev_is_idle: prev.is_none(),
        next_is_idle: next.is_none(),
    }))
}

fn wakeup(event: &Event<'_>, tasks: &mut Tasks, out: &mut TraceBuilder) -> Option<Moment> {
    event.tid.as_ref()?;
    let utid = tasks.thread_of_any_process(event.tid.as_ref(), out);
    Some(Moment::Wakeup(event.ts?, utid))
}

fn cpu(event: &Event<'_>) -> Option<u32> {
    let (_, cpu) = event.others.iter().find(|(key, _)| **key == *b"cpu")?;
    u32::try_from(int(cpu.text()?)?).ok()
}

fn field<'a>(side: &Value<'a>, wanted: &[u8]) -> Option<Value<'a>> {
    let mut fields = side.fields();
    fields
        .find(|(key, _)| &**key == wanted)
        .map(|(_, value)| value)
}

fn priority(side: &Value<'_>) -> Option<i32> {
    i32::try_from(int(field(side, b"prio")?.text()?)?).ok()
}

/// A thread of a switch; `None` for the idle thread.
fn thread(side: &Value<'_>, tasks: &mut Tasks, out: &mut TraceBuilder) -> Option<ThreadId> {
    let number = |key| field(side, key).and_then(|value| int(value.text()?));
    let (tid, pid, priority) = (number(b"tid")?, number(b"pid"), priority(side));
    let is_idle = match (pid, priority) {
        (Some(0), Some(0)) | (None, Some(i32::MIN)) => true,
        _ => tid == 0,
    };
    (!is_idle).then(|| tasks.thread_of_any_process(field(side, b"tid").as_ref(), out))
}

/// The state of a thread that leaves the CPU: `ZX_THREAD_STATE`.
fn task_state(state: i64) -> TaskState {
    match state {
        0 | 1 => TaskState::RUNNABLE,
        2 => TaskState::STOPPED,
        3 => TaskState::SLEEPING,
        4 | 5 => TaskState::DEAD,
        _ => TaskState::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use traceloom_trace::{NO_DURATION, RepairKind, RowId, TaskState, ThreadId};

    use crate::chrome_json::tests::read;

    #[test]
    fn switches_and_wake_ups_of_fuchsia_are_rows() {
        let trace = read(
            r#"{"traceEvents":[{"ph":"X","pid":7,"tid":8,"ts":1,"dur":9,"name":"a"}],
            "systemTraceEvents":{"type":"fuchsia","events":[
                {"ph":"k","ts":1,"cpu":1,"out":{"pid":0,"tid":0,"prio":0},"in":{"pid":0,"tid":8,"prio":16}},
                {"ph":"k","ts":3,"cpu":1,"out":{"tid":8,"state":3,"prio":16},"in":{"tid":9,"prio":20}},
                {"ph":"w","ts":5,"cpu":0,"tid":8,"prio":16},
                {"ph":"k","ts":6,"cpu":1,"out":{"tid":9,"state":1},"in":{"tid":8,"prio":16}},
                {"ph":"p","pid":7,"name":"app"},{"ph":"t","pid":7,"tid":8,"name":"main"},{"ph":"?"}]}}"#,
        );
        let tid = |utid: ThreadId| trace.threads.tid.get(utid.row());
        let slices = trace.sched_slices.rows();
        let found: Vec<_> = slices
            .map(|row| {
                (
                    row.ts,
                    row.dur,
                    row.cpu,
                    tid(row.utid),
                    row.end_state,
                    row.priority,
                )
            })
            .collect();
        let expected = [
            (1000, 2000, 1, 8, TaskState::SLEEPING, 16),
            (3000, 3000, 1, 9, TaskState::RUNNABLE, 20),
            (6000, NO_DURATION, 1, 8, TaskState::UNKNOWN, 16),
        ];
        assert_eq!(found, expected);
        let states = trace.thread_states.rows().filter(|row| tid(row.utid) == 8);
        let mut states: Vec<_> = states.map(|row| (row.ts, row.dur, row.state)).collect();
        states.sort_by_key(|state| state.0);
        let expected = [
            (1000, 2000, TaskState::RUNNING),
            (3000, 2000, TaskState::SLEEPING),
            (5000, 1000, TaskState::RUNNABLE),
            (6000, NO_DURATION, TaskState::RUNNING),
        ];
        assert_eq!(states, expected);
        let names: Vec<_> = trace
            .threads
            .rows()
            .map(|row| trace.strings.get(row.name))
            .collect();
        assert!(names.contains(&"main"), "{names:?}");
        assert_eq!(trace.repairs.count(RepairKind::UnparsedLine), 1);
        assert_eq!(trace.repairs.rows().len(), 1);
    }
}
