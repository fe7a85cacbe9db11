//! The interpreter's state between events.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use traceloom_trace::{FtraceEventRow, Place, RowId, SliceId, ThreadId, TrackId};

use super::binder_steps::{BinderSteps, Sends};
use super::position::{At, Position, SlotId};
use super::seen::Seen;

/// The state of a CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cpu {
    pub last_ts: i64,
    /// The tid of the thread on it, according to switches.
    pub current: i32,
    /// The last event of this thread there, ns.
    pub current_ts: i64,
    /// The previous thread of the last switch, and its time, ns.
    pub left: (ThreadId, i64),
    /// Another thread that was seen there since.
    pub seen: Option<Seen>,
    pub idle_track: TrackId,
    pub frequency_track: TrackId,
}

/// The current thread of a CPU that is unknown. It is not a valid tid.
pub(super) const NOBODY: i32 = i32::MIN;

/// A CPU before its first event.
pub(super) const NEW_CPU: Cpu = Cpu {
    last_ts: i64::MIN,
    current: NOBODY,
    current_ts: i64::MIN,
    left: (ThreadId::NONE, i64::MIN),
    seen: None,
    idle_track: TrackId::NONE,
    frequency_track: TrackId::NONE,
};

/// Whether the CPU column is real. Counts how many events agree with the switches about the thread
/// on their CPU.
#[derive(Debug, Default)]
pub(super) struct CpuColumn {
    /// All agreeing events.
    pub agreeing: u64,
    /// The switches among them.
    pub agreeing_switches: u64,
    /// Events of a thread that runs on a different CPU.
    contradicting: u64,
    /// Switches away from a thread that does not run there, or that runs on a different CPU.
    contradicting_switches: u64,
    /// CPUs on which a thread was seen without a switch to it.
    pub cpus: BTreeSet<u32>,
    /// Whether the text has an event for each inferred switch.
    pub inferred_are_events: bool,
}

impl CpuColumn {
    /// Whether at least 8 of 9 agree, either of switches or of other events.
    pub fn is_real(&self, for_switches: bool) -> bool {
        let (agreeing, contradicting) = if for_switches {
            (self.agreeing_switches, self.contradicting_switches)
        } else {
            let others = self.agreeing.saturating_sub(self.agreeing_switches);
            (others, self.contradicting)
        };
        agreeing >= contradicting.saturating_mul(8)
    }

    pub fn contradict(&mut self, is_switch: bool) {
        if is_switch {
            self.contradicting_switches += 1;
        } else {
            self.contradicting += 1;
        }
    }
}

/// A binder transaction that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sent {
    Call(SliceId),
    OneWay(SliceId),
    Reply,
}

impl Sent {
    /// The kind of the transaction.
    pub fn sends(self) -> Sends {
        match self {
            Self::Call(_) => Sends::Call,
            Self::OneWay(_) => Sends::OneWay,
            Self::Reply => Sends::Answer,
        }
    }
}

/// The state of binder.
#[derive(Debug, Default)]
pub(super) struct Binder {
    /// Transactions that were sent and not received yet, by number.
    pub sent: FxHashMap<i64, Sent>,
    pub steps: BinderSteps,
}

/// The last output of the function_graph tracer for a CPU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GraphCpu {
    /// The last thread named by a task column or a switch.
    pub tid: Option<i32>,
    /// The end of the last row, ns.
    pub cursor_ns: i64,
}

/// The memory of processes.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The thread that used each `mm_struct` last, learned from events of the thread itself.
    pub owners: FxHashMap<i64, SlotId>,
    /// Values of threads whose processes are unknown yet.
    pub pending: Vec<Resident>,
}

/// A value of `rss_stat` of a thread, and the event.
#[derive(Debug)]
pub(super) struct Resident {
    pub slot: SlotId,
    pub name: &'static str,
    pub size: i64,
    pub event: FtraceEventRow,
}

/// Information about the recording from headers and special events.
#[derive(Debug, Default)]
pub(super) struct History {
    pub entries_in_buffer: Option<u64>,
    /// Ends without a begin since the last "buffer started".
    pub unmatched: u64,
    pub first_unmatched: Place,
    pub overwritten: Option<OverwrittenFront>,
}

/// The start of a ring buffer, part of which was overwritten.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverwrittenFront {
    pub events: u64,
    pub ends: u64,
    pub cpu: u32,
    pub position: Position,
}

impl History {
    /// Counts an end without a begin.
    pub fn unmatched(&mut self, at: At) {
        self.unmatched_at(at.place());
    }

    /// Like [`unmatched`](Self::unmatched), at a given place.
    pub fn unmatched_at(&mut self, place: Place) {
        if self.unmatched == 0 {
            self.first_unmatched = place;
        }
        self.unmatched += 1;
    }

    /// A CPU's events begin here, because earlier ones were overwritten. Unmatched ends before this
    /// may belong to overwritten begins.
    pub fn buffer_started(&mut self, cpu: u32, position: Position, events: u64) {
        let ends = self.overwritten.map_or(0, |front| front.ends) + self.unmatched;
        self.unmatched = 0;
        self.overwritten = Some(OverwrittenFront {
            events,
            ends,
            cpu,
            position,
        });
    }
}

impl Cpu {
    /// The thread of an event, and what is known about it on this CPU.
    pub fn saw(&self, at: At) -> Seen {
        let new = |after| Seen {
            at,
            after,
            last: at.ts,
            began: None,
        };
        match self.seen {
            Some(seen) if seen.at.utid == at.utid => Seen {
                last: at.ts,
                ..seen
            },
            Some(other) => new(other.last),
            None => new(self.current_ts),
        }
    }
}

/// The stack that was read last. Its functions are stored when the next one begins, so other events cost no check.
#[derive(Debug)]
pub(super) struct OpenStack {
    /// The row of its event.
    pub row: usize,
    /// The line that its next function must be on.
    pub next_line: u64,
    /// Its functions, innermost first.
    pub callers: Vec<u8>,
}
