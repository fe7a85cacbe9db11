//! The rows of a trace as text, with names instead of ids.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_trace::{
    ArgSetId, NO_NUMBER, ProcessId, RowId, SliceId, StringId, ThreadId, Trace, TrackId,
};

/// The rows of each table, in their order; those without a time are sorted, and so are names.
///
/// Text cannot express threads and processes that no other row refers to, and it assigns events without a thread to the
/// idle thread. So only rows that other rows refer to are shown. Clocks are shown in µs, the unit of text.
pub fn content(trace: &Trace) -> BTreeMap<&'static str, Vec<String>> {
    let names = Names::new(trace);
    let mut tables = BTreeMap::from([
        ("processes", names.processes()),
        ("threads", names.threads()),
        ("slices", names.slices()),
        ("counters", names.counters()),
        ("instants", names.instants()),
        ("flows", names.flows()),
        ("sched_slices", names.sched_slices()),
        ("exact_counters", names.exact_counters()),
        ("run_ends", names.run_ends()),
        ("wakeups", names.wakeups()),
        ("thread_names", names.thread_names()),
        ("thread_states", names.thread_states()),
        ("ftrace_events", names.ftrace_events()),
        ("clocks", names.clocks()),
        ("metadata", names.facts()),
    ]);
    for table in ["processes", "threads", "thread_names", "metadata"] {
        tables.get_mut(table).expect("a table").sort();
    }
    tables
}

/// Facts that describe the text itself.
const OF_THE_TEXT: &[&str] = &[
    "tracer",
    "cpus",
    "entries-in-buffer",
    "entries-written",
    "event-lines",
    "events",
];

/// The text for each id.
struct Names<'t> {
    trace: &'t Trace,
    /// `pid` or `pid#2`, its second lifetime.
    processes: Vec<String>,
    threads: Vec<String>,
    tracks: Vec<String>,
}

impl<'t> Names<'t> {
    fn new(trace: &'t Trace) -> Self {
        let mut names = Self {
            trace,
            processes: lifetimes(trace.processes.pid.iter()),
            threads: lifetimes(trace.threads.tid.iter()),
            tracks: Vec::new(),
        };
        for row in 0..trace.tracks.len() {
            let name = names.track_name(row);
            names.tracks.push(name);
        }
        names
    }

    fn text(&self, id: StringId) -> &str {
        self.trace.strings.get(id)
    }

    fn process(&self, id: ProcessId) -> &str {
        id.some().map_or("-", |id| &self.processes[id.row()])
    }

    fn thread(&self, id: ThreadId) -> &str {
        id.some().map_or("-", |id| &self.threads[id.row()])
    }

    fn track(&self, id: TrackId) -> &str {
        &self.tracks[id.row()]
    }

    /// The owner of a track, and its number among the lanes of its parent.
    fn track_name(&self, row: usize) -> String {
        let tracks = &self.trace.tracks;
        let track = tracks.row(row);
        let (thread, process) = (self.thread(track.utid), self.process(track.upid));
        let lane = track.parent.some().map(|parent| {
            let lanes = tracks.parent.iter().take(row);
            lanes.filter(|lane| *lane == parent).count() + 1
        });
        let cpu = if track.cpu == NO_NUMBER {
            "-".to_owned()
        } else {
            track.cpu.to_string()
        };
        let (name, category) = (self.text(track.name), self.text(track.category));
        let kind = track.kind.name();
        format!(
            "{kind}/{name}/{category}/{thread}/{process}/{cpu}/{}",
            lane.unwrap_or(0)
        )
    }

    fn args(&self, set: ArgSetId) -> String {
        let args = self.trace.args.set(set);
        let args = args.map(|(key, value)| {
            format!("{}={}", self.text(key), value.display(&self.trace.strings))
        });
        args.collect::<Vec<_>>().join(" ")
    }

    fn processes(&self) -> Vec<String> {
        let used = used_processes(self.trace);
        let rows = self.trace.processes.rows().enumerate();
        let rows = rows.filter(|(n, _)| used.contains(n));
        rows.map(|(n, row)| {
            let (name, cmdline) = (self.text(row.name), self.text(row.cmdline));
            let times = (row.start_ts, row.end_ts);
            format!(
                "{} {name:?} {cmdline:?} uid {} ppid {} {times:?}",
                self.processes[n], row.uid, row.ppid
            )
        })
        .collect()
    }

    fn threads(&self) -> Vec<String> {
        let used = used_threads(self.trace);
        let rows = self.trace.threads.rows().enumerate();
        let rows = rows.filter(|(n, _)| used.contains(n));
        rows.map(|(n, row)| {
            let (name, process) = (self.text(row.name), self.process(row.upid));
            let rest = (row.is_main_thread, row.start_ts, row.end_ts);
            format!("{} {name:?} of {process} {rest:?}", self.threads[n])
        })
        .collect()
    }

    fn slices(&self) -> Vec<String> {
        let rows = self.trace.slices.rows().enumerate();
        rows.map(|(n, row)| {
            let name = self.trace.slice_name(SliceId::from_row(n));
            let (track, args) = (self.track(row.track_id), self.args(row.arg_set_id));
            let parent = row
                .parent_id
                .some()
                .map(|id| self.trace.slices.ts.get(id.row()));
            format!(
                "{}+{} {} {name:?} on {track} in {parent:?} {args}",
                row.ts, row.dur, row.depth
            )
        })
        .collect()
    }

    fn counters(&self) -> Vec<String> {
        let rows = self.trace.counters.rows();
        rows.map(|row| {
            format!(
                "{} {} {:?} {:x}",
                row.ts,
                self.track(row.track_id),
                row.value,
                row.value.to_bits()
            )
        })
        .collect()
    }

    fn instants(&self) -> Vec<String> {
        let slices = &self.trace.slices;
        let rows = slices.instants().map(|row| slices.row(row));
        rows.map(|row| {
            let (track, name) = (self.track(row.track_id), self.text(row.name));
            format!("{} {track} {name:?} {}", row.ts, self.args(row.arg_set_id))
        })
        .collect()
    }

    fn flows(&self) -> Vec<String> {
        let rows = self.trace.flows.rows();
        let end = |id: SliceId| {
            let row = self.trace.slices.row(id.row());
            format!("{} {}", row.ts, self.track(row.track_id))
        };
        rows.map(|row| {
            format!(
                "{} {} -> {}",
                self.text(row.name),
                end(row.slice_out),
                end(row.slice_in)
            )
        })
        .collect()
    }

    fn sched_slices(&self) -> Vec<String> {
        let rows = self.trace.sched_slices.rows();
        rows.map(|row| {
            let thread = self.thread(row.utid);
            format!(
                "{}+{} cpu {} {thread} {} prio {} to {} {}",
                row.ts,
                row.dur,
                row.cpu,
                row.end_state,
                row.priority,
                row.end_priority,
                row.inferred
            )
        })
        .collect()
    }

    fn exact_counters(&self) -> Vec<String> {
        let rows = self.trace.exact_counters.rows();
        rows.map(|row| format!("{} {} {}", row.ts, self.track(row.track_id), row.value))
            .collect()
    }

    fn run_ends(&self) -> Vec<String> {
        let rows = self.trace.run_ends.rows();
        rows.map(|row| {
            let thread = self.thread(row.utid);
            format!(
                "{} cpu {} {thread} {} prio {}",
                row.ts, row.cpu, row.end_state, row.priority
            )
        })
        .collect()
    }

    fn wakeups(&self) -> Vec<String> {
        let rows = self.trace.wakeups.rows();
        rows.map(|row| {
            let (thread, waker) = (self.thread(row.utid), self.thread(row.waker_utid));
            let (kind, cpus) = (row.kind.name(), (row.cpu, row.target_cpu));
            format!(
                "{} {kind} {thread} by {waker} cpus {cpus:?} prio {} irq {}",
                row.ts, row.priority, row.irq_context
            )
        })
        .collect()
    }

    fn thread_names(&self) -> Vec<String> {
        let rows = self.trace.thread_names.rows();
        rows.map(|row| {
            format!(
                "{} {} {:?}",
                row.ts,
                self.thread(row.utid),
                self.text(row.name)
            )
        })
        .collect()
    }

    fn thread_states(&self) -> Vec<String> {
        let rows = self.trace.thread_states.rows();
        rows.map(|row| {
            let (thread, waker) = (self.thread(row.utid), self.thread(row.waker_utid));
            let function = self.text(row.blocked_function);
            format!(
                "{}+{} {thread} {} cpu {} io {} {function:?} by {waker}",
                row.ts, row.dur, row.state, row.cpu, row.io_wait
            )
        })
        .collect()
    }

    fn ftrace_events(&self) -> Vec<String> {
        let rows = self.trace.ftrace_events.rows();
        rows.map(|row| {
            let (name, thread) = (self.text(row.name), self.thread(row.utid));
            format!(
                "{} {name} {thread} cpu {} {}",
                row.ts,
                row.cpu,
                self.args(row.arg_set_id)
            )
        })
        .collect()
    }

    fn facts(&self) -> Vec<String> {
        let rows = self.trace.metadata.rows();
        let rows = rows.map(|row| (self.text(row.key), self.text(row.value)));
        let rows = rows.filter(|(key, _)| !OF_THE_TEXT.contains(key));
        rows.map(|(key, value)| format!("{key}: {value}")).collect()
    }

    fn clocks(&self) -> Vec<String> {
        let rows = self.trace.clocks.iter();
        let us = |ns: i64| ns.div_euclid(1_000);
        rows.map(|row| {
            format!(
                "{:?} {} {} {:?}",
                row.clock,
                us(row.ts),
                us(row.value_ns),
                row.name
            )
        })
        .collect()
    }
}

/// Rows of threads that other rows refer to.
fn used_threads(trace: &Trace) -> BTreeSet<usize> {
    let states = &trace.thread_states;
    let threads = trace
        .sched_slices
        .utid
        .iter()
        .chain(trace.run_ends.utid.iter());
    let threads = threads
        .chain(states.utid.iter())
        .chain(states.waker_utid.iter());
    let threads = threads
        .chain(trace.wakeups.utid.iter())
        .chain(trace.wakeups.waker_utid.iter());
    let threads = threads.chain(trace.ftrace_events.utid.iter());
    let tracks = used_tracks(trace)
        .into_iter()
        .map(|row| trace.tracks.utid.get(row));
    let threads = threads.chain(tracks).filter_map(RowId::some);
    threads.map(RowId::row).collect()
}

fn used_processes(trace: &Trace) -> BTreeSet<usize> {
    let of_threads = used_threads(trace)
        .into_iter()
        .map(|row| trace.threads.upid.get(row));
    let of_tracks = used_tracks(trace)
        .into_iter()
        .map(|row| trace.tracks.upid.get(row));
    let processes = of_threads.chain(of_tracks).filter_map(RowId::some);
    processes.map(RowId::row).collect()
}

fn used_tracks(trace: &Trace) -> BTreeSet<usize> {
    let tracks = trace
        .slices
        .track_id
        .iter()
        .chain(trace.counters.track_id.iter());
    tracks.map(RowId::row).collect()
}

/// The numbers. A repeated number gets the count of its occurrences.
fn lifetimes(numbers: impl Iterator<Item = i64>) -> Vec<String> {
    let mut seen: BTreeMap<i64, usize> = BTreeMap::new();
    numbers
        .map(|number| {
            let count = seen.entry(number).or_default();
            *count += 1;
            match *count {
                1 => number.to_string(),
                nth => format!("{number}#{nth}"),
            }
        })
        .collect()
}
