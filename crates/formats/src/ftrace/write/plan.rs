//! The plan of a text: its lines in order.

use rustc_hash::{FxHashMap, FxHashSet};
use traceloom_trace::{ClockKind, ClockRow, ProcessId, RowId, SliceId, ThreadId, Trace};

use super::binder::{self, Role};
use super::counted::Counted;
use super::kernel::SaidElsewhere;
use super::waiting::Waiting;
use crate::ftrace::derived::Derived;

/// The kind of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `B|`, or `S|` and `G|` if not on a thread's own track.
    Begin,
    /// `S|` for an asynchronous slice that begins again while it is open.
    BeginAgain,
    /// `E|`, or `F|` and `H|`.
    End,
    /// `E|` for a slice of kernel events that such a mark ended.
    EndMark,
    Counter,
    Instant,
    Event,
    Clock,
    /// A switch: a row of [`Plan::switches`].
    Switch,
    /// A wake-up: a row of wakeups.
    Woken,
    /// `sched_waking`: a row of thread states without a row of wakeups.
    Waking,
    /// `sched_wakeup`, which older tools need.
    Wakeup,
    /// `sched_wakeup_new`: the first of a thread.
    Birth,
    /// `sched_blocked_reason`: a row of thread states, if the trace does not have the event itself.
    Blocked,
}

/// The event with the reason why a thread was blocked. It is sorted with those of the scheduler.
pub(super) const BLOCKED_REASON: &str = "sched_blocked_reason";

/// A line to be printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub ts: i64,
    /// Order among lines with the same time: kernel events first, because they create threads.
    pub order: u64,
    pub kind: Kind,
    /// A row of the table that the kind of line comes from.
    pub row: u32,
}

/// The order of lines with the same time.
#[derive(Clone, Copy)]
pub(super) enum Class {
    Clock,
    Event,
    Sched,
    /// Begins and ends of slices.
    Slice,
    /// Counters and instants.
    Point,
}

impl Class {
    pub fn order(self, sequence: u64) -> u64 {
        (self as u64) << 60 | sequence
    }
}

/// A switch between the threads of a CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch {
    /// Whether it was inferred. The previous thread is then unknown.
    pub inferred: bool,
    pub cpu: u32,
    pub prev: ThreadId,
    /// [`NO_PRIORITY`](traceloom_trace::NO_PRIORITY) if unknown.
    pub prev_priority: i32,
    pub prev_state: traceloom_trace::TaskState,
    pub next: ThreadId,
    pub next_priority: i32,
}

/// All lines of a trace in order.
pub(super) struct Plan<'t> {
    pub trace: &'t Trace,
    pub lines: Vec<Line>,
    pub switches: Vec<Switch>,
    /// The thread that writes for each process.
    pub writers: FxHashMap<ProcessId, ThreadId>,
    /// The slices of binder calls.
    pub binder: FxHashMap<SliceId, Role>,
    /// The times and threads of stored events that end a binder call.
    pub binder_failures: FxHashSet<(i64, ThreadId)>,
    /// Counters that an event of a slice also sets.
    pub counted: Counted<'t>,
    /// Asynchronous slices that need a cookie of their own, because another one with theirs is open when they begin.
    pub overlapping: FxHashSet<SliceId>,
    /// Begins of slices that are also stored as events.
    pub waiting: Waiting,
    /// Slices that are derived from events.
    pub derived: Derived,
    /// Rows of thread states that are in no switch or wake-up.
    pub unwritten_states: u64,
}

impl<'t> Plan<'t> {
    /// A plan without lines.
    pub fn new(trace: &'t Trace) -> Self {
        let binder_failures = binder::failures(trace);
        Self {
            trace,
            lines: Vec::new(),
            switches: Vec::new(),
            writers: writers(trace),
            binder: binder::roles(trace, &binder_failures),
            binder_failures,
            counted: Counted::new(trace),
            overlapping: FxHashSet::default(),
            waiting: Waiting::new(trace),
            derived: Derived::new(trace),
            unwritten_states: 0,
        }
    }

    /// Sorts the lines.
    pub fn sort(&mut self) {
        self.lines
            .sort_by_key(|line| (line.ts, line.order, line.row));
    }

    /// Adds the lines of counters, instants, kernel events and clocks.
    pub fn add_rows(&mut self) {
        let trace = self.trace;
        let rows = |class: Class, kind: Kind, row: usize, ts: i64| Line {
            ts,
            order: class.order(row as u64),
            kind,
            row: row as u32,
        };
        let elsewhere = SaidElsewhere::new(trace);
        let counters = trace.counters.ts.iter().enumerate();
        let counters = counters.filter(|(row, _)| !elsewhere.has(*row));
        let claimed = &self.counted.claimed;
        let counters = counters.filter(|(row, _)| !claimed.contains(&(*row as u32)));
        self.lines
            .extend(counters.map(|(row, ts)| rows(Class::Point, Kind::Counter, row, ts)));
        let instants = trace.slices.instants();
        let instants = instants.filter(|row| !Derived::has_slice(trace, SliceId::from_row(*row)));
        self.lines.extend(instants.map(|row| Line {
            order: Class::Point.order((trace.counters.len() + row) as u64),
            ..rows(Class::Point, Kind::Instant, row, trace.slices.ts.get(row))
        }));
        let reason = trace.strings.lookup(BLOCKED_REASON);
        let events = trace.ftrace_events.rows().enumerate();
        let events = events.filter(|(_, event)| Some(event.name) != reason);
        let (waiting, derived) = (&mut self.waiting, &self.derived);
        self.lines.extend(events.map(|(row, event)| {
            let line = rows(Class::Event, Kind::Event, row, event.ts);
            let order = waiting.place(event.ts, event.name);
            let order = order.or(derived.place(row)).unwrap_or(line.order);
            Line { order, ..line }
        }));
        let clocks = trace.clocks.iter().enumerate();
        let clocks = clocks.filter(|(_, clock)| is_writable(clock));
        self.lines.extend(clocks.map(|(row, clock)| {
            let ts = clock.ts.saturating_add(to_whole_ms(clock));
            rows(Class::Clock, Kind::Clock, row, ts)
        }));
    }

    pub fn len(&self) -> usize {
        self.lines.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// The main thread of each process, or else its first.
fn writers(trace: &Trace) -> FxHashMap<ProcessId, ThreadId> {
    let mut writers = FxHashMap::default();
    for (row, thread) in trace.threads.rows().enumerate() {
        let Some(upid) = thread.upid.some() else {
            continue;
        };
        let utid = ThreadId::from_row(row);
        if thread.is_main_thread {
            writers.insert(upid, utid);
        } else {
            writers.entry(upid).or_insert(utid);
        }
    }
    writers
}

/// Whether a marker can express this sync point: there is one for the monotonic clock, one for the
/// time of day, and one with only a name.
pub(super) fn is_writable(clock: &ClockRow) -> bool {
    match clock.clock {
        ClockKind::Monotonic | ClockKind::Realtime => true,
        ClockKind::Trace => !clock.name.is_empty() && clock.value_ns == clock.ts,
        _ => false,
    }
}

/// The time in ns from a sync point to the next whole millisecond of the time of day, the unit of
/// its marker.
pub(super) fn to_whole_ms(clock: &ClockRow) -> i64 {
    const MS: i64 = 1_000_000;
    match clock.clock {
        ClockKind::Realtime => (MS - clock.value_ns.rem_euclid(MS)) % MS,
        _ => 0,
    }
}
