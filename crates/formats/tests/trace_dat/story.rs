//! The contents of a trace as lists that can be compared.

use std::collections::BTreeMap;

use traceloom_formats::{ReadOptions, read_bytes};
use traceloom_trace::{RowId, StringId, ThreadId, Trace, TrackId};

pub fn open(bytes: &[u8]) -> Trace {
    read_bytes(bytes, ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// One list per table. Rows refer to threads, tracks and CPUs by name, not by row number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Story {
    pub slices: Vec<String>,
    pub sched: Vec<String>,
    pub states: Vec<String>,
    pub counters: Vec<String>,
    pub instants: Vec<String>,
    /// The number of other events by name.
    pub events: BTreeMap<String, usize>,
}

impl Story {
    pub fn of(trace: &Trace) -> Self {
        let name = |id: StringId| trace.strings.get(id).to_owned();
        let tid = |utid: ThreadId| trace.threads.tid.get(utid.row());
        let track = |id: TrackId| {
            let track = trace.tracks.row(id.row());
            let owner = match (track.utid.some(), track.upid.some()) {
                (Some(utid), _) => format!("t{}", tid(utid)),
                (None, Some(upid)) => format!("p{}", trace.processes.pid.get(upid.row())),
                _ if track.cpu >= 0 => format!("c{}", track.cpu),
                _ => "machine".to_owned(),
            };
            format!("{owner} {}", name(track.name))
        };
        let mut story = Self::default();
        let slices = &trace.slices;
        for row in slices.spans().map(|row| slices.row(row)) {
            let (on, depth, ts, dur) = (track(row.track_id), row.depth, row.ts, row.dur);
            story
                .slices
                .push(format!("{ts} +{dur} {on}/{depth} {}", name(row.name)));
        }
        for row in trace.sched_slices.rows() {
            let (ts, dur, cpu) = (row.ts, row.dur, row.cpu);
            let (tid, state, priority) = (tid(row.utid), row.end_state, row.priority);
            story.sched.push(format!(
                "{ts} +{dur} cpu {cpu} thread {tid} {state} {priority}"
            ));
        }
        for row in trace.thread_states.rows() {
            let waker = row.waker_utid.some().map(tid);
            let (ts, dur, state) = (row.ts, row.dur, row.state);
            let (tid, function) = (tid(row.utid), name(row.blocked_function));
            story.states.push(format!(
                "{ts} +{dur} thread {tid} {state} {waker:?} {function}"
            ));
        }
        for row in trace.counters.rows() {
            story.counters.push(format!(
                "{} {} = {}",
                row.ts,
                track(row.track_id),
                row.value
            ));
        }
        for row in slices.instants().map(|row| slices.row(row)) {
            story.instants.push(format!(
                "{} {} {}",
                row.ts,
                track(row.track_id),
                name(row.name)
            ));
        }
        for row in trace.ftrace_events.rows() {
            *story.events.entry(name(row.name)).or_default() += 1;
        }
        // Rows with the same time may be in either order.
        for list in [
            &mut story.slices,
            &mut story.sched,
            &mut story.states,
            &mut story.counters,
            &mut story.instants,
        ] {
            list.sort();
        }
        story
    }

    /// The differences between two stories: the first rows of each list that are in only one of
    /// them.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let lists = |story: &Self| {
            let events = story
                .events
                .iter()
                .map(|(name, count)| format!("{name} × {count}"));
            [
                ("slices", story.slices.clone()),
                ("sched slices", story.sched.clone()),
                ("thread states", story.states.clone()),
                ("counters", story.counters.clone()),
                ("instants", story.instants.clone()),
                ("events", events.collect()),
            ]
        };
        let mut found = Vec::new();
        for ((what, mine), (_, theirs)) in lists(self).into_iter().zip(lists(other)) {
            let only = |these: &[String], those: &[String]| -> Vec<String> {
                let those: std::collections::BTreeSet<_> = those.iter().collect();
                these
                    .iter()
                    .filter(|row| !those.contains(row))
                    .cloned()
                    .collect()
            };
            let (left, right) = (only(&mine, &theirs), only(&theirs, &mine));
            if mine != theirs {
                found.push(format!(
                    "{what}: {} and {}; only here {}: {:?}; only there {}: {:?}",
                    mine.len(),
                    theirs.len(),
                    left.len(),
                    &left[..left.len().min(3)],
                    right.len(),
                    &right[..right.len().min(3)],
                ));
            }
        }
        found
    }
}

/// The arguments of the first event called `name`.
pub fn args_of(trace: &Trace, name: &str) -> String {
    let mut rows = trace.ftrace_events.rows();
    let row = rows.find(|row| trace.strings.get(row.name) == name);
    let row = row.unwrap_or_else(|| panic!("no event {name}"));
    let args = trace.args.set(row.arg_set_id).map(|(key, value)| {
        let key = trace.strings.get(key);
        format!("{key}={}", value.display(&trace.strings))
    });
    args.collect::<Vec<_>>().join(" ")
}
