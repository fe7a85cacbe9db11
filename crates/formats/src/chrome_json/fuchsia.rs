//! The scheduling of Fuchsia. Fuchsia's converter to JSON writes it next to the list of events.
//!
//! ```text
//! "systemTraceEvents": {"type": "fuchsia", "events": [
//!     {"ph": "p", "pid": 7, "name": "app"}, {"ph": "t", "pid": 7, "tid": 8, "name": "main"},
//!     {"ph": "k", "ts": 1.5, "cpu": 0, "out": {"tid": 8, "state": 3}, "in": {"tid": 9, "prio": 16}},
//!     {"ph": "w", "ts": 2.5, "cpu": 0, "tid": 8} ]}
//! ```
//! Source: `trace2json` of Fuchsia, and catapult's importer for the states and the idle thread.

use rustc_hash::FxHashMap;
use traceloom_trace::{
    NO_CPU, NO_DURATION, NO_PRIORITY, Place, RepairKind, RowId, SchedSliceRow, StringId, TaskState,
    ThreadId, ThreadStateRow, TraceBuilder,
};

use super::event::Event;
use super::tasks::Tasks;
use crate::json::{Fields, Items, Value, int};

/// The scheduling of a file.
#[derive(Debug, Default)]
pub(super) struct Fuchsia {
    moments: Vec<Moment>,
    /// The thread that runs on each CPU.
    running: FxHashMap<u32, Running>,
    /// The threads that do not run, since when, and in which state.
    waiting: FxHashMap<ThreadId, (i64, TaskState)>,
    unread: u64,
}

/// A switch of a CPU to another thread, or the wake-up of a thread.
#[derive(Clone, Copy, Debug)]
struct Moment {
    ts: i64,
    cpu: u32,
    /// The thread that stops, or wakes up.
    out: Option<ThreadId>,
    state: TaskState,
    into: Option<ThreadId>,
    priority: i32,
    is_switch: bool,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    since: i64,
    utid: ThreadId,
    priority: i32,
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
        let mut moments = std::mem::take(&mut self.moments);
        moments.sort_by_key(|moment| moment.ts);
        for mut moment in moments {
            moment.ts = moment.ts.saturating_add(shift);
            self.stop(&moment, out);
            self.start(&moment, out);
        }
        let mut running: Vec<_> = self.running.into_iter().collect();
        running.sort_unstable_by_key(|(cpu, _)| *cpu);
        for (cpu, running) in running {
            ran(&running, (cpu, NO_DURATION), TaskState::UNKNOWN, out);
        }
        let mut waiting: Vec<_> = self.waiting.into_iter().collect();
        waiting.sort_unstable_by_key(|(utid, _)| *utid);
        for (utid, (since, state)) in waiting {
            waited(utid, (since, NO_DURATION), state, out);
        }
        let what = || "an event of Fuchsia's kernel that is no switch or wake-up".to_owned();
        out.repair(
            RepairKind::UnparsedLine,
            self.unread,
            Place::default(),
            what,
        );
    }

    /// Ends what the CPU ran. A thread that wakes up is runnable from then on.
    fn stop(&mut self, moment: &Moment, out: &mut TraceBuilder) {
        if moment.is_switch
            && let Some(running) = self.running.remove(&moment.cpu)
        {
            let dur = moment.ts.saturating_sub(running.since);
            let is_it = moment.out == Some(running.utid);
            let state = if is_it {
                moment.state
            } else {
                TaskState::UNKNOWN
            };
            ran(&running, (moment.cpu, dur), state, out);
        }
        if let Some(utid) = moment.out {
            self.end_wait(utid, moment.ts, out);
            self.waiting.insert(utid, (moment.ts, moment.state));
        }
    }

    fn start(&mut self, moment: &Moment, out: &mut TraceBuilder) {
        let Some(utid) = moment.into else { return };
        self.end_wait(utid, moment.ts, out);
        let running = Running {
            since: moment.ts,
            utid,
            priority: moment.priority,
        };
        self.running.insert(moment.cpu, running);
    }

    fn end_wait(&mut self, utid: ThreadId, ts: i64, out: &mut TraceBuilder) {
        if let Some((since, state)) = self.waiting.remove(&utid) {
            waited(utid, (since, ts.saturating_sub(since)), state, out);
        }
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
    Some(Moment {
        ts: event.ts?,
        cpu: cpu(event)?,
        out: thread(from, tasks, out),
        state: state.map_or(TaskState::UNKNOWN, task_state),
        into: thread(to, tasks, out),
        priority: priority(to).unwrap_or(NO_PRIORITY),
        is_switch: true,
    })
}

fn wakeup(event: &Event<'_>, tasks: &mut Tasks, out: &mut TraceBuilder) -> Option<Moment> {
    event.tid.as_ref()?;
    Some(Moment {
        ts: event.ts?,
        cpu: cpu(event)?,
        out: Some(tasks.thread_of_any_process(event.tid.as_ref(), out)),
        state: TaskState::RUNNABLE,
        into: None,
        priority: NO_PRIORITY,
        is_switch: false,
    })
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

fn ran(running: &Running, (cpu, dur): (u32, i64), end_state: TaskState, out: &mut TraceBuilder) {
    out.sched_slice(SchedSliceRow {
        ts: running.since,
        dur,
        cpu,
        utid: running.utid,
        end_state,
        priority: running.priority,
        inferred: false,
        end_priority: NO_PRIORITY,
    });
    state(
        running.utid,
        (running.since, dur, cpu),
        TaskState::RUNNING,
        out,
    );
}

fn waited(utid: ThreadId, (since, dur): (i64, i64), is: TaskState, out: &mut TraceBuilder) {
    state(utid, (since, dur, NO_CPU), is, out);
}

fn state(
    utid: ThreadId,
    (ts, dur, cpu): (i64, i64, u32),
    state: TaskState,
    out: &mut TraceBuilder,
) {
    out.thread_state(ThreadStateRow {
        ts,
        dur,
        utid,
        cpu,
        state,
        io_wait: -1,
        blocked_function: StringId::NULL,
        waker_utid: ThreadId::NONE,
    });
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
