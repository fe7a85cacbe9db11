//! Counts of what a writer omitted. A format that cannot express something is not an error, but
//! nothing is dropped silently: each writer lists what it writes, and everything else in the trace
//! is counted here.

use traceloom_trace::{
    ArgSetId, MethodId, NO_DURATION, NO_NUMBER, RowId, StringId, Trace, TrackId, TrackOwner,
    TrackType,
};

/// The name of the clock row for the start of a method trace. It never comes from a file.
pub(crate) const METHOD_TRACE_START: &str = "start of the method trace";

macro_rules! omissions {
    ($($(#[$doc:meta])* $kind:ident = $one:literal, $many:literal;)*) => {
        /// A part of a trace that some formats cannot express.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Omission {
            $($(#[$doc])* $kind,)*
        }

        impl Omission {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// The noun for `count` of them, such as "counter values".
            pub fn words(self, count: u64) -> &'static str {
                match (self, count) {
                    $((Self::$kind, 1) => $one, (Self::$kind, _) => $many,)*
                }
            }
        }
    };
}

omissions! {
    /// Slices of a thread's own track.
    ThreadSlices = "slice of a thread", "slices of threads";
    /// Slices on further tracks of a thread: disk, workqueue, memory.
    ThreadTrackSlices = "kernel slice of a thread", "kernel slices of threads";
    /// Rows of tables that only SQL and the page read: samples, heaps, logs.
    Records = "row of samples, heaps, logs and the like", "rows of samples, heaps, logs and the like";
    /// Slices that may overlap.
    AsyncSlices = "async slice", "async slices";
    /// Slices of a process, or of its named tracks.
    ProcessSlices = "slice of a process", "slices of processes";
    /// Slices of a CPU: interrupts.
    CpuSlices = "slice of a CPU", "slices of CPUs";
    /// Slices of the whole machine.
    GlobalSlices = "slice of the machine", "slices of the machine";
    /// Values of counters.
    Counters = "counter value", "counter values";
    /// Points in time.
    Instants = "instant", "instants";
    /// Arrows between slices.
    Flows = "flow", "flows";
    /// Periods in which threads ran on CPUs.
    SchedSlices = "stretch on a CPU", "stretches on CPUs";
    /// States of threads: running, waiting, sleeping.
    ThreadStates = "thread state", "thread states";
    /// Kernel events without a table of their own.
    KernelEvents = "kernel event", "kernel events";
    /// Start times of slices.
    StartTimes = "start of a slice", "starts of slices";
    /// Wall time of slices.
    WallTimes = "wall time of a slice", "wall times of slices";
    /// CPU time of slices.
    CpuTimes = "CPU time of a slice", "CPU times of slices";
    /// Times of slices that never ended, up to the end of the trace.
    UnfinishedTimes = "time of a slice that never ended", "times of slices that never ended";
    /// Timestamps with more precision than the format's unit.
    Fractions = "time cut to a microsecond", "times cut to microseconds";
    /// Categories of slices.
    Categories = "category of a slice", "categories of slices";
    /// Categories of counters.
    CounterCategories = "category of a counter", "categories of counters";
    /// Arguments of slices and instants.
    Arguments = "slice or instant's arguments", "slices' and instants' arguments";
    /// Signature, file and line of methods.
    MethodDetails = "signature or file of a method", "signatures or files of methods";
    /// Methods that are never called.
    UncalledMethods = "method without calls", "methods without calls";
    /// Names that were cut to the length that the format allows.
    LongNames = "name cut short", "names cut short";
    /// Processes, if the format has at most one.
    Processes = "process", "processes";
    /// Process names that differ from the main thread's, command lines, uids.
    ProcessDetails = "process's name, command line or uid", "processes' names, command lines or uids";
    /// Threads without events.
    IdleThreads = "thread without events", "threads without events";
    /// The operating system's thread numbers.
    ThreadNumbers = "thread's number", "threads' numbers";
    /// Facts about the trace.
    Facts = "fact of the header", "facts of the header";
    /// Points that tie clocks together.
    ClockSyncs = "clock sync point", "clock sync points";
    /// Kinds of repairs: the new file holds the repaired trace.
    Repairs = "kind of repair", "kinds of repairs";
}

impl Omission {
    /// The number of such items in `trace`.
    pub(crate) fn count_in(self, trace: &Trace) -> u64 {
        let on = |is: fn(TrackType) -> bool| slices_on(trace, is);
        let slices = &trace.slices;
        let count = match self {
            Self::ThreadSlices => on(TrackType::is_stack),
            Self::ThreadTrackSlices => on(TrackType::is_beside_thread),
            Self::AsyncSlices => on(TrackType::is_process_async),
            Self::ProcessSlices => on(|kind| kind.holds_slices_of(TrackOwner::Process)),
            Self::CpuSlices => on(|kind| kind.holds_slices_of(TrackOwner::Cpu)),
            Self::GlobalSlices => on(|kind| kind.holds_slices_of(TrackOwner::Machine)),
            Self::Counters => trace.counters.len(),
            Self::Instants => slices.instants().count(),
            Self::Flows => trace.flows.len(),
            Self::SchedSlices => trace.sched_slices.len(),
            Self::ThreadStates => trace.thread_states.len(),
            Self::Records => trace.records.recorded(&trace.strings),
            Self::KernelEvents => trace.ftrace_events.len(),
            Self::StartTimes | Self::WallTimes => slices.span_count(),
            Self::CpuTimes => matching(slices.thread_ts.iter(), |ts| ts != NO_DURATION),
            Self::Categories => matching(slices.category.iter(), |id| !id.is_empty()),
            Self::CounterCategories => matching(trace.tracks.category.iter(), |id| !id.is_empty()),
            Self::Arguments => arguments(trace, |_| true),
            Self::MethodDetails => method_details(trace),
            Self::UncalledMethods => uncalled_methods(trace),
            // Only the writer knows what it shortened or left out.
            Self::UnfinishedTimes | Self::Fractions | Self::LongNames => 0,
            Self::Processes => matching(trace.real_processes(), |upid| {
                let row = trace.processes.row(upid.row());
                row.pid != NO_NUMBER || !row.name.is_empty()
            }),
            Self::ProcessDetails => process_details(trace),
            Self::IdleThreads => idle_threads(trace),
            Self::ThreadNumbers => trace.real_threads().count(),
            Self::Facts => trace.metadata.len(),
            Self::ClockSyncs => {
                let said = |name: &str| name != METHOD_TRACE_START;
                trace.clocks.iter().filter(|row| said(&row.name)).count()
            }
            Self::Repairs => trace.repairs.rows().len(),
        };
        count as u64
    }
}

fn matching<T>(column: impl Iterator<Item = T>, is: impl Fn(T) -> bool) -> usize {
    column.filter_map(|value| is(value).then_some(())).count()
}

fn slices_on(trace: &Trace, is: fn(TrackType) -> bool) -> usize {
    let wanted: Vec<bool> = trace.tracks.kind.iter().map(is).collect();
    let tracks = trace
        .slices
        .spans()
        .map(|row| trace.slices.track_id.get(row));
    matching(tracks, |track| wanted[track.row()])
}

/// The number of slices and instants with arguments, on tracks that satisfy `is`.
pub(crate) fn arguments(trace: &Trace, is: impl Fn(TrackId) -> bool) -> usize {
    let slices = trace
        .slices
        .arg_set_id
        .iter()
        .zip(trace.slices.track_id.iter());
    matching(slices, |(args, track)| args != ArgSetId::NONE && is(track))
}

fn method_details(trace: &Trace) -> usize {
    let empty = |id: StringId| id.is_empty();
    matching(trace.methods.rows(), |row| {
        !empty(row.signature) || !empty(row.file) || row.line >= 0
    })
}

fn uncalled_methods(trace: &Trace) -> usize {
    let mut called = vec![false; trace.methods.len()];
    let methods = trace.slices.method_id.iter().filter_map(MethodId::some);
    methods.for_each(|method| called[method.row()] = true);
    matching(called.iter(), |called| !called)
}

/// Counts processes that have more than a number and the name of the main thread.
fn process_details(trace: &Trace) -> usize {
    let mut main_names = vec![StringId::NULL; trace.processes.len()];
    for thread in trace.threads.rows().filter(|thread| thread.is_main_thread) {
        if let Some(upid) = thread.upid.some() {
            main_names[upid.row()] = thread.name;
        }
    }
    matching(trace.processes.rows().zip(main_names), |(process, main)| {
        let named_else = !process.name.is_empty() && process.name != main;
        named_else || !process.cmdline.is_empty() || process.uid >= 0
    })
}

fn idle_threads(trace: &Trace) -> usize {
    let busy = busy_threads(trace);
    matching(trace.real_threads(), |utid| !busy[utid.row()])
}

/// Whether each thread has events.
pub(crate) fn busy_threads(trace: &Trace) -> Vec<bool> {
    let mut busy = vec![false; trace.threads.len()];
    let mut saw = |utid: traceloom_trace::ThreadId| {
        if let Some(busy) = utid.some().and_then(|utid| busy.get_mut(utid.row())) {
            *busy = true;
        }
    };
    let mut on_track = |track: TrackId| saw(trace.tracks.utid.get(track.row()));
    trace.slices.track_id.iter().for_each(&mut on_track);
    trace.counters.track_id.iter().for_each(&mut on_track);
    trace.sched_slices.utid.iter().for_each(&mut saw);
    trace.thread_states.utid.iter().for_each(&mut saw);
    trace.ftrace_events.utid.iter().for_each(&mut saw);
    busy
}

/// The result of writing: what the new file does not contain.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Written {
    /// What was omitted, with counts, in the order of [`Omission::ALL`]. No count is 0.
    pub omitted: Vec<(Omission, u64)>,
}

impl Written {
    /// Everything in `trace` except the kinds that the format holds completely.
    pub(crate) fn keeping(trace: &Trace, held: &[Omission]) -> Self {
        let mut written = Self::default();
        for &kind in Omission::ALL.iter().filter(|kind| !held.contains(kind)) {
            written.add(kind, kind.count_in(trace));
        }
        written
    }

    /// Adds omissions of a kind that the format holds only in part.
    pub(crate) fn add(&mut self, kind: Omission, count: u64) {
        if count == 0 {
            return;
        }
        match self.omitted.binary_search_by_key(&kind, |(kind, _)| *kind) {
            Ok(at) => self.omitted[at].1 += count,
            Err(at) => self.omitted.insert(at, (kind, count)),
        }
    }

    /// How many of `kind` were omitted.
    pub fn count(&self, kind: Omission) -> u64 {
        let found = self.omitted.iter().find(|(omission, _)| *omission == kind);
        found.map_or(0, |(_, count)| *count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_in_order_and_none_is_zero() {
        let mut written = Written::default();
        written.add(Omission::Flows, 2);
        written.add(Omission::Counters, 1);
        written.add(Omission::Flows, 3);
        written.add(Omission::Instants, 0);
        assert_eq!(
            written.omitted,
            [(Omission::Counters, 1), (Omission::Flows, 5)]
        );
        assert_eq!(written.count(Omission::Flows), 5);
        assert_eq!(Omission::Counters.words(1), "counter value");
    }
}
