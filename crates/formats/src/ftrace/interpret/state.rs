//! What the interpreter remembers between events.

use rustc_hash::FxHashMap;
use traceloom_trace::{Place, ProcessId, RowId, SliceId, TrackId};

use super::position::{At, Position};

/// What is remembered of a CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cpu {
    pub last_ts: i64,
    pub idle_track: TrackId,
    pub frequency_track: TrackId,
}

/// A CPU before its first event.
pub(super) const NEW_CPU: Cpu = Cpu {
    last_ts: i64::MIN,
    idle_track: TrackId::NONE,
    frequency_track: TrackId::NONE,
};

/// A binder transaction that was sent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sent {
    Call(SliceId),
    OneWay(SliceId),
    Reply,
}

/// Binder transactions that were sent and not yet received, by their number.
#[derive(Debug, Default)]
pub(super) struct Binder {
    pub sent: FxHashMap<i64, Sent>,
}

/// What the function_graph tracer last printed for a CPU.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GraphCpu {
    /// The thread that was named last, by a task column or a switch.
    pub tid: Option<i32>,
    /// The end of the last call, if rows have no times.
    pub cursor_ns: i64,
}

/// The process of each `mm_struct`, learnt from events of the process itself.
#[derive(Debug, Default)]
pub(super) struct Memory {
    pub owners: FxHashMap<i64, ProcessId>,
}

/// What headers and odd events say about the recording.
#[derive(Debug, Default)]
pub(super) struct History {
    pub entries_in_buffer: Option<u64>,
    /// Ends without a begin since the last "buffer started".
    pub unmatched: u64,
    pub first_unmatched: Place,
    pub overwritten: Option<OverwrittenFront>,
}

/// The front of a ring buffer, part of which was overwritten.
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

    /// As [`unmatched`](Self::unmatched), at a place.
    pub fn unmatched_at(&mut self, place: Place) {
        if self.unmatched == 0 {
            self.first_unmatched = place;
        }
        self.unmatched += 1;
    }

    /// A CPU's events begin here, because earlier ones were overwritten. Ends before this may belong
    /// to overwritten begins.
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
